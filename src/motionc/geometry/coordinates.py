"""What stands under a relation: NumPy numbers, CasADi symbols, or nothing. The few formulas that need to know which.

Coordinates are always two-dimensional: a vector is (3, 1), several columns (3, k), a matrix (3, 3). Operators
(+, -, @, .T) then read the same for numbers and symbols; only what is collected here has to look at the type.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import casadi as ca
import numpy as np

Matrix = Any
"""A float `numpy.ndarray` or a `casadi.SX`, two-dimensional."""

Coordinates = Any
"""A Matrix, or None in the check reading."""


def known(*values: Coordinates) -> bool:
    """Whether all of them have coordinates."""
    return all(value is not None for value in values)


def is_symbolic(*values: Matrix) -> bool:
    """Whether any of the values holds CasADi symbols."""
    for value in values:  # noqa: SIM110  asked before every formula: a generator would take longer than the answer
        if isinstance(value, ca.SX):
            return True
    return False


def column(values: Any) -> Matrix:
    """Bring what a user wrote (list, 1-D array, SX) into a column."""
    return values if is_symbolic(values) else np.asarray(values, float).reshape(-1, 1)


def zeros(rows: int, columns: int) -> Matrix:
    return np.zeros((rows, columns))


def skew(a: Matrix) -> Matrix:
    """The matrix of a cross product, `skew(a) @ b = a × b`."""
    if is_symbolic(a):
        return ca.skew(a)
    x, y, z = a[:, 0]
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross(a: Matrix, b: Matrix) -> Matrix:
    """a × b for a column a and one or several columns b."""
    return skew(a) @ b


def symmetric(a: Matrix) -> Matrix:
    """A matrix known to be symmetric, with its lower half read off the upper one (so it is computed once)."""
    if is_symbolic(a):
        return ca.triu2symm(ca.triu(ca.densify(a)))
    return np.where(_upper(len(a)), a, a.T)


@cache
def _upper(size: int) -> np.ndarray:
    return np.triu(np.ones((size, size), bool))


def beside(*blocks: Matrix) -> Matrix:
    """Columns beside each other."""
    return ca.horzcat(*blocks) if is_symbolic(*blocks) else np.concatenate(blocks, 1)


def above(*blocks: Matrix) -> Matrix:
    """Rows above each other."""
    return ca.vertcat(*blocks) if is_symbolic(*blocks) else np.concatenate(blocks)


def masked(a: Matrix, mask: np.ndarray) -> Matrix:
    """The entries where the mask is one, exact zeros elsewhere."""
    if not is_symbolic(a):
        return np.where(mask, a, 0.0)
    return ca.SX(mask.astype(float)) * a


def clipped(a: Matrix, limits: Sequence[float]) -> Matrix:
    """Each entry of a column within ± its limit; what is no number stays none."""
    return assemble([[_clip(a[i, 0], limit)] for i, limit in enumerate(limits)])


def beyond(a: Matrix, limits: Sequence[float]) -> Matrix:
    """1 where an entry of a column is above its limit, -1 where it is below minus that, else 0."""
    return assemble(
        [[0.0 if np.isinf(limit) else (a[i, 0] > limit) - 1.0 * (a[i, 0] < -limit)] for i, limit in enumerate(limits)]
    )


def at_limits(a: Matrix, sides: Matrix, limits: Sequence[float]) -> Matrix:
    """Each entry of a column exactly at its limit where its side is 1, at minus that where it is -1."""
    return assemble([[_put(a[i, 0], sides[i, 0], limit)] for i, limit in enumerate(limits)])


def _clip(a: Matrix, limit: float) -> Matrix:
    return a if np.isinf(limit) else _choose(a > limit, limit, _choose(a < -limit, -limit, a))


def _put(a: Matrix, side: Matrix, limit: float) -> Matrix:
    return a if np.isinf(limit) else _choose(side > 0, limit, _choose(side < 0, -limit, a))


def _choose(condition: Matrix, yes: Matrix, no: Matrix) -> Matrix:
    return ca.if_else(condition, yes, no) if is_symbolic(condition) else yes if condition else no


def sin_cos(angle: Matrix) -> tuple[Matrix, Matrix]:
    """Sine and cosine of a (1, 1) angle."""
    return (ca.sin(angle), ca.cos(angle)) if is_symbolic(angle) else (np.sin(angle), np.cos(angle))


def select(condition: Matrix, yes: Matrix, no: Matrix) -> Matrix:
    """`yes` where the condition holds, else `no`; both are computed."""
    return ca.if_else(condition, yes, no) if is_symbolic(condition, yes, no) else np.where(condition, yes, no)


def square_root(a: Matrix) -> Matrix:
    return ca.sqrt(a) if is_symbolic(a) else np.sqrt(a)


def arc_tangent(y: Matrix, x: Matrix) -> Matrix:
    """The angle of (x, y), in ±π."""
    return ca.atan2(y, x) if is_symbolic(y, x) else np.arctan2(y, x)


def at_most(a: Matrix, b: Matrix) -> Matrix:
    """The lesser of two, entry by entry."""
    return ca.fmin(a, b) if is_symbolic(a, b) else np.minimum(a, b)


def at_least(a: Matrix, b: Matrix) -> Matrix:
    """The greater of two, entry by entry."""
    return ca.fmax(a, b) if is_symbolic(a, b) else np.maximum(a, b)


def elements(a: Matrix) -> list[list[Matrix]]:
    """The entries as nested lists of scalars."""
    rows, columns = a.shape
    return [[a[i, j] for j in range(columns)] for i in range(rows)]


def filled(a: Matrix) -> list[list[bool]]:
    """Which entries are not the number 0."""
    rows, columns = a.shape
    if is_symbolic(a):
        return [[not a[i, j].is_zero() for j in range(columns)] for i in range(rows)]
    return (np.asarray(a) != 0).tolist()


def assemble(entries: list[list[Matrix]]) -> Matrix:
    """A matrix from nested lists of scalars."""
    flat = [entry for row in entries for entry in row]
    if not entries:
        return np.zeros((0, 0))
    if is_symbolic(*flat):
        return ca.vertcat(*[ca.horzcat(*row) for row in entries])
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
            lower[k][i] = rest[k][i] * inverse
            for j in range(i + 1):
                rest[i][j] = rest[i][j] - lower[k][i] * rest[k][j]
    return lower, [rest[k][k] for k in range(size)]


def solve_positive_definite(a: Matrix, b: Matrix) -> Matrix:
    """x with a x = b, a symmetric positive definite, written out entry by entry, column by column."""
    size = a.shape[0]
    if size == 0 or b.shape[1] == 0:
        return b
    if size == 1:
        return (1 / a) * b
    (lower, pivots), x = factor(a), elements(b)
    for c in range(len(x[0])):
        for k in reversed(range(size)):
            for i in range(k):
                x[i][c] = x[i][c] - lower[k][i] * x[k][c]
            x[k][c] = x[k][c] * (1 / pivots[k])
        for k in range(size):
            x[k][c] = x[k][c] - sum(lower[k][i] * x[i][c] for i in range(k))
    return assemble(x)


def invert_positive_definite(a: Matrix) -> Matrix:
    """a⁻¹ = N D⁻¹ Nᵀ with N = L⁻¹, which is empty wherever L is."""
    size = a.shape[0]
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


def root_positive_definite(a: Matrix) -> Matrix:
    """L, lower triangular, with Lᵀ L = a."""
    lower, pivots = factor(a)
    for k, pivot in enumerate(pivots):
        length = square_root(pivot)
        lower[k][:k] = [entry * length for entry in lower[k][:k]]
        lower[k][k] = length
    return assemble(lower)
