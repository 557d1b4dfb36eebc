"""What a run of a loop is given and gives: how long, which arrays, how many lanes; what is logged, by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.program.loop import Buffer, Loop
from motionc.program.port import Note, Port, fitting, numbers
from motionc.runtime.results import Results, record_type

Array = np.ndarray[Any, np.dtype[Any]]
MOST = 2**40
"""Turns of a run, and lanes."""


class Asked:
    """The arguments and answers of a loop, whoever runs it."""

    def __init__(self, loop: Loop, dtype: Any) -> None:
        self.loop, self._dtype = loop, dtype
        self._records: dict[int | None, Callable[[list[Any]], Results]] = {}
        names = [port.name for port in self.ports()]
        for twice in (name for name in names if names.count(name) > 1):
            raise Error(f"{loop.name}: a run would have two things called {twice}; call that port another name")

    def states(self) -> tuple[Port, ...]:
        """What is carried from turn to turn."""
        return tuple(buffer.port for _, buffer in self.loop.states)

    def turns(self, steps: Any, seconds: Any) -> int:
        if (steps is None) == (seconds is None):
            raise Error(f"{self.loop.name}: say how long, either steps= or seconds=")
        if seconds is None:
            return whole(f"{self.loop.name}: steps", steps, "say how many turns")
        wanted = "say for how long, a number of seconds ≥ 0"
        time = checked.number(
            f"{self.loop.name}: seconds", seconds, wanted, fits=lambda s: 0 <= s / self.loop.period <= MOST
        )
        return round(time / self.loop.period)

    def first(self, turn: Any) -> int:
        return whole(f"{self.loop.name}: turn", turn, "say how many turns were made before")

    @cached_property
    def wanted(self) -> dict[str, tuple[int, Buffer]]:
        """What may be given, by name: the number of its buffer, and that."""
        return {buffer.name: (k, buffer) for k, buffer in (*self.loop.states, *self.loop.given)}

    def count(self, given: Mapping[str, Any], turns: int, lanes: int | None) -> int:
        """How many lanes what is given has."""
        counts, wanted = dict[str, int](), self.wanted
        for name, value in given.items():
            if name in wanted:
                buffer = wanted[name][1]
                alone = (turns, *buffer.port.shape) if buffer.role == "streamed" else buffer.port.shape
                shape = self._shape(buffer.port, value)
                if len(shape) == len(alone) + 1:
                    counts[name] = shape[0]
        if lanes is not None:
            counts["lanes"] = whole(f"{self.loop.name}: lanes", lanes, "say how many lanes")
        if not counts:
            said = "nothing given has an axis of lanes; say lanes=…, or call it for one lane"
            raise Error(f"{self.loop.name}.batch: {said}")
        (first, count), *others = counts.items()
        for name, other in others:
            if other != count:
                raise Error(f"{self.loop.name}.batch: {name} has {other} lanes, but {first} {count}")
        return count

    def sheets(
        self, given: Mapping[str, Any], turns: int, count: int | None, moved: Callable[[Port, Any], Any] | None = None
    ) -> dict[int, Any]:
        """What each buffer gets, lanes in front or one for all; refused by name. `moved` brings arrays to a device."""
        wanted, lanes = self.wanted, () if count is None else (count,)
        for name in given:
            if name not in wanted:
                raise Error(f"{self.loop.name}: there is nothing called {name!r} to give{suggestion(name, wanted)}")
        sheets = dict[int, Any]()
        for name, (k, buffer) in wanted.items():
            port = buffer.port
            if name not in given:
                if buffer.start is None:
                    role = "at the start" if buffer.role == "state" else buffer.role
                    raise Error(f"{self.loop.name}: {name} ({role}) is missing: {port.meaning}")
                start = np.array(buffer.start, self._dtype).reshape((1, *port.shape))
                sheets[k] = moved(port, start) if moved else start
                continue
            array = moved(port, fitting(self.loop.name, port, given[name])) if moved else self._array(port, given[name])
            alone = (turns, *port.shape) if buffer.role == "streamed" else port.shape
            if array.shape not in (alone, (*lanes, *alone)):
                many = f", or {(*lanes, *alone)} for all lanes" * bool(lanes)
                said = f"{name} has shape {array.shape}; it must be {alone}{many} ({port.meaning})"
                raise Error(f"{self.loop.name}: {said}")
            sheets[k] = array if array.shape == (*lanes, *alone) and lanes else array[np.newaxis]
        return sheets

    def _shape(self, port: Port, value: Any) -> tuple[int, ...]:
        shape = getattr(value, "shape", None)
        return np.shape(numbers(self.loop.name, port, value)) if shape is None else tuple(shape)

    def _array(self, port: Port, value: Any) -> Array:
        return np.asarray(numbers(self.loop.name, port, value), self._dtype, order="C")

    def ports(self) -> tuple[Port, ...]:
        """What a run has: logs, the last state, turns, finite."""
        return self._ports

    @cached_property
    def _ports(self) -> tuple[Port, ...]:
        loop = self.loop
        logs = [_renamed(loop.buffers[log.buffer].port, log.name) for log in loop.logs]
        taken = {port.name for port in logs}
        states = [_renamed(port, f"last_{port.name}" if port.name in taken else port.name) for port in self.states()]
        return (
            *logs,
            *states,
            Port("turns", (), "1", "turns made"),
            Port("finite", (), "1", "whether everything carried stayed finite"),
        )

    def record(self, axis: int | None) -> Callable[[list[Any]], Results]:
        """What a run of one lane, or of many in front, is told as; made once."""
        if axis not in self._records:
            self._records[axis] = self._record(axis)
        return self._records[axis]

    def _record(self, axis: int | None) -> Callable[[list[Any]], Results]:
        logs = tuple((log.name, log.every) for log in self.loop.logs)
        logged = ((self.loop.buffers[log.buffer].port, log.name) for log in self.loop.logs)
        ports = tuple(Port(name, p.shape, p.unit, p.meaning, p.space, p.relation) for p, name in logged)
        return run_type(Rows(self.ports(), self.states(), logs, self.loop.period, ports), axis)


@dataclass(frozen=True)
class Rows:
    """What a run tells: logs, how many turns lie between their rows, and what is carried."""

    ports: tuple[Port, ...]
    states: tuple[Port, ...]
    logs: tuple[tuple[str, int], ...]
    period: float
    log_ports: tuple[Port, ...]


def run_type(rows: Rows, axis: int | None) -> type[Results]:
    """The record of runs, of one lane or of many in front."""
    kind = record_type(rows.ports, _no_end, axis)
    count = len(rows.logs)
    inner = record_type(rows.states, lambda _: [], axis)
    state = property(lambda run: inner(tuple.__getitem__(run, slice(count, count + len(rows.states)))))

    def times(run: Any) -> dict[str, Array]:
        """Seconds at which rows of each log were written."""
        lengths = [np.shape(tuple.__getitem__(run, k))[0 if axis is None else 1] for k in range(count)]
        told = zip(rows.logs, lengths, strict=True)
        return {name: rows.period * every * np.arange(1, length + 1) for (name, every), length in told}

    def time(run: Any) -> Any:
        """The same where all logs have the same rows."""
        if len({every for _, every in rows.logs}) != 1:
            raise Error("nothing is logged at one time: run.times has those of each log")
        return next(iter(times(run).values()))

    members = {"state": state, "time": property(time), "times": property(times), "log_ports": rows.log_ports}
    own: dict[str, Any] = {name: one for name, one in members.items() if name not in kind.names}  # logs come first

    def reduce(run: Any) -> tuple[Any, ...]:
        return _run_of, (rows, axis, tuple(run))

    own["__reduce__"] = reduce
    return type("Run", (kind,), own | {"__slots__": ()})


def _run_of(rows: Rows, axis: int | None, values: tuple[Any, ...]) -> Results:
    """A run as it was before it was pickled."""
    return run_type(rows, axis)(values)


def whole(what: str, value: Any, wanted: str) -> int:
    """A number of turns or lanes."""
    wanted = f"{wanted}, a whole number from 0 to 2^40"
    number = checked.whole(what, value, 0, wanted)
    if number > MOST:
        raise checked.refusal(what, value, wanted)
    return number


def started(what: str, start: Any) -> dict[str, Any]:
    """What is given at the start, by name."""
    if start is None:
        return {}
    items = getattr(start, "items", None)
    if items is None:
        raise checked.refusal(f"{what}: start", start, 'give {"q": …, "v": …}, plant.start(), or the state of a run')
    return dict(items())


def _no_end(run: Mapping[str, Any]) -> list[Note]:
    """What is said of lanes that diverge."""
    grown = (
        "something carried is no longer finite, see turns: a command that is no number, or, where forces depend on "
        "rates, these grew: take shorter turns, less of them, or a damper inside mc.step, which is implicit"
    )
    given = (
        "something carried is not finite after the first turn already: look for NaN or infinity in what the run is "
        "given, and in what a controller makes of it"
    )
    ended, at_once = np.logical_not(run["finite"]), np.asarray(run["turns"]) <= 1
    return [Note(grown, ended & ~at_once), Note(given, ended & at_once)]


def _renamed(port: Port, name: str) -> Port:
    return Port(name, port.shape, port.unit, port.meaning)
