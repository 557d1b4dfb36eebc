"""Where a joint's coordinates are after a step, the exact exponential of constant rates, and how fast they change with
these: on numbers or symbols.
"""

import numpy as np

from motionc.geometry.coordinates import Matrix, above, cross, select, sin_cos, skew, square_root
from motionc.model.chain import TURNING_FREELY, JointType

SMALL = 1e-8
"""Squares of angles below which two terms of a series are exact."""


def advance(type: JointType, q: Matrix, step: Matrix) -> Matrix:
    """The coordinates of a joint of this type that moved with its rates, constant for unit time: columns both."""
    if type is JointType.PLANAR:
        w, still = step[:1, :], np.zeros((1, 1))
        sine, cosine = sin_cos(q[2:, :])
        gone = _straightened(above(still, still, w), above(step[1:, :], still))
        x, y = gone[:1, :], gone[1:2, :]
        return q + above(cosine * x - sine * y, sine * x + cosine * y, w)
    if type in TURNING_FREELY:
        turn, w = q[-4:, :], step[:3, :]
        new = _product(turn, _exponential(w))
        new = new / square_root(new.T @ new)
        if type is JointType.SPHERICAL:
            return new
        return above(q[:3, :] + _turned(turn, _straightened(w, step[3:, :])), new)
    return q + step


def change(type: JointType, q: Matrix, rates: Matrix) -> Matrix:
    """q̇ of a joint of this type that moves with these rates, N(q) v: columns both. A quaternion keeps its length."""
    if type is JointType.PLANAR:
        sine, cosine = sin_cos(q[2:, :])
        w, x, y = rates[:1, :], rates[1:2, :], rates[2:, :]
        return above(cosine * x - sine * y, sine * x + cosine * y, w)
    if type in TURNING_FREELY:
        turn = q[-4:, :]
        turning = _product(turn, above(np.zeros((1, 1)), rates[:3, :])) * 0.5
        return turning if type is JointType.SPHERICAL else above(_turned(turn, rates[3:, :]), turning)
    return rates


def _exponential(w: Matrix) -> Matrix:
    """The unit quaternion of a rotation vector, (cos θ/2, sin(θ/2) w/θ)."""
    square = w.T @ w
    small = square < SMALL
    theta = square_root(select(small, 1.0, square))
    sine, cosine = sin_cos(theta / 2)
    return above(select(small, 1 - square / 8, cosine), w * select(small, 0.5 - square / 48, sine / theta))


def _straightened(w: Matrix, v: Matrix) -> Matrix:
    """How far a body goes in its own axes that turns with w: v + (1 - cos θ)/θ² w × v + (θ - sin θ)/θ³ w × (w × v)."""
    square = w.T @ w
    small = square < SMALL
    squared = select(small, 1.0, square)
    theta = square_root(squared)
    sine, _ = sin_cos(theta)
    half = sin_cos(theta / 2)[0] / theta
    first = select(small, 0.5 - square / 24, 2 * half * half)
    second = select(small, 1 / 6 - square / 120, (1 - sine / theta) / squared)
    across = cross(w, v)
    return v + across * first + cross(w, across) * second


def _product(p: Matrix, q: Matrix) -> Matrix:
    """The Hamilton product."""
    a, u, b, v = p[:1, :], p[1:, :], q[:1, :], q[1:, :]
    return above(a * b - u.T @ v, v * a + u * b + skew(u) @ v)


def _turned(quaternion: Matrix, v: Matrix) -> Matrix:
    """R v of a quaternion of any length."""
    w, u = quaternion[:1, :], quaternion[1:, :]
    across = cross(u, v)
    return v + (across * w + cross(u, across)) * (2 / (quaternion.T @ quaternion))
