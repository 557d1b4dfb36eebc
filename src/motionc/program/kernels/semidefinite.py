"""Solves with a symmetric positive semidefinite A, by LDLᵀ with the largest pivot next: three kernels on one factor.

    truncated_solve     x = A⁺ r, the least x with A x nearest to r
    range_solve         some x with A x nearest to r
    truncated_inverse   A⁺

    dx = A⁺ (dr - dA x + A⁺ dA ρ) + (1 - A⁺ A) dA A⁺ x,  ρ = r - A x

holds where the rank of A does not change. Where some x is asked for (range_solve), the last term is left out: what A
does not see of x stands still. Blocks in order of priority have a matrix K in place of A⁺. A is symmetric: changes are
read off its upper half, as the kernels read it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from motionc.program.kernels.kernel import Call, Kernel, Rule, Site, register
from motionc.program.kernels.scalars import (
    Policy,
    Rows,
    Scalar,
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


def _ranges(blocks: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Where each block starts and ends."""
    start = 0
    for size in blocks:
        yield start, start + size
        start += size


# ---------------------------------------------------------------- how they change

CONDITION = "it says how far rows are from depending on each other, which is a report and no quantity"


def _full(site: Site) -> Any:
    """1 at full rank, else 0; the rank is what a kernel gives before the last."""
    return site.writer.value(site.call.size - 0.5).less(site.found[-2])


def _solution(site: Site, A: Any, blocks: tuple[int, ...]) -> Any:
    """The matrix K of the solve K r on these blocks, ranked as in this call; A⁺ where there is one block."""
    m, name = len(A), "truncated_inverse" if len(blocks) == 1 else "range_solve"
    most = None if site.call.most is None or site.call.most >= m else site.call.most
    call = site.call._replace(kernel=name, blocks=blocks, most=most, weights=site.call.weights[:m])
    if len(blocks) == 1:
        return np.array(site.writer.call(call, A)[: m * m], object).reshape(m, m)
    units = [site.writer.call(call, A, unit)[:m] for unit in np.eye(m)]
    return np.array(units, object).T


def _semidefinite_change(site: Site, changes: list[Scalar], *, least: bool) -> Sequence[Scalar]:
    """One level after the other: what of r a level leaves unmet, ρ, turns with A."""
    (A, r), (dA, dr) = site.split(site.given), site.split(changes)
    m, full = site.call.size, _full(site)
    x = np.array(site.found[:m], object)

    def below(values: Any) -> Any:
        """The values below full rank, zero at it."""
        return np.array([full.select(0.0, value) for value in np.ravel(values)], object).reshape(values.shape)

    missing, unmet = dr - dA @ x, below(r - A @ x)
    solves: Any = np.empty((0, 0), object)
    start = 0
    for level, end in enumerate(accumulate(site.call.blocks), start=1):
        felt = np.array([*-(solves @ (A[:start, start:end] @ unmet[start:end])), *unmet[start:end]], object)
        solves = _solution(site, A[:end, :end], site.call.blocks[:level])
        missing[start:end] = missing[start:end] + (solves @ (dA[:end, :end] @ felt))[start:end]
        start = end
    dx = solves @ missing
    if least:
        P = _solution(site, A, (m,))
        dx = dx - below(np.eye(m) - P @ A) @ (dx - dA @ (P @ x))
    return [*dx, 0.0, 0.0]


def _inverse_change(site: Site, changes: list[Scalar]) -> Sequence[Scalar]:
    """dP = -P dA P + P P dA (1 - A P) + (…)ᵀ, P = A⁺."""
    (A, _), (dA, _) = site.split(site.given), site.split(changes)
    m, full = site.call.size, _full(site)
    P = np.array(site.found[: m * m], object).reshape(m, m)
    beyond = np.array([full.select(0.0, entry) for entry in np.ravel(np.eye(m) - A @ P)], object).reshape(m, m)
    turned = P @ dA
    tilted = (P @ turned) @ beyond
    return [*np.ravel(tilted + tilted.T - turned @ P), 0.0, 0.0]


def _condition(call: Call) -> dict[int, str]:
    return {call.outputs - 1: CONDITION}


# ---------------------------------------------------------------- which there are

TRUNCATED_SOLVE = register(
    Kernel(
        "truncated_solve",
        "x = A⁺ r of a symmetric positive semidefinite A, the rank of A, and its condition",
        partial(_semidefinite, least=True),
        lambda m: (m, 1, 1),
        Rule(partial(_semidefinite_change, least=True), _condition),
        orders=True,
    )
)
RANGE_SOLVE = register(
    Kernel(
        "range_solve",
        "some x with A x nearest to r, A symmetric positive semidefinite, the rank of A, and its condition",
        partial(_semidefinite, least=False),
        lambda m: (m, 1, 1),
        Rule(partial(_semidefinite_change, least=False), _condition),
        orders=True,
    )
)
TRUNCATED_INVERSE = register(
    Kernel(
        "truncated_inverse",
        "A⁺ of a symmetric positive semidefinite A, row by row, the rank of A, and its condition",
        _inverse,
        lambda m: (m * m, 1, 1),
        Rule(_inverse_change, _condition),
        right=0,
    )
)
