"""Gravity forces g(q): inverse dynamics at rest (specs/motion-stack.md §2.8).

g(q) = τ at q̇ = q̈ = 0
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.geometry.coordinates import zeros
from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.solvers.arguments import Question, q_port, tau_port
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem
from motionc.sweeps.representation import Representation
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import joint_values


@dataclass(frozen=True)
class GravityForces(Question):
    """Gravity forces g(q) = h(q, 0): motor forces that hold the robot at rest, positive against gravity.

    Args:
        robot: the robot.
        gravity: acceleration of free fall in world axes (m/s²).
        parameters: constants of the robot that become inputs: "LINK.mass", "gravity" … (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "gravity_forces"

    _: KW_ONLY
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        rest = {"v": zeros(robot.nv, 1), "a": zeros(robot.nv, 1)}
        return Solver(
            self.called,
            "g(q) = tau at v = a = 0",
            robot,
            INVERSE_DYNAMICS,
            (q_port(robot),),
            (tau_port(robot, "what the motors make to hold the robot at rest", "g"),),
            lambda mechanism: Problem({}, self.gravity, constants=rest),
            {"g": lambda graph: joint_values(graph, "joint_force")},
            options=self,
        )
