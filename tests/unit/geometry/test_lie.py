"""SO(3) and SE(3) against their axioms and against SciPy, near the identity and near half a turn as well."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from motionc.errors import Error
from motionc.geometry import lie

Array = lie.Array
TIGHT = 1e-12

numbers = st.floats(-10.0, 10.0)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
axes = vectors.filter(lambda v: np.linalg.norm(v) > 1e-3).map(lambda v: v / np.linalg.norm(v))
gaps = st.sampled_from([0.0, 1e-300, 1e-16, 1e-12, 1e-9, 1e-8, 1e-6, 1e-4, 1e-2])
angles = st.one_of(gaps, gaps.map(lambda gap: math.pi - gap), st.floats(0.0, math.pi))
rotation_vectors = st.tuples(axes, angles).map(lambda pair: pair[0] * pair[1])
twists = st.tuples(rotation_vectors, vectors).map(np.concatenate)
quaternions = st.tuples(numbers, numbers, numbers, numbers).map(np.array).filter(lambda q: np.linalg.norm(q) > 1e-3)


def close(actual: Any, expected: Any, tolerance: float = TIGHT) -> bool:
    return bool(np.abs(np.asarray(actual) - expected).max() <= tolerance * max(1.0, np.abs(expected).max()))


# rotations


@given(rotation_vectors)
def test_rotation_exp_agrees_with_scipy(w: Array):
    assert close(lie.rotation_exp(w), Rotation.from_rotvec(w).as_matrix())
    assert close(lie.rotation_exp(w), expm(lie.skew(w)), 1e-13)


@given(rotation_vectors, rotation_vectors)
def test_rotations_form_a_group(a: Array, b: Array):
    r, s = lie.rotation_exp(a), lie.rotation_exp(b)
    assert close(r.T @ r, np.eye(3), 2e-14)
    assert math.isclose(np.linalg.det(r @ s), 1.0, rel_tol=2e-14)
    assert close(r @ lie.rotation_exp(-a), np.eye(3), 2e-14)
    assert close(r @ lie.rotation_exp(b) @ r.T, lie.rotation_exp(r @ b), 2e-14)
    assert close(lie.rotation_exp(lie.rotation_log(r @ s)), r @ s, 2e-14)


@given(axes, angles)
def test_rotation_log_returns_what_was_exponentiated(axis: Array, angle: float):
    w = lie.rotation_log(lie.rotation_exp(angle * axis))
    back = min(np.abs(w - angle * axis).max(), np.abs(w + angle * axis).max() if angle > math.pi - 1e-14 else math.inf)
    assert back <= 1e-14
    assert np.linalg.norm(w) <= math.pi + 5e-15


@given(axes, st.floats(1e-300, 1e-3))
def test_rotation_log_keeps_relative_accuracy_of_small_angles(axis: Array, angle: float):
    assert close(lie.rotation_log(lie.rotation_exp(angle * axis)) / angle, axis)


@given(axes)
def test_log_of_half_a_turn_does_not_depend_on_the_sense_of_turning(axis: Array):
    assume((np.abs(axis) > 1e-7).all())  # clear of the threshold that picks the leading component
    forth, back = (lie.rotation_log(lie.rotation_exp(turn * axis)) for turn in (math.pi, -math.pi))
    assert close(forth, back, 2e-14)
    assert forth[0] > 0.0
    assert close(np.linalg.norm(forth), math.pi, 5e-15)


def test_log_of_exact_half_turns_is_the_positive_axis():
    for i in range(3):
        half_turn = 2.0 * np.outer(np.eye(3)[i], np.eye(3)[i]) - np.eye(3)
        assert (lie.rotation_log(half_turn) == math.pi * np.eye(3)[i]).all()
    mixed = np.array([0.0, -0.6, 0.8])
    assert close(lie.rotation_log(2.0 * np.outer(mixed, mixed) - np.eye(3)), -math.pi * mixed, 5e-15)


@given(axes, st.floats(0.1, 100.0), st.floats(-10.0, 10.0))
def test_rotation_about_ignores_the_length_of_the_axis(axis: Array, length: float, angle: float):
    assert close(lie.rotation_about(length * axis, angle), Rotation.from_rotvec(angle * axis).as_matrix())


@given(numbers)
def test_rotation_about_a_coordinate_axis_leaves_that_axis_exactly_alone(angle: float):
    for axis in np.eye(3):
        r = lie.rotation_about(axis, angle)
        assert (r @ axis == axis).all()
        assert (axis @ r == axis).all()


@given(vectors, vectors)
def test_skew_is_the_cross_product(a: Array, b: Array):
    assert close(lie.skew(a) @ b, np.cross(a, b))


# quaternions


@given(rotation_vectors)
def test_quaternion_of_a_rotation_agrees_with_scipy_and_has_w_at_least_zero(w: Array):
    q = lie.quaternion_from_rotation(lie.rotation_exp(w))
    x, y, z, s = Rotation.from_rotvec(w).as_quat()
    witness = np.array([s, x, y, z])
    assert q[0] >= 0.0
    assert math.isclose(np.linalg.norm(q), 1.0, rel_tol=5e-15)
    assert min(np.abs(q - witness).max(), np.abs(q + witness).max()) <= 1e-14


@given(quaternions, st.sampled_from([-1e100, -3.0, 1e-300, 1e-10, 0.1, 7.0, 1e140]))
def test_rotation_of_a_quaternion_does_not_depend_on_its_length(q: Array, scale: float):
    r = lie.rotation_from_quaternion(q)
    assert close(lie.rotation_from_quaternion(scale * q), r, 2e-14)
    assert close(r, Rotation.from_quat([*q[1:], q[0]]).as_matrix())
    assert close(r.T @ r, np.eye(3), 2e-14)


@given(quaternions, quaternions, quaternions)
def test_quaternion_product_is_a_group_and_composes_rotations(p: Array, q: Array, r: Array):
    one = np.array([1.0, 0.0, 0.0, 0.0])

    def times(a: Array, b: Array) -> Array:
        return lie.quaternion_product(a, b)

    def turn(a: Array) -> Array:
        return lie.rotation_from_quaternion(a)

    assert close(times(times(p, q), r), times(p, times(q, r)))
    assert close(times(one, q), q)
    assert close(times(q, one), q)
    assert close(times(q, q * [1, -1, -1, -1]), [q @ q, 0, 0, 0])
    assert close(turn(times(p, q)), turn(p) @ turn(q))


@given(axes, angles, st.sampled_from([1.0, -1.0, 1e-3, 40.0]))
def test_quaternion_log_inverts_quaternion_exp(axis: Array, angle: float, scale: float):
    w = lie.quaternion_log(scale * lie.quaternion_exp(angle * axis))
    assert close(w, angle * axis, 1e-14) or (angle > math.pi - 1e-14 and close(w, -angle * axis, 1e-14))


@given(rotation_vectors)
def test_quaternion_exp_is_the_quaternion_of_rotation_exp(w: Array):
    assert close(lie.rotation_from_quaternion(lie.quaternion_exp(w)), lie.rotation_exp(w), 2e-14)


# poses


@given(twists)
def test_pose_exp_agrees_with_the_matrix_exponential(xi: Array):
    generator = np.zeros((4, 4))
    generator[:3, :3], generator[:3, 3] = lie.skew(xi[:3]), xi[3:]
    assert close(lie.pose_exp(xi), expm(generator), 1e-13)


@given(twists)
def test_pose_log_inverts_pose_exp(xi: Array):
    back = lie.pose_log(lie.pose_exp(xi))
    assert close(lie.pose_exp(back), lie.pose_exp(xi), 1e-13)
    if np.linalg.norm(xi[:3]) < math.pi - 1e-14:
        assert close(back, xi, 1e-13)


@given(axes, st.floats(0.01, 3.0), vectors)
def test_pose_log_agrees_with_the_matrix_logarithm(axis: Array, angle: float, v: Array):
    pose = lie.pose_exp([*(angle * axis), *v])
    witness = np.real(logm(pose))
    xi = lie.pose_log(pose)
    assert close(lie.skew(xi[:3]), witness[:3, :3], 1e-10)
    assert close(xi[3:], witness[:3, 3], 1e-10)


@given(twists, st.floats(-1.0, 1.0))
def test_motion_under_a_constant_twist_is_a_one_parameter_group(xi: Array, part: float):
    assert close(lie.pose_exp(part * xi) @ lie.pose_exp((1.0 - part) * xi), lie.pose_exp(xi), 1e-13)
    assert close(lie.pose_exp(xi) @ lie.pose_exp(-xi), np.eye(4), 1e-13)


# roll, pitch, yaw


@given(st.floats(-math.pi, math.pi), st.floats(-1.57, 1.57), st.floats(-math.pi, math.pi))
def test_rpy_agrees_with_scipy(roll: float, pitch: float, yaw: float):
    r = lie.rotation_from_rpy(roll, pitch, yaw)
    assert close(r, Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix())
    turns = lie.rpy_from_rotation(r) - [roll, pitch, yaw]
    assert close(turns - 2.0 * math.pi * np.round(turns / (2.0 * math.pi)), 0.0, TIGHT)


@given(numbers, gaps, st.sampled_from([-1.0, 1.0]), numbers)
def test_rpy_reproduces_the_rotation_up_to_and_in_gimbal_lock(roll: float, gap: float, side: float, yaw: float):
    r = lie.rotation_from_rpy(roll, side * (math.pi / 2.0 - gap), yaw)
    angles = lie.rpy_from_rotation(r)
    assert close(lie.rotation_from_rpy(*angles), r, 5e-14)
    assert abs(angles[1]) <= math.pi / 2.0


def test_rpy_in_gimbal_lock_has_no_roll():
    for side in (-1.0, 1.0):
        roll, pitch, yaw = lie.rpy_from_rotation(lie.rotation_from_rpy(0.3, side * math.pi / 2.0, 0.5))
        assert roll == 0.0
        assert close([pitch, yaw], [side * math.pi / 2.0, 0.5 - side * 0.3], 5e-15)


# axes


@given(vectors.filter(lambda v: bool(v.any())))
def test_third_column_of_align_z_is_the_axis(axis: Array):
    r = lie.align_z(axis)
    largest = np.abs(axis).max()
    assert close(r[:, 2], axis / largest / np.linalg.norm(axis / largest), 5e-15)
    assert close(r.T @ r, np.eye(3), 2e-14)
    assert np.linalg.det(r) > 0.0


@given(st.floats(1e-300, 1e140), st.sampled_from([0.0, -0.0]))
def test_align_z_of_coordinate_axes_has_exact_entries(length: float, zero: float):
    for i, sign in itertools.product(range(3), (-1.0, 1.0)):
        axis = np.full(3, zero)
        axis[i] = sign * length
        r = lie.align_z(axis)
        assert (r[:, 2] == sign * np.eye(3)[i]).all()
        assert set(np.abs(r).ravel()) == {0.0, 1.0}
        assert (r.T @ r == np.eye(3)).all()
        assert np.linalg.det(r) == 1.0
        assert not np.signbit(r[r == 0.0]).any()


def test_align_z_of_z_is_the_identity():
    assert (lie.align_z([0, 0, 1]) == np.eye(3)).all()


# refusals

REFUSALS: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (lie.rotation_from_quaternion, ([0, 0, 0, 0],), r"length zero .* give \(1, 0, 0, 0\)"),
    (lie.quaternion_log, ([0, 0, 0, 0],), "length zero"),
    (lie.rotation_about, ([0, 0, 0], 1.0), "axis of length zero .* give"),
    (lie.align_z, ([0, 0, 0],), "axis of length zero .* give"),
    (lie.rotation_log, (2.0 * np.eye(3),), "no rotation: .* orthonormal"),
    (lie.rotation_log, (np.eye(3) + 2e-6 * np.eye(3),), "no rotation"),
    (lie.quaternion_from_rotation, (np.diag([1, 1, -1]),), "reflection .* reverse one"),
    (lie.rpy_from_rotation, (np.zeros((3, 3)),), "no rotation"),
    (lie.pose_log, (np.ones((4, 4)),), "last row of a pose must be 0 0 0 1"),
    (lie.rotation_exp, ([0, 0, math.nan],), "must be finite"),
    (lie.pose_exp, ([0, 0, 0, math.inf, 0, 0],), "must be finite"),
    (lie.rotation_from_rpy, (0.0, math.nan, 0.0), "angle must be finite"),
    (lie.skew, ([1, 2],), r"shape \(3,\), not \(2,\)"),
    (lie.rotation_log, ([[1, 0], [0, 1, 0]],), "different lengths"),
    (lie.quaternion_product, (["1", "0", "0", "0"], [1, 0, 0, 0]), "needs real numbers"),
    (lie.rotation_exp, ([0, 0, 1j],), "needs real numbers, not complex128"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "arguments", "sentence"), REFUSALS)
def test_bad_input_is_refused_in_a_sentence(function: Callable[..., Any], arguments: tuple[Any, ...], sentence: str):
    with pytest.raises(Error, match=sentence):
        function(*arguments)


def test_matrices_rounded_in_a_file_are_still_rotations():
    r = lie.rotation_exp([0.3, -0.2, 0.9])
    assert close(lie.rotation_log(r.round(7)), [0.3, -0.2, 0.9], 1e-6)
