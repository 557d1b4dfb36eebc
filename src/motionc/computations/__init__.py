"""What do users call? The public constructors, one line a computation."""

from motionc.computations.inverse_kinematics import InverseKinematics, inverse_kinematics
from motionc.computations.making import CATALOGUE, computes, made_of
from motionc.solvers.dynamics_solvers import (
    BiasForces,
    ConstrainedDynamics,
    ForwardDynamics,
    GravityForces,
    HybridDynamics,
    InverseDynamics,
)
from motionc.solvers.inverse_solvers import InverseVelocity
from motionc.solvers.kinematic_solvers import ForwardKinematics, FrameMotion, Jacobian, JacobianRate
from motionc.solvers.mass_solvers import (
    CenterOfMass,
    CentroidalMomentum,
    Energy,
    MassMatrix,
    MassMatrixFactor,
    MassMatrixInverse,
    MassMatrixSolve,
)
from motionc.solvers.own import Solve
from motionc.solvers.path_solvers import PathJacobian, Transform
from motionc.solvers.regressor import Regressor
from motionc.solvers.row_solvers import Impact, OperationalSpace

__all__ = [
    "CATALOGUE",
    "InverseKinematics",
    "bias_forces",
    "center_of_mass",
    "centroidal_momentum",
    "constrained_dynamics",
    "energy",
    "forward_dynamics",
    "forward_kinematics",
    "frame_motion",
    "gravity_forces",
    "hybrid_dynamics",
    "impact",
    "inverse_dynamics",
    "inverse_kinematics",
    "inverse_velocity",
    "jacobian",
    "jacobian_rate",
    "made_of",
    "mass_matrix",
    "mass_matrix_factor",
    "mass_matrix_inverse",
    "mass_matrix_solve",
    "operational_space",
    "path_jacobian",
    "regressor",
    "solve",
    "transform",
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
center_of_mass = computes(CenterOfMass)
centroidal_momentum = computes(CentroidalMomentum)
energy = computes(Energy)
regressor = computes(Regressor)
solve = computes(Solve)
