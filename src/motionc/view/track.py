"""What of a run can be shown: configurations over time, curves by name with their bands, forces at contacts, marks.

A run and a recording both become one of these; the viewer and replays read nothing else of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motionc import checked
from motionc.computations import forward_kinematics
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.simulate.runs import Run

Array = np.ndarray[Any, np.dtype[np.float64]]
CURVES = 8
"""Of one signal that are drawn."""


@dataclass(frozen=True, eq=False)
class Curves:
    """A signal over time: values (K, m), one column a label, and bands (low, high, name) it is to stay in."""

    name: str
    times: Array
    values: Array
    labels: tuple[str, ...]
    unit: str = ""
    bands: tuple[tuple[Array, Array, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Track:
    """What a run shows.

    times: (K,) of configurations (s).
    q: (K, nq).
    curves: signals to plot, by name.
    contacts: (frame, point in it) of each contact.
    forces: (K, contacts, 3) on the robot, in world axes (N).
    marks: (time, name) of events.
    """

    robot: Robot
    times: Array
    q: Array
    curves: dict[str, Curves] = field(default_factory=dict[str, Curves])
    contacts: tuple[tuple[str, tuple[float, ...]], ...] = ()
    forces: Array | None = None
    marks: tuple[tuple[float, str], ...] = ()

    @property
    def seconds(self) -> float:
        return float(self.times[-1] - self.times[0])

    def index(self, time: float) -> int:
        """The number of the configuration nearest to a time since the first."""
        at = float(time) + float(self.times[0])
        after = int(np.searchsorted(self.times, at).clip(1, max(len(self.times) - 1, 1)))
        if len(self.times) == 1:
            return 0
        return after if self.times[after] - at < at - self.times[after - 1] else after - 1

    def points(self, poses: Any, k: int) -> Array:
        """Where contacts are at configuration k, (m, 3)."""
        found = np.asarray(poses(self.q[k]))
        return np.array([(pose @ [*point, 1.0])[:3] for pose, (_, point) in zip(found, self.contacts, strict=True)])

    def kinematics(self) -> Any:
        """What `points` asks: poses of the frames of contacts."""
        return forward_kinematics(self.robot, [frame for frame, _ in self.contacts])


def track(source: Any, lane: int = 0) -> Track:
    """A run or a recording as what can be shown of it.

    Args:
        source: a Run, or a Recording.
        lane: of a run of many.
    """
    if isinstance(source, Run):
        return _of_run(source, lane)
    raise checked.refusal("show: run", source, "give a Run of a closed loop, or a Recording")


def _of_run(run: Run, lane: int) -> Track:
    names = [name for name in run.record.names if name in run.times]
    if "q" not in names:
        raise Error("the run has no q to show; log it: closed(…, log=['q', …])")
    curves = dict[str, Curves]()
    for name in names:
        values = np.asarray(run[name])
        curves[name] = _curves(run.plant.robot, name, run.times[name], values[lane] if run.many else values)
    q = np.asarray(run.q)[lane] if run.many else np.asarray(run.q)
    contacts = tuple((each.frame, each.point) for each in run.plant.contacts)
    forces = None
    if contacts and "contact_force" in names and len(run.times["contact_force"]) == len(q):
        forces = np.asarray(run["contact_force"])[lane] if run.many else np.asarray(run["contact_force"])
    return _finite(Track(run.plant.robot, np.asarray(run.times["q"], float), q, curves, contacts, forces))


def _curves(robot: Robot, name: str, times: Any, values: Array) -> Curves:
    flat = values.reshape(len(values), -1)[:, :]
    labels: Sequence[str] = [str(k) for k in range(flat.shape[1])]
    for index, size in ((robot.q_index, robot.nq), (robot.v_index, robot.nv)):
        if flat.shape[1] == size:
            labels = [joint for joint, at in index.items() for _ in range(at.stop - at.start)]
            break
    return Curves(name, np.asarray(times, float), flat, tuple(labels))


def _finite(found: Track) -> Track:
    """As long as all is finite: what diverged cannot be placed."""
    good = np.isfinite(found.q).all(1)
    count = len(good) if good.all() else int(np.argmin(good))
    if not count:
        raise Error("the run has no finite configuration to show")
    forces = None if found.forces is None else found.forces[:count]
    return Track(found.robot, found.times[:count], found.q[:count], found.curves, found.contacts, forces, found.marks)
