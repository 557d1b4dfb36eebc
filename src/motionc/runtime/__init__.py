"""How does Python call it? Building, loading, and the Computation a user holds."""

from motionc.runtime.computation import (
    Computation,
    bias_forces,
    center_of_mass,
    centroidal_momentum,
    constrained_dynamics,
    energy,
    forward_dynamics,
    forward_kinematics,
    frame_motion,
    gravity_forces,
    hybrid_dynamics,
    inverse_dynamics,
    inverse_velocity,
    jacobian,
    jacobian_rate,
    mass_matrix,
    mass_matrix_factor,
    mass_matrix_inverse,
)
from motionc.runtime.inverse_kinematics import InverseKinematics, inverse_kinematics
from motionc.runtime.results import Results

__all__ = [
    "Computation",
    "InverseKinematics",
    "Results",
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
    "inverse_dynamics",
    "inverse_kinematics",
    "inverse_velocity",
    "jacobian",
    "jacobian_rate",
    "mass_matrix",
    "mass_matrix_factor",
    "mass_matrix_inverse",
]
