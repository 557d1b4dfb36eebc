"""What a table of transitions must obey before it becomes a machine, each breach one sentence.

Names are known; every state is reached, and left unless it is final; every event moves something; every row can come
to pass.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from motionc import checked
from motionc.control.row import ANY, TABLE, Row
from motionc.errors import Error, WrongType, suggestion

ACTION = (
    "a state is a name and does nothing: what differs from state to state is selected by the mode, and what jumps is "
    "a state port that entering a state resets (resets=)"
)
STATES = 'give names of states, such as ("STOP", "CRUISE")'


def states_of(states: Any) -> tuple[str, ...]:
    """The states, the first of which a machine starts in; a state with an action is refused."""
    if isinstance(states, Mapping):
        raise checked.refusal("Machine: states", states, ACTION, kind=WrongType)
    found = checked.several("Machine: states", states, STATES)
    for state in found:
        if not isinstance(state, str):
            raise checked.refusal("Machine: states", state, ACTION, kind=WrongType)
        checked.name("Machine: states", state, STATES)
    if len(found) < 2:
        raise checked.refusal("Machine: states", states, f"a machine has two states at least; {STATES}")
    if ANY in found:
        raise Error(f"Machine: states: {ANY!r} is the word for any state; choose another name")
    _once("states", found)
    return tuple(map(str, found))


def rows_of(rows: Any) -> tuple[Row, ...]:
    """The table, row by row."""
    found = checked.several("Machine: rows", rows, TABLE, Row)
    for row in found:
        if not isinstance(row, Row):
            raise checked.refusal("Machine: rows", row, TABLE, kind=WrongType)
    return found


def events_of(events: Any) -> tuple[str, ...]:
    """Names of events; a monitor stands for those it gives."""
    wanted = 'give names of events, or the monitors that see them: ("started", "timeout")'
    found = list[str]()
    for one in checked.several("Machine: events", events, wanted, str):
        given = getattr(one, "events", one)
        found += checked.names("Machine: events", given, wanted)
    _once("events", found)
    return tuple(found)


def known_names(states: Sequence[str], rows: Sequence[Row], events: Sequence[str], final: Sequence[str]) -> None:
    """Rows lead from states to states, by events that somebody gives."""
    _once("final", final)
    for state in final:
        if state not in states:
            raise Error(f"Machine: final: there is no state {state!r}{suggestion(state, states)}")
    for row in rows:
        for end in (row.from_, row.to):
            if end not in states and (end != ANY or end == row.to):
                raise Error(f"Machine: rows: {row}: there is no state {end!r}{suggestion(end, states)}")
        for event in row.events:
            if event not in events:
                raise Error(
                    f"Machine: rows: {row}: nobody gives event {event!r}; name its source in events="
                    f"{suggestion(event, events)}"
                )
    used = {event for row in rows for event in row.events}
    for event in events:
        if event not in used:
            raise Error(f"Machine: events: {event!r} moves nothing; write the row that waits for it, or leave it out")


def reached_and_left(states: Sequence[str], rows: Sequence[Row], sources: Sequence[Sequence[str]]) -> None:
    """From the first state every other is reached; `sources` are the states that each row leaves."""
    reached, new = {states[0]}, [states[0]]
    while new:
        state = new.pop()
        for row, left in zip(rows, sources, strict=True):
            if state in left and row.to not in reached:
                reached.add(row.to)
                new.append(row.to)
    for state in states:
        if state not in reached:
            raise Error(
                f"Machine: rows: state {state} is never reached from {states[0]}, where the machine starts; "
                "write a row that leads there, or leave it out"
            )


def ended(states: Sequence[str], rows: Sequence[Row], sources: Sequence[Sequence[str]], final: Sequence[str]) -> None:
    """Every state but the final ones is left, and final ones are not."""
    leaving = {state: row for row, left in zip(rows, sources, strict=True) for state in left if row.to != state}
    for state in states:
        if state in final and state in leaving:
            raise Error(f"Machine: final: {state} is left by {leaving[state]}; drop the row, or say it is not final")
        if state not in final and state not in leaving:
            raise Error(f"Machine: rows: state {state} is never left; write a row that does, or say final=({state!r},)")


def can_come_to_pass(rows: Sequence[Row], sources: Sequence[Sequence[str]], ticks: Sequence[int]) -> None:
    """No row is there twice, and none stands behind others that are always taken before it."""
    for k, row in enumerate(rows):
        if row in rows[:k]:
            raise Error(f"Machine: rows: {row} stands there twice; drop one")
        if not sources[k]:
            raise Error(f"Machine: rows: {row} leaves no state: all others are final; drop it")
        before = {
            state: earlier
            for i, earlier in reversed([*enumerate(rows[:k])])
            for state in sources[i]
            if set(earlier.events) <= set(row.events)
            and ticks[i] <= ticks[k]
            and (earlier.from_ == ANY or row.from_ != ANY or not ticks[k])
        }
        if all(state in before for state in sources[k]):
            raise Error(
                f"Machine: rows: {row} never comes to pass: {before[sources[k][0]]} stands before it, and the first "
                "row that holds wins; drop it, or put it first"
            )


def resets_of(resets: Any, states: Sequence[str], rows: Sequence[Row]) -> dict[str, tuple[str, ...]]:
    """Which state ports begin anew when a state is entered."""
    wanted = 'give {state: names of state ports}, such as {"APPROACH": ("bias", "gain")}'
    if not isinstance(resets, Mapping):
        raise checked.refusal("Machine: resets", resets, wanted, kind=WrongType)
    found = dict[str, tuple[str, ...]]()
    for state, ports in resets.items():
        checked.name("Machine: resets", state, wanted)
        if state not in states:
            raise Error(f"Machine: resets: there is no state {state!r}{suggestion(state, states)}")
        if not any(row.to == state for row in rows):
            raise Error(f"Machine: resets: no row enters {state}, so nothing is reset there; drop it")
        if callable(ports):
            raise checked.refusal(f"Machine: resets: {state}", ports, ACTION, kind=WrongType)
        names = checked.names(f"Machine: resets: {state}", ports, wanted)
        _once(f"resets: {state}", names)
        found[state] = names
    return found


def _once(what: str, names: Sequence[str]) -> None:
    for k, name in enumerate(names):
        if name in names[:k]:
            raise Error(f"Machine: {what}: {name} is there twice; name each once")
