"""Nominal trajectories: when they come to the axis and to the goal, by hand and by SciPy's integral of the profile."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import motionc as mc
from motionc.tasks.nominal import ALONG, THERE, Nominal

DT = 0.005
PROFILE = mc.tasks.Sine(0.05, 0.12, 5.0)
T = mc.placed((0.3, -0.2, 0.5), (0.4, -0.3, 0.8))
START = np.array([-0.5, 0.054, -0.062])


def task(**said: Any) -> mc.tasks.Move:
    bands = {"x": mc.tasks.Speed(PROFILE, 0.005), "y": mc.tasks.Tube(0.01), "z": mc.tasks.Tube(0.01)}
    return mc.tasks.Move("tool", "T", **({"until": [mc.tasks.Goal(0.03)]} | bands | said))


def followed(nominal: Nominal, frames: Any, start: Any, seconds: float, lag: float = 0.0) -> dict[str, Any]:
    """What it says to a tool that is where it is told to be, `lag` behind along x of the last frame, tick by tick."""
    tick = nominal.computation()
    state, there = list(tick.start()), np.eye(4)
    there[:3, 3] = start
    behind = lag * np.asarray(frames, float).reshape(-1, 4, 4)[-1, :3, 0]
    told = list[Any]()
    for _ in range(round(seconds / nominal.dt)):
        out = tick(frames, there[np.newaxis], *state)
        told.append(out)
        state = [out[port.name] for port in tick.states]
        there[:3, 3] = np.asarray(out["reference"]) - behind
    return {name: np.array([out[name] for out in told]) for name in told[0].names}


def seen(places: Any, frame: Any = T) -> Any:
    return (places - frame[:3, 3]) @ frame[:3, :3]


@pytest.fixture(scope="module")
def along_the_axis() -> dict[str, Any]:
    return followed(Nominal(task(), DT, turns=False), T, T[:3, :3] @ START + T[:3, 3], 9.0)


def test_the_axis_is_come_to_as_the_horizon_says_and_the_goal_as_the_profile_takes(along_the_axis: Any) -> None:
    phase = along_the_axis["phase"]
    to_axis, there = (DT * np.argmax(phase >= one) for one in (ALONG, THERE))
    assert to_axis == pytest.approx(2.5 * np.log(0.062 / 0.01), abs=0.03)
    takes, _ = quad(lambda left: 1 / PROFILE.at(left), 0.03, 0.5)
    assert there - to_axis == pytest.approx(takes, abs=0.08)  # a tenth of a second to come to speed
    assert phase[-1] == THERE


def test_on_the_way_to_the_axis_nothing_goes_along_it(along_the_axis: Any) -> None:
    waits = along_the_axis["phase"] < ALONG
    assert np.abs(seen(along_the_axis["target_position"])[waits, 0] - START[0]).max() < 1e-9
    assert np.abs(seen(along_the_axis["target_position"])[:, 1:]).max(axis=0) == pytest.approx(np.abs(START[1:]))


def test_what_is_told_is_one_motion_position_velocity_and_acceleration(along_the_axis: Any) -> None:
    place, rate, change = (along_the_axis[f"target_{what}"] for what in ("position", "velocity", "acceleration"))
    assert np.abs(np.diff(place, axis=0) - DT * (rate[1:] + rate[:-1]) / 2).max() < 1e-12
    assert np.abs(np.diff(rate, axis=0) - DT * change[:-1]).max() < 1e-12
    assert np.abs(change).max() <= 1.0 + 1e-9
    assert np.abs(rate[-1]).max() == 0


def test_it_ends_where_the_measured_tool_is_at_the_goal_not_the_reference() -> None:
    late = followed(Nominal(task(), DT, turns=False), T, T[:3, :3] @ START + T[:3, 3], 9.0, lag=0.02)
    first = np.argmax(late["phase"] == THERE)
    assert -seen(late["target_position"])[first, 0] == pytest.approx(0.01, abs=1e-3)


def test_a_straight_way_goes_to_the_goal_and_along_x_as_fast_as_the_task_says() -> None:
    run = followed(Nominal(task(), DT, way="straight", turns=False), T, T[:3, :3] @ START + T[:3, 3], 5.0)
    place, rate = seen(run["target_position"]), run["target_velocity"] @ T[:3, :3]
    line = START / np.linalg.norm(START)
    moving = (run["phase"] == ALONG) & (np.arange(len(place)) > 40)
    assert np.linalg.norm(np.cross(place[moving], line), axis=1).max() < 1e-3
    wanted = [PROFILE.at(-x) for x in place[moving, 0]]
    assert np.abs(rate[moving, 0] - wanted).max() < 2e-3
    assert run["phase"][-1] == THERE


def test_orientation_stays_as_it_begins() -> None:
    tick = Nominal(task(), DT).computation()
    begun, turned = mc.placed((0.1, 0.2, 0.3), (0.5, 0.6, 0.7)), mc.placed((0.1, 0.2, 0.3), (-0.5, 0.1, 0.9))
    first = tick(T, begun[np.newaxis], *tick.start())
    assert np.array_equal(first.target_pose, begun)
    again = tick(T, turned[np.newaxis], *(first[port.name] for port in tick.states))
    assert np.array_equal(again.target_pose[:3, :3], begun[:3, :3])
    assert np.array_equal(again.target_twist[:3], np.zeros(3))


def test_sections_of_a_path_follow_each_other_each_at_its_speed() -> None:
    corners = np.array([[0.0, 0, 0], [0.2, 0, 0], [0.2, 0.1, 0]])
    frames = np.tile(np.eye(4), (2, 1, 1))
    frames[:, :3, 3] = corners[1:]
    frames[1, :3, :3] = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    move = task(x=mc.tasks.Speed(0.1, 0.01), until=[mc.tasks.Goal(0.002)])
    path = mc.tasks.Path(move, 2, overrides=[mc.tasks.Override(2, x=mc.tasks.Speed(0.05, 0.01))])
    run = followed(Nominal(path, DT, turns=False), frames, corners[0], 5.0)
    place, section = run["target_position"], run["section"]
    change = np.argmax(section == 1)
    assert np.abs(place[change] - corners[1]).max() < 4e-3
    assert np.abs(place[-1] - corners[2]).max() < 5e-3
    assert run["target_velocity"][change // 2, 0] == pytest.approx(0.1)
    half = change + round(1.0 / DT)
    assert run["target_velocity"][half, 1] == pytest.approx(0.05)
    assert run["phase"][-1] == THERE


def test_a_section_ends_at_the_goal_of_its_own() -> None:
    frames = np.tile(np.eye(4), (2, 1, 1))
    frames[:, 0, 3] = 0.2, 0.4
    move = task(x=mc.tasks.Speed(0.1, 0.01), until=[mc.tasks.Goal(0.002)])
    path = mc.tasks.Path(move, 2, overrides=[mc.tasks.Override(2, goal=mc.tasks.Goal(0.05))])
    run = followed(Nominal(path, DT, turns=False), frames, np.zeros(3), 4.5)
    turned, ended = np.argmax(run["section"] == 1), np.argmax(run["phase"] == THERE)
    assert run["target_position"][turned, 0] == pytest.approx(0.2 - 0.002, abs=1e-3)
    assert run["target_position"][ended, 0] == pytest.approx(0.4 - 0.05, abs=1e-3)


def test_how_near_the_axis_counts_as_on_it_and_what_is_free_stays_where_it_is() -> None:
    run = followed(Nominal(task(z=None), DT, near=0.03, turns=False), T, T[:3, :3] @ START + T[:3, 3], 2.0)
    assert DT * np.argmax(run["phase"] >= ALONG) == pytest.approx(2.5 * np.log(0.054 / 0.03), abs=0.04)
    assert np.abs(seen(run["target_position"])[:, 2] - START[2]).max() < 1e-9


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        (
            mc.tasks.Hold("tool", "T", position=mc.tasks.Tube(0.01), orientation=mc.tasks.Orientation(0.1)),
            "no way to go",
        ),
        (task(orientation=mc.tasks.Orientation(0.1)), "orientation"),
        (task(x=None, until=()), "no speed along x"),
        (task(wrt="base"), "wrt 'base'"),
        ("pregrasp", "Move"),
    ],
)
def test_tasks_without_a_trajectory_are_refused_by_name(asked: Any, wrong: str) -> None:
    with pytest.raises(mc.Error, match=wrong):
        Nominal(asked, DT)
