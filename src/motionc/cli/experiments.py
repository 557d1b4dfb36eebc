"""Which experiment does a word mean? A task that comes along, or a file; and the list of them, `motionc tasks`."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from motionc.cli.computations import asked
from motionc.cli.options import AsJson, Said
from motionc.cli.sources import loaded
from motionc.cli.tasks import is_task
from motionc.errors import Error, suggestion
from motionc.model.quotes import visible
from motionc.robots import shipped_robot
from motionc.simulate.experiment import Experiment
from motionc.simulate.experiment_document import PARSERS, read_experiment
from motionc.simulate.shipped_experiments import shipped_experiment, shipped_experiments, task_names
from motionc.simulate.weigh_experiment import WeighExperiment, read_weighing, weighs

TASK = "task:"
"""What stands before a name that is to be a task's."""


def names_experiment(source: str) -> bool:
    """Whether a word means an experiment, right or wrong."""
    return source.removeprefix(TASK) in task_names() or Path(source).suffix.lower() in PARSERS


def experiment_of(source: str, robot: str = "") -> Experiment:
    """The experiment that a word means: a task that comes along, or a file; a robot alone is none."""
    name = source.removeprefix(TASK)
    task, whose = name in task_names(), shipped_robot(source)
    if task and whose is not None:
        raise Error(
            f"{source} is a robot, and a task: say `motionc run {source} --do hold` for the robot, "
            f"`motionc run {TASK}{source}` for the task"
        )
    if task:
        return shipped_experiment(name, robot)
    if whose is not None:
        raise typer.BadParameter(
            f"{source} is a robot: say what it does, --do drop, hold, push or swing; or name a task, "
            f"`motionc run {task_names()[-1]} --robot {source}`"
        )
    file = Path(name)
    if file.suffix.lower() not in PARSERS:
        if is_task(name):
            raise Error(f"{name} is a task alone; write an experiment that says who does it, from where: task: {name}")
        near = suggestion(name, task_names())
        raise Error(f"{name!r} is no task{near}; nor is it a file of an experiment ({', '.join(PARSERS)})")
    found = read_experiment(file)
    return found.but(robot=robot) if robot else found


def weighing_of(source: str, robot: str = "") -> WeighExperiment | None:
    """The experiment of weighing that a word means; None where it means another, or none."""
    name, known = source.removeprefix(TASK), shipped_robot(robot)
    whose = known.name if known else robot
    files = [one.file for one in shipped_experiments() if one.task == name and whose in ("", one.robot)]
    file = next(iter(files), Path(name))
    if not file.is_file() or file.suffix.lower() not in PARSERS or not weighs(file):
        return None
    found = read_weighing(file)
    return replace(found, robot=robot) if robot else found


def emitted(
    source: str, robot: str, compute: list[str], said: Said, floating: bool | None, fixed: list[str]
) -> list[Any]:
    """What is written of a word: computations of a robot, or the control cycle of a task, told nothing else."""
    if not names_experiment(source):
        if not compute:
            raise typer.BadParameter("--compute says what of a robot is written; of a task its control cycle is")
        return list(asked(loaded(source, floating, fixed), compute, said))
    beside = {"compute": compute, "floating": floating, "fixed": fixed}
    for option in (*(name for name, value in beside.items() if value not in (None, [])), *said.by_option()):
        raise typer.BadParameter(f"--{option} is about a robot; {source} is a task, and its control cycle all it has")
    weighing = weighing_of(source, robot)
    return [experiment_of(source, robot).cycle if weighing is None else weighing.weighings.cycle]


def tasks(as_json: AsJson = False) -> None:
    """List the tasks that come along: `motionc run NAME` tries one."""
    found = [(one.task, one.robot, one.about) for one in shipped_experiments()]
    if as_json:
        keys = ("task", "robot", "about")
        typer.echo(json.dumps([dict(zip(keys, one, strict=True)) for one in found], indent=2, ensure_ascii=False))
        return
    table = Table("task", "robot", "what is done", box=None, pad_edge=False)
    for one in found:
        table.add_row(*map(visible, one))
    Console(soft_wrap=True).print(table)
