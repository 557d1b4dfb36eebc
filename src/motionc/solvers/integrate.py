"""Integration of joint velocities: the exact exponential of a velocity that is constant for dt.

    outward   q_i ⊕ v_i dt      a number adds up; a quaternion q ⊗ exp(v dt); a free body X exp([v dt]), SE(3); a plane
                                the same in SE(2)

Joints know the way themselves (model/joints); those that follow others have no coordinates of their own.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from motionc.geometry import JointCoordinates, JointDisplacement
from motionc.geometry.coordinates import Coordinates, assemble, zeros
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, q_port, v_port
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import BodyState, Slot, StateGraph


class Stepped(BodyState):
    """How far a joint goes, and where it is then. A joint that follows another has neither: it is where that is."""

    displacement = Slot(JointDisplacement, "joint")
    q_next = Slot(JointCoordinates, "joint")


@operation(OUTWARD, gives=["displacement", "q_next"], equation="q_i + v_i dt")
def advance(joint: JointView, parent: Stepped, child: Stepped) -> None:
    if not joint.moving.joint.follows:
        child.displacement = joint.velocity.during(joint.problem.rows("dt", slice(0, 1)))
        child.q_next = joint.moved(joint.coordinates("q"), child.displacement)


INTEGRATE = Schedule("integrate", (sweep(advance),))


@dataclass(frozen=True)
class Integrate(Question):
    """Integrate a constant joint velocity v for dt: the configuration q ⊕ v dt, exactly.

    Quaternions come out of length 1, whatever their length was between 1e-75 and 1e75 (single precision: 1e-9 and 1e9);
    beyond, the answer is none. Derivatives with respect to q are per unit of v, and exact where nothing turns and at
    any angle.

    Args:
        robot: the robot.
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "integrate"

    _: KW_ONLY
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        return Solver(
            self.called,
            "q = q (+) v dt",
            robot,
            INTEGRATE,
            (q_port(robot), v_port(robot), Port("dt", (), "s", "for how long")),
            (q_port(robot, "q", "the configuration after dt"),),
            lambda mechanism: Problem({}),
            {"q": arrived},
            options=self,
        )


def arrived(graph: StateGraph[Stepped]) -> Coordinates:
    """q of all joints, in its own order."""
    entries: list[list[Any]] = [[0.0] for _ in range(graph.mechanism.nq)]
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        if "q_next" in state:
            values = state.q_next.values
            for k, place in enumerate(range(body.joint.q.start, body.joint.q.stop)):
                entries[place] = [values[k, 0]]
    return assemble(entries) if entries else zeros(0, 1)
