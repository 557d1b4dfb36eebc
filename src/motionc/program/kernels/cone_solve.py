"""cone_solve: impulses of contacts with Coulomb friction, of stops and of dry friction, by projected Gauss–Seidel.

    w = (A + diag c) x + r            velocities of the rows after impulses x; A symmetric, positive semidefinite
    cone (3 rows)   w_n ≥ 0,  x_n ≥ 0,  x_n w_n = 0,  |x_t| ≤ μ x_n,  and where w_t ≠ 0: x_t = -μ x_n w_t / |w_t|
    one_sided       w ≥ 0,  x ≥ 0,  x w = 0
    box             |x| ≤ b,  and where w ≠ 0: x = -b w / |w|

A contact's rows are along the axes of one frame, whichever; its unit normal is data. Block after block is solved while
the others stand still, so many sweeps, from x0 on: the impulse that lets a contact stick where its cone has that one,
else the one at the rim, opposite to how it slides, that stops its approach. What nothing gives way to has no impulse.
After the last sweep `residual` says how far x is from a solution, as a velocity: the largest entry of the natural map
D (x - P(x - w / D)), P onto x_n ≥ 0, the disc of μ x_n, x ≥ 0 or the box, D how much a block gives way.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from motionc.errors import Error
from motionc.program.kernels.kernel import Call, Kernel, Rule, Site, by_its_pattern, register
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
LEANS = 0.1
"""Where friction takes back more than all but this share of how a contact gives way, its normal impulse goes by itself.
"""


def _cone_solve(matrix: Rows, right: list[Scalar], pattern: tuple[int, ...], _: int) -> list[Scalar]:
    sweeps, *kinds = pattern
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
    ends = [*accumulate(3 if kind == 0 else 1 for kind in kinds)]
    starts = [0, *ends[:-1]]
    blocks: list[Any] = []
    for kind, k, end in zip(kinds, starts, ends, strict=True):
        rows = range(k, end)
        own = [[matrix[i][j] + compliance[i] if i == j else matrix[i][j] for j in rows] for i in rows]
        if kind == 0:
            blocks.append(ContactBlock(own, normal[k : k + 3], bound[k], nothing))
        else:
            gives = greater(own[0][0], nothing)
            inverse = gives / select(gives, own[0][0], 1.0)
            blocks.append(RowBlock(own[0][0], inverse, bound[k] if kind == 2 else None))

    # block after block, the others standing still
    for _ in range(sweeps):
        for k, end, block in zip(starts, ends, blocks, strict=True):
            after = block.stopped(x[k:end], w[k:end])
            for i in range(k, end):
                _push(matrix, compliance, w, i, after[i - k] - x[i])
                x[i] = after[i - k]

    # how far from a solution
    residual: Scalar = 0.0
    for k, end, block in zip(starts, ends, blocks, strict=True):
        residual = maximum(residual, block.unmet(x[k:end], w[k:end]))
    return [*x, residual]


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

    def stopped(self, x: list[Scalar], w: list[Scalar]) -> list[Scalar]:
        """The impulse that lets it stick, where the cone has it; else one at the rim, or none."""
        n, friction = self.n, self.friction
        stick = [x[i] - dot(self.whole[i], w) for i in range(3)]
        upward = dot(n, stick)
        aside = [stick[i] - n[i] * upward for i in range(3)]
        limit = friction * maximum(upward, 0.0)
        sticks = self.gives * select(greater(dot(aside, aside), limit * limit), 0.0, greater(upward, 0.0))

        # opposite to how it slides; the normal impulse with what friction there takes back
        slide, v, free = x, w, dot(n, w) - dot(self.along, x)
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
            slope = [n[i] + onward[i] * share for i in range(3)]
            leaning = dot(self.along, slope)
            together = greater(leaning, LEANS * self.way)
            coupled = -1.0 * free / select(together, leaning, 1.0)
            alone = dot(n, slide) - dot(n, v) * self.inverse
            pressed = self.gives * maximum(select(together, coupled, alone), 0.0)
            slide = [pressed * slope[i] for i in range(3)]
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


def _cone_change(site: Site, changes: list[Scalar]) -> Sequence[Scalar]:
    raise Error("no derivative of cone_solve is known here")


CONE_SOLVE = register(
    Kernel(
        "cone_solve",
        "x and w = (A + diag c) x + r of contacts with friction, stops and dry friction; residual of x",
        by_its_pattern,
        lambda m: (m, 1),
        Rule(_cone_change),
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
