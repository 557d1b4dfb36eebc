"""Experiments whose robot is reached through an interface: what comes of them is a run like any other."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.control import EncoderModel, Interface
from motionc.simulate.experiment import Experiment
from motionc.simulate.experiment_document import read_experiment
from motionc.simulate.shipped_experiments import shipped_experiment
from rows import row

PREGRASP = Path(mc.simulate.__file__).parent / "experiments" / "pregrasp.lwr4.yaml"
SECONDS = 0.4


def with_lines(folder: Path, lines: str) -> Experiment:
    """The experiment that comes along, and these lines of its file besides."""
    file = folder / "pregrasp.yaml"
    file.write_text(PREGRASP.read_text(encoding="utf-8") + lines, encoding="utf-8")
    return read_experiment(file)


@pytest.fixture(scope="module")
def closed() -> Any:
    """What a closed loop makes of it."""
    return shipped_experiment("pregrasp", "lwr4").run(seconds=SECONDS)


@row("robcogen", 51)
@pytest.mark.parametrize("kind", ["simulated", "shared_memory"])
def test_a_lazy_task_does_the_same_wherever_its_file_says_the_robot_is(tmp_path: Path, closed: Any, kind: str) -> None:
    tried = with_lines(tmp_path, f"interface:\n  kind: {kind}\n").run(seconds=SECONDS)
    rows = round(630 * SECONDS) - 1  # of the last period nobody read how it ended
    for name in ("mode", "events", "position", "command", "bias_x"):
        np.testing.assert_allclose(tried.run[name], closed.run[name][:rows], atol=1e-12)
    np.testing.assert_allclose(tried.run["q"], closed.run["q"][:rows], atol=2e-4)  # as its encoders read it
    assert np.ptp(tried.run["q"] - closed.run["q"][:rows]) > 0
    assert tried.operation.cycles == rows + 1
    assert tried.judged.state == closed.judged.state
    again = mc.simulate.Recording.open(tried.run.save(tmp_path / "run.mcap"))
    np.testing.assert_array_equal(again["q"].values, tried.run["q"])


def test_an_interface_is_read_with_its_units(tmp_path: Path) -> None:
    lines = (
        "interface: {kind: udp, address: localhost:9750, start: false, pace: clock, watchdog: 5, timeout: 20 ms,\n"
        "  encoders: {joint_0: {counts_per_turn: 4096, gear: 100, sign: -1, reference: 90 deg, bits: 16}}}\n"
    )
    encoder = EncoderModel(4096, gear=100, sign=-1, reference=np.pi / 2, bits=16)
    assert with_lines(tmp_path, lines).interface == Interface(
        "udp", "localhost:9750", start=False, pace="clock", watchdog=5, timeout=0.02, encoders={"joint_0": encoder}
    )


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("interface: {kind: usb}", "'usb' is none of these"),
        ("interface: {kind: udp, adress: x}", "there is no 'adress' in an interface; did you mean address?"),
        ("interface: {kind: udp, address: 8.8.8.8:53}", "is not on this machine remedy: say beyond_loopback"),
        ("interface: {encoders: {joint_0: {gear: 2}}}", "an encoder has no counts_per_turn"),
        ("interface: {timeout: 3}", "has no unit"),
    ],
)
def test_an_interface_that_is_none_is_refused_where_it_stands(tmp_path: Path, lines: str, words: str) -> None:
    with pytest.raises(mc.Error) as refusal:
        with_lines(tmp_path, lines)
    said = " ".join(str(refusal.value).split())
    assert words in said
    assert "pregrasp.yaml" in said


def test_many_plants_are_reached_through_no_interface() -> None:
    with pytest.raises(mc.Error, match="many plants are simulated side by side"):
        shipped_experiment("pregrasp", "lwr4").but(interface=Interface()).study(3)
