"""What kernels are written in: scalars that are floats, count what is done to them or write it down, and solves by
loops on them.

Nothing here knows what a kernel is for.
"""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

Scalar = Any
Rows = list[list[Scalar]]

NOTHING = 1e-22
"""Diagonal entries below this share of the largest, or of 0.01, are squares of rounding errors; weights left out."""


class Policy(NamedTuple):
    """How rows are ranked: sizes of their blocks in order of priority, below which share of its diagonal entry a pivot
    counts as zero, how many rows can count at most, and the weights that are in the rows, none where all are 1.
    """

    blocks: tuple[int, ...]
    tolerance: float
    most: int
    weights: tuple[float, ...] = ()


def select(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """`yes` where the condition is 1, `no` where it is 0."""
    if _writes(condition):
        return condition.select(yes, no)
    return Tally.of("select", condition, yes, no) or (yes if condition else no)


def greater(a: Scalar, b: Scalar) -> Scalar:
    """1 where a > b, else 0."""
    if _writes(a) or _writes(b):
        return a > b
    return Tally.of("less", a, b) or (1.0 if a > b else 0.0)


def choose(condition: Scalar, yes: int, no: int) -> int:
    """The same for places; where it is not known yet what holds, everything stays in its place."""
    return no if _writes(condition) or Tally.of("select", condition) else (yes if condition else no)


def holds(condition: Scalar, unknown: bool) -> bool:
    """Whether a condition is 1, so that loops may end; where it is not known yet what holds, as it is said."""
    return unknown if isinstance(condition, Tally) else bool(condition)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    if _writes(a) or _writes(b):
        return a.maximum(b) if _writes(a) else b.maximum(a)
    return Tally.of("max", a, b) or max(a, b)


def minimum(a: Scalar, b: Scalar) -> Scalar:
    if _writes(a) or _writes(b):
        return a.minimum(b) if _writes(a) else b.minimum(a)
    return Tally.of("min", a, b) or min(a, b)


def absolute(a: Scalar) -> Scalar:
    return Tally.of("abs", a) or abs(a)


def root(a: Scalar) -> Scalar:
    """The square root, NaN of what is negative."""
    return a.sqrt() if _writes(a) else Tally.of("sqrt", a) or (a**0.5 if a >= 0.0 else a * math.nan)


def _writes(scalar: Scalar) -> bool:
    """Whether it writes down what is done to it (build.py)."""
    return hasattr(scalar, "select")


class Tally:
    """A scalar that has no value and counts what is done to it."""

    def __init__(self, counts: Counter[str]) -> None:
        self.counts = counts

    @staticmethod
    def of(name: str, *operands: Scalar) -> "Tally | None":
        tally = next((operand for operand in operands if isinstance(operand, Tally)), None)
        if tally is not None:
            tally.counts[name] += 1
        return tally

    def _add(self, _: Scalar) -> "Tally":
        self.counts["add"] += 1
        return self

    def _sub(self, _: Scalar) -> "Tally":
        self.counts["sub"] += 1
        return self

    def _mul(self, _: Scalar) -> "Tally":
        self.counts["mul"] += 1
        return self

    def _div(self, _: Scalar) -> "Tally":
        self.counts["div"] += 1
        return self

    __add__ = __radd__ = _add
    __sub__ = __rsub__ = _sub
    __mul__ = __rmul__ = _mul
    __truediv__ = __rtruediv__ = _div


# ---------------------------------------------------------------- solves


def nothing(own: list[Scalar], weights: tuple[float, ...]) -> list[Scalar]:
    """What diagonal entries must be more than, lest they be rounding alone; the weights in them, none if all are 1."""
    squares = [weight**2 for weight in weights] or [1.0] * len(own)
    largest: Scalar = 0.01
    for entry, weight in zip(own, squares, strict=True):
        largest = maximum(largest, entry if weight == 1.0 else entry * (1.0 / weight))
    return [NOTHING * weight * largest for weight in squares]


def factor(matrix: Rows, limit: Callable[[Scalar, Scalar], Scalar]) -> tuple[Rows, list[Scalar]]:
    """LDLᵀ of a symmetric matrix, upper half read: L (strictly lower), and 1/D as `limit(pivot, diagonal)` says."""
    m = len(matrix)
    lower, scaled = square(m), square(m)
    inverse: list[Scalar] = [0.0] * m
    for j in range(m):
        pivot = matrix[j][j]
        for k in range(j):
            pivot = pivot - lower[j][k] * scaled[j][k]
        inverse[j] = limit(pivot, matrix[j][j])
        for i in range(j + 1, m):
            rest = matrix[j][i]
            for k in range(j):
                rest = rest - scaled[i][k] * lower[j][k]
            scaled[i][j] = rest
            lower[i][j] = rest * inverse[j]
    return lower, inverse


def updated(lower: Rows, pivots: list[Scalar], z: list[Scalar], strength: Scalar) -> tuple[Rows, list[Scalar]]:
    """LDLᵀ of A + s z zᵀ from that of A, L (strictly lower) and D: what one more joint adds to rows' coupling.

    From nothing on, rank by rank: a row that depends on those before it has no pivot yet.
    """
    m, L, D, z = len(z), [list(row) for row in lower], list(pivots), list(z)
    for j in range(m):
        pivot = D[j] + strength * z[j] * z[j]
        there = greater(pivot, 0.0)
        inverse = there / select(there, pivot, 1.0)
        share = strength * z[j] * inverse
        for i in range(j + 1, m):
            z[i] = z[i] - z[j] * L[i][j]
            L[i][j] = L[i][j] + share * z[i]
        strength = select(there, strength * D[j] * inverse, strength)
        D[j] = pivot
    return L, D


def substitute(lower: Rows, inverse: list[Scalar], right: list[Scalar]) -> list[Scalar]:
    """x with L D Lᵀ x = r."""
    m, x = len(right), list(right)
    for i in range(m):
        for k in range(i):
            x[i] = x[i] - lower[i][k] * x[k]
    for i in reversed(range(m)):
        x[i] = x[i] * inverse[i]
        for k in range(i + 1, m):
            x[i] = x[i] - lower[k][i] * x[k]
    return x


def dot(a: list[Scalar], b: list[Scalar]) -> Scalar:
    total: Scalar = a[0] * b[0] if a else 0.0
    for i in range(1, len(a)):
        total = total + a[i] * b[i]
    return total


def square(m: int) -> Rows:
    return [[0.0] * m for _ in range(m)]
