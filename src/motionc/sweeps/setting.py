"""What a solver is asked besides the robot: inputs, gravity, forces, constraints, and how kernels are called."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    JointForce,
    JointVelocity,
    KineticEnergy,
    MotionBasis,
    Pose,
    RigidInertia,
    RowAcceleration,
    SpatialAcceleration,
    Wrench,
    WrenchBasis,
)
from motionc.geometry.coordinates import Coordinates, zeros
from motionc.model.mechanism import MovingBody
from motionc.sweeps.kernels import Kernel

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, slots=True, eq=False)
class Attached:
    """A frame somewhere on the robot: the body it is fixed to (-1: the world) and its pose wrt that body's frame."""

    body: int = -1
    pose: Pose = field(default_factory=lambda: Pose.between(WORLD_FRAME, WORLD_FRAME))


@dataclass(frozen=True, slots=True, eq=False)
class AppliedWrench:
    """A wrench given by six entries of an input, acting on a frame's body at its origin, in some frame's axes."""

    at: Attached
    axes: Attached
    port: str
    row: int

    def wrench(self, setting: "Setting") -> Wrench:
        values = setting.rows(self.port, slice(6 * self.row, 6 * self.row + 6))
        parts = (None, None) if values is None else (values[:3, :], values[3:, :])
        where = self.at.pose
        return Wrench(where.wrt.body, ENVIRONMENT, where.of.origin, self.axes.pose.of, *parts)


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
    """Rows along joints: a unit force (k, m) along each of the joint coordinates in `joints`, by joint."""

    joints: Mapping[str, np.ndarray[Any, np.dtype[np.float64]]]

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
class View:
    """A frame that is observed, the frame whose body observes it, and the frame in whose axes that is written."""

    of: Attached
    wrt: Attached
    axes: Attached


def call_numpy(kernel: Kernel, *arguments: Any) -> tuple[Any, ...]:
    """Run a kernel's own definition; nothing in, nothing out (the check reading)."""
    if any(argument is None for argument in arguments):
        return (None,) * kernel.outputs
    return kernel.numpy(*arguments)


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One question: what the inputs are (None in the check reading) and what acts.

    Where constraint rows depend on each other many multipliers give the same motion; `least` asks for the least ones.
    A row counts as dependent by `truncation`; `posture` is the share of the motors' own motion that rows let pass.
    `prescribed` names the joints whose accelerations are told, all of them where it is None. Along rows of `makers`
    forces are found, others are only measured; `motors` are rows along every coordinate: what do unit forces there do?
    """

    inputs: Mapping[str, Coordinates]
    gravity: Sequence[float] = STANDARD_GRAVITY
    wrenches: tuple[AppliedWrench, ...] = ()
    constraints: tuple[ConstraintRows | JointConstraintRows, ...] = ()
    damping: float = 0.0
    truncation: float | None = None
    posture: float = 0.0
    least: bool = True
    target: Attached = field(default_factory=Attached)
    views: tuple[View, ...] = ()
    prescribed: frozenset[str] | None = None
    limits: MotorLimits | None = None
    makers: tuple[str, ...] = ("task", "contact")
    motors: tuple[str, ...] = ()
    call: Callable[..., tuple[Any, ...]] = call_numpy
    constants: Mapping[str, Coordinates] = field(default_factory=dict[str, Coordinates])

    def rows(self, port: str, where: slice) -> Coordinates:
        """Some entries of an input, as a column; None where it has no coordinates."""
        values = self.inputs[port] if port in self.inputs else self.constants.get(port)
        return None if values is None else values[where, :]

    def free_fall(self) -> ClassicalAcceleration:
        """How a freely falling body accelerates with respect to the world: gravity."""
        return ClassicalAcceleration(FREE_FALL, WORLD, WORLD_FRAME.origin, WORLD_FRAME, *self._gravity())

    def free_fall_field(self) -> SpatialAcceleration:
        """The same as a spatial acceleration: nothing turns, so the numbers are equal."""
        return SpatialAcceleration(FREE_FALL, WORLD, WORLD_FRAME.origin, WORLD_FRAME, *self._gravity())

    def _gravity(self) -> tuple[Coordinates, Coordinates]:
        return np.zeros((3, 1)), np.asarray(self.gravity, float).reshape(3, 1)

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
        joint = self.moving.joint
        q = self.setting.rows("q", joint.q)
        if q is not None and (joint.gain, joint.offset) != (1.0, 0.0):
            q = q * joint.gain + joint.offset
        return joint.relative_pose(q)

    @property
    def pose(self) -> Pose:
        """Pose of the child's frame wrt the parent's: the constant way to the joint, then the joint."""
        return self.moving.joint.reference.compose(self.relative_pose)

    @property
    def basis(self) -> MotionBasis:
        """S, the directions the joint leaves free."""
        return self.moving.joint.basis(self.moving.body, self.parent)

    @property
    def locked(self) -> MotionBasis:
        """No direction at all: the joint while it does not move."""
        return replace(self.basis, joints=(), angular=zeros(3, 0), linear=zeros(3, 0))

    @property
    def prescribed(self) -> bool:
        """Whether the joint is told how to accelerate; a follower is, with its leader."""
        told, joint = self.setting.prescribed, self.moving.joint
        return told is None or joint.name in told

    @property
    def inertia(self) -> RigidInertia:
        """H of the child, about its own origin."""
        return self.moving.inertia

    @property
    def rotor(self) -> float:
        """d, reflected rotor inertia."""
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

    @property
    def rotor_force(self) -> JointForce:
        """d q̈, what the motor needs to turn its own rotor."""
        values = self.acceleration.values
        return JointForce(self.moving.joint.labels, None if values is None else values * self.rotor)

    @property
    def rotor_energy(self) -> KineticEnergy:
        """½ d q̇²."""
        rate = self._rate("v")
        value = None if rate is None else 0.5 * self.rotor * (rate.T @ rate)
        return KineticEnergy(self.moving.body, WORLD, value)

    def _rate(self, port: str) -> Coordinates:
        joint = self.moving.joint
        values = self.setting.rows(port, joint.v)
        return values * joint.gain if values is not None and joint.gain != 1.0 else values
