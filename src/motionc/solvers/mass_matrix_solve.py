"""A solve with the mass matrix, M(q) x = r, by a factor along the tree and substitution alone: no inverse is formed."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

from motionc.geometry import JointBias
from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.solvers.arguments import Question, a_port, refuse_idle, refuse_large, tau_port
from motionc.solvers.mass_matrix import LARGEST_INVERSE, MASS_MATRIX, of_masses
from motionc.solvers.steps.together import Together
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import Problem
from motionc.sweeps.representation import Representation
from motionc.sweeps.schedule import ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph


@operation(ROOT, needs=["mass_matrix"], gives=["accelerations"], equation="x = M^-1 r")
def divide_by_masses(graph: StateGraph[Together], problem: Problem) -> None:
    """M_r⁻¹ r, by substitution alone."""
    joints = graph.coordinates
    graph.world.accelerations = graph.world.mass_matrix.solve(JointBias(joints, problem.rows("r", slice(None))))


MASS_MATRIX_SOLVE = Schedule("mass_matrix_solve", (*MASS_MATRIX.sweeps, sweep(divide_by_masses)))


@dataclass(frozen=True)
class MassMatrixSolve(Question):
    """A solve with the mass matrix, M(q) x = r, by a factor along the tree: how forces r alone accelerate joints.

    Args:
        robot: the robot.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "mass_matrix_solve"

    _: KW_ONLY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "solve with the mass matrix")
        refuse_large(robot, "solve with the mass matrix", LARGEST_INVERSE)
        right = tau_port(robot, "right side, in the order of v", "r")
        port = replace(a_port(robot), name="x", meaning="M^-1 r, in the order of v")
        schedule = MASS_MATRIX_SOLVE
        solver = of_masses(self, robot, "M(q) x = r", schedule, port, "accelerations")
        return replace(solver, inputs=(*solver.inputs, right))
