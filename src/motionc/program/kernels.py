"""The closed set of small dense solves a program may call, and their definition: plain loops over scalars.

A kernel has fixed bounds, reads and writes nothing else, and does the same steps whatever its numbers are: `select`
is no branch. Other languages hold the same loops and are tested against this definition. Running it on counters says
what it costs.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from motionc.program.box import COLUMNS, box
from motionc.program.scalars import (
    Policy,
    Rows,
    Scalar,
    Tally,
    absolute,
    choose,
    factor,
    greater,
    maximum,
    nothing,
    select,
    square,
    substitute,
)

Array = np.ndarray[Any, np.dtype[np.float64]]

RANK_TOLERANCE = 1e-12
"""A pivot below this share of its row's own diagonal entry counts as zero: the row depends on those before it."""


class Call(NamedTuple):
    """Which kernel on how many rows: `blocks` of them, in order of priority; `tolerance` for rank, if not the usual.
    No more than `most` rows count, where that is said, and `weights` are in the rows already, where there are any.

    Kernels along a tree have a `pattern`, which says how rows hang together, and so many `columns`.
    """

    kernel: str
    blocks: tuple[int, ...]
    tolerance: float | None = None
    pattern: tuple[int, ...] = ()
    columns: int = 1
    most: int | None = None
    weights: tuple[float, ...] = ()

    @property
    def size(self) -> int:
        return sum(self.blocks)

    @property
    def inputs(self) -> int:
        """How many numbers it takes."""
        return self.matrix + self.size * KERNELS[self.kernel].right * self.columns

    @property
    def matrix(self) -> int:
        """How many of them are its matrix, row by row; those beside it come after."""
        return self.size * (self.size if KERNELS[self.kernel].square else self.columns)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers each of its outputs has."""
        kernel = KERNELS[self.kernel]
        return tuple(size * (self.columns if kernel.square else 1) for size in kernel.sizes(self.size))

    @property
    def outputs(self) -> int:
        """How many numbers it gives."""
        return sum(self.sizes)

    @property
    def policy(self) -> Policy:
        """What a kernel that ranks rows is told beside its numbers."""
        kernel = KERNELS[self.kernel]
        tolerance = kernel.usual if self.tolerance is None else self.tolerance
        return Policy(self.blocks, tolerance, self.size if self.most is None else self.most, self.weights)

    def define(self, matrix: Rows, right: list[Scalar]) -> tuple[list[Scalar], ...]:
        kernel = KERNELS[self.kernel]
        if kernel.along is not None:
            return (kernel.along(matrix, right, self.pattern, self.columns),)
        return kernel.define(matrix, right, self.policy)

    def run(self, values: list[Scalar]) -> list[Scalar]:
        """All that it gives, from all that it takes: the matrix row by row, then what stands beside it."""
        width = self.matrix // self.size
        rows = [values[i : i + width] for i in range(0, self.matrix, width)]
        return [value for output in self.define(rows, values[self.matrix :]) for value in output]

    def operations(self) -> Counter[str]:
        """Arithmetic by kind, counted by running the definition."""
        return Counter(_count(self))


@dataclass(frozen=True, slots=True)
class Kernel:
    """A named solve of an m×m system: `define` maps (matrix rows, right side, policy) to lists of outputs of these
    `sizes`. Rows of an earlier block are satisfied first, whatever later ones ask. `right` says how many numbers stand
    beside each row, `usual` what counts as dependent unless it is said.

    A kernel along a tree is defined by `along`, from (matrix rows, right side, pattern, columns); its matrix is as wide
    as it has columns where it is not `square`.
    """

    name: str
    meaning: str
    define: Callable[[Rows, list[Scalar], Policy], tuple[list[Scalar], ...]]
    sizes: Callable[[int], tuple[int, ...]]
    right: int = 1
    usual: float = RANK_TOLERANCE
    blocks: tuple[int, ...] = ()
    tolerance: float | None = None
    along: Callable[[Rows, list[Scalar], tuple[int, ...], int], list[Scalar]] | None = None
    square: bool = True
    pattern: tuple[int, ...] = ()
    columns: int = 1
    most: int | None = None
    weights: tuple[float, ...] = ()

    def on_tree(self, pattern: tuple[int, ...], columns: int) -> "Kernel":
        """The same along a tree whose rows hang together so, for this many columns."""
        return replace(self, pattern=pattern, columns=columns)

    def with_policy(
        self,
        blocks: tuple[int, ...],
        tolerance: float | None,
        most: int | None = None,
        weights: Sequence[float] = (),
    ) -> "Kernel":
        """The same solve with rows in blocks, what counts as dependent, how many rows can be independent at most, and
        the weights that are in the rows.
        """
        own = () if all(weight == 1.0 for weight in weights) else tuple(map(float, weights))
        return replace(self, blocks=blocks, tolerance=tolerance, most=most, weights=own)

    def call(self, m: int) -> Call:
        """It, on m rows; one block unless said otherwise."""
        most = None if self.most is None or self.most >= m else self.most
        return Call(self.name, self.blocks or (m,), self.tolerance, self.pattern, self.columns, most, self.weights)

    def numpy(self, matrix: Array, right: Array | None = None) -> tuple[Array, ...]:
        """Run it on an (m, m) array and, where it takes a right side, an (m, k) one."""
        asked = [] if right is None else list(right.ravel())
        outputs = self.call(len(matrix)).define([list(row) for row in matrix], asked)
        return tuple(np.array(output, float).reshape(-1, 1) for output in outputs)

    @property
    def outputs(self) -> int:
        """How many arrays it returns."""
        return len(self.sizes(1))


def _ldlt(matrix: Rows, right: list[Scalar], policy: Policy) -> tuple[list[Scalar], ...]:
    def clamp(pivot: Scalar, diagonal: Scalar) -> Scalar:
        return 1.0 / maximum(pivot, policy.tolerance * diagonal)

    lower, inverse = factor(matrix, clamp)
    return (substitute(lower, inverse, right),)


NOISE = 2.0**-46
"""How exact an entry is, as a share of the diagonal: 64 roundings."""
LOST = 1e-6
"""Least answers that have to be corrected by more than this share of another one are lost in rounding."""
TIE = 1e-9
"""By how much of its pivot a row must be ahead of one before it to come first."""


@dataclass(slots=True)
class _Pivoted:
    """LDLᵀ with the largest pivot of each block next: order of rows, L and 1/D in that order, which rows count (1 or
    0), and how much a pivot that counts has lost of its own diagonal entry at most, as a factor.

    A row counts while its pivot is more than a share of its diagonal entry, and more than rounding can have left of
    it: the pivot of row i = w_iᵀ A w_i, w_i being what makes it independent of those before it, is as exact as
    NOISE Σ w² A. Rows before it that nearly depend on each other make w long. A row that depends on those before it
    loses its pivot, and with it its column of L. What later rows have in common with it is as exact as the root of both
    rows' NOISE Σ w² A; where rows are weighted, less than that is nothing.
    """

    order: list[int]
    lower: Rows
    inverse: list[Scalar]
    kept: list[Scalar]
    condition: Scalar


def _pivoted(matrix: Rows, policy: Policy) -> _Pivoted:
    m = len(matrix)
    order, own = list(range(m)), [matrix[i][i] for i in range(m)]
    # what a pivot must be more than; rows before it add to that
    rest, least = list(own), nothing(own, policy.weights)
    bound = [maximum(policy.tolerance * pivot, none) for pivot, none in zip(own, least, strict=True)]
    lower, scaled = square(m), square(m)
    inverse: list[Scalar] = [0.0] * m
    kept: list[Scalar] = [0.0] * m
    condition: Scalar = 1.0
    rank: Scalar = 0.0
    for start, end in _ranges(policy.blocks):
        for j in range(start, end):
            # of rows equally far ahead the first comes first
            best, at = rest[order[j]] * (1.0 - TIE * order[j]) - bound[order[j]], j
            for i in range(j + 1, end):
                other = rest[order[i]] * (1.0 - TIE * order[i]) - bound[order[i]]
                better = greater(other, best)
                best, at = select(better, other, best), choose(better, i, at)
            order[j], order[at] = order[at], order[j]
            lower[j], lower[at] = lower[at], lower[j]
            scaled[j], scaled[at] = scaled[at], scaled[j]
            row = order[j]
            kept[j] = greater(best, 0.0)
            if policy.most < m:
                kept[j] = kept[j] * greater(policy.most - 0.5, rank)
                rank = rank + kept[j]
            inverse[j] = kept[j] / select(kept[j], rest[row], 1.0)
            condition = maximum(condition, own[row] * inverse[j])
            spread = (bound[row] - (policy.tolerance - NOISE) * own[row]) * inverse[j] if j < m - 1 else 0.0
            for i in range(j + 1, m):
                value = matrix[row][order[i]]
                for k in range(j):
                    value = value - scaled[i][k] * lower[j][k]
                if policy.weights:
                    # heavy rows make much of rounding: what depends on rows before is not moved by it
                    faint = (bound[order[i]] - (policy.tolerance - NOISE) * own[order[i]]) * spread
                    counts = maximum(
                        greater(rest[order[i]], bound[order[i]]), greater(value * inverse[j] * value, faint)
                    )
                    value = select(counts, value, 0.0)
                scaled[i][j] = value
                lower[i][j] = value * inverse[j]
                lost = lower[i][j] * value
                rest[order[i]] = rest[order[i]] - lost
                bound[order[i]] = bound[order[i]] + lost * spread
    return _Pivoted(order, lower, inverse, kept, condition)


def _normal(
    found: _Pivoted, start: int, end: int, limit: Callable[[Scalar, Scalar], Scalar] = lambda pivot, _: 1.0 / pivot
) -> tuple[Rows, list[Scalar]]:
    """Triangle and inverse pivots of N = Lᵀ L of some rows.

    Columns that do not count keep a 1 on the diagonal of N and are silenced by their inverse pivot, which is 0.
    """
    lower, kept = found.lower, found.kept
    normal = square(end - start)
    for j in range(start, end):
        for i in range(start, j + 1):
            total = lower[j][i] * kept[j] if i < j else 1.0
            for k in range(j + 1, end):
                total = total + lower[k][i] * lower[k][j]
            normal[i - start][j - start] = total
    return factor(normal, limit)


def _semidefinite(matrix: Rows, right: list[Scalar], policy: Policy, *, least: bool) -> tuple[list[Scalar], ...]:
    """x with A x nearest to r, block after block; of all such x the least one, where that is asked for.

    With A = L D Lᵀ, N = Lᵀ L: w = L⁻¹ r of a block at full rank, N⁻¹ Lᵀ r of one below it, r being what earlier
    blocks leave; x = L⁻ᵀ D⁻¹ w, or L N⁻¹ D⁻¹ w for the least. Also the rank, and how far from dependent the rows are.
    """
    m, blocks = len(right), policy.blocks
    found = _pivoted(matrix, policy)
    order, lower, kept = found.order, found.lower, found.kept
    r = [right[row] for row in order]
    rank: Scalar = 0.0
    w: list[Scalar] = [0.0] * m
    triangle, pivots = Rows(), list[Scalar]()
    for start, end in _ranges(blocks):
        for i in range(start, end):
            for k in range(start):
                r[i] = r[i] - lower[i][k] * w[k]
        independent = kept[start]
        for keep in kept[start + 1 : end]:
            independent = independent + keep
        full = greater(independent, end - start - 0.5)
        rank = independent if start == 0 else rank + independent
        triangle, pivots = _normal(found, start, end)
        direct, projected = list(r), list(r)
        for i in range(start, end):
            for k in range(start, i):
                direct[i] = direct[i] - lower[i][k] * direct[k]
            for k in range(i + 1, end):
                projected[i] = projected[i] + lower[k][i] * r[k]
        solved = substitute(triangle, pivots, projected[start:end])
        w[start:end] = [select(full, direct[i], solved[i - start]) for i in range(start, end)]
    w = [w[i] * found.inverse[i] for i in range(m)]

    x = list(w)
    for i in reversed(range(m)):
        for k in range(i + 1, m):
            x[i] = x[i] - lower[k][i] * x[k]
    if least:
        smaller, lost = _least(found, x, w, triangle, pivots, len(blocks))
        full = greater(rank, m - 0.5)
        stays = full if len(blocks) == 1 else maximum(full, lost)
        x = [select(stays, x[i], smaller[i]) for i in range(m)]
    answer: list[Scalar] = [0.0] * m
    for i, row in enumerate(order):
        answer[row] = x[i]
    return answer, [rank], [found.condition]


def _least(
    found: _Pivoted, x: list[Scalar], w: list[Scalar], triangle: Rows, pivots: list[Scalar], blocks: int
) -> tuple[list[Scalar], Scalar]:
    """Of all that does the same as x, the least: L N⁻¹ D⁻¹ w, N of all rows; and whether it is lost in rounding.

    In one block no entry of L is more than 1. In several they may be anything, and N as good as singular; then what
    this does otherwise than x, Lᵀ (x - least), is made up for. It is lost where that is much.
    """
    m, lower = len(x), found.lower
    if blocks > 1:
        triangle, pivots = _normal(found, 0, m, lambda pivot, own: 1.0 / maximum(pivot, NOISE * own))
    y = substitute(triangle, pivots, w)
    least = list(y)
    for i in range(m):
        for k in range(i):
            least[i] = least[i] + lower[i][k] * y[k]
    if blocks == 1:
        return least, 0.0
    gap: list[Scalar] = [0.0] * m
    far: Scalar = 0.0
    whole: Scalar = 0.0
    for k in reversed(range(m)):
        more = x[k] - least[k]
        for i in range(k + 1, m):
            more = more + lower[i][k] * gap[i]
        more = found.kept[k] * more
        least[k] = least[k] + more
        gap[k] = x[k] - least[k]
        far, whole = maximum(far, absolute(more)), maximum(whole, absolute(x[k]))
    return least, 1.0 - greater(LOST * whole, far)


def _inverse(matrix: Rows, _: list[Scalar], policy: Policy) -> tuple[list[Scalar], ...]:
    """A⁺ row by row, the rank, and how far from dependent the rows are.

    With A = L D Lᵀ, N = Lᵀ L: A⁺ = Hᵀ D⁻¹ H, H = L⁻¹ at full rank, N⁻¹ Lᵀ below it.
    """
    m = len(matrix)
    found = _pivoted(matrix, policy)
    lower, triangle = found.lower, _normal(found, 0, m)
    rank: Scalar = found.kept[0]
    for keep in found.kept[1:]:
        rank = rank + keep
    full = greater(rank, m - 0.5)
    columns: Rows = []
    for i in range(m):
        unit = [0.0] * i + [1.0] + [0.0] * (m - i - 1)
        direct, projected = list[Scalar](unit), [*lower[i][:i], *unit[i:]]
        for k in range(i + 1, m):
            for l in range(i, k):
                direct[k] = direct[k] - lower[k][l] * direct[l]
        solved = substitute(*triangle, projected)
        columns.append([select(full, direct[k], solved[k]) for k in range(m)])
    answer: list[Scalar] = [0.0] * (m * m)
    for i, row in enumerate(found.order):
        scaled = [columns[i][k] * found.inverse[k] for k in range(m)]
        for j, other in enumerate(found.order[: i + 1]):
            total = scaled[0] * columns[j][0]
            for k in range(1, m):
                total = total + scaled[k] * columns[j][k]
            answer[row * m + other] = answer[other * m + row] = total
    return answer, [rank], [found.condition]


def _tree_pairs(left: Rows, right: list[Scalar], pattern: tuple[int, ...], width: int) -> list[Scalar]:
    """P_ij = left_i · right_j for all j from pattern_2i up to pattern_2i+1, else 0; right column beside column."""
    m = len(left)
    answer: list[Scalar] = [0.0] * (m * m)
    for i in range(m):
        for j in range(pattern[2 * i], pattern[2 * i + 1]):
            total = left[i][0] * right[j]
            for k in range(1, width):
                total = total + left[i][k] * right[k * m + j]
            answer[i * m + j] = total
    return answer


def _tree_factor(matrix: Rows, _: list[Scalar], parent: tuple[int, ...], __: int) -> list[Scalar]:
    """L and, on its diagonal, 1/D, with A = Lᵀ D L, the last row eliminated first: L has an entry only where a row
    meets one before it on its way to the root. The lower half is read.
    """
    m, rest = len(matrix), [list(row) for row in matrix]
    answer: list[Scalar] = [0.0] * (m * m)
    for k in reversed(range(m)):
        inverse = answer[k * m + k] = 1.0 / rest[k][k]
        for i in _way(parent, k):
            answer[k * m + i] = lower = rest[k][i] * inverse
            for j in (i, *_way(parent, i)):
                rest[i][j] = rest[i][j] - lower * rest[k][j]
    return answer


def _tree_solve(factor: Rows, right: list[Scalar], parent: tuple[int, ...], columns: int) -> list[Scalar]:
    """X with Lᵀ D L X = R, from what tree_factor gives; R and X row by row."""
    m = len(factor)
    x = [right[k * columns : (k + 1) * columns] for k in range(m)]
    for k in reversed(range(m)):
        for i in _way(parent, k):
            x[i] = [own - factor[k][i] * other for own, other in zip(x[i], x[k], strict=True)]
    for k in range(m):
        x[k] = [own * factor[k][k] for own in x[k]]
        for i in _way(parent, k):
            x[k] = [own - factor[k][i] * other for own, other in zip(x[k], x[i], strict=True)]
    return [value for row in x for value in row]


def _way(parent: tuple[int, ...], k: int) -> list[int]:
    """The rows before row k on its way to the root."""
    way: list[int] = []
    while parent[k] >= 0:
        k = parent[k]
        way.append(k)
    return way


def _alone(*_: Any) -> tuple[list[Scalar], ...]:
    raise AssertionError("a kernel along a tree is defined by `along`")


LDLT_SOLVE = Kernel("ldlt_solve", "x = A⁻¹ r by LDLᵀ, pivots clamped from below", _ldlt, lambda m: (m,))
TRUNCATED_SOLVE = Kernel(
    "truncated_solve",
    "x = A⁺ r of a symmetric positive semidefinite A, the rank of A, and its condition",
    partial(_semidefinite, least=True),
    lambda m: (m, 1, 1),
)
RANGE_SOLVE = Kernel(
    "range_solve",
    "some x with A x nearest to r, A symmetric positive semidefinite, the rank of A, and its condition",
    partial(_semidefinite, least=False),
    lambda m: (m, 1, 1),
)
TRUNCATED_INVERSE = Kernel(
    "truncated_inverse",
    "A⁺ of a symmetric positive semidefinite A, row by row, the rank of A, and its condition",
    _inverse,
    lambda m: (m * m, 1, 1),
    right=0,
)
BOX_SOLVE = Kernel(
    "box_solve",
    "y in a box, C y nearest to r, then (y + s)ᵀ P (y + s) least; at which bounds it is, and how many steps that took",
    partial(box, solve=partial(_semidefinite, least=False)),
    lambda m: (m, m, 1),
    right=COLUMNS,
    usual=1e-11,
)
TREE_PAIRS = Kernel(
    "tree_pairs",
    "A B where a row of A meets a column of B that is beyond it, else 0",
    _alone,
    lambda m: (m * m,),
    along=_tree_pairs,
    square=False,
)
TREE_FACTOR = Kernel(
    "tree_factor",
    "L and, on its diagonal, 1/D with A = Lᵀ D L along a tree",
    _alone,
    lambda m: (m * m,),
    right=0,
    along=_tree_factor,
)
TREE_SOLVE = Kernel(
    "tree_solve",
    "X with Lᵀ D L X = R along a tree, 1/D on the diagonal of L",
    _alone,
    lambda m: (m,),
    along=_tree_solve,
)
KERNELS = {
    kernel.name: kernel
    for kernel in (
        LDLT_SOLVE,
        TRUNCATED_SOLVE,
        RANGE_SOLVE,
        TRUNCATED_INVERSE,
        BOX_SOLVE,
        TREE_PAIRS,
        TREE_FACTOR,
        TREE_SOLVE,
    )
}


def _ranges(blocks: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Where each block starts and ends."""
    start = 0
    for size in blocks:
        yield start, start + size
        start += size


@cache
def _count(call: Call) -> dict[str, int]:
    counts: Counter[str] = Counter()
    call.run([Tally(counts)] * call.inputs)
    return dict(counts)
