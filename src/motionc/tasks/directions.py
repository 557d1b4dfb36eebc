"""Along which directions does a task ask for motion? Tasks as rows: a speed, tubes, turns, in the order of rows.

Of a path each number stands there once, or once a section where sections differ.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from motionc.errors import WrongType
from motionc.geometry.coordinates import sin_cos
from motionc.tasks.specification import Angle, Contact, Goal, Hold, Move, Path, Phases, Sine, Speed, Timeout, Tube

AXES = {"x": "x", "y": "y", "z": "z", "ax": "rx", "ay": "ry", "az": "rz"}
"""Directions of a task, and the constraint row of each."""
TURNS = ("ax", "ay", "az")
Numbers = tuple[float, ...]
"""One for all sections, or one for each."""
Task = Move | Path | Hold


@dataclass(frozen=True)
class Profile:
    """A speed along x, offset + amplitude sin(rate · remaining), and what is tolerated of it."""

    offset: Numbers
    amplitude: Numbers
    rate: Numbers
    tolerance: Numbers

    @staticmethod
    def of(speeds: Sequence[Speed]) -> "Profile":
        sines = [one.value if isinstance(one.value, Sine) else Sine(one.value, 0.0, 0.0) for one in speeds]
        shape = {name: numbers([getattr(sine, name) for sine in sines]) for name in ("offset", "amplitude", "rate")}
        return Profile(**shape, tolerance=numbers([one.tolerance for one in speeds]))

    @property
    def level(self) -> bool:
        """Whether it is the same all the way."""
        return not any(self.amplitude)

    def at(self, remaining: Any, section: Any = None) -> Any:
        """The speed where so much is left to go (m), in a section."""
        if self.level:
            return pick(self.offset, section)
        sine, _ = sin_cos(pick(self.rate, section) * remaining)
        return pick(self.offset, section) + pick(self.amplitude, section) * sine


@dataclass(frozen=True)
class Directions:
    """What a task asks of motion: a speed along x, tubes, turns.

    >>> from motionc.tasks import Orientation
    >>> asked = Directions.of(Move("tool", "T", x=Speed(0.1, 0.01), z=Tube(0.02), orientation=Orientation(0.1)))
    >>> asked.rows, asked.constraint_rows
    (('x', 'z', 'ax', 'ay', 'az'), 'x z rx ry rz')
    """

    speed: Profile | None = None
    tubes: Mapping[str, Numbers] = field(default_factory=dict[str, Numbers], hash=False)
    orientation: Numbers = ()
    angle: Numbers = ()
    angle_tube: Numbers = ()

    @staticmethod
    def of(task: Task) -> "Directions":
        """Those of a task."""
        if isinstance(task, Hold):
            across = (task.position.tolerance,)
            return Directions(None, dict.fromkeys("xyz", across), (task.orientation.tolerance,))
        move = move_of(task)
        each = [task.section(k + 1) for k in range(task.sections)] if isinstance(task, Path) else [move]

        def of_all(axis: str, what: Callable[[Any], float] = lambda band: band.tolerance) -> Numbers:
            return numbers([what(getattr(one, axis)) for one in each])

        tubes = {axis: of_all(axis) for axis in "yz" if isinstance(getattr(move, axis), Tube)}
        angle = (of_all("az", lambda band: band.value), of_all("az")) if isinstance(move.az, Angle) else ()
        speed = Profile.of([one.x for one in each if one.x]) if move.x else None
        return Directions(speed, tubes, of_all("orientation") if move.orientation else (), *angle)

    @property
    def rows(self) -> tuple[str, ...]:
        """Directions in which motion is asked for, in order."""
        asked = {"x"} if self.speed else set[str]()
        asked |= {*self.tubes, *(TURNS if self.orientation else TURNS[2:] if self.angle else ())}
        return tuple(axis for axis in AXES if axis in asked)

    @property
    def constraint_rows(self) -> str:
        """The rows of constrained dynamics."""
        return " ".join(AXES[axis] for axis in self.rows)

    @property
    def wide(self) -> list[Numbers]:
        """What is tolerated beside the speed."""
        return [*self.tubes.values(), self.orientation, self.angle, self.angle_tube]


def numbers(values: Sequence[float]) -> Numbers:
    """One for all sections where they are the same, else one for each."""
    return tuple(values) if len({*values}) > 1 else (values[0],)


def differ(every: Sequence[Numbers]) -> bool:
    """Whether some differ from section to section."""
    return any(len(values) > 1 for values in every)


def pick(values: Numbers, section: Any, of: Callable[[float], float] = float) -> Any:
    """That of a section, or a function of it."""
    found = [of(value) for value in values]
    return section.entry(found) if len(found) > 1 else found[0]


def move_of(task: Any) -> Any:
    """The move of a task, that of each section of a path."""
    if isinstance(task, Phases):
        names = ", ".join(phase.name for phase in task.tasks)
        raise WrongType(f"lazy: task: phases ({names}) ask for different rows; make a cycle of each of its tasks")
    if not isinstance(task, Move | Path | Hold):
        raise WrongType(f"lazy: task is a {type(task).__name__}; give a Move(…), Path(…) or Hold(…)")
    return task.move if isinstance(task, Path) else task


def stops_of(task: Task, kind: type[Goal] | type[Contact] | type[Timeout]) -> list[Any]:
    """What ends a task, of one kind."""
    return [stop for stop in move_of(task).until if isinstance(stop, kind)]
