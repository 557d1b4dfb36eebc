"""Whether a task fits a robot: tools, frames, forces and rows, asked before anything runs; places in documents."""

from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.tasks import Force, Goal, Hold, Move, Orientation, Path, Phases, Speed, Tube, fits, frame_inputs, must_fit
from motionc.tasks import check as check_task

LWR = mc.load("lwr4")
YOUBOT = mc.load("youbot_arm")


def move(**parts: Any) -> Move:
    return Move(parts.pop("tool", "link_7"), parts.pop("frame", "T"), **{"x": Speed(0.05, 0.005), **parts})


def rules(task: Any, robot: Any = LWR, frames: Any = None) -> list[str]:
    return [finding.rule for finding in fits(task, robot, frames)]


def test_a_task_of_known_frames_fits() -> None:
    assert rules(move()) == []
    assert rules(move(wrt="link_0")) == []
    assert rules(move(z=Force(5, 1), force_frame="link_7")) == []
    assert rules(move(wrt="table"), frames={"table": "world"}) == []


@pytest.mark.parametrize(
    ("parts", "rule", "words"),
    [
        ({"tool": "link_8"}, "Tool", "lwr4 has no frame 'link_8'; did you mean link_7"),
        ({"frame": "link_3"}, "Frame", "lwr4 has a frame 'link_3' itself"),
        ({"frame": "the goal"}, "Frame", "an input of that name"),
        ({"wrt": "wrld"}, "Wrt", "no frame 'wrld'; did you mean world"),
        ({"z": Force(5, 1), "force_frame": "pad"}, "ForceFrame", "lwr4 has no frame 'pad'"),
        ({"z": Force(5, 1), "force_frame": "link_6"}, "ForceFrame", "link_6 does not move with link_7"),
    ],
)
def test_frames_that_are_not_there_are_errors_with_a_remedy(parts: dict[str, Any], rule: str, words: str) -> None:
    (finding,) = fits(move(**parts), LWR).errors
    assert finding.rule == rule
    assert words in finding.message
    assert finding.remedy
    with pytest.raises(mc.tasks.TaskError, match="the task does not fit lwr4"):
        must_fit(move(**parts), LWR)


def test_everything_that_is_wrong_is_told_in_every_phase() -> None:
    task = Phases([move(tool="a", wrt="b", name="first"), move(frame="world", wrt="link_0", name="second")])
    assert rules(task) == ["Tool", "Wrt", "Frame"]
    path = Path(move(tool="hand", until=[Goal(0.1)]), 2)
    assert rules(path) == ["Tool"]


def test_a_frame_given_wrt_another_than_it_is_told_is_refused() -> None:
    assert rules(move(), frames={"T": "link_0"}) == ["Wrt"]
    assert rules(move(), frames={"T": "world"}) == []


def test_more_rows_than_joints_are_a_warning() -> None:
    hold = Hold("arm_link_5", "T", position=Tube(0.01), orientation=Orientation(0.1))
    (finding,) = fits(hold, YOUBOT)
    assert (finding.rule, finding.severity, finding.message) == ("Rows", "warning", "6 rows are asked of 5 joints")
    must_fit(hold, YOUBOT)
    assert rules(move(tool="arm_link_5", y=Tube(0.1), z=Tube(0.1)), YOUBOT) == []
    six = move(tool="arm_link_5", y=Tube(0.1), z=Tube(0.1), orientation=Orientation(0.1))
    assert rules(six, YOUBOT) == ["Rows"]


def test_findings_about_a_document_say_where_and_quote_it(tmp_path: Any) -> None:
    file = tmp_path / "reach.task"
    text = str(Phases([move(name="a"), move(name="b", tool="hand", wrt="tabel")], name="both"))
    file.write_text(text)
    found = check_task(file, LWR, {"table": "world"})
    lines = text.split("\n")
    assert [(one.rule, one.place.line) for one in found] == [
        ("Tool", lines.index("tool hand") + 1),
        ("Wrt", lines.index("frame T wrt tabel") + 1),
    ]
    assert found.items[1].quote.text[found.items[1].quote.caret :] == "tabel"
    assert "did you mean table" in found.items[1].message
    assert check_task(move(tool="hand"), LWR).errors[0].rule == "Tool"
    assert check_task(move(tool="hand")).ok


# ---------------------------------------------------------------- where frames are


def test_poses_come_from_the_call_or_from_the_task_itself() -> None:
    there = np.eye(4)
    there[:3, 3] = 0.1, 0.2, 0.3
    assert np.array_equal(frame_inputs(move(pose=there))["T"], there)
    assert np.array_equal(frame_inputs(move(pose=np.eye(4)), {"T": there})["T"], there)
    path = Path(move(until=[Goal(0.1)]), 2, poses=[np.eye(4), there])
    assert frame_inputs(path)["frames"].shape == (2, 4, 4)
    assert np.array_equal(frame_inputs(path)["frames"][1], there)


@pytest.mark.parametrize(
    ("task", "given", "words"),
    [
        (move(), None, "nobody says where T is"),
        (move(), {"S": np.eye(4)}, "the task has no frame 'S'"),
        (move(), {"T": np.eye(3)}, "frames: T="),
        (move(), {"T": np.diag([1, 1, 2, 1.0])}, "is no rotation"),
        (Path(move(until=[Goal(0.1)]), 2), {"frames": [np.eye(4)]}, "1 poses for 2 sections"),
        (Path(move(until=[Goal(0.1)]), 2), {}, r"poses \(2, 4, 4\)"),
    ],
)
def test_frames_that_are_missing_or_no_poses_are_refused(task: Any, given: Any, words: str) -> None:
    with pytest.raises(mc.Error, match=words):
        frame_inputs(task, given)


def test_a_cycle_is_not_made_of_a_task_that_does_not_fit() -> None:
    with pytest.raises(mc.tasks.TaskError) as refusal:
        mc.tasks.lazy(LWR, move(tool="hand", wrt="tabel"), rate=630)
    assert [finding.rule for finding in refusal.value.findings] == ["Tool", "Wrt"]


def test_frames_that_there_are_are_named_once() -> None:
    """A UR5 has a link `world` of its own."""
    move = Move("tool0", "T", wrt="nowhere", x=Speed(0.05, 0.005))
    (finding,) = mc.tasks.fits(move, mc.load("ur5")).items
    assert finding.message.count("world") == 1
