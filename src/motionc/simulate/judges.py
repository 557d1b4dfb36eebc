"""Judges: what a run was like, in numbers. Each reads logs of a run, of one lane or of many, a number a lane.

Nothing is judged by what a controller believes: positions are the plant's own.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from motionc.computations import energy as energy_of
from motionc.computations import forward_kinematics
from motionc.errors import Error
from motionc.simulate.runs import Run

Array = np.ndarray[Any, np.dtype[np.float64]]
LAST = 0.5
"""Seconds at the end of a run in which something rests, or does not."""


def deepest(run: Run) -> Any:
    """How deep a contact ever went into what it touches (m)."""
    return _a_lane(run, np.maximum(0.0, -gaps(run).min(axis=(-2, -1))))


def depth_at_rest(run: Run) -> Any:
    """The same of the last row alone."""
    return _a_lane(run, np.maximum(0.0, -gaps(run)[..., -1, :].min(axis=-1)))


def creep(run: Run, seconds: float = LAST) -> Any:
    """How fast contacts move about at the end: the farthest any came, over that time (m/s)."""
    places, times = contact_points(run), run.times["q"]
    first = int(np.searchsorted(times, times[-1] - seconds - 1e-9))
    moved = np.linalg.norm(places[..., -1, :, :] - places[..., first, :, :], axis=-1)
    return _a_lane(run, moved.max(axis=-1) / max(times[-1] - times[first], run.plant.dt))


def weight_carried(run: Run, seconds: float = LAST) -> Any:
    """The share of the robot's weight that contacts carry, on average, at the end of a run."""
    forces, times = _logged(run, "contact_force"), run.times["contact_force"]
    first = int(np.searchsorted(times, times[-1] - seconds - 1e-9))
    gravity = np.asarray(run.plant.gravity)
    weight = sum(link.mass or 0.0 for link in run.plant.robot.links) * np.linalg.norm(gravity)
    upward = -forces.sum(axis=-2) @ gravity / np.linalg.norm(gravity)
    return _a_lane(run, upward[..., first:].mean(axis=-1) / weight)


def largest_force(run: Run) -> Any:
    """Of each joint, the most its motor made (N m, N)."""
    return np.abs(_logged(run, "motor_force")).max(axis=-2)


def speed_at_end(run: Run) -> Any:
    """The largest velocity of any joint in the last row (rad/s, m/s)."""
    return _a_lane(run, np.abs(_logged(run, "v")[..., -1, :]).max(axis=-1))


def energy(run: Run) -> Array:
    """Kinetic and potential energy together, row by row (J)."""
    q, v = _logged(run, "q"), _logged(run, "v")
    parts = energy_of(run.plant.robot, gravity=run.plant.gravity).batch(
        q.reshape(-1, q.shape[-1]), v.reshape(-1, v.shape[-1])
    )
    return (parts.kinetic + parts.potential).reshape(q.shape[:-1])


def gaps(run: Run) -> Array:
    """How far contacts are from what they touch, row by row (m)."""
    q = _logged(run, "q")
    return run.plant.gaps(q.reshape(-1, q.shape[-1])).reshape(*q.shape[:-1], -1)


def contact_points(run: Run) -> Array:
    """Where the points of the robot are that touch, row by row (m, world)."""
    plant, q = run.plant, _logged(run, "q")
    _expect_contacts(run)
    frames = list(dict.fromkeys(contact.frame for contact in plant.contacts))
    poses = forward_kinematics(plant.robot, frames).batch(q.reshape(-1, q.shape[-1]))
    poses = poses.reshape(-1, len(frames), 4, 4)
    places = [poses[:, frames.index(one.frame)] @ np.array([*one.point, 1.0]) for one in plant.contacts]
    return np.stack(places, axis=-2)[..., :3].reshape(*q.shape[:-1], len(places), 3)


def judged(run: Run) -> Mapping[str, Any]:
    """What can be said of a run from what it logged: a number each, in SI units."""
    logs, said = set(run.record.names), dict[str, Any]()
    if {"q", "v"} <= logs:
        said["speed_at_end"] = speed_at_end(run)
        spent = energy(run)
        said["energy_change"] = _a_lane(run, spent[..., -1] - spent[..., 0])
    if run.plant.contacts and "q" in logs:
        said |= {"deepest": deepest(run), "depth_at_rest": depth_at_rest(run), "creep": creep(run)}
    if run.plant.contacts and "contact_force" in logs:
        said["weight_carried"] = weight_carried(run)
    if "motor_force" in logs:
        said["largest_force"] = largest_force(run)
    return said


def _logged(run: Run, name: str) -> Array:
    if name not in run.record.names:
        raise Error(f"a judge reads {name}, which was not logged; say closed(…, log={{{name!r}: 1, …}})")
    return np.asarray(run[name], float)


def _expect_contacts(run: Run) -> None:
    if not run.plant.contacts:
        raise Error(f"{run.plant.robot.name} touches nothing here; say Plant(…, contacts=[…])")


def _a_lane(run: Run, values: Any) -> Any:
    return np.asarray(values) if run.many else float(values)
