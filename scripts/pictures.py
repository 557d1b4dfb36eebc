"""Draw the pictures of the documentation: every robot that comes along, and HyQ as it is dropped.

    PYTHONPATH=src python scripts/pictures.py [ROBOT …]

writes docs/pictures/NAME.png, of at most 25 kB each, and docs/pictures/dropped.png.
"""

import sys
from pathlib import Path
from typing import Any


import motionc as mc
from motionc.view import picture

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
SMALL = {"size": (480, 360), "colours": 96}
SIDE = (0.25, -1.0, 0.30)
POSES: dict[str, dict[str, float]] = {
    "planar2": {"shoulder": 0.5, "elbow": 0.9},
    "planar3": {"joint_1": 0.4, "joint_2": 0.7, "joint_3": 0.6},
    "planar4": {"joint_1": 0.3, "joint_2": 0.6, "joint_3": 0.6, "joint_4": 0.5},
    "lwr4": {"joint_0": 0.4, "joint_1": 0.6, "joint_3": -1.2, "joint_5": 0.9},
    "iiwa": {"joint_1": 0.4, "joint_2": 0.6, "joint_4": -1.2, "joint_6": 0.9},
    "panda": {
        "panda_joint1": 0.3,
        "panda_joint2": -0.4,
        "panda_joint4": -2.0,
        "panda_joint6": 1.7,
        "panda_joint7": 0.8,
    },
    "ur5": {"shoulder_pan_joint": 0.3, "shoulder_lift_joint": -1.1, "elbow_joint": 1.6, "wrist_1_joint": -0.5},
    "ur10": {"shoulder_pan_joint": 0.3, "shoulder_lift_joint": -1.1, "elbow_joint": 1.6, "wrist_1_joint": -0.5},
}
"""Joints that are not at 0."""


def posture(robot: mc.Robot) -> Any:
    """The configuration a robot is drawn in."""
    q = robot.neutral()
    for joint, value in POSES.get(robot.name, {}).items():
        q[robot.q_index[joint]] = value
    return q


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or [entry.name for entry in mc.robots()]:
        robot = mc.load(name)
        file = picture(robot, posture(robot), FOLDER / f"{name}.png", **SMALL)
        print(f"{file.name} {file.stat().st_size / 1000:.1f} kB")


main()
