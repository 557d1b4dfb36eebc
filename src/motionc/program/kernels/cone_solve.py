"""cone_solve: impulses of contacts with Coulomb friction, of stops and of dry friction, by projected Gauss–Seidel.

    w = (A + diag c) x + r            velocities of the rows after impulses x; A symmetric, positive semidefinite
    cone (3 rows)   w_n ≥ 0,  x_n ≥ 0,  x_n w_n = 0,  |x_t| ≤ μ x_n,  and where w_t ≠ 0: x_t = -μ x_n w_t / |w_t|
    one_sided       w ≥ 0,  x ≥ 0,  x w = 0
    box             |x| ≤ b,  and where w ≠ 0: x = -b w / |w|

A contact's rows are along the axes of one frame, whichever; its unit normal is data. Block after block is solved while
the others stand still, so many sweeps, from x0 on: the impulse that lets a contact stick where its cone has that one,
else the one at the rim, opposite to how it slides, that stops its approach. Where friction alone might hold a contact
down, so that there are several solutions, it takes a projected step instead, shorter where friction pushes as the
normal impulse does. What nothing gives way to has no impulse.
After the last sweep `residual` says how far x is from a solution, as a velocity: the largest entry of the natural map
D (x - P(x - w / D)), P onto x_n ≥ 0, the disc of μ x_n, x ≥ 0 or the box, D how much a block gives way.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

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
DEPENDENT = 1e-9
"""This share of it is added where derivatives are solved for, of rows that may depend on each other; and then made up
for by a second step."""
SLIDES = 1e-6
"""A contact slides where it does by more than this share of what friction does to its velocity."""
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
            blocks.append((k, end, ContactBlock(own, normal[k:end], bound[k], nothing, x[k:end])))
        else:
            blocks.append((k, end, RowBlock(own[0][0], bound[k] if kind == 2 else None, nothing, x[k])))

    # block after block, the others standing still
    for _ in range(sweeps):
        for k, end, block in blocks:
            change = block.stopped(w[k:end])
            for i in range(k, end):
                _push(matrix, compliance, w, i, change[i - k])

    # how far from a solution
    residual: Scalar = 0.0
    for k, end, block in blocks:
        residual = maximum(residual, block.unmet(w[k:end]))
    return [*(entry for _, _, block in blocks for entry in block.impulse()), residual]


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


class RowBlock:
    """How a row gives way, and the inverse of that, 0 where it does not; its impulse, whose bound a stop has not."""

    def __init__(self, way: Scalar, bound: Scalar | None, nothing: Scalar, x: Scalar) -> None:
        self.way, self.bound, self.x = way, bound, x
        gives = greater(way, nothing)
        self.inverse = gives / select(gives, way, 1.0)

    def stopped(self, w: list[Scalar]) -> list[Scalar]:
        """The change to the impulse that stops the row, or to the nearest there may be."""
        before = self.x
        self.x = _kept((self.way * before - w[0]) * self.inverse, self.bound)
        return [self.x - before]

    def unmet(self, w: list[Scalar]) -> Scalar:
        """The natural map."""
        held, limit = self.way * self.x, None if self.bound is None else self.way * self.bound
        return absolute(held - _kept(held - w[0], limit))

    def impulse(self) -> list[Scalar]:
        return [self.x]


def _kept(impulse: Scalar, bound: Scalar | None) -> Scalar:
    return maximum(impulse, 0.0) if bound is None else maximum(minimum(impulse, bound), -1.0 * bound)


# ---------------------------------------------------------------- a contact


class ContactBlock:
    """A contact in axes of its own, the first along its normal: y, its impulse, and what is made once of its block D:
    `along`, D n; the inverses of nᵀ D n and, a little of the identity added, of D; `across`, the largest eigenvalue of
    D across the normal, and its inverse. Inverses are 0 where nothing gives way.
    """

    def __init__(self, block: Rows, n: list[Scalar], friction: Scalar, nothing: Scalar, x: list[Scalar]) -> None:
        self.friction, self.axes = friction, [n, *_across(n)]
        half = [[dot(row, axis) for row in block] for axis in self.axes]
        D = [[dot(row, axis) for axis in self.axes] for row in half]
        self.y, self.along = [dot(axis, x) for axis in self.axes], D[0]
        (way, b, c), (_, d, e), (_, _, f) = D
        self.gives = greater(way, nothing)
        self.inverse = self.gives / select(self.gives, way, 1.0)
        self.whole = _proximal_inverse(D, PROXIMAL * select(self.gives, way + d + f, 1.0))
        self.across = 0.5 * (d + f + root((d - f) * (d - f) + 4.0 * e * e))
        slips = greater(self.across, nothing)
        self.across_inverse = slips / select(slips, self.across, 1.0)

        # whether friction cannot take back how it gives way: then, and only then, is there one solution for it alone
        self.sure = self.gives * greater(way * way, SURE * SURE * friction * friction * (b * b + c * c))

    def stopped(self, w: list[Scalar]) -> list[Scalar]:
        """The change to the impulse that lets it stick, where the cone has it; else to one at the rim, or none."""
        friction, sure, y, u = self.friction, self.sure, self.y, [dot(axis, w) for axis in self.axes]
        stick = [y[i] - dot(self.whole[i], u) for i in range(3)]
        limit = friction * maximum(stick[0], 0.0)
        beyond = greater(dot(stick[1:], stick[1:]), limit * limit)
        sticks = sure * select(beyond, 0.0, greater(stick[0], 0.0))

        # the normal impulse of one that is not sure goes first, by itself; no further than with friction as it is now,
        # where that pushes the same way: else both go too far, there and back for ever
        own, raised = self.along[0] * y[0], dot(self.along, y)
        presses = self.gives * greater(own, 0.0)
        eased = select(presses, y[0], self.inverse) / select(presses, maximum(own, raised), 1.0)
        lift = select(sure, 0.0, maximum(y[0] - u[0] * eased, 0.0) - y[0])
        pressed, released = y[0] + lift, raised - u[0]

        # opposite to how it slides; the normal impulse of others with what friction there takes back
        onward = [y[i] - (u[i] + self.along[i] * lift) * self.across_inverse for i in (1, 2)]
        size = root(dot(onward, onward))
        size = select(greater(size, 0.0), size, 1.0)
        leaning = self.along[0] * size + friction * dot(self.along[1:], onward)
        ratio = select(sure, released, pressed) / select(sure, leaning, size)
        ratio = self.gives * maximum(ratio, 0.0)
        share = friction * ratio
        share = select(sure, share, minimum(share, 1.0))
        slide = [ratio * size, share * onward[0], share * onward[1]]
        self.y = [select(sticks, stick[i], slide[i]) for i in range(3)]
        return self._turned_back([self.y[i] - y[i] for i in range(3)])

    def unmet(self, w: list[Scalar]) -> Scalar:
        """The natural map: of the normal impulse, and of the one across, each by how it gives way."""
        y, u = self.y, [dot(axis, w) for axis in self.axes]
        normal = absolute(minimum(u[0], self.along[0] * y[0]))
        held = [self.across * y[i] for i in (1, 2)]
        onward = [held[i] - u[1 + i] for i in (0, 1)]
        size, limit = root(dot(onward, onward)), self.across * self.friction * y[0]
        beyond = greater(size, limit)
        share = select(beyond, limit / select(beyond, size, 1.0), 1.0)
        off = [held[i] - onward[i] * share for i in (0, 1)]
        return maximum(normal, root(dot(off, off)))

    def impulse(self) -> list[Scalar]:
        return self._turned_back(self.y)

    def _turned_back(self, y: list[Scalar]) -> list[Scalar]:
        return [dot([axis[i] for axis in self.axes], y) for i in range(3)]


def _across(n: list[Scalar]) -> Rows:
    """Two axes across a normal, whichever way it points (Duff et al. 2017)."""
    x, y, z = n
    sign = select(greater(0.0, z), -1.0, 1.0)
    a = -1.0 / (sign + z)
    b = x * y * a
    return [[1.0 + sign * x * x * a, sign * b, -1.0 * sign * x], [b, sign + y * y * a, -1.0 * y]]


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

    x0 has no influence. Where rows depend on each other dx is one of many, all of which have the same dw. One inverse
    serves every direction.
    """
    m = site.call.size
    (A, _, _, normal, bound, c), (dA, dr, _, dn, db, dc) = _parts(site.given, m), _parts(changes, m)
    x = np.array(site.found[:m], object)
    K = A.T + np.diag(c)
    w, q = K @ x + _parts(site.given, m)[1], dA.T @ x + dc * x + dr
    held, driven, pushed, more = *(np.zeros((m, m), object) for _ in range(2)), *np.zeros((2, m), object)
    for kind, k, end in _blocks(site.call.pattern[1:]):
        at, own = slice(k, end), np.trace(K[k:end, k:end])
        scale = 1.0 / select(greater(own, 0.0), own, 1.0)
        if kind == 0:
            changed = _contact_change(own, scale, normal[at], bound[k], x[at], w[at], dn[at], db[k])
        else:
            changed = _row_change(own, scale, bound[k] if kind == 2 else None, x[k], w[k], db[k])
        held[at, at], driven[at, at], pushed[at] = changed
        more[at] = DEPENDENT * own
    G, wanted = held + driven @ K, -(driven @ q + pushed)
    solves = site.writer.call(lu_solve(m, m), G + driven * more, np.eye(m))[:-1]
    inverse = np.array(solves, object).reshape(m, m)
    dx = inverse @ wanted
    return [*(dx + inverse @ (wanted - G @ dx)), 0.0]


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
    slides = closed * greater(root(onward @ onward), (1.0 + SLIDES) * own * friction * pressed)
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
