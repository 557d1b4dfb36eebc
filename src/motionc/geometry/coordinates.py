"""What stands under a relation: NumPy numbers, symbols, or nothing that is known. The few formulas that need to know
which.

Coordinates are always two-dimensional: a vector is (3, 1), several columns (3, k), a matrix (3, 3). Operators
(+, -, @, .T) then read the same for numbers and symbols; only what is collected here has to look at the type. What is
unknown absorbs whatever is done to it.
"""

from collections.abc import Callable, Sequence
from functools import cache, wraps
from inspect import signature
from typing import Any, ClassVar

import numpy as np

from motionc.geometry.elimination import elimination_order
from motionc.geometry.symbols import Symbols, applied, chosen, crossed, is_zero, plain, product
from motionc.geometry.unknown import UNKNOWN, Unknown, absorbing, is_known

Matrix = Any
"""A float `numpy.ndarray` or a matrix of Symbols, two-dimensional."""

Coordinates = Any
"""A Matrix, or UNKNOWN in the check reading."""

NUMBERS = (np.ndarray, float, int, np.number, np.bool_, list, tuple, Unknown)


def is_symbolic(*values: Matrix) -> bool:
    """Whether any of the values is a symbol, or a matrix of them."""
    for value in values:
        if isinstance(value, Symbols) or (not isinstance(value, NUMBERS) and hasattr(value, "constant")):
            return True
    return False


def entry_by_entry(function: Callable[..., Matrix]) -> Callable[..., Matrix]:
    """A function of scalars and matrices, of every entry: of arrays that hold symbols too; UNKNOWN where one is."""

    parameters = signature(function)

    @wraps(function)
    def of_entries(*operands: Matrix, **named: Matrix) -> Matrix:
        if named:
            operands = parameters.bind(*operands, **named).args
        if any(isinstance(operand, np.ndarray) and operand.dtype == object for operand in operands):
            return np.frompyfunc(of_entries, len(operands), 1)(*operands)
        return function(*operands) if is_known(*operands) else UNKNOWN

    return of_entries


def known_or_unknown(value: Any) -> Any:
    """What a user wrote for coordinates: None says that they are unknown."""
    return UNKNOWN if value is None else value


class Relation:
    """What has coordinates, in fields of these names: None, given for one of them, says that it is unknown."""

    __slots__ = ()

    coordinates: ClassVar[tuple[str, ...]] = ("values",)

    def __post_init__(self) -> None:
        for name in self.coordinates:
            if getattr(self, name) is None:
                object.__setattr__(self, name, UNKNOWN)


@absorbing
def column(values: Any) -> Matrix:
    """Bring what a user wrote (list, 1-D array, symbols) into a column."""
    return values if is_symbolic(values) else np.asarray(values, float).reshape(-1, 1)


@absorbing
def zeros(rows: int, columns: int) -> Matrix:
    return np.zeros((rows, columns))


@absorbing
def skew(a: Matrix) -> Matrix:
    """The matrix of a cross product, `skew(a) @ b = a × b`."""
    if is_symbolic(a):
        (x,), (y,), (z,) = a.rows
        return Symbols([[0.0, plain(-z), y], [z, 0.0, plain(-x)], [plain(-y), x, 0.0]])
    x, y, z = a[:, 0]
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


@absorbing
def cross(a: Matrix, b: Matrix) -> Matrix:
    """a × b for a column a and one or several columns b."""
    return crossed(Symbols.of(a), Symbols.of(b)) if is_symbolic(a, b) else skew(a) @ b


@absorbing
def diagonal(values: Matrix, size: int) -> Matrix:
    """The diagonal matrix of a column, or of one number all along."""
    if size == 1 or getattr(values, "shape", ()) != (size, 1):
        return values * np.eye(size)
    return assemble([[values[i, 0] if i == j else 0.0 for j in range(size)] for i in range(size)])


def is_nothing(values: Matrix) -> bool:
    """Whether they are the number 0, all of them."""
    return is_known(values) and not is_symbolic(values) and not np.any(values)


@absorbing
def symmetric(a: Matrix) -> Matrix:
    """A matrix known to be symmetric, with its lower half read off the upper one (so it is computed once)."""
    if is_symbolic(a):
        return Symbols([[a.rows[min(i, j)][max(i, j)] for j in range(len(a.rows))] for i in range(len(a.rows))])
    return np.where(_upper(len(a)), a, a.T)


@absorbing
def lower_triangle(a: Matrix) -> Matrix:
    """The lower triangle of a matrix row by row, diagonal and all, as a column."""
    rows = a.rows if is_symbolic(a) else a.tolist()
    entries = [[entry] for i, row in enumerate(rows) for entry in row[: i + 1]]
    return Symbols(entries) if is_symbolic(a) else np.array(entries, float).reshape(-1, 1)


@absorbing
def symmetric_product(a: Matrix, b: Matrix) -> Matrix:
    """a b where that is known to be symmetric."""
    return product(a, b, symmetric=True) if is_symbolic(a, b) else symmetric(a @ b)


@cache
def _upper(size: int) -> np.ndarray:
    return np.triu(np.ones((size, size), bool))


@absorbing
def beside(*blocks: Matrix) -> Matrix:
    """Columns beside each other."""
    if not is_symbolic(*blocks):
        return np.concatenate(blocks, 1)
    parts = [Symbols.of(block) for block in blocks]
    rows = zip(*[part.rows for part in parts], strict=True)
    return Symbols([[entry for row in each for entry in row] for each in rows], sum(part.shape[1] for part in parts))


@absorbing
def above(*blocks: Matrix) -> Matrix:
    """Rows above each other."""
    if not is_symbolic(*blocks):
        return np.concatenate(blocks)
    parts = [Symbols.of(block) for block in blocks]
    return Symbols([row for part in parts for row in part.rows], parts[0].shape[1])


@absorbing
def masked(a: Matrix, mask: np.ndarray) -> Matrix:
    """The entries where the mask is one, exact zeros elsewhere; a mask of one column is that of all."""
    if not is_symbolic(a):
        return np.where(mask, a, 0.0)
    kept = zip(a.rows, np.broadcast_to(mask, a.shape).tolist(), strict=True)
    return Symbols([[x if keep else 0.0 for x, keep in zip(*row, strict=True)] for row in kept], a.shape[1])


@absorbing
def clipped(a: Matrix, limits: Sequence[float]) -> Matrix:
    """Each entry of a column within ± its limit; what is no number stays none."""
    return assemble([[_clip(a[i, 0], limit)] for i, limit in enumerate(limits)])


@absorbing
def beyond(a: Matrix, limits: Sequence[float]) -> Matrix:
    """1 where an entry of a column is above its limit, -1 where it is below minus that, else 0."""
    return assemble(
        [[0.0 if np.isinf(limit) else (a[i, 0] > limit) - 1.0 * (a[i, 0] < -limit)] for i, limit in enumerate(limits)]
    )


@absorbing
def at_limits(a: Matrix, sides: Matrix, limits: Sequence[float]) -> Matrix:
    """Each entry of a column exactly at its limit where its side is 1, at minus that where it is -1."""
    return assemble([[_put(a[i, 0], sides[i, 0], limit)] for i, limit in enumerate(limits)])


def _clip(a: Matrix, limit: float) -> Matrix:
    return a if np.isinf(limit) else _choose(a > limit, limit, _choose(a < -limit, -limit, a))


def _put(a: Matrix, side: Matrix, limit: float) -> Matrix:
    return a if np.isinf(limit) else _choose(side > 0, limit, _choose(side < 0, -limit, a))


def _choose(condition: Matrix, yes: Matrix, no: Matrix) -> Matrix:
    return condition.select(yes, no) if is_symbolic(condition) else yes if condition else no


@entry_by_entry
def select(condition: Matrix, yes: Matrix, no: Matrix) -> Matrix:
    """`yes` where the condition holds, else `no`; both are computed."""
    return chosen(condition, yes, no) if is_symbolic(condition, yes, no) else np.where(condition, yes, no)[()]


def sin_cos(angle: Matrix) -> tuple[Matrix, Matrix]:
    """Sine and cosine of a (1, 1) angle."""
    return _function(np.sin, angle), _function(np.cos, angle)


def square_root(a: Matrix) -> Matrix:
    return _function(np.sqrt, a)


def rounded_down(a: Matrix) -> Matrix:
    """The largest whole number that is no more."""
    return _function(np.floor, a)


def arc_tangent(y: Matrix, x: Matrix) -> Matrix:
    """The angle of (x, y), in ±π."""
    return _function(np.arctan2, y, x)


@entry_by_entry
def at_most(a: Matrix, b: Matrix) -> Matrix:
    """The lesser of two, entry by entry."""
    return _function(np.minimum, a, b)


@entry_by_entry
def at_least(a: Matrix, b: Matrix) -> Matrix:
    """The greater of two, entry by entry."""
    return _function(np.maximum, a, b)


def _function(function: np.ufunc, *operands: Matrix) -> Matrix:
    if not is_known(*operands):
        return UNKNOWN
    return applied(function, *operands) if is_symbolic(*operands) else function(*operands)


def elements(a: Matrix) -> list[list[Matrix]]:
    """The entries as nested lists of scalars."""
    rows, columns = a.shape
    return [[a[i, j] for j in range(columns)] for i in range(rows)]


def filled(a: Matrix) -> list[list[bool]]:
    """Which entries are not the number 0."""
    if is_symbolic(a):
        return [[not is_zero(entry) for entry in row] for row in a.rows]
    return (np.asarray(a) != 0).tolist()


def assemble(entries: list[list[Matrix]]) -> Matrix:
    """A matrix from nested lists of scalars."""
    flat = [entry for row in entries for entry in row]
    if not entries:
        return np.zeros((0, 0))
    if not is_known(*flat):
        return UNKNOWN
    if is_symbolic(*flat):
        return Symbols([[plain(entry) for entry in row] for row in entries])
    return np.array(entries, float)


def factor(a: Matrix) -> tuple[list[list[Matrix]], list[Matrix]]:
    """L (unit, strictly lower entries) and D with a = Lᵀ D L, a symmetric positive definite, its lower half read.

    The last row is eliminated first. Where rows are joints and each only meets those on its way to the root, none is
    filled that was empty: zeros stay zeros, and nothing is written down for them. Inertias of joints are positive
    definite by physics (rule Dy1), so no pivot is examined.
    """
    size, rest = a.shape[0], elements(a)
    lower: list[list[Matrix]] = [[0.0] * size for _ in range(size)]
    for k in reversed(range(size)):
        inverse = 1 / rest[k][k]
        for i in range(k):
            if is_zero(rest[k][i]):
                continue
            lower[k][i] = rest[k][i] * inverse
            for j in range(i + 1):
                rest[i][j] = rest[i][j] - lower[k][i] * rest[k][j]
    return lower, [rest[k][k] for k in range(size)]


def back(order: Sequence[int]) -> list[int]:
    """Where each row is that was put in this order."""
    return [order.index(k) for k in range(len(order))]


@absorbing
def solve_positive_definite(a: Matrix, b: Matrix) -> Matrix:
    """x with a x = b, a symmetric positive definite, written out entry by entry, column by column."""
    size = a.shape[0]
    if size == 0 or b.shape[1] == 0:
        return b
    if size == 1:
        return (1 / a) * b
    order = elimination_order(filled(a))
    if order is not None:
        return solve_positive_definite(a[order, :][:, order], b[order, :])[back(order), :]
    (lower, pivots), x = factor(a), elements(b)
    for c in range(len(x[0])):
        for k in reversed(range(size)):
            for i in range(k):
                x[i][c] = x[i][c] - lower[k][i] * x[k][c]
            x[k][c] = x[k][c] * (1 / pivots[k])
        for k in range(size):
            x[k][c] = x[k][c] - sum(lower[k][i] * x[i][c] for i in range(k))
    return assemble(x)


@absorbing
def inverse_quadratic(a: Matrix, b: Matrix) -> Matrix:
    """bᵀ a⁻¹ b = Yᵀ D⁻¹ Y with Lᵀ Y = b, a symmetric positive definite: half of a solve."""
    size, columns = b.shape
    if size < 2 or columns == 0:
        return symmetric_product(b.T, solve_positive_definite(a, b))
    order = elimination_order(filled(a))
    if order is not None:
        return inverse_quadratic(a[order, :][:, order], b[order, :])
    (lower, pivots), y = factor(a), elements(b)
    for c in range(columns):
        for k in reversed(range(size)):
            for i in range(k):
                y[i][c] = y[i][c] - lower[k][i] * y[k][c]
    scaled = [[entry * (1 / pivot) for entry in row] for row, pivot in zip(y, pivots, strict=True)]
    return symmetric_product(assemble(y).T, assemble(scaled))


@absorbing
def invert_positive_definite(a: Matrix) -> Matrix:
    """a⁻¹ = N D⁻¹ Nᵀ with N = L⁻¹, which is empty wherever L is."""
    size, order = a.shape[0], elimination_order(filled(a), inverse=True)
    if order is not None:
        return invert_positive_definite(a[order, :][:, order])[back(order), :][:, back(order)]
    lower, pivots = factor(a)
    n = [[float(i == j) for j in range(size)] for i in range(size)]
    x: list[list[Matrix]] = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i):
            n[i][j] = -sum(lower[i][k] * n[k][j] for k in range(j, i))
        scaled = [n[i][k] * (1 / pivots[k]) for k in range(i + 1)]
        for j in range(i + 1):
            x[i][j] = x[j][i] = sum(scaled[k] * n[j][k] for k in range(j + 1))
    return assemble(x)


@absorbing
def root_positive_definite(a: Matrix) -> Matrix:
    """L, lower triangular, with Lᵀ L = a."""
    lower, pivots = factor(a)
    for k, pivot in enumerate(pivots):
        length = square_root(pivot)
        lower[k][:k] = [entry * length for entry in lower[k][:k]]
        lower[k][k] = length
    return assemble(lower)
