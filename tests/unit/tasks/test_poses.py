"""Poses as data: rows that compare, and printed rotations that are projected to the nearest one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import polar

import motionc as mc
from motionc.geometry.lie import nearest_rotation, rotation_exp, rotation_log
from motionc.tasks.poses import missed, pose_rows, printed_pose

THESIS = ((-0.432, 0.730, 0.527), (-0.730, 0.058, -0.679), (-0.527, -0.679, 0.508))


@given(st.tuples(*[st.floats(-3, 3)] * 3), st.integers(2, 6))
@settings(deadline=None)
def test_a_rounded_rotation_is_projected_as_scipy_does_and_hardly_turned(w: tuple[float, ...], digits: int) -> None:
    exact = rotation_exp(w)
    printed = exact.round(digits)
    pose = np.array(printed_pose((0.1, 0.2, 0.3), tuple(map(tuple, printed.tolist()))))
    nearest, _ = polar(printed)
    np.testing.assert_allclose(pose[:3, :3], nearest if missed(printed) > 1e-6 else printed, atol=1e-14)
    assert np.linalg.norm(rotation_log(exact.T @ nearest)) < 2 * 10.0**-digits
    assert pose[:3, 3].tolist() == [0.1, 0.2, 0.3]


def test_the_rotation_of_the_thesis_misses_and_its_nearest_does_not() -> None:
    assert missed(THESIS) == pytest.approx(0.0032, abs=5e-5)
    pose = printed_pose((0.0, 0.0, 0.0), THESIS)
    assert missed(np.array(pose)[:3, :3]) < 1e-14
    assert pose_rows("pose", pose) == pose


@pytest.mark.parametrize("rows", [2 * np.eye(3), np.diag([1, 1, -1.0]), np.zeros((3, 3)), np.ones((3, 3))])
def test_rows_far_from_a_rotation_are_refused(rows: np.ndarray) -> None:
    with pytest.raises(mc.Error, match="no rotation, nor near one"):
        printed_pose((0, 0, 0), tuple(map(tuple, rows.tolist())))


def test_a_flat_or_mirrored_matrix_has_no_nearest_rotation() -> None:
    for matrix in (np.diag([1, 1, 0.0]), np.diag([1, 1, -1.0])):
        with pytest.raises(mc.Error, match="no rotation is meant"):
            nearest_rotation(matrix)
