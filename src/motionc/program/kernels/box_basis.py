"""Coordinates in which being nearest, level after level, is being short (box.py).

    y = y₀ + Σ Vₖ zₖ      level k misses what it must, and |zₖ| besides, once those before it have theirs

    u           P = Uᵀ U, u = U y: what is least at last is |u + U s|, rows of tasks are x = U⁻ᵀ c
    reflect     Householder's, the largest row of each level next: x = (l, 0), level after level; U⁻¹ likewise: V
    level       its columns made orthonormal on its own rows, those of levels before it and r orthogonal to them

First come rows that give way to nothing (contacts): what motors do along them does nothing, whatever it is. These
columns are the cheapest of all, and stay where they are as far as they can. Columns that no row has belong to P.
"""

from dataclasses import dataclass

from motionc.program.kernels.scalars import (
    Policy,
    Rows,
    Scalar,
    absolute,
    choose,
    dot,
    ends,
    factor,
    greater,
    maximum,
    nothing,
    root,
    select,
    square,
)

FAINT = 0.1
"""Entries of a row are as exact as ones of this share of its length: roundings of what came before them are in them,
however small they are.
"""
LEAST = 3e-6
"""A row is no shorter in any level than this share of what it is in u, as far as its coordinates are stretched."""


@dataclass(slots=True)
class Basis:
    """V, the best y without bounds and the size of its parts; how large each entry's row is in each level, and what it
    is in u; where the columns of each level end, contacts' first; the rows of tasks on z and what they miss at least.
    """

    V: Rows
    best: list[Scalar]
    bulk: list[Scalar]
    own: Rows
    loud: Rows
    alone: list[Scalar]
    ends: list[int]
    rows: Rows
    missed: list[Scalar]

    def columns(self, k: int) -> tuple[int, int]:
        """Of level k, counted from 0; after them those of P, and contacts' last of all."""
        order = [*range(1, len(self.ends)), 0]
        at = order[k]
        return (self.ends[at - 1] if at else 0), self.ends[at]


def basis_of(matrix: Rows, shift: list[Scalar], wanted: list[Scalar], policy: Policy) -> Basis:
    """From P and C = rows of the matrix, s and r."""
    n, contacts, *levels = policy.blocks
    V, X = _whitened(matrix, shift, n)
    task = contacts + sum(levels)
    counted = nothing([dot(row, row) for row in X[contacts:task]], policy.weights)
    alone = [root(dot(row, row)) for row in V]
    ends_, start = list[int](), 0
    for k, size in enumerate((contacts, *levels)):
        least = [0.0] * size if k == 0 else counted[start - contacts : start - contacts + size]
        ends_.append(_reflected(X, V, range(start, start + size), ends_[-1] if k else 0, least, policy.tolerance))
        start += size
    ends_.append(n)

    best: list[Scalar] = [0.0] * n
    bulk: list[Scalar] = [0.0] * n
    own, loud = [Rows([] for _ in range(n)) for _ in range(2)]
    missed = [0.0 - r for r in wanted]
    start, scales = contacts, list[Scalar]()
    for k, size in enumerate(levels, start=1):
        scale = _levelled(X, V, alone, best, bulk, missed, range(start, start + size), ends_[k - 1], ends_[k], ends_[0], task)
        scales.append(scale)
        start += size
    # what is least at last
    for c in range(ends_[-2], n):
        for i in range(n):
            best[i] = best[i] - V[i][c] * X[task][c]
            bulk[i] = bulk[i] + (absolute(V[i][c]) + FAINT * alone[i]) * absolute(X[task][c])
    basis = Basis(V, best, bulk, own, loud, alone, ends_, X[contacts:task], missed)
    for k, scale in enumerate([*scales, 1.0, 1.0]):
        a, b = basis.columns(k)
        for i in range(n):
            loud[i].append(alone[i] * scale)
            own[i].append(root(dot(V[i][a:b], V[i][a:b])) + LEAST * alone[i] * scale)
    return basis


def _whitened(matrix: Rows, shift: list[Scalar], n: int) -> tuple[Rows, Rows]:
    """U⁻¹, and rows x = U⁻ᵀ c beside U s."""
    lower, inverse = factor([row[:n] for row in matrix[:n]], lambda pivot, _: 1.0 / pivot)
    scale = [root(entry) for entry in inverse]
    V, X = square(n), Rows()
    for j in range(n):
        # column j of the inverse of L, then row j of U
        for i in range(j, n):
            entry: Scalar = 1.0 if i == j else 0.0
            for k in range(j, i):
                entry = entry - lower[i][k] * V[j][k]
            V[j][i] = entry
    for row in matrix[n:]:
        x = list(row[:n])
        for i in range(n):
            for k in range(i):
                x[i] = x[i] - lower[i][k] * x[k]
        X.append([x[i] * scale[i] for i in range(n)])
    V = [[V[i][c] * scale[c] for c in range(n)] for i in range(n)]
    last = list(shift)
    for i in range(n):
        for k in range(i + 1, n):
            last[i] = last[i] + lower[k][i] * shift[k]
    X.append([last[i] / scale[i] for i in range(n)])
    return V, X


def _reflected(X: Rows, V: Rows, block: range, count: int, least: list[Scalar], tolerance: float) -> int:
    """Rows of a block one after the other along axes of their own, the largest next; where they end.

    A row counts while more is left of it than a share, and than `least`; else nothing is.
    """
    n, open_ = len(V), list(block)
    bound = {}
    rest = {}
    for i, none in zip(block, least, strict=True):
        rest[i] = dot(X[i][count:], X[i][count:])
        bound[i] = maximum(tolerance * dot(X[i], X[i]), none)
    for _ in block:
        if count == n:
            break
        p = open_[0]
        best = rest[p] - bound[p]
        for i in open_[1:]:
            other = rest[i] - bound[i]
            better = greater(other, best)
            best, p = select(better, other, best), choose(better, i, p)
        if ends(1.0 - greater(best, 0.0)):
            break
        open_.remove(p)
        v = X[p][count:]
        size = root(dot(v, v))
        side = select(greater(v[0], 0.0), 1.0, -1.0)
        v[0] = v[0] + side * size
        strength = 1.0 / (size * (side * v[0]))
        X[p][count:] = [0.0 - side * size] + [0.0] * (n - count - 1)
        for row in (*(X[i] for i in open_), *X[block.stop :], *V):
            share = strength * dot(row[count:], v)
            row[count:] = [entry - share * other for entry, other in zip(row[count:], v, strict=True)]
        for i in open_:
            rest[i] = rest[i] - X[i][count] * X[i][count]
        count += 1
    for i in open_:
        X[i][count:] = [0.0] * (n - count)
    return count


def _levelled(
    X: Rows,
    V: Rows,
    alone: list[Scalar],
    best: list[Scalar],
    bulk: list[Scalar],
    missed: list[Scalar],
    rows: range,
    start: int,
    end: int,
    contacts: int,
    task: int,
) -> Scalar:
    """Columns of a level orthonormal on its rows; how much the shortest of them had to grow."""
    n, most = len(V), 0.0
    below = task - len(missed)
    for e in reversed(range(start, end)):
        column = [X[i][e] for i in rows]
        scale = 1.0 / root(dot(column, column))
        most = maximum(most, scale)
        for row in (*X[rows.start : task], *V):
            row[e] = row[e] * scale
        column = [X[i][e] for i in rows]
        for c in range(contacts, e):
            share = dot(column, [X[i][c] for i in rows])
            for row in (*X[rows.start : task], *V):
                row[c] = row[c] - share * row[e]
        share = dot(column, [missed[i - below] for i in rows])
        for i in range(rows.start, task):
            missed[i - below] = missed[i - below] - share * X[i][e]
        for i in range(n):
            best[i] = best[i] - share * V[i][e]
            bulk[i] = bulk[i] + absolute(share) * (absolute(V[i][e]) + FAINT * scale * alone[i])
    return most
