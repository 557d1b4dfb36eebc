"""How does Python call it? Building, loading, and the Computation a user holds."""

from motionc.runtime.computation import (
    Computation,
    constrained_dynamics,
    forward_dynamics,
    forward_kinematics,
    inverse_dynamics,
    jacobian,
)
from motionc.runtime.results import Results

__all__ = [
    "Computation",
    "Results",
    "constrained_dynamics",
    "forward_dynamics",
    "forward_kinematics",
    "inverse_dynamics",
    "jacobian",
]
