"""What must hold of any file whatsoever: it is refused by one of our errors, or it is a robot whose numbers are finite.

No number on the way may be such that NumPy has to warn.

Shared by the tests and by scripts/fuzz.py. A new format is one line in READERS, and a folder tests/hostile/corpus/NAME.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.formats import Document, read_dh, read_mjcf, read_urdf
from motionc.model import Robot
from motionc.solvers.inverse_dynamics import InverseDynamics
from repository import REPOSITORY

Reader = Callable[[bytes], Document]
READERS: dict[str, Reader] = {"urdf": read_urdf, "mjcf": read_mjcf, "dh": read_dh}

CORPUS = REPOSITORY / "tests" / "hostile" / "corpus"
LARGEST_RUN = 8  # joints; a walk in NumPy takes about a millisecond a joint


def corpus(format: str) -> list[Path]:
    """The files kept for a format, sorted."""
    return sorted(path for path in (CORPUS / format).glob("*") if path.is_file())


@np.errstate(divide="raise", over="raise", invalid="raise")
def survives(read: Reader, data: bytes) -> Error | Robot:
    """All the way from bytes to forces. Any exception but an Error is a bug, and so is a number that is not finite."""
    try:
        document = read(data)
        robot = Robot(document.chain, findings=document.findings)
    except Error as error:
        return error
    assert all(finding.place.line >= 1 and finding.remedy for finding in document.findings), "a finding nowhere"
    for link in robot.links:
        assert np.isfinite(link.com).all(), f"centre of mass of {link.name!r}"
        assert np.isfinite(link.inertia).all(), f"inertia of {link.name!r}"
    assert len(robot.limits.names) == robot.nv
    assert np.isfinite(robot.random(0)).all(), "a random configuration"
    assert len(robot.frame_names) == len(set(robot.frame_names))
    if robot.nv <= LARGEST_RUN:
        ones = np.ones(robot.nv)
        (tau,) = InverseDynamics().solver(robot).run(robot.neutral(), ones, ones).values()
        assert np.isfinite(tau).all(), "inverse dynamics"
    return robot


# ---------------------------------------------------------------- size

INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
INERTIAL = f'<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>{INERTIA}</inertial>'


def tree(parents: list[int], type: str = "continuous", mimic: Callable[[int], str] = lambda k: "") -> str:
    """A robot whose link k hangs on link parents[k - 1]."""
    links = "".join(f'<link name="l{k}">{INERTIAL}</link>\n' for k in range(len(parents) + 1))
    joints = "".join(
        f'<joint name="j{k}" type="{type}"><parent link="l{parent}"/><child link="l{k}"/>{mimic(k)}</joint>\n'
        for k, parent in enumerate(parents, 1)
    )
    return f'<robot name="r">{links}{joints}</robot>'


GROWN = (20, 40, 80)


def growth(work: Callable[[int], Callable[[], Any]]) -> float:
    """By how much the lines run grow from 40 to 80, compared to 20 to 40: 2 where work is linear, 4 if quadratic."""
    once, twice, four = (lines_run(work(n)) for n in GROWN)
    assert twice - once > 20
    return (four - twice) / (twice - once)


def lines_run(work: Callable[[], Any]) -> int:
    """How many lines of the package were run."""
    count = 0

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return local

    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        return local(frame, event, argument) if "motionc" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
