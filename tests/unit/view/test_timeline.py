"""What stands beside the time: marks that do not hide each other, bars of what was on."""

import html
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.simulate import Mark, Recording, Signal
from motionc.view.charts import Lap
from motionc.view.timeline import apart, bar
from motionc.view.track import track

TIMES = np.linspace(1.0, 3.0, 21)


@pytest.fixture(scope="module")
def pushed() -> Any:
    marks = [Mark(1.5, "push"), Mark(2.0, "end of push"), Mark(1.2, "begun")]
    signals = [Signal("q", TIMES, np.zeros((21, 2)))]
    return track(Recording(signals=signals, marks=marks), robot=mc.load("planar2"))


def test_a_recording_of_another_robot_is_told_from_one_without_configurations() -> None:
    arm = mc.load("planar2")
    with pytest.raises(mc.Error, match=r"nothing to show of planar2: q has rows of shape \(3,\), not \(2,\)"):
        track(Recording(signals=[Signal("q", TIMES, np.zeros((21, 3)))]), robot=arm)
    with pytest.raises(mc.Error, match="nothing to show of planar2: there is no q, 2 numbers a row"):
        track(Recording(signals=[Signal("v", TIMES, np.zeros((21, 2)))]), robot=arm)


def test_names_of_marks_that_are_too_near_are_left_out() -> None:
    assert apart([(1.0, "a"), (1.1, "b"), (2.0, "c"), (9.0, "d")], 1.0, 2.0) == (
        (0.0, "a"),
        0.1,
        (1.0, "c"),
        (2.0, "d"),
    )


def test_what_begins_and_ends_is_a_bar_and_no_mark(pushed: Any) -> None:
    assert pushed.marks == ((1.2, "begun"),)
    (row,) = pushed.rows
    assert "left: 25.00%; width: 25.00%" in bar(row, pushed, 0.0)
    said = [bar(row, pushed, now).split("<div style='position: rel")[0] for now in (0.0, 0.7, 1.5)]
    assert [("<b>on</b>" in each) for each in said] == [False, True, False]


def test_names_of_what_is_on_stay_words(pushed: Any) -> None:
    evil = "<img src=x onerror=alert(1)>'"
    said = bar((evil, [Lap(evil, 1.0, 2.0)]), pushed, 0.5) + bar(("", [Lap(evil, 1.0, 2.0)]), pushed, 0.5)
    assert "<img" not in said
    assert f"title='{html.escape(evil, quote=True)}'" in said


def test_a_signal_that_is_not_there_is_not_plotted(pushed: Any) -> None:
    pytest.importorskip("viser", reason="the viewer needs viser: pip install 'motionc[view]'")
    recording = Recording(signals=[Signal("q", TIMES, np.zeros((21, 2)))])
    with mc.view.show(pushed.robot, recording, port=0, open_browser=False) as viewer:
        viewer.timeline.plot("q", "1")
        with pytest.raises(mc.Error, match="no signal 'p' to plot"):
            viewer.timeline.plot("p")
