"""A report of a task: checks, what it took beside stiff trackers, control graphs, the way of the tool, all else."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from motionc import view
from motionc.model.robot import Robot
from motionc.runtime.build.library import library_tool
from motionc.simulate import Recording, laziness_of
from motionc.simulate.experiment import Experiment, Tried
from motionc.simulate.laziness import HEAD
from motionc.tasks.directions import move_of
from motionc.tasks.forces import Forces
from motionc.tasks.specification import Hold

STIFF = (
    "Stiff trackers follow the nominal trajectory of the same task, on the same plant with the same noise: what saves "
    "is what the task leaves free. Of it lazy: the share of their work that the lazy task took."
)


def task_report(done: Tried, recording: Recording, path: Path) -> Path:
    """Write the report of a run of a task; the path."""
    own = done.experiment
    return view.report(recording, path, checks=list(checks(done)), said=said_of(own), tables=list(tables(done)))


def checks(done: Tried) -> Iterator[view.Check]:
    """What is judged of a run, beside its bands."""
    judged, task = done.judged, done.experiment.task
    if not isinstance(task, Hold) and move_of(task).goal is not None:
        yield view.Check("the goal is reached", bool(np.isfinite(judged.goal_s[0])))
    yield view.Check("tube left after entry", float(judged.tube_violations_after_entry[0]), 0.0, unit="times")
    if np.isfinite(judged.speed_in_band[0]):
        yield view.Check("speed in band while cruising", float(judged.speed_in_band[0]), 0.9, at="least")
    if unit := margin_unit(done.experiment.model):
        yield view.Check("joints within their limits", float(judged.limit_margin[0]), 0.0, unit=unit, at="least")


def margin_unit(robot: Robot) -> str:
    """Of how near joints of one coordinate came to their limits; "" where none has any."""
    ends, units = robot.limits, list[str]()
    for space in robot.spaces():
        if space.q.stop - space.q.start == 1 and np.isfinite([ends.lower[space.v], ends.upper[space.v]]).any():
            units.append("rad" if space.type.turns[0] else "m")
    return ", ".join(sorted(set(units), reverse=True))


def said_of(experiment: Experiment) -> dict[str, str]:
    """Rows of a report's summary."""
    own = experiment.control
    return {
        "experiment": experiment.name,
        "controller": f"{own.rate:g} Hz, looks {own.horizon:g} s ahead, {own.delay} cycles of delay",
        "free directions": ", ".join(move_of(experiment.task).free) or "none",
        **{f"note {k + 1}": note for k, note in enumerate(experiment.feared)},
    }


def tables(done: Tried) -> Iterator[view.Table]:
    """What it took beside stiff trackers; nothing where there is no way to track, or no compiler to do so quickly."""
    own, run = done.experiment, done.run
    if isinstance(own.task, Hold) or Forces.of(own.task) or run is None or own.interface is not None:
        return
    if library_tool() is None or own.rig.engine != "motionc":
        return
    plant = run.lane if any(name in run.given for name in own.plant.nominal) else None
    lazy = laziness_of(own, done.judged, plant=plant, seed=run.seed, seconds=run.steps * own.plant.dt)
    yield view.Table(lazy.title, HEAD, lazy.rows, range(1, len(HEAD)), STIFF)
