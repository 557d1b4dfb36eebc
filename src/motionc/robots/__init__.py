"""Which robots come along? Model files written by us from public figures; the top of each file names its sources.

This is the list of them: what they are, whose figures they have, and whether their base floats when nothing is said.
"""

import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


_SHAKHIMARDANOV, _FRIGERIO, _HOEPLER = "Shakhimardanov 2015", "Frigerio 2013", "Höpler 2004"


@dataclass(frozen=True, slots=True)
class ShippedRobot:
    """A robot that comes along: `load(name)` lets its base float where `floating` says so."""

    name: str
    joints: int
    description: str
    source: str
    floating: bool = False

    @property
    def file(self) -> Path:
        """Its model file; what the sources give and what is approximated stands at its top."""
        return Path(str(files("motionc.robots"))) / f"{self.name}.urdf"


class RobotList(tuple[ShippedRobot, ...]):
    """The robots that come along, in order; prints as a table."""

    def __str__(self) -> str:
        rows = [_HEAD, *map(_row, self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    __repr__ = __str__

    def __rich__(self) -> "Table":
        from rich.table import Table  # slow to import, and seldom needed

        table = Table(*_HEAD, box=None)
        for robot in self:
            table.add_row(*_row(robot))
        return table


_HEAD = ("name", "joints", "description", "figures from")


def _row(robot: ShippedRobot) -> tuple[str, ...]:
    return robot.name, f"{robot.joints} + 6" if robot.floating else str(robot.joints), robot.description, robot.source


_ROBOTS = RobotList(
    (
        ShippedRobot("planar2", 2, "planar arm, point masses", "Smits 2010"),
        ShippedRobot("planar3", 3, "planar arm, point masses", "ours"),
        ShippedRobot("planar4", 4, "planar arm, point masses", _SHAKHIMARDANOV),
        ShippedRobot("fancy", 5, "fictitious chain R P R P R", f"{_FRIGERIO}, RobCoGen"),
        ShippedRobot("fancy_branch", 7, "fictitious tree, fancy with a branch R P", f"{_FRIGERIO}, RobCoGen"),
        ShippedRobot("lwr4", 7, "KUKA LWR 4", "rtt_lwr, KUKA"),
        ShippedRobot("iiwa", 7, "KUKA LBR iiwa 14 R820", "KUKA, iiwa_stack"),
        ShippedRobot("panda", 7, "Franka Emika Panda with its hand", "Franka, Gaz et al. 2019"),
        ShippedRobot("ur5", 6, "Universal Robots UR5", "Universal Robots"),
        ShippedRobot("ur10", 6, "Universal Robots UR10", "Universal Robots"),
        ShippedRobot("baxter_arm", 7, "one arm of Rethink's Baxter", "Rethink Robotics"),
        ShippedRobot("youbot_arm", 5, "arm of KUKA's youBot", "youbot-ros-pkg, Vukcevic 2020"),
        ShippedRobot(
            "youbot", 8, "KUKA youBot on virtual joints x, y, yaw", f"youbot-ros-pkg, KUKA, {_SHAKHIMARDANOV}"
        ),
        ShippedRobot("palletiser", 6, "palletising robot, the tree of its two loops", f"{_HOEPLER} (structure)"),
        ShippedRobot("hyl", 4, "HyL, a leg of HyQ on a slide", _FRIGERIO),
        ShippedRobot("hyq_leg", 3, "left front leg of HyQ", _FRIGERIO),
        ShippedRobot("hyq", 12, "HyQ, hydraulic quadruped", _FRIGERIO, True),
        ShippedRobot("quadruped", 12, "small walking robot like an Aibo", f"{_HOEPLER} (structure)", True),
        ShippedRobot("biped", 12, "torso and two legs", f"{_HOEPLER} (structure), Winter", True),
        ShippedRobot("humanoid", 23, "humanoid with arms and head", "Winter (anthropometry)", True),
    )
)
_BY_NAME = {robot.name: robot for robot in _ROBOTS}


def robots() -> RobotList:
    """The robots that come along: name, number of joints, description, source; prints as a table.

    >>> [robot.name for robot in robots() if robot.floating]
    ['hyq', 'quadruped', 'biped', 'humanoid']
    """
    return _ROBOTS


def shipped_robot(name: str) -> ShippedRobot | None:
    """The robot of that name, or None where there is none; capitals and hyphens do not matter.

    >>> shipped_robot("UR5").joints
    6
    """
    return _BY_NAME.get(name.lower().replace("-", "_"))


def robot_file(name: str) -> Path | None:
    """The file of a shipped robot, or None where there is none of that name."""
    robot = shipped_robot(name)
    return None if robot is None else robot.file


def robot_names() -> tuple[str, ...]:
    """The names of the robots that come along.

    >>> robot_names()[:3]
    ('planar2', 'planar3', 'planar4')
    """
    return tuple(_BY_NAME)


class _Room(ModuleType):
    """`mc.robots` is the function above; this room has the same name, and importing it anew takes that name back."""

    def __call__(self) -> RobotList:
        return robots()


sys.modules[__name__].__class__ = _Room
