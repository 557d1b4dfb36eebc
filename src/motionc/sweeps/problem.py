"""What a solver is asked besides the robot: inputs, gravity, forces, options by type, and how kernels are called."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from motionc.errors import Error, suggestion
from motionc.geometry import (
    ENVIRONMENT,
    FREE_FALL,
    WORLD,
    WORLD_FRAME,
    ClassicalAcceleration,
    JointAcceleration,
    JointForce,
    SpatialAcceleration,
    Wrench,
)
from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    column,
    is_known,
    known_or_unknown,
    zeros,
)
from motionc.program.kernels import Kernel
from motionc.sweeps.frames import Attached

T = TypeVar("T")

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
WEIGHTLESS = (0.0, 0.0, 0.0)
"""No gravity by meaning: this very object is no value that somebody chose, and cannot be open."""


@dataclass(frozen=True, slots=True, eq=False)
class AppliedWrench:
    """A wrench given by six entries of an input, acting on a frame's body at its origin, in some frame's axes."""

    at: Attached
    axes: Attached
    port: str
    row: int

    def wrench(self, problem: "Problem") -> Wrench:
        values = problem.rows(self.port, slice(6 * self.row, 6 * self.row + 6))
        where = self.at.pose
        return Wrench(where.wrt.body, ENVIRONMENT, where.of.origin, self.axes.pose.of, values[:3, :], values[3:, :])


def call_numpy(kernel: Kernel, *arguments: Any) -> tuple[Any, ...]:
    """Run a kernel's own definition; nothing in, nothing out (the check reading)."""
    if not is_known(*arguments):
        return (UNKNOWN,) * kernel.outputs
    return kernel.numpy(*arguments)


@dataclass(frozen=True, slots=True)
class Friction:
    """Whether damping and friction of the robot act: ε, the speed below which friction is smooth; None, they do not.

    Where it is `dry`, damping acts alone: Coulomb friction is held by rows, exactly.
    """

    smoothing: float | None = None
    dry: bool = False


@dataclass(frozen=True, slots=True)
class Servo:
    """Springs and dampers that pull joints to the input `target`, in the order of v; none where it is empty."""

    stiffness: tuple[float, ...] = ()
    damping: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Ahead:
    """How long after this instant forces along joints are meant that depend on rates, and those of springs, too."""

    seconds: float = 0.0
    springs: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """One question: what the inputs are (UNKNOWN, or None, in the check reading) and what acts.

    `prescribed` names the joints whose accelerations are told, all of them where it is None. What else is asked are
    `options`, one of a type: `problem[Constraints]`.
    """

    inputs: Mapping[str, Coordinates]
    gravity: Sequence[float] | Coordinates = STANDARD_GRAVITY
    wrenches: tuple[AppliedWrench, ...] = ()
    prescribed: frozenset[str] | None = None
    options: tuple[Any, ...] = ()
    call: Callable[..., tuple[Any, ...]] = call_numpy
    constants: Mapping[str, Coordinates] = field(default_factory=dict[str, Coordinates])

    def __getitem__(self, kind: type[T]) -> T:
        """The option of a type; one that says nothing where none was given."""
        for option in self.options:
            if isinstance(option, kind):
                return option
        return kind()

    def asking(self, option: Any) -> "Problem":
        """The same question with another option of that type."""
        others = tuple(one for one in self.options if type(one) is not type(option))
        return replace(self, options=(*others, option))

    def rows(self, port: str, where: slice) -> Coordinates:
        """Some entries of an input, as a column."""
        if port not in self.inputs and port not in self.constants:
            return self.missing(port)
        values = known_or_unknown(self.inputs[port] if port in self.inputs else self.constants[port])
        if is_known(values) and (where.stop or 0) > values.shape[0]:
            raise Error(
                f"entries {where.start or 0} to {where.stop} of {port!r} are asked for, which has {values.shape[0]}"
            )
        return values[where, :]

    def missing(self, port: str) -> Coordinates:
        """Somebody reads an input that nobody gives."""
        given = [*self.inputs, *self.constants]
        raise Error(
            f"an operation reads {port!r}, which is neither an input nor a constant{suggestion(port, given)}; give the "
            f"computation a Port of that name, or hold it: constants={{{port!r}: …}}"
        )

    def free_fall(self) -> ClassicalAcceleration:
        """How a freely falling body accelerates with respect to the world: gravity."""
        return ClassicalAcceleration(FREE_FALL, WORLD, WORLD_FRAME.origin, WORLD_FRAME, *self._gravity())

    def free_fall_field(self) -> SpatialAcceleration:
        """The same as a spatial acceleration: nothing turns, so the numbers are equal."""
        return SpatialAcceleration(FREE_FALL, WORLD, WORLD_FRAME.origin, WORLD_FRAME, *self._gravity())

    def _gravity(self) -> tuple[Coordinates, Coordinates]:
        if self.gravity is not WEIGHTLESS:
            self.notice("gravity")
        return zeros(3, 1), column(known_or_unknown(self.gravity))

    def notice(self, what: str) -> None:
        """Somebody reads a constant of the robot: what there is to know where a problem is watched."""

    def motor_force(self, joints: tuple[str, ...], where: slice = slice(None)) -> JointForce:
        """What motors make along some joints, whatever else is asked of them."""
        return JointForce(joints, self.rows("tau", where))

    def beside_physical(self, made: JointForce, where: slice = slice(None)) -> JointForce:
        """What motors make along some joints, with what acts along them anyway."""
        if "tau_physical" not in self.inputs:
            return made
        return made + JointForce(made.joints, self.rows("tau_physical", where))

    def acceleration(self, joints: tuple[str, ...], where: slice = slice(None)) -> JointAcceleration:
        """How some joints are told to accelerate."""
        return JointAcceleration(joints, self.rows("a", where))


@dataclass(frozen=True, slots=True, eq=False)
class Watched(Problem):
    """A problem that notes which inputs, and which constants of the robot, are asked for."""

    read: set[str] = field(default_factory=set[str])
    noticed: set[str] = field(default_factory=set[str])

    @staticmethod
    def over(problem: Problem) -> "Watched":
        """The same question, watched."""
        return Watched(**{part.name: getattr(problem, part.name) for part in fields(Problem)})

    def rows(self, port: str, where: slice) -> Coordinates:
        self.read.add(port)
        return Problem.rows(self, port, where)

    def missing(self, port: str) -> Coordinates:
        return UNKNOWN

    def notice(self, what: str) -> None:
        self.noticed.add(what)
