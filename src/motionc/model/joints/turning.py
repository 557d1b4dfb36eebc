"""What do a ball and a free body share? Quaternions (w, x, y, z) of any length, on numbers or symbols."""

from collections.abc import Iterator, Sequence

import numpy as np

from motionc.geometry.coordinates import Matrix, above, cross, select, sin_cos, skew, square_root
from motionc.model.joints.joint_type import Step

SMALL = 1e-8
"""Squares of angles below which two terms of a series are exact."""

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
QUATERNION = ("qw", "qx", "qy", "qz")


def rotation(q: Matrix) -> Matrix:
    """The rotation of a quaternion: 1 + 2/|q|² (w [u]× + [u]×²)."""
    w, u = q[:1, :], q[1:, :]
    k = skew(u)
    return np.eye(3) + (k * w + k @ k) * (2 / (q.T @ q))


def turned_on(turn: Matrix, w: Matrix) -> Matrix:
    """The quaternion, of length 1, after turning with constant w for unit time."""
    new = product(turn, exponential(w))
    return new / square_root(new.T @ new)


def turning(turn: Matrix, w: Matrix) -> Matrix:
    """How fast a quaternion changes that turns with w; it keeps its length."""
    return product(turn, above(np.zeros((1, 1)), w)) * 0.5


def exponential(w: Matrix) -> Matrix:
    """The unit quaternion of a rotation vector, (cos θ/2, sin(θ/2) w/θ)."""
    square = w.T @ w
    small = square < SMALL
    theta = square_root(select(small, 1.0, square))
    sine, cosine = sin_cos(theta / 2)
    return above(select(small, 1 - square / 8, cosine), w * select(small, 0.5 - square / 48, sine / theta))


def straightened(w: Matrix, v: Matrix) -> Matrix:
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


def product(p: Matrix, q: Matrix) -> Matrix:
    """The Hamilton product."""
    a, u, b, v = p[:1, :], p[1:, :], q[:1, :], q[1:, :]
    return above(a * b - u.T @ v, v * a + u * b + skew(u) @ v)


def turned(quaternion: Matrix, v: Matrix) -> Matrix:
    """R v of a quaternion."""
    w, u = quaternion[:1, :], quaternion[1:, :]
    across = cross(u, v)
    return v + (across * w + cross(u, across)) * (2 / (quaternion.T @ quaternion))


def turns(q: Sequence[str]) -> Iterator[Step]:
    """A quaternion as three turns, in words of its entries."""
    w, x, y, z = q
    yield "Rz", f"atan2(2*({w}*{z} + {x}*{y}), {w}^2 + {x}^2 - {y}^2 - {z}^2)", 0.0
    yield "Ry", f"asin(2*({w}*{y} - {z}*{x})/({w}^2 + {x}^2 + {y}^2 + {z}^2))", 0.0
    yield "Rx", f"atan2(2*({w}*{x} + {y}*{z}), {w}^2 - {x}^2 - {y}^2 + {z}^2)", 0.0
