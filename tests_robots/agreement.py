"""Every language on every robot, large ones too: `make agreement`. It takes some minutes, mostly in C compilers."""

from collections.abc import Callable
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import pytest

import motionc as mc
from catalogue import agree, asked_of
from languages import RUNNERS, Job, Runner
from rows import row

FOLDER = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
ROBOTS: dict[str, Callable[[], mc.Robot]] = {
    "panda": lambda: mc.load(FOLDER / "panda_description/urdf/panda.urdf"),  # fingers that follow each other
    "ur5": lambda: mc.load("ur5"),
    "lwr4": lambda: mc.load("lwr4"),
    "youbot": lambda: mc.load("youbot"),
    "hyq": lambda: mc.load("hyq"),
    "anymal": lambda: mc.load(FOLDER / "anymal_b_simple_description/robots/anymal.urdf", floating=True),
    "talos": lambda: mc.load(FOLDER / "talos_data/robots/talos_reduced.urdf", floating=True),
}
LARGE = 12
"""Joints beyond which Maxima itself takes too long; its text is read here."""


@cache
def jobs(robot: str) -> list[Job]:
    return asked_of(ROBOTS[robot]())


@row("robcogen", 37)
@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: f"{runner.target} {runner.tool or 'here'}")
def test_every_language_gives_the_same_numbers(runner: Runner, robot: str, tmp_path: Path) -> None:
    if runner.tool == "maxima" and ROBOTS[robot]().nv > LARGE:
        pytest.skip("too large for Maxima itself")
    agree(runner, jobs(robot), tmp_path)
