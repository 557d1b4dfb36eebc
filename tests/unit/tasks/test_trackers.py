"""Trackers of a task: how near the tool is to the nominal trajectory, on plants, and whom they follow."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

import motionc as mc

RATE = 315
START = np.array([0.3, 0.6, 0.0, -1.4, 0.0, 0.9, 0.0])


@pytest.fixture(scope="module")
def arm() -> mc.Robot:
    return mc.load("lwr4")


@pytest.fixture(scope="module")
def here(arm: mc.Robot) -> Any:
    return mc.forward_kinematics(arm, "link_7").run(START)[0]


@pytest.fixture(scope="module")
def frame(here: Any) -> Any:
    there = np.eye(4)
    there[:3, 3] = here[:3, 3] + np.array([0.2, 0.03, -0.02])
    return there


def task(**said: Any) -> mc.tasks.Move:
    tube, until = mc.tasks.Tube(0.01), [mc.tasks.Goal(0.02)]
    asked = {"x": mc.tasks.Speed(0.1, 0.01), "y": tube, "z": tube, "until": until} | said
    return mc.tasks.Move("link_7", "T", **asked)


def driven(arm: mc.Robot, frame: Any, kind: Any) -> tuple[Any, Any]:
    """A run on the arm as modelled, and where the tool was in it."""
    law = mc.tasks.tracker(arm, task(), kind, rate=RATE, horizon=0.5)
    loop = mc.simulate.closed(mc.simulate.Plant(arm, 1 / RATE), law, log=["q", "v", "reference", "phase"])
    run = loop({"q": START, "v": np.zeros(7)}, T=frame, seconds=4.0)
    return run, mc.forward_kinematics(arm, "link_7").batch(run.q)[:, 0]


@pytest.fixture(scope="module")
def six(arm: mc.Robot, frame: Any) -> Any:
    return driven(arm, frame, "six")


def test_six_rows_keep_the_place_and_the_orientation_that_it_begins_with(six: Any, here: Any) -> None:
    run, poses = six
    assert np.linalg.norm(poses[:, :3, 3] - run.reference, axis=1).max() < 1e-3
    turned = Turn.from_matrix(poses[:, :3, :3] @ here[:3, :3].T).magnitude()
    assert turned.max() < 1e-3
    assert run.phase[-1] == 3


def test_three_rows_keep_the_place_alone(arm: mc.Robot, frame: Any, here: Any) -> None:
    run, poses = driven(arm, frame, "three")
    assert np.linalg.norm(poses[:, :3, 3] - run.reference, axis=1).max() < 1e-3
    assert Turn.from_matrix(poses[:, :3, :3] @ here[:3, :3].T).magnitude().max() > 0.05


def test_joints_follow_as_they_move_under_six_rows(arm: mc.Robot, frame: Any, six: Any) -> None:
    """On the arm as modelled both do the same; what differs is what they hold on to where it is another."""
    run, _ = driven(arm, frame, "joints")
    assert np.abs(run.q - six[0].q).max() < 2e-3


def test_frames_and_joints_are_ports_as_a_lazy_cycle_has_them(arm: mc.Robot) -> None:
    lazy = mc.tasks.lazy(arm, task(), rate=RATE)
    stiff = mc.tasks.tracker(arm, task(), rate=RATE)
    states = {port.name for port in stiff.states}
    given = [port.name for port in stiff.inputs if port.name not in states]
    assert sorted(given) == sorted({"q", "v", "T"})
    assert {*given} <= {port.name for port in lazy.inputs}
    assert stiff.outputs[0].name == "tau"


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"kind": "soft"}, "kind"),
        ({"rate": 0.0}, "rate"),
        ({"stiffness": -4.0}, "stiffness"),
        ({"way": "round"}, "way"),
        ({"near": 0.0}, "near"),
    ],
)
def test_what_has_no_meaning_is_refused_by_name(arm: mc.Robot, said: dict[str, Any], wrong: str) -> None:
    with pytest.raises(mc.Error, match=wrong):
        mc.tasks.tracker(arm, task(), **({"rate": RATE} | said))
