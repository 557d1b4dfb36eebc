"""Interpolation between two configurations, along the way of constant velocity.

    outward   v_i = q1_i ⊖ q0_i      (solvers/difference.py)
    outward   q0_i ⊕ s v_i

Share 0 is q0, 1 is q1, ½ the middle, as far from both. Quaternions take the arc of a great circle (Shoemake's slerp);
a free body goes along a screw.
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.program.space import Numbers
from motionc.solvers.arguments import Question, q_port
from motionc.solvers.difference import DIFFERENCE
from motionc.solvers.integrate import Stepped, arrived
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, Schedule, operation, sweep
from motionc.sweeps.solver import Solver


@operation(OUTWARD, needs=["displacement"], gives=["q_next"], equation="q0 + share (q1 - q0)")
def part_of_the_way(joint: JointView, parent: Stepped, child: Stepped) -> None:
    if not joint.moving.joint.follows:
        gone = child.displacement.share(joint.problem.rows("share", slice(0, 1)))
        child.q_next = joint.moved(joint.coordinates("q0"), gone)


INTERPOLATE = Schedule("interpolate", (*DIFFERENCE.sweeps, sweep(part_of_the_way)))


@dataclass(frozen=True)
class Interpolate(Question):
    """Interpolate between configurations at constant velocity: q0 ⊕ share (q1 ⊖ q0).

    Spherical, floating and planar joints turn the shorter way. A share below 0 or above 1 goes on beyond the ends.

    Args:
        robot: the robot.
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "interpolate"

    _: KW_ONLY
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        return Solver(
            self.called,
            "q = q0 (+) share (q1 (-) q0)",
            robot,
            INTERPOLATE,
            (
                q_port(robot, "q0", "where it starts"),
                q_port(robot, "q1", "where it arrives"),
                Port("share", (), "1", "of the way: 0 at q0, 1 at q1", Numbers(1, least=0.0)),
            ),
            (q_port(robot, "q", "the configuration on the way"),),
            lambda mechanism: Problem({}),
            {"q": arrived},
            options=self,
        )
