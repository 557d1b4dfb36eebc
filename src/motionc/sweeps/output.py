"""What a solver of one's own hands out: quantities its schedule leaves, as arrays.

A quantity is brought to the point and axes asked for by its own operations, so that it still means what the port says.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.geometry import (
    WORLD,
    WORLD_FRAME,
    ApparentInertia,
    ArticulatedInertia,
    ClassicalAcceleration,
    Coupling,
    JointAcceleration,
    JointFactor,
    JointInertia,
    JointMobility,
    JointVelocity,
    MomentumBasis,
    MotionBasis,
    MotionBasisRate,
    Multipliers,
    Orientation,
    Pose,
    Position,
    RigidInertia,
    RowStack,
    WrenchBasis,
)
from motionc.geometry.coordinates import (
    NUMBERS,
    UNKNOWN,
    Coordinates,
    Unknown,
    above,
    assemble,
    beside,
    is_known,
    is_symbolic,
    known_or_unknown,
)
from motionc.geometry.force import Energy
from motionc.geometry.joint_space import JointVector
from motionc.geometry.meaning import article
from motionc.geometry.screw import Screw
from motionc.model.moving_joint import MovingJoint
from motionc.sweeps.frames import Attached, attached
from motionc.sweeps.state import BodyState, StateGraph, in_order_of_v, joint_values

INERTIA = "kg m², kg m, kg"
UNITS = {
    "Pose": "m, 1",
    "Position": "m",
    "Twist": "rad/s, m/s",
    "SpatialAcceleration": "rad/s², m/s²",
    "ClassicalAcceleration": "rad/s², m/s²",
    "Wrench": "N m, N",
    "ArticulatedWrench": "N m, N",
    "ApparentWrench": "N m, N",
    "Momentum": "kg m²/s, kg m/s",
    "MotionBasis": "1, m",
    "MotionBasisRate": "1/s, m/s",
    "MomentumBasis": INERTIA,
    "RigidInertia": INERTIA,
    "ArticulatedInertia": INERTIA,
    "ApparentInertia": INERTIA,
    "JointDisplacement": "rad, m",
    "JointVelocity": "rad/s, m/s",
    "JointAcceleration": "rad/s², m/s²",
    "JointForce": "N m, N",
    "JointBias": "N m, N",
    "JointInertia": INERTIA,
    "JointMobility": "1/(kg m²), 1/(kg m), 1/kg",
    "JointFactor": "√(kg m²), √kg",
    "Multipliers": "N m, N",
    "RowStack": "rad/s², m/s²",
    "Coupling": "1/(kg m²), 1/kg",
    "KineticEnergy": "J",
    "PotentialEnergy": "J",
}
Inertia = RigidInertia | ArticulatedInertia | ApparentInertia
Columns = MotionBasis | MotionBasisRate | MomentumBasis
OfAllJoints = JointInertia | JointMobility | JointFactor


@dataclass(frozen=True)
class Output:
    """A quantity that a schedule leaves, as a solver hands it out.

    Args:
        quantity: its name, such as "joint_force", "twist", or one of your own.
        of: a frame: the quantity of its body, at the frame's origin ("world" for what stands at the root). Without it:
            of all joints, in the order of v, or what there is of the robot as a whole.
        point: where it is taken instead, in the coordinates of that frame (m).
        as_seen_by: whose axes it is written in; "" for the frame's own.
        unit, meaning: of a quantity of your own; relations know theirs.
    """

    quantity: str
    of: str = ""
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    unit: str = ""
    meaning: str = ""

    def __post_init__(self) -> None:
        checked.by_types(self, "Output")
        checked.name("Output: quantity", self.quantity, "give the name of a quantity")
        checked.numbers("Output: point", self.point, "give three finite coordinates in metres", (3,))

    def find(self, graph: StateGraph[Any], what: str) -> Any:
        """The quantity, where and in whose axes it was asked for; None for a number that has not been computed."""
        at = attached(graph.mechanism, self.of or "world", what, tuple(self.point))
        if self.of:
            state = graph[at.body]
            if self.quantity not in state:
                raise Error(f"{what}: no operation gives {self.quantity!r} to {state.body}, the body of {self.of}")
            return _Place(graph, state, at, self, what).brought(state[self.quantity])
        held = [state[self.quantity] for state in graph if state.joints and self.quantity in state]
        if any(isinstance(value, JointVector) for value in held):
            return self._of_joints(graph, what)
        if self.quantity in graph.world:
            value = graph.world[self.quantity]
            if not (held and isinstance(value, Screw | Pose)):
                return _Place(graph, graph.world, at, self, what).brought(value)
        elif held and not any(is_relation(value) for value in held):
            return self._numbers_of_joints(graph, what)
        raise Error(
            f"{what}: every body has {self.quantity!r} of its own; say of which frame: "
            f'Output("{self.quantity}", of="tool"), or of="world" for what stands at the root'
        )

    def _of_joints(self, graph: StateGraph[Any], what: str) -> JointVector:
        """One value a joint coordinate, in the order of v."""
        values = [value for _, value in self._each(graph, what)]
        kinds = {type(value) for value in values}
        if len(kinds) > 1:
            said = " and ".join(sorted(kind.__name__ for kind in kinds))
            raise Error(f"{what}: {self.quantity!r} is {said} at different joints; give one kind")
        kind = type(values[0])
        if graph.mechanism.coupled and issubclass(kind, JointVelocity | JointAcceleration):
            raise Error(
                f"{what}: where joints follow others, {self.quantity!r} of each is not independent; resolve them "
                'together (schedules.COUPLED_DYNAMICS), or load with mimic="independent"'
            )
        return kind(graph.coordinates, joint_values(graph, self.quantity))

    def _numbers_of_joints(self, graph: StateGraph[Any], what: str) -> Coordinates:
        """The same of numbers, one for each coordinate of a joint."""
        if graph.mechanism.coupled:
            raise Error(
                f"{what}: joints follow others, and numbers do not say how they add up; say of which frame: of=…"
            )
        rows: list[list[Any]] = [[0.0] for _ in range(graph.mechanism.nv)]
        for joint, value in self._each(graph, what):
            if not is_known(known_or_unknown(value)):
                return UNKNOWN
            entries = value if is_symbolic(value) else np.reshape(value, (-1, 1))
            if entries.shape[0] != len(joint.labels):
                raise Error(
                    f"{what}: {self.quantity!r} of joint {joint.name} has {entries.shape[0]} entries, the joint "
                    f"{len(joint.labels)} coordinates; give one each, or say of which frame: of=…"
                )
            for k in range(len(joint.labels)):
                rows[joint.v.start + k] = [entries[k, 0]]
        return assemble(rows)

    def _each(self, graph: StateGraph[Any], what: str) -> Iterator[tuple[MovingJoint, Any]]:
        """Every joint that can move, with its quantity."""
        for state, body in zip(graph, graph.mechanism.bodies, strict=True):
            if state.joints and self.quantity not in state:
                raise Error(f"{what}: no operation gives {self.quantity!r} to joint {body.joint.name}")
            if state.joints:
                yield body.joint, state[self.quantity]


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a quantity of a body is wanted: at a frame on it, in the axes of another."""

    graph: StateGraph[Any]
    state: BodyState
    at: Attached
    output: Output
    what: str

    def brought(self, value: Any) -> Any:
        """The same at the point and in the axes asked for, by its own operations."""
        if isinstance(value, Pose):
            return self._placed(value)
        if isinstance(value, Screw | Inertia):
            value = self._moved(value)
        if isinstance(value, Screw | Inertia | Position):
            return self._turned(value)
        return value

    def _placed(self, pose: Pose) -> Pose:
        if pose.wrt != WORLD_FRAME or self.output.as_seen_by not in ("", "world"):
            raise Error(f"{self.what}: {pose} is handed out wrt world and as seen by it alone; take 'world_pose'")
        return pose.compose(self.at.pose)

    def _moved(self, value: Any) -> Any:
        wanted, own = self.at.pose.of.origin, self.state.frame
        if value.point == wanted:
            return value
        if (value.point, value.as_seen_by) != (own.origin, own):
            if self.output.of or any(self.output.point):
                raise Error(f"{self.what}: it is taken at {value.point}; change_point it to {wanted} in an operation")
            return value
        if not isinstance(value, ClassicalAcceleration):
            return value.change_point(self.at.pose.position)
        if "twist" not in self.state:
            raise Error(f"{self.what}: a classical acceleration at another point needs 'twist', which nobody gives")
        return value.change_point(self.at.pose.position, self.state["twist"])

    def _turned(self, value: Any) -> Any:
        axes = attached(self.graph.mechanism, self.output.as_seen_by or self.output.of or "world", self.what)
        if value.as_seen_by == axes.pose.of:
            return value
        if value.as_seen_by not in (self.state.frame, WORLD_FRAME):
            raise Error(f"{self.what}: it is seen by {value.as_seen_by}; change_frame it in an operation")
        index = -1 if value.as_seen_by == WORLD_FRAME else self.state.index
        if axes.body == index:
            return value.change_frame(axes.pose.orientation.inverse())
        in_world = self._in_world(axes.body).compose(axes.pose.orientation)
        return value.change_frame(in_world.inverse().compose(self._in_world(index)))

    def _in_world(self, index: int) -> Orientation:
        """How a body is turned wrt world, from its world_pose or from the poses on the way."""
        turned = Orientation(WORLD_FRAME, WORLD_FRAME, ())
        for body in self.graph.mechanism.path(index):
            state = self.graph[body]
            if "world_pose" in state:
                turned = state["world_pose"].orientation
            elif "pose" in state:
                turned = turned.compose(state["pose"].orientation)
            else:
                raise Error(
                    f"{self.what}: to turn it, the pose of {state.body} is needed, which nobody gives; begin with "
                    "schedules.POSES"
                )
        return turned


def is_relation(value: Any) -> bool:
    """Whether a value knows what it means; numbers, symbols and nothing do not."""
    return not (value is None or isinstance(value, NUMBERS) or is_symbolic(value))


def numbers(graph: StateGraph[Any], value: Any, what: str) -> Coordinates:
    """The coordinates of what was found, angular first."""
    if isinstance(value, JointVector | OfAllJoints) and value.joints != graph.coordinates:
        raise Error(f"{what}: {', '.join(value.joints)} are not all coordinates of the robot in the order of v")
    match value:
        case Pose():
            return value.matrix
        case Position():
            return value.xyz
        case WrenchBasis():
            pass
        case Screw():
            columns = above(value.angular, value.linear)
            return in_order_of_v(graph, columns, value.joints) if isinstance(value, Columns) else columns
        case RigidInertia():
            return numbers(graph, value.articulated(), what)
        case ArticulatedInertia() | ApparentInertia():
            return above(beside(value.angular, value.mixed), beside(value.mixed.T, value.linear))
        case JointVector() | JointInertia() | JointMobility() | JointFactor() | Multipliers() | RowStack() | Coupling():
            return value.values
        case Energy():
            return value.value
        case _ if not is_relation(value):
            return known_or_unknown(value)
        case _:
            pass
    raise Error(f"{what}: {article(type(value).__name__)} cannot be handed out as numbers; take what it is made of")


def shape(value: Any, coordinates: Coordinates, nv: int) -> tuple[int, ...] | None:
    """The shape of a port; None for a number that has not been computed."""
    match value:
        case Pose():
            return (4, 4)
        case Position():
            return (3,)
        case MotionBasis() | MotionBasisRate() | MomentumBasis():
            return (6, nv)
        case Screw():
            return (6,)
        case RigidInertia() | ArticulatedInertia() | ApparentInertia():
            return (6, 6)
        case JointVector():
            return (nv,)
        case JointInertia() | JointMobility() | JointFactor():
            return (nv, nv)
        case Multipliers() | RowStack():
            return (len(value.rows),)
        case Coupling():
            return (len(value.rows), len(value.rows))
        case Energy():
            return ()
        case None | Unknown():
            return None
        case _:
            extents: tuple[int, ...] = np.shape(coordinates)
            return () if extents == (1, 1) else extents[:1] if extents[1:] == (1,) else extents


def in_words(value: Any, quantity: str) -> str:
    """What a quantity means, for the port."""
    kind = re.sub(r"(?<!^)(?=[A-Z])", " ", type(value).__name__).lower()
    match value:
        case Pose():
            return f"homogeneous pose of {value.of.name} wrt {value.wrt.name}"
        case Position():
            return f"position of {value.of.name} wrt {value.wrt.name}, as seen by {value.as_seen_by.name}"
        case Screw():
            where = f"at {value.point.name}, as seen by {value.as_seen_by.name}; rows rx ry rz x y z"
            return f"{kind} of {value.of} wrt {value.wrt}, {where}"
        case RigidInertia() | ArticulatedInertia() | ApparentInertia():
            where = f"at {value.point.name}, as seen by {value.as_seen_by.name}; rows rx ry rz x y z"
            return f"{kind} of {value.of}, {where}"
        case JointVector() | JointInertia() | JointMobility() | JointFactor():
            called = "" if quantity.replace("_", " ") == kind else f" ({quantity})"
            return f"{kind}{called}, in the order of v"
        case Multipliers() | RowStack() | Coupling():
            return f"{quantity.replace('_', ' ')} along {', '.join(row.partition(':')[2] for row in value.rows)}"
        case Energy():
            return f"{kind} of {'all bodies' if value.of == WORLD else value.of} wrt {value.wrt}"
        case _:
            return quantity
