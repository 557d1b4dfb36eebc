"""The Jacobian between two frames, with columns for the joints between them alone.

J_k = ±S_k at the target's origin, in the base's axes
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.geometry.coordinates import Coordinates, above, beside, zeros
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, q_port
from motionc.solvers.frame_arguments import Framed, as_name
from motionc.solvers.steps.motion import Motion
from motionc.solvers.steps.path import POSES_ALONE, ends, moved_along, path_columns
from motionc.sweeps.problem import Problem
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph, in_order_of_v


@dataclass(frozen=True)
class PathJacobian(Question):
    """The Jacobian along the path between two frames, with columns for its joints alone: (ω; v) = J(q) v[columns].

    Args:
        robot: the robot.
        wrt: relative to whose body, and in whose axes.
        frame: whose body moves; v is that of its origin.
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "path_jacobian"

    renamed: ClassVar = {"base": "wrt", "target": "frame"}

    wrt: str
    frame: Framed
    _: KW_ONLY
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        frame = as_name(f"{self.called}: frame", self.frame)
        columns = path_columns(robot, self.wrt, frame)

        def matrix(graph: StateGraph[Motion]) -> Coordinates:
            start, end = ends(graph.mechanism, self.wrt, frame, "path_jacobian")
            moved = moved_along(graph, start, end)
            whole = in_order_of_v(graph, above(moved.angular, moved.linear), moved.joints)
            return beside(zeros(6, 0), *(whole[:, k : k + 1] for k in columns))

        names = [name for name, where in robot.v_index.items() for k in range(robot.nv)[where] if k in columns]
        said = f"rows rx ry rz x y z; columns {', '.join(names) or 'none'}"
        return Solver(
            self.called,
            "(omega; v) = J(q) v, column i = S_i at the target's origin",
            robot,
            POSES_ALONE,
            (q_port(robot),),
            (
                Port(
                    "J",
                    (6, len(columns)),
                    "1, m",
                    f"motion of {frame} wrt {self.wrt}, as seen by {self.wrt}; {said}",
                ),
            ),
            lambda mechanism: Problem({}),
            {"J": matrix},
            options=self,
        )
