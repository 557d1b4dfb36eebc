"""The frame Jacobian: how joint rates move a point of one body with respect to another (specs/robcogen.md §2.7).

J = [S_1 … S_n along the path], each column at the point and in the axes asked for: V = J q̇
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np

from motionc.geometry import WORLD, WORLD_FRAME, MotionBasis, MotionBasisRate, Position
from motionc.geometry.coordinates import Coordinates, above
from motionc.geometry.meaning import as_meant
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers import relations
from motionc.solvers.arguments import Question, q_port
from motionc.solvers.frame_arguments import Framed, as_twist
from motionc.solvers.steps.motion import Motion, poses, turn, world_at_origin, world_poses
from motionc.sweeps.frames import Attached, attached
from motionc.sweeps.given_frames import GivenFrames, refuse_unnamed, with_frames
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph, in_order_of_v


@dataclass(frozen=True, slots=True, eq=False)
class Aim:
    """The point whose motion is asked for."""

    target: Attached = field(default_factory=Attached)


class Columns(Motion):
    """How joints move the point of interest, were it fixed to this body."""

    target = Slot(Position, "none")
    jacobian = Slot(MotionBasis, "body")


@operation(ROOT, needs=["world_pose"], gives=["target", "jacobian"], equation="the point, in the world")
def aim(graph: StateGraph[Columns], problem: Problem) -> None:
    """The point of interest, as seen by the world; a Jacobian of the world itself has no columns."""
    point = graph[problem[Aim].target.body].world_pose.compose(problem[Aim].target.pose).position
    graph.world.target = point
    empty = np.zeros((3, 0))
    graph.world.jacobian = MotionBasis(WORLD, WORLD, point.of, WORLD_FRAME, empty, empty)


@operation(
    OUTWARD,
    needs=["world_pose", "target", "jacobian"],
    gives=["target", "jacobian"],
    equation="J_i = S_i at the point, as seen by the world",
)
def columns(joint: JointView, parent: Columns, child: Columns) -> None:
    child.target = parent.target
    reach = child.world_pose.position.inverse().compose(child.target)
    column = joint.basis.change_frame(child.world_pose.orientation).change_point(reach)
    child.jacobian = parent.jacobian.compose(column)


JACOBIAN = Schedule(
    "jacobian",
    (sweep(world_at_origin), sweep(poses, world_poses), sweep(aim), sweep(columns)),
)


@dataclass(frozen=True)
class Jacobian(Question):
    """The Jacobian of a frame: twist (ω; v) = J(q) v.

    Args:
        robot: the robot.
        frame: whose body's motion; a Target or a Constraint says wrt, point and as_seen_by for itself.
        wrt: relative to which frame's body.
        point: where v is taken, in frame coordinates (m); it moves with the frame's body.
        as_seen_by: whose axes the rows are written in.
        given_frames: frames whose poses wrt another are inputs (4×4), {"T": "world"}: named like any of the robot.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "jacobian"

    frame: Framed
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    _: KW_ONLY
    given_frames: GivenFrames | None = None
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        beside = {"wrt": self.wrt, "point": self.point, "as_seen_by": self.as_seen_by}
        asked = as_twist(f"{self.called}: frame", self.frame, **beside)
        framed = with_frames(robot.mechanism, self.given_frames)
        refuse_unnamed(self.called, self.given_frames, (asked,))
        attached(framed, asked.wrt, "jacobian, wrt")
        attached(framed, asked.as_seen_by, "jacobian, as_seen_by")

        def question(mechanism: Mechanism) -> Problem:
            return Problem({}, options=(Aim(attached(mechanism, asked.frame, "jacobian", asked.point)),))

        def matrix(graph: StateGraph[Columns]) -> Coordinates:
            of, base, axes = (
                attached(graph.mechanism, name, "jacobian") for name in (asked.frame, asked.wrt, asked.as_seen_by)
            )
            moved = graph[base.body].jacobian.inverse().compose(graph[of.body].jacobian)
            return seen_in(graph, moved, axes, question(graph.mechanism)[Aim].target)

        question(framed)
        meaning = f"motion of {motion_in_words(asked.frame, asked.wrt, asked.point, asked.as_seen_by)}"
        return Solver(
            self.called,
            "(ω; v) = J(q) v, column i = S_i at the point",
            robot,
            JACOBIAN,
            (q_port(robot),),
            (Port("J", (6, robot.nv), "1, m", meaning, relation=relations.of_motion("motion basis", [asked])),),
            question,
            {"J": matrix},
            options=self,
        )


# ---------------------------------------------------------------- words and axes


def motion_in_words(frame: str, wrt: str, point: Sequence[float], as_seen_by: str) -> str:
    where = "" if not any(point) else f" at {tuple(point)} of it"
    return f"{frame}{where} wrt {wrt}, as seen by {as_seen_by}; rows rx ry rz x y z"


def seen_in(
    graph: StateGraph[Columns], columns: MotionBasis | MotionBasisRate, axes: Attached, target: Attached
) -> Coordinates:
    """Columns in the axes asked for, in the order of v; refused if they are not there, at the point asked for."""
    seen = columns.change_frame(turn(graph, axes, graph.world).inverse())
    as_meant(seen, "Jacobian", point=target.pose.of.origin, as_seen_by=axes.pose.of)
    return in_order_of_v(graph, above(seen.angular, seen.linear), seen.joints)
