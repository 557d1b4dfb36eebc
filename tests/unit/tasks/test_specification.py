"""Task specifications: what is kept, what contradicts itself and is refused when it is made."""

import math
import pickle
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.tasks import (
    Align,
    Angle,
    Approach,
    Contact,
    Force,
    Goal,
    Hold,
    Moment,
    Monitor,
    Move,
    Orientation,
    Override,
    Path,
    Phases,
    Sine,
    Speed,
    Timeout,
    Tube,
)

SPEED = Speed(0.05, 0.005)


def move(**parts: Any) -> Move:
    return Move(parts.pop("tool", "hand"), parts.pop("frame", "T"), **{"x": SPEED, **parts})


def test_a_profile_is_the_sine_of_what_is_left_to_go() -> None:
    profile = Speed(Sine(0.05, 0.12, 5.0), 0.005)
    assert profile.at(0.2) == 0.05 + 0.12 * math.sin(1.0)
    assert Speed(0.06, 0.005).at(9.0) == 0.06


def test_what_is_not_said_is_free() -> None:
    assert move(y=Tube(0.01)).free == ("z", "ax", "ay", "az")
    assert move(orientation=Orientation(0.1)).free == ("y", "z")
    assert Hold("hand", "T", position=Tube(0.01), orientation=Orientation(0.1)).free == ()


def test_tasks_are_values_that_compare_hash_and_pickle() -> None:
    task = move(pose=np.eye(4), until=[Goal(0.01)], monitors=[Monitor("torque", 0.8)])
    same = move(pose=np.eye(4).tolist(), until=(Goal(0.01),), monitors=(Monitor("torque", 0.8),))
    path = Path(move(until=[Goal(0.01)]), 2, poses=[np.eye(4)] * 2, overrides=[Override(1, x=Speed(0.1, 0.01))])
    assert task == same
    assert len({task, same, path}) == 2
    assert pickle.loads(pickle.dumps(path)) == path
    assert Contact(1.0, along="yx") == Contact(1.0, along="xy")


@pytest.mark.parametrize(
    "make",
    [
        lambda: Speed(0.05, 0.0),
        lambda: Speed(-0.05, 0.01),
        lambda: Speed(0.05, math.nan),
        lambda: Speed(True, 0.01),
        lambda: Tube(-0.01),
        lambda: Tube("1 cm"),
        lambda: Orientation(4.0),
        lambda: Angle(0.1, 0.0),
        lambda: Force(math.inf, 1.0),
        lambda: Moment(0.0, -1.0),
        lambda: Goal(0.0),
        lambda: Timeout(-1.0),
        lambda: Contact(0.5, along="xw"),
        lambda: Contact(0.5, along="xx"),
        lambda: Monitor("sped", 0.2),
        lambda: Monitor("speed", 0.2, then="cry"),
        lambda: Align(1.0, 0.5),
        lambda: Approach(Speed(Sine(0.1, 0.1, 1.0), 0.01), 1.0),
        lambda: Approach(0.1, 1.0),
        lambda: Override(0),
    ],
)
def test_numbers_that_mean_nothing_are_refused(make: Any) -> None:
    with pytest.raises(mc.Error, match=r"(; |is a profile)"):
        make()


CONTRADICTIONS = {
    "nothing is asked": (lambda: Move("hand", "T"), ("move",)),
    "az and orientation contradict": (
        lambda: move(orientation=Orientation(0.1), az=Angle(0, 0.1)),
        ("az", "orientation"),
    ),
    "no force frame says along whose axes": (lambda: move(z=Force(5, 1)), ("z",)),
    "an approach ends in a force along z": (lambda: move(approach=Approach(SPEED, 1.0)), ("approach",)),
    "aligned by its moments": (lambda: move(z=Force(5, 1), force_frame="P", align=Align(1, 2)), ("align",)),
    "a second goal": (lambda: move(until=[Goal(0.1), Goal(0.2)]), (("until", 1),)),
    "a second contact along y": (lambda: move(until=[Contact(1, along="xy"), Contact(2, along="y")]), (("until", 1),)),
    "nothing moves along X": (lambda: Move("hand", "T", y=Tube(0.1), until=[Goal(0.1)]), (("until", 0),)),
    "comes to rest before its goal": (
        lambda: move(x=Speed(Sine(0, 0.05, -15), 0.01), until=[Goal(0.02)]),
        ("x", ("until", 0)),
    ),
    "ends it while 5 ± 1 N are asked": (
        lambda: move(z=Force(5, 1), force_frame="P", until=[Contact(6.0)]),
        (("until", 0), "z"),
    ),
    "a second monitor of speed": (
        lambda: move(monitors=[Monitor("speed", 1), Monitor("speed", 2)]),
        (("monitors", 1),),
    ),
    "the task frame and the tool": (lambda: move(tool="T"), ("frame",)),
    "no goal ends a section": (lambda: Path(move(), 3), ("until", "move")),
    "as many as sections": (lambda: Path(move(pose=np.eye(4), until=[Goal(1)]), 3), ("frame",)),
    "there are 3": (lambda: Path(move(until=[Goal(1)]), 3, overrides=[Override(4)]), (("overrides", 0),)),
    "told apart twice": (lambda: Path(move(until=[Goal(1)]), 3, overrides=[Override(2)] * 2), (("overrides", 1),)),
    "and the others for nothing": (
        lambda: Path(move(until=[Goal(1)]), 3, overrides=[Override(2, y=Tube(1))]),
        (("overrides", 0),),
    ),
}


@pytest.mark.parametrize("words", CONTRADICTIONS)
def test_contradictions_are_refused_and_say_what_they_are_about(words: str) -> None:
    make, about = CONTRADICTIONS[words]
    with pytest.raises(mc.Error, match=words) as refusal:
        make()
    assert getattr(refusal.value, "about", None) == about
    assert "; " in str(refusal.value)
    assert str(pickle.loads(pickle.dumps(refusal.value))) == str(refusal.value)


def test_a_contact_beyond_a_force_may_end_it_and_a_profile_may_start_at_nothing() -> None:
    assert move(z=Force(5, 1), force_frame="P", until=[Contact(6.1)]).until == (Contact(6.1),)
    assert move(x=Speed(Sine(0, 0.05, 15), 0.01), until=[Goal(0.02)]).goal == Goal(0.02)


@pytest.mark.parametrize(
    "pose", [np.eye(3), 2 * np.eye(4), np.diag([1, 1, -1, 1.0]), np.diag([1, 1, 1.001, 1.0]), np.full((4, 4), np.nan)]
)
def test_a_pose_that_is_none_is_refused(pose: Any) -> None:
    with pytest.raises(mc.Error, match="pose"):
        move(pose=pose)


def test_a_section_is_a_move_with_its_own_numbers_goal_and_place() -> None:
    away = np.eye(4)
    away[0, 3] = 0.3
    path = Path(
        move(until=[Timeout(9), Goal(0.01)], name="way"),
        3,
        last=Goal(0.002),
        overrides=[Override(3, x=Speed(0.1, 0.01)), Override(2, goal=Goal(0.05))],
        poses=[np.eye(4), np.eye(4), away],
    )
    assert path.name == "way"
    assert [one.section for one in path.overrides] == [2, 3]
    assert [path.section(k).goal for k in (1, 2, 3)] == [Goal(0.01), Goal(0.05), Goal(0.002)]
    assert [path.section(k).x for k in (1, 2, 3)] == [SPEED, SPEED, Speed(0.1, 0.01)]
    assert path.section(3).until == (Timeout(9), Goal(0.002))
    assert np.array_equal(path.section(3).pose, away)
    for wrong in (0, 4, 1.0):
        with pytest.raises(mc.Error, match="from 1 to 3"):
            path.section(wrong)
    with pytest.raises(mc.Error, match="2 poses for 3 sections"):
        Path(path.move, 3, poses=[np.eye(4)] * 2)


def test_phases_share_what_is_said_once_and_have_names() -> None:
    reach = move(y=Tube(0.01), until=[Goal(0.01)], name="reach")
    turn = {"name": "turn", "x": None, "y": None, "orientation": Orientation(0.1), "until": [Timeout(2)]}
    both = Phases.sharing(reach, {}, turn, name="both")
    assert both.tasks[0] == reach
    assert (both.tasks[1].tool, both.tasks[1].free) == ("hand", ("x", "y", "z"))
    with pytest.raises(mc.Error, match="a Move has no 'toll'; did you mean tool"):
        Phases.sharing(reach, {"toll": "hand"})
    with pytest.raises(mc.Error, match="2 phases are called 'reach'"):
        Phases([reach, reach])
    with pytest.raises(mc.Error, match="a phase has no name"):
        Phases([move()])
    with pytest.raises(mc.Error, match="give a list of tasks"):
        Phases([])
