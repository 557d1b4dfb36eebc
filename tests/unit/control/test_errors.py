"""Errors of areas: nothing inside a tube or a cone, all of it outside; rotation vectors against SciPy's."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import motionc as mc
from motionc.control.errors import beyond_angle, beyond_tube
from motionc.geometry.displacement import rotation_vector
from motionc.geometry.exponential import rotation_exponential
from rows import row


@row("lazy-control", 19)
def test_inside_a_tube_nothing_is_missing_and_outside_all_of_it() -> None:
    missing = np.array([-0.03, -0.01, -0.0099, 0.0, 0.01, 0.0101])
    assert beyond_tube(missing, 0.01).tolist() == [-0.03, 0.0, 0.0, 0.0, 0.0, 0.0101]
    assert beyond_tube(missing, 0.0).tolist() == missing.tolist()


@row("lazy-control", 19)
def test_orientation_is_judged_by_one_angle() -> None:
    """Each component is within 0.1, the angle of 0.1 √3 rad is not; and one beyond it alone keeps the others."""
    within, aslant, about_z = [0.05, -0.05, 0.05], [0.1, 0.1, -0.1], [0.001, 0.0, 0.2]
    assert beyond_angle(within, 0.1) == [0.0, 0.0, 0.0]
    assert beyond_angle(aslant, 0.1) == aslant
    assert beyond_angle(about_z, 0.1) == about_z
    assert beyond_angle(aslant, 0.18) == [0.0, 0.0, 0.0]


@row("lazy-control", 19)
def test_errors_of_values_are_those_of_numbers() -> None:
    ports = [mc.Port("turn", (3,), "rad", "…"), mc.Port("wide", (), "rad", "…")]
    emitted = mc.block(
        "errors", lambda turn, wide: {"e": beyond_angle(turn, wide)}, ports, [mc.Port("e", (3,), "rad", "…")]
    )
    for turn in np.random.default_rng(0).normal(0, 0.1, (50, 3)):
        expected = turn if np.linalg.norm(turn) > 0.15 else np.zeros(3)
        assert emitted.run(turn, 0.15).tolist() == expected.tolist()


@row("lazy-control", 20)
@pytest.mark.parametrize("angle", [1e-10, 1e-5, 0.3, 2.0, np.pi - 1e-6])
def test_rotation_vectors_go_round_and_are_those_of_scipy(angle) -> None:
    for axis in np.random.default_rng(0).normal(0, 1, (20, 3)):
        phi = angle * axis / np.linalg.norm(axis)
        matrix = rotation_exponential(phi.reshape(3, 1))
        assert matrix == pytest.approx(Rotation.from_rotvec(phi).as_matrix(), abs=1e-12)
        assert rotation_vector(matrix).ravel() == pytest.approx(phi, rel=1e-9, abs=1e-15)
