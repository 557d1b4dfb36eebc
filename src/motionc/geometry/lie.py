"""Which numbers is a rotation, a quaternion, a pose made of: SO(3) and SE(3) on plain float arrays.

Nothing here knows of what, with respect to what or as seen by whom; relations sit on top and say so. Six-vectors are
angular first (ω; v), quaternions (w, x, y, z), poses 4×4 with p_a = R p_b + t. Angles are in radian.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionc.errors import Error

__all__ = [
    "Array", "align_z", "nearest_rotation", "pose_exp", "pose_log", "quaternion_exp", "quaternion_from_rotation",
    "quaternion_log", "quaternion_product", "rotation_about", "rotation_exp", "rotation_from_quaternion",
    "rotation_from_rpy", "rotation_log", "rpy_from_rotation", "skew",
]  # fmt: skip

Array = NDArray[np.float64]

_LARGEST = 1e150  # squares of anything below stay finite
_ROTATION_TOLERANCE = 1e-6  # what a matrix from a file may miss orthogonality by
_HALF_TURN = 1e-15  # |w| of a unit quaternion that rounding cannot tell from a turn by π
_GIMBAL_LOCK = 1e-14  # cos(pitch) below which roll and yaw turn about one axis
_NEARLY_FLAT = 1e-3  # of a matrix's greatest size, below which its least one has no direction
_SMALL = 1e-4  # angles below which two terms of the series are exact


def skew(v: ArrayLike) -> Array:
    """The matrix of the cross product, `skew(v) @ a` = v × a.

    >>> skew([1, 2, 3]) @ [1, 0, 0]
    array([ 0.,  3., -2.])
    """
    x, y, z = _numbers(v, (3,), "vector")
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation_about(axis: ArrayLike, angle: float) -> Array:
    """The rotation by `angle` about `axis` of any length, R = 1 + sin θ K + (1 − cos θ) K², K = skew(axis / |axis|).

    >>> (rotation_about([0, 0, 2], np.pi / 2) @ [1, 0, 0]).round(12)
    array([0., 1., 0.])
    """
    k, theta = skew(_unit(_numbers(axis, (3,), "axis"))), float(_numbers(angle, (), "angle"))
    return np.eye(3) + math.sin(theta) * k + (1.0 - math.cos(theta)) * (k @ k)


def rotation_exp(w: ArrayLike) -> Array:
    """The rotation of a rotation vector, R = exp(skew(w)): about w by |w|.

    >>> (rotation_exp([0, np.pi / 2, 0]) @ [0, 0, 1]).round(12)
    array([1., 0., 0.])
    """
    vector = _numbers(w, (3,), "rotation vector")
    return rotation_about(vector, math.hypot(*vector)) if vector.any() else np.eye(3)


def rotation_log(rotation: ArrayLike) -> Array:
    """The rotation vector w of a rotation, exp(skew(w)) = R with |w| ≤ π.

    At π both w and −w would do: the one whose first component (above rounding) is positive is returned.

    >>> rotation_log([[-1, 0, 0], [0, 1, 0], [0, 0, -1]]) / np.pi
    array([0., 1., 0.])
    """
    return quaternion_log(quaternion_from_rotation(rotation))


def quaternion_product(p: ArrayLike, q: ArrayLike) -> Array:
    """The Hamilton product p ⊗ q = (p₀q₀ − p·q, p₀q + q₀p + p × q); its rotation is R(p) R(q).

    >>> quaternion_product([0, 1, 0, 0], [0, 0, 1, 0])
    array([0., 0., 0., 1.])
    """
    a, b = _numbers(p, (4,), "quaternion"), _numbers(q, (4,), "quaternion")
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + skew(a[1:]) @ b[1:])])


def quaternion_exp(w: ArrayLike) -> Array:
    """The unit quaternion of a rotation vector, (cos |w|/2, sin(|w|/2) w/|w|).

    >>> quaternion_exp([0, 0, np.pi]).round(12)
    array([0., 0., 0., 1.])
    """
    vector = _numbers(w, (3,), "rotation vector")
    half = math.hypot(*vector) / 2.0
    return np.array([math.cos(half), *(_sinc(half) / 2.0 * vector)])


def quaternion_log(q: ArrayLike) -> Array:
    """The rotation vector of a quaternion of any length, 2 atan2(|v|, w) v/|v| with |result| ≤ π; q and −q agree.

    >>> quaternion_log([-3, 0, 0, -3]) / np.pi
    array([0. , 0. , 0.5])
    """
    w, *v = _canonical(_quaternion(q))
    length = math.hypot(*v)
    return (2.0 * math.atan2(length, w) / length if length else 2.0) * np.array(v) + 0.0


def quaternion_from_rotation(rotation: ArrayLike) -> Array:
    """The unit quaternion of a rotation with w ≥ 0 (at w = 0 the first component above rounding is positive).

    >>> quaternion_from_rotation(np.diag([1, -1, -1]))
    array([0., 1., 0., 0.])
    """
    rows = _quaternion_rows(_rotation(rotation))
    return _canonical(_unit(rows[np.argmax(rows.diagonal())]))


def quaternions_from_rotations(rotations: Array) -> Array:
    """Unit quaternions (k, 4) of rotations (k, 3, 3), of either sign; that they are rotations is not checked.

    >>> quaternions_from_rotations(np.diag([1.0, -1, -1])[np.newaxis]).tolist()
    [[0.0, 1.0, 0.0, 0.0]]
    """
    rows = _quaternion_rows(np.moveaxis(rotations, 0, -1))
    longest = rows[np.argmax(np.einsum("iik->ik", rows), axis=0), :, np.arange(len(rotations))]
    return longest / np.linalg.norm(longest, axis=1, keepdims=True)


def _quaternion_rows(rotation: Array) -> Array:
    """4w q, 4x q, 4y q, 4z q of a rotation (3, 3, …); the longest loses nothing to cancellation (Shepperd, Markley)."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    return np.array(
        [
            [1.0 + a + e + i, h - f, c - g, d - b],
            [h - f, 1.0 + a - e - i, b + d, c + g],
            [c - g, b + d, 1.0 - a + e - i, f + h],
            [d - b, c + g, f + h, 1.0 - a - e + i],
        ]
    )


def rotation_from_quaternion(q: ArrayLike) -> Array:
    """The rotation of a quaternion of any length but zero, R = 1 + 2 (w V + V²) / |q|², V = skew(x, y, z).

    >>> rotation_from_quaternion([5, 0, 0, 5]) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    quaternion = _quaternion(q)
    v = skew(quaternion[1:])
    return np.eye(3) + 2.0 / (quaternion @ quaternion) * (quaternion[0] * v + v @ v)


def pose_exp(xi: ArrayLike) -> Array:
    """The pose reached in unit time under the constant body twist ξ = (ω; v), exp([skew(ω) v; 0 0]).

    t = (1 + (1 − cos θ)/θ² K + (θ − sin θ)/θ³ K²) v with K = skew(ω), θ = |ω|.

    >>> pose_exp([0, 0, np.pi, np.pi, 0, 0])[:3, 3].round(12)  # half a circle of radius 1
    array([0., 2., 0.])
    """
    twist = _numbers(xi, (6,), "six-vector (ω; v)")
    k, theta = skew(twist[:3]), math.hypot(*twist[:3])
    quadratic = 1.0 / 6.0 - theta**2 / 120.0 if theta < _SMALL else (1.0 - _sinc(theta)) / theta**2
    pose = np.eye(4)
    pose[:3, :3] = rotation_exp(twist[:3])
    pose[:3, 3] = twist[3:] + (0.5 * _sinc(theta / 2.0) ** 2 * k + quadratic * (k @ k)) @ twist[3:]
    return pose


def pose_log(pose: ArrayLike) -> Array:
    """The constant body twist (ω; v) that reaches a pose in unit time, the inverse of `pose_exp` for |ω| ≤ π.

    v = (1 − K/2 + (1 − θ/2 cot θ/2)/θ² K²) t with K = skew(ω), θ = |ω|.

    >>> pose_log(pose_exp([0, 0, 1, 2, 0, 3])).round(12)
    array([0., 0., 1., 2., 0., 3.])
    """
    matrix = _numbers(pose, (4, 4), "pose")
    if np.abs(matrix[3] - [0.0, 0.0, 0.0, 1.0]).max() > _ROTATION_TOLERANCE:
        raise Error(f"the last row of a pose must be 0 0 0 1, not {matrix[3]}; give [R t; 0 0 0 1], p_a = R p_b + t")
    w, t = rotation_log(matrix[:3, :3]), matrix[:3, 3]
    k, theta = skew(w), math.hypot(*w)
    cotangent = math.cos(theta / 2.0) / _sinc(theta / 2.0)  # times its own argument, θ/2
    quadratic = 1.0 / 12.0 + theta**2 / 720.0 if theta < _SMALL else (1.0 - cotangent) / theta**2
    return np.concatenate([w, t - 0.5 * k @ t + quadratic * k @ (k @ t)])


def pose_inverse(pose: Array) -> Array:
    """The rigid pose seen the other way round.

    >>> pose_inverse(pose_exp([0, 0, 0, 1, 2, 3]))[:3, 3]
    array([-1., -2., -3.])
    """
    back = np.eye(4)
    back[:3, :3], back[:3, 3] = pose[:3, :3].T, -pose[:3, :3].T @ pose[:3, 3]
    return back


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """The rotation of URDF's fixed-axis angles, R = Rz(yaw) Ry(pitch) Rx(roll).

    >>> (rotation_from_rpy(0, np.pi / 2, np.pi / 2) @ [0, 0, 1]).round(12)
    array([0., 1., 0.])
    """
    angles: list[float] = _numbers((roll, pitch, yaw), (3,), "(roll, pitch, yaw) angle").tolist()
    (sr, sp, sy), (cr, cp, cy) = map(math.sin, angles), map(math.cos, angles)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_rotation(rotation: ArrayLike) -> Array:
    """URDF's (roll, pitch, yaw) of a rotation, |pitch| ≤ π/2; in gimbal lock roll is 0 and yaw takes the whole turn.

    yaw is read from R Rx(roll)ᵀ, so that the three together reproduce R even where each alone is ill-conditioned.

    >>> rpy_from_rotation(rotation_from_rpy(0.1, 0.2, 0.3)).round(12)
    array([0.1, 0.2, 0.3])
    """
    r = _rotation(rotation)
    cosine = math.hypot(r[2, 1], r[2, 2])
    roll = math.atan2(r[2, 1], r[2, 2]) if cosine > _GIMBAL_LOCK else 0.0
    y = math.cos(roll) * r[:, 1] - math.sin(roll) * r[:, 2]
    return np.array([roll, math.atan2(-r[2, 0], cosine), math.atan2(-y[0], y[1])]) + 0.0


def align_z(axis: ArrayLike) -> Array:
    """A rotation whose third column is axis / |axis|; along ±x, ±y, ±z its entries are exactly 0 and ±1.

    The first two columns are those of Duff et al., "Building an Orthonormal Basis, Revisited" (2017).

    >>> align_z([3, 0, 0]) @ [0, 0, 1]
    array([1., 0., 0.])
    """
    x, y, z = _unit(_numbers(axis, (3,), "axis"))
    s = 1.0 if z >= 0.0 else -1.0
    a = -1.0 / (s + z)
    columns = [[1.0 + s * a * x * x, s * a * x * y, -s * x], [a * x * y, s + a * y * y, -y], [x, y, z]]
    return np.array(columns).T + 0.0  # no negative zeros


def nearest_rotation(matrix: ArrayLike) -> Array:
    """The rotation with the least squares of differences from a matrix: U Vᵀ of its singular value decomposition.

    Of a matrix whose entries were rounded when printed, that is the rotation that was meant.

    >>> nearest_rotation([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1.001]]).round(3)
    array([[ 0.8, -0.6,  0. ],
           [ 0.6,  0.8,  0. ],
           [ 0. ,  0. ,  1. ]])
    """
    given = _numbers(matrix, (3, 3), "rotation matrix")
    left, sizes, right = np.linalg.svd(given)
    if np.linalg.det(given) <= 0.0 or sizes[-1] < _NEARLY_FLAT * sizes[0]:
        raise Error("the matrix is a reflection, or flat: no rotation is meant by it; check its rows")
    return left @ right + 0.0


def _sinc(x: float) -> float:
    return math.sin(x) / x if x else 1.0


def _unit(v: Array) -> Array:
    if not v.any():
        raise Error("an axis of length zero points nowhere; give a vector with at least one component that is not zero")
    scaled = v / np.abs(v).max()  # lengths far from 1 neither overflow nor vanish
    return scaled / math.hypot(*scaled)


def _canonical(q: Array) -> Array:
    """Of a quaternion of length about 1 and its negative, one rotation, that with w ≥ 0, and at w = 0 a fixed one."""
    if abs(q[0]) > _HALF_TURN:
        return q if q[0] > 0.0 else -q
    v = q[1:]
    return np.array([0.0, *(np.sign(v[np.abs(v) > 1e-8][0]) * v)]) + 0.0


def _numbers(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    try:
        array = np.asarray(value)
    except ValueError as ragged:
        raise Error(f"the rows of the {what} have different lengths; give numbers in the shape {shape}") from ragged
    if array.dtype.kind not in "iuf":
        raise Error(f"the {what} needs real numbers, not {array.dtype}; convert what was given to float first")
    if array.shape != shape:
        raise Error(f"the {what} must have the shape {shape}, not {array.shape}; pass one {what} at a time")
    if not (np.abs(array) < _LARGEST).all():
        raise Error(f"the {what} must be finite (below {_LARGEST:g}), not {array.tolist()}; check where it comes from")
    return array.astype(np.float64)


def _quaternion(value: ArrayLike) -> Array:
    quaternion = _numbers(value, (4,), "quaternion")
    if not quaternion.any():
        raise Error("a quaternion of length zero is no rotation; for no rotation at all give (1, 0, 0, 0)")
    return quaternion / np.abs(quaternion).max()


def _rotation(value: ArrayLike) -> Array:
    matrix = _numbers(value, (3, 3), "rotation matrix")
    miss = float(np.abs(matrix.T @ matrix - np.eye(3)).max())
    if miss > _ROTATION_TOLERANCE:
        raise Error(f"the matrix is no rotation: RᵀR misses the identity by {miss:.2g}; make its columns orthonormal")
    if np.linalg.det(matrix) < 0.0:
        raise Error("the matrix is a reflection (determinant −1), not a rotation; reverse one of its columns")
    return matrix
