"""Does a task fit a robot, and the frames that are given? Asked before anything runs; whatever is wrong is told.

Tool        the frame that moves is one of the robot's
Frame       the task frame is given: no frame of the robot has its name, and a port can have it
Wrt         what it is given wrt is a frame of the robot, the world, or another that is given
ForceFrame  the frame of forces is one of the robot's, and moves with the tool
Rows        no more is asked than there are joints
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.model.findings import Finding, Findings, Place
from motionc.model.robot import Robot
from motionc.program.names import is_word
from motionc.tasks.poses import pose_rows
from motionc.tasks.specification import Hold, Move, Path, Phases, Task

Places = Callable[[int, str], Place]
"""Where a part of a phase stands, by its number and name."""
WORLD = "world"


class TaskError(Error):
    """A task that does not fit a robot; `findings` says why, and what to do."""

    def __init__(self, task: str, robot: str, findings: Findings) -> None:
        self.task, self.robot, self.findings = task, robot, findings
        super().__init__(task, robot, findings)

    def __str__(self) -> str:
        return f"{self.task or 'the task'} does not fit {self.robot}:\n{Findings(self.findings.errors)}"


def must_fit(task: Task, robot: Robot, frames: Mapping[str, str] | None = None) -> None:
    """Refuse a task that does not fit a robot (TaskError)."""
    findings = fits(task, robot, frames)
    if not findings.ok:
        raise TaskError(task.name, robot.name, findings)


def fits(task: Task, robot: Robot, frames: Mapping[str, str] | None = None, places: Places | None = None) -> Findings:
    """What is wrong with a task for a robot, given frames {name: wrt} besides the task's own.

    >>> from motionc.computations.loading import load
    >>> from motionc.tasks.bands import Speed
    >>> print(fits(Move("link_8", "T", x=Speed(0.05, 0.005)), load("lwr4")).items[0].message)
    lwr4 has no frame 'link_8'; did you mean link_7 or link_6 or link_5?
    """
    checked.instance("fits: robot", robot, Robot, "give a robot")
    given = dict(checked.instance("fits: frames", {} if frames is None else frames, Mapping, 'write {"T": "world"}'))
    where = places or _Named(task.name)
    phases = task.tasks if isinstance(task, Phases) else (task,)
    found = list[Finding]()
    for number, phase in enumerate(phases):
        move = phase.move if isinstance(phase, Path) else phase
        found += _findings(move, robot, given, lambda key, number=number: where(number, key))
    return Findings() + Findings(tuple(found))


@dataclass(frozen=True)
class _Named:
    """Places in a task that was not read."""

    name: str

    def __call__(self, phase: int, key: str) -> Place:
        return Place(f"{self.name or 'task'}/{key}")


def _findings(
    task: Move | Hold, robot: Robot, given: Mapping[str, str], place: Callable[[str], Place]
) -> Iterable[Finding]:
    known = robot.frame_names
    if task.tool not in known:
        yield _no_frame("Tool", place("tool"), robot, task.tool)
    if task.frame in known or task.frame == WORLD:
        message = f"{robot.name} has a frame {task.frame!r} itself, and a task frame is given with each call"
        yield Finding.error("Frame", place("frame"), message, "call the task frame something else, such as T")
    elif not is_word(task.frame):
        message = f"{task.frame!r} is to be an input of that name"
        yield Finding.error("Frame", place("frame"), message, "take a plain word, such as T")
    others = dict.fromkeys((WORLD, *known, *(name for name in given if name != task.frame)))
    if task.wrt not in others:
        message = f"there is no frame {task.wrt!r}{suggestion(task.wrt, others)}"
        yield Finding.error("Wrt", place("wrt"), message, "name a frame of the robot, or one that is given")
    if task.frame in given and given[task.frame] != task.wrt:
        message = f"{task.frame} is told wrt {task.wrt}, and given wrt {given[task.frame]}"
        yield Finding.error("Wrt", place("wrt"), message, "tell and give it wrt one and the same frame")
    yield from _forces(task, robot, place)
    rows = _rows(task)
    if rows > robot.nv:
        message = f"{rows} rows are asked of {robot.nv} joints"
        remedy = "leave a direction free: what cannot be had is shared out among all of them"
        yield Finding.warning("Rows", place("hold" if isinstance(task, Hold) else "move"), message, remedy)


def _forces(task: Move | Hold, robot: Robot, place: Callable[[str], Place]) -> Iterable[Finding]:
    name = getattr(task, "force_frame", "")
    if not name:
        return
    if name not in robot.frame_names:
        yield _no_frame("ForceFrame", place("force_frame"), robot, name)
    elif task.tool in robot.frame_names and _body(robot, name) != _body(robot, task.tool):
        message = f"{name} does not move with {task.tool}: there are joints between them"
        remedy = "forces are felt where the tool is: name a frame that is fixed to it"
        yield Finding.error("ForceFrame", place("force_frame"), message, remedy)


def _body(robot: Robot, frame: str) -> int:
    """The number of the body that a frame is fixed to."""
    return robot.mechanism.frames[frame][0]


def _no_frame(rule: str, place: Place, robot: Robot, name: str) -> Finding:
    message = f"{robot.name} has no frame {name!r}{suggestion(name, robot.frame_names)}"
    return Finding.error(rule, place, message, "name a frame of the robot; `motionc show` lists them")


def _rows(task: Move | Hold) -> int:
    """How many rows of accelerations are asked of the joints; forces are none."""
    if isinstance(task, Hold):
        return 6
    turns = 3 if task.orientation else int(type(task.az).__name__ == "Angle")
    return turns + sum(type(band).__name__ in ("Speed", "Tube") for band in (task.x, task.y, task.z))


# ---------------------------------------------------------------- where frames are


def frame_inputs(task: Move | Path | Hold, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Where the frames of a task are, as a cycle takes them: given poses by name, else those that the task says itself.

    A path takes all of its frames as one input, `frames` (n, 4, 4).

    >>> from motionc.tasks.bands import Speed
    >>> frame_inputs(Move("hand", "T", x=Speed(0.1, 0.01)), {"T": np.eye(4)})["T"].shape
    (4, 4)
    """
    several = isinstance(task, Path)
    port = "frames" if several else task.frame
    own = task.poses if several else task.pose
    said = dict(checked.instance("frames", {} if given is None else given, Mapping, f"give {{{port!r}: pose}}"))
    for name in said:
        if name != port:
            raise Error(f"frames: the task has no frame {name!r}{suggestion(str(name), [port])}")
    value = said.get(port, own)
    if value is None or (several and not len(value)):
        shape = f"({task.sections}, 4, 4)" if several else "(4, 4)"
        raise Error(f"frames: nobody says where {port} is; give {{{port!r}: poses {shape}}}, or let the task say so")
    if not several:
        return {port: np.array(pose_rows(f"frames: {port}", value))}
    if len(value) != task.sections:
        raise Error(f"frames: {len(value)} poses for {task.sections} sections; give one for each")
    return {port: np.array([pose_rows(f"frames[{k}]", pose) for k, pose in enumerate(value)])}
