"""The box active set: nearest to a task inside bounds, level after level (specs/motion-stack.md §2.14, torque limits).

One algorithm in one file, of some 350 lines: each part reads what the one before has left.

    y in the box, C₁ y nearest to r₁, of those C₂ y nearest to r₂, …, of those (y + s)ᵀ P (y + s) least

A step solves for the free entries, the bound ones staying where they are; H is P of the free, Λ = C H⁻¹ Cᵀ:

    p = H⁻¹ (Cᵀ λ - P (y + s)),  Λ λ nearest to r - C (y - H⁻¹ P (y + s))

and goes along p up to the first bound, where that entry stays. If none is in the way, the bound entry that would rather
come back is let go: what counts is how it would change the first level; where that is nothing, the next; at last P.

P and C come as one matrix [P .; C .] with rows between them that give way to nothing (contacts), eliminated first. With
those P is singular: a share EASE of its diagonal holds y where it was, anew in each of ROUNDS, so that nothing is lost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from motionc.program.kernels.scalars import (
    Policy,
    Rows,
    Scalar,
    absolute,
    factor,
    greater,
    maximum,
    minimum,
    nothing,
    root,
    select,
    square,
    substitute,
)

Solve = Callable[[Rows, list[Scalar], Policy], tuple[list[Scalar], ...]]

COLUMNS = 3
"""Beside a motor's row: lower bound, upper bound, s; beside a task's row: r, and nothing."""
EASE = 1e-6
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
EASED = 1e-4
"""The same at last beside contacts, where what is least is eased; there also instead of HOLD."""
HOLD = 1e-5
"""A pull w at an entry that is free or back from a bound, beyond this share of the weakest pull h of that level that
holds another at its bound, says so too: what changes nothing on the level has pull·d = 0, so that those held there may
come back by w/h of what others move, and levels after it would gain.
"""
ROUNDS = 3


def steps(blocks: tuple[int, ...]) -> int:
    """How many steps are made: for each entry one more than there are levels, and a few. Most boxes take a third."""
    n, contacts, *levels = blocks
    return n * (1 + len(levels)) + 4 + (ROUNDS if contacts else 0)


def first_levels(policy: Policy, k: int) -> Policy:
    """The same of the first k levels alone."""
    levels = policy.blocks[:k]
    return Policy(levels, policy.tolerance, policy.most, policy.weights[: sum(levels)])


@dataclass(slots=True)
class _Box:
    """The problem, contacts eliminated, and where the search stands."""

    P: Rows
    C: Rows
    own: list[Scalar]
    alone: list[Scalar]
    span: list[Scalar]
    ease: list[Scalar]
    lower: list[Scalar]
    upper: list[Scalar]
    shift: list[Scalar]
    wanted: list[Scalar]
    y: list[Scalar]
    center: list[Scalar]
    side: list[Scalar]
    fixed: list[Scalar]
    barred: list[Scalar]
    freed: list[Scalar]

    def slope(self) -> list[Scalar]:
        """How fast what is to be least grows with each entry."""
        found: list[Scalar] = []
        for row, ease, y, center in zip(self.P, self.ease, self.y, self.center, strict=True):
            total = ease * (y - center)
            for entry, other, shift in zip(row, self.y, self.shift, strict=True):
                total = total + entry * (other + shift)
            found.append(total)
        return found


def box(matrix: Rows, right: list[Scalar], policy: Policy, *, solve: Solve) -> tuple[list[Scalar], ...]:
    """y of the motors and what the tasks' rows still miss; at which bound each motor is; how many steps changed that,
    as many as there are where the signs of the last pulls do not prove the best.

    Blocks: motors, contacts, then the levels of the tasks' rows. `solve` finds some x with A x nearest to r.
    """
    blocks, tolerance = policy.blocks, policy.tolerance
    n, contacts, *levels = blocks
    first, m = n + contacts, sum(levels)
    tasks = Policy(tuple(levels), tolerance, n, policy.weights)
    rest = _eliminated(matrix, n, first, tolerance)
    own = [matrix[i][i] for i in range(first + m)]
    moved = [greater(*pair) for pair in zip(own[first:], nothing(own[first:], policy.weights), strict=True)]
    lower, upper, shift = ([right[COLUMNS * i + k] for i in range(n)] for k in range(COLUMNS))
    fixed = [1.0 - greater(upper[i], lower[i]) for i in range(n)]
    at = _Box(
        [rest[i][:n] for i in range(n)],
        [[entry * moved[j] for entry in rest[first + j][:n]] for j in range(m)],
        [entry * tolerance for entry in own[first:]],
        [root(maximum(0.0, entry)) for entry in own[:n]],
        [root(maximum(0.0, entry)) for entry in own[first:]],
        [entry * EASE if contacts else 0.0 for entry in own[:n]],
        lower,
        upper,
        shift,
        [right[COLUMNS * i] for i in range(first, first + m)],
        [0.0] * n,
        [0.0] * n,
        [(1.0 - greater(upper[i], 0.0)) - greater(upper[i], 0.0) * (1.0 - greater(0.0, lower[i])) for i in range(n)],
        fixed,
        fixed,
        [0.0] * n,
    )
    changes, rounds, calm = 0.0, 0.0, 1.0
    pulls: list[tuple[list[Scalar], list[Scalar]]] = []
    for _ in range(steps(blocks)):
        going = greater(ROUNDS - 0.5 if contacts else 0.5, rounds)
        blocked, pulls = _step(at, tasks, solve, going)
        found = _let_go(at, pulls, going * (1.0 - blocked))
        calm = select(going, (1.0 - blocked) * (1.0 - found), calm)
        changes = changes + going * (1.0 - calm)
        rounds = rounds + going * calm
        at.center = [select(calm, y, center) for y, center in zip(at.y, at.center, strict=True)]
    missed = [wanted - _dot(row, at.y) for wanted, row in zip(at.wanted, at.C, strict=True)]
    none = [0.0] * contacts
    side = [side * (1.0 - held) + 0.0 for side, held in zip(at.side, fixed, strict=True)]
    limits = [DOUBT] * len(levels) + [EASED if contacts else DOUBT]
    best = calm * (1.0 - _doubt(at, pulls, limits, EASED if contacts else HOLD, own[:n]))
    return [*at.y, *none, *missed], [*side, *none, *([0.0] * m)], [select(best, changes, float(steps(blocks)))]


def _eliminated(matrix: Rows, start: int, end: int, tolerance: float) -> Rows:
    """What is left of a symmetric matrix once the rows from start to end give way to nothing, the most independent
    of them first; a row that depends on those before it changes nothing.
    """
    size, rest = len(matrix), [list(row) for row in matrix]
    share = [1.0 / select(greater(matrix[i][i], 0.0), matrix[i][i], 1.0) for i in range(start, end)]
    ready: list[Scalar] = [1.0] * (end - start)
    for _ in range(start, end):
        best: Scalar = -1.0
        across = [rest[i][start] for i in range(size)]
        pivot: Scalar = 1.0
        chosen: list[Scalar] = [0.0] * (end - start)
        for j in range(end - start):
            other = select(ready[j], rest[start + j][start + j] * share[j], -1.0)
            better = greater(other, best)
            best, pivot = select(better, other, best), select(better, rest[start + j][start + j], pivot)
            across = [select(better, rest[start + j][i], across[i]) for i in range(size)]
            chosen = [select(better, float(k == j), chosen[k]) for k in range(end - start)]
        ready = [ready[j] * (1.0 - chosen[j]) for j in range(end - start)]
        kept = greater(best, tolerance)
        inverse = kept / select(kept, pivot, 1.0)
        for i in range(size):
            scaled = across[i] * inverse
            for k in range(size):
                rest[i][k] = rest[i][k] - scaled * across[k]
    return rest


def _step(
    at: _Box, policy: Policy, solve: Solve, going: Scalar
) -> tuple[Scalar, list[tuple[list[Scalar], list[Scalar]]]]:
    """Go towards the best of the free entries, as far as bounds let it; whether one was in the way, and what pulls at
    each entry then, level after level, with the size of its parts.
    """
    n, m = len(at.y), len(at.C)
    free = [1.0 - absolute(side) for side in at.side]
    inertia = square(n)
    for i in range(n):
        for k in range(i, n):
            inertia[i][k] = at.P[i][k] * (free[i] * free[k])
        inertia[i][i] = inertia[i][i] + (at.ease[i] * free[i] + (1.0 - free[i]))
    triangle = factor(inertia, lambda pivot, _: 1.0 / pivot)

    slope = at.slope()
    go = substitute(*triangle, [0.0 - slope[i] * free[i] for i in range(n)])
    replies = [substitute(*triangle, [row[i] * free[i] for i in range(n)]) for row in at.C]
    coupling, missing = square(m), list[Scalar]()
    for j, row in enumerate(at.C):
        for k in range(j, m):
            coupling[j][k] = coupling[k][j] = _dot(row, replies[k])
        missing.append(at.wanted[j] - _dot(row, [at.y[i] + go[i] for i in range(n)]))
    reached = [greater(coupling[j][j], at.own[j]) for j in range(m)]
    coupling = [[coupling[j][k] * (reached[j] * reached[k]) for k in range(m)] for j in range(m)]
    force, *_ = solve(coupling, missing, policy)
    for i in range(n):
        for j in range(m):
            go[i] = go[i] + replies[j][i] * force[j]

    # up to the first bound
    up = [greater(go[i], 0.0) for i in range(n)]
    moves = [free[i] * maximum(up[i], greater(0.0, go[i])) for i in range(n)]
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
        whole = maximum(whole, absolute(at.y[i]) + absolute(at.shift[i]))
    moved = greater(far, STUCK * whole)
    hits = [going * blocked * (1.0 - greater(ratio[i], length)) for i in range(n)]
    for i in range(n):
        at.y[i] = select(hits[i], select(up[i], at.upper[i], at.lower[i]), at.y[i] + going * length * go[i])
        at.side[i] = select(hits[i], 2.0 * up[i] - 1.0, at.side[i])
    at.barred = [select(moved, at.fixed[i], maximum(at.barred[i], hits[i] * at.freed[i])) for i in range(n)]
    at.freed = [at.freed[i] * (1.0 - moved) for i in range(n)]
    return blocked, _pulls(at, policy, solve, triangle, free, coupling, force)


def _pulls(
    at: _Box,
    policy: Policy,
    solve: Solve,
    triangle: tuple[Rows, list[Scalar]],
    free: list[Scalar],
    coupling: Rows,
    force: list[Scalar],
) -> list[tuple[list[Scalar], list[Scalar]]]:
    """How each level would have the entries move once the levels before it are satisfied: not at all, where free."""
    n, levels, found = len(at.y), policy.blocks, list[tuple[list[Scalar], list[Scalar]]]()
    left = [at.wanted[j] - _dot(row, at.y) for j, row in enumerate(at.C)]
    far = [absolute(at.y[i]) + absolute(at.shift[i]) for i in range(n)]
    bulk = [absolute(at.wanted[j]) for j in range(len(at.C))]
    for j, row in enumerate(at.C):
        for i in range(n):
            bulk[j] = bulk[j] + absolute(row[i]) * far[i]
    for k, start in enumerate(accumulate(levels[:-1], initial=0)):
        pull: list[Scalar] = [0.0] * n
        size: list[Scalar] = [0.0] * n
        for j in range(start, start + levels[k]):
            _gather(pull, size, at.C[j], left[j], bulk[j])
        blur = _spanned(at.span[start : start + levels[k]], left[start : start + levels[k]])
        if k:
            reply = substitute(*triangle, [pull[i] * free[i] for i in range(n)])
            back = [0.0 - _dot(row, reply) for row in at.C[:start]]
            held, *_ = solve([row[:start] for row in coupling[:start]], back, first_levels(policy, k))
            for j in range(start):
                _gather(pull, size, at.C[j], held[j], absolute(held[j]))
            blur = blur + _spanned(at.span[:start], held)
        found.append((pull, _blurred(size, at.alone, blur)))
    slope = at.slope()
    pull = [0.0 - slope[i] for i in range(n)]
    size = [0.0] * n
    for i in range(n):
        for k in range(n):
            size[i] = size[i] + absolute(at.P[i][k] * (at.y[k] + at.shift[k]))
    for j, row in enumerate(at.C):
        _gather(pull, size, row, force[j], absolute(force[j]))
    shifted = [y + shift for y, shift in zip(at.y, at.shift, strict=True)]
    found.append((pull, _blurred(size, at.alone, _spanned(at.alone + at.span, shifted + force))))
    return found


def _let_go(at: _Box, pulls: list[tuple[list[Scalar], list[Scalar]]], allowed: Scalar) -> Scalar:
    """Let go of the bound entry that the first level to want any back wants most; whether there was one."""
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
        wanted = allowed * greater(most, TIGHT)
        for i in range(n):
            loose[i] = maximum(loose[i], wanted * (1.0 - found) * (1.0 - greater(most, inward[i])))
            found = maximum(found, loose[i])
            pending[i] = pending[i] * (1.0 - greater(absolute(share[i]), TIGHT))
    at.side = [at.side[i] * (1.0 - loose[i]) for i in range(n)]
    at.freed = [maximum(at.freed[i], loose[i]) for i in range(n)]
    return found


def _doubt(
    at: _Box, pulls: list[tuple[list[Scalar], list[Scalar]]], limits: list[float], hold: float, own: list[Scalar]
) -> Scalar:
    """Whether some level pulls at a free entry, or one back from its bound that no level before it holds there: the
    conditions of Karush, Kuhn and Tucker, level by level, entries measured by what each would do alone.
    """
    n = len(at.y)
    pending = [absolute(at.side[i]) * (1.0 - at.fixed[i]) for i in range(n)]
    doubt: Scalar = 0.0
    for k, ((pull, size), limit) in enumerate(zip(pulls, limits, strict=True)):
        outward = [at.side[i] * pull[i] for i in range(n)]
        worst: Scalar = 0.0
        whole: Scalar = 0.0
        for i in range(n):
            wrong = maximum(pending[i] * (0.0 - outward[i]), (1.0 - absolute(at.side[i])) * absolute(pull[i]))
            worst = maximum(worst, wrong * wrong / own[i])
            whole = maximum(whole, size[i] * size[i] / own[i])
        doubt = maximum(doubt, greater(worst, (limit * limit) * whole))
        for i in range(n):
            if k < len(pulls) - 1:
                held = pending[i] * greater(outward[i], TIGHT * size[i])
                doubt = maximum(doubt, held * greater(worst, (hold * hold) * (outward[i] * outward[i] / own[i])))
            pending[i] = pending[i] * (1.0 - greater(absolute(pull[i]), TIGHT * size[i]))
    return doubt


def _gather(pull: list[Scalar], size: list[Scalar], row: list[Scalar], strength: Scalar, bulk: Scalar) -> None:
    """A row at some strength, added to what pulls; the size of its parts beside it."""
    for i, entry in enumerate(row):
        pull[i] = pull[i] + entry * strength
        size[i] = size[i] + absolute(entry) * bulk


def _spanned(span: list[Scalar], strengths: list[Scalar]) -> Scalar:
    """What rows do at these strengths, at most, to an entry that alone does 1 to itself."""
    return _dot(span, [absolute(strength) for strength in strengths])


def _blurred(size: list[Scalar], alone: list[Scalar], blur: Scalar) -> list[Scalar]:
    """Sizes of parts, those included that may have been lost in rounding."""
    faint = FAINT * blur
    return [part + entry * faint for part, entry in zip(size, alone, strict=True)]


def _dot(a: list[Scalar], b: list[Scalar]) -> Scalar:
    total = a[0] * b[0]
    for i in range(1, len(a)):
        total = total + a[i] * b[i]
    return total
