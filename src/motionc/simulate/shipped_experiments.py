"""Which experiments come along? Files TASK.ROBOT.yaml beside this one: the tasks of the papers, for two arms."""

from dataclasses import dataclass
from pathlib import Path

from motionc.errors import Error, suggestion
from motionc.formats.yaml_tree import parse_yaml
from motionc.robots import shipped_robot
from motionc.simulate.experiment import Experiment
from motionc.simulate.experiment_document import read_experiment
from motionc.simulate.weigh_experiment import weighs

FOLDER = Path(__file__).with_name("experiments")
USUAL = "lwr4"
"""Whose they are where nobody says which robot."""


@dataclass(frozen=True)
class ShippedExperiment:
    """An experiment that comes along: its task, whose it is, its file."""

    task: str
    robot: str
    file: Path

    @property
    def about(self) -> str:
        """What is done in it, in a sentence."""
        said = parse_yaml(self.file, what="experiment").at("about")
        return said.words if said else ""


def shipped_experiments() -> tuple[ShippedExperiment, ...]:
    """The experiments that come along, by task, the usual robot first.

    >>> [one.robot for one in shipped_experiments() if one.task == "pregrasp"]
    ['lwr4', 'youbot_arm']
    """
    named = ([*file.name.split(".")[:2], file] for file in FOLDER.glob("*.*.yaml"))
    found = (ShippedExperiment(str(task), str(robot), Path(file)) for task, robot, file in named)
    return tuple(sorted(found, key=lambda one: (one.task, one.robot != USUAL, one.robot)))


def task_names() -> tuple[str, ...]:
    """Names of the tasks that come along."""
    return tuple(dict.fromkeys(one.task for one in shipped_experiments()))


def shipped_experiment(task: str, robot: str = "") -> Experiment:
    """The experiment of a task that comes along, for a robot; for the LWR 4 unless said.

    >>> shipped_experiment("pregrasp").model.name
    'lwr4'
    """
    if task not in task_names():
        raise Error(f"there is no task {task!r}{suggestion(task, task_names())}")
    whose = {one.robot: one.file for one in shipped_experiments() if one.task == task}
    known = shipped_robot(robot or next(iter(whose)))
    if known is None or known.name not in whose:
        raise Error(f"{task} comes along for {' and '.join(whose)}, not for {robot}; write an experiment of your own")
    if weighs(whose[known.name]):
        raise Error(
            f"{task} is an experiment of weighing; mc.simulate.read_weighing reads it, `motionc run {task}` runs it"
        )
    return read_experiment(whose[known.name])
