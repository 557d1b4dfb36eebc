"""box_solve: nearest to a task inside bounds, level after level; box.py has the loops, this file how they change.

A row of its matrix is [P, lower bound, upper bound, s] for a motor, [C, r, 0, 0] for a contact or a task's row.

    y in the box, C₁ y nearest to r₁, of those C₂ y nearest to r₂, …, of those (y + s)ᵀ P (y + s) least

The answer is differentiated on the active set that was found. Beside contacts no derivative is known here.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionc.program.kernels.box import box
from motionc.program.kernels.box_basis import COLUMNS
from motionc.program.kernels.kernel import Call, Kernel, Rule, Site, register
from motionc.program.kernels.scalars import Scalar, factor, substitute

CONTACTS = (
    "it is the best within limits beside contacts, of which no derivative is known here; "
    'ask without limits=…, or with on_limit="clip"'
)
USUAL = 1e-11
"""What counts as dependent unless it is said."""


def _box_change(site: Site, changes: list[Scalar]) -> Sequence[Scalar]:
    """The answer written out on the active set that was found, and differentiated there: entries at a bound change
    with it, whoever is free with the rest.
    """
    writer, m = site.writer, site.call.size
    n, _, *levels = site.call.blocks
    tolerance = USUAL if site.call.tolerance is None else site.call.tolerance
    sides, matrix = site.found[m : m + n], np.array(site.given, object).reshape(m, n + COLUMNS)
    P, C = matrix[:n, :n], matrix[n:, :n]
    lower, upper, shift = matrix[:n, n:].T
    wanted = matrix[n:, n]

    # who is bound, and where
    free, start = np.empty(n, object), np.empty(n, object)
    for i, side in enumerate(sides):
        free[i] = lower[i].less(upper[i]).select(1.0 - side * side, 0.0)
        start[i] = free[i].select(0.0, writer.value(0.0).less(side).select(upper[i], lower[i]))

    # the best of those who are free, from there
    inertia = P * np.outer(free, free) + np.diag(1.0 - free)
    triangle = factor([list(row) for row in inertia], lambda pivot, _: 1.0 / pivot)
    go = np.array(substitute(*triangle, list(-(P @ (start + shift)) * free)), object)
    replies = np.array([substitute(*triangle, list(row * free)) for row in C], object)
    coupling = C @ replies.T
    whole = factor([list(row) for row in P], lambda pivot, _: 1.0 / pivot)
    alone = [row @ np.array(substitute(*whole, list(row)), object) for row in C]
    reached = np.array([(alone[j] * tolerance).less(coupling[j, j]) for j in range(len(C))], object)
    missing = wanted - C @ (start + go)
    solve = Call("range_solve", tuple(levels), tolerance, most=n if n < len(C) else None, weights=site.call.weights)
    force = np.array(writer.call(solve, coupling * np.outer(reached, reached), missing)[: len(C)], object)
    y = start + go + replies.T @ force
    return [*site.through(list(y)), *[0.0] * (2 * m - n + 1)]


def _beside_contacts(call: Call) -> dict[int, str]:
    return dict.fromkeys(range(call.size), CONTACTS) if call.blocks[1] else {}


BOX_SOLVE = register(
    Kernel(
        "box_solve",
        "y in a box, C y nearest to r, then (y + s)ᵀ P (y + s) least; "
        "at which bounds it is, and how many steps that took",
        box,
        lambda m: (m, m, 1),
        Rule(_box_change, _beside_contacts),
        right=0,
        usual=USUAL,
        square=False,
        unwritten='it searches for an active set; ask without limits=…, or with on_limit="clip"',
    )
)


def box_solve(blocks: tuple[int, ...], tolerance: float | None = None, weights: Sequence[float] = ()) -> Kernel:
    """It, for so many motors, contacts and rows of each level."""
    return replace(BOX_SOLVE.with_policy(blocks, tolerance, weights=weights), columns=blocks[0] + COLUMNS)
