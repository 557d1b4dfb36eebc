"""Bias forces h(q, v): inverse dynamics of joints that do not accelerate (specs/motion-stack.md §2.8).

h(q, v) = τ at q̈ = 0
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.geometry.coordinates import zeros
from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.solvers.arguments import Question, q_port, refuse_no_body, tau_port, v_port
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem
from motionc.sweeps.representation import Representation
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import joint_values


@dataclass(frozen=True)
class BiasForces(Question):
    """Bias forces h(q, v), velocity and gravity terms: the motor forces that keep joints from accelerating.

    It is inverse dynamics asked less: with `gravity=(0, 0, 0)` only the velocity terms are left.

    Args:
        robot: the robot.
        gravity: acceleration of free fall in world axes (m/s²).
        parameters: constants of the robot that become inputs: "LINK.mass", "gravity" … (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "bias_forces"

    _: KW_ONLY
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        refuse_no_body(robot, "bias forces")
        return Solver(
            self.called,
            "h(q, v) = tau at a = 0",
            robot,
            INVERSE_DYNAMICS,
            (q_port(robot), v_port(robot)),
            (tau_port(robot, "velocity and gravity terms of the motors' forces", "h"),),
            lambda mechanism: Problem({}, self.gravity, constants={"a": zeros(robot.nv, 1)}),
            {"h": lambda graph: joint_values(graph, "joint_force")},
            options=self,
        )
