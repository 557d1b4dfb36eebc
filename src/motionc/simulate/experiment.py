"""What is tried, on what, from where? Experiments as data: a robot, a task, frames, a controller's numbers, a plant.

From the data follows everything else: the control cycle, the plant, the closed loop, runs of one plant or of thousands
that differ, and what is judged of them. How experiments are written in files is experiment_document.py's matter.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path as FilePath
from time import perf_counter
from typing import Any

import numpy as np

from motionc import checked
from motionc.computations.loading import load
from motionc.control.interfaces import Interface
from motionc.control.operating import Operation
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.runtime.arrays.batch import workers
from motionc.simulate.closed_loop import closed
from motionc.simulate.control_numbers import Control, understood_seconds
from motionc.simulate.hardware import SimulatedRobot
from motionc.simulate.judged_contacts import LOGGED
from motionc.simulate.judged_tasks import JudgedTask, judged_task
from motionc.simulate.loops import Loop
from motionc.simulate.operated import operated
from motionc.simulate.plant import Plant
from motionc.simulate.recording import Recording
from motionc.simulate.rig import Rig
from motionc.simulate.runs import Run
from motionc.simulate.task_recording import task_recording
from motionc.tasks import LazyCycle, lazy
from motionc.tasks.poses import Rows, pose_rows
from motionc.tasks.specification import Hold, Move, Path

Array = np.ndarray[Any, np.dtype[np.float64]]
Task = Move | Path | Hold

JUDGED_BY = ("q", "v", "motor_force", "mode", "events", "section", *LOGGED)
"""What is logged of many plants, each cycle."""
TOLD = ("position", "velocity", "error", "command", "force_error", "force_command", "wrench")
ADAPTED = ("filtered_", "bias_", "gain_")
"""What else is logged of a run; of states, those that begin so."""
CHUNK = 64
"""Plants that are simulated and judged at a time: what they log stays small."""


CONTROL, RIG = Control(), Rig()


@dataclass(frozen=True)
class Experiment:
    """An experiment: a task of a robot, from a start, under a controller, on a plant.

    >>> import motionc as mc
    >>> task = mc.tasks.Move("link_7", "T", x=mc.tasks.Speed(0.05, 0.005), y=mc.tasks.Tube(0.01))
    >>> reach = Experiment("lwr4", task, {"T": np.eye(4)}, start=[0.0] * 7)
    >>> reach.cycle.machine.states[0], round(reach.plant.dt * 630, 9)
    ('STOP_MOTION', 0.25)

    Args:
        robot: a robot that comes along, the path of a file, or a Robot.
        task: what is to be done.
        frames: poses of task frames by name, (4, 4), of a path "frames", (n, 4, 4); where the task says them itself
            they may be left out.
        start: configuration at the start, at rest; neutral unless said.
        control: numbers of the controller.
        rig: what it is tried on.
        interface: through which the robot is reached, where it is: this process, or another; none unless said.
        seconds: how long.
        seed: of noise, and of plants that differ.
        name: of the experiment; the task's unless said.
        notes: what is to be said of how it was read, in sentences.
    """

    robot: str | FilePath | Robot
    task: Task
    frames: Mapping[str, Any] = field(default_factory=dict[str, Any])
    _: KW_ONLY
    start: Sequence[float] | None = None
    control: Control = CONTROL
    rig: Rig = RIG
    interface: Interface | None = None
    seconds: float = 10.0
    seed: int = 0
    name: str = ""
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        keep = object.__setattr__
        checked.instance("Experiment: robot", self.robot, (str, FilePath, Robot), "name a robot, a file, or give one")
        checked.instance("Experiment: task", self.task, (Move, Path, Hold), "give a Move(…), Path(…) or Hold(…)")
        keep(self, "frames", _frames(self.task, self.frames))
        if self.start is not None:
            start = checked.numbers("Experiment: start", self.start, "give a configuration, numbers in a row", (None,))
            keep(self, "start", tuple(map(float, start)))
        checked.instance("Experiment: control", self.control, Control, "give a Control(…)")
        checked.instance("Experiment: rig", self.rig, Rig, "give a Rig(…)")
        if self.interface is not None:
            checked.instance("Experiment: interface", self.interface, Interface, "give a mc.control.Interface(…)")
        keep(self, "seconds", understood_seconds("Experiment: seconds", self.seconds))
        checked.whole("Experiment: seed", self.seed, 0, "give a whole number ≥ 0")
        keep(self, "name", checked.name("Experiment: name", self.name, empty=True) or self.task.name)
        keep(self, "notes", checked.names("Experiment: notes", self.notes, "give sentences"))

    def but(self, **changes: Any) -> "Experiment":
        """The same experiment but for these; what is of its `control` or `rig` alone may be said by its own name."""
        for part in ("control", "rig"):
            known = {one.name for one in fields(getattr(self, part))}
            own = {name: changes.pop(name) for name in list(changes) if name in known}
            if own:
                changes[part] = replace(changes.get(part, getattr(self, part)), **own)
        return replace(self, **changes)

    # ---------------------------------------------------------------- what follows

    @cached_property
    def model(self) -> Robot:
        """The robot as its controller knows it, with what it has on."""
        return self.rig.worn(self.robot if isinstance(self.robot, Robot) else load(self.robot))

    @cached_property
    def feared(self) -> tuple[str, ...]:
        """What is to be feared, in sentences: how it was read, starts beyond limits of joints, what its cycle says."""
        limits, beyond = self.model.limits, list[str]()
        start = self.model.neutral() if self.start is None else np.array(self.start)
        for name in self.model.joint_names if len(start) == self.model.nq else ():
            at, where = self.model.v_index[name], self.model.q_index[name]
            if at.stop - at.start == where.stop - where.start == 1:
                past = float(max(start[where][0] - limits.upper[at][0], limits.lower[at][0] - start[where][0]))
                if past > 0:
                    beyond.append(f"{name} starts at {start[where][0]:.4g}, {past:.3g} beyond its limit (rad, m)")
        return *self.notes, *beyond, *self.cycle.notes

    @cached_property
    def cycle(self) -> LazyCycle:
        """The control cycle of the task."""
        own = self.control
        return lazy(
            self.model,
            self.task,
            rate=own.rate,
            horizon=own.horizon,
            delay=own.delay,
            controllers=own.controllers,
            maximum=own.maximum,
            damping=own.damping,
            force_noise=self.rig.force_noise,
            rest=own.rest,
            monitors=own.monitors,
            precision=self.rig.precision,
            name=self.name.replace(" ", "_").replace("-", "_"),
        )

    @cached_property
    def plant(self) -> Plant:
        """What the task is tried on."""
        (frame,) = (self.frames.get(name) for name in _frame_names(self.task))
        return self.rig.plant(self.model, self.control.rate, self.control.delay, frame)

    @cached_property
    def given(self) -> dict[str, Any]:
        """What is held in a run: where task frames are, and that nothing is felt where nobody feels."""
        missing = [name for name in _frame_names(self.task) if name not in self.frames]
        if missing:
            raise Error(f"Experiment: nobody says where {missing[0]} is; give frames={{{missing[0]!r}: …}}, a pose")
        felt = self.rig.pad is not None or all(port.name != "wrench" for port in self.cycle.inputs)
        blind = {} if felt else {"wrench": np.zeros(6)}
        return {name: np.array(pose) for name, pose in self.frames.items()} | blind

    @cached_property
    def loop(self) -> Loop:
        """Plant and cycle as one loop, which logs whatever people look at, each cycle."""
        states = (port.name for port in self.cycle.outputs if port.name.startswith(ADAPTED))
        return self._closed([*JUDGED_BY, *TOLD, *states])

    @cached_property
    def _study(self) -> Loop:
        """The same, which logs what is judged alone."""
        return self._closed(JUDGED_BY)

    def _closed(self, wanted: Sequence[str]) -> Loop:
        given = (*self.cycle.outputs, *self.plant.stepper.outputs)
        known = {"q", "v", "motor_force", *(port.name for port in given)} - {"tau"}
        each = {name: self.rig.substeps for name in wanted if name in known}
        return closed(self.plant, self.cycle, rate=self.rig.substeps, log=each, name=self.cycle.name)

    # ---------------------------------------------------------------- letting it run

    def run(self, *, plant: int | None = None, seed: int | None = None, seconds: float | None = None) -> "Tried":
        """One run, of the plant as it is said, or of one of those that differ.

        Args:
            plant: which of those that differ.
            seed: in the place of the experiment's.
            seconds: in the place of the experiment's.
        """
        began, which = perf_counter(), self.seed if seed is None else seed
        length = self._lasting(seconds)
        if self.interface is not None:
            robot = self.simulated(plant=plant, seed=which)
            run, done = operated(self.interface, robot, self.model, self.cycle, self.given, seconds=length)
            return Tried(self, self._judged(run), perf_counter() - began, run, done)
        run = self.loop(self.plant.start(self.start), seconds=length, seed=which, plant=plant, **self.given)
        return Tried(self, self._judged(run), perf_counter() - began, run)

    def simulated(self, *, plant: int | None = None, seed: int | None = None) -> SimulatedRobot:
        """What it is tried on as a robot that is reached through an interface.

        Args:
            plant: which of those that differ.
            seed: in the place of the experiment's.
        """
        return SimulatedRobot(
            self.plant,
            start=self.plant.start(self.start),
            every=self.rig.substeps,
            seed=self.seed if seed is None else seed,
            lane=plant,
            model=self.model,
        )

    def study(
        self,
        plants: int,
        *,
        seed: int | None = None,
        seconds: float | None = None,
        threads: int | None = None,
        tell: Callable[[int], None] = lambda _: None,
    ) -> "Tried":
        """So many plants that differ, simulated and judged; none of their logs is kept.

        Args:
            plants: how many.
            seed: in the place of the experiment's.
            seconds: in the place of the experiment's.
            threads: as many as this process may use unless said.
            tell: hears how many plants are done.
        """
        count = checked.whole("study: plants", plants, 1, "give how many plants, ≥ 1")
        if self.interface is not None:
            raise Error("study: many plants are simulated side by side, and reached through no interface; leave it out")
        began, which = perf_counter(), self.seed if seed is None else seed
        length = self._lasting(seconds)
        start, loop = self.plant.start(self.start), self._study
        loop.build(batch=True)
        done = 0

        def chunk(first: int) -> JudgedTask:
            nonlocal done
            lanes = min(CHUNK, count - first)
            run = loop.batch(start, seconds=length, plants=lanes, lane=first, seed=which, threads=1, **self.given)
            judged = self._judged(run)
            done += lanes
            tell(done)
            return judged

        with ThreadPoolExecutor(workers("study", threads)) as pool:
            judged = JudgedTask.joined(list(pool.map(chunk, range(0, count, CHUNK))))
        return Tried(self, judged, perf_counter() - began)

    def _lasting(self, seconds: float | None) -> float:
        length = self.seconds if seconds is None else understood_seconds("Experiment: seconds", seconds)
        cycle = 1 / self.control.rate
        if length < cycle:
            raise Error(f"Experiment: seconds={length:g} are less than a cycle of {cycle:g} s; give more")
        return length

    def _judged(self, run: Run) -> JudgedTask:
        cycle = self.cycle
        return judged_task(
            run, self.task, modes=cycle.machine.states, events=cycle.events, horizon=self.control.horizon
        )


@dataclass(frozen=True, eq=False)
class Tried:
    """What came of an experiment: judged, a lane a plant, the seconds it took, and of one run its logs.

    Where the robot was reached through an interface, `operation` has events and deadlines.
    """

    experiment: Experiment
    judged: JudgedTask
    wall: float
    run: Run | None = None
    operation: Operation | None = None

    def recording(self) -> Recording:
        """The run as a recording: signals, modes, events, and what the task asked for."""
        if self.run is None:
            raise Error("of a study no logs are kept; record a run: experiment.run(plant=0).recording()")
        own = self.experiment
        return task_recording(self.run, own.task, own.cycle.machine.states, self.judged.events[0], own.name)


def _frame_names(task: Task) -> tuple[str, ...]:
    return ("frames",) if isinstance(task, Path) else (task.frame,)


def _frames(task: Task, given: Any) -> dict[str, Any]:
    """Poses of frames by name, as rows; those that the task says itself where nobody else does."""
    said: Mapping[Any, Any] = checked.instance("Experiment: frames", given, Mapping, "give {name: pose}")
    (name,) = _frame_names(task)
    found = dict[str, Any]()
    for key, pose in said.items():
        if key != name:
            raise Error(f"Experiment: frames: the task has no frame {checked.shown(key)}; it has {name}")
        if isinstance(task, Path):
            several = checked.several(f"Experiment: frames: {key}", pose, f"give {task.sections} poses, one a section")
            if len(several) != task.sections:
                raise Error(f"Experiment: frames: {len(several)} poses for {task.sections} sections; give one for each")
            found[key] = tuple(pose_rows(f"Experiment: frames: {key}[{k}]", one) for k, one in enumerate(several))
        else:
            found[key] = pose_rows(f"Experiment: frames: {key}", pose)
    own: Rows | tuple[Rows, ...] | None = tuple(task.poses) if isinstance(task, Path) else task.pose
    return found if found or not own else {name: own}
