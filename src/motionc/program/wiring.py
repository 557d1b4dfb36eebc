"""Who gives what to whom? Parts in the order in which they run, each input fed by an earlier output or from outside.

An input is fed by what `feeds` says, else by the output of that name of an earlier part, else from outside. A port is
addressed by its name, or by part and name ("plant.tau") where several have it. What does not fit is refused before
there is a number: wrong frames, points, units and orders with the repair, a part that reads what comes later or what
follows from itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from motionc import checked
from motionc.errors import Error, WrongType, suggestion
from motionc.program.fit import misfit
from motionc.program.port import Port, State
from motionc.program.source import Source
from motionc.program.space import Flat

Address = tuple[str, str]
"""A part, and one of its ports."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """What each part's inputs are fed by; inputs that are not in it come from outside. State is its part's own."""

    name: str
    parts: Mapping[str, Source]
    feeds: Mapping[Address, Address]

    def given(self, part: str, port: str) -> Address | None:
        """Which output an input reads."""
        return self.feeds.get((part, port))

    def outside(self) -> Iterator[tuple[str, Port]]:
        """Inputs that no part gives, state apart, with the part that takes them."""
        for part, source in self.parts.items():
            for port in source.inputs:
                if not isinstance(port, State) and (part, port.name) not in self.feeds:
                    yield part, port

    def find(self, what: str, address: str, way: str, among: Sequence[str] | None = None) -> list[Address]:
        """The ports an address names: inputs of that name of all parts, or the one output."""
        found = list(self._named(address, way))
        if not found:
            known = [port.name for source in self.parts.values() for port in _ports(source, way)]
            raise Error(
                f"{self.name}: {what}: no part has {way} {address!r}{suggestion(address, dict.fromkeys(known))}"
            )
        if way == "output" and len(found) > 1:
            said = " or ".join(".".join(one) for one in found)
            raise Error(f"{self.name}: {what}: several parts give {address}; say {said}")
        return found

    def _named(self, address: str, way: str) -> Iterator[Address]:
        part, dot, name = address.partition(".")
        for one, source in self.parts.items():
            for port in _ports(source, way):
                if port.name == address or (dot and one == part and port.name == name):
                    yield one, port.name

    def port(self, address: Address, way: str) -> Port:
        part, name = address
        return next(port for port in _ports(self.parts[part], way) if port.name == name)


def _ports(source: Source, way: str) -> tuple[Port, ...]:
    return source.inputs if way == "input" else source.outputs


def wiring(name: str, parts: Mapping[str, Source], feeds: Mapping[str, str]) -> Wiring:
    """The parts and what they are fed by, each wire checked."""
    loose = Wiring(name, parts, {})
    wires = dict[Address, Address]()
    for wanted, given in feeds.items():
        (output,) = loose.find(f"feeds={{{wanted!r}: {given!r}}}", given, "output")
        for address in loose.find(f"feeds={{{wanted!r}: {given!r}}}", wanted, "input"):
            if isinstance(loose.port(address, "input"), State):
                raise Error(f"{name}: {'.'.join(address)} is state, which its part carries on by itself; feed nothing")
            wires[address] = output
    for address, output in _by_name(loose):
        wires.setdefault(address, output)
    whole = Wiring(name, parts, wires)
    for address, output in wires.items():
        _expect_earlier(whole, address, output)
        expect_fit(name, whole.port(output, "output"), whole.port(address, "input"), output, address)
    return whole


def expect_fit(name: str, output: Port, port: Port, given: Address, wanted: Address) -> None:
    """Refuse a wire between ports that mean different things, and say what mends it."""
    reason = misfit(output, port)
    if reason is not None:
        said, repair = reason
        raise Error(
            f"{name}: {'.'.join(given)} cannot be fed to {'.'.join(wanted)}: it has {said} ({port.meaning}); {repair}"
        )


def outside_ports(wires: Wiring) -> list[Port]:
    """What comes from outside, each name once: the port that says most; refused where it means two things."""
    found = dict[str, tuple[str, Port]]()
    for part, port in wires.outside():
        owner, known = found.setdefault(port.name, (part, port))
        reason = misfit(port, known)
        if reason is not None:
            raise Error(
                f"{wires.name}: input {port.name} is one for {owner} and {part}, and not the same: of {part} it has "
                f"{reason[0]}; {reason[1]}, or give one of them another name"
            )
        if _says(port) > _says(known):
            found[port.name] = (part, port)
    return [port for _, port in found.values()]


def _says(port: Port) -> tuple[bool, ...]:
    return not isinstance(port.space, Flat), bool(port.space.labels), port.relation is not None


def _by_name(loose: Wiring) -> Iterator[tuple[Address, Address]]:
    """Inputs that an earlier part gives under the same name; refused where several do."""
    earlier = dict[str, list[str]]()
    for part, source in loose.parts.items():
        for port in source.inputs:
            givers = [] if isinstance(port, State) else earlier.get(port.name, [])
            if len(givers) > 1:
                said = f"feeds={{'{part}.{port.name}': '{givers[-1]}.{port.name}'}}"
                raise Error(f"{loose.name}: {' and '.join(givers)} both give {port.name} to {part}; say which: {said}")
            if givers:
                yield (part, port.name), (givers[0], port.name)
        for port in source.outputs:
            if not isinstance(port, State):
                earlier.setdefault(port.name, []).append(part)


def _expect_earlier(whole: Wiring, address: Address, output: Address) -> None:
    """Refuse what is read before it is there: in this cycle only earlier parts have given anything."""
    order = list(whole.parts)
    reader, giver = address[0], output[0]
    if order.index(giver) < order.index(reader):
        return
    way = _way(whole, reader, giver)
    if way:
        circle = " → ".join((*way, reader))
        raise Error(
            f"{whole.name}: an algebraic loop, {circle}: {'.'.join(address)} would need {'.'.join(output)} of the same "
            "cycle, which follows from it; let a loop feed it back, a cycle later (mc.loop, feedback=…)"
        )
    raise Error(
        f"{whole.name}: {reader} reads {'.'.join(output)} and stands before {giver}; put {giver} before {reader}, or "
        "let a loop feed it back, a cycle later (mc.loop, feedback=…)"
    )


def _way(whole: Wiring, start: str, end: str) -> list[str]:
    """Parts from one to another, each fed by the one before; empty where there is no such way."""
    ways, seen = [[start]], {start}
    while ways:
        way = ways.pop(0)
        if way[-1] == end:
            return way
        for (reader, _), (giver, _) in whole.feeds.items():
            if giver == way[-1] and reader not in seen:
                seen.add(reader)
                ways.append([*way, reader])
    return []


def parts_by_name(what: str, sources: Any, source_of: Any) -> dict[str, Source]:
    """Parts under names: those they are given, or their own, numbered where several are alike."""
    wanted = "give computations in the order in which they run, or {'name': computation, …}"
    if isinstance(sources, Mapping):
        named = [(checked.name(f"{what}: parts", key, wanted), source_of(one)) for key, one in sources.items()]
    else:
        given = [source_of(one) for one in checked.several(f"{what}: parts", sources, wanted)]
        own = [source.name for source in given]
        named = list[tuple[str, Source]]()
        for k, source in enumerate(given):
            alike = own.count(source.name) > 1
            named.append((f"{source.name}_{own[: k + 1].count(source.name)}" if alike else source.name, source))
    if not named:
        raise Error(f"{what}: parts is empty; {wanted}")
    for name, _ in named:
        if not name.isidentifier():
            raise WrongType(f"{what}: a part is called {name!r}; give it a name of letters, digits and underscores")
    return dict(named)
