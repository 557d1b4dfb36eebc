"""Courses through tubes, against Pinocchio's kinematics and by hand."""

from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.simulate import Mode, Recording, Signal, Tube
from motionc.simulate.recording import model_of
from motionc.simulate.tubes import courses

TIMES = np.linspace(0.0, 1.0, 21)
Q = np.stack([0.3 + 0.9 * np.sin(5 * TIMES), 0.4 * np.cos(3 * TIMES)], axis=1)


@pytest.fixture(scope="module")
def robot() -> Any:
    return mc.load("planar2")


def recording(robot: Any, *tubes: Tube, **fields: Any) -> Recording:
    signals = [Signal("q", TIMES, Q), *fields.pop("signals", ())]
    return Recording(signals=signals, model=model_of(robot), tubes=tubes, **fields)


def places(robot: Any, frame: str) -> Any:
    """By Pinocchio."""
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.buildModelFromXML(mc.to_urdf(robot.chain))
    data, found = model.createData(), list[Any]()
    for q in Q:
        pinocchio.framesForwardKinematics(model, data, pinocchio.integrate(model, pinocchio.neutral(model), q))
        found.append(data.oMf[model.getFrameId(frame)].homogeneous.copy())
    return np.array(found)


def test_a_course_is_what_kinematics_and_the_frame_of_the_tube_say(robot: Any) -> None:
    rng = np.random.default_rng(5)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn * np.sign(np.linalg.det(turn)), rng.normal(size=3)
    square, round_one = Tube("tip", pose, (0.4, 0.3), 1.0), Tube("tip", pose, 0.45, 1.0, wrt="forearm")
    by_wall, by_radius = courses(recording(robot, square, round_one), robot)
    tip, forearm = places(robot, "tip"), places(robot, "forearm")
    told = np.linalg.inv(pose) @ tip[:, :, 3:]
    np.testing.assert_allclose(by_wall.across, told[:, 1:3, 0], atol=1e-12)
    np.testing.assert_allclose(
        by_wall.beyond, np.maximum(np.abs(told[:, 1, 0]) - 0.4, np.abs(told[:, 2, 0]) - 0.3), atol=1e-12
    )
    inside = np.linalg.inv(forearm @ pose) @ tip[:, :, 3:]
    np.testing.assert_allclose(by_radius.beyond, np.hypot(inside[:, 1, 0], inside[:, 2, 0]) - 0.45, atol=1e-12)
    np.testing.assert_allclose(by_radius.path, tip[:, :3, 3], atol=1e-12)


def test_a_tube_is_entered_and_left_while_it_holds(robot: Any) -> None:
    y = places(robot, "tip")[:, 1, 3]
    width = float(np.quantile(np.abs(y), 0.6))
    tube = Tube("tip", np.eye(4), (width, np.inf), 1.0, during=("ON",))
    told = recording(robot, tube, modes=[Mode((0.2, 0.6), ("ON", "OFF"))])
    (course,) = courses(told, robot)
    on = (TIMES >= 0.2 - 1e-12) & (TIMES < 0.6 - 1e-12)
    first = int(np.flatnonzero(on & (np.abs(y) <= width))[0])
    assert course.entry == first
    expected = [k > first and bool(on[k]) and abs(y[k]) > width for k in range(len(TIMES))]
    assert course.left.tolist() == expected
    assert any(expected)
    assert np.any((np.abs(y) > width) & (TIMES > 0.6))


def test_a_tube_moves_with_the_signal_of_its_pose(robot: Any) -> None:
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[1, :3, 3] = [0.0, 0.25, 0.0]
    signal = Signal("pose", [0.0, 0.5], poses)
    (course,) = courses(recording(robot, Tube("tip", "pose", 0.1, 1.0), signals=[signal]), robot)
    still = places(robot, "tip")[:, 1, 3]
    np.testing.assert_allclose(course.across[:, 0], still - 0.25 * (TIMES >= 0.5), atol=1e-12)


def test_what_diverged_or_is_not_known_has_no_course(robot: Any) -> None:
    tube = Tube("tip", np.eye(4), 0.1, 1.0)
    wild = np.array(Q)
    wild[7:] = 1e9
    told = Recording(signals=[Signal("q", TIMES, wild)], tubes=[tube])
    (course,) = courses(told, robot)
    assert len(course.times) == 7
    assert np.isfinite(course.path).all()
    strangers = [Tube("nowhere", np.eye(4), 0.1, 1.0), Tube("tip", "unheard of", 0.1, 1.0)]
    assert courses(recording(robot, *strangers), robot) == []
    assert courses(Recording(signals=[Signal("q", TIMES, np.full_like(Q, np.nan))], tubes=[tube]), robot) == []
