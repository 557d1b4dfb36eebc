"""What is seen from a task frame, and predicted: against kinematics by SciPy and finite differences."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import motionc as mc
from motionc.tasks.looking import looking
from rows import row

HORIZON = 0.7
Q = np.array([0.3, -0.6, 0.4, 1.1, -0.5, 0.8, 0.2])
V = np.array([0.5, -0.3, 0.2, 0.4, -0.6, 0.3, 0.7])


@pytest.fixture(scope="module")
def arm() -> mc.Robot:
    return mc.load("lwr4")


def tool_of(arm: mc.Robot, q: Any) -> Any:
    return mc.forward_kinematics(arm, "link_7").run(q)[0]


@row("lazy-control", 21)
def test_a_constant_twist_leads_to_the_pose_that_is_predicted(arm) -> None:
    T = mc.placed((0.2, -0.3, 0.6), (0.4, 0.2, -0.7))
    seen = looking(arm, "link_7", "T", "world", HORIZON, turns=True, spins=True).run(Q, V, T)
    X, h = tool_of(arm, Q), 1e-6
    ahead, behind = tool_of(arm, Q + h * V), tool_of(arm, Q - h * V)
    rate = (ahead[:3, 3] - behind[:3, 3]) / (2 * h)
    turning = Rotation.from_matrix(ahead[:3, :3] @ behind[:3, :3].T).as_rotvec() / (2 * h)
    R_T = T[:3, :3]
    position, velocity = R_T.T @ (X[:3, 3] - T[:3, 3]), R_T.T @ rate
    assert seen.position == pytest.approx(position, abs=1e-12)
    assert seen.velocity == pytest.approx(velocity, abs=1e-8)
    assert seen.ahead == pytest.approx(-(position + HORIZON * velocity), abs=1e-8)
    # what is missing, from where the tool is to T, in T's axes
    R, about = R_T.T @ X[:3, :3], X[:3, :3].T @ turning
    assert seen.spin == pytest.approx(about, abs=1e-7)
    assert seen.turn == pytest.approx(Rotation.from_matrix(R.T).as_rotvec(), abs=1e-10)
    predicted = R @ Rotation.from_rotvec(HORIZON * about).as_matrix()
    assert seen.turn_ahead == pytest.approx(Rotation.from_matrix(predicted.T).as_rotvec(), abs=1e-7)


@row("lazy-control", 21)
def test_a_twist_of_the_body_is_not_one_in_space(arm) -> None:
    """ω of the tool's own axes on the right; that of the world there is off by much."""
    T = mc.placed((0.2, -0.3, 0.6), (0.4, 0.2, -0.7))
    seen = looking(arm, "link_7", "T", "world", HORIZON, turns=True, spins=True).run(Q, V, T)
    R = Rotation.from_rotvec(seen.turn).as_matrix().T
    in_space = R @ Rotation.from_rotvec(HORIZON * tool_of(arm, Q)[:3, :3] @ seen.spin).as_matrix()
    assert np.abs(seen.turn_ahead - Rotation.from_matrix(in_space.T).as_rotvec()).max() > 0.1


def test_a_frame_that_is_told_wrt_a_moving_link_moves_with_it(arm) -> None:
    """T on the forearm: what is seen from it is seen by the joints beyond alone."""
    on_link = mc.placed((0.1, 0.0, 0.2), (0.3, 0.1, 0.2))
    seen = looking(arm, "link_7", "T", "link_4", HORIZON, turns=False)
    before = np.array([1.0, -1.0, 0.5, 0.7, 0.0, 0.0, 0.0])
    still, carried = seen.run(Q, V * (before == 0), on_link), seen.run(Q, V * (before == 0) + before, on_link)
    assert carried.velocity == pytest.approx(still.velocity, abs=1e-12)
    assert np.abs(still.velocity).max() > 0.01
    forearm = mc.forward_kinematics(arm, "link_4").run(Q)[0] @ on_link
    assert still.position == pytest.approx((np.linalg.inv(forearm) @ tool_of(arm, Q))[:3, 3], abs=1e-12)
