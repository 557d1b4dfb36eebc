"""Every language on every robot, large ones too: `make agreement`. It takes some minutes, mostly in C compilers."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import motionc as mc
from catalogue import agree, asked_of
from languages import RUNNERS, Job, Runner
from public_robots import public_file
from rows import row

ROBOTS: dict[str, Callable[[], mc.Robot]] = {
    "panda": lambda: mc.load(public_file("panda")),  # fingers that follow each other
    "ur5": lambda: mc.load("ur5"),
    "lwr4": lambda: mc.load("lwr4"),
    "youbot": lambda: mc.load("youbot"),
    "hyq": lambda: mc.load("hyq"),
    "anymal": lambda: mc.load(public_file("anymal"), floating=True),
    "talos": lambda: mc.load(public_file("talos_reduced"), floating=True),
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
