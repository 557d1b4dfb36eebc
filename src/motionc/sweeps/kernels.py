"""The closed set of small dense solves a program may call, and their definition: plain loops over scalars.

A kernel has fixed bounds, reads and writes nothing else, and does the same steps whatever its numbers are: `select`
is no branch. Other languages hold the same loops and are tested against this definition. Running it on counters says
what it costs.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
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


def _pivoted(matrix: Rows) -> tuple[list[int], Rows, list[Scalar], list[Scalar]]:
    """LDLᵀ with the most independent row next: order of rows, L and 1/D in that order, and which rows count (1 or 0).

    How independent a row is: its pivot's share of its own diagonal entry. A row that depends on those before it loses
    its pivot, and with it its column of L.
    """
    m = len(matrix)
    order, rest = list(range(m)), [matrix[i][i] for i in range(m)]
    share = [1.0 / select(greater(pivot, 0.0), pivot, 1.0) for pivot in rest]
    lower, scaled = _square(m), _square(m)
    inverse: list[Scalar] = [0.0] * m
    kept: list[Scalar] = [0.0] * m
    for j in range(m):
        best, at = rest[order[j]] * share[order[j]], j
        for i in range(j + 1, m):
            other = rest[order[i]] * share[order[i]]
            better = greater(other, best)
            best, at = select(better, other, best), choose(better, i, at)
        order[j], order[at] = order[at], order[j]
        lower[j], lower[at] = lower[at], lower[j]
        scaled[j], scaled[at] = scaled[at], scaled[j]
        row = order[j]
        kept[j] = greater(best, RANK_TOLERANCE)
        inverse[j] = kept[j] / select(kept[j], rest[row], 1.0)
        for i in range(j + 1, m):
            value = matrix[row][order[i]]
            for k in range(j):
                value = value - scaled[i][k] * lower[j][k]
            scaled[i][j] = value
            lower[i][j] = value * inverse[j]
            rest[order[i]] = rest[order[i]] - lower[i][j] * value
    return order, lower, inverse, kept


def _semidefinite(matrix: Rows, right: list[Scalar], *, least: bool) -> tuple[list[Scalar], ...]:
    """x with A x nearest to r; of all such x the least one, where that is asked for. With A = L D Lᵀ, N = Lᵀ L:

    w = L⁻¹ r at full rank, N⁻¹ Lᵀ r below it; x = L⁻ᵀ D⁻¹ w, or L N⁻¹ D⁻¹ w for the least.
    """
    m = len(right)
    order, lower, inverse, kept = _pivoted(matrix)
    r = [right[row] for row in order]
    rank = kept[0]
    for keep in kept[1:]:
        rank = rank + keep
    full = greater(rank, m - 0.5)

    # columns that do not count keep a 1 on the diagonal of N and are silenced by their inverse pivot, which is 0
    normal = _square(m)
    for j in range(m):
        for i in range(j + 1):
            total = lower[j][i] * kept[j] if i < j else 1.0
            for k in range(j + 1, m):
                total = total + lower[k][i] * lower[k][j]
            normal[i][j] = total
    triangle, pivots = factor(normal, lambda pivot, _: 1.0 / pivot)

    direct, projected = list(r), list(r)
    for i in range(m):
        for k in range(i):
            direct[i] = direct[i] - lower[i][k] * direct[k]
        for k in range(i + 1, m):
            projected[i] = projected[i] + lower[k][i] * r[k]
    projected = substitute(triangle, pivots, projected)
    w = [select(full, direct[i], projected[i]) * inverse[i] for i in range(m)]

    x = list(w)
    for i in reversed(range(m)):
        for k in range(i + 1, m):
            x[i] = x[i] - lower[k][i] * x[k]
    if least:
        y = substitute(triangle, pivots, w)
        for i in range(m):
            total = y[i]
            for k in range(i):
                total = total + lower[i][k] * y[k]
            x[i] = select(full, x[i], total)
    found: list[Scalar] = [0.0] * m
    for i, row in enumerate(order):
        found[row] = x[i]
    return found, [rank]


LDLT_SOLVE = Kernel("ldlt_solve", "x = A⁻¹ r by LDLᵀ, pivots clamped from below", _ldlt, lambda m: (m,))
TRUNCATED_SOLVE = Kernel(
    "truncated_solve",
    "x = A⁺ r of a symmetric positive semidefinite A, and the rank of A",
    partial(_semidefinite, least=True),
    lambda m: (m, 1),
)
RANGE_SOLVE = Kernel(
    "range_solve",
    "some x with A x nearest to r, A symmetric positive semidefinite, and the rank of A",
    partial(_semidefinite, least=False),
    lambda m: (m, 1),
)
KERNELS = {kernel.name: kernel for kernel in (LDLT_SOLVE, TRUNCATED_SOLVE, RANGE_SOLVE)}


def _square(m: int) -> Rows:
    return [[0.0] * m for _ in range(m)]


# ---------------------------------------------------------------- scalars: floats or counters


def select(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """`yes` where the condition is 1, `no` where it is 0."""
    return _Tally.of("select", condition, yes, no) or (yes if condition else no)


def greater(a: Scalar, b: Scalar) -> Scalar:
    """1 where a > b, else 0."""
    return _Tally.of("less", a, b) or (1.0 if a > b else 0.0)


def choose(condition: Scalar, yes: int, no: int) -> int:
    """The same for places."""
    return no if _Tally.of("select", condition) else (yes if condition else no)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    return _Tally.of("max", a, b) or max(a, b)


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
