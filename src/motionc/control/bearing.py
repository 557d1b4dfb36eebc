"""How strong may springs and dampers be that act a little late? What joints of a robot bear, of their own inertia.

    D ≤ c m / T,  K ≤ D² / 4 m        m the least inertia that a joint moves by itself, T for how long a force is held
    c = 1 / max λ(M⁻¹ diag m)         so that no motion of several joints decays faster than 1 / T, where it would swing

Strong motors with light wrists have shares of efforts that are far beyond that.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from motionc.computations.making import made_of
from motionc.control.efforts import scaled
from motionc.control.stability import can_be_weighed
from motionc.model.robot import Robot
from motionc.solvers.mass_matrix import MassMatrix

Array = np.ndarray[Any, np.dtype[np.float64]]
POSTURES = 32
"""Configurations in which inertias of joints are looked up."""


def borne(robot: Robot, held: float) -> tuple[Array, Array]:
    """The strongest dampers and springs, in the order of v, where forces are held so long (s); infinite if unknown."""
    inertia, share = _own(robot)
    rate = share / held
    return rate * inertia, rate**2 / 4 * inertia


@lru_cache(32)
def _own(robot: Robot) -> tuple[Array, float]:
    """What each joint moves by itself at least, while the others give way; and of it, what all of them bear at once."""
    if not robot.nv or not can_be_weighed(robot):
        return np.full(robot.nv, np.inf), 1.0
    rng, weigh = np.random.default_rng(0), made_of(robot, MassMatrix())
    mobility = np.array([np.linalg.inv(weigh.run(robot.random(rng))) for _ in range(POSTURES)])
    least = 1 / np.diagonal(mobility, axis1=1, axis2=2).max(axis=0)
    together = np.linalg.eigvalsh(mobility * np.sqrt(np.outer(least, least)))
    return least, 1 / float(together.max())


def shares(
    robot: Robot, what: str, share: float, strongest: Array, among: Sequence[int] | None = None
) -> tuple[float, ...]:
    """So many times the largest effort of each joint, and no more than it bears."""
    return tuple(np.minimum(scaled(robot, what, None, share, among), strongest).tolist())
