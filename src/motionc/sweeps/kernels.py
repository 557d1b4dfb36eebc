"""The closed set of small dense solves a program may call, and their definition: plain loops over scalars.

A kernel has fixed bounds, reads and writes nothing else, and does the same steps whatever its numbers are: `select`
is no branch. The definition runs on floats and on arrays of lanes alike; other languages hold the same loops and are
tested against it. Running it on counters says what it costs.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Scalar = Any
Rows = list[list[Scalar]]

RANK_TOLERANCE = 1e-12
"""A pivot below this share of its row's own diagonal entry counts as zero: the row depends on those before it."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A named solve of an m×m system: `define` maps (matrix rows, right side) to lists of outputs of these `sizes`."""

    name: str
    meaning: str
    define: Callable[[Rows, list[Scalar]], tuple[list[Scalar], ...]]
    sizes: Callable[[int], tuple[int, ...]]

    def numpy(self, matrix: Array, right: Array) -> tuple[Array, ...]:
        """Run it on an (m, m) and an (m, 1) array."""
        outputs = self.define([list(row) for row in matrix], list(right[:, 0]))
        return tuple(np.array(output, float).reshape(-1, 1) for output in outputs)

    @property
    def outputs(self) -> int:
        """How many arrays it returns."""
        return len(self.sizes(1))

    def operations(self, m: int) -> Counter[str]:
        """Arithmetic by kind for an m×m system, counted by running the definition."""
        return Counter(_count(self, m))


def factor(matrix: Rows, limit: Callable[[Scalar, Scalar], Scalar]) -> tuple[Rows, list[Scalar]]:
    """LDLᵀ of a symmetric matrix, upper half read: L (strictly lower), and 1/D as `limit(pivot, diagonal)` says."""
    m = len(matrix)
    lower, scaled = _square(m), _square(m)
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


def _ldlt(matrix: Rows, right: list[Scalar]) -> tuple[list[Scalar], ...]:
    def clamp(pivot: Scalar, diagonal: Scalar) -> Scalar:
        return 1.0 / maximum(pivot, RANK_TOLERANCE * diagonal)

    lower, inverse = factor(matrix, clamp)
    return (substitute(lower, inverse, right),)


def _truncated(matrix: Rows, right: list[Scalar]) -> tuple[list[Scalar], ...]:
    m = len(right)
    kept: list[Scalar] = []

    # rows that depend on those before them lose their pivot, and with it their column of L
    def drop(pivot: Scalar, diagonal: Scalar) -> Scalar:
        keep = greater(pivot, RANK_TOLERANCE * diagonal)
        kept.append(keep)
        return keep / select(keep, pivot, 1.0)

    lower, inverse = factor(matrix, drop)
    rank = kept[0]
    for keep in kept[1:]:
        rank = rank + keep
    direct = substitute(lower, inverse, right)

    # the least of all least-squares answers: x = L N⁻¹ D⁻¹ N⁻¹ Lᵀ r with N = Lᵀ L over the kept columns; the others
    # keep a 1 on the diagonal of N and are silenced by their inverse pivot, which is 0
    normal = _square(m)
    for j in range(m):
        for i in range(j + 1):
            total = lower[j][i] * kept[j] if i < j else 1.0
            for k in range(j + 1, m):
                total = total + lower[k][i] * lower[k][j]
            normal[i][j] = total
    y = list(right)
    for j in range(m):
        for k in range(j + 1, m):
            y[j] = y[j] + lower[k][j] * right[k]
    triangle, pivots = factor(normal, lambda pivot, _: 1.0 / pivot)
    y = substitute(triangle, pivots, y)
    y = substitute(triangle, pivots, [y[j] * inverse[j] for j in range(m)])
    least = list(y)
    for i in range(m):
        for k in range(i):
            least[i] = least[i] + lower[i][k] * y[k]

    full = greater(rank, m - 0.5)
    return [select(full, direct[i], least[i]) for i in range(m)], [rank]


LDLT_SOLVE = Kernel("ldlt_solve", "x = A⁻¹ r by LDLᵀ, pivots clamped from below", _ldlt, lambda m: (m,))
TRUNCATED_SOLVE = Kernel(
    "truncated_solve",
    "x = A⁺ r of a symmetric positive semidefinite A, and the rank of A",
    _truncated,
    lambda m: (m, 1),
)
KERNELS = {kernel.name: kernel for kernel in (LDLT_SOLVE, TRUNCATED_SOLVE)}


def _square(m: int) -> Rows:
    return [[0.0] * m for _ in range(m)]


# ---------------------------------------------------------------- scalars: floats, lanes, or counters


def select(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """`yes` where the condition is 1, `no` where it is 0."""
    return _Tally.of("select", condition, yes, no) or np.where(condition, yes, no)


def greater(a: Scalar, b: Scalar) -> Scalar:
    """1 where a > b, else 0."""
    return _Tally.of("less", a, b) or np.where(np.greater(a, b), 1.0, 0.0)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    return _Tally.of("max", a, b) or np.maximum(a, b)


class _Tally:
    """A scalar that has no value and counts what is done to it."""

    def __init__(self, counts: Counter[str]) -> None:
        self.counts = counts

    @staticmethod
    def of(name: str, *operands: Scalar) -> "_Tally | None":
        tally = next((operand for operand in operands if isinstance(operand, _Tally)), None)
        if tally is not None:
            tally.counts[name] += 1
        return tally

    def _add(self, _: Scalar) -> "_Tally":
        self.counts["add"] += 1
        return self

    def _sub(self, _: Scalar) -> "_Tally":
        self.counts["sub"] += 1
        return self

    def _mul(self, _: Scalar) -> "_Tally":
        self.counts["mul"] += 1
        return self

    def _div(self, _: Scalar) -> "_Tally":
        self.counts["div"] += 1
        return self

    __add__ = __radd__ = _add
    __sub__ = __rsub__ = _sub
    __mul__ = __rmul__ = _mul
    __truediv__ = __rtruediv__ = _div


@cache
def _count(kernel: Kernel, m: int) -> dict[str, int]:
    counts: Counter[str] = Counter()
    one = _Tally(counts)
    kernel.define([[one] * m for _ in range(m)], [one] * m)
    return dict(counts)
