"""Gradients through runs of a loop, as a user calls them: a run forward, and one back (program/backward.py)."""

from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.program.backward import backward
from motionc.program.looping import LoopSource
from motionc.program.port import Port, numbers
from motionc.program.source import Along
from motionc.program.space import Flat
from motionc.runtime.loop_arguments import Asked, started
from motionc.runtime.results import Results, record_type

Array = np.ndarray[Any, np.dtype[Any]]


class LoopGradient:
    """The gradient of a weighted sum of what a run gives, with respect to what it is given.

    `of` are logs and what is carried at the end, `last_<name>` where a log has its name; `wrt` what is given at the
    start, held or streamed in. Called as the loop is, where it starts by name or as a dict in front, and with <of>_bar,
    the weights; gives <wrt>_bar. A configuration changes per unit of v, or entry by entry with
    `coordinates="ambient"`.
    """

    def __init__(
        self, source: LoopSource, make: Callable[[LoopSource], Any], of: Any, wrt: Any, coordinates: Along
    ) -> None:
        self.loop, self._course = source.program, source.course
        checked.one_of("vjp: coordinates", coordinates, get_args(Along))
        self._forward_all = make(source)
        asked: Asked = self._forward_all.asked
        carried = [buffer.name for _, buffer in self.loop.states]
        given = [buffer.name for _, buffer in self.loop.given]
        ends = dict(zip([port.name for port in asked.ports()][len(self.loop.logs) :], carried, strict=False))
        logs = [log.name for log in self.loop.logs]
        self.of = self._known("of", of, [*logs, *ends])
        self.wrt = self._known("wrt", wrt, [*carried, *given])
        for name in self.of:
            if f"{name}_bar" in (*carried, *given):
                raise Error(f"{self.loop.name}: vjp: {name}_bar would be an input and the weights of {name}; rename it")
        self.coordinates, self._ends, self._asked = coordinates, ends, asked
        self._ways = backward(source, [name for name in self.wrt if name not in carried])
        self._forward, self._back = make(self._ways.forward), make(self._ways.back)
        self.name = f"{self.loop.name}_vjp_{'_'.join(self.of)}_{'_'.join(self.wrt)}"

    def __repr__(self) -> str:
        bars = ", ".join(f"{name}_bar" for name in self.wrt)
        return f"LoopGradient({self.loop.name}: {', '.join(self.of)} by {', '.join(self.wrt)} → {bars})"

    def _known(self, what: str, names: Any, known: Sequence[str]) -> tuple[str, ...]:
        names = checked.names(f"vjp: {what}", names, f"name some of {', '.join(known)}", known)
        for name in names:
            if name not in known:
                raise Error(f"{self.loop.name}: vjp: {what}: nothing is called {name!r}{suggestion(name, known)}")
        if not names or len({*names}) < len(names):
            raise Error(f"{self.loop.name}: vjp: {what}={', '.join(names)}; name at least one, each once")
        return names

    def __call__(
        self, start: Any = None, *, steps: int | None = None, seconds: float | None = None, **given: Any
    ) -> Any:
        """One lane."""
        found = self._run(steps, seconds, None, started(self.loop.name, start) | given)
        return found[0][0] if len(found) == 1 else self._record(None)([bar[0] for bar in found])

    def batch(
        self,
        start: Any = None,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        lanes: int | None = None,
        **given: Any,
    ) -> Any:
        """Many lanes at once: what is given, weights too, has an axis of lanes in front or is the same for all."""
        given = started(self.loop.name, start) | given
        turns = self._asked.turns(steps, seconds)
        plain = {name: value for name, value in given.items() if not name.endswith("_bar")}
        count = self._asked.count(plain, turns, lanes)
        found = self._run(steps, seconds, count, given)
        return found[0] if len(found) == 1 else self._record(0)(found)

    def _record(self, axis: int | None) -> Callable[[list[Any]], Results]:
        return record_type(tuple(Port(f"{name}_bar", (), "", "gradient") for name in self.wrt), lambda _: [], axis)

    # ---------------------------------------------------------------- there and back

    def _run(self, steps: Any, seconds: Any, count: int | None, given: dict[str, Any]) -> list[Array]:
        turns, lanes = self._asked.turns(steps, seconds), count or (1 if count is None else 0)
        bars = {name: self._bar(name, given.pop(f"{name}_bar", None), turns, lanes) for name in self.of}
        noise = {name: given.pop(name) for name in ("seed", "lane") if name in given}
        sheets = self._asked.sheets(given, turns, count)
        start = {b.name: np.broadcast_to(sheets[k], (lanes, *b.port.shape)) for k, b in self.loop.states}
        others = {b.name: sheets[k] for k, b in self.loop.given}
        fed = {name: _lanes(value, lanes) for name, value in others.items()}
        run = self._forward.batch(**start, **fed, **noise, steps=turns, lanes=lanes)
        if not np.all(run.finite):
            raise Error(f"{self.loop.name}: lane {int(np.argmin(run.finite))} does not stay finite: it has no gradient")
        back = self._back.batch(**self._given_back(run, start, fed, bars, turns), steps=turns, lanes=lanes)
        return [self._found(name, back, start) for name in self.wrt]

    def _bar(self, name: str, value: Any, turns: int, lanes: int) -> Array:
        """Weights of a log, turn by turn, or of what is carried at the end."""
        log = next((log for log in self.loop.logs if log.name == name), None)
        states = {buffer.name: k for k, buffer in self.loop.states}
        port = self.loop.buffers[log.buffer if log else states[self._ends[name]]].port
        shape = (turns // log.every, *port.shape) if log else port.shape
        weights = Port(f"{name}_bar", shape, "", f"weights of {name}")
        array = np.asarray(0.0 if value is None else numbers(self.loop.name, weights, value), float)
        if value is None or array.shape not in (shape, (lanes, *shape)):
            said = "is missing" if value is None else f"has shape {array.shape}"
            raise Error(f"{self.loop.name}: {name}_bar {said}; give the weights of {name}, {shape} or lanes in front")
        array = np.broadcast_to(array, (lanes, *shape))
        if log is None:
            return array
        rows = np.zeros((lanes, turns, *port.shape))
        rows[:, log.every - 1 :: log.every][:, : shape[0]] = array
        return rows

    def _given_back(
        self, run: Any, start: dict[str, Array], fed: dict[str, Array], bars: dict[str, Array], turns: int
    ) -> dict[str, Array]:
        """What the way back is given: all that a turn was, from the last to the first."""
        ways, known = self._ways, {buffer.name: buffer for _, buffer in self._back.loop.given}
        found = dict[str, Array]()
        for name in ways.recorded:
            if name in start:
                rows = np.concatenate([start[name][:, np.newaxis], run[name][:, :-1]], axis=1) if turns else run[name]
            else:
                rows = run[name] if name in run.names else fed[name]
            found[name] = rows[:, ::-1]
        found |= {name: fed[name] for name in self._course.held if name in known}
        for port in ways.logged.values():
            found[port] = np.zeros((len(run.turns), turns, *known[port].port.shape))
        for name, port in ways.logged.items():
            found[port] += bars[name][:, ::-1] if name in bars else 0.0
        ends = {self._ends[name]: bars[name] for name in self.of if name in self._ends and name not in ways.logged}
        for name, port in ways.carried.items():
            found[port] = ends.get(name, np.zeros(start[name].shape))
        return found

    def _found(self, name: str, back: Any, start: dict[str, Array]) -> Array:
        if name in self._ways.carried:
            return self._tangent(name, back.state[self._ways.carried[name]], start[name])
        if name in self._course.held:
            return back.state[f"{name} total"]
        return back[f"turn.{name}_bar"][:, ::-1]

    def _tangent(self, name: str, bar: Array, value: Array) -> Array:
        """The gradient along directions in which a configuration changes."""
        space = next(buffer.port.space for _, buffer in self.loop.states if buffer.name == name)
        if self.coordinates == "ambient" or isinstance(space, Flat):
            return bar
        units = np.eye(space.tangent)
        return np.array(
            [[np.dot(space.change(q, unit), b) for unit in units] for q, b in zip(value, bar, strict=True)], float
        )


def _lanes(array: Array, lanes: int) -> Array:
    """With its own axis of lanes, whether it had one or not."""
    return np.broadcast_to(array, (lanes, *array.shape[1:]))
