"""Transforms between two frames: points, twists and wrenches from the axes of one to those of another.

    base_X_target = Π X_k(±q_k)

Joints on the way up from the base count backwards. What lies between both frames and the root does not matter.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.geometry import Pose
from motionc.geometry.coordinates import Coordinates, above, beside, cross, zeros
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, chosen, q_port
from motionc.solvers.frame_arguments import Framed, as_name
from motionc.solvers.steps.motion import Motion
from motionc.solvers.steps.path import POSES_ALONE, between, ends
from motionc.sweeps.problem import Problem
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph

REPRESENTATIONS = ("homogeneous", "motion", "force")


@dataclass(frozen=True)
class Transform(Question):
    """The transform from coordinates of one frame to those of another, in three representations.

    `homogeneous` [R p; 0 1] maps points of `frame` into `wrt`, `motion` [R 0; p×R R] twists (ω; v),
    `force` [R p×R; 0 R] wrenches (n; f), each taken at the origin of the frame in whose axes it is written.

    Args:
        robot: the robot.
        wrt: the frame into which is mapped.
        frame: the frame from which is mapped.
        outputs: which of homogeneous (4, 4), motion (6, 6), force (6, 6) to compute.
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "transform"

    renamed: ClassVar = {"base": "wrt", "target": "frame"}

    wrt: str
    frame: Framed
    _: KW_ONLY
    outputs: Sequence[str] = REPRESENTATIONS
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        frame = as_name(f"{self.called}: frame", self.frame)
        said = f"from coordinates of {frame} to those of {self.wrt}"
        ports = {
            "homogeneous": Port("homogeneous", (4, 4), "1, m", f"points {said}"),
            "motion": Port("motion", (6, 6), "1, m", f"twists (ω; v) {said}"),
            "force": Port("force", (6, 6), "1, m", f"wrenches (n; f) {said}"),
        }
        ends(robot.mechanism, self.wrt, frame, "transform")

        def pose(graph: StateGraph[Motion]) -> Pose:
            return between(graph, *ends(graph.mechanism, self.wrt, frame, "transform"))

        return Solver(
            self.called,
            "base_X_target = product of the joints' transforms on the way",
            robot,
            POSES_ALONE,
            (q_port(robot),),
            chosen("transform", self.outputs, ports),
            lambda mechanism: Problem({}),
            {
                "homogeneous": lambda graph: pose(graph).matrix,
                "motion": lambda graph: _spatial(pose(graph), force=False),
                "force": lambda graph: _spatial(pose(graph), force=True),
            },
            options=self,
        )


def _spatial(pose: Pose, *, force: bool) -> Coordinates:
    """[R 0; p×R R] for motions, [R p×R; 0 R] for forces."""
    R, p = pose.orientation.matrix, pose.position.xyz
    arm, nothing = cross(p, R), zeros(3, 3)
    return above(beside(R, arm), beside(nothing, R)) if force else above(beside(R, nothing), beside(arm, R))
