"""cone_solve: impulses of contacts with Coulomb friction, of stops and of dry friction, by projected Gauss–Seidel.

    w = (A + diag c) x + r            velocities of the rows after impulses x; A symmetric, positive semidefinite
    cone (3 rows)   w_n ≥ 0,  x_n ≥ 0,  x_n w_n = 0,  |x_t| ≤ μ x_n,  and where w_t ≠ 0: x_t = -μ x_n w_t / |w_t|
    one_sided       w ≥ 0,  x ≥ 0,  x w = 0
    box             |x| ≤ b,  and where w ≠ 0: x = -b w / |w|

A contact's rows are along the axes of one frame, whichever; its unit normal is data. Block after block is solved while
the others stand still, so many sweeps, from x0 on: the impulse that lets a contact stick where its cone has that one,
else the one at the rim, opposite to how it slides, that stops its approach. Where friction alone might hold a contact
down, so that there are several solutions, it takes a projected step instead. What nothing gives way to has no impulse.
After the last sweep `residual` says how far x is from a solution, as a velocity: the largest entry of the natural map
D (x - P(x - w / D)), P onto x_n ≥ 0, the disc of μ x_n, x ≥ 0 or the box, D how much a block gives way.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from motionc.errors import Error
from motionc.program.kernels.kernel import Call, Kernel, Rule, Site, by_its_pattern, register
from motionc.program.kernels.lu_solve import MOST as LU_ROWS
from motionc.program.kernels.lu_solve import lu_solve
from motionc.program.kernels.scalars import Rows, Scalar, absolute, dot, greater, maximum, minimum, root, select

KINDS = ("cone", "one_sided", "box")
"""What rows are, in the order of their numbers in a pattern."""
SWEEPS = 5
"""From impulses of the time step before."""
MOST_ROWS = 96
"""Rows up to which it is a kernel."""
GIVES_WAY = 1e-22
"""Diagonal entries below this share of the largest, or of 0.01, are squares of rounding errors: nothing gives way."""
PROXIMAL = 1e-9
"""This share of what a contact gives way is added on the diagonal of its block, which may be singular: the step that
lets it stick has the same end."""
TURNS = 2
"""How often a contact that slides turns its impulse against how it would slide, in a sweep."""
DEPENDENT = 1e-11
"""This share of it is added where derivatives are solved for, of rows that may depend on each other."""
MANY = f"derivatives of contacts, stops and dry friction are known up to {LU_ROWS} rows; ask for fewer"
SURE = 1.1
"""A contact is solved by itself where its problem has one solution: nᵀ D n > μ |D n| across, by so much."""


def _cone_solve(matrix: Rows, right: list[Scalar], pattern: tuple[int, ...], _: int) -> list[Scalar]:
    sweeps, kinds = pattern[0], pattern[1:]
    m = len(matrix)
    r, x, normal, bound, compliance = (right[k * m : (k + 1) * m] for k in range(5))
    largest: Scalar = 0.01
    for i in range(m):
        largest = maximum(largest, matrix[i][i] + compliance[i])
    nothing = GIVES_WAY * largest
    w = list(r)
    for k in range(m):
        _push(matrix, compliance, w, k, x[k])

    # what is the same in every sweep
    blocks: list[tuple[int, int, Any]] = []
    for kind, k, end in _blocks(kinds):
        rows = range(k, end)
        own = [[matrix[i][j] + compliance[i] if i == j else matrix[i][j] for j in rows] for i in rows]
        if kind == 0:
            blocks.append((k, end, ContactBlock(own, normal[k:end], bound[k], nothing)))
        else:
            gives = greater(own[0][0], nothing)
            inverse = gives / select(gives, own[0][0], 1.0)
            blocks.append((k, end, RowBlock(own[0][0], inverse, bound[k] if kind == 2 else None)))

    # block after block, the others standing still
    for _ in range(sweeps):
        for k, end, block in blocks:
            after = block.stopped(x[k:end], w[k:end])
            for i in range(k, end):
                _push(matrix, compliance, w, i, after[i - k] - x[i])
                x[i] = after[i - k]

    # how far from a solution
    residual: Scalar = 0.0
    for k, end, block in blocks:
        residual = maximum(residual, block.unmet(x[k:end], w[k:end]))
    return [*x, residual]


def _blocks(kinds: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """The kind of each block, its first row and the one behind it."""
    ends = [*accumulate([3 if kind == 0 else 1 for kind in kinds])]
    return [*zip(kinds, [0, *ends], ends, strict=False)]


def _push(matrix: Rows, compliance: list[Scalar], w: list[Scalar], k: int, impulse: Scalar) -> None:
    """Velocities of all rows after an impulse along row k."""
    for i in range(len(w)):
        w[i] = w[i] + matrix[k][i] * impulse
    w[k] = w[k] + compliance[k] * impulse


# ---------------------------------------------------------------- a row


class RowBlock(NamedTuple):
    """How a row gives way, and the inverse of that, 0 where it does not; the bound of its impulse, none of a stop's."""

    way: Scalar
    inverse: Scalar
    bound: Scalar | None

    def stopped(self, x: list[Scalar], w: list[Scalar]) -> list[Scalar]:
        """The impulse that stops the row, or the nearest there may be."""
        return [_kept((self.way * x[0] - w[0]) * self.inverse, self.bound)]

    def unmet(self, x: list[Scalar], w: list[Scalar]) -> Scalar:
        """The natural map."""
        held, limit = self.way * x[0], None if self.bound is None else self.way * self.bound
        return absolute(held - _kept(held - w[0], limit))


def _kept(impulse: Scalar, bound: Scalar | None) -> Scalar:
    return maximum(impulse, 0.0) if bound is None else maximum(minimum(impulse, bound), -1.0 * bound)


# ---------------------------------------------------------------- a contact


class ContactBlock:
    """A contact's own block D, and what is made of it once: D n, nᵀ D n and its inverse, 0 where nothing gives way;
    the inverse of D, a little of the identity added; and the largest eigenvalue of D across n, and its inverse.
    """

    def __init__(self, block: Rows, n: list[Scalar], friction: Scalar, nothing: Scalar) -> None:
        self.block, self.n, self.friction = block, n, friction
        self.along = [dot(row, n) for row in block]
        self.way = dot(self.along, n)
        self.gives = greater(self.way, nothing)
        self.inverse = self.gives / select(self.gives, self.way, 1.0)
        (a, b, c), (_, d, e), (_, _, f) = block
        trace = a + d + f
        self.whole = _proximal_inverse(block, PROXIMAL * select(self.gives, trace, 1.0))

        # of two eigenvalues across the normal, from their sum and the sum of their squares
        both = trace - self.way
        squares = a * a + d * d + f * f + 2.0 * (b * b + c * c + e * e)
        squares = squares - 2.0 * dot(self.along, self.along) + self.way * self.way
        self.across = maximum(0.5 * (both + root(maximum(2.0 * squares - both * both, 0.0))), 0.0)
        slips = greater(self.across, nothing)
        self.across_inverse = slips / select(slips, self.across, 1.0)

        # whether friction cannot take back how it gives way: then, and only then, is there one solution for it alone
        aside = SURE * SURE * friction * friction * (dot(self.along, self.along) - self.way * self.way)
        self.sure = self.gives * greater(self.way * self.way, aside)

    def stopped(self, x: list[Scalar], w: list[Scalar]) -> list[Scalar]:
        """The impulse that lets it stick, where the cone has it; else one at the rim, or none."""
        n, friction = self.n, self.friction
        stick = [x[i] - dot(self.whole[i], w) for i in range(3)]
        upward = dot(n, stick)
        aside = [stick[i] - n[i] * upward for i in range(3)]
        limit = friction * maximum(upward, 0.0)
        sticks = self.sure * select(greater(dot(aside, aside), limit * limit), 0.0, greater(upward, 0.0))

        # one that is not sure: its normal impulse by itself
        closing, pressed = dot(n, w), dot(n, x)
        lift = select(self.sure, 0.0, maximum(pressed - closing * self.inverse, 0.0) - pressed)
        slide = [x[i] + n[i] * lift for i in range(3)]
        v = [w[i] + self.along[i] * lift for i in range(3)]

        # opposite to how it slides; the normal impulse with what friction there takes back
        released = dot(self.along, x) - closing
        for turn in range(TURNS):
            if turn > 0:
                moved = [slide[i] - x[i] for i in range(3)]
                v = [w[i] + dot(self.block[i], moved) for i in range(3)]
            onward = [slide[i] - v[i] * self.across_inverse for i in range(3)]
            forward = dot(n, onward)
            onward = [onward[i] - n[i] * forward for i in range(3)]
            size = root(dot(onward, onward))
            moves = greater(size, 0.0)
            share = friction * (moves / select(moves, size, 1.0))
            leaning = select(self.sure, self.way + share * dot(self.along, onward), 1.0)
            pressed = self.gives * maximum(select(self.sure, released / leaning, dot(n, slide)), 0.0)
            share = share * pressed
            share = select(self.sure, share, minimum(share, 1.0))
            after = [n[i] * pressed + onward[i] * share for i in range(3)]
            slide = after if turn == 0 else [select(self.sure, after[i], slide[i]) for i in range(3)]
        return [select(sticks, stick[i], slide[i]) for i in range(3)]

    def unmet(self, x: list[Scalar], w: list[Scalar]) -> Scalar:
        """The natural map: of the normal impulse, and of the one across, each by how it gives way."""
        n = self.n
        pressed, closing = dot(n, x), dot(n, w)
        normal = absolute(minimum(closing, self.way * pressed))
        held = [self.across * (x[i] - n[i] * pressed) for i in range(3)]
        onward = [held[i] - (w[i] - n[i] * closing) for i in range(3)]
        size, limit = root(dot(onward, onward)), self.across * self.friction * pressed
        beyond = greater(size, limit)
        share = select(beyond, limit / select(beyond, size, 1.0), 1.0)
        off = [held[i] - onward[i] * share for i in range(3)]
        return maximum(normal, root(dot(off, off)))


def _proximal_inverse(block: Rows, more: Scalar) -> Rows:
    """(D + more 1)⁻¹ of 3 rows by LDLᵀ, whose pivots are not less than what is added."""
    (a, b, c), (_, d, e), (_, _, f) = block
    first = 1.0 / (a + more)
    one, two = b * first, c * first
    second = 1.0 / maximum(d + more - b * one, more)
    rest = e - b * two
    three = rest * second
    third = 1.0 / maximum(f + more - c * two - rest * three, more)
    last = one * three - two
    h11, h12, h02 = second + three * three * third, -1.0 * three * third, last * third
    h01 = -1.0 * one * second - three * h02
    h00 = first - one * h01 - two * h02
    return [[h00, h01, h02], [h01, h11, h12], [h02, h12, third]]


# ---------------------------------------------------------------- how it changes


def _cone_change(site: Site, changes: list[Scalar]) -> Sequence[Scalar]:
    """Implicitly, at a solution: each block keeps being open (dx = 0), sticking (dw = 0) or sliding.

        Gx dx + Gw dw + p = 0      dw = (A + diag c) dx + q      q = dA x + dc x + dr

    x0 has no influence. Where rows depend on each other dx is one of many, all of which have the same dw.
    """
    m = site.call.size
    (A, _, _, normal, bound, c), (dA, dr, _, dn, db, dc) = _parts(site.given, m), _parts(changes, m)
    x = np.array(site.found[:m], object)
    K = A.T + np.diag(c)
    w, q = K @ x + _parts(site.given, m)[1], dA.T @ x + dc * x + dr
    held, driven, pushed = np.zeros((m, m), object), np.zeros((m, m), object), np.zeros(m, object)
    for kind, k, end in _blocks(site.call.pattern[1:]):
        at, own = slice(k, end), np.trace(K[k:end, k:end])
        scale = 1.0 / select(greater(own, 0.0), own, 1.0)
        if kind == 0:
            changed = _contact_change(own, scale, normal[at], bound[k], x[at], w[at], dn[at], db[k])
        else:
            changed = _row_change(own, scale, bound[k] if kind == 2 else None, x[k], w[k], db[k])
        held[at, at], driven[at, at], pushed[at] = changed
        K[range(k, end), range(k, end)] += DEPENDENT * own
    G = held + driven @ K
    inverse = np.array(site.writer.call(lu_solve(m, m), G, np.eye(m))[:-1], object).reshape(m, m)
    return [*-(inverse @ (driven @ q + pushed)), 0.0]


def _parts(values: list[Scalar], m: int) -> tuple[Any, ...]:
    """A, r, x0, n, b, c."""
    beside = np.array(values[m * m :], object).reshape(5, m)
    return np.array(values[: m * m], object).reshape(m, m), *beside


def _row_change(
    own: Scalar, scale: Scalar, bound: Scalar | None, x: Scalar, w: Scalar, db: Scalar
) -> tuple[Any, Any, Any]:
    """Gx, Gw and p: it stands still where its impulse is neither 0 nor at its bound."""
    if bound is None:
        stands, pushed = greater(x, 0.0) * greater(own * x - w, 0.0), 0.0
    else:
        stands = greater(own * bound, absolute(own * x - w))
        pushed = select(stands, 0.0, (greater(0.0, x) - greater(x, 0.0)) * db)
    return select(stands, 0.0, 1.0), select(stands, scale, 0.0), pushed


def _contact_change(
    own: Scalar, scale: Scalar, n: Any, friction: Scalar, x: Any, w: Any, dn: Any, d_friction: Scalar
) -> tuple[Any, Any, Any]:
    """Gx, Gw and p; of one that slides: x - n n·x + μ n·x s = 0 across, s = w / |w|, and n·w = 0."""
    pressed = n @ x
    across, sliding = x - n * pressed, w - n * (n @ w)
    onward, speed = own * across - sliding, root(sliding @ sliding)
    closed = greater(pressed, 0.0)
    slides = closed * greater(root(onward @ onward), own * friction * pressed)
    s = sliding / select(greater(speed, 0.0), speed, 1.0)
    t = np.array([n[1] * s[2] - n[2] * s[1], n[2] * s[0] - n[0] * s[2], n[0] * s[1] - n[1] * s[0]], object)
    turned = friction * pressed / select(greater(speed, 0.0), speed, 1.0)
    of_x = np.eye(3) - np.outer(n, n) + friction * np.outer(s, n)
    of_w = turned * np.outer(t, t) + scale * np.outer(n, n)
    pushed = s * (friction * (x @ dn) + pressed * d_friction) - pressed * dn + n * (scale * (w @ dn))
    held, driven = np.empty((3, 3), object), np.empty((3, 3), object)
    for i, j in np.ndindex(3, 3):
        held[i, j] = select(slides, of_x[i, j], select(closed, 0.0, float(i == j)))
        driven[i, j] = select(slides, of_w[i, j], select(closed, scale * float(i == j), 0.0))
    return held, driven, np.array([select(slides, entry, 0.0) for entry in pushed], object)


def _many_rows(call: Call) -> dict[int, str]:
    return dict.fromkeys(range(call.size), MANY) if call.size > LU_ROWS else {}


CONE_SOLVE = register(
    Kernel(
        "cone_solve",
        "x and w = (A + diag c) x + r of contacts with friction, stops and dry friction; residual of x",
        by_its_pattern,
        lambda m: (m, 1),
        Rule(_cone_change, _many_rows),
        right=5,
        along=_cone_solve,
    )
)


def cone_solve(kinds: Sequence[str], sweeps: int = SWEEPS) -> Call:
    """Its call for these kinds of rows in their order, each "cone" (3 rows), "one_sided" or "box", by so many sweeps.

    Beside A, row by row, stand r, x0, n, b and c, a number for each row, one after the other.
    """
    rows = sum(3 if kind == "cone" else 1 for kind in kinds)
    if any(kind not in KINDS for kind in kinds) or not 1 <= rows <= MOST_ROWS or sweeps < 1:
        raise Error(
            f"cone_solve of {list(kinds)} by {sweeps} sweeps: kinds are {', '.join(KINDS)}, "
            f"of 1 to {MOST_ROWS} rows in all, and there is at least one sweep"
        )
    return CONE_SOLVE.on_tree((sweeps, *map(KINDS.index, kinds)), 1).call(rows)
