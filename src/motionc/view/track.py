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
from motionc.simulate.signals import held_rows, rows_before_divergence
from motionc.simulate.tubes import Course, courses, known
from motionc.view.charts import Lap, Timeline, timeline
from motionc.view.stripes import Stripe, stripe

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Curves:
    """A signal over time: values (K, m), one column a label; what they follow, beside them; where they are to stay."""

    name: str
    times: Array
    values: Array
    labels: tuple[str, ...]
    unit: str = ""
    reference: Array | None = None
    stripes: tuple[Stripe, ...] = ()


@dataclass(frozen=True, eq=False)
class Track:
    """What a run shows.

    times: (K,) of configurations (s).
    q: (K, nq).
    curves: signals to plot, by name.
    points: (K, m, 3) where contacts are in the world (m).
    forces: (K, m, 3) of contacts on the robot, in world axes (N).
    marks: (time, name) of what happened at once.
    rows: (name, laps) of what was on for some time: modes of a machine, pushes.
    courses: through tubes.
    left_out: what cannot be shown, in sentences.
    """

    robot: Robot
    times: Array
    q: Array
    curves: dict[str, Curves] = field(default_factory=dict[str, Curves])
    points: Array | None = None
    forces: Array | None = None
    marks: tuple[tuple[float, str], ...] = ()
    rows: tuple[tuple[str, tuple[Lap, ...]], ...] = ()
    courses: tuple[Course, ...] = ()
    left_out: tuple[str, ...] = ()

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
    if robot is not None:
        checked.instance("robot", robot, Robot, "give a Robot, such as mc.load(…), or None")
    if isinstance(source, Run):
        recording = Recording.of(source, lane)
        shown, contacts = robot or source.plant.robot, [(each.frame, each.point) for each in source.plant.contacts]
    else:
        recording = checked.instance("run", source, Recording, "give a Run of a closed loop, or a Recording")
        shown, contacts = robot or recording.robot(), []
    if "q" in recording.signals and recording["q"].shape != (shown.nq,):
        given = recording["q"].shape
        raise Error(
            f"nothing to show of {shown.name}: q has rows of shape {given}, not ({shown.nq},); is it its recording?"
        )
    if "q" not in recording.signals or not len(recording["q"].times):
        raise Error(f"nothing to show of {shown.name}: there is no q, {shown.nq} numbers a row; log it with the others")
    signal = recording["q"]
    count = rows_before_divergence(signal.values)
    if not count:
        raise Error(f"nothing to show of {shown.name}: its first configuration is not finite")
    times, q = np.asarray(signal.times[:count], float), np.asarray(signal.values[:count], float)
    points, forces = _contacts(recording, shown, q, contacts)
    curves = {name: _curves(recording, name) for name, one in recording.signals.items() if len(one.times) > 1}
    when = timeline(recording) or Timeline((), ())
    passed = courses(recording, shown)
    left_out = list[str]()
    if points is None and "contact_force" in recording.signals:
        left_out.append("contact forces: it is not recorded where they act; log contact_point beside contact_force")
    for tube in recording.tubes:
        if not known(tube, recording, shown):
            left_out.append(f"{tube.called}: {shown.name} has no such frames, or its pose was not recorded as 4×4")
    return Track(shown, times, q, curves, points, forces, when.marks, when.rows, tuple(passed), tuple(left_out))


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
        goal = recording.signals.get(each.signal) if each.of == name else None
        if goal is not None and len(goal.times) and goal.flat.shape[1] == values.shape[1]:
            reference = np.asarray(goal.flat, float)[held_rows(goal.times, signal.times)]
    own = [band for band in recording.bands if band.signal == name]
    found = (stripe(band, entry, recording) for band in own for entry in range(values.shape[1]))
    stripes = tuple(each for each in found if each is not None)
    return Curves(name, np.asarray(signal.times, float), values, labels, signal.unit, reference, stripes)
