"""The race of derivatives answers alike."""

import pytest

import motionc as mc
from motionc.benchmark.derivatives import FORWARD, INVERSE, OURS, THEIRS, race
from motionc.robots import robot_file


def test_ours_and_pinocchios_derivatives_agree_and_are_timed() -> None:
    pytest.importorskip("pinocchio")
    path = robot_file("planar2")
    assert path is not None
    timings = race(mc.load(path), path, rounds=1)
    assert [(timing.question, timing.contender) for timing in timings] == [
        (question, name) for question in (INVERSE, FORWARD) for name in (OURS, THEIRS)
    ]
    assert all(timing.microseconds and timing.error is not None and timing.error < 1e-9 for timing in timings)
