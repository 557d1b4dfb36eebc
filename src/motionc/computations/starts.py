"""Where inverse kinematics starts again: the same starts for every state, whatever stands beside it."""

from typing import Any

import numpy as np

from motionc.model.robot import Robot

Array = np.ndarray[Any, np.dtype[Any]]

STARTS = 40
"""How many are drawn at once."""


def drawn_starts(robot: Robot, lower: Array, upper: Array, seed: int, block: int) -> Array:
    """Where to start again, within limits: the first of all in the middle of all ranges, others at random."""
    rng = np.random.default_rng((seed, block) if block else seed)
    starts = np.array([robot.neutral(), *(robot.random(rng) for _ in range(STARTS - 1))])
    both = np.isfinite(lower) & np.isfinite(upper)
    low, high = np.where(both, lower, 0), np.where(both, upper, 0)
    starts = np.where(both, rng.uniform(low, high, starts.shape), starts)
    if not block:
        starts[0] = np.where(both, (low + high) / 2, robot.neutral())
    return starts
