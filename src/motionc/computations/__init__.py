"""What do users call? The public constructors, one line a computation; what `__all__` lists, `motionc` has."""

from motionc.computations.block import block
from motionc.computations.inverse_kinematics import InverseKinematics, inverse_kinematics
from motionc.computations.loop import loop
from motionc.computations.making import CATALOGUE as CATALOGUE
from motionc.computations.making import computes, state_function
from motionc.computations.together import together
from motionc.computations.wired import wired
from motionc.model.state_space import answered_by
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

answered_by(state_function)
