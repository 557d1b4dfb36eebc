"""The factor of the mass matrix: L lower triangular, Lᵀ L = M_r, along the tree (specs/robcogen.md §2.9)."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, refuse_idle, refuse_large
from motionc.solvers.mass_matrix import LARGEST_INVERSE, of_masses
from motionc.solvers.mass_matrix_inverse import MASS_MATRIX_INVERSE
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.representation import Representation
from motionc.sweeps.solver import Solver


@dataclass(frozen=True)
class MassMatrixFactor(Question):
    """The factor of the mass matrix, L lower triangular, Lᵀ L = M(q); of independent joints it is empty wherever M is.

    Args:
        robot: the robot.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "mass_matrix_factor"

    _: KW_ONLY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "factor of the mass matrix")
        refuse_large(robot, "factor of the mass matrix", LARGEST_INVERSE)
        port = Port("L", (robot.nv, robot.nv), "√(kg m²), √kg", "lower triangular, in the order of v, L^T L = M")
        return of_masses(self, robot, "L^T L = M(q)", MASS_MATRIX_INVERSE, port, "mass_matrix_factor")
