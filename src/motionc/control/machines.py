"""Several machines that watch each other: what one enters in a tick is an event for the others in the next.

So it does not matter in which order they are written: all read one snapshot.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.machine import NOWHERE, Machine, Now
from motionc.control.part import Part, event_port, reset_port
from motionc.errors import Error, WrongType, suggestion
from motionc.program.port import Port, State


@dataclass(frozen=True)
class Machines(Part):
    """State machines side by side; the event "door.OPEN" is seen by others a tick after machine `door` entered OPEN.

    >>> from motionc.control import Row
    >>> door = Machine(("SHUT", "OPEN"), (Row("SHUT", "push", "OPEN"), Row("OPEN", "push", "SHUT")), ("push",))
    >>> lamp = Machine(("OFF", "ON"), (Row("OFF", "door.OPEN", "ON"), Row("ON", "door.SHUT", "OFF")),
    ...     ("door.OPEN", "door.SHUT"))
    >>> both = Machines({"door": door, "lamp": lamp})
    >>> now = both.next(both.start(), ["push"])
    >>> now["door"].state, now["lamp"].state, both.next(now, [])["lamp"].state
    ('OPEN', 'OFF', 'ON')

    Args:
        machines: by name.
    """

    machines: Mapping[str, Machine] = field(hash=False)

    def __post_init__(self) -> None:
        wanted = 'give machines by name: {"door": Machine(…)}'
        given = checked.instance("Machines: machines", self.machines, Mapping, wanted)
        if not given:
            raise checked.refusal("Machines: machines", self.machines, wanted)
        for name, machine in given.items():
            checked.name("Machines: machines", name, wanted)
            if not isinstance(machine, Machine):
                raise WrongType(f"Machines: machines: {name} is {checked.shown(machine)}; {wanted}")
        object.__setattr__(self, "machines", dict(given))
        lasting = {name: machine.dt for name, machine in self.machines.items() if machine.dt is not None}
        if len({*lasting.values()}) > 1:
            said = ", ".join(f"{name} {dt:g} s" for name, dt in lasting.items())
            raise Error(f"Machines: machines: their ticks differ ({said}); machines that watch each other share one dt")
        for name, machine in self.machines.items():
            for event in machine.events:
                self._source(name, event)
        taken = [port for machine in self.machines.values() for port in machine.reset_ports]
        for port in taken:
            if taken.count(port) > 1:
                raise Error(f"Machines: machines: two of them reset {port}; one decides when it begins anew")

    def _source(self, name: str, event: str) -> tuple[str, str] | None:
        """Which machine gives an event by entering which state; None where it comes from outside."""
        giver, dot, state = event.partition(".")
        if not dot:
            return None
        if giver not in self.machines:
            raise Error(f"Machines: {name}: event {event!r}: no machine is {giver!r}{suggestion(giver, self.machines)}")
        states = self.machines[giver].states
        if state not in states:
            raise Error(f"Machines: {name}: event {event!r}: {giver} has no state {state!r}{suggestion(state, states)}")
        return giver, state

    @property
    def events(self) -> tuple[str, ...]:
        """Those that come from outside."""
        named = [(name, event) for name, machine in self.machines.items() for event in machine.events]
        return tuple(dict.fromkeys(event for name, event in named if self._source(name, event) is None))

    # ---------------------------------------------------------------- interpreted

    def start(self) -> dict[str, Now]:
        """Where all of them start."""
        return {name: machine.start() for name, machine in self.machines.items()}

    def next(self, now: Mapping[str, Now], events: Iterable[str] | Mapping[str, Any]) -> dict[str, Now]:
        """One tick of all of them, on what is seen from outside and what was entered in the last tick."""
        wanted = f"give where each is: {', '.join(self.machines)}"
        given = checked.instance("Machines: now", now, Mapping, wanted)
        for name in self.machines:
            if not isinstance(given.get(name), Now):
                raise checked.refusal(f"Machines: now: {name}", given.get(name), wanted, kind=WrongType)
        wanted = f"name those of {', '.join(self.events)} that are seen"
        names = checked.names("Machines: events", list(events), wanted)
        for name in names:
            if name not in self.events:
                raise Error(f"Machines: events: there is no event {name!r}{suggestion(name, self.events)}")
        seen = {name for name in names if not isinstance(events, Mapping) or events[name]}
        entered = {f"{name}.{where.entered}" for name, where in given.items()}
        return {
            name: machine.next(given[name], (seen | entered).intersection(machine.events))
            for name, machine in self.machines.items()
        }

    # ---------------------------------------------------------------- compiled

    @property
    def called(self) -> str:
        return "machines"

    @property
    def equation(self) -> str:
        return "; ".join(f"{own}: {machine}" for own, machine in self.machines.items())

    @property
    def inputs(self) -> Sequence[Port]:
        """Events from outside, then of every machine `<machine>_mode`, `<machine>_held` and `<machine>_entered`."""
        return (*map(event_port, self.events), *(state for own in self.machines for state in self._states(own)))

    @property
    def outputs(self) -> Sequence[Port]:
        """Which state ports of others begin anew."""
        return [reset_port(port) for machine in self.machines.values() for port in machine.reset_ports]

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        told = dict[str, Any]()
        for own, machine in self.machines.items():
            seen = {event: self._seen(own, event, given) for event in machine.events}
            mode, counts, entered = machine.ticked(given[f"{own}_mode"], given.get(f"{own}_held", ()), seen)
            told |= {f"{own}_mode": mode, f"{own}_entered": entered, **machine.resets_told(entered)}
            if machine.waiting:
                told[f"{own}_held"] = np.array(counts, object)
        return told

    def _states(self, name: str) -> Iterator[Port]:
        machine = self.machines[name]
        yield machine.mode_port(f"{name}_mode")
        if machine.waiting:
            yield machine.held_port(f"{name}_held")
        meaning = f"state that {name} entered in the last tick, -1 none: {machine.legend}"
        yield State(f"{name}_entered", (), "1", meaning, NOWHERE, space=machine.mode_port().space)

    def _seen(self, name: str, event: str, given: Mapping[str, Any]) -> Any:
        """Whether an event is seen: told from outside, or entered by another machine a tick ago."""
        source = self._source(name, event)
        if source is None:
            return given[event]
        giver, state = source
        return given[f"{giver}_entered"].equal(self.machines[giver].states.index(state))
