"""Poses to be reached: a fair question, answers judged by limits and poses, absent peers named."""

import sys

import numpy as np
import pytest

import motionc as mc
from figures.reaching import REACHING, ask_poses, reach
from motionc.benchmark import Absent
from motionc.robots import robot_file
from peers.reaching_peers import Poses, Solve


def test_ours_and_pinocchio_reach_and_absent_peers_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pink", "PyKDL"):
        monkeypatch.setitem(sys.modules, module, None)
    path = robot_file("lwr4")
    assert path
    lines = {line.contender: line for line in reach(mc.load(path), path, "link_7", count=4)}
    assert list(lines) == list(REACHING)
    assert all(lines[name].share == 1.0 for name in REACHING if name.startswith("motionc"))
    assert all(line.microseconds is None or line.microseconds > 0 for line in lines.values())
    assert lines["Pinocchio, loop of its documentation"].share is not None
    assert lines["Pink, one start"].note == "pink is not installed; pip install pin-pink daqp"
    assert lines["PyKDL, Levenberg and Marquardt"].note.startswith("PyKDL is not installed")


@pytest.mark.parametrize("wrong", ["beyond limits", "off by a little", "somewhere"])
def test_what_is_not_there_or_beyond_limits_does_not_count(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Pinocchio, too."""
    if wrong == "somewhere":
        monkeypatch.setitem(sys.modules, "pinocchio", None)
    path = robot_file("lwr4")
    assert path
    rng = np.random.default_rng(0)
    robot = mc.load(path)
    exact = rng.uniform(robot.limits.lower, robot.limits.upper, (3, 7))  # as they are drawn

    def cheat(poses: Poses) -> Solve:
        shift = {"beyond limits": 2 * np.pi * np.eye(7)[6], "off by a little": 2e-6, "somewhere": 1.0}[wrong]
        return lambda goals: exact + shift

    named = {"right": (lambda poses: lambda goals: exact, 3), "wrong": (cheat, 3)}
    right, line = reach(robot, path, "link_7", count=3, contenders=named)
    assert (right.share, line.share) == (1.0, 0.0)


def test_a_robot_without_limits_has_no_middle() -> None:
    path = robot_file("planar2")
    assert path
    with pytest.raises(Absent, match="no middle"):
        ask_poses(mc.load(path), path, "tip", 3)
