"""Solvers as data: operations say what they need and give, sweeps walk the tree, a schedule is sweeps in order.

The order pose → twist → acceleration → wrench is enforced when a schedule is built, not when it runs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import Any, Union

from motionc import checked
from motionc.errors import Error, WrongType, suggestion
from motionc.geometry.meaning import article
from motionc.model.mechanism import Mechanism
from motionc.sweeps.fuse import fused


class Direction(StrEnum):
    """Which way an operation walks: from the root outward, back inward, or once at the root."""

    OUTWARD = "outward"
    INWARD = "inward"
    ROOT = "root"


OUTWARD, INWARD, ROOT = Direction.OUTWARD, Direction.INWARD, Direction.ROOT


@dataclass(frozen=True, slots=True)
class Operation:
    """A step on one joint, `(joint, parent, child)`, or once at the root, `(graph, problem)`. It keeps no state."""

    name: str
    direction: Direction
    function: Callable[..., None]
    needs: frozenset[str]
    gives: frozenset[str]
    equation: str = ""

    @property
    def said(self) -> str:
        """Its equation, or else what it says of itself in a line, or is called."""
        about = (self.function.__doc__ or "").strip().partition("\n")[0]
        return self.equation or about or self.name.replace("_", " ")

    def __call__(self, *arguments: Any) -> None:
        self.function(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        """By its place in a module, for a function is no data."""
        module, name = self.function.__module__, self.function.__qualname__
        try:
            there = _at(module, name)
        except (ImportError, AttributeError):
            there = None
        if there is not self:
            raise Error(
                f"operation {self.name} cannot be pickled: {module} has no {name} that is this one; define it at the "
                "top of a module that can be imported"
            )
        return _at, (module, name)

    def __copy__(self) -> "Operation":
        return self

    def __deepcopy__(self, _: Any) -> "Operation":
        return self


def _at(module: str, name: str) -> Any:
    """What stands there."""
    value: Any = import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    return value


def operation(
    direction: Direction, *, needs: Iterable[str] = (), gives: Iterable[str], equation: str = ""
) -> Callable[[Callable[..., None]], Operation]:
    """Make an operation of a function `(joint, parent, child)`, or `(graph, problem)` at the root.

    Outward, a child is given what follows from its parent; inward, a parent gathers what its children hand down.

    Args:
        direction: OUTWARD, INWARD or ROOT.
        needs: the quantities it reads, `child.twist` or, of your own, `child["depth"]`.
        gives: those it writes; it may read them too.
        equation: what it computes, in a line; emitted code has it where the quantities are.

    >>> @operation(OUTWARD, gives=["depth"])
    ... def depths(joint, parent, child):
    ...     child["depth"] = parent.get("depth", 0) + 1
    >>> depths.direction
    <Direction.OUTWARD: 'outward'>
    """

    said: Any = direction
    if not isinstance(said, str) or said not in (OUTWARD, INWARD, ROOT):
        raise checked.refusal("operation: direction", said, "an operation walks OUTWARD, INWARD, or stays at the ROOT")
    wanted = "give names of quantities"
    read, written = checked.names("operation: needs", needs, wanted), checked.names("operation: gives", gives, wanted)

    checked.name("operation: equation", equation, "write it in a line", empty=True)

    def make(function: Callable[..., None]) -> Operation:
        return Operation(
            function.__name__, Direction(direction), function, frozenset(read), frozenset(written), equation
        )

    return make


@dataclass(frozen=True, slots=True)
class Sweep:
    """Operations applied one after the other at every joint of one walk."""

    operations: tuple[Operation, ...]

    @property
    def direction(self) -> Direction:
        return self.operations[0].direction


def sweep(*operations: Operation) -> Sweep:
    """A sweep, one walk; all its operations must walk the same way."""
    if not operations:
        raise Error("a sweep needs at least one operation")
    for step in operations:
        refuse_other(step, Operation, "a sweep is made of operations", "decorate the function: @operation(OUTWARD, …)")
    directions = {step.direction for step in operations}
    if len(directions) > 1:
        said = ", ".join(f"{step.name} {step.direction}" for step in operations)
        raise Error(f"operations of one sweep walk different ways ({said}); put them into sweeps of their own")
    return Sweep(operations)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Sweeps in order. Building one refuses an operation whose needs nothing before it gives.

    `schedule + schedule` does what both do, shared operations once, and leaves what each of them leaves.
    `schedule + sweep` goes on. `schedule["twists"]` is an operation of it, to be used in another one.
    """

    name: str
    sweeps: tuple[Sweep, ...] = field(default_factory=tuple[Sweep, ...])

    def __post_init__(self) -> None:
        checked.name("Schedule: name", self.name)
        wanted = "a schedule is made of sweeps in order; write them as (sweep(…), sweep(…))"
        given_sweeps: Any = checked.several(f"{self.name}: sweeps", self.sweeps, wanted)
        for walk in given_sweeps:
            refuse_other(walk, Sweep, f"{self.name}: a schedule is made of sweeps", "wrap operations into sweep(…)")
        object.__setattr__(self, "sweeps", tuple(given_sweeps))
        later = self.operations
        given: set[str] = set()
        for step in later:
            for name in sorted(step.needs - given):
                givers = sorted({other.name for other in later if name in other.gives and other is not step})
                remedy = f"put {' or '.join(givers)} before it" if givers else f"add an operation that gives {name!r}"
                raise Error(f"{self.name}: {step.name} needs {name!r}, which nothing before it gives; {remedy}")
            given |= step.gives

    @property
    def operations(self) -> tuple[Operation, ...]:
        """All of them, in order."""
        return tuple(step for walk in self.sweeps for step in walk.operations)

    @property
    def gives(self) -> frozenset[str]:
        """Every quantity it leaves."""
        return frozenset[str]().union(*(step.gives for step in self.operations))

    def __getitem__(self, name: str) -> Operation:
        named = {step.name: step for step in self.operations}
        if name not in named:
            raise Error(f"{self.name} has no operation {name!r}{suggestion(name, named)}")
        return named[name]

    def replacing(self, name: str, *operations: Operation) -> "Schedule":
        """The same schedule with others in place of an operation; with none, without it.

        >>> @operation(ROOT, gives=["depth"])
        ... def here(graph, problem):
        ...     graph.world["depth"] = 0
        >>> @operation(ROOT, gives=["depth"])
        ... def deeper(graph, problem):
        ...     graph.world["depth"] = 1
        >>> [step.name for step in Schedule("mine", (sweep(here),)).replacing("here", deeper).operations]
        ['deeper']
        """
        old = self[checked.name(f"{self.name}: replacing", name)]
        for step in operations:
            refuse_other(step, Operation, f"{self.name}: {name} is replaced by operations", "decorate the function")
            if step.direction is not old.direction:
                raise Error(
                    f"{self.name}: {step.name} walks {step.direction}, {name} {old.direction}; put it into a sweep of "
                    f"its own, and replace {name} by what goes the same way, or by nothing"
                )
        kept = [
            [new for step in walk.operations for new in (operations if step is old else (step,))]
            for walk in self.sweeps
        ]
        return Schedule(self.name, tuple(Sweep(tuple(steps)) for steps in kept if steps))

    def __add__(self, more: Union["Schedule", Sweep]) -> "Schedule":
        if isinstance(more, Sweep):
            return Schedule(self.name, (*self.sweeps, more))
        refuse_other(more, Schedule, f"{self.name} + …", "add a schedule, or a sweep(…) that goes on from here")
        sweeps = fused((self.name, self.sweeps), (more.name, more.sweeps))
        return Schedule(f"{self.name}_and_{more.name}", sweeps)


def refuse_other(value: Any, kind: type, what: str, remedy: str) -> None:
    """Refuse what is not of the right kind, by its name if it has one."""
    if not isinstance(value, kind):
        name = getattr(value, "__name__", getattr(value, "name", value))
        raise WrongType(f"{what}: {checked.shown(name)} is {article(type(value).__name__)}; {remedy}")


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
