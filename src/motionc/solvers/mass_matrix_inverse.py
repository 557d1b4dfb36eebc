"""The inverse of the mass matrix, along the tree: Lᵀ L = M_r, the joint farthest out first; M_r⁻¹ = L⁻¹ L⁻ᵀ.

Joints on different branches never meet, in M nor in L.
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.geometry import JointFactor, JointMobility
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, refuse_idle, refuse_large
from motionc.solvers.mass_matrix import LARGEST_INVERSE, MASS_MATRIX, Method, by_method, of_masses
from motionc.solvers.steps.composite import Composite
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import Problem
from motionc.sweeps.representation import Representation
from motionc.sweeps.schedule import ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph


class Inverted(Composite):
    """M_r⁻¹, and the factor L."""

    mass_matrix_inverse = Slot(JointMobility, "none")
    mass_matrix_factor = Slot(JointFactor, "none")


@operation(
    ROOT,
    needs=["mass_matrix"],
    gives=["mass_matrix_inverse", "mass_matrix_factor"],
    equation="M^-1, and L with L^T L = M",
)
def invert_masses(graph: StateGraph[Inverted], problem: Problem) -> None:
    graph.world.mass_matrix_inverse = graph.world.mass_matrix.inverse()
    graph.world.mass_matrix_factor = graph.world.mass_matrix.root()


MASS_MATRIX_INVERSE = Schedule("mass_matrix_inverse", (*MASS_MATRIX.sweeps, sweep(invert_masses)))


@dataclass(frozen=True)
class MassMatrixInverse(Question):
    """The inverse of the mass matrix, M(q)⁻¹, full and symmetric: how joints accelerate under unit forces.

    Args:
        robot: the robot.
        method: "composite" bodies and a factor along the tree, or "innovations", which needs independent joints.
        packed: whether each entry is given once, the lower triangle row by row, (nv (nv + 1) / 2,): half the memory.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "mass_matrix_inverse"

    _: KW_ONLY
    method: Method = "composite"
    packed: bool = False
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "inverse of the mass matrix")
        refuse_large(robot, "inverse of the mass matrix", LARGEST_INVERSE)
        schedule = by_method(robot, "inverse of the mass matrix", self.method, MASS_MATRIX_INVERSE)
        port = Port("M_inv", (robot.nv, robot.nv), "1/(kg m²), 1/(kg m), 1/kg", "inverse mass matrix in the order of v")
        return of_masses(self, robot, "M(q)^-1", schedule, port, "mass_matrix_inverse", packed=self.packed)
