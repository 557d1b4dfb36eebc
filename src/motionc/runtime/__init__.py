"""How does Python call it? Building, loading, and the Computation a user holds."""

from motionc.runtime.computation import (
    Computation,
    Results,
    constrained_dynamics,
    forward_dynamics,
    forward_kinematics,
    inverse_dynamics,
    jacobian,
)

__all__ = [
    "Computation",
    "Results",
    "constrained_dynamics",
    "forward_dynamics",
    "forward_kinematics",
    "inverse_dynamics",
    "jacobian",
]
