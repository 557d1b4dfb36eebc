"""What do a ball and a free body share? Quaternions (w, x, y, z) of any length, on numbers or symbols."""

from collections.abc import Iterator, Sequence

import numpy as np

from motionc.geometry.coordinates import (
    Matrix,
    above,
    arc_tangent,
    at_least,
    cross,
    select,
    sin_cos,
    skew,
    square_root,
)
from motionc.geometry.exponential import SMALL
from motionc.geometry.lie import Array
from motionc.model.joints.joint_type import Step

HALF_TURN, ROUNDING = 1e-15, 1e-8
"""Of a unit quaternion: |w| that cannot be told from a turn by π, and entries that may be what rounding left."""

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
QUATERNION = ("qw", "qx", "qy", "qz")


LEAST, MOST = 1e-75, 1e75
"""How long a quaternion may be: squares of the product of two are neither 0 nor infinite."""


def no_turn(q: Array) -> str:
    """Why some of these quaternions are no rotation; "" where all are."""
    length = np.abs(q).max(axis=-1)
    if np.any(length < LEAST):
        return "a quaternion of length zero is no rotation; for no rotation at all give (1, 0, 0, 0)"
    return "a quaternion is too long to be a rotation; bring its length to 1" if np.any(length > MOST) else ""


def drawn(rng: np.random.Generator, size: tuple[int, ...]) -> Array:
    """Unit quaternions of rotations that are uniform at random."""
    turn = rng.normal(size=(*size, 4))
    return turn / np.linalg.norm(turn, axis=-1, keepdims=True)


def rotation(q: Matrix) -> Matrix:
    """The rotation of a quaternion: 1 + 2/|q|² (w [u]× + [u]×²)."""
    w, u = q[:1, :], q[1:, :]
    k = skew(u)
    return np.eye(3) + (k * w + k @ k) * (2 / (q.T @ q))


def turned_on(turn: Matrix, w: Matrix) -> Matrix:
    """The quaternion, of length 1, after turning with constant w for unit time."""
    return normalised(product(turn, exponential(w)))


def normalised(turn: Matrix) -> Matrix:
    """The same rotation as a quaternion of length 1."""
    return turn / square_root(turn.T @ turn)


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


def logarithm(turn: Matrix) -> Matrix:
    """The rotation vector of a quaternion, 2 atan2(|u|, w) u/|u| with |result| ≤ π; q and -q agree, at π too."""
    unit = normalised(turn)
    # of both signs the one with w ≥ 0; of half a turn, the one whose first entry above rounding is positive
    leading = unit[3:, :]
    for k, least in ((2, ROUNDING), (1, ROUNDING), (0, HALF_TURN)):
        entry = unit[k : k + 1, :]
        leading = select(at_least(entry, -entry) > least, entry, leading)
    unit = unit * select(leading < 0, -1.0, 1.0)
    w, u = unit[:1, :], unit[1:, :]
    square = u.T @ u
    small = square < SMALL
    length = square_root(select(small, 1.0, square))
    return u * select(small, 2 + square / 3, 2 * arc_tangent(length, w) / length)


def turn_between(start: Matrix, end: Matrix) -> Matrix:
    """The rotation vector, as the start sees it, that leads from one quaternion to another."""
    return logarithm(product(conjugate(start), end))


def bent(w: Matrix, way: Matrix) -> Matrix:
    """The velocity that goes a way while turning with w, what `straightened` undoes:
    d - w × d/2 + (1 - θ/2 cot θ/2)/θ² w × (w × d)."""
    square = w.T @ w
    small = square < SMALL
    squared = select(small, 1.0, square)
    half = square_root(squared) / 2
    sine, cosine = sin_cos(half)
    second = select(small, 1 / 12 + square / 720, (1 - half * cosine / sine) / squared)
    across = cross(w, way)
    return way - across * 0.5 + cross(w, across) * second


def conjugate(q: Matrix) -> Matrix:
    """The quaternion that turns back."""
    return above(q[:1, :], -q[1:, :])


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
