"""Recording live: a control thread hands rows over, a thread of its own writes them, so that a crash costs little.

    log      copies numbers and goes on, whatever the disk does
    write    every 10 ms, all that waits becomes a chunk in the file: a process that is killed loses no more

A disk that is full ends the recording, not the control loop: `failure` says so, and so does `close`.
"""

import os
from collections import deque
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.model.robot import Robot
from motionc.program.port import Port
from motionc.simulate.declarations import Mark
from motionc.simulate.recorded import Recorded
from motionc.simulate.recorded_file import IN_FRONT, MARKS, MODES, Channels, nanoseconds, text_rows, topic_word
from motionc.simulate.recording import model_of, versions
from motionc.simulate.ros_messages import Array, Layout
from motionc.simulate.ros_views import Views
from motionc.simulate.signals import LATEST, Signal, rows_of
from motionc.solvers.arguments import q_port, tau_port, v_port
from motionc.writing import REMEDIES

PERIOD = 0.01
"""Seconds from one chunk to the next."""
MOST_WAITING = 60_000
"""Rows that wait for a disk that does not keep up, a minute at 1 kHz; beyond them rows are lost, and counted."""
KNOWN = {"q": q_port, "v": v_port, "tau": partial(tau_port, meaning="joint forces")}
"""Signals that a robot says all about."""


class Recorder:
    """A recording in the making: `recorder.log(time, q=…, v=…)` from a control thread, a thread of its own writes.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import motionc as mc
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "live.mcap"
    ...     heat = mc.Port("heat", (), "K", "of the motors")
    ...     with mc.simulate.Recorder(path, mc.load("planar2"), ["q", heat]) as recorder:
    ...         for k in range(5):
    ...             recorder.log(0.001 * k, q=[0.1 * k, 0.0], heat=300.0)
    ...     mc.simulate.Recording.open(path)["q"].values.shape
    (5, 2)

    Args:
        path: of the file; one that is there stays as it is, unless `force` is said.
        robot: whom it is about; None where it is about nobody.
        signals: what is logged: "q", "v", "tau" of the robot, or `mc.Port(name, shape, unit, meaning)`.
        dt: seconds of a step, where there is such.
        declared: `bands=`, `references=`, `tubes=`, `task=`, `seed=` of the recording.
        views: whether joint states and poses are written beside the signals, for viewers of ROS 2.
        force: whether a file that is there is written over.
    """

    def __init__(
        self,
        path: str | Path,
        robot: Robot | None = None,
        signals: Sequence[str | Port] = ("q", "v"),
        *,
        dt: float = 0.0,
        views: bool = True,
        force: bool = False,
        **declared: Any,
    ) -> None:
        self.path = checked.path("Recorder: path", path, "give a path such as 'run.mcap'")
        if robot is not None:
            checked.instance("Recorder: robot", robot, Robot, 'give a robot, such as mc.load("lwr4"), or None')
        ports = _ports(robot, signals)
        for name in declared:
            if name not in DECLARED:
                raise Error(f"Recorder: nothing is declared by {name!r}{suggestion(name, DECLARED)}")
        model = None if robot is None else model_of(robot)
        about = Recorded(dt=dt, model=model, versions=versions(), **declared)
        wanted = checked.flag("Recorder: views", views)
        drawn = wanted and "q" in ports and model is not None and model.form == "urdf"
        self._views = Views(robot, model.text).build() if drawn and robot and model else None
        self._file = _created(self.path, checked.flag("Recorder: force", force))
        self.failure, self.lost, self.last = "", 0, 0.0
        """Why nothing more is written; rows that were not; the last time logged."""
        self._shapes = {name: port.shape for name, port in ports.items()}
        self._queue = deque[tuple[float, dict[str, Any]]]()
        self._done, self._closed = Event(), False
        self._texts = dict[str, int]()
        self._open = dict[str, tuple[int, Layout, Port]]()
        try:
            self._channels = Channels(self._put)
            self._channels.about(about)
            for port in ports.values():
                relation = "" if port.relation is None else str(port.relation)
                empty = np.empty((0, *port.shape))
                signal = Signal(port.name, [], empty, port.unit, port.labels, port.meaning, relation)
                self._open[port.name] = *self._channels.signal("signals", signal), port
            if self._views is not None:
                self._channels.file.chunk(self._views.described(self._channels))
        except OSError as error:
            self._file.close()
            raise Error(_sentence(self.path, error)) from None
        self._thread = Thread(target=self._write, name="motionc recorder", daemon=True)
        self._thread.start()

    # ---------------------------------------------------------------- on the control thread

    def log(self, time: float, **values: Any) -> None:
        """Rows of signals at a time, in seconds.

        What is wrong with them raises; what is wrong with the disk does not.
        """
        if type(time) is not float or not 0.0 <= time <= LATEST:
            wanted = f"give seconds from 0 to {LATEST:g}"
            time = checked.number("Recorder.log: time", time, wanted, fits=lambda t: 0.0 <= t <= LATEST)
        shapes = self._shapes
        if not values.keys() <= shapes.keys():
            name = next(name for name in values if name not in shapes)
            raise Error(f"Recorder.log: no signal is called {name!r}{suggestion(name, shapes)}")
        for name, value in values.items():
            if type(value) is float and not shapes[name]:
                continue
            if type(value) is np.ndarray and value.dtype == np.float64 and value.shape == shapes[name]:
                values[name] = value.tobytes()
            else:
                values[name] = _row(name, value, shapes[name])
        self._hand_over(time, values)

    def mark(self, time: float, name: str) -> None:
        """Something that happened at a time."""
        mark = Mark(time, name)
        self._hand_over(mark.time, {MARKS: mark.name})

    def mode(self, time: float, name: str, machine: str = "mode") -> None:
        """A mode that was entered at a time, of a machine."""
        mark, machine = Mark(time, name), checked.name("Recorder.mode: machine", machine)
        self._hand_over(mark.time, {MODES + machine: mark.name})

    def _hand_over(self, time: float, row: dict[str, Any]) -> None:
        if self._closed:
            raise Error(f"{self.path}: the recording is closed; nothing more can be logged")
        if self.failure or len(self._queue) > MOST_WAITING:
            self.lost += 1
            return
        self.last = time
        self._queue.append((time, row))

    def close(self) -> None:
        """Write what waits and the index; an Error where something could not be written."""
        if self._closed:
            return
        self._closed = True
        self._done.set()
        self._thread.join()
        if not self.failure:
            try:
                self._channels.file.finish()
                os.fsync(self._file.fileno())
            except OSError as error:
                self.failure = _sentence(self.path, error)
        self._file.close()
        if self.failure or self.lost:
            raise Error(self.failure or f"{self.path}: {self.lost} rows were lost: the disk did not keep up")

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        try:
            self.close()
        except Error:
            if kind is None:  # what went wrong first is what is said
                raise

    def __repr__(self) -> str:
        return f"Recorder({self.path}: {', '.join(self._shapes)}; {self.last:g} s)"

    # ---------------------------------------------------------------- on its own

    def _write(self) -> None:
        """Chunk after chunk, until it is closed, or the disk will not."""
        ending = False
        while not ending:
            ending = self._done.wait(PERIOD)
            waiting = [self._queue.popleft() for _ in range(len(self._queue))]
            try:
                self._chunk(waiting)
            except OSError as error:
                self.failure = _sentence(self.path, error)
                self.lost += len(waiting) + len(self._queue)
                self._queue.clear()
                return

    def _chunk(self, waiting: list[tuple[float, dict[str, Any]]]) -> None:
        """All that waits, as one chunk; texts each as its own. What is written waits no more."""
        times, rows = dict[str, list[float]](), dict[str, list[Any]]()
        for time, row in waiting:
            for name, data in row.items():
                times.setdefault(name, []).append(time)
                rows.setdefault(name, []).append(data)
        chunk, shown = dict[int, tuple[Array, Array]](), dict[str, Signal]()
        for name in [name for name in rows if name not in self._open]:
            for time, data in zip(times.pop(name), rows.pop(name), strict=True):
                self._channels.file.chunk(text_rows(self._text(name), time, data))
        for name, data in rows.items():
            channel, layout, port = self._open[name]
            joined = np.frombuffer(b"".join(data), "<f8") if port.shape else np.array(data)
            values = joined.reshape(len(data), port.size)
            moments = nanoseconds(times[name])
            chunk[channel] = moments, layout.rows(channel, moments, data=values)
            if self._views is not None and name in SHOWN:
                order = np.argsort(moments, kind="stable")
                shown[name] = Signal(name, np.array(times[name])[order], values[order])
        self._channels.file.chunk(chunk)
        waiting.clear()
        if self._views is not None and shown:
            views = self._views.of(self._channels, shown)
            self._channels.file.chunk({channel: (at, records) for channel, at, records in views})

    def _text(self, topic: str) -> int:
        """The channel of marks, or of a machine's modes."""
        if topic not in self._texts:
            name = topic.removeprefix(MODES) if topic != MARKS else ""
            called = MARKS if topic == MARKS else MODES + topic_word(name)
            self._texts[topic] = self._channels.open(called, "std_msgs/msg/String", {"name": name})
        return self._texts[topic]

    def _put(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]


DECLARED = (*IN_FRONT, "seed", "task")
SHOWN = ("q", "v", "tau")
"""What viewers are told of."""


def _ports(robot: Robot | None, signals: Any) -> dict[str, Port]:
    wanted = "name q, v or tau of a robot, or give mc.Port(name, shape, unit, meaning)"
    found = dict[str, Port]()
    for one in checked.several("Recorder: signals", signals, wanted, str, Port):
        if isinstance(one, str) and robot is not None and one in KNOWN:
            one = KNOWN[one](robot)
        port = checked.instance("Recorder: signals", one, Port, wanted)
        checked.name("Recorder: signals", port.name, wanted)
        if port.name in found:
            raise Error(f"Recorder: signals: two are called {port.name!r}; give each its own name")
        found[port.name] = port
    if robot is not None:
        for name, size in (("q", robot.nq), ("v", robot.nv), ("tau", robot.nv)):
            if name in found and found[name].shape != (size,):
                raise Error(f"Recorder: signals: {name} has shape {found[name].shape}, but {robot.name}'s ({size},)")
    return found


def _row(name: str, value: Any, shape: tuple[int, ...]) -> float | bytes:
    """A row that is no array of doubles yet: a number, or bytes of several."""
    array = rows_of(f"Recorder.log: {name}", value)
    if array.shape != shape:
        raise checked.refusal(f"Recorder.log: {name}", value, f"give numbers of shape {shape}")
    return array.astype("<f8").tobytes() if shape else float(array)


def _created(path: Path, force: bool) -> Any:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("wb" if force else "xb", buffering=0)
    except FileExistsError:
        raise Error(f"{path} is there already; choose another name, or write over it: force=True") from None
    except OSError as error:
        raise Error(_sentence(path, error)) from None


def _sentence(path: Path, error: OSError) -> str:
    remedy = REMEDIES.get(error.errno or 0, "choose another place")
    return f"{path} cannot be written ({error.strerror}); what it has so far can be opened; {remedy}"
