"""Matrices of symbols: what stands under a relation while a program is written.

A symbol is anything that fulfils Scalar; an entry that always is the same is a float. Zeros and ones are known as such,
so that nothing is written down for them.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from motionc.errors import NoNumber

Entry = Any
"""A Scalar or a float."""


class Scalar(Protocol):
    """One number that is not known yet, and writes down what is done to it; comparisons are 1 or 0."""

    @property
    def constant(self) -> float | None:
        """Its number, where it always is the same."""
        ...

    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...
    def sin(self) -> Any: ...
    def cos(self) -> Any: ...
    def sqrt(self) -> Any: ...
    def exp(self) -> Any: ...
    def log(self) -> Any: ...
    def floor(self) -> Any: ...
    def sign(self) -> Any: ...
    def absolute(self) -> Any: ...
    def arctan2(self, x: Any, /) -> Any: ...
    def minimum(self, other: Any, /) -> Any: ...
    def maximum(self, other: Any, /) -> Any: ...
    def equal(self, other: Any, /) -> Any: ...
    def not_equal(self, other: Any, /) -> Any: ...
    def entry(self, values: Sequence[Any], /) -> Any: ...
    def select(self, yes: Any, no: Any, /) -> Any: ...


class Symbols:
    """A matrix of symbols and floats, rows in lists; it is read and reckoned with as a NumPy array is.

    `matrix[i, j]` is an entry; wherever one index is a slice or a list the result is a matrix. A (1, 1) matrix, and a
    scalar, counts for every entry of another.
    """

    __slots__ = ("rows", "shape")

    def __init__(self, rows: list[list[Entry]], columns: int | None = None) -> None:
        self.rows = rows
        self.shape = (len(rows), len(rows[0]) if rows else columns or 0)

    @staticmethod
    def of(value: Any) -> "Symbols":
        """Numbers or symbols as a matrix; what has one dimension is a column."""
        if isinstance(value, Symbols):
            return value
        if isinstance(value, np.ndarray):
            matrix = value.reshape(-1, 1) if value.ndim < 2 else value
            return Symbols(matrix.tolist(), matrix.shape[1])
        if isinstance(value, list | tuple):
            return Symbols([[plain(entry)] for entry in value], 1)
        return Symbols([[plain(value)]])

    def __repr__(self) -> str:
        return f"Symbols{self.shape}"

    # ---------------------------------------------------------------- parts

    @property
    def T(self) -> "Symbols":
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * self.shape[1]
        return Symbols([list(column) for column in columns], self.shape[0])

    def __getitem__(self, where: Any) -> Any:
        row, column = where if isinstance(where, tuple) else (where, slice(None))
        if isinstance(row, int) and isinstance(column, int):
            return self.rows[row][column]
        rows = [self.rows[i] for i in _places(row, self.shape[0])]
        if isinstance(column, slice):
            count = len(range(*column.indices(self.shape[1])))
            return Symbols([entries[column] for entries in rows], count)
        places = _places(column, self.shape[1])
        return Symbols([[entries[j] for j in places] for entries in rows], len(places))

    @property
    def flat(self) -> list[Entry]:
        """All entries, row by row."""
        return [entry for row in self.rows for entry in row]

    # ---------------------------------------------------------------- arithmetic

    def __neg__(self) -> "Symbols":
        return Symbols([[plain(-entry) for entry in row] for row in self.rows], self.shape[1])

    def __add__(self, other: Any) -> Any:
        return _each(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _each(operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return _each(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _each(operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return _each(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _each(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _each(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _each(operator.truediv, other, self)

    def __matmul__(self, other: Any) -> Any:
        return product(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return product(other, self)

    def __pow__(self, exponent: Any) -> Any:
        return mapped(operator.pow, self, exponent)

    def __lt__(self, other: Any) -> Any:
        return _each(operator.lt, self, other)

    def __gt__(self, other: Any) -> Any:
        return _each(operator.gt, self, other)

    def __le__(self, other: Any) -> Any:
        return _each(operator.le, self, other)

    def __ge__(self, other: Any) -> Any:
        return _each(operator.ge, self, other)

    # ---------------------------------------------------------------- where NumPy, or Python, asks

    def __array_ufunc__(self, function: Any, method: str, *operands: Any, **options: Any) -> Any:
        """What NumPy's functions do to it, entry by entry."""
        known = UFUNCS.get(function)
        if known is None or method != "__call__" or options:
            raise NoNumber(f"np.{function.__name__} of symbols")
        return known(*operands)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise NoNumber("an array of numbers made of symbols")

    def __float__(self) -> float:
        if self.shape == (1, 1):
            return float(self.rows[0][0])
        raise NoNumber("a number made of symbols")

    def __bool__(self) -> bool:
        raise NoNumber("a decision by symbols")

    def __iter__(self) -> Any:
        raise NoNumber("numbers one by one out of symbols")


def plain(value: Any) -> Entry:
    """A scalar as an entry: what is always the same is a float."""
    constant = getattr(value, "constant", value)
    if constant is not value:
        return value if constant is None else constant
    if isinstance(value, float | int | np.number | np.bool_):
        return float(value)
    if isinstance(value, Symbols | np.ndarray):
        assert value.shape in ((1, 1), ()), f"{value!r} is no scalar"
        return plain(value[0, 0] if value.shape else value[()])
    raise NoNumber(f"an entry made of {value!r}")


def mapped(function: Callable[..., Any], *operands: Any) -> Any:
    """A function of scalars, of every entry; scalars give a scalar."""
    if not any(isinstance(operand, Symbols | np.ndarray) for operand in operands):
        return plain(function(*[plain(operand) for operand in operands]))
    matrices = [Symbols.of(operand) for operand in operands]
    rows, columns = next((matrix.shape for matrix in matrices if matrix.shape != (1, 1)), (1, 1))
    parts = [
        [matrix.flat[0]] * (rows * columns) if matrix.shape == (1, 1) else _fitting(matrix, (rows, columns)).flat
        for matrix in matrices
    ]
    results = [plain(function(*entries)) for entries in zip(*parts, strict=True)]
    return Symbols([results[i * columns : (i + 1) * columns] for i in range(rows)], columns)


def _fitting(matrix: Symbols, shape: tuple[int, int]) -> Symbols:
    if matrix.shape != shape:
        raise ValueError(f"matrices of shapes {matrix.shape} and {shape} do not go together entry by entry")
    return matrix


def _each(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """The same for two operands of which one is a matrix of symbols: sums, differences, products come often."""
    if not isinstance(a, Symbols):
        a = Symbols.of(a)
    elif not isinstance(b, Symbols):
        b = Symbols.of(b)
    if a.shape == b.shape:
        found = [[function(x, y) for x, y in zip(p, q, strict=True)] for p, q in zip(a.rows, b.rows, strict=True)]
    elif b.shape == (1, 1):
        y = b.rows[0][0]
        found = [[function(x, y) for x in row] for row in a.rows]
    elif a.shape == (1, 1):
        x = a.rows[0][0]
        found = [[function(x, y) for y in row] for row in b.rows]
    else:
        raise ValueError(f"matrices of shapes {a.shape} and {b.shape} do not go together entry by entry")
    for row in found:
        for k, entry in enumerate(row):
            if entry.__class__ is not float:
                row[k] = plain(entry)
    return Symbols(found, max(a.shape[1], b.shape[1]) if a.rows and b.rows else a.shape[1])


def product(a: Any, b: Any, *, symmetric: bool = False) -> Symbols:
    """a b; nothing is written down for zeros, nor for the lower half where it is known to be symmetric."""
    a, b = Symbols.of(a), Symbols.of(b)
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"matrices of shapes {a.shape} and {b.shape} have no product")
    left = [_filled(row) for row in a.rows]
    right = [dict(_filled(column)) for column in zip(*b.rows, strict=True)] if b.rows else [{}] * b.shape[1]
    if symmetric:
        n, upper = len(left), [[_sum(row, column) for column in right[i:]] for i, row in enumerate(left)]
        return Symbols([[upper[min(i, j)][abs(i - j)] for j in range(n)] for i in range(n)], n)
    return Symbols([[_sum(row, column) for column in right] for row in left], b.shape[1])


def _filled(entries: Iterable[Entry]) -> list[tuple[int, Entry]]:
    return [(k, entry) for k, entry in enumerate(entries) if entry.__class__ is not float or entry != 0.0]


def _sum(row: list[tuple[int, Entry]], column: dict[int, Entry]) -> Entry:
    total: Any = None
    for k, x in row:
        y = column.get(k)
        if y is not None:
            total = x * y if total is None else total + x * y
    return 0.0 if total is None else total if total.__class__ is float else plain(total)


def _places(where: Any, size: int) -> Sequence[int]:
    if isinstance(where, slice):
        return range(*where.indices(size))
    if isinstance(where, int | np.integer):
        return (int(where),)
    return [int(k) for k in where]


# ---------------------------------------------------------------- functions


def applied(function: Any, *operands: Any) -> Any:
    """One of NumPy's functions of which symbols have their own, of every entry."""

    def one(*entries: Entry) -> Entry:
        symbol = next((entry for entry in entries if entry.__class__ is not float), None)
        if symbol is None:
            return function(*entries)
        first, *others = entries
        return getattr(first if first.__class__ is not float else symbol * 0.0 + first, function.__name__)(*others)

    return mapped(one, *operands)


def chosen(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition is not 0, else `no`, entry by entry."""

    def one(condition: Entry, yes: Entry, no: Entry) -> Entry:
        return condition.select(yes, no) if condition.__class__ is not float else yes if condition else no

    return mapped(one, condition, yes, no)


def crossed(a: Symbols, b: Symbols) -> Symbols:
    """a × b of a column a and every column of b."""
    (x,), (y,), (z,) = a.rows
    rows = [
        [_minor(p, v, q, u) for u, v in zip(b.rows[i], b.rows[j], strict=True)]
        for p, q, i, j in ((y, z, 1, 2), (z, x, 2, 0), (x, y, 0, 1))
    ]
    return Symbols(rows, b.shape[1])


def _minor(p: Entry, v: Entry, q: Entry, u: Entry) -> Entry:
    """p v - q u."""
    nothing = is_zero(p) or is_zero(v)
    if is_zero(q) or is_zero(u):
        return 0.0 if nothing else plain(p * v)
    return plain(-(q * u)) if nothing else plain(p * v - q * u)


def is_zero(entry: Entry) -> bool:
    """Whether an entry is the number 0."""
    return entry.__class__ is float and entry == 0.0


def _squared(a: Any) -> Any:
    return a * a


OPERATORS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.less: operator.lt,
    np.greater: operator.gt,
    np.less_equal: operator.le,
    np.greater_equal: operator.ge,
    np.negative: operator.neg,
}
FUNCTIONS = (
    *(np.sin, np.cos, np.sqrt, np.arctan2, np.minimum, np.maximum, np.exp, np.log, np.sign, np.absolute),
    *(np.floor, np.equal, np.not_equal),
)
UFUNCS: dict[Any, Callable[..., Any]] = {
    np.matmul: product,
    **{ufunc: partial(mapped, function) for ufunc, function in OPERATORS.items()},
    **{ufunc: partial(applied, ufunc) for ufunc in FUNCTIONS},
    np.square: _squared,
}
"""What NumPy's functions do to symbols."""
