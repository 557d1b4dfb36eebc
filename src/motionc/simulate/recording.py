"""Recordings: what a run leaves behind, by name, with units, the robot, versions and seed; to files and from them."""

import platform
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.formats import read_urdf, to_urdf
from motionc.formats.chain_json import read_json, to_json
from motionc.model.robot import Robot
from motionc.program.port import Port
from motionc.runtime.computation import Computation
from motionc.simulate import recorded_file, recorded_tables
from motionc.simulate.declarations import DECLARED, listed
from motionc.simulate.declared import bands_of, marks_of, references_of
from motionc.simulate.recorded import Model, Recorded
from motionc.simulate.ros_views import Views
from motionc.simulate.signals import Signal, held_rows
from motionc.version import __version__
from motionc.writing import write_file

Array = np.ndarray[Any, np.dtype[Any]]


class Recording(Recorded):
    """A recording: signals by name (`recording["q"].values`), the robot, dt, seed, versions, what was declared.

    >>> import motionc as mc
    >>> plant = mc.simulate.Plant(mc.load("planar2"))
    >>> loop = mc.simulate.closed(plant, mc.control.pd(plant.robot, 10.0, 1.0))
    >>> run = loop(plant.start(), target=[0.3, 0.1], seconds=0.1)
    >>> recording = mc.simulate.Recording.of(run)
    >>> recording["q"].values.shape, recording["q"].unit, recording["q"].labels
    ((10, 2), 'rad, m', ('shoulder', 'elbow'))
    """

    @classmethod
    def of(cls, run: Any, lane: int = 0, **declared: Any) -> "Recording":
        """What a run logged, of one lane.

        Marks are the plant's pushes, payloads and brakes, bands the robot's limits, references the targets it was
        given, beside what the loop declares; `marks=`, `bands=`, `references=`, `modes=`, `tubes=` add to them, `task=`
        says what was to be done.
        """
        if not (hasattr(run, "record") and hasattr(run, "plant")):
            raise checked.refusal("Recording.of: run", run, "give what a closed loop returned")
        number = checked.whole("Recording.of: lane", lane, 0, "give the number of a lane")
        if number and (not run.many or number >= len(run.finite)):
            raise Error(f"Recording.of: lane {number}, of {len(run.finite) if run.many else 1}; lanes count from 0")
        for name in declared:
            if name not in ADDED:
                raise Error(f"Recording.of: nothing is declared by {name!r}{suggestion(name, ADDED)}")
        robot, times = run.plant.robot, run.record.times
        signals = {
            port.name: _signal(port, times[port.name], run.record[port.name][number] if run.many else run[port.name])
            for port in run.record.log_ports
        }
        inputs = _inputs(run, number)
        end = max((float(each[-1]) for each in times.values() if len(each)), default=0.0)
        follow = references_of(inputs, signals)
        said = run.declared.of(signals)
        own: dict[str, Any] = {
            "marks": marks_of(run.plant, end),
            "bands": bands_of(robot, signals),
            "references": follow,
        }
        signals |= {one.signal: inputs[one.signal] for one in follow}
        several: dict[str, Any] = {
            name: (*own.get(name, ()), *said[name], *listed(f"Recording.of: {name}", declared.get(name, ()), kind))
            for name, kind in DECLARED.items()
        }
        return cls(
            signals=signals,
            model=model_of(robot),
            dt=run.plant.dt,
            seed=run.seed,
            lane=run.lane + number,
            batch=run.many,
            turn=run.turn,
            steps=run.steps,
            inputs=inputs,
            versions=versions(),
            task=declared.get("task", said["task"]),
            **several,
        )

    @classmethod
    def open(cls, path: str | Path) -> "Recording":
        """A recording from its file, also after a crash: `notes` says what is missing, and why."""
        return cls(**recorded_file.read(checked.path("Recording.open: path", path, "give the path of a recording")))

    def save(self, path: str | Path) -> Path:
        """Write it as MCAP in the layout of ROS 2; a file that was there is renewed whole, or stays as it was."""
        place = checked.path("save: path", path, "give a path such as 'run.mcap'")
        robot = None if self.model is None else self._shown()
        views = None if robot is None or self.model is None else Views(robot, self.model.text)
        return write_file(place, recorded_file.written(self, views))

    def _shown(self) -> Robot | None:
        """The robot for viewers; none where its model does not describe the signals, or is none of URDF's."""
        if self.model is None or self.model.form != "urdf":
            return None
        try:
            robot = self.robot()
        except Error:
            return None
        shapes = {"q": robot.nq, "v": robot.nv, "tau": robot.nv, "motor_force": robot.nv}
        fits = (self.signals[name].shape == (size,) for name, size in shapes.items() if name in self.signals)
        return robot if all(fits) else None

    def __getitem__(self, name: str) -> Signal:
        if name not in self.signals:
            raise Error(f"the recording has no signal {checked.shown(name)}{suggestion(str(name), self.signals)}")
        return self.signals[name]

    @property
    def seconds(self) -> float:
        """The last time there is."""
        return max((float(one.times[-1]) for one in self.signals.values() if len(one.times)), default=0.0)

    @property
    def arrays(self) -> dict[str, Array]:
        """Values of all signals, by name."""
        return {name: signal.values for name, signal in self.signals.items()}

    def to_csv(self, path: str | Path) -> Path:
        """Write all signals as one table: a line a time, every digit; empty where a signal has no row."""
        return recorded_tables.to_csv(self, checked.path("to_csv: path", path, "give a path such as 'run.csv'"))

    def to_parquet(self, path: str | Path) -> Path:
        """Write the same table as Parquet, by pyarrow; units are metadata of its columns."""
        place = checked.path("to_parquet: path", path, "give a path such as 'run.parquet'")
        return recorded_tables.to_parquet(self, place)

    def robot(self) -> Robot:
        """The robot it is about, made of the model in the file; no other file is opened for it."""
        if self.model is None:
            raise Error("the recording does not say which robot it is about; give one when it is made")
        how = {"floating": self.model.floating, "fixed": dict(self.model.fixed), "mimic": self.model.mimic}
        try:
            if self.model.form == "json":
                return Robot(read_json(self.model.text), **how)  # pyright: ignore[reportArgumentType]
            document = read_urdf(self.model.text)
            return Robot(document.chain, findings=document.findings, **how)  # pyright: ignore[reportArgumentType]
        except Error as error:
            raise Error(f"the model in the recording cannot be used: {error}") from None

    def given(self, streamed: Sequence[str]) -> tuple[dict[str, Array], dict[str, int]]:
        """What a loop was given, whole of what is streamed; and how long, with whose noise, it ran."""
        if not self.inputs or not all(len(one.times) for one in self.inputs.values()):
            raise Error("replay: the recording does not say what a loop was given; Recording.of(run) does")
        arrays = {name: one.values if name in streamed else one.values[0] for name, one in self.inputs.items()}
        return arrays, {name: getattr(self, name) for name in ("steps", "seed", "lane", "turn")}

    def replay(self, computation: Computation, **called: str) -> dict[str, Array]:
        """What a computation makes of the recorded inputs, row by row, by name: the commands once more, bit for bit.

        Args:
            computation: the controller; its inputs are the signals of the same names, each as it was at that time.
            called: {input: signal} where names differ. State is carried on from the start.
        """
        checked.instance("replay: computation", computation, Computation, "give the controller, a Computation")
        carried = {port.name for port in computation.states}
        names = {port.name: called.get(port.name, port.name) for port in computation.inputs if port.name not in carried}
        for name in called:
            if name not in names:
                raise Error(f"replay: {computation.name} reads no {name!r}{suggestion(name, names)}")
        signals = {name: self[of] for name, of in names.items()}
        times = max((one.times for one in signals.values()), key=len, default=np.zeros(0))
        rows = {name: one.values[_holding(one, times)] for name, one in signals.items()}
        state, made = dict(computation.start().items()) if carried else {}, list[tuple[Any, ...]]()
        for k in range(len(times)):
            out = computation(**{name: values[k] for name, values in rows.items()}, **state)
            made.append(tuple(out) if len(computation.outputs) > 1 else (out,))
            state = {port.name: made[-1][j] for j, port in enumerate(computation.outputs) if port.name in carried}
        columns = zip(computation.outputs, zip(*made, strict=True) if made else (), strict=False)
        return {port.name: np.array(column) for port, column in columns}

    def __repr__(self) -> str:
        whose = "" if self.model is None else f"{self.model.name}: "
        return f"Recording({whose}{', '.join(self.signals)}; {self.seconds:g} s)"


ADDED = (*DECLARED, "task")


def _holding(signal: Signal, times: Array) -> Array:
    """Which row of a signal holds at each time."""
    if len(times) and not len(signal.times):
        raise Error(f"replay: signal {signal.name} has no rows")
    return held_rows(signal.times, times)


def versions() -> dict[str, str]:
    """Who writes."""
    return {"motionc": __version__, "numpy": np.__version__, "python": platform.python_version()}


def model_of(robot: Robot) -> Model:
    """A robot as its file would say it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            text, form = to_urdf(robot.chain), "urdf"
        except Error:  # joints that URDF has no words for
            text, form = to_json(robot.chain), "json"
    return Model(text, form, robot.name, robot.floating, dict(robot.held), robot.mimic)


def _signal(port: Port, times: Any, values: Any) -> Signal:
    relation = "" if port.relation is None else str(port.relation)
    return Signal(port.name, times, values, port.unit, port.labels, port.meaning, relation)


def _inputs(run: Any, lane: int) -> dict[str, Signal]:
    """What a run was given, of one lane: rows of what was streamed, one row of all else."""
    if run.loop is None:
        return {}
    asked, found = run.loop.asked, dict[str, Signal]()
    sheets = asked.sheets(run.given, run.steps, len(run.finite) if run.many else None)
    for name, (k, buffer) in asked.wanted.items():
        own = sheets[k][lane if len(sheets[k]) > 1 else 0]
        streamed = buffer.role == "streamed"
        times = run.plant.dt * np.arange(run.steps) if streamed else [0.0]
        found[name] = _signal(buffer.port, times, own if streamed else own[np.newaxis])
    return found
