"""What came of a first look at a robot in motion (doings.py): one number a lane for each thing that is asked."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from motionc.computations import energy as energy_of
from motionc.computations import forward_kinematics
from motionc.model.robot import Robot
from motionc.simulate import judges
from motionc.simulate.doings import Doing, Reached
from motionc.simulate.runs import Run

Array = np.ndarray[Any, np.dtype[np.float64]]
FALLEN = 45.0
"""Degrees by which a base has turned over that no longer stands."""


@dataclass(frozen=True)
class Outcome:
    """A number a lane: its key, what it is in words, its unit, and whether the least or the most of it is the worst.

    `beside` is what else is to be said of the worst lane.
    """

    key: str
    words: str
    unit: str
    values: Array
    worst: Literal["most", "least"] = "most"
    beside: str = ""

    @property
    def median(self) -> float:
        return float(np.median(self.values))

    @property
    def extreme(self) -> float:
        return float(np.max(self.values) if self.worst == "most" else np.min(self.values))


def outcomes(done: Doing, reached: Reached) -> list[Outcome]:
    """All that can be said, of lanes that stayed finite."""
    run = reached.run
    fine = np.atleast_1d(np.asarray(run.finite))
    if not np.any(fine) or not len(run.times["q"]):
        return []
    if not np.all(fine):
        run = Run(run.plant, type(run.record)([np.asarray(one)[fine] for one in run.record]), run.seed)
        done = replace(done, starts={name: start[fine] for name, start in done.starts.items()})
    return list(_outcomes(done, run))


def _outcomes(done: Doing, run: Run) -> Iterator[Outcome]:
    robot, mm = run.plant.robot, 1e3
    if run.plant.contacts:
        yield Outcome("deepest", "deepest in the ground", "mm", _lanes(judges.deepest(run)) * mm)
        yield Outcome("depth_at_rest", "in the ground at the end", "mm", _lanes(judges.depth_at_rest(run)) * mm)
        yield Outcome("creep", "feet creep at the end", "mm/s", _lanes(judges.creep(run)) * mm)
        share = _lanes(judges.weight_carried(run)) * 100
        yield Outcome("weight_carried", "ground carries of the weight", "%", share, "least")
    if robot.floating:
        tilt = _tilt(run)
        fell = f"{int(np.sum(tilt > FALLEN))} fell over" if np.any(tilt > FALLEN) else "stands"
        yield Outcome("tilt", "base leans at the end", "°", tilt, beside=fell)
    if done.do in ("hold", "push"):
        away, joint = _away(run, done.posture)
        yield Outcome("away", "from the posture, most", "rad, m", away.max(axis=-1), beside=joint)
        yield Outcome("away_at_end", "from the posture, at the end", "rad, m", away[:, -1])
    if done.push is not None:
        moved, back = _moved(run, done.push.frame, done.push.start)
        yield Outcome("pushed", f"{done.push.frame} goes aside, most", "mm", moved * mm)
        yield Outcome("back", f"{done.push.frame} is aside at the end", "mm", back * mm)
    yield Outcome("speed_at_end", "fastest joint at the end", "rad/s, m/s", _lanes(judges.speed_at_end(run)))
    if "motor_force" in run.record.names:
        yield from _torques(robot, run)
    yield from _energies(done, run)


def _torques(robot: Robot, run: Run) -> Iterator[Outcome]:
    most = np.atleast_2d(judges.largest_force(run))
    limits = np.where(robot.limits.effort > 0, robot.limits.effort, np.inf)
    names = robot.limits.names
    joint = int(np.argmax(most.max(axis=0)))
    yield Outcome("torque", "largest motor force", "N m, N", most.max(axis=-1), beside=str(names[joint]))
    if np.any(np.isfinite(limits)):
        shares = most / limits
        joint = int(np.argmax(shares.max(axis=0)))
        yield Outcome("torque_share", "of its limit, at most", "%", shares.max(axis=-1) * 100, beside=str(names[joint]))


def _energies(done: Doing, run: Run) -> Iterator[Outcome]:
    robot, start = run.plant.robot, done.starts
    first = energy_of(robot, gravity=run.plant.gravity).batch(start["q"], start["v"])
    rows = np.atleast_2d(judges.energy(run))
    began = (first.kinetic + first.potential)[:, np.newaxis]
    if done.do != "swing":
        yield Outcome("energy_lost", "energy lost", "J", (began - rows)[:, -1], "least")
        return
    drift = np.abs(rows - began).max(axis=-1)
    yield Outcome("energy_drift", "energy drifts, most", "J", drift)
    moved = np.maximum(_kinetic(run).max(axis=-1), 1e-12)
    yield Outcome("energy_drift_share", "of the largest kinetic energy", "%", drift / moved * 100)


def _kinetic(run: Run) -> Array:
    q, v = np.asarray(run["q"], float), np.asarray(run["v"], float)
    parts = energy_of(run.plant.robot).batch(q.reshape(-1, q.shape[-1]), v.reshape(-1, v.shape[-1]))
    return np.atleast_2d(parts.kinetic.reshape(q.shape[:-1]))


def _away(run: Run, target: Array) -> tuple[Array, str]:
    """How far the joint is that is farthest from its target, row by row (N, K), and which it is; bases left out."""
    robot, q = run.plant.robot, np.asarray(run["q"], float)
    q = q if run.many else q[np.newaxis]
    single = [name for name in robot.joint_names if robot.q_index[name].stop - robot.q_index[name].start == 1]
    places = [robot.q_index[name].start for name in single]
    off = np.abs(q[..., places] - target[places])
    return off.max(axis=-1), single[int(np.argmax(off.max(axis=(0, 1))))]


def _moved(run: Run, frame: str, since: float) -> tuple[Array, Array]:
    """How far a frame is from where it was before a push: at most, and at the end."""
    q = np.asarray(run["q"], float)
    q = q if run.many else q[np.newaxis]
    poses = forward_kinematics(run.plant.robot, frame).batch(q.reshape(-1, q.shape[-1]))
    places = poses.reshape(*q.shape[:-1], 4, 4)[..., :3, 3]
    first = max(int(np.searchsorted(run.times["q"], since + 1e-9)) - 1, 0)
    aside = np.linalg.norm(places[:, first:] - places[:, first : first + 1], axis=-1)
    return aside.max(axis=-1), aside[:, -1]


def _tilt(run: Run) -> Array:
    """Degrees between the base's z and up, at the end."""
    robot, q = run.plant.robot, np.atleast_2d(np.asarray(run["q"], float)[..., -1, :])
    poses = forward_kinematics(robot, robot.links[0].name).batch(q).reshape(-1, 4, 4)
    return np.degrees(np.arccos(np.clip(poses[:, 2, 2], -1.0, 1.0)))


def _lanes(value: Any) -> Array:
    return np.atleast_1d(np.asarray(value, float))
