"""Exponentials of constant motions: how a body that keeps turning with w is turned, and how far it goes, on numbers or
symbols. The first terms of a series stand in where an angle is so small that they are exact.
"""

import numpy as np

from motionc.geometry.coordinates import Matrix, cross, select, sin_cos, skew, square_root

SMALL = 1e-8
"""Squares of angles below which two terms of a series are exact."""


def rotation_exponential(w: Matrix) -> Matrix:
    """exp(w×) = 1 + sin θ/θ w× + (1 - cos θ)/θ² w×²: the rotation about w by θ = |w|."""
    first, second, _ = _coefficients(w)
    across = skew(w)
    return np.eye(3) + across * first + across @ across * second


def straightened(w: Matrix, v: Matrix) -> Matrix:
    """How far a body goes in its own axes that turns with w: v + (1 - cos θ)/θ² w × v + (θ - sin θ)/θ³ w × (w × v)."""
    _, second, third = _coefficients(w)
    across = cross(w, v)
    return v + across * second + cross(w, across) * third


def _coefficients(w: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """sin θ/θ, (1 - cos θ)/θ², (θ - sin θ)/θ³."""
    square = w.T @ w
    small = square < SMALL
    squared = select(small, 1.0, square)
    theta = square_root(squared)
    sine, _ = sin_cos(theta)
    half = sin_cos(theta / 2)[0] / theta
    second = select(small, 0.5 - square / 24, 2 * half * half)
    third = select(small, 1 / 6 - square / 120, (1 - sine / theta) / squared)
    return select(small, 1 - square / 6, sine / theta), second, third
