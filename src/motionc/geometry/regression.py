"""The wrench a body's motion requires, apart by the ten numbers of its inertia, in which it is linear."""

import numpy as np

from motionc.geometry.coordinates import Coordinates, above, assemble, beside, cross, skew, zeros
from motionc.geometry.entities import INERTIA
from motionc.geometry.motion import ClassicalAcceleration, Twist, check_own_twist
from motionc.geometry.wrench_basis import WrenchBasis

PARAMETERS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""Mass, mass times centre of mass, inertia about the frame's origin: what φ of a body holds, in order."""


def required_columns(acceleration: ClassicalAcceleration, twist: Twist) -> WrenchBasis:
    """F = Y φ about the point: f = m a + α × mc + ω × (ω × mc), n = I α + ω × I ω + mc × a, a column a parameter."""
    check_own_twist(acceleration, twist, "required_columns", ("of", "point", "as_seen_by"))
    alpha, a, w = acceleration.angular, acceleration.linear, twist.angular
    angular = beside(zeros(3, 1), -skew(a), _times(alpha) + cross(w, _times(w)))
    linear = beside(a, skew(alpha) + cross(w, skew(w)), zeros(3, 6))
    point, frame = acceleration.point, acceleration.as_seen_by
    return WrenchBasis(acceleration.of, INERTIA, point, frame, angular, linear, rows=PARAMETERS)


def _times(x: Coordinates) -> Coordinates:
    """I x as a matrix on (Ixx, Ixy, Ixz, Iyy, Iyz, Izz)."""
    x, y, z, o = x[0, 0], x[1, 0], x[2, 0], 0.0
    return assemble([[x, y, z, o, o, o], [o, x, o, y, z, o], [o, o, x, o, y, z]])


def parameters(mass: float, com: Coordinates, inertia: Coordinates) -> np.ndarray:
    """φ of a body from its mass, centre of mass and inertia about that, in one frame's axes."""
    c = np.asarray(com, float).reshape(3, 1)
    about_origin = np.asarray(inertia, float) - mass * skew(c) @ skew(c)
    return above(np.full((1, 1), float(mass)), mass * c, about_origin[np.triu_indices(3)].reshape(6, 1))[:, 0]
