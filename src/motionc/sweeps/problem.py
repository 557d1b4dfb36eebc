"""What a solver is asked besides the robot: inputs, gravity, forces, constraints, and how kernels are called."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from motionc.geometry import (
    ENVIRONMENT,
    FREE_FALL,
    JOINTS,
    WORLD,
    WORLD_FRAME,
    Body,
    ClassicalAcceleration,
    JointAcceleration,
    JointCoordinates,
    JointForce,
    JointVelocity,
    KineticEnergy,
    MotionBasis,
    MotionBasisRate,
    Pose,
    RigidInertia,
    RowAcceleration,
    SpatialAcceleration,
    Twist,
    Wrench,
    WrenchBasis,
)
from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    assemble,
    at_least,
    at_most,
    column,
    cross,
    is_known,
    known_or_unknown,
    zeros,
)
from motionc.geometry.factors import Rotation
from motionc.model.mechanism import MovingBody
from motionc.program.kernels import Kernel
from motionc.sweeps.frames import Attached, View

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

    def wrench(self, setting: "Setting") -> Wrench:
        values = setting.rows(self.port, slice(6 * self.row, 6 * self.row + 6))
        where = self.at.pose
        return Wrench(where.wrt.body, ENVIRONMENT, where.of.origin, self.axes.pose.of, values[:3, :], values[3:, :])


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What all rows of a constraint share: who makes their forces, how they rank, and where they are in b."""

    labels: tuple[str, ...]
    source: str
    level: int
    weight: float
    rows: slice


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintRows(Rows):
    """Rows on a mechanism: unit wrenches (6, m) at a frame's origin, in some frame's axes, wrt an observer's body."""

    at: Attached
    observer: Attached
    axes: Attached
    kind: str
    wrenches: np.ndarray[Any, np.dtype[np.float64]]

    def basis(self) -> WrenchBasis:
        """The unit wrenches, exerted by the environment or by motors in its place."""
        where, unit = self.at.pose, self.wrenches
        return WrenchBasis(
            where.wrt.body, ENVIRONMENT, where.of.origin, self.axes.pose.of, unit[:3], unit[3:], rows=self.labels
        )

    def asked(self, setting: "Setting") -> RowAcceleration:
        """What the input b asks along these rows, of the body with respect to the observer's."""
        observer = self.observer.pose.wrt.body
        kind = "observed" if self.kind == "spatial" and observer != WORLD else self.kind
        return RowAcceleration(self.labels, self.at.pose.wrt.body, observer, kind, setting.rows("b", self.rows))


@dataclass(frozen=True, slots=True, eq=False)
class JointConstraintRows(Rows):
    """Rows along joints: unit forces (k, m) along each of the joint coordinates in `joints`, by coordinates."""

    joints: Mapping[tuple[str, ...], np.ndarray[Any, np.dtype[np.float64]]]

    def asked(self, setting: "Setting") -> RowAcceleration:
        """What the input b asks of the joints."""
        return RowAcceleration(self.labels, JOINTS, JOINTS, "spatial", setting.rows("b", self.rows))


@dataclass(frozen=True, slots=True, eq=False)
class MotorLimits:
    """What each motor can make at most, in the order of v: 0 where there is none, infinite where nothing limits it.

    Where that is not enough, forces are clipped, or the best are found (`optimal`).
    """

    values: tuple[float, ...]
    optimal: bool


@dataclass(frozen=True, slots=True, eq=False)
class AskedRows:
    """Rows along which a frame is to move as an observer sees it: unit wrenches (6, m) in the axes of the view.

    A row between two bodies pulls at both: at the frame's body, and the other way at the observer's, who exerts it.
    """

    view: View
    labels: tuple[str, ...]
    wrenches: np.ndarray[Any, np.dtype[np.float64]]
    number: int = 0

    def basis(self) -> WrenchBasis:
        """The unit wrenches, at the frame's point."""
        where, observer, unit = self.view.of.pose, self.view.wrt.pose.wrt.body, self.wrenches
        axes = self.view.axes.pose.of
        return WrenchBasis(where.wrt.body, observer, where.of.origin, axes, unit[:3], unit[3:], rows=self.labels)

    @property
    def complete(self) -> bool:
        """Whether all directions of a position, or of an orientation, are asked for as soon as one of them is."""
        turns, shifts, both = (np.linalg.matrix_rank(part) for part in (*np.split(self.wrenches, 2), self.wrenches))
        return bool(turns in (0, 3) and shifts in (0, 3) and both == turns + shifts)

    def goal(self, setting: "Setting") -> Pose:
        """Where the frame should be, with respect to the observer."""
        values = setting.rows("targets", slice(16 * self.number, 16 * self.number + 16))
        of, wrt = self.view.of.pose.of, self.view.wrt.pose.of
        turn = assemble([[values[4 * i + j, 0] for j in range(3)] for i in range(3)])
        return Pose.between(of, wrt, (Rotation(turn),), assemble([[values[4 * i + 3, 0]] for i in range(3)]))

    def distortion(self, setting: "Setting") -> Coordinates:
        """How much what is given as a pose is none: by which its rotation misses Rᵀ R = 1 and det R = 1, and so on."""
        values = setting.rows("targets", slice(16 * self.number, 16 * self.number + 16))
        x, y, z = (assemble([[values[4 * i + j, 0]] for i in range(3)]) for j in range(3))
        wrong = [a.T @ b - (a is b) for a, b in ((x, x), (y, y), (z, z), (x, y), (y, z), (z, x))]
        wrong += [z.T @ cross(x, y) - 1, *(values[12 + j : 13 + j, :] - (j == 3) for j in range(4))]
        worst = wrong[0]
        for each in wrong:
            worst = at_least(worst, at_least(each, -each))
        return worst


def call_numpy(kernel: Kernel, *arguments: Any) -> tuple[Any, ...]:
    """Run a kernel's own definition; nothing in, nothing out (the check reading)."""
    if not is_known(*arguments):
        return (UNKNOWN,) * kernel.outputs
    return kernel.numpy(*arguments)


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One question: what the inputs are (UNKNOWN, or None, in the check reading) and what acts.

    Where constraint rows depend on each other many multipliers give the same motion; `least` asks for the least ones.
    A row counts as dependent by `truncation`; `posture` is the share of the motors' own motion that rows let pass.
    Where it is `refined`, what rounding leaves to miss is balanced once more.
    `prescribed` names the joints whose accelerations are told, all of them where it is None. Along rows of `makers`
    forces are found, others are only measured; `motors` are rows along every coordinate: what do unit forces there do?
    """

    inputs: Mapping[str, Coordinates]
    gravity: Sequence[float] | Coordinates = STANDARD_GRAVITY
    wrenches: tuple[AppliedWrench, ...] = ()
    constraints: tuple[ConstraintRows | JointConstraintRows, ...] = ()
    damping: float = 0.0
    truncation: float | None = None
    posture: float = 0.0
    least: bool = True
    refined: bool = False
    target: Attached = field(default_factory=Attached)
    views: tuple[View, ...] = ()
    asked: tuple[AskedRows, ...] = ()
    prescribed: frozenset[str] | None = None
    limits: MotorLimits | None = None
    makers: tuple[str, ...] = ("task", "contact")
    motors: tuple[str, ...] = ()
    call: Callable[..., tuple[Any, ...]] = call_numpy
    constants: Mapping[str, Coordinates] = field(default_factory=dict[str, Coordinates])

    def rows(self, port: str, where: slice) -> Coordinates:
        """Some entries of an input, as a column."""
        values = self.inputs[port] if port in self.inputs else self.constants.get(port)
        return known_or_unknown(values)[where, :]

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
        """Somebody reads a constant of the robot: what there is to know where a setting is watched."""

    def motor_force(self, joints: tuple[str, ...], where: slice = slice(None)) -> JointForce:
        """What motors make along some joints, whatever else is asked of them."""
        return JointForce(joints, self.rows("tau", where))

    def force(self, joints: tuple[str, ...], where: slice = slice(None)) -> JointForce:
        """The same with what acts along the joints anyway."""
        made = self.motor_force(joints, where)
        return made + JointForce(joints, self.rows("tau_physical", where)) if "tau_physical" in self.inputs else made

    def acceleration(self, joints: tuple[str, ...], where: slice = slice(None)) -> JointAcceleration:
        """How some joints are told to accelerate."""
        return JointAcceleration(joints, self.rows("a", where))

    @property
    def row_labels(self) -> tuple[str, ...]:
        """All rows, in the order of b, and those of motors."""
        return (*(label for spec in self.constraints for label in spec.labels), *self.motors)

    @property
    def found(self) -> tuple[str, ...]:
        """The rows along which forces are found."""
        return self.rows_of(*self.makers)

    def rows_of(self, *sources: str) -> tuple[str, ...]:
        return tuple(label for spec in self.constraints if spec.source in sources for label in spec.labels)

    @property
    def task_rows(self) -> tuple[str, ...]:
        """The rows whose forces motors make."""
        return self.rows_of("task")

    def tasks_among(self, rows: tuple[str, ...]) -> tuple[str, ...]:
        """Those of some rows whose forces motors make."""
        return tuple(row for row in rows if row in self.task_rows)

    @property
    def priorities(self) -> tuple[list[int], tuple[int, ...], list[float]]:
        """Of the rows along which forces are found: in the order of their levels, how many each level has, and the
        weight of each. Where motors have limits, contacts come first, for nobody can make them give way.
        """
        specs = [spec for spec in self.constraints if spec.source in self.makers]
        first = "contact" if self.limits else ""
        levels = [0 if spec.source == first else spec.level for spec in specs for _ in spec.labels]
        order = sorted(range(len(levels)), key=lambda row: levels[row])
        blocks = tuple(levels.count(level) for level in sorted(set(levels)))
        return order, blocks, [spec.weight for spec in specs for _ in spec.labels]


@dataclass(frozen=True, slots=True, eq=False)
class Watched(Setting):
    """A setting that notes which inputs, and which constants of the robot, are asked for."""

    read: set[str] = field(default_factory=set[str])
    noticed: set[str] = field(default_factory=set[str])

    @staticmethod
    def over(setting: Setting) -> "Watched":
        """The same question, watched."""
        return Watched(**{part.name: getattr(setting, part.name) for part in fields(Setting)})

    def rows(self, port: str, where: slice) -> Coordinates:
        self.read.add(port)
        return Setting.rows(self, port, where)

    def notice(self, what: str) -> None:
        self.noticed.add(what)


@dataclass(frozen=True, slots=True, eq=False)
class JointView:
    """One joint during a walk: its relations with this setting's numbers, symbols or nothing under them."""

    moving: MovingBody
    parent: Body
    setting: Setting

    @property
    def name(self) -> str:
        return self.moving.joint.name

    @property
    def relative_pose(self) -> Pose:
        """Pose of the joint's target frame wrt its reference frame."""
        return self.moving.joint.relative_pose(self._coordinates)

    @property
    def pose(self) -> Pose:
        """Pose of the child's frame wrt the parent's: the constant way to the joint, then the joint."""
        return self.moving.joint.reference.compose(self.relative_pose)

    @property
    def basis(self) -> MotionBasis:
        """S, the directions the joint leaves free."""
        joint = self.moving.joint
        q = UNKNOWN if joint.type.constant else self._coordinates
        return joint.basis(self.moving.body, self.parent, q)

    @property
    def basis_rate(self) -> MotionBasisRate | None:
        """S̊, how S changes in the body; None where it is constant."""
        joint = self.moving.joint
        if joint.type.constant:
            return None
        return joint.basis_rate(self.moving.body, self.parent, self._coordinates, self._rate("v"))

    def spatial_bias(self, twist: Twist) -> SpatialAcceleration:
        """V × S q̇ + S̊ q̇: the spatial acceleration of the joint while its rates are constant; V is the body's twist."""
        bias, rate = twist.spatial_bias(self.basis.times(self.velocity)), self.basis_rate
        return bias if rate is None else bias.driven(rate.times(self.velocity))

    def classical_bias(self, twist: Twist) -> ClassicalAcceleration:
        """The same as a classical acceleration."""
        bias, rate = twist.classical_bias(self.basis.times(self.velocity)), self.basis_rate
        return bias if rate is None else bias.driven(rate.times(self.velocity))

    @property
    def locked(self) -> MotionBasis:
        """No direction at all: the joint while it does not move."""
        return replace(self.basis, joints=(), angular=zeros(3, 0), linear=zeros(3, 0))

    def after(self, rates: JointVelocity) -> JointCoordinates:
        """Where the joint is after moving with these rates for unit time, within its limits."""
        joint, own = self.moving.joint, rates.among(self.moving.joint.labels)
        q = self.setting.rows("q", joint.q)
        values = joint.type.advance(q, own.values)
        lower, upper = (self.setting.constants[name][joint.q] for name in ("lower", "upper"))
        if not np.all(np.isinf(lower) & np.isinf(upper)):
            values = at_most(at_least(values, lower), upper)
        return JointCoordinates(joint.labels, values)

    @property
    def prescribed(self) -> bool:
        """Whether the joint is told how to accelerate; a follower is, with its leader."""
        told, joint = self.setting.prescribed, self.moving.joint
        return told is None or joint.name in told

    @property
    def inertia(self) -> RigidInertia:
        """H of the child, about its own origin."""
        self.setting.notice("inertia")
        return self.moving.inertia

    @property
    def rotor(self) -> Coordinates:
        """d, reflected rotor inertia."""
        self.setting.notice("rotor")
        return self.moving.joint.rotor

    @property
    def velocity(self) -> JointVelocity:
        return JointVelocity(self.moving.joint.labels, self._rate("v"))

    @property
    def acceleration(self) -> JointAcceleration:
        """q̈ as told; zero where nothing is told."""
        labels = self.moving.joint.labels
        return JointAcceleration(labels, self._rate("a") if self.prescribed else zeros(len(labels), 1))

    @property
    def motor_force(self) -> JointForce:
        """What the motor makes, whatever else is asked of it; a follower has none, its leader's moves both."""
        joint = self.moving.joint
        if joint.follows:
            return JointForce(joint.labels, zeros(1, 1))
        return self.setting.motor_force(joint.labels, joint.v)

    @property
    def force(self) -> JointForce:
        """The motor's force and what acts along the joint anyway."""
        return self.setting.force(self.moving.joint.labels, self.moving.joint.v)

    def left_to_motor(self, whole: JointForce) -> JointForce:
        """Of all that a joint takes, what does not act along it anyway."""
        if "tau_physical" not in self.setting.inputs:
            return whole
        values = self.setting.rows("tau_physical", self.moving.joint.v)
        return whole + JointForce(self.moving.joint.labels, -values)

    @property
    def rotor_force(self) -> JointForce:
        """d q̈, what the motor needs to turn its own rotor."""
        values, rotor = self.acceleration.values, self.rotor
        return JointForce(self.moving.joint.labels, values * rotor)

    @property
    def rotor_energy(self) -> KineticEnergy:
        """½ d q̇²."""
        rate, rotor = self._rate("v"), self.rotor
        value = 0.5 * rotor * (rate.T @ rate)
        return KineticEnergy(self.moving.body, WORLD, value)

    @property
    def _coordinates(self) -> Coordinates:
        """q of the joint; a follower's is its leader's, with its own gain and offset."""
        joint = self.moving.joint
        q = self.setting.rows("q", joint.q)
        return q if (joint.gain, joint.offset) == (1.0, 0.0) else q * joint.gain + joint.offset

    def _rate(self, port: str) -> Coordinates:
        joint = self.moving.joint
        values = self.setting.rows(port, joint.v)
        return values * joint.gain if joint.gain != 1.0 else values
