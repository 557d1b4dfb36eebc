"""The box active set: nearest to a task inside bounds, level after level (specs/motion-stack.md §2.14, torque limits).

    y in the box, C₁ y nearest to r₁, of those C₂ y nearest to r₂, …, of those (y + s)ᵀ P (y + s) least

Coordinates are found once in which this is a projection (box_basis.py). A step goes from y towards the best that leaves
bound entries where they are (box_meet.py), up to the first bound, where that entry stays. If none is in the way, the
bound entry that would rather come back is let go: what counts is the first level that is not indifferent to it. When
there is none left this ends: what costs is the basis, and a step is as small as few entries are at their bounds.

    pull    Cₖᵀ (rₖ - Cₖ y) + Σ Cⱼᵀ λⱼ of levels j before k, with λ such that only what is bound is pulled

Pulls are told from the rows as they are given, whatever rounding has done to the coordinates: that they vanish at free
entries, and point outward at bound ones, is what proves the best (Karush, Kuhn and Tucker), level by level.
"""

from dataclasses import dataclass

from motionc.program.kernels.box_basis import Basis, basis_of
from motionc.program.kernels.box_meet import Met, meet
from motionc.program.kernels.scalars import (
    Policy,
    Rows,
    Scalar,
    absolute,
    dot,
    greater,
    holds,
    maximum,
    minimum,
    select,
)

TIGHT = 1e-11
"""A pull below this share of its parts is none."""
FAINT = 0.1
"""Between two of which each alone does 1 to itself, entries are as exact as ones of this size: roundings of what came
before them are in them, however small they are.
"""
STUCK = 1e-10
"""A step that changes less than this share is none. Who is let go and bound again before one is made stays bound until
one is, lest entries come and go for ever where more of them are at their bounds than it takes.
"""
DOUBT = 1e-7
"""A pull beyond this share of all, at an entry that is free or back from a bound, says that the best was not found."""
HOLD = 1e-5
"""A pull w at an entry that is free or back from a bound, beyond this share of the weakest pull h of that level that
holds another at its bound, says so too: what changes nothing on the level has pull·d = 0, so that those held there may
come back by w/h of what others move, and levels after it would gain.
"""
ROUNDS = 3
"""How often it goes on from an answer in doubt: what rounding has left of it is less from there."""


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


def box(matrix: Rows, right: list[Scalar], policy: Policy) -> tuple[list[Scalar], ...]:
    """y of the motors, at which bound each of them is, both with zeros for all other rows; and how many steps changed
    that, as many as there are where the last pulls do not prove the best.

    Blocks: motors, contacts, then the levels of the tasks' rows.
    """
    assert not right
    n = policy.blocks[0]
    lower, upper = ([row[n + k] for row in matrix[:n]] for k in range(2))
    basis = basis_of(matrix, policy)
    fixed = [1.0 - greater(upper[i], lower[i]) for i in range(n)]
    # at upper bounds where these are 0 or less
    sides = [(1.0 - greater(upper[i], 0.0)) - greater(upper[i], 0.0) * (1.0 - greater(0.0, lower[i])) for i in range(n)]
    at = _Box(lower, upper, [0.0] * n, sides, fixed, list(fixed), [0.0] * n)
    changes, rounds, best, bound = 0.0, 0.0, 0.0, list[int]()
    for _ in range(steps(policy.blocks)):
        there = [i for i in range(n) if holds(absolute(at.side[i]), False)]
        bound = [i for i in bound if i in there] + [i for i in there if i not in bound]
        met = meet(basis, bound, _aims(basis, at.y))
        blocked = _step(at, met, basis.shift)
        pulls = _pulls(basis, at.y, met)
        calm = (1.0 - blocked) * (1.0 - _let_go(at, pulls, 1.0 - blocked))
        best = calm * (1.0 - _doubt(at, pulls, basis.alone))
        changes, rounds = changes + (1.0 - calm), rounds + calm
        if holds(maximum(best, greater(rounds, ROUNDS - 0.5)), True):
            break
    none = [0.0] * (len(matrix) - n)
    side = [side * (1.0 - held) + 0.0 for side, held in zip(at.side, fixed, strict=True)]
    count = select(best, changes, float(steps(policy.blocks)))
    return [*at.y, *none], [*side, *none], [count]


def _aims(basis: Basis, y: list[Scalar]) -> list[Scalar]:
    """How far each coordinate would go from here; those of contacts nowhere."""
    missed = [wanted - dot(row, y) for wanted, row in zip(basis.wanted, basis.C, strict=True)]
    aims: list[Scalar] = [0.0] * len(y)
    for block, (start, end) in zip(basis.blocks, basis.columns, strict=False):
        for c in range(start, end):
            aims[c] = dot([basis.Q[i][c] for i in block], [missed[i] for i in block])
    slope = _slope(basis, y)
    for c in range(*basis.columns[len(basis.blocks)]):
        aims[c] = 0.0 - dot([row[c] for row in basis.V], slope)
    return aims


def _slope(basis: Basis, y: list[Scalar]) -> list[Scalar]:
    """How fast what is least at last grows with each entry."""
    shifted = [entry + shift for entry, shift in zip(y, basis.shift, strict=True)]
    return [dot(row, shifted) for row in basis.P]


def _step(at: _Box, met: Met, shift: list[Scalar]) -> Scalar:
    """Go towards the answer as far as bounds let it; whether one was in the way."""
    n = len(at.y)
    free = [1.0 - absolute(side) for side in at.side]
    go = [free[i] * met.go[i] for i in range(n)]
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


def _pulls(basis: Basis, y: list[Scalar], met: Met) -> list[tuple[list[Scalar], list[Scalar]]]:
    """How each level would have the entries move once the levels before it have theirs, not at all where free; and the
    size of the parts of that.
    """
    n, found = len(y), list[tuple[list[Scalar], list[Scalar]]]()
    left = [wanted - dot(row, y) for wanted, row in zip(basis.wanted, basis.C, strict=True)]
    far = [absolute(y[i]) + absolute(basis.shift[i]) for i in range(n)]
    bulk = [
        absolute(wanted) + dot([absolute(entry) for entry in row], far)
        for wanted, row in zip(basis.wanted, basis.C, strict=True)
    ]
    for k in range(len(basis.blocks) + 1):
        pull: list[Scalar] = [0.0] * n
        size: list[Scalar] = [0.0] * n
        blur: Scalar = 0.0
        if k < len(basis.blocks):
            for i in basis.blocks[k]:
                blur = blur + _gather(basis, pull, size, i, left[i], bulk[i])
        else:
            pull = [0.0 - entry for entry in _slope(basis, y)]
            for i, row in enumerate(basis.P):
                size[i] = dot([absolute(entry) for entry in row], far)
                blur = blur + basis.alone[i] * absolute(y[i] + basis.shift[i])
        # what levels before it hold
        rest = [one - other for one, other in zip(met.pull(k), pull, strict=True)]
        for block, (start, end) in zip(basis.blocks[:k], basis.columns, strict=False):
            along = [dot([row[c] for row in basis.V], rest) for c in range(start, end)]
            for i in block:
                strength = dot(basis.Q[i][start:end], along)
                blur = blur + _gather(basis, pull, size, i, strength, absolute(strength))
        found.append((pull, [part + FAINT * entry * blur for part, entry in zip(size, basis.alone, strict=True)]))
    return found


def _gather(basis: Basis, pull: list[Scalar], size: list[Scalar], i: int, strength: Scalar, bulk: Scalar) -> Scalar:
    """A row at some strength, added to what pulls, the size of its parts beside it; what it does, at most, to an entry
    that alone does 1 to itself.
    """
    for j, entry in enumerate(basis.C[i]):
        pull[j] = pull[j] + entry * strength
        size[j] = size[j] + absolute(entry) * bulk
    return basis.span[i] * absolute(strength)


def _let_go(at: _Box, pulls: list[tuple[list[Scalar], list[Scalar]]], allowed: Scalar) -> Scalar:
    """Let go of the bound entries that the first level to want any back wants most; whether there was one."""
    n = len(at.y)
    pending = [absolute(at.side[i]) * (1.0 - at.barred[i]) for i in range(n)]
    loose: list[Scalar] = [0.0] * n
    found: Scalar = 0.0
    for pull, size in pulls:
        share = [pull[i] / select(greater(size[i], 0.0), size[i], 1.0) for i in range(n)]
        inward = [pending[i] * (0.0 - at.side[i] * share[i]) for i in range(n)]
        most: Scalar = TIGHT
        for i in range(n):
            most = maximum(most, inward[i])
        wanted = allowed * greater(most, TIGHT) * (1.0 - found)
        for i in range(n):
            loose[i] = maximum(loose[i], wanted * (1.0 - greater(most, inward[i])))
            pending[i] = pending[i] * (1.0 - greater(absolute(share[i]), TIGHT))
        found = maximum(found, wanted)
    at.side = [at.side[i] * (1.0 - loose[i]) for i in range(n)]
    at.freed = [maximum(at.freed[i], loose[i]) for i in range(n)]
    return found


def _doubt(at: _Box, pulls: list[tuple[list[Scalar], list[Scalar]]], alone: list[Scalar]) -> Scalar:
    """Whether some level pulls at a free entry, or one back from its bound that no level before it holds there: the
    conditions of Karush, Kuhn and Tucker, level by level, entries measured by what each would do alone.
    """
    n = len(at.y)
    pending = [absolute(at.side[i]) * (1.0 - at.fixed[i]) for i in range(n)]
    doubt: Scalar = 0.0
    for k, (pull, size) in enumerate(pulls):
        outward = [at.side[i] * pull[i] for i in range(n)]
        worst: Scalar = 0.0
        whole: Scalar = 0.0
        for i in range(n):
            wrong = maximum(pending[i] * (0.0 - outward[i]), (1.0 - absolute(at.side[i])) * absolute(pull[i]))
            worst = maximum(worst, wrong / alone[i])
            whole = maximum(whole, size[i] / alone[i])
        doubt = maximum(doubt, greater(worst, DOUBT * whole))
        for i in range(n):
            if k < len(pulls) - 1:
                held = pending[i] * greater(outward[i], TIGHT * size[i])
                doubt = maximum(doubt, held * greater(worst, HOLD * outward[i] / alone[i]))
            pending[i] = pending[i] * (1.0 - greater(absolute(pull[i]), TIGHT * size[i]))
    return doubt
