"""How kernels change with what they are given: one function a kernel.

    x = A⁻¹ r     dx = A⁻¹ (dr - dA x)
    x = A⁺ r      dx = A⁺ (dr - dA x + A⁺ dA ρ) + (1 - A⁺ A) dA A⁺ x,  ρ = r - A x

The second holds where the rank of A does not change; what it adds to the first counts below full rank alone. A is
symmetric: changes are read off its upper half, as kernels read it. Where some x is asked for (range_solve), the last
term is left out: what A does not see of x stands still. Blocks in order of priority have a matrix K in place of A⁺.

A rule gives changes that are linear in the changes it is given, whatever it writes besides. Transposing them
(differentiate.py) needs no rule of its own; only a kernel that is called on changes must say what its transpose is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from motionc.program.box import COLUMNS
from motionc.program.build import Scalar, Value, Writer
from motionc.program.kernels import BOX_SOLVE, Call
from motionc.program.scalars import factor, substitute

Push = Callable[["Site", list[Scalar]], Sequence[Scalar]]
"""From where a kernel is called, and the changes of its arguments, to the changes of what it gives."""

Through = Callable[[Sequence[Value]], list[Scalar]]
"""Changes of values computed from what a kernel takes, while what it gives stands still."""

CONDITION = "it says how far rows are from depending on each other, which is a report and no quantity"
CONTACTS = (
    "it is the best within limits beside contacts, of which no derivative is known here; "
    'ask without limits=…, or with on_limit="clip"'
)


@dataclass(frozen=True, slots=True)
class Site:
    """A call in a program: which kernel, what it takes and what it gives; and how the writer differentiates."""

    writer: Writer
    call: Call
    given: list[Value]
    found: list[Value]
    through: Through

    def split(self, arguments: Sequence[Scalar]) -> tuple[Any, Any]:
        """A matrix, symmetric, read off its upper half, and what stands beside it."""
        m = self.call.size
        matrix = np.empty((m, m), object)
        for i in range(m):
            for j in range(i, m):
                matrix[i, j] = matrix[j, i] = arguments[i * m + j]
        return matrix, np.array([*arguments[m * m :]], object)

    @property
    def full(self) -> Value:
        """1 at full rank, else 0; the rank is what a kernel gives before the last."""
        return self.writer.value(self.call.size - 0.5).less(self.found[-2])

    def solution(self, A: Any, blocks: tuple[int, ...]) -> Any:
        """The matrix K of the solve K r on these blocks, ranked as in this call; A⁺ where there is one block."""
        m, name = len(A), "truncated_inverse" if len(blocks) == 1 else "range_solve"
        most = None if self.call.most is None or self.call.most >= m else self.call.most
        call = self.call._replace(kernel=name, blocks=blocks, most=most, weights=self.call.weights[:m])
        if len(blocks) == 1:
            return np.array(self.writer.call(call, A)[: m * m], object).reshape(m, m)
        units = [self.writer.call(call, A, unit)[:m] for unit in np.eye(m)]
        return np.array(units, object).T


@dataclass(frozen=True, slots=True)
class Rule:
    """How a kernel changes; which outputs have no derivative, and why; its transpose, where it is called on changes."""

    push: Push
    refused: Callable[[Call], dict[int, str]] = field(default=lambda _: {})
    transpose: Callable[[Writer, Call, list[Value], list[Scalar]], list[Scalar]] | None = None


# ---------------------------------------------------------------- solves


def _ldlt(site: Site, changes: list[Scalar]) -> Sequence[Scalar]:
    (A, _), (dA, dr) = site.split(site.given), site.split(changes)
    return site.writer.call(site.call, A, dr - dA @ np.array(site.found, object))


def _same_again(writer: Writer, call: Call, matrix: list[Value], bars: list[Scalar]) -> list[Scalar]:
    """A⁻¹ is symmetric."""
    return [*writer.call(call, matrix, bars)]


def _pseudo(site: Site, changes: list[Scalar], *, least: bool) -> Sequence[Scalar]:
    """One level after the other: what of r a level leaves unmet, ρ, turns with A."""
    (A, r), (dA, dr) = site.split(site.given), site.split(changes)
    m, full = site.call.size, site.full
    x = np.array(site.found[:m], object)

    def below(values: Any) -> Any:
        """The values below full rank, zero at it."""
        return np.array([full.select(0.0, value) for value in np.ravel(values)], object).reshape(values.shape)

    missing, unmet = dr - dA @ x, below(r - A @ x)
    solves: Any = np.empty((0, 0), object)
    start = 0
    for level, end in enumerate(accumulate(site.call.blocks), start=1):
        felt = np.array([*-(solves @ (A[:start, start:end] @ unmet[start:end])), *unmet[start:end]], object)
        solves = site.solution(A[:end, :end], site.call.blocks[:level])
        missing[start:end] = missing[start:end] + (solves @ (dA[:end, :end] @ felt))[start:end]
        start = end
    dx = solves @ missing
    if least:
        P = site.solution(A, (m,))
        dx = dx - below(np.eye(m) - P @ A) @ (dx - dA @ (P @ x))
    return [*dx, 0.0, 0.0]


def _inverse(site: Site, changes: list[Scalar]) -> Sequence[Scalar]:
    """dP = -P dA P + P P dA (1 - A P) + (…)ᵀ, P = A⁺."""
    (A, _), (dA, _) = site.split(site.given), site.split(changes)
    m, full = site.call.size, site.full
    P = np.array(site.found[: m * m], object).reshape(m, m)
    beyond = np.array([full.select(0.0, entry) for entry in np.ravel(np.eye(m) - A @ P)], object).reshape(m, m)
    turned = P @ dA
    tilted = (P @ turned) @ beyond
    return [*np.ravel(tilted + tilted.T - turned @ P), 0.0, 0.0]


def _condition(call: Call) -> dict[int, str]:
    return {call.outputs - 1: CONDITION}


# ---------------------------------------------------------------- the box


def _box(site: Site, changes: list[Scalar]) -> Sequence[Scalar]:
    """The answer written out on the active set that was found, and differentiated there: entries at a bound change
    with it, whoever is free with the rest.
    """
    writer, m = site.writer, site.call.size
    n, _, *levels = site.call.blocks
    tolerance = BOX_SOLVE.usual if site.call.tolerance is None else site.call.tolerance
    given, sides = np.array(site.given, object), site.found[m : m + n]
    matrix, right = given[: m * m].reshape(m, m), given[m * m :].reshape(m, COLUMNS)
    P, C = matrix[:n, :n], matrix[n:, :n]
    lower, upper, shift = right[:n].T
    wanted = right[n:, 0]

    # who is bound, and where
    free, start = np.empty(n, object), np.empty(n, object)
    for i, side in enumerate(sides):
        free[i] = lower[i].less(upper[i]).select(1.0 - side * side, 0.0)
        start[i] = free[i].select(0.0, writer.value(0.0).less(side).select(upper[i], lower[i]))

    # a step of those who are free (program/box.py), from there
    inertia = P * np.outer(free, free) + np.diag(1.0 - free)
    triangle = factor([list(row) for row in inertia], lambda pivot, _: 1.0 / pivot)
    go = np.array(substitute(*triangle, list(-(P @ (start + shift)) * free)), object)
    replies = np.array([substitute(*triangle, list(row * free)) for row in C], object)
    coupling = C @ replies.T
    reached = np.array([(matrix[n + j, n + j] * tolerance).less(coupling[j, j]) for j in range(len(C))], object)
    missing = wanted - C @ (start + go)
    solve = Call("range_solve", tuple(levels), tolerance, most=n if n < len(C) else None, weights=site.call.weights)
    force = np.array(writer.call(solve, coupling * np.outer(reached, reached), missing)[: len(C)], object)
    y = start + go + replies.T @ force
    return [*site.through([*y, *(wanted - C @ y)]), *[0.0] * (m + 1)]


def _box_beside_contacts(call: Call) -> dict[int, str]:
    return dict.fromkeys(range(call.size), CONTACTS) if call.blocks[1] else {}


# ---------------------------------------------------------------- along a tree


def _written_out(site: Site, _: list[Scalar]) -> Sequence[Scalar]:
    """A kernel that only multiplies, adds and divides: its own definition, instruction by instruction."""
    return site.through([site.writer.value(entry) for entry in site.call.run(list(site.given))])


RULES: dict[str, Rule] = {
    "ldlt_solve": Rule(_ldlt, transpose=_same_again),
    "truncated_solve": Rule(partial(_pseudo, least=True), _condition),
    "range_solve": Rule(partial(_pseudo, least=False), _condition),
    "truncated_inverse": Rule(_inverse, _condition),
    "box_solve": Rule(_box, _box_beside_contacts),
    "tree_pairs": Rule(_written_out),
    "tree_factor": Rule(_written_out),
    "tree_solve": Rule(_written_out),
}
"""Every kernel's rule. Outputs that only count or choose (rank, sides, steps) do not change: their derivative is 0."""
