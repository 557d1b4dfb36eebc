"""What is missing between two poses: logarithms at every angle against SciPy, rates against differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as Turn

from motionc.geometry import WORLD, WORLD_FRAME, Body, Displacement, Frame, Pose, SemanticError, WrenchBasis
from motionc.geometry.displacement import rotation_vector
from motionc.geometry.factors import Rotation
from symbols import Page

page = Page()
logarithm = rotation_vector(page.symbols(3, 3))
TOOL = Frame("tool", Body("hand"))
angles = st.one_of(
    st.sampled_from([0.0, np.pi]),
    st.floats(0, np.pi),
    st.floats(-14, 0).map(lambda x: 10**x),
    st.floats(-14, 0).map(lambda x: np.pi - 10**x),
)


def at(turn: Turn, xyz=(0.0, 0.0, 0.0), of: Frame = TOOL) -> Pose:
    return Pose.between(of, WORLD_FRAME, (Rotation(turn.as_matrix()),), xyz)


@given(st.integers(0, 2**32 - 1), angles)
def test_the_logarithm_is_exact_at_every_angle(seed: int, angle: float) -> None:
    axis = np.random.default_rng(seed).normal(size=3)
    R = Turn.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
    for phi in (rotation_vector(R)[:, 0], page.evaluated([logarithm], R)[0][:, 0]):
        assert np.abs(Turn.from_rotvec(phi).as_matrix() - R).max() < 4e-16 * 4
        assert abs(np.linalg.norm(phi) - angle) < 1e-15 + 1e-15 * angle


@given(st.integers(0, 2**32 - 1))
def test_rates_of_what_is_missing_are_its_derivatives(seed: int) -> None:
    """Along rows whose axes turn themselves."""
    rng = np.random.default_rng(seed)
    start, axes, goal = (Turn.random(rng=rng) for _ in range(3))
    xyz, v, w, u = rng.normal(size=(4, 3))
    unit = rng.normal(size=(6, 2))

    def along(t: float) -> np.ndarray:
        now, turned = Turn.from_rotvec(t * w) * start, Turn.from_rotvec(t * u) * axes
        missing = Displacement.between(at(now, t * v), at(goal, xyz))
        rows = np.vstack([turned.as_matrix() @ unit[:3], turned.as_matrix() @ unit[3:]])
        return rows.T @ np.concatenate([missing.angular[:, 0], missing.linear[:, 0]])

    missing = Displacement.between(at(start), at(goal, xyz))
    if np.linalg.norm(missing.angular) > 3.1:  # a logarithm jumps at π
        return
    rows = WrenchBasis(
        TOOL.body, WORLD, TOOL.origin, WORLD_FRAME, axes.as_matrix() @ unit[:3], axes.as_matrix() @ unit[3:], ("a", "b")
    )
    covered, swept = missing.covered(rows), missing.swept(rows, Body("table"))
    rate = covered.angular.T @ w + covered.linear.T @ v + swept.angular.T @ u
    h = 1e-6
    assert np.allclose(-(along(h) - along(-h)) / (2 * h), rate, rtol=0, atol=1e-6)


def test_poses_of_different_frames_are_not_compared() -> None:
    here, other = at(Turn.identity()), at(Turn.identity(), of=Frame("cup", Body("table")))
    with pytest.raises(SemanticError, match="of differ"):
        Displacement.between(here, other)
    with pytest.raises(SemanticError, match="wrt differ"):
        Displacement.between(here, Pose.between(TOOL, TOOL))
