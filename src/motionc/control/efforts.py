"""Gains in the proportion of what joints can make, so that one number suits a shoulder and a wrist."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.solvers.arguments import checked_actuated
from motionc.solvers.gains import Gains, gains_in_order

Array = np.ndarray[Any, np.dtype[np.float64]]


def checked_robot(what: str, robot: Any) -> Robot:
    """A robot, and nothing else."""
    return checked.instance(what, robot, Robot, "load one: mc.load(…)")


def driven_joints(robot: Robot) -> list[int]:
    """Places in v of what motors drive."""
    motors = checked_actuated(robot, None)
    return [k for name, where in robot.v_index.items() if name in motors for k in range(robot.nv)[where]]


def scaled(robot: Robot, what: str, given: Gains | None, share: float, among: Sequence[int] | None = None) -> Array:
    """Gains as somebody says, or so many times the largest effort of each joint that has a motor, or of some."""
    if given is not None:
        return np.array(gains_in_order(robot, what, given))
    effort, gains = robot.limits.effort, np.zeros(robot.nv)
    for k in driven_joints(robot) if among is None else among:
        if not np.isfinite(effort[k]):
            raise Error(
                f"{what}: {robot.name} does not say the effort of {robot.limits.names[k]}, of which it would be a "
                "share; give numbers"
            )
        gains[k] = share * effort[k]
    return gains
