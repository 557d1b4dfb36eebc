"""From wired parts to a loop in time: every input has one who gives it, every feedback fits, every rate is whole."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from math import isclose
from typing import Any

from motionc.errors import Error, suggestion
from motionc.program.block import Nobody
from motionc.program.fit import misfit
from motionc.program.loop import Buffer, Log, Loop, Use
from motionc.program.noise import Kind
from motionc.program.port import Port, Precision, State
from motionc.program.source import Named
from motionc.program.together import unique_names
from motionc.program.wiring import Address, Wiring, common_precision, expect_fit, outside_ports

TOLD = frozenset(("self", "steps", "seconds", "lanes", "seed", "lane", "threads"))
TELLS = frozenset(("turns", "finite", "names"))
"""What a run is told by name, and tells, whatever the ports; its `state`, `time` and `times` give way to theirs."""


@dataclass(frozen=True)
class Course:
    """What happens to inputs that no part gives in the same turn, and what is written down.

    `feedback` says which output an input becomes, from turn to turn; `held` stays, `streamed` comes anew each turn,
    `drawn` from a generator, and `clock` counts the time. `rates` says how many turns pass between two runs of a part,
    `start` what is fed back before the first turn, or held, unless it is given.
    """

    feedback: Mapping[str, str] = field(default_factory=dict[str, str])
    held: Sequence[str] = ()
    streamed: Sequence[str] = ()
    drawn: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    clock: str = ""
    rates: Mapping[str, int] = field(default_factory=dict[str, int])
    logged: Mapping[str, int] = field(default_factory=dict[str, int])
    until: str = ""
    period: float = 1.0
    start: Mapping[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])


def looped(wires: Wiring, course: Course) -> Loop:
    """The loop of these parts; refused, by name, where something is missing or does not fit."""
    made = _Making(wires, course)
    return made.loop()


class LoopSource:
    """A loop as those see it who build it: a name, whose it is, an identity, and `program`.

    `options` are those of a computation that is this loop, from which all of it follows.
    """

    def __init__(self, wires: Wiring, course: Course, options: Any = None) -> None:
        self.wires, self.course, self.options, self.name = wires, course, options, wires.name
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
        return LoopSource, (self.wires, self.course, self.options)


class _Making:
    """Buffers and uses in the making: a buffer for each input from outside, each state, each output that is read."""

    def __init__(self, wires: Wiring, course: Course) -> None:
        self.wires, self.course, self.name = wires, course, wires.name
        self.outside = {port.name: port for port in outside_ports(wires)}
        self.buffers: list[Buffer] = []
        self.read: dict[Address, int] = {}
        self.written: dict[Address, int] = {}
        self.known: dict[str, int] = {}
        self.fed: list[tuple[Address, int]] = []

    def loop(self) -> Loop:
        self._expect_known()
        self._outside()
        self._states()
        self._feedback()
        read = [*self.wires.feeds.values(), *(address for address, _ in self.fed)]
        wanted = {address: None for address in read if address not in self.written}
        logged = {name: self._logged("log", name, wanted) for name in self.course.logged}
        until = self._logged("until", self.course.until, wanted) if self.course.until else None
        self._locals(list(wanted))
        parts = self.wires.parts.items()
        uses = [
            Use(
                part,
                source,
                tuple(self._reads(part, port.name) for port in source.inputs),
                tuple(self.written.get((part, port.name), -1) for port in source.outputs),
                self.course.rates.get(part, 1),
            )
            for part, source in parts
            if any((part, port.name) in self.written for port in source.outputs)
        ]
        if not uses:
            raise Error(f"{self.name}: nothing of it is carried on or written down; name outputs, log=[…]")
        copies = [(self.written[address], place) for address, place in self.fed if self.written[address] != place]
        logs = tuple(Log(name, self._place(mark), self.course.logged[name]) for name, mark in logged.items())
        end = -1 if until is None else self._place(until)
        if end >= 0 and self.buffers[end].port.shape:
            shape = self.buffers[end].port.shape
            raise Error(f"{self.name}: until={self.course.until!r} has shape {shape}; one number ends a lane")
        precision = common_precision(self.name, list(self.wires.parts.values()))
        return Loop(
            self.name, tuple(self.buffers), tuple(uses), tuple(copies), logs, end, self.course.period, precision
        )

    # ---------------------------------------------------------------- what is said

    def _expect_known(self) -> None:
        """Every word is about an input from outside, and about each one only."""
        course, said = self.course, dict[str, str]()
        ways = {
            "feedback": list(course.feedback),
            "held": list(course.held),
            "streamed": list(course.streamed),
            "drawn": list(course.drawn),
            "clock": [course.clock] if course.clock else [],
        }
        for way, names in ways.items():
            for name in names:
                if name not in self.outside:
                    raise Error(f"{self.name}: {way}: {self._who_gives(name)}")
                if name in said:
                    raise Error(
                        f"{self.name}: {name} is said twice, {said[name]} and {way}; say how it comes about once"
                    )
                said[name] = way
        self._expect_starts()
        for name, port in self.outside.items():
            if name not in said:
                next_one = [f"{name}_next"] if any(one.name == f"{name}_next" for one in self._outputs()) else []
                output = next_one[0] if next_one else "…"
                raise Error(
                    f"{self.name}: nobody gives {name} ({port.meaning}): {self._could_give(name, port)}feed an output "
                    f"back (feedback={{{name!r}: {output!r}}}), hold it (held=[{name!r}]), stream it in "
                    f"(streamed=[{name!r}]), draw it (drawn={{{name!r}: 'normal'}}) or count time (clock={name!r})"
                )
        self._expect_names()
        for part, every in course.rates.items():
            if part not in self.wires.parts:
                raise Error(f"{self.name}: rates: there is no part {part!r}{suggestion(part, self.wires.parts)}")
            if every < 1:
                raise Error(f"{self.name}: rates: {part} runs every {every} turns; give a whole number ≥ 1")
        self._expect_pace()

    def _expect_pace(self) -> None:
        """Parts made for a time run after just that; of steps that go on from one another, after that of all."""
        period = self.course.period
        for part, dt in _spans(self.wires):
            every = self.course.rates.get(part, 1)
            if not isclose(dt, every * period):
                raise Error(
                    f"{self.name}: {part} moves on by {dt:g} s each time it runs, and runs every {every * period:g} s; "
                    f"say period={dt / every:g}, or make it with dt={every * period:g}"
                )

    def _expect_starts(self) -> None:
        for name, values in self.course.start.items():
            known = (*self.course.feedback, *self.course.held)
            if name not in known:
                raise Error(
                    f"{self.name}: start: {name!r} is neither fed back nor held, which alone have a first value"
                    f"{suggestion(name, known)}"
                )
            port = self.outside[name]
            if len(values) != port.size:
                raise Error(f"{self.name}: start: {name} has {len(values)} entries; it must be {port.shape}")

    def _expect_names(self) -> None:
        """What is given to a run, or read off it, by name is nothing that it is told, or tells, anyway."""
        course = self.course
        carried = [*course.feedback, *(port.name for port in self._inputs() if isinstance(port, State))]
        given, read = {*carried, *course.held, *course.streamed}, {*carried, *course.logged}
        for name in sorted((given & TOLD) | (read & TELLS)):
            raise Error(f"{self.name}: a run says {name!r} itself; give the port another name, in a block around it")

    def _could_give(self, name: str, wanted: Port) -> str:
        """Outputs of parts before the one that takes it that would fit, as a way to say so."""
        reader = next(part for part, port in self.wires.outside() if port.name == name)
        earlier = takewhile(lambda part: part != reader, self.wires.parts)
        fit = [
            f"{part}.{port.name}"
            for part in earlier
            for port in self.wires.parts[part].outputs
            if not isinstance(port, State) and port.unit == wanted.unit and misfit(port, wanted) is None
        ]
        said = ", ".join(f"feeds={{'{reader}.{name}': {output!r}}}" for output in fit[-2:])
        return f"wire an output of this turn ({said}), " if fit else ""

    def _who_gives(self, name: str) -> str:
        if any(address[1] == name or ".".join(address) == name for address in self.wires.feeds):
            return f"{name} is given by another part in the same turn; give the loop nothing for it"
        if any(isinstance(port, State) and port.name == name for port in self._inputs()):
            return f"{name} is state, which its part carries on by itself"
        if name.partition(".")[2] in self.outside:
            return f"what comes from outside goes by its name alone: say {name.partition('.')[2]!r}"
        return f"no part has an input {name!r} from outside{suggestion(name, self.outside)}"

    def _inputs(self) -> list[Port]:
        return [port for source in self.wires.parts.values() for port in source.inputs]

    def _outputs(self) -> list[Port]:
        return [port for source in self.wires.parts.values() for port in source.outputs]

    # ---------------------------------------------------------------- buffers

    def _add(self, buffer: Buffer) -> int:
        self.buffers.append(buffer)
        self.known[buffer.name] = len(self.buffers) - 1
        return len(self.buffers) - 1

    def _outside(self) -> None:
        course = self.course
        for name, port in self.outside.items():
            if name in course.feedback:
                buffer = Buffer(port, "state", course.start.get(name))
            elif name in course.held:
                buffer = Buffer(port, "held", course.start.get(name))
            elif name in course.streamed:
                buffer = Buffer(port, "streamed")
            elif name in course.drawn:
                _expect_numbers(self.name, port)
                buffer = Buffer(port, "drawn", drawn=course.drawn[name])
            else:
                _expect_clock(self.name, port)
                buffer = Buffer(port, "clock")
            place = self._add(buffer)
            for part, other in self.wires.outside():
                if other.name == name:
                    self.read[part, name] = place

    def _states(self) -> None:
        """State of parts, under names of their own."""
        carried = [
            (part, port)
            for part, source in self.wires.parts.items()
            for port in source.inputs
            if isinstance(port, State)
        ]
        taken = [("", name) for name in self.known]
        names = unique_names([*taken, *((part, port.name) for part, port in carried)])[len(taken) :]
        for (part, port), name in zip(carried, names, strict=True):
            place = self._add(Buffer(replace(port, name=name), "state", port.start))
            self.read[part, port.name] = self.written[part, port.name] = place

    def _feedback(self) -> None:
        for name, output in self.course.feedback.items():
            (address,) = self.wires.find(f"feedback={{{name!r}: {output!r}}}", output, "output")
            expect_fit(self.name, self.wires.port(address, "output"), self.outside[name], address, ("feedback", name))
            self.fed.append((address, self.known[name]))
            if address not in self.written and not self._read_after(address[0], name):
                self.written[address] = self.known[name]

    def _read_after(self, part: str, name: str) -> bool:
        """Whether a part behind this one reads what comes from outside under a name: it wants what was before."""
        order = list(self.wires.parts)
        return any(order.index(reader) > order.index(part) for reader, read in self.read if read == name)

    def _logged(self, what: str, name: str, wanted: dict[Address, None]) -> int | Address:
        """A buffer that is to be read at the end of a turn: one that is there, or an output that needs one."""
        if name in self.known:
            if self.buffers[self.known[name]].role in ("held", "streamed"):
                raise Error(f"{self.name}: {what}: {name} is given from outside, and known there")
            return self.known[name]
        (address,) = self.wires.find(what, name, "output")
        if address not in self.written:
            wanted[address] = None
        return address

    def _place(self, mark: "int | Address") -> int:
        return mark if isinstance(mark, int) else self.written[mark]

    def _locals(self, addresses: Sequence[Address]) -> None:
        """Outputs that others read, or that are logged; carried on where a faster part reads them in between."""
        taken = [("", name) for name in self.known]
        names = unique_names([*taken, *addresses])[len(taken) :]
        for address, name in zip(addresses, names, strict=True):
            every = self.course.rates.get(address[0], 1)
            port = replace(self.wires.port(address, "output"), name=name)
            # what stays over turns is state: a run may be cut anywhere
            start = (0.0,) * port.size
            self.written[address] = self._add(Buffer(port, "state", start) if every > 1 else Buffer(port, "local"))

    def _reads(self, part: str, port: str) -> int:
        giver = self.wires.given(part, port)
        return self.read[part, port] if giver is None else self.written[giver]


def _spans(wires: Wiring) -> list[tuple[str, float]]:
    """By how much time parts move on when they run; a part that is fed by one of its kind goes on from there."""
    found = list[tuple[str, float]]()
    spans, chained = dict[str, float](), set[str]()
    for part, source in wires.parts.items():
        inner: Wiring | None = getattr(source, "wires", None)
        found += [] if source.period or inner is None else [(part, time) for _, time in _spans(inner)]
        if source.period:
            givers = {giver for (reader, _), (giver, _) in wires.feeds.items() if reader == part}
            before = [giver for giver in givers if giver in spans and wires.parts[giver].name == source.name]
            spans[part] = source.period + sum(spans[giver] for giver in before)
            chained |= {*before}
    return found + [(part, time) for part, time in spans.items() if part not in chained]


def _expect_numbers(name: str, port: Port) -> None:
    if port.space.quaternions:
        raise Error(
            f"{name}: drawn: {port.name} has quaternions, and numbers drawn one by one are none; hold or stream it"
        )


def _expect_clock(name: str, port: Port) -> None:
    if port.shape or port.unit not in ("s", ""):
        raise Error(
            f"{name}: clock: {port.name} is {port.shape or 'a number'} in {port.unit}; a clock is one number in s"
        )
