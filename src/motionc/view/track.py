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
from motionc.simulate.recording import Recording
from motionc.simulate.runs import Run

Array = np.ndarray[Any, np.dtype[np.float64]]
CURVES, BANDS = 8, 3
"""Of one signal that are drawn."""


@dataclass(frozen=True, eq=False)
class Curves:
    """A signal over time: values (K, m), one column a label; what they follow, beside them; bands they are to stay in.

    bands: (low, high, name), each end a number.
    """

    name: str
    times: Array
    values: Array
    labels: tuple[str, ...]
    unit: str = ""
    reference: Array | None = None
    bands: tuple[tuple[float, float, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Track:
    """What a run shows.

    times: (K,) of configurations (s).
    q: (K, nq).
    curves: signals to plot, by name.
    points: (K, m, 3) where contacts are in the world (m).
    forces: (K, m, 3) of contacts on the robot, in world axes (N).
    marks: (time, name) of events, and of changes of mode.
    """

    robot: Robot
    times: Array
    q: Array
    curves: dict[str, Curves] = field(default_factory=dict[str, Curves])
    points: Array | None = None
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


def track(source: Any, lane: int = 0, *, robot: Robot | None = None) -> Track:
    """A run or a recording as what can be shown of it.

    Args:
        source: a Run, or a Recording.
        lane: of a run of many.
        robot: in place of the recording's own, whose meshes no file says.
    """
    if isinstance(source, Run):
        recording = Recording.of(source, lane)
        shown, contacts = robot or source.plant.robot, [(each.frame, each.point) for each in source.plant.contacts]
    else:
        recording = checked.instance("run", source, Recording, "give a Run of a closed loop, or a Recording")
        shown, contacts = robot or recording.robot(), []
    if "q" not in recording.signals or recording["q"].shape != (shown.nq,) or not len(recording["q"].times):
        raise Error(f"nothing to show of {shown.name}: there is no q, {shown.nq} numbers a row; log it with the others")
    signal = recording["q"]
    good = np.isfinite(signal.values).all(1)
    count = len(good) if good.all() else int(np.argmin(good))  # what diverged cannot be placed
    if not count:
        raise Error(f"nothing to show of {shown.name}: its first configuration is not finite")
    times, q = np.asarray(signal.times[:count], float), np.asarray(signal.values[:count], float)
    points, forces = _contacts(recording, shown, q, contacts)
    curves = {name: _curves(recording, name) for name, one in recording.signals.items() if len(one.times) > 1}
    marks = [(each.time, each.name) for each in recording.marks]
    marks += [(time, name) for mode in recording.modes for time, name in zip(mode.times, mode.names, strict=True)]
    return Track(shown, times, q, curves, points, forces, tuple(sorted(marks)))


def _contacts(
    recording: Recording, robot: Robot, q: Array, contacts: Sequence[tuple[str, tuple[float, ...]]]
) -> tuple[Array | None, Array | None]:
    """Where contacts are, logged or by kinematics, and the forces there; none where it is not known."""
    forces, places = (recording.signals.get(name) for name in ("contact_force", "contact_point"))
    if forces is None or len(forces.values) < len(q) or forces.values.ndim != 3:
        return None, None
    if places is not None and places.values.shape == forces.values.shape:
        return np.asarray(places.values, float), np.asarray(forces.values, float)
    if not contacts or forces.values.shape[1] != len(contacts):
        return None, None
    poses = forward_kinematics(robot, [frame for frame, _ in contacts]).batch(q)
    local = np.array([[*point, 1.0] for _, point in contacts])
    return np.einsum("kmij,mj->kmi", poses, local)[..., :3], np.asarray(forces.values, float)


def _curves(recording: Recording, name: str) -> Curves:
    signal = recording[name]
    values = np.asarray(signal.values, float).reshape(len(signal.times), -1)
    labels = signal.labels if len(signal.labels) == values.shape[1] else tuple(map(str, range(values.shape[1])))
    reference = None
    for each in recording.references:
        if each.of == name:
            goal = recording[each.signal]
            rows = np.maximum(np.searchsorted(goal.times, signal.times, side="right") - 1, 0)
            reference = np.asarray(goal.values, float)[rows].reshape(values.shape)
    bands = list[tuple[float, float, str]]()
    for each in recording.bands:
        ends = {(float(low), float(high)) for low, high in np.broadcast(each.low, each.high)}
        if (
            each.signal == name and len(ends) == 1
        ):  # of limits that differ from joint to joint nobody sees whose they are
            bands += [(*ends.pop(), each.name)]
    return Curves(name, np.asarray(signal.times, float), values, labels, signal.unit, reference, tuple(bands[:BANDS]))
