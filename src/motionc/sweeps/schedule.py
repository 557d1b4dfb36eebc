"""Solvers as data: operations say what they need and give, sweeps walk the tree, a schedule is sweeps in order.

The order pose → twist → acceleration → wrench is enforced when a schedule is built, not when it runs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from motionc.errors import Error
from motionc.model.mechanism import Mechanism


class Direction(StrEnum):
    """Which way an operation walks: from the root outward, back inward, or once at the root."""

    OUTWARD = "outward"
    INWARD = "inward"
    ROOT = "root"


OUTWARD, INWARD, ROOT = Direction.OUTWARD, Direction.INWARD, Direction.ROOT


@dataclass(frozen=True, slots=True)
class Operation:
    """A step on one joint, `(joint, parent, child)`, or once at the root, `(graph, setting)`. It keeps no state."""

    name: str
    direction: Direction
    function: Callable[..., None]
    needs: frozenset[str]
    gives: frozenset[str]

    def __call__(self, *arguments: Any) -> None:
        self.function(*arguments)


def operation(
    direction: Direction, *, needs: Iterable[str] = (), gives: Iterable[str]
) -> Callable[[Callable[..., None]], Operation]:
    """Make an operation of a function.

    >>> @operation(OUTWARD, gives=["depth"])
    ... def depths(joint, parent, child):
    ...     child["depth"] = parent.get("depth", 0) + 1
    >>> depths.direction
    <Direction.OUTWARD: 'outward'>
    """

    def make(function: Callable[..., None]) -> Operation:
        return Operation(function.__name__, direction, function, frozenset(needs), frozenset(gives))

    return make


@dataclass(frozen=True, slots=True)
class Sweep:
    """Operations applied one after the other at every joint of one walk."""

    operations: tuple[Operation, ...]

    @property
    def direction(self) -> Direction:
        return self.operations[0].direction


def sweep(*operations: Operation) -> Sweep:
    """One walk; all its operations must walk the same way."""
    if not operations:
        raise Error("a sweep needs at least one operation")
    directions = {step.direction for step in operations}
    if len(directions) > 1:
        said = ", ".join(f"{step.name} {step.direction}" for step in operations)
        raise Error(f"operations of one sweep walk different ways ({said}); put them into sweeps of their own")
    return Sweep(operations)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Sweeps in order. Building one refuses an operation whose needs nothing before it gives."""

    name: str
    sweeps: tuple[Sweep, ...] = field(default_factory=tuple[Sweep, ...])

    def __post_init__(self) -> None:
        later = [step for walk in self.sweeps for step in walk.operations]
        given: set[str] = set()
        for step in later:
            for name in sorted(step.needs - given):
                givers = sorted({other.name for other in later if name in other.gives and other is not step})
                remedy = f"put {' or '.join(givers)} before it" if givers else f"add an operation that gives {name!r}"
                raise Error(f"{self.name}: {step.name} needs {name!r}, which nothing before it gives; {remedy}")
            given |= step.gives


Policy = Callable[[Mechanism], Sequence[int]]
"""The order in which bodies are visited outward; inward is the reverse. Parents must come before children."""


def depth_first(mechanism: Mechanism) -> Sequence[int]:
    """Each branch to its end before the next (bodies are stored this way)."""
    return range(len(mechanism.bodies))


def breadth_first(mechanism: Mechanism) -> Sequence[int]:
    """All bodies one joint away, then two, and so on."""
    depth: list[int] = []
    for body in mechanism.bodies:
        depth.append(0 if body.parent < 0 else depth[body.parent] + 1)
    return sorted(range(len(depth)), key=lambda index: (depth[index], index))


def checked_order(policy: Policy, mechanism: Mechanism) -> Sequence[int]:
    """The order a policy gives, refused when it misses a body or visits a child before its parent."""
    order = policy(mechanism)
    if sorted(order) != list(range(len(mechanism.bodies))):
        raise Error("a traversal policy must visit every body exactly once")
    place = {index: k for k, index in enumerate(order)}
    for body in mechanism.bodies:
        if body.parent >= 0 and place[body.parent] > place[body.index]:
            raise Error(f"the traversal policy visits {body.body} before its parent; go outward from the root")
    return order
