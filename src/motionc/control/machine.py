"""What does a robot do next? A state machine: a table of transitions, the first row that holds wins.

    one snapshot of events and at most one transition a tick; held rows wait for their event to last; entering a state
    may reset state ports, which is the only discrete act

Read three ways: checked when it is made, interpreted (`next`), compiled into a chain of selects (`computation`), where
the mode is a number in a state port. What a state does is no matter of the machine: gains, setpoints and switches are
`selected` by the mode.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from motionc import checked
from motionc.control import rules
from motionc.control.part import Part, event_port, reset_name, reset_port, seconds, ticks
from motionc.control.row import ANY, Row
from motionc.errors import Error, WrongType, suggestion
from motionc.program.build import Value
from motionc.program.port import Port, State
from motionc.program.space import Choices

Array = np.ndarray[Any, np.dtype[Any]]
NOWHERE = -1.0
"""What is entered in a tick without a transition."""


@dataclass(frozen=True, slots=True)
class Now:
    """Where a machine is: its state, how many ticks each held row has waited, and what was entered in the last tick."""

    state: str
    held: tuple[int, ...] = ()
    entered: str | None = None


@dataclass(frozen=True)
class Machine(Part):
    """A state machine as a table: states, rows (from, event, to), events and where they come from.

    >>> door = Machine(("SHUT", "OPEN"), (Row("SHUT", "push", "OPEN"), Row(ANY, "wind", "SHUT")), ("push", "wind"))
    >>> now = door.next("SHUT", ["push"])
    >>> now.state, door.next(now, {"push": 1, "wind": 1}).state
    ('OPEN', 'SHUT')
    >>> door.computation("door")(1.0, 0.0, 0.0).mode
    1.0

    Args:
        states: names; the machine starts in the first.
        rows: transitions, of which the first that holds is taken.
        events: who gives events: names of those told with each tick, or monitors.
        final: states that are never left.
        resets: {state: state ports of other blocks that begin anew when it is entered}.
        dt: seconds a tick; wanted where a row is held.
    """

    states: Sequence[str]
    rows: Sequence[Row]
    events: Sequence[Any]
    _: KW_ONLY
    final: Sequence[str] = ()
    resets: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]], hash=False)
    dt: float | None = None

    def __post_init__(self) -> None:
        keep = object.__setattr__
        keep(self, "states", rules.states_of(self.states))
        keep(self, "rows", rules.rows_of(self.rows))
        keep(self, "events", rules.events_of(self.events))
        keep(self, "final", checked.names("Machine: final", self.final, "name the states that are never left"))
        keep(self, "resets", rules.resets_of(self.resets, self.states, self.rows))
        if self.dt is not None:
            keep(self, "dt", seconds("Machine: dt", self.dt))
        rules.known_names(self.states, self.rows, self.events, self.final)
        sources = [self.sources(row) for row in self.rows]
        rules.reached_and_left(self.states, self.rows, sources)
        rules.ended(self.states, self.rows, sources, self.final)
        rules.can_come_to_pass(self.rows, sources, self._ticks)

    def __str__(self) -> str:
        return "; ".join(map(str, self.rows))

    def sources(self, row: Row) -> tuple[str, ...]:
        """The states that a row leaves."""
        if row.from_ != ANY:
            return (row.from_,)
        return tuple(state for state in self.states if state != row.to and state not in self.final)

    @cached_property
    def _ticks(self) -> tuple[int, ...]:
        """How many ticks each row's event must have been seen before the one in which it is taken."""
        return tuple(ticks(f"Machine: rows: {row}", row.held, self.dt) for row in self.rows)

    @cached_property
    def waiting(self) -> tuple[int, ...]:
        """The rows that are held, by their numbers; each has a count of ticks."""
        return tuple(k for k, wait in enumerate(self._ticks) if wait)

    @cached_property
    def reset_ports(self) -> tuple[str, ...]:
        """The state ports that some state resets."""
        return tuple(dict.fromkeys(port for ports in self.resets.values() for port in ports))

    # ---------------------------------------------------------------- interpreted

    def start(self) -> Now:
        """The first state, nothing waited for."""
        return Now(self.states[0], (0,) * len(self.waiting))

    def next(self, now: Now | str, events: Iterable[str] | Mapping[str, Any]) -> Now:
        """One tick: where the machine is after it, given the events that are seen, or which are (1) and are not (0)."""
        now, seen = self._where(now), self._seen(events)
        here = [now.state in self.sources(row) and seen.issuperset(row.events) for row in self.rows]
        waited = dict(zip(self.waiting, now.held, strict=True))
        taken = next(
            (row for k, row in enumerate(self.rows) if here[k] and waited.get(k, 0) >= self._ticks[k]),
            None,
        )
        # what is held begins anew with each state, except where any state will do
        held = tuple(
            min(waited[k] + 1, self._ticks[k]) if here[k] and (taken is None or self.rows[k].from_ == ANY) else 0
            for k in self.waiting
        )
        return Now(now.state, held) if taken is None else Now(taken.to, held, taken.to)

    def resetting(self, now: Now) -> tuple[str, ...]:
        """The state ports that begin anew in this tick."""
        return tuple(self.resets.get(now.entered, ())) if now.entered else ()

    def _where(self, now: Any) -> Now:
        where = Now(now, (0,) * len(self.waiting)) if isinstance(now, str) else now
        if not isinstance(where, Now):
            raise checked.refusal("Machine: state", now, "give a state, or what next returned", kind=WrongType)
        self.expect("state", where.state)
        if len(where.held) != len(self.waiting):
            raise Error(f"Machine: state {now} has waited for {len(where.held)} rows, not {len(self.waiting)}")
        return where

    def _seen(self, events: Any) -> frozenset[str]:
        wanted = f"name those of {', '.join(self.events)} that are seen"
        if isinstance(events, Mapping):
            names = checked.names("Machine: events", list(events), wanted)
            numbers = [events[name] for name in names]
            given = {name for name, value in zip(names, numbers, strict=True) if value}
        else:
            names = checked.names("Machine: events", events, wanted)
            given = {*names}
        for name in names:
            if name not in self.events:
                raise Error(f"Machine: events: there is no event {name!r}{suggestion(name, self.events)}")
        return frozenset(given)

    def expect(self, what: str, state: str) -> int:
        """The number of a state that there is."""
        checked.name(f"Machine: {what}", state, f"name one of {', '.join(self.states)}")
        if state not in self.states:
            raise Error(f"Machine: {what}: there is no state {state!r}{suggestion(state, self.states)}")
        return self.states.index(state)

    # ---------------------------------------------------------------- compiled

    def ticked(self, mode: Value, held: Sequence[Value], seen: Mapping[str, Value]) -> tuple[Any, list[Any], Any]:
        """One tick on values: the next mode, the next counts of held rows, and the state entered, or -1."""
        here = [self._is_here(row, mode, seen) for row in self.rows]
        waited = dict(zip(self.waiting, held, strict=True))
        entered: Any = NOWHERE
        for k, row in reversed([*enumerate(self.rows)]):
            holds = here[k].select(waited[k] >= self._ticks[k], 0.0) if k in waited else here[k]
            entered = holds.select(self.states.index(row.to), entered)
        moved = entered >= 0.0
        counts = list[Any]()
        for k in self.waiting:
            goes_on = here[k] if self.rows[k].from_ == ANY else moved.select(0.0, here[k])
            counts.append(goes_on.select((waited[k] + 1.0).minimum(self._ticks[k]), 0.0))
        return moved.select(entered, mode), counts, entered

    def _is_here(self, row: Row, mode: Value, seen: Mapping[str, Value]) -> Any:
        """Whether the machine is where the row leaves, and all its events are seen."""
        left = self.sources(row)
        others = [state for state in self.states if state not in left]
        if len(left) <= len(others):
            here = mode.equal(self.states.index(left[0]))
            for state in left[1:]:
                here = mode.equal(self.states.index(state)).select(1.0, here)
        else:
            here = mode.not_equal(self.states.index(others[0]))
            for state in others[1:]:
                here = mode.equal(self.states.index(state)).select(0.0, here)
        for event in row.events:
            here = seen[event].select(here, 0.0)
        return here

    def mode_port(self, name: str = "mode") -> State:
        """The mode, a number in a state port."""
        return State(name, (), "1", f"state of the machine: {self.legend}", space=Choices(1, len(self.states)))

    @property
    def legend(self) -> str:
        """The number of every state."""
        return ", ".join(f"{k} {state}" for k, state in enumerate(self.states))

    @property
    def called(self) -> str:
        return "machine"

    @property
    def equation(self) -> str:
        return str(self)

    @property
    def inputs(self) -> Sequence[Port]:
        """Events by their names, then `mode` and, where rows are held, `held`: the ticks they have waited."""
        return (*map(event_port, self.events), self.mode_port(), *([self.held_port()] if self.waiting else ()))

    @property
    def outputs(self) -> Sequence[Port]:
        """What was entered, and which state ports of others begin anew."""
        entered = Port("entered", (), "1", f"state entered in this tick, -1 for none: {self.legend}")
        return (entered, *map(reset_port, self.reset_ports))

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        mode, counts, entered = self.ticked(given["mode"], given.get("held", ()), given)
        told = {"mode": mode, "entered": entered, **self.resets_told(entered)}
        return told | ({"held": np.array(counts, object)} if self.waiting else {})

    def held_port(self, name: str = "held") -> State:
        """How many ticks held rows have waited."""
        meaning = f"ticks each held row has waited: {'; '.join(str(self.rows[k]) for k in self.waiting)}"
        size = len(self.waiting)
        return State(name, (size,), "1", meaning, space=Choices(size, 1 + max(self._ticks)))

    def resets_told(self, entered: Any) -> dict[str, Any]:
        """Of every state port that some state resets, whether that state was entered."""
        told = dict[str, Any]()
        for port in self.reset_ports:
            told[reset_name(port)] = 0.0
            for state in (state for state, ports in self.resets.items() if port in ports):
                told[reset_name(port)] = entered.equal(self.states.index(state)).select(1.0, told[reset_name(port)])
        return told

    # ---------------------------------------------------------------- what differs from state to state

    def selected(self, mode: Any, values: Mapping[str, Any]) -> Any:
        """What a state has of something that all have: a gain, a setpoint, a switch; numbers or values, in any shape.

        >>> door = Machine(("SHUT", "OPEN"), (Row("SHUT", "push", "OPEN"), Row(ANY, "wind", "SHUT")), ("push", "wind"))
        >>> door.selected("OPEN", {"SHUT": 0.0, "OPEN": 0.3})
        0.3
        """
        given = checked.instance("selected: values", values, Mapping, "give {state: value}")
        for state in given:
            self.expect("selected: values", checked.name("selected: values", state, "give {state: value}"))
        for state in self.states:
            if state not in given:
                raise Error(f"Machine: selected: state {state} is not said; every state has a value")
        if isinstance(mode, str):
            self.expect("selected: mode", mode)
            return given[mode]
        if not isinstance(mode, Value):
            known, wanted = range(len(self.states)), f"give one of {self.legend}"
            return given[self.states[int(checked.number("selected: mode", mode, wanted, fits=known.__contains__))]]
        found: Any = np.asarray(given[self.states[-1]], object)
        for k, state in reversed([*enumerate(self.states[:-1])]):
            here = mode.equal(float(k))
            value, found = np.broadcast_arrays(np.asarray(given[state], object), found)
            found = np.frompyfunc(here.select, 2, 1)(value, found)
        return found if np.ndim(found) else np.asarray(found, object).item()
