"""Of what is a task made, and which of its loops run when? Components with typed ports, and a trace of what switches.

    component   what it reads and gives, with shape, unit and meaning; the events it waits for and raises; its state
    wire        which output an input reads
    loop        a controller that is on in a mode, and what it then keeps
    switch      at which time which events took a task from one mode to another, and which loops that turned on and off

(specs/motion-stack.md §2.17: components, ports and connectors for structure, events and a machine for coordination.)
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.control.machine import Machine
from motionc.control.part import event_port
from motionc.errors import Error
from motionc.program.port import Port, State
from motionc.program.wiring import Wiring
from motionc.runtime.computation import Computation
from motionc.tables import html_table, short
from motionc.tasks.directions import Directions, Task
from motionc.tasks.forces import Forces
from motionc.tasks.machines import BEHAVIOURS

OUTSIDE = "outside"
HEAD = ("component", "", "port", "shape", "unit", "from, to", "meaning")


@dataclass(frozen=True)
class Component:
    """A part of a task: ports with their types, events apart.

    Args:
        name: what it is called.
        inputs: what it reads; its state and events are not among them.
        outputs: what it gives, likewise.
        states: what it carries from cycle to cycle.
        awaits: events that it reads.
        raises: events that it gives.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    states: tuple[State, ...]
    awaits: tuple[str, ...]
    raises: tuple[str, ...]

    @staticmethod
    def of(name: str, inputs: Sequence[Port], outputs: Sequence[Port]) -> "Component":
        """A part with these ports."""
        return Component(
            name,
            tuple(port for port in inputs if not _event(port) and not isinstance(port, State)),
            tuple(port for port in outputs if not _event(port) and not isinstance(port, State)),
            tuple(port for port in inputs if isinstance(port, State)),
            tuple(port.name for port in inputs if _event(port)),
            tuple(port.name for port in outputs if _event(port)),
        )


class Components(Mapping[str, Computation]):
    """The parts of a task by name, in the order in which they run, and who feeds whom."""

    def __init__(self, parts: Mapping[str, Computation], wires: Wiring) -> None:
        self._parts, self._wires = dict(parts), wires

    def __getitem__(self, name: str) -> Computation:
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return Components, (self._parts, self._wires)

    @property
    def components(self) -> tuple[Component, ...]:
        """Each with its ports and events."""
        return tuple(Component.of(name, part.inputs, part.outputs) for name, part in self._parts.items())

    def giver(self, part: str, port: str) -> str:
        """Who gives an input, as "part.port"; "outside" where nobody does in the same cycle."""
        found = self._wires.given(part, port)
        return OUTSIDE if found is None else ".".join(found)

    def readers(self, part: str, port: str) -> tuple[str, ...]:
        """Who reads an output, as "part.port"."""
        return tuple(".".join(to) for to, of in self._wires.feeds.items() if of == (part, port))

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """A row a port, in words, under HEAD."""
        return [row for one in self.components for row in self._of(one)]

    def _of(self, one: Component) -> Iterator[tuple[str, ...]]:
        """A row a port, the name of the component in the first."""
        part, label = self._parts[one.name], one.name
        given = ((port, _kind(port, "in"), [self.giver(one.name, port.name)]) for port in part.inputs)
        made = ((port, _kind(port, "out"), self.readers(one.name, port.name)) for port in part.outputs)
        for port, kind, ends in (*given, *(each for each in made if not isinstance(each[0], State))):
            yield _row(label, kind, port, "carried on" if isinstance(port, State) else ", ".join(ends))
            label = ""

    def __str__(self) -> str:
        cells = [HEAD, *self.rows]
        wide = [max(len(row[k]) for row in cells) for k in range(len(HEAD) - 1)]
        return "\n".join(
            "  ".join((*(each.ljust(wide[k]) for k, each in enumerate(row[:-1])), row[-1])).rstrip() for row in cells
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table("Components", HEAD, self.rows)


def _kind(port: Port, way: str) -> str:
    if isinstance(port, State):
        return "state"
    return {"in": "waits for", "out": "raises"}[way] if _event(port) else way


def _row(name: str, kind: str, port: Port, ends: str) -> tuple[str, ...]:
    shape = "×".join(map(str, port.shape)) or "number"
    return (name, kind, port.name, shape, "" if _event(port) else port.unit, ends, _meaning(port))


def _meaning(port: Port) -> str:
    said = short(port.meaning, 80)
    return "" if _event(port) else said if port.relation is None else f"{port.relation}; {said}"


def _event(port: Port) -> bool:
    return port == event_port(port.name)


# ---------------------------------------------------------------- loops


def loops_in(task: Task, mode: str) -> dict[str, str]:
    """The loops that are on in a mode of a task, each with what it keeps.

    >>> from motionc.tasks import Move, Speed, Tube
    >>> loops_in(Move("tool", "T", x=Speed(0.1, 0.01), y=Tube(0.02)), "START_TO_CRUISE")
    {'abag_x': 'rest along x', 'abag_y': 'the middle of the tube along y', 'rest': 'what the task leaves free'}
    """
    does, asked = BEHAVIOURS[mode], Directions.of(task)
    if not does.rows:
        return {"stop": "the posture in which it stopped"}
    kept = dict[str, str]()
    for row in asked.rows:
        if row == "x" and asked.speed is not None:
            kept[row] = "the speed" if does.pace else "rest"
        elif does.still and row in asked.tubes:
            kept[row] = "rest"
        else:
            kept[row] = "the tube" if does.tolerant else "the middle of the tube"
    loops = {f"abag_{row}": f"{what} along {row}" for row, what in kept.items()}
    for row in Forces.of(task).bands:
        loops[f"abag_{row}"] = f"{'the force' if does.presses else 'the approach'} along {row}"
    return {**loops, "rest": "what the task leaves free"}


@dataclass(frozen=True)
class Switch:
    """A change of modes in a run: when, by which events, and what that did to loops.

    Args:
        time: when (s).
        events: those that the machine moved by.
        before: the mode that was left.
        after: the mode that was entered.
        on: loops that it turned on, or that keep something else from then on.
        off: loops that it turned off.
    """

    time: float
    events: tuple[str, ...]
    before: str
    after: str
    on: Mapping[str, str]
    off: tuple[str, ...]

    def __str__(self) -> str:
        said = [f"{loop} keeps {what}" for loop, what in self.on.items()]
        said += [f"{loop} is off" for loop in self.off]
        return f"{self.time:8.3f} s  {' & '.join(self.events)}: {self.before} → {self.after}; {'; '.join(said)}"


class Trace(tuple[Switch, ...]):
    """The switches of a run in order; printed, a line each."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    __repr__ = __str__


def traced(task: Task, machine: Machine, times: Any, mode: Any, events: Sequence[Sequence[str]]) -> Trace:
    """Which loops of a task were switched, when, and by which events: read off what a run logged each cycle.

    Args:
        task: what was to be done.
        machine: its table.
        times: of cycles (s).
        mode: number of the mode in each.
        events: names of those seen in each.
    """
    seconds, modes = np.asarray(times, float), np.asarray(mode, float)
    if not seconds.shape == modes.shape == (len(events),):
        raise Error(
            f"traced: {seconds.shape} times, {modes.shape} modes, {len(events)} events; give those of one lane, logged "
            "each cycle"
        )
    found, before = list[Switch](), machine.states[0]
    for k, number in enumerate(modes):
        after = machine.states[int(number)]
        if after != before:
            found.append(_switch(task, machine, float(seconds[k]), before, after, {*events[k]}))
        before = after
    return Trace(found)


def _switch(task: Task, machine: Machine, time: float, before: str, after: str, seen: set[str]) -> Switch:
    """A change, and the row of the table that made it."""
    row = next(
        (
            row
            for row in machine.rows
            if row.to == after and before in machine.sources(row) and seen.issuperset(row.events)
        ),
        None,
    )
    if row is None:
        raise Error(
            f"traced: {before} → {after} at {time:g} s, but no row of the machine does that by "
            f"{', '.join(sorted(seen)) or 'no event'}; log mode and events of the same cycles"
        )
    was, now = loops_in(task, before), loops_in(task, after)
    on = {loop: what for loop, what in now.items() if was.get(loop) != what}
    return Switch(time, row.events, before, after, on, tuple(loop for loop in was if loop not in now))
