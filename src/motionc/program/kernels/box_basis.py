"""Coordinates in which being nearest, level after level, is being short: what box.py searches in.

    y = y₀ + Σ Vₖ zₖ      level k misses what it must, and |zₖ| besides, once those before it have theirs

    u           P = Uᵀ U, u = U y: what is least at last is |u + U s|; a row c y is x u, x = U⁻ᵀ c
    reflect     Householder's reflections, the largest row of each level next: x = (l, 0), level after level
    level       its columns made orthonormal on its own rows; those of levels before it, and r, orthogonal to them

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
FAINT = 0.1
"""Entries of a row are as exact as ones of this share of its length: roundings of what came before them are in them,
however small they are.
"""
LEAST = 3e-6
"""A row is no shorter in any level than this share of what it is in u, as far as coordinates are stretched there."""


@dataclass(slots=True)
class Basis:
    """V, a row an entry, and the best y without bounds, with the size of its parts; of each entry how long its row is
    in u, and in each level, and how exact it is there; the columns of each level: tasks', P's, contacts'.
    """

    V: Rows
    best: list[Scalar]
    bulk: list[Scalar]
    alone: list[Scalar]
    length: Rows
    noise: Rows
    columns: list[tuple[int, int]]


def basis_of(matrix: Rows, policy: Policy) -> Basis:
    """From P and C, with s and r beside them."""
    n, contacts, *levels = policy.blocks
    task = contacts + sum(levels)
    rows = _whitened(matrix, n)
    V, own = rows[task + 1 :], [dot(row, row) for row in rows]
    alone = [root(size) for size in own[task + 1 :]]
    least = [0.0] * contacts + nothing(own[contacts:task], policy.weights)
    bound = [maximum(policy.tolerance * size, none) for size, none in zip(own, least, strict=False)]
    ends, start = [0], 0
    for size in (contacts, *levels):
        ends.append(_reflected(rows, range(start, start + size), ends[-1], bound))
        start += size

    best, bulk, missed = [0.0] * n, [0.0] * n, [0.0 - row[n] for row in matrix[n:]]
    start, stretches = contacts, list[Scalar]()
    for size, first, last in zip(levels, ends[1:], ends[2:], strict=False):
        stretch: Scalar = 0.0
        for axis in reversed(range(first, last)):
            scale = _levelled(rows, range(start, start + size), axis, range(ends[1], axis))
            share = dot([row[axis] for row in rows[start : start + size]], missed[start : start + size])
            for i in range(start, task):
                missed[i] = missed[i] - share * rows[i][axis]
            _gather(best, bulk, V, alone, axis, share, scale)
            stretch = maximum(stretch, scale)
        stretches.append(stretch)
        start += size
    # what is least at last
    for axis in range(ends[-1], n):
        _gather(best, bulk, V, alone, axis, rows[task][axis], 1.0)

    columns = [*zip(ends[1:], [*ends[2:], n], strict=True), (0, ends[1])]
    noise = [[entry * stretch for entry in alone] for stretch in (*stretches, 1.0, 1.0)]
    length = [
        [root(dot(row[first:last], row[first:last])) + LEAST * faint for row, faint in zip(V, loud, strict=True)]
        for (first, last), loud in zip(columns, noise, strict=True)
    ]
    return Basis(V, best, bulk, alone, length, noise, columns)


def _whitened(matrix: Rows, n: int) -> Rows:
    """Rows x = U⁻ᵀ c of contacts and tasks, of P s, and of entries; the upper half of P is read."""
    U = [[matrix[min(j, i)][max(j, i)] for i in range(n)] for j in range(n)]
    shift = [row[n + 2] for row in matrix[:n]]
    rows = [[*row[:n]] for row in matrix[n:]] + [[dot(row, shift) for row in U]]
    rows += [[1.0 if c == i else 0.0 for c in range(n)] for i in range(n)]
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


def _levelled(rows: Rows, block: range, axis: int, others: range) -> Scalar:
    """A column of length 1 on the rows of its level, others orthogonal to it there; by how much it had to grow."""
    own = rows[block.start : block.stop]
    column = [row[axis] for row in own]
    scale = 1.0 / root(dot(column, column))
    for row in rows[block.start :]:
        row[axis] = row[axis] * scale
    column = [row[axis] for row in own]
    for c in others:
        share = dot(column, [row[c] for row in own])
        for row in rows[block.start :]:
            row[c] = row[c] - share * row[axis]
    return scale


def _gather(
    best: list[Scalar], bulk: list[Scalar], V: Rows, alone: list[Scalar], axis: int, share: Scalar, scale: Scalar
) -> None:
    """So much less along a column, and the size of its parts."""
    for i, row in enumerate(V):
        best[i] = best[i] - share * row[axis]
        bulk[i] = bulk[i] + absolute(share) * (absolute(row[axis]) + FAINT * scale * alone[i])
