"""How lazy is a lazy task? The same plants and the same noise under stiff trackers of its nominal trajectory.

    goal s      when the goal was reached
    work J      what motors put in, ∫ Σ max(0, τ v) dt, until then
    torque %    norm of √mean(τ²) / τ_max over joints
    activity    how much commands move about, Σ |Δτ| / τ_max a second
    idle        joints whose √mean(τ²) / τ_max is below 0.5 %, and below 3 %

Judged on the true state (judged_tasks.py); of many plants the medians.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from motionc import checked
from motionc.control.rest import Rest
from motionc.errors import Error
from motionc.simulate.closed_loop import closed
from motionc.simulate.experiment import CHUNK, Experiment
from motionc.simulate.judged_tasks import JudgedTask, judged_task
from motionc.simulate.loops import Loop
from motionc.tables import html_table
from motionc.tasks.nominal import Way
from motionc.tasks.specification import Hold, Path
from motionc.tasks.trackers import Kind, tracker

Array = np.ndarray[Any, np.dtype[np.float64]]
LAZY = "lazy"
NAMES: Mapping[Kind, str] = {"six": "stiff, six rows", "three": "stiff, three rows", "joints": "stiff, joints"}
IDLE = (0.005, 0.03)
"""Shares of a joint's largest effort below which it is idle, and hardly does anything."""
HEAD = ("", "goal s", "work J", "of it lazy", "torque %", "activity 1/s", "idle < 0.5 %", "idle < 3 %")


@dataclass(frozen=True, eq=False)
class Laziness:
    """What a lazy task took, beside trackers of its nominal trajectory on the same plants; medians of many.

    Args:
        judged: of the lazy task first, then of each tracker, by name; lanes are the same plants.
        joints: names of joints, in the order of v.
    """

    judged: Mapping[str, JudgedTask]
    joints: Sequence[str]

    def work(self, name: str) -> float:
        """What motors put in (J)."""
        return _median(self.judged[name].work_J)

    def share(self, name: str) -> float:
        """Of a tracker's work, how much the lazy task took; lane by lane, and of these the median."""
        return _median(self.judged[LAZY].work_J / self.judged[name].work_J)

    def torque(self, name: str) -> Array:
        """√mean(τ²) of each joint, as a share of its largest effort."""
        return np.median(self.judged[name].torque_rms_share, axis=0)

    def idle(self, name: str, below: float = IDLE[0]) -> tuple[str, ...]:
        """Joints that make less than this share of their largest effort."""
        return tuple(joint for joint, used in zip(self.joints, self.torque(name), strict=True) if used < below)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """A row a controller, in words, under HEAD."""
        return [self._row(name) for name in self.judged]

    def _row(self, name: str) -> tuple[str, ...]:
        judged = self.judged[name]
        most = np.median(np.linalg.norm(judged.torque_rms_share, axis=1))
        done = np.isfinite(judged.goal_s)
        goal = f"{np.median(judged.goal_s[done]):.2f}" if done.any() else "never"
        return (
            name,
            goal if done.all() or not done.any() else f"{goal} ({done.sum()} of {judged.lanes})",
            f"{self.work(name):.2f}",
            "" if name == LAZY else f"{self.share(name):.2f}",
            f"{100 * most:.2f}",
            f"{_median(judged.activity):.1f}",
            *(self._idle(name, below) for below in IDLE),
        )

    def _idle(self, name: str, below: float) -> str:
        idle = self.idle(name, below)
        return f"{len(idle)} of {len(self.joints)}"

    @property
    def title(self) -> str:
        """Of how many plants it is."""
        lanes = self.judged[LAZY].lanes
        return f"Laziness, {'one plant' if lanes == 1 else f'medians of {lanes} plants'}"

    def __str__(self) -> str:
        cells = [HEAD, *self.rows]
        wide = [max(len(row[k]) for row in cells) for k in range(len(HEAD))]
        lines = [
            "  ".join((each.ljust if not k else each.rjust)(wide[k]) for k, each in enumerate(row)) for row in cells
        ]
        return "\n".join((self.title, *lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self.title, HEAD, self.rows)


def laziness_of(
    experiment: Experiment,
    lazy: JudgedTask | None = None,
    *,
    plants: int | None = None,
    plant: int | None = None,
    seed: int | None = None,
    seconds: float | None = None,
    kinds: Sequence[Kind] = get_args(Kind),
    way: Way = "axis",
) -> Laziness:
    """A lazy experiment beside stiff trackers of its nominal trajectory: same plants, noise, rate and delay.

    Args:
        experiment: whose task is a Move or a Path without forces.
        lazy: what came of it, where that is known already: judged of the same plants.
        plants: how many that differ; one run where that is not said,
        plant: of this one of them; of the plant as it is said unless told.
        seed: in the place of the experiment's.
        seconds: in the place of the experiment's.
        kinds: which trackers.
        way: which way they go: "axis", or "straight".
    """
    checked.instance("laziness_of: experiment", experiment, Experiment, "give a mc.simulate.Experiment(…)")
    if isinstance(experiment.task, Hold):
        raise Error("laziness_of: a Hold has no way to go that trackers could follow; give a Move or a Path")
    for kind in kinds:
        checked.one_of("laziness_of: kinds", kind, get_args(Kind))
    many = None if plants is None else checked.whole("laziness_of: plants", plants, 1, "give how many plants, ≥ 1")
    span = experiment.seconds if seconds is None else seconds
    which = experiment.seed if seed is None else seed
    if lazy is None:
        how: dict[str, Any] = {"seed": which, "seconds": span}
        tried = experiment.run(plant=plant, **how) if many is None else experiment.study(many, **how)
        lazy = tried.judged
    if lazy.lanes != (many or 1):
        raise Error(f"laziness_of: lazy is judged of {lazy.lanes} plants, trackers of {many or 1}; give as many plants")
    judged = {LAZY: lazy}
    for kind in kinds:
        loop = tracked(experiment, kind, way)
        judged[NAMES[kind]] = _judged(experiment, loop, many, plant, which, span)
    return Laziness(judged, experiment.model.limits.names)


def tracked(experiment: Experiment, kind: Kind, way: Way = "axis") -> Loop:
    """A tracker on the plant of an experiment as one loop, which logs what tasks are judged by."""
    own, rig, task = experiment.control, experiment.rig, experiment.task
    assert not isinstance(task, Hold)
    stiff = tracker(
        experiment.model,
        task,
        kind,
        rate=own.rate,
        horizon=own.horizon,
        way=way,
        rest=own.rest if isinstance(own.rest, Rest) else Rest(own.rest),
        precision=rig.precision,
    )
    names = ("q", "v", "motor_force", *["section"] * (isinstance(task, Path) and task.sections > 1))
    return closed(experiment.plant, stiff, rate=rig.substeps, log=dict.fromkeys(names, rig.substeps), name=stiff.name)


def _judged(
    experiment: Experiment, loop: Loop, plants: int | None, plant: int | None, seed: int, seconds: float
) -> JudgedTask:
    """What came of it, a lane a plant."""
    task, start, read = experiment.task, experiment.plant.start(experiment.start), {port.name for port in loop.inputs}
    given = {name: value for name, value in experiment.given.items() if name in read}  # trackers feel no contact
    if plants is None:
        return judged_task(loop(start, seconds=seconds, seed=seed, plant=plant, **given), task)
    chunks = list[JudgedTask]()
    for first in range(0, plants, CHUNK):
        lanes = min(CHUNK, plants - first)
        run = loop.batch(start, seconds=seconds, plants=lanes, lane=first, seed=seed, **given)
        chunks.append(judged_task(run, task))
    return JudgedTask.joined(chunks)


def _median(values: Array) -> float:
    return float(np.median(values))
