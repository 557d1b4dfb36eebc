"""Joint power: what motors do each second, P = τᵀ q̇ = Σ τ_i q̇_i, while the robot accelerates as asked.

    outward, inward   inverse dynamics: τ                     (solvers/inverse_dynamics.py)
    outward           P_i = τ_i q̇_i                           followers with their own rates
    root              P = Σ P_i

Without gravity it is the rate of the kinetic energy.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.geometry import JointForce, JointVelocity
from motionc.geometry.coordinates import UNKNOWN, Coordinates, Relation, zeros
from motionc.geometry.labels import Labels, expect_alike
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, a_port, left_at_world, q_port, v_port
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.solvers.steps.wrenches import Wrenches
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph

# ---------------------------------------------------------------- quantities


@dataclass(frozen=True, slots=True, eq=False)
class JointPower(Relation):
    """Power τᵀ q̇ of the motors of some joints."""

    joints: Labels
    values: Coordinates = UNKNOWN

    @staticmethod
    def of(force: JointForce, velocity: JointVelocity) -> "JointPower":
        expect_alike(force, velocity, "τᵀ q̇", JointVelocity, "joints")
        return JointPower(force.joints, force.values.T @ velocity.values)

    def __add__(self, other: "JointPower") -> "JointPower":
        return JointPower(self.joints + other.joints, self.values + other.values)


class Powered(Wrenches):
    """What the motor of a joint does each second, and at the world what all of them do."""

    power = Slot(JointPower, "joint")
    total_power = Slot(JointPower, "none")


# ---------------------------------------------------------------- operations


@operation(OUTWARD, needs=["joint_force"], gives=["power"])
def joint_power(joint: JointView, parent: Powered, child: Powered) -> None:
    child.power = JointPower.of(child.joint_force, joint.velocity)


@operation(ROOT, needs=["power"], gives=["total_power"])
def sum_power(graph: StateGraph[Powered], problem: Problem) -> None:
    total = JointPower((), zeros(1, 1))
    for state in graph:
        total = total + state.power
    graph.world.total_power = total


# ---------------------------------------------------------------- schedule


JOINT_POWER = INVERSE_DYNAMICS + sweep(joint_power) + sweep(sum_power)


# ---------------------------------------------------------------- the computation


@dataclass(frozen=True)
class Power(Question):
    """Joint power P = τᵀ v of all motors, positive where they do work on the robot: tau = M(q) a + h(q, v).

    Args:
        robot: the robot.
        gravity: acceleration of free fall in world axes (m/s²).
        parameters: constants of the robot that become inputs: "LINK.mass", "gravity" … (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "joint_power"

    _: KW_ONLY
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        return Solver(
            self.called,
            "power = tau^T v,  tau = M(q) a + h(q, v)",
            robot,
            JOINT_POWER,
            (q_port(robot), v_port(robot), a_port(robot)),
            (Port("power", (), "W", "of all motors, positive where they do work on the robot"),),
            lambda mechanism: Problem({}, self.gravity),
            {"power": left_at_world("total_power")},
            options=self,
        )
