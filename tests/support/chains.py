"""Long chains of revolute joints, and what is asked of them where programs are counted."""

from dataclasses import replace

import numpy as np

import motionc as mc
from all_joints import Kind, build, random_tree

TIP = "xyz rx ry rz"


def chain(joints: int) -> mc.Robot:
    """One link after the other, axes turned by right angles."""
    pieces = random_tree(1, [Kind.REVOLUTE] * joints, rotors=False)
    plain = {"type": Kind.REVOLUTE, "axis": (0.0, 0.0, 1.0)}
    step = mc.placed((0.3, 0, 0.1), (np.pi / 2, 0, 0))
    return build(
        [
            replace(piece, parent=number - 1, reference=step, target=np.eye(4), joint=plain)
            for number, piece in enumerate(pieces)
        ]
    )


def held(robot: mc.Robot, **options) -> mc.Computation:
    """Six rows on the last link."""
    return mc.constrained_dynamics(robot, [mc.Constraint(robot.link_names[-1], TIP)], **options)


SOLVERS = {"inverse": mc.inverse_dynamics, "forward": mc.forward_dynamics, "constrained": held}


def size(computation: mc.Computation) -> int:
    return sum(computation.operations.values())
