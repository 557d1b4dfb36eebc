"""The box active set: nearest to a task inside bounds, level after level (specs/motion-stack.md §2.14, torque limits).

    y in the box, C₁ y nearest to r₁, of those C₂ y nearest to r₂, …, of those (y + s)ᵀ P (y + s) least

Coordinates are found once in which this is a projection (box_basis.py): y = y₀ + Σ Vₖ zₖ, y₀ the best without bounds,
and level k misses by |zₖ| more than it must. Of all z with y in the box that one is wanted whose z₁ is least, of those
the one whose z₂ is, and so on. Entries at their bounds are rows Vᵢ z = dᵢ. What is cheapest meets them: the last level
as far as its coordinates can, what these leave the level before it.

    eliminate   a row whose part in level k is most its own, p; from all others l:  row_l -= row_p (v_l·v_p / v_p·v_p)ₖ
    meet        from the first level on zₖ = Σ v_p d_p / v_p·v_p of rows that k has met, d less what that does to them
    pull        μₖ with zₖ = Vₖᵀ μₖ and no other: how fast level k grows with each bound

A step goes from y towards that answer up to the first bound, where that entry stays. If none is in the way, the bound
entry that would rather come back is let go: what counts is the first level that is not indifferent to it. When there
is none left this ends: what costs is the basis, and a step is as small as few entries are at their bounds.
"""

from dataclasses import dataclass

from motionc.program.kernels.box_basis import COLUMNS, FAINT, Basis, basis_of
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
    minimum,
    root,
    select,
)

TIGHT = 1e-11
"""A pull below this share of its parts is none."""
STUCK = 1e-10
"""A step that changes less than this share is none. Who is let go and bound again before one is made stays bound until
one is, lest entries come and go for ever where more of them are at their bounds than it takes.
"""
DOUBT = 1e-7
"""A pull beyond this share of all, at an entry back from its bound, says that the best was not found; so does an entry
that is not where its bound is.
"""


def steps(blocks: tuple[int, ...]) -> int:
    """How many steps are made at most: for each entry one more than there are levels, and a few."""
    n, _, *levels = blocks
    return n * (1 + len(levels)) + 4


@dataclass(slots=True)
class _Box:
    """Where the search stands: y, at which bound each entry is, who never leaves it, and who may not for now."""

    lower: list[Scalar]
    upper: list[Scalar]
    y: list[Scalar]
    side: list[Scalar]
    fixed: list[Scalar]
    barred: list[Scalar]
    freed: list[Scalar]


@dataclass(slots=True)
class _Met:
    """How bound entries are met: rows in the order in which they were eliminated, at which level each is, how much of
    each was taken from those after it, with how exact that is; how strongly, with the size of its parts; and where that
    leads.
    """

    order: list[int]
    level: list[int]
    taken: Rows
    faint: Rows
    force: list[Scalar]
    size: list[Scalar]
    y: list[Scalar]


def box(matrix: Rows, right: list[Scalar], policy: Policy) -> tuple[list[Scalar], ...]:
    """y of the motors, at which bound each of them is, both with zeros for all other rows; and how many steps changed
    that, as many as there are where the signs of the last pulls do not prove the best.

    Blocks: motors, contacts, then the levels of the tasks' rows.
    """
    assert not right
    n = policy.blocks[0]
    lower, upper, shift = ([row[n + k] for row in matrix[:n]] for k in range(COLUMNS))
    basis = basis_of(matrix, policy)
    fixed = [1.0 - greater(upper[i], lower[i]) for i in range(n)]
    # at upper bounds where these are 0 or less
    sides = [(1.0 - greater(upper[i], 0.0)) - greater(upper[i], 0.0) * (1.0 - greater(0.0, lower[i])) for i in range(n)]
    at = _Box(lower, upper, [0.0] * n, sides, fixed, list(fixed), [0.0] * n)
    changes, calm, doubt = 0.0, 0.0, 1.0
    for _ in range(steps(policy.blocks)):
        met = _meet(basis, at, policy.tolerance)
        blocked = _step(at, met, shift)
        found, doubt = _let_go(at, basis, met, 1.0 - blocked)
        calm = (1.0 - blocked) * (1.0 - found)
        changes = changes + (1.0 - calm)
        if holds(calm, True):
            break
    none = [0.0] * (len(matrix) - n)
    side = [side * (1.0 - held) + 0.0 for side, held in zip(at.side, fixed, strict=True)]
    count = select(calm * (1.0 - doubt), changes, float(steps(policy.blocks)))
    return [*at.y, *none], [*side, *none], [count]


def _meet(basis: Basis, at: _Box, tolerance: float) -> _Met:
    """The best with these entries at their bounds."""
    n, rows = len(at.y), [list(row) for row in basis.V]
    edge = [select(greater(side, 0.0), up, low) for side, up, low in zip(at.side, at.upper, at.lower, strict=True)]
    edge = [select(absolute(side), there, 0.0) for side, there in zip(at.side, edge, strict=True)]
    left = [edge[i] - basis.best[i] for i in range(n)]
    bulk = [absolute(edge[i]) + basis.bulk[i] for i in range(n)]
    length, noise = ([list(sizes) for sizes in each] for each in (basis.length, basis.noise))
    met = _Met([], [], [], [], [0.0] * n, [0.0] * n, list(basis.best))
    unmet = [absolute(side) for side in at.side]
    inverse: list[Scalar] = [0.0] * n

    # what is cheapest meets them
    for k in reversed(range(len(basis.columns))):
        start, end = basis.columns[k]
        part = [dot(row[start:end], row[start:end]) for row in rows]
        while start < end:
            most, p, there = tolerance, 0, 0.0
            for i in range(n):
                share = unmet[i] * part[i] / (length[k][i] * length[k][i])
                better = greater(share, most)
                most, p, there = select(better, share, most), choose(better, i, p), maximum(there, better)
            if holds(1.0 - there, True):
                break
            own = rows[p][start:end]
            unmet[p], inverse[p] = 0.0, 1.0 / dot(own, own)
            taken, faint = [0.0] * n, [0.0] * n
            for i in range(n):
                common = dot(rows[i][start:end], own)
                share = taken[i] = unmet[i] * inverse[p] * common
                faint[i] = unmet[i] * (absolute(share) + FAINT * noise[k][i] * root(inverse[p]))
                part[i] = part[i] - share * common
                left[i] = left[i] - share * left[p]
                bulk[i] = bulk[i] + absolute(share) * bulk[p]
                rows[i] = [entry - share * other for entry, other in zip(rows[i], rows[p], strict=True)]
                for sizes in (*length[: k + 1], *noise[: k + 1]):
                    sizes[i] = sizes[i] + absolute(share) * sizes[p]
            met.order.append(p)
            met.level.append(k)
            met.taken.append(taken)
            met.faint.append(faint)

    # from the first level on, what that takes
    for k, (start, end) in enumerate(basis.columns):
        z: list[Scalar] = [0.0] * (end - start)
        for p, level in zip(met.order, met.level, strict=True):
            if level == k:
                met.force[p], met.size[p] = left[p] * inverse[p], bulk[p] * inverse[p]
                z = [entry + other * met.force[p] for entry, other in zip(z, rows[p][start:end], strict=True)]
        for p, level in zip(met.order, met.level, strict=True):
            if level > k:
                left[p] = left[p] - dot(rows[p][start:end], z)
                for entry, far in zip(rows[p][start:end], z, strict=True):
                    bulk[p] = bulk[p] + (absolute(entry) + FAINT * noise[k][p]) * absolute(far)
        met.y = [y + dot(row[start:end], z) for y, row in zip(met.y, basis.V, strict=True)]
    return met


def _step(at: _Box, met: _Met, shift: list[Scalar]) -> Scalar:
    """Go towards the answer as far as bounds let it; whether one was in the way."""
    n = len(at.y)
    free = [1.0 - absolute(side) for side in at.side]
    go = [free[i] * (met.y[i] - at.y[i]) for i in range(n)]
    up = [greater(go[i], 0.0) for i in range(n)]
    moves = [maximum(up[i], greater(0.0, go[i])) for i in range(n)]
    room = [select(up[i], at.upper[i], at.lower[i]) - at.y[i] for i in range(n)]
    ratio = [select(moves[i], room[i] / select(moves[i], go[i], 1.0), 2.0) for i in range(n)]
    length: Scalar = 1.0
    for i in range(n):
        length = minimum(length, ratio[i])
    blocked = greater(1.0, length)
    far: Scalar = 0.0
    whole: Scalar = 0.0
    for i in range(n):
        far = maximum(far, absolute(length * go[i]))
        whole = maximum(whole, absolute(at.y[i]) + absolute(shift[i]))
    moved = greater(far, STUCK * whole)
    for i in range(n):
        hit = blocked * (1.0 - greater(ratio[i], length))
        at.y[i] = select(hit, select(up[i], at.upper[i], at.lower[i]), at.y[i] + length * go[i])
        at.side[i] = select(hit, 2.0 * up[i] - 1.0, at.side[i])
        at.barred[i] = select(moved, at.fixed[i], maximum(at.barred[i], hit * at.freed[i]))
        at.freed[i] = at.freed[i] * (1.0 - moved)
    return blocked


def _let_go(at: _Box, basis: Basis, met: _Met, allowed: Scalar) -> tuple[Scalar, Scalar]:
    """Let go of the bound entry that the first level to want any back wants most: whether there was one; and whether
    the conditions of Karush, Kuhn and Tucker are in doubt, level by level: some pull is back from its bound that no
    level before it holds there, or an entry is not met.
    """
    n = len(at.y)
    pending = [absolute(at.side[i]) * (1.0 - at.barred[i]) for i in range(n)]
    unheld = [absolute(at.side[i]) * (1.0 - at.fixed[i]) for i in range(n)]
    loose: list[Scalar] = [0.0] * n
    found: Scalar = 0.0
    doubt: Scalar = 0.0
    for i in range(n):
        off = absolute(at.side[i]) * absolute(met.y[i] - at.y[i])
        doubt = maximum(doubt, greater(off, DOUBT * (absolute(at.y[i]) + basis.bulk[i])))
    for k in range(len(basis.columns)):
        force, size = _pulls(met, k, n)
        most: Scalar = TIGHT
        worst: Scalar = 0.0
        whole: Scalar = 0.0
        share = [force[i] / select(greater(size[i], 0.0), size[i], 1.0) for i in range(n)]
        inward = [pending[i] * (at.side[i] * share[i]) for i in range(n)]
        for i in range(n):
            most = maximum(most, inward[i])
            worst = maximum(worst, unheld[i] * at.side[i] * force[i] * basis.alone[i])
            whole = maximum(whole, size[i] * basis.alone[i])
        doubt = maximum(doubt, greater(worst, DOUBT * whole))
        wanted = allowed * greater(most, TIGHT)
        for i in range(n):
            loose[i] = maximum(loose[i], wanted * (1.0 - found) * (1.0 - greater(most, inward[i])))
            found = maximum(found, loose[i])
            held = greater(absolute(share[i]), TIGHT)
            pending[i] = pending[i] * (1.0 - held)
            unheld[i] = unheld[i] * (1.0 - held)
    at.side = [at.side[i] * (1.0 - loose[i]) for i in range(n)]
    at.freed = [maximum(at.freed[i], loose[i]) for i in range(n)]
    return found, doubt


def _pulls(met: _Met, k: int, n: int) -> tuple[list[Scalar], list[Scalar]]:
    """How fast level k grows with each bound, and the size of the parts of that."""
    pull: list[Scalar] = [0.0] * n
    size: list[Scalar] = [0.0] * n
    for p, level, taken, faint in reversed([*zip(met.order, met.level, met.taken, met.faint, strict=True)]):
        own, bulk = (met.force[p], met.size[p]) if level == k else (0.0, 0.0)
        pull[p] = own - dot(taken, pull)
        size[p] = bulk + dot(faint, size)
    return pull, size
