"""One program, all languages, the same numbers: every public computation on kinds of robots, in every target.

`make agreement` asks more of it: every tool on every robot here, and on public robots.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import motionc as mc
from all_joints import Kind, Moving
from catalogue import agree, asked_of, recipes
from languages import RUNNERS, Job, Runner
from motionc.computations import CATALOGUE
from motionc.targets import TARGETS
from mutants import tree
from rows import row
from trials import LONG

ROBOTS: dict[str, Callable[[], mc.Robot]] = {
    "floating": lambda: mc.Robot(tree(floating=False).chain, floating=True, fixed=["reach", "hip"]),
    "mimic": lambda: tree(floating=False, coupled=True),
    "spherical": lambda: Moving(4, [Kind.SPHERICAL, Kind.PLANAR]).robot,
}
if LONG:  # what those have one by one
    ROBOTS |= {
        "serial": lambda: mc.load("planar3"),
        "prismatic": lambda: mc.load("hyl"),
        "branched": lambda: tree(floating=False),
    }
FEW = {("python", "floating")}
SLOW = ("clang", "g++", "maxima")
PAIRS = [
    (runner, kind)
    for runner in RUNNERS
    for kind in ROBOTS
    if kind == "mimic" or not (runner.tool in SLOW or runner.target == "c_simd")
    if LONG or (kind == "mimic" and runner.tool != "clang") or (runner.target, kind) in FEW
]
"""Each tool on each robot; those that take long on one."""


@cache
def jobs(kind: str) -> list[Job]:
    return asked_of(ROBOTS[kind]())


def name(value: Runner | str) -> str:
    return f"{value.target} {value.tool or 'here'}" if isinstance(value, Runner) else value


@row("robcogen", 36, 37)
@pytest.mark.parametrize(("runner", "kind"), PAIRS, ids=name)
def test_every_language_gives_the_same_numbers(runner: Runner, kind: str, tmp_path: Path) -> None:
    agree(runner, jobs(kind), tmp_path)


def test_every_target_is_run_and_every_public_computation_asked() -> None:
    assert {runner.target for runner in RUNNERS} == set(TARGETS)
    made = CATALOGUE.keys() - {"solve"}
    assert len(made) > 20
    assert made <= set(recipes(mc.load("planar3")))
