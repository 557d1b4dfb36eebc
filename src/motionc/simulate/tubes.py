"""Where was a frame of a robot in its tube? By kinematics of what was recorded, row by row."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from motionc.computations import forward_kinematics
from motionc.model.robot import Robot
from motionc.simulate.declarations import Tube, in_modes
from motionc.simulate.recorded import Recorded
from motionc.simulate.signals import held_rows, rows_before_divergence

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class Course:
    """How a frame went through a tube.

    times: (K,) s.
    poses: (K, 4, 4) of the task frame in the world.
    path: (K, 3) of the frame's origin in the world (m).
    holds: (K,) whether the tube is to be kept.
    """

    tube: Tube
    times: Array
    poses: Array
    path: Array
    holds: Array

    @cached_property
    def across(self) -> Array:
        """(K, 2) how far from the axis along Y and Z (m)."""
        away = np.einsum("kij,ki->kj", self.poses[:, :3, :3], self.path - self.poses[:, :3, 3])
        return away[:, 1:]

    @cached_property
    def beyond(self) -> Array:
        """(K,) how far outside the walls (m); negative inside."""
        if self.tube.round:
            return np.linalg.norm(self.across, axis=1) - self.tube.width
        return np.max(np.abs(self.across) - np.array(self.tube.width), axis=1)

    @property
    def entry(self) -> int | None:
        """The first row in which it is inside and the tube holds."""
        inside = (self.beyond <= 0) & self.holds
        return int(np.argmax(inside)) if inside.any() else None

    @cached_property
    def left(self) -> Array:
        """(K,) whether it is outside again, while the tube holds."""
        since = self.entry
        rows = np.arange(len(self.times))
        return np.zeros(len(rows), bool) if since is None else (rows > since) & self.holds & (self.beyond > 0)


def courses(recorded: Recorded, robot: Robot) -> list[Course]:
    """The courses through all tubes whose frames the robot has, until numbers say that a run diverged."""
    q = recorded.signals.get("q")
    tubes = [tube for tube in recorded.tubes if known(tube, recorded, robot)]
    rows = 0 if q is None or not tubes or q.shape != (robot.nq,) else rows_before_divergence(q.values)
    if q is None or not rows:
        return []
    times = np.asarray(q.times[:rows], float)
    frames = list(dict.fromkeys(name for tube in tubes for name in (tube.frame, tube.wrt)))
    poses = np.asarray(forward_kinematics(robot, frames).batch(np.asarray(q.values[:rows], float)))
    where = {name: poses[:, k] for k, name in enumerate(frames)}
    return [
        Course(
            tube,
            times,
            where[tube.wrt] @ _told(tube, recorded, times),
            where[tube.frame][:, :3, 3],
            in_modes(recorded.modes, tube.during, times),
        )
        for tube in tubes
    ]


def known(tube: Tube, recorded: Recorded, robot: Robot) -> bool:
    """Whether the robot has a tube's frames, and its pose was recorded."""
    told = not isinstance(tube.pose, str) or (
        tube.pose in recorded.signals
        and recorded.signals[tube.pose].shape == (4, 4)
        and len(recorded.signals[tube.pose].times) > 0
    )
    return told and {tube.frame, tube.wrt} <= {*robot.frame_names}


def _told(tube: Tube, recorded: Recorded, times: Array) -> Array:
    if not isinstance(tube.pose, str):
        return np.broadcast_to(np.array(tube.pose), (len(times), 4, 4))
    signal = recorded.signals[tube.pose]
    return np.asarray(signal.values, float)[held_rows(signal.times, times)]
