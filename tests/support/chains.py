"""Long chains of revolute joints, and what is asked of them where programs are counted."""

from dataclasses import replace
from typing import Any

import numpy as np

import motionc as mc
from all_joints import Kind, Piece, build, random_tree

TIP = "xyz rx ry rz"
SCREW = mc.placed((0.3, 0, 0.1), (np.pi / 2, 0, 0))


def links(joints: int, step: np.ndarray = SCREW, **same: Any) -> list[Piece]:
    """One link after the other, each a step further; what is said of one holds for all."""
    pieces = random_tree(1, [Kind.REVOLUTE] * joints, rotors=False)
    plain = {"type": Kind.REVOLUTE, "axis": (0.0, 0.0, 1.0)}
    return [
        replace(piece, parent=number - 1, reference=step, target=np.eye(4), joint=plain, **same)
        for number, piece in enumerate(pieces)
    ]


def chain(joints: int) -> mc.Robot:
    """Axes turned by right angles, links of all sorts."""
    return build(links(joints))


def planar(joints: int) -> mc.Robot:
    """Equal links in a plane, an eighth of the operations."""
    return build(links(joints, mc.placed((0.3, 0, 0)), com=np.array([0.1, 0, 0]), inertia=0.01 * np.eye(3)))


def held(robot: mc.Robot, **options) -> mc.Computation:
    """Six rows on the last link."""
    return mc.constrained_dynamics(robot, [mc.Constraint(robot.link_names[-1], TIP)], **options)


SOLVERS = {"inverse": mc.inverse_dynamics, "forward": mc.forward_dynamics, "constrained": held}


def size(computation: mc.Computation) -> int:
    return sum(computation.operations.values())
