"""What a user calls to let time pass: a loop as one call into C, one lane or many, arrays by name."""

import ctypes
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.notices import warn
from motionc.program.block import Nobody
from motionc.program.loop import Buffer, Loop
from motionc.program.looping import Course, looped
from motionc.program.names import function_word, whose
from motionc.program.noise import seed_of
from motionc.program.port import Port, Precision, numbers
from motionc.program.source import Named
from motionc.program.wiring import Wiring
from motionc.runtime.arrays.batch import spread, workers
from motionc.runtime.build.cache import NoRoom
from motionc.runtime.build.compiler import SLOWER
from motionc.runtime.build.library import DTYPES, library_tool, opened
from motionc.runtime.build.loading import Unloadable
from motionc.runtime.loop_texts import loop_texts
from motionc.runtime.provenance import write_emitted
from motionc.runtime.results import Results, record_type
from motionc.runtime.stepping import Stepping
from motionc.tables import few
from motionc.targets import loop_c, loop_lanes

Array = np.ndarray[Any, np.dtype[Any]]
MOST = 2**40
"""Turns of a run, and lanes."""


class Source:
    """A loop as those see it who build it: a name, whose it is, an identity, and `program`."""

    def __init__(self, wires: Wiring, course: Course) -> None:
        self.wires, self.course, self.name = wires, course, wires.name
        self.robot: Named = next((part.robot for part in wires.parts.values() if part.robot.name), Nobody())
        self.program: Loop = looped(wires, course)
        self.precision: Precision = self.program.precision

    def identity(self) -> str | None:
        """That of all parts, wires and the course; None where a part is known by its program alone."""
        parts = [part.identity() for part in self.wires.parts.values()]
        if None in parts:
            return None
        said = (self.name, parts, list(self.wires.parts), sorted(self.wires.feeds.items()), repr(self.course))
        return hashlib.sha256(f"loop {said}".encode()).hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        return Source, (self.wires, self.course)


class LoopComputation:
    """A loop in time: `run = loop(q=…, v=…, steps=1000)`, `runs = loop.batch(…)`.

    What is fed back starts as it is given, state of parts as they say unless it is given. A run has what is logged by
    name, rows (K, …) or (N, K, …); the last `state`; how many `turns` it made, and whether all stayed `finite`.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.loop, self.name = source, source.program, source.name
        self._dtype = DTYPES[source.precision]
        self._opened: dict[str, Any] = {}

    @property
    def robot(self) -> Any:
        """Whom it is about."""
        return self.source.robot

    @property
    def inputs(self) -> tuple[Port, ...]:
        """What must be given: what is fed back, at the start; what is held; what is streamed in."""
        needed = [buffer.port for _, buffer in self.loop.states if buffer.start is None]
        return (*needed, *(buffer.port for _, buffer in self.loop.given))

    @property
    def states(self) -> tuple[Port, ...]:
        """What is carried from turn to turn."""
        return tuple(buffer.port for _, buffer in self.loop.states)

    @property
    def operations(self) -> Counter[str]:
        """Arithmetic operations by kind, of a turn in which everything runs."""
        return self.loop.operations

    @property
    def function_name(self) -> str:
        """What emitted functions begin with: `<robot>_<loop>`."""
        return function_word(self.robot.name, self.name)

    def sources(self, target: str, prefix: str = "") -> dict[str, str]:
        """What `emit` writes: texts by file name."""
        checked.name("prefix", prefix, "give what functions begin with", empty=True)
        source, function = self.source, prefix or self.function_name
        return loop_texts(source.wires, source.course, self.loop, self.robot, target, function)

    def emit(self, target: str, folder: str | Path, prefix: str = "", *, force: bool = False) -> list[Path]:
        """Write standalone sources; functions begin with `<robot>_<loop>` or `prefix`.

        "c" gives a header and a source: a struct of what is carried on, `_start`, a turn as `_step`, many as `_run`;
        "c_simd" one file for many lanes in vectors, "cpp" a header with a struct that turns itself, "cuda" one file for
        a GPU, "matlab" and "python" functions that run it. Each can check itself, and says at its top what it is.
        """
        place, force = checked.path("folder", folder, "give a folder"), checked.flag("emit: force", force)
        return write_emitted({place / file: text for file, text in self.sources(target, prefix).items()}, force=force)

    def __repr__(self) -> str:
        given, logged = few(port.name for port in self.inputs), few(log.name for log in self.loop.logs)
        return (
            f"Loop({self.name}{whose(self.robot.name)}: {given} → {logged or 'state'}; {self.loop.period:g} s a turn)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return LoopComputation, (self.source,)

    # ---------------------------------------------------------------- running

    def __call__(
        self, *, steps: int | None = None, seconds: float | None = None, seed: int = 0, lane: int = 0, **given: Any
    ) -> Results:
        """One lane, so many turns or seconds; `seed` and `lane` say which numbers are drawn."""
        turns = self._turns(steps, seconds)
        arrays = self._run(turns, self._sheets(given, turns, None), None, seed, lane, 1)
        return self._record(None)(arrays)

    def batch(
        self,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        lanes: int | None = None,
        seed: int = 0,
        lane: int = 0,
        threads: int | None = None,
        **given: Any,
    ) -> Results:
        """Many lanes at once: what is given has an axis of lanes in front, or is the same for all of them.

        Lanes go side by side in vectors and on threads; each is what a call with its `lane` number gives alone.
        """
        turns = self._turns(steps, seconds)
        count = self._count(given, turns, lanes)
        sheets = self._sheets(given, turns, count)
        return self._record(0)(self._run(turns, sheets, count, seed, lane, workers(self.name, threads)))

    def build(self, *, batch: bool = False) -> "LoopComputation":
        """Build now what the first call would; with `batch`, what the first batch would, too."""
        _ = self._entry("scalar"), checked.flag("build: batch", batch) and self._entry("lanes")
        return self

    def _run(
        self, turns: int, sheets: dict[int, Array], count: int | None, seed: int, lane: int, threads: int
    ) -> list[Any]:
        loop, lanes = self.loop, 1 if count is None else count
        seed = seed_of(f"{self.name}: seed", seed)
        lane = _count(f"{self.name}: lane", lane, "say which lane is the first")
        given = [sheets[k] for k, _ in loop.given]
        states = [np.array(np.broadcast_to(sheets[k], (lanes, *b.port.shape)), self._dtype) for k, b in loop.states]
        logs = [
            np.empty((lanes, turns // log.every, *loop.buffers[log.buffer].port.shape), self._dtype)
            for log in loop.logs
        ]
        ends = np.zeros((lanes, 2), np.int64)
        entry = self._entry("scalar" if count is None else "lanes")
        size = loop.size * max(turns, 1)
        spread(lambda a, b: entry(range(a, b), turns, seed, lane, given, states, logs, ends), lanes, size, threads)
        told = [*logs, *states, ends[:, 0], ends[:, 1] == ends[:, 0]]
        ports = self._ports()
        found = [array if count is not None else array[0] for array in told]
        return [f if count is not None else p.as_told(f) for f, p in zip(found, ports, strict=True)]

    # ---------------------------------------------------------------- arguments

    def _turns(self, steps: Any, seconds: Any) -> int:
        if (steps is None) == (seconds is None):
            raise Error(f"{self.name}: say how long, either steps= or seconds=")
        if seconds is None:
            return _count(f"{self.name}: steps", steps, "say how many turns")
        wanted = "say for how long, a number of seconds ≥ 0"
        time = checked.number(
            f"{self.name}: seconds", seconds, wanted, fits=lambda s: 0 <= s / self.loop.period <= MOST
        )
        return round(time / self.loop.period)

    def _wanted(self) -> dict[str, tuple[int, Buffer]]:
        return {buffer.name: (k, buffer) for k, buffer in (*self.loop.states, *self.loop.given)}

    def _count(self, given: Mapping[str, Any], turns: int, lanes: int | None) -> int:
        """How many lanes what is given has."""
        counts, wanted = dict[str, int](), self._wanted()
        for name, value in given.items():
            if name in wanted:
                buffer = wanted[name][1]
                alone = (turns, *buffer.port.shape) if buffer.role == "streamed" else buffer.port.shape
                shape = np.shape(value)
                if len(shape) == len(alone) + 1:
                    counts[name] = shape[0]
        if lanes is not None:
            counts["lanes"] = _count(f"{self.name}: lanes", lanes, "say how many lanes")
        if not counts:
            raise Error(f"{self.name}.batch: nothing given has an axis of lanes; say lanes=…, or call it for one lane")
        (first, count), *others = counts.items()
        for name, other in others:
            if other != count:
                raise Error(f"{self.name}.batch: {name} has {other} lanes, but {first} {count}")
        return count

    def _sheets(self, given: Mapping[str, Any], turns: int, count: int | None) -> dict[int, Array]:
        """What each buffer gets, lanes in front or not; refused by name."""
        wanted, lanes = self._wanted(), () if count is None else (count,)
        for name in given:
            if name not in wanted:
                raise Error(f"{self.name}: there is nothing called {name!r} to give{suggestion(name, wanted)}")
        sheets = dict[int, Array]()
        for name, (k, buffer) in wanted.items():
            port = buffer.port
            if name not in given:
                if buffer.start is None:
                    role = "at the start" if buffer.role == "state" else buffer.role
                    raise Error(f"{self.name}: {name} ({role}) is missing: {port.meaning}")
                sheets[k] = np.array(buffer.start, self._dtype).reshape(port.shape)
                continue
            array = np.ascontiguousarray(numbers(self.name, port, given[name]), self._dtype)
            alone = (turns, *port.shape) if buffer.role == "streamed" else port.shape
            if array.shape not in (alone, (*lanes, *alone)):
                many = f", or {(*lanes, *alone)} for all lanes" * bool(lanes)
                raise Error(f"{self.name}: {name} has shape {array.shape}; it must be {alone}{many} ({port.meaning})")
            sheets[k] = array if array.shape == (*lanes, *alone) and lanes else array[np.newaxis]
        return sheets

    # ---------------------------------------------------------------- answers

    def _ports(self) -> tuple[Port, ...]:
        """What a run has: logs, the last state, turns, finite."""
        loop = self.loop
        logs = [_renamed(loop.buffers[log.buffer].port, log.name) for log in loop.logs]
        taken = {port.name for port in logs}
        states = [_renamed(port, f"last_{port.name}" if port.name in taken else port.name) for port in self.states]
        return (
            *logs,
            *states,
            Port("turns", (), "1", "turns made"),
            Port("finite", (), "1", "whether everything carried stayed finite"),
        )

    def _record(self, axis: int | None) -> Callable[[list[Any]], Results]:
        kind = record_type(self._ports(), lambda _: [], axis)
        logs, names = len(self.loop.logs), [port.name for port in self.states]
        inner = record_type(self.states, lambda _: [], axis)
        state = property(lambda run: inner(tuple.__getitem__(run, slice(logs, logs + len(names)))))
        every = [log.every for log in self.loop.logs]
        period = self.loop.period

        def time(run: Any) -> Any:
            """Seconds at which rows were logged, where all logs have the same."""
            if len({*every}) != 1:
                raise Error("logs have rows at different times; row k of one with every=n is at (k + 1) n periods")
            rows = np.shape(run[0])[0 if axis is None else 1]
            return period * every[0] * np.arange(1, rows + 1)

        return type("Run", (kind,), {"__slots__": (), "state": state, "time": property(time)})

    # ---------------------------------------------------------------- building

    def _entry(self, kind: str) -> Callable[..., None]:
        if kind not in self._opened:
            self._opened[kind] = self._open(kind)
        return self._opened[kind]

    def _open(self, kind: str) -> Callable[..., None]:
        tool = library_tool()
        if tool is None:
            return Stepping(self.loop).run
        if kind == "lanes" and tool.kind == "cc":  # it knows no vectors
            return self._entry("scalar")

        def text(loop: Loop) -> str:
            if kind == "lanes":
                return loop_lanes.emit(loop)
            sources = loop_c.emit(loop, self.function_name)
            return sources.together + "\n".join(loop_c.lanes_of_one(loop_c.in_words(loop, self.function_name)))

        try:
            entry = opened(f"loop {kind}", self.source, tool, text, "motionc_loop").motionc_loop
        except (NoRoom, Unloadable) as error:
            warn(f"{error}; {self.name}{whose(self.robot.name)} is interpreted, {SLOWER}")
            return Stepping(self.loop).run
        ulong, pointer = ctypes.c_ulonglong, ctypes.c_void_p
        entry.argtypes = (ctypes.c_long, ulong, ulong, ctypes.c_longlong, ulong, *(pointer,) * 7)
        entry.restype = None
        return lambda *asked: _entered(entry, *asked)


def _count(what: str, value: Any, wanted: str) -> int:
    wanted = f"{wanted}, a whole number from 0 to 2^40"
    number = checked.whole(what, value, 0, wanted)
    if number > MOST:
        raise checked.refusal(what, value, wanted)
    return number


def _renamed(port: Port, name: str) -> Port:
    return Port(name, port.shape, port.unit, port.meaning)


def _entered(
    entry: Any,
    lanes: range,
    turns: int,
    seed: int,
    lane: int,
    given: Sequence[Array],
    states: Sequence[Array],
    logs: Sequence[Array],
    ends: Array,
) -> None:
    """Call the compiled loop for these lanes."""
    start = lanes.start
    sides = [
        _described([array[start:] if array.shape[0] > 1 else array for array in side]) for side in (given, states, logs)
    ]
    flat = [part for side in sides for part in side]
    entry(len(lanes), lane + start, 0, turns, seed, *flat, ends[start:].ctypes.data)


def _described(arrays: Sequence[Array]) -> tuple[Any, Any]:
    """Addresses, and how many numbers there are from lane to lane; 0 where it is the same for all."""
    addresses, longs = ctypes.c_void_p * len(arrays), ctypes.c_long * len(arrays)
    strides = [array.strides[0] // array.itemsize if array.shape[0] > 1 else 0 for array in arrays]
    return addresses(*[array.ctypes.data for array in arrays]), longs(*strides)
