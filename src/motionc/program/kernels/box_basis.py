"""Coordinates in which being nearest, level after level, is being short: what box.py searches in.

    y + Σ Vₖ zₖ     level k misses |tₖ - zₖ| besides what it must, once those before it have theirs; y is where one is

    u           P = Uᵀ U, u = U y: what is least at last is |u + U s|; a row c y is x u, x = U⁻ᵀ c
    reflect     Householder's reflections, the largest row of each level next: x = (l, 0), level after level
    level       its columns made orthonormal on its own rows, C Vₖ = Qₖ, those of levels before it orthogonal to them

tₖ = Qₖᵀ (r - C y) is told from the rows as they are given. Where rows are all but dependent columns are long, later
ones the longer: how exact an entry is, is said column by column.

Rows of entries, yᵢ = Vᵢ z, go through the same. First come rows that give way to nothing (contacts): what motors do
along them does nothing, whatever it is. These columns are the cheapest of all, and stay where they are as far as they
can. Columns that no row has belong to P.
"""

from dataclasses import dataclass

from motionc.program.kernels.scalars import (
    Policy,
    Rows,
    Scalar,
    absolute,
    choose,
    dot,
    greater,
    holds,
    maximum,
    nothing,
    root,
    select,
)

COLUMNS = 3
"""Beside a motor's row of P: lower bound, upper bound, s; beside a task's row of C: r, and nothing."""


@dataclass(slots=True)
class Basis:
    """V, a row an entry; tasks' rows on its columns, and as they are given, with what is asked of them; P and s; how
    long rows of entries and of tasks are in u; how long each column is; the columns of each level: tasks', P's,
    contacts'; and the rows of tasks'. Contacts are eliminated from rows and P.
    """

    V: Rows
    Q: Rows
    C: Rows
    wanted: list[Scalar]
    P: Rows
    shift: list[Scalar]
    alone: list[Scalar]
    span: list[Scalar]
    scale: list[Scalar]
    columns: list[tuple[int, int]]
    blocks: list[range]


def basis_of(matrix: Rows, policy: Policy) -> Basis:
    """From P and C, with s and r beside them."""
    n, contacts, *levels = policy.blocks
    task = contacts + sum(levels)
    P = [[matrix[min(j, i)][max(j, i)] for i in range(n)] for j in range(n)]
    rows = _whitened(P, [row[:n] for row in matrix[n:]])
    V, own = rows[task:], [dot(row, row) for row in rows]
    least = [0.0] * contacts + nothing(own[contacts:task], policy.weights)
    bound = [maximum(policy.tolerance * size, none) for size, none in zip(own, least, strict=False)]
    ends, blocks, start = [0], list[range](), 0
    for size in (contacts, *levels):
        blocks.append(range(start, start + size))
        ends.append(_reflected(rows, blocks[-1], ends[-1], bound))
        start += size

    # rows and P without what contacts take
    C = [[entry * greater(own[i], least[i]) for entry in matrix[n + i][:n]] for i in range(contacts, task)]
    for axis in range(ends[1]):
        along = [dot(row, [entry[axis] for entry in V]) for row in P]
        C[:] = [_less(row, rows[contacts + i][axis], along) for i, row in enumerate(C)]
        P[:] = [_less(row, along[i], along) for i, row in enumerate(P)]

    scale: list[Scalar] = [1.0] * n
    for block, first, last in zip(blocks[1:], ends[1:], ends[2:], strict=False):
        for axis in range(first, last):
            _levelled(rows, block, axis, [*range(ends[1], first), *range(axis + 1, last)], scale)
    return Basis(
        V,
        rows[contacts:task],
        C,
        [row[n] for row in matrix[n + contacts :]],
        P,
        [row[n + 2] for row in matrix[:n]],
        [root(size) for size in own[task:]],
        [root(size) for size in own[contacts:task]],
        scale,
        [*zip(ends[1:], [*ends[2:], n], strict=True), (0, ends[1])],
        [range(block.start - contacts, block.stop - contacts) for block in blocks[1:]],
    )


def _less(row: list[Scalar], share: Scalar, other: list[Scalar]) -> list[Scalar]:
    return [entry - share * taken for entry, taken in zip(row, other, strict=True)]


def _whitened(P: Rows, given: Rows) -> Rows:
    """Rows x = U⁻ᵀ c of contacts and tasks, and of entries."""
    n, U = len(P), [[*row] for row in P]
    rows = [[*row] for row in given] + [[1.0 if c == i else 0.0 for c in range(n)] for i in range(n)]
    for j in range(n):
        scale = 1.0 / root(U[j][j])
        for row in (U[j], *rows):
            row[j] = row[j] * scale
        for k in range(j + 1, n):
            U[j][k] = U[j][k] * scale
        for k in range(j + 1, n):
            for i in range(k, n):
                U[k][i] = U[k][i] - U[j][k] * U[j][i]
            for row in rows:
                row[k] = row[k] - U[j][k] * row[j]
    return rows


def _reflected(rows: Rows, block: range, count: int, bound: list[Scalar]) -> int:
    """Rows of a block one after the other along axes of their own, the largest next; where these end.

    A row counts while more is left of it than its bound; else nothing is.
    """
    n, unused = len(rows[0]), list(block)
    rest = {i: dot(rows[i][count:], rows[i][count:]) for i in block}
    while unused and count < n:
        p, best = unused[0], rest[unused[0]] - bound[unused[0]]
        for i in unused[1:]:
            other = rest[i] - bound[i]
            better = greater(other, best)
            best, p = select(better, other, best), choose(better, i, p)
        if holds(1.0 - greater(best, 0.0), False):
            break
        unused.remove(p)
        v = rows[p][count:]
        size, lead = root(dot(v, v)), v[0]
        v[0] = select(greater(lead, 0.0), lead + size, lead - size)
        strength = 1.0 / (size * (absolute(lead) + size))
        for row in rows[block.start :]:
            share = strength * dot(row[count:], v)
            for c in range(count, n):
                row[c] = row[c] - share * v[c - count]
        for i in unused:
            rest[i] = rest[i] - rows[i][count] * rows[i][count]
        count += 1
    for i in unused:
        rows[i][count:] = [0.0] * (n - count)
    return count


def _levelled(rows: Rows, block: range, axis: int, others: list[int], scale: list[Scalar]) -> None:
    """A column of length 1 on the rows of its level, others orthogonal to it there; how long it becomes."""
    own = rows[block.start : block.stop]
    column = [row[axis] for row in own]
    grow = 1.0 / root(dot(column, column))
    scale[axis] = scale[axis] * grow
    for row in rows[block.start :]:
        row[axis] = row[axis] * grow
    column = [row[axis] for row in own]
    for c in others:
        share = dot(column, [row[c] for row in own])
        scale[c] = scale[c] + absolute(share) * scale[axis]
        for row in rows[block.start :]:
            row[c] = row[c] - share * row[axis]
