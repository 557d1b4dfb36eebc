"""What is declared of a run comes back from its recording, and means what it says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.simulate import Band, Declared, Mark, Mode, Recording, Reference, Signal, Tube
from motionc.simulate.declarations import in_modes
from motionc.simulate.recorded_check import faults

TURNED = np.array([[0.0, -1.0, 0.0, 0.4], [1.0, 0.0, 0.0, 0.2], [0.0, 0.0, 1.0, 0.1], [0.0, 0.0, 0.0, 1.0]])


@pytest.fixture(scope="module")
def machine() -> Any:
    """It holds once a timer has passed."""

    def decide(time: Any) -> dict[str, Any]:
        return {"mode": time > 0.05, "late": time > 0.05}

    ports = [mc.Port("mode", (), "1", "0 APPROACH, 1 HOLD"), mc.Port("late", (), "1", "it is late")]
    return mc.block("machine", decide, [mc.Port("time", (), "s", "since the run began")], ports)


@pytest.fixture(scope="module")
def declared() -> Declared:
    return Declared(
        bands=[Band("q", -0.2, (0.4, 0.5), "near", during=("HOLD",), share=0.9), Band("v", "slow", 2.0)],
        tubes=[Tube("tip", TURNED, (0.1, np.inf), 0.5, ahead=0.1, wrt="base", name="way", during=("HOLD",))],
        references=[Reference("q_wanted", of="q")],
        marks=[Mark(0.01, "begun")],
        modes={"mode": ("APPROACH", "HOLD"), "elsewhere": ("A", "B")},
        events=["late", "never"],
        task="reach and hold",
    )


def test_what_a_loop_declares_is_in_the_recordings_of_its_runs(
    machine: Any, declared: Declared, tmp_path: Path
) -> None:
    plant = mc.simulate.Plant(mc.load("planar2"), 0.01)
    law = mc.control.pd(plant.robot, 10.0, 1.0)
    loop = mc.simulate.closed(plant, [machine, law], log=["q", "v", "mode", "late"], declared=declared)
    run = loop(plant.start(), target=[0.3, 0.1], seconds=0.1)
    run.save(tmp_path / "run.mcap")
    for recording in (Recording.of(run), Recording.open(tmp_path / "run.mcap")):
        assert recording.bands[-2:] == declared.bands
        assert recording.tubes == declared.tubes
        assert Reference("q_wanted", of="q") in recording.references
        (mode,) = recording.modes
        assert (mode.machine, mode.names) == ("mode", ("APPROACH", "HOLD"))
        # the machine sees the time at which a turn begins, and a row is of its end
        assert mode.times == pytest.approx((0.01, 0.07))
        assert [(mark.time, mark.name) for mark in recording.marks] == [(0.01, "begun"), (pytest.approx(0.07), "late")]
        assert recording.task == "reach and hold"
    many = loop.batch({"q": np.zeros((2, 2)), "v": np.zeros((2, 2))}, target=[0.3, 0.1], seconds=0.02)
    assert Recording.of(many, 1).tubes == declared.tubes


def test_a_band_has_edges_over_time_of_each_of_its_entries() -> None:
    signals = {"low": Signal("low", [0.0, 1.0], [[-1.0, -2.0], [-3.0, -4.0]]), "none": Signal("none", [], [])}
    band = Band("v", "low", (7.0, 8.0), entries=(2, 5))
    times, low = band.edge("low", 5, signals)
    assert (times.tolist(), low.tolist()) == ([0.0, 1.0], [-2.0, -4.0])
    assert band.edge("high", 2, signals)[1].tolist() == [7.0]
    assert Band("v", "none").edge("low", 0, signals)[1].tolist() == [-np.inf]
    assert Band("v", "unheard of").edge("low", 0, signals)[1].tolist() == [-np.inf]
    assert Band("v", high=(1.0,)).edge("high", 3, signals)[1].tolist() == [np.inf]


def test_modes_say_when_something_holds() -> None:
    arm, hand = Mode((0.0, 1.0, 2.0), ("A", "B", "A"), "arm"), Mode((1.5,), ("OPEN",), "hand")
    times = [0.5, 1.0, 1.7, 2.5]
    assert in_modes([arm, hand], ("B",), times).tolist() == [False, True, True, False]
    assert in_modes([arm, hand], ("A", "OPEN"), times).tolist() == [True, False, True, True]
    assert in_modes([hand], ("OPEN",), times).tolist() == [False, False, True, True]
    assert in_modes([], (), times).all()


def test_what_is_declared_of_nothing_is_a_fault(tmp_path: Path) -> None:
    robot = mc.load("planar2")
    tubes = [Tube("nowhere", np.eye(4), 0.1, 1.0, name="way"), Tube("tip", "pose", 0.1, 1.0, during=("HOLD",))]
    told = {"bands": [Band("q", "edge")], "tubes": tubes}
    with mc.simulate.Recorder(tmp_path / "live.mcap", robot, ["q"], **told) as recorder:
        recorder.log(0.0, q=[0.0, 0.0])
    said = "\n".join(faults(tmp_path / "live.mcap"))
    for words in ("'edge', which is not recorded", "'pose', which", "way: planar2 has no such frames", "during 'HOLD'"):
        assert words in said


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Band("q", share=0.0), "give a share"),
        (lambda: Band("q", low=[[1.0]]), "give one number"),
        (lambda: Tube("tip", np.eye(3), 0.1, 1.0), "4×4"),
        (lambda: Tube("tip", np.diag([1.0, 1.0, -1.0, 1.0]), 0.1, 1.0), "must be a rotation"),
        (lambda: Tube("tip", 2.0 * np.eye(4) - np.diag([0, 0, 0, 1.0]), 0.1, 1.0), "must be a rotation"),
        (lambda: Tube("tip", np.eye(4) + np.eye(4, k=-3), 0.1, 1.0), "last row"),
        (lambda: Tube("tip", np.eye(4), 0.0, 1.0), "radius"),
        (lambda: Tube("tip", np.eye(4), (0.1, 0.1, 0.1), 1.0), "radius"),
        (lambda: Tube("tip", np.eye(4), (np.inf, np.inf), 1.0), "radius"),
        (lambda: Tube("tip", np.eye(4), 0.1, -1.0), "metres"),
        (lambda: Declared(bands=[3]), r"list of Band\(…\)"),
        (lambda: Declared(modes=["mode"]), "give {signal"),  # pyright: ignore[reportArgumentType]
        (lambda: mc.simulate.closed(mc.simulate.Plant(mc.load("planar2")), declared=3), "Declared"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_what_makes_no_sense_gets_one_sentence(make: Any, said: str) -> None:
    with pytest.raises(mc.Error, match=said):
        make()
