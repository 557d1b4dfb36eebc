"""`motionc run weigh`: loads held in several poses, and what the biases of controllers told of them."""

import json
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from motionc.cli.run import bar
from motionc.cli.run_task import Asked
from motionc.errors import Error
from motionc.model.quotes import visible
from motionc.runtime.build.progress import told
from motionc.simulate import Weighed
from motionc.simulate.weigh_experiment import WeighExperiment

Array = np.ndarray[Any, np.dtype[Any]]
NEVER = ("tube_entry_s", "goal_s", "tube_violations_after_entry", "speed_in_band", "torque_rms_share", "work_J")
"""What is judged of tasks that go somewhere, and of this one is not."""


def run_weigh(experiment: WeighExperiment, asked: Asked, console: Console) -> int:
    """Weigh, print what came of it; the exit code."""
    if asked.out is not None or asked.report is not None or asked.show or asked.engine is not None or asked.seconds:
        raise Error("weigh: poses and loads are many runs, of which no logs are kept; say --plants, --seed and --json")
    began = perf_counter()
    with bar(console, 1.0, "", quiet=asked.as_json) as (tell, _), told(tell):
        loads, found = experiment.run(asked.plants, asked.seed)
    wall = perf_counter() - began
    if asked.as_json:
        typer.echo(json.dumps(_object(experiment, asked, loads, found, wall), indent=2, ensure_ascii=False))
        return 0
    table = Table(box=None, pad_edge=False)
    for column in ("", "median", "least", "most", ""):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for words, values, unit in _figures(loads, found):
        table.add_row(words, *(f"{one:.4g}" for one in (np.median(values), np.min(values), np.max(values))), unit)
    robot = experiment.weighings.robot.name
    console.print(
        Text(f"{visible(experiment.name)}: {visible(robot)}, {len(loads)} loads in {len(experiment.poses)} poses")
    )
    console.print(table)
    near = int(np.sum(found.within(loads)))
    console.print(f"{near} of {len(loads)} within 2 % and 1 cm; {wall:.3g} s for it", highlight=False)
    return 0


def _figures(loads: Array, found: Weighed) -> Iterator[tuple[str, Array, str]]:
    yield "mass that hung there", loads[:, 0], "kg"
    yield "mass as weighed", found.mass, "kg"
    yield "off", 100 * (found.mass / loads[:, 0] - 1), "%"
    yield "centre of mass, off", 1e3 * np.linalg.norm(found.center - loads[:, 1:4], axis=1), "mm"
    yield "poses that counted", found.poses, ""
    yield "counted before signals had converged", found.early, "times"


def _object(experiment: WeighExperiment, asked: Asked, loads: Array, found: Weighed, wall: float) -> dict[str, Any]:
    many, whole = asked.plants is not None, len(experiment.poses)
    states = ["weighed" if count >= whole else "holding" for count in found.poses]
    each: dict[str, list[Any]] = {
        "state": states,
        "mass_kg": found.mass.tolist(),
        "true_mass_kg": loads[:, 0].tolist(),
        "center_m": found.center.tolist(),
        "true_center_m": loads[:, 1:4].tolist(),
        "poses": found.poses.astype(int).tolist(),
        "early": found.early.astype(int).tolist(),
        "within": found.within(loads).tolist(),
        "events": [[] for _ in states],
    }
    return {
        "task": experiment.name,
        "robot": experiment.weighings.robot.name,
        "plant": experiment.rig.engine,
        "plants": asked.plants,
        "seed": experiment.seed if asked.seed is None else asked.seed,
        **{name: values if many else values[0] for name, values in each.items()},
        **dict.fromkeys(NEVER),
        "wall": wall,
    }
