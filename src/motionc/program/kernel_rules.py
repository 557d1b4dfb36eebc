"""How kernels change with what they are given: one function a kernel.

    x = A⁻¹ r     dx = A⁻¹ (dr - dA x)
    x = A⁺ r      dx = A⁺ (dr - dA x + A⁺ dA ρ - A dA u) + dA u,  ρ = r - A x, u = A⁺ x

The second holds where the rank of A does not change; ρ and u count below full rank alone. A is symmetric: changes are
read off its upper half, as kernels read it. Where some x is asked for (range_solve), its change is known up to what A
does not see. Blocks in order of priority are differentiated at full rank; below it the answer is NaN.

A rule gives changes that are linear in the changes it is given, whatever it writes besides. Transposing them
(differentiate.py) needs no rule of its own; only a kernel that is called on changes must say what its transpose is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.program.writer import Scalar, Value, Writer
from motionc.sweeps.box import COLUMNS
from motionc.sweeps.kernels import BOX_SOLVE, Call
from motionc.sweeps.scalars import factor, substitute

Push = Callable[["Site", list[Scalar]], Sequence[Scalar]]
"""From where a kernel is called, and the changes of its arguments, to the changes of what it gives."""

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
    through: Callable[[list[Value], list[Value], list[Scalar]], list[Scalar]]
    """Changes of what was computed from some values, with the changes of these."""

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

    def pseudo_inverse(self, A: Any) -> Any:
        """A⁺, ranked as in this call."""
        m = self.call.size
        found = self.writer.call(Call("truncated_inverse", self.call.blocks, self.call.tolerance), A)
        return np.array(found[: m * m], object).reshape(m, m)


@dataclass(frozen=True, slots=True)
class Rule:
    """How a kernel changes; which outputs have no derivative, and why; its transpose, where it is called on changes."""

    push: Push
    refused: Callable[[Call], dict[int, str]] = lambda _: {}
    transpose: Callable[[Writer, Call, list[Value], list[Scalar]], list[Scalar]] | None = None


# ---------------------------------------------------------------- solves


def _ldlt(site: Site, changes: list[Scalar]) -> Sequence[Scalar]:
    (A, _), (dA, dr) = site.split(site.given), site.split(changes)
    return site.writer.call(site.call, A, dr - dA @ np.array(site.found, object))


def _same_again(writer: Writer, call: Call, matrix: list[Value], bars: list[Scalar]) -> list[Scalar]:
    """A⁻¹ is symmetric."""
    return [*writer.call(call, matrix, bars)]


def _pseudo(site: Site, changes: list[Scalar], *, least: bool) -> Sequence[Scalar]:
    (A, r), (dA, dr) = site.split(site.given), site.split(changes)
    m, full, P = site.call.size, site.full, site.pseudo_inverse(A)
    x = np.array(site.found[:m], object)
    missing = dr - dA @ x
    if len(site.call.blocks) > 1:
        return [*(P @ missing) * full.select(1.0, np.nan), 0.0, 0.0]

    def below(values: Any) -> Any:
        return np.array([full.select(0.0, value) for value in values], object)

    missing = missing + P @ (dA @ below(r - A @ x))
    if not least:
        return [*P @ missing, 0.0, 0.0]
    beside = dA @ below(P @ x)
    return [*P @ (missing - A @ beside) + beside, 0.0, 0.0]


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
    (matrix, right), sides = site.split(site.given), site.found[m : m + n]
    P, C = matrix[:n, :n], matrix[n:, :n]
    lower, upper, shift = right.reshape(m, COLUMNS)[:n].T
    wanted = right.reshape(m, COLUMNS)[n:, 0]

    # who is bound, and where
    free, start = np.empty(n, object), np.empty(n, object)
    for i, side in enumerate(sides):
        free[i] = lower[i].less(upper[i]).select(1.0 - side * side, 0.0)
        start[i] = free[i].select(0.0, writer.value(0.0).less(side).select(upper[i], lower[i]))

    # a step of those who are free (sweeps/box.py), from there
    inertia = P * np.outer(free, free) + np.diag(1.0 - free)
    triangle = factor([list(row) for row in inertia], lambda pivot, _: 1.0 / pivot)
    go = np.array(substitute(*triangle, list(-(P @ (start + shift)) * free)), object)
    replies = np.array([substitute(*triangle, list(row * free)) for row in C], object)
    coupling = C @ replies.T
    reached = np.array([(matrix[n + j, n + j] * tolerance).less(coupling[j, j]) for j in range(len(C))], object)
    missing = wanted - C @ (start + go)
    solve = Call("range_solve", tuple(levels), tolerance)
    force = np.array(writer.call(solve, coupling * np.outer(reached, reached), missing)[: len(C)], object)
    y = start + go + replies.T @ force
    found = site.through([*site.given, *sides], [*y, *(wanted - C @ y)], [*changes, *[0.0] * n])
    return [*found, *[0.0] * (m + 1)]


def _box_beside_contacts(call: Call) -> dict[int, str]:
    return dict.fromkeys(range(call.size), CONTACTS) if call.blocks[1] else {}


RULES: dict[str, Rule] = {
    "ldlt_solve": Rule(_ldlt, transpose=_same_again),
    "truncated_solve": Rule(lambda site, changes: _pseudo(site, changes, least=True), _condition),
    "range_solve": Rule(lambda site, changes: _pseudo(site, changes, least=False), _condition),
    "truncated_inverse": Rule(_inverse, _condition),
    "box_solve": Rule(_box, _box_beside_contacts),
}
"""Every kernel's rule. Outputs that only count or choose (rank, sides, steps) do not change: their derivative is 0."""
