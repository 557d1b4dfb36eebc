"""Forward kinematics: where frames are in the world (specs/motion-stack.md §2.4).

X_world,frame = X_world,1(q) X_1,2(q) … X_n,frame
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from motionc.geometry.coordinates import Coordinates, above
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.program.relation import Relation
from motionc.solvers.arguments import Question, q_port
from motionc.solvers.frame_arguments import Frames, as_names, framed
from motionc.solvers.steps.motion import Motion, poses, world_at_origin, world_poses
from motionc.sweeps.frames import attached
from motionc.sweeps.given_frames import GivenFrames, refuse_unnamed, with_frames
from motionc.sweeps.options import Check, optional
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import Schedule, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph

FORWARD_KINEMATICS = Schedule("forward_kinematics", (sweep(world_at_origin), sweep(poses, world_poses)))


@dataclass(frozen=True)
class ForwardKinematics(Question):
    """Forward kinematics: poses of frames in the world, X_world_frame = Π X_i,i+1(q).

    Args:
        robot: the robot.
        frames: name of a frame or several, in the order of the output; all links by default.
        given_frames: frames whose poses wrt another are inputs (4×4), {"T": "world"}: named like any of the robot.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "forward_kinematics"
    understood: ClassVar[Mapping[str, Check]] = {**Question.understood, "frames": optional(framed)}

    frames: Frames | None = None
    _: KW_ONLY
    given_frames: GivenFrames | None = None
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        names = list(robot.link_names) if self.frames is None else as_names(f"{self.called}: frames", self.frames)
        framed = with_frames(robot.mechanism, self.given_frames)
        for name in names:
            attached(framed, name, "forward_kinematics")
        refuse_unnamed(self.called, self.given_frames, names)

        def poses(graph: StateGraph[Motion]) -> Coordinates:
            blocks: list[Any] = []
            for name in names:
                where = attached(graph.mechanism, name, "forward_kinematics")
                blocks.append(graph[where.body].world_pose.compose(where.pose).matrix)
            return above(*blocks)

        meaning = f"homogeneous poses wrt world of {', '.join(names)}"
        return Solver(
            self.called,
            "X_world_frame = X_world_1(q) X_1_2(q) … X_n_frame",
            robot,
            FORWARD_KINEMATICS,
            (q_port(robot),),
            (Port("pose", (len(names), 4, 4), "m, 1", meaning, relation=Relation("pose", ", ".join(names), "world")),),
            lambda mechanism: Problem({}),
            {"pose": poses},
            options=self,
        )
