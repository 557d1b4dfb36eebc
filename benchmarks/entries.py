"""Robots that are measured: where they are, how they are loaded, and which links are constrained.

Robots are read from ../shared/robots ($MOTIONC_SHARED), and ANYmal C from the package example-robot-data.
"""

import os
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from motionc import Robot, load
from motionc.robots import robot_file

ROOT = Path(__file__).resolve().parents[1]
ROBOTS = Path(os.environ.get("MOTIONC_SHARED") or ROOT.parent / "shared") / "robots"
PUBLIC = "cmeel.prefix/share/example-robot-data/robots"


@dataclass(frozen=True)
class Entry:
    """A robot to measure, and which link six rows constrain."""

    path: Path
    frame: str
    floating: bool = False
    fixed: tuple[str, ...] = ()
    feet: tuple[str, ...] = ()

    @property
    def absent(self) -> str:
        """Why it is not measured; nothing where it is there."""
        if self.path.is_file():
            return ""
        if self.path.is_relative_to(ROBOTS):
            return f"{self.path.name} is not in {ROBOTS.parent.name}/{ROBOTS.name}"
        return f"{self.path} is not here; pip install example-robot-data"

    def load(self) -> Robot:
        return load(self.path, floating=self.floating, fixed=self.fixed)


def _public(file: str) -> Path:
    """A file of example-robot-data, where that is installed."""
    try:
        return Path(str(distribution("example-robot-data").locate_file(f"{PUBLIC}/{file}")))
    except PackageNotFoundError:
        return Path(file)


FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
SOLES = ("left_sole_link", "right_sole_link")
ENTRIES = {
    "LWR 4": Entry(robot_file("lwr4") or Path("lwr4"), "link_7"),
    "Panda": Entry(ROBOTS / "panda.urdf", "panda_hand", fixed=FINGERS),
    "ANYmal": Entry(ROBOTS / "anymal.urdf", "LF_FOOT", floating=True, feet=FEET),
    "Talos": Entry(ROBOTS / "talos_reduced.urdf", "left_sole_link", floating=True, feet=SOLES),
}
"""The Panda holds its fingers; ANYmal and Talos float."""
RACED = {
    "Panda": ENTRIES["Panda"],
    "ANYmal C": Entry(_public("anymal_c_simple_description/urdf/anymal.urdf"), "LF_FOOT", floating=True, feet=FEET),
    "Talos": ENTRIES["Talos"],
}
"""Robots on which our C races Pinocchio's C++."""
