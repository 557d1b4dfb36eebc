"""What do users call? The public constructors, one line a computation; what `__all__` lists, `motionc` has.

Each is made when it is first asked for, from the options that are `called` so in the solver of its name: who asks one
question loads one solver. Readers and type checkers see all of them.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from motionc.computations.catalogue import Catalogue
from motionc.computations.making import computes, made_of
from motionc.model.robot import Robot
from motionc.model.state_space import answered_by
from motionc.runtime.computation import Computation

if TYPE_CHECKING:
    from motionc.computations.block import block
    from motionc.computations.inverse_kinematics import InverseKinematics, inverse_kinematics
    from motionc.computations.loop import loop
    from motionc.computations.together import together
    from motionc.computations.wired import wired
    from motionc.solvers.bias_forces import BiasForces
    from motionc.solvers.center_of_mass import CenterOfMassMotion
    from motionc.solvers.centroidal_momentum import CentroidalMomentum
    from motionc.solvers.constrained_dynamics import ConstrainedDynamics
    from motionc.solvers.coriolis_matrix import CoriolisMatrix
    from motionc.solvers.difference import Difference
    from motionc.solvers.energy import Energy
    from motionc.solvers.forward_dynamics import ForwardDynamics
    from motionc.solvers.forward_kinematics import ForwardKinematics
    from motionc.solvers.frame_motion import FrameMotion
    from motionc.solvers.gravity_forces import GravityForces
    from motionc.solvers.hybrid_dynamics import HybridDynamics
    from motionc.solvers.impact import Impact
    from motionc.solvers.integrate import Integrate
    from motionc.solvers.interpolate import Interpolate
    from motionc.solvers.inverse_dynamics import InverseDynamics
    from motionc.solvers.inverse_velocity import InverseVelocity
    from motionc.solvers.jacobian import Jacobian
    from motionc.solvers.jacobian_rate import JacobianRate
    from motionc.solvers.mass_matrix import MassMatrix
    from motionc.solvers.mass_matrix_factor import MassMatrixFactor
    from motionc.solvers.mass_matrix_inverse import MassMatrixInverse
    from motionc.solvers.mass_matrix_solve import MassMatrixSolve
    from motionc.solvers.operational_space import OperationalSpace
    from motionc.solvers.own import Solve
    from motionc.solvers.path_jacobian import PathJacobian
    from motionc.solvers.regressor import Regressor
    from motionc.solvers.step import Step
    from motionc.solvers.transform import Transform

    forward_kinematics = computes(ForwardKinematics)
    jacobian = computes(Jacobian)
    jacobian_rate = computes(JacobianRate)
    frame_motion = computes(FrameMotion)
    transform = computes(Transform)
    path_jacobian = computes(PathJacobian)
    inverse_velocity = computes(InverseVelocity)
    inverse_dynamics = computes(InverseDynamics)
    bias_forces = computes(BiasForces)
    gravity_forces = computes(GravityForces)
    forward_dynamics = computes(ForwardDynamics)
    hybrid_dynamics = computes(HybridDynamics)
    constrained_dynamics = computes(ConstrainedDynamics)
    operational_space = computes(OperationalSpace)
    impact = computes(Impact)
    mass_matrix = computes(MassMatrix)
    mass_matrix_inverse = computes(MassMatrixInverse)
    mass_matrix_solve = computes(MassMatrixSolve)
    mass_matrix_factor = computes(MassMatrixFactor)
    coriolis_matrix = computes(CoriolisMatrix)
    center_of_mass = computes(CenterOfMassMotion)
    centroidal_momentum = computes(CentroidalMomentum)
    energy = computes(Energy)
    regressor = computes(Regressor)
    integrate = computes(Integrate)
    difference = computes(Difference)
    interpolate = computes(Interpolate)
    step = computes(Step)
    solve = computes(Solve)

__all__ = [
    "InverseKinematics",
    "bias_forces",
    "block",
    "center_of_mass",
    "centroidal_momentum",
    "constrained_dynamics",
    "coriolis_matrix",
    "difference",
    "energy",
    "forward_dynamics",
    "forward_kinematics",
    "frame_motion",
    "gravity_forces",
    "hybrid_dynamics",
    "impact",
    "integrate",
    "interpolate",
    "inverse_dynamics",
    "inverse_kinematics",
    "inverse_velocity",
    "jacobian",
    "jacobian_rate",
    "loop",
    "mass_matrix",
    "mass_matrix_factor",
    "mass_matrix_inverse",
    "mass_matrix_solve",
    "operational_space",
    "path_jacobian",
    "regressor",
    "solve",
    "step",
    "together",
    "transform",
    "wired",
]

BESIDE = {
    "InverseKinematics": "inverse_kinematics",
    "block": "block",
    "inverse_kinematics": "inverse_kinematics",
    "loop": "loop",
    "together": "together",
    "wired": "wired",
}
"""What more than the options of a solver makes: modules of this room."""

CATALOGUE = Catalogue(
    {*__all__} - {*BESIDE} | {"inverse_kinematics"},
    {"inverse_kinematics": "computations.inverse_kinematics", "solve": "solvers.own"},
)
"""The options of every public computation, by its name: public names, command line, documents and tests read it."""


def state_function(robot: Robot, name: str) -> Computation:
    """What a robot calls for integrate, difference or interpolate: the computation of that name."""
    return made_of(robot, CATALOGUE[name]())


answered_by(state_function)


class _Room(ModuleType):
    """The room, of which constructors come when they are asked for."""

    def __getattr__(self, name: str) -> Any:
        if name in BESIDE:
            value = getattr(import_module(f"{__name__}.{BESIDE[name]}"), name)
        elif name in CATALOGUE:
            value = computes(CATALOGUE[name])
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        """A module of a constructor's name, when it is imported, does not take its place."""
        if not (name in __all__ and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*__all__, *self.__dict__})


sys.modules[__name__].__class__ = _Room
