"""Faults of a recording that is whole but makes no sense, each in one sentence."""

from pathlib import Path

import numpy as np

import motionc as mc
from motionc import simulate as sim
from motionc.simulate.recorded_check import faults
from motionc.simulate.recording import model_of


def test_wrong_widths_lost_numbers_and_references_of_nothing_are_faults(tmp_path: Path) -> None:
    robot = mc.load("quadruped")
    v = np.zeros((3, robot.nq))  # a floating base has one coordinate more than velocities
    v[1, 0] = np.nan
    signals = [sim.Signal("v", [0.0, 0.1, 0.2], v)]
    about = {"model": model_of(robot), "references": [sim.Reference("v", "speed")]}
    found = faults(sim.Recording(signals=signals, **about).save(tmp_path / "x.mcap"))
    assert found == [
        "v has rows of shape (19,), but quadruped's are (18,)",
        "v is not finite in 1 of 3 rows, first at 0.1 s",
        "a band, a reference or a tube is of 'speed', which is not recorded",
    ]
