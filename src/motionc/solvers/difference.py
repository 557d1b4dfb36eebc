"""The difference of two configurations: the constant velocity that leads from one to the other in unit time.

    outward   v_i = q1_i ⊖ q0_i      of numbers end - start; of quaternions log(q0* ⊗ q1); of a free body log(X0⁻¹ X1)
                                     in SE(3); of a plane the same in SE(2)

Integrated for unit time it arrives: q0 ⊕ (q1 ⊖ q0) = q1. Quaternions and planes turn the shorter way, at most by π;
at π itself both ways are as long, and one of them is taken.
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.solvers.arguments import Question, q_port, v_port
from motionc.solvers.integrate import Stepped
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import joint_values


@operation(OUTWARD, gives=["displacement"], equation="q1 - q0")
def way(joint: JointView, parent: Stepped, child: Stepped) -> None:
    if not joint.moving.joint.follows:
        child.displacement = joint.between(joint.coordinates("q0"), joint.coordinates("q1"))


DIFFERENCE = Schedule("difference", (sweep(way),))


@dataclass(frozen=True)
class Difference(Question):
    """The difference of two configurations, q1 ⊖ q0: the constant velocity that leads from q0 to q1 in unit time.

    Spherical, floating and planar joints turn the shorter way, at most by π: the θ of a planar one arrives up to whole
    turns. Angles of other joints are not wrapped. Derivatives are per unit of v on both sides; at a turn by π, where
    the answer jumps, there is none.

    Args:
        robot: the robot.
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "difference"

    _: KW_ONLY
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        return Solver(
            self.called,
            "q1 = q0 (+) v",
            robot,
            DIFFERENCE,
            (q_port(robot, "q0", "where it starts"), q_port(robot, "q1", "where it arrives")),
            (v_port(robot, meaning="the constant velocity that leads from q0 to q1 in 1 s"),),
            lambda mechanism: Problem({}),
            {"v": lambda graph: joint_values(graph, "displacement")},
            options=self,
        )
