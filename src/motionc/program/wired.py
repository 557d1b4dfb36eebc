"""Several programs as one, what some give fed to others; what they share is computed once."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from motionc.errors import Error, suggestion
from motionc.program.block import Code, Nobody, expect_something
from motionc.program.build import Value, Writer
from motionc.program.derive.derived import Derived
from motionc.program.passes import optimise
from motionc.program.port import Note, Port, Precision, State, as_columns
from motionc.program.program import Instruction, Program, Table
from motionc.program.source import Along, Kind, Named, Open, Source
from motionc.program.together import shared_open, unique_names
from motionc.program.wiring import Address, Wiring, common_precision, expect_fit, outside_ports, wiring

Array = np.ndarray[Any, np.dtype[np.float64]]


class Wired:
    """Parts of a wiring as the source of one program. Outputs are those that are asked for, and all state.

    State of a name that several ports have is called <part>_<name>, and so are outputs. What is fed back, an output
    to an input of the next call, is state under the input's name.
    """

    own = True
    period = 0.0  # several time steps in a row are one of all their time: nobody knows

    def __init__(
        self,
        wires: Wiring,
        outputs: Sequence[str] | None = None,
        feedback: Mapping[str, str] | None = None,
        start: Mapping[str, Any] | None = None,
    ) -> None:
        self.wires, self.name, self.parts = wires, wires.name, tuple(wires.parts.values())
        self._asked = None if outputs is None else tuple(outputs)
        self._told_back, self._first = dict(feedback or {}), dict(start or {})
        self.robot: Named = next((part.robot for part in self.parts if part.robot.name), Nobody())
        self.precision: Precision = common_precision(self.name, self.parts)
        self.options = Code(self.precision)
        self.open: Sequence[Open] = shared_open(self.name, self.parts)
        outside = outside_ports(wires)
        self._back = dict(self._fed_back(outside))
        self._states = self._named(
            [(n, p) for n, part in wires.parts.items() for p in part.inputs if _carried(p)], outside
        )
        opened, back = {one.name for one in self.open}, {state.name for state in self._back.values()}
        closed = [port for port in outside if port.name not in opened | back]
        states = [*self._states.values(), *self._back.values()]
        self.inputs = (*closed, *states, *(port for port in outside if port.name in opened))
        self._given = self._named(list(self._outputs()), states)
        self.outputs = (*self._given.values(), *states)
        expect_something(self.name, self.outputs)

    def _named(self, ports: Sequence[tuple[str, Port]], others: Sequence[Port]) -> dict[Address, Port]:
        """Ports by part and name, each under a name that no other has."""
        taken = [("", port.name) for port in others]
        names = unique_names([*taken, *((part, port.name) for part, port in ports)])[len(taken) :]
        return {(part, p.name): replace(p, name=name) for (part, p), name in zip(ports, names, strict=True)}

    def _fed_back(self, outside: Sequence[Port]) -> Iterator[tuple[Address, State]]:
        """Which output is what input in the next call, as state."""
        known = {port.name: port for port in outside}
        for name in self._first:
            if name not in self._told_back:
                raise Error(f"{self.name}: start: {name!r} is not fed back{suggestion(name, self._told_back)}")
        for name, output in self._told_back.items():
            if name not in known:
                raise Error(f"{self.name}: feedback: nothing reads {name!r} from outside{suggestion(name, known)}")
            (address,) = self.wires.find("feedback", output, "output")
            given, port = self.wires.port(address, "output"), known[name]
            expect_fit(self.name, given, port, address, ("the next call", name))
            start = self._first.get(name, 0.0)
            yield address, State(name, port.shape, port.unit, port.meaning, start, port.space, port.relation)

    def _outputs(self) -> Iterator[tuple[str, Port]]:
        """What is handed out: what is asked for, or else what no other part reads."""
        if self._asked is not None:
            for address in self._asked:
                ((part, name),) = self.wires.find("outputs", address, "output")
                yield part, self.wires.port((part, name), "output")
            return
        read = {*self.wires.feeds.values(), *self._back}
        for part, source in self.wires.parts.items():
            yield from ((part, port) for port in source.outputs if (part, port.name) not in read and not _carried(port))

    # ---------------------------------------------------------------- what it is

    @property
    def program(self) -> Program:
        return self._program

    @cached_property
    def _program(self) -> Program:
        return optimise(self.recorded())

    def recorded(self) -> Program:
        """The parts as they are before all passes, one after the other, wires instead of inputs."""
        writer, known = Writer(), dict[Address, list[Value]]()
        for part, source in self.wires.parts.items():
            program, values = source.recorded(), list[Value]()
            read = _Reader(self, writer, known, part)
            for step in program.instructions:
                match step:
                    case Instruction("input", _, (int(port), int(element))):
                        values.append(read(program.inputs[port].name, element))
                    case Instruction("entry", (index,), Table() as table):
                        name = program.inputs[table.port].name
                        values.append(writer.entry([read(name, e) for e in table.elements], values[index]))
                    case _:
                        values.append(writer.write(step.op, *[values[arg] for arg in step.args], data=step.data))
            for port, results in zip(program.outputs, program.results, strict=True):
                known[part, port.name] = [values[result] for result in results]
        steps, results = writer.needed([known[address] for address in (*self._given, *self._states, *self._back)])
        equations = "; ".join(dict.fromkeys(part.recorded().equation for part in self.parts))
        return Program(self.name, equations, self.inputs, self.outputs, steps, results)

    def outside(self, part: str, port: str) -> int:
        """Which input a part's own is, where no other part gives it."""
        state = self._states.get((part, port))
        return [one.name for one in self.inputs].index(state.name if state else port)

    def identity(self, options: Any = None) -> str | None:
        """That of all parts and wires; None where a part is known by its program alone."""
        parts = [part.identity() for part in self.parts]
        if options is not None or None in parts:
            return None
        said = repr(
            (self.name, parts, list(self.wires.parts), sorted(self.wires.feeds.items()), self._asked, self._told())
        )
        return hashlib.sha256(f"wired {said}".encode()).hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.name, dict(self.wires.parts), dict(self.wires.feeds), self._asked, *self._told())

    def _told(self) -> tuple[dict[str, str], dict[str, Any]]:
        """What is fed back, and from where it starts."""
        return self._told_back, self._first

    def readable(self, program: Program) -> Program:
        return program

    def derived(
        self, kind: Kind, of: tuple[str, ...], wrt: tuple[str, ...], coordinates: Along, *, sparse: bool = False
    ) -> Source:
        return Derived(self, kind, of, wrt, coordinates, sparse=sparse, options=self.options)

    # ---------------------------------------------------------------- readings

    def check(self) -> None:
        for part in self.parts:
            part.check()

    def run(self, *values: Any, **how: Any) -> dict[str, Array]:
        """Part after part, each step by step in NumPy."""
        given = as_columns(self.name, self.inputs, values)
        known = dict[Address, Array]()
        for part, source in self.wires.parts.items():
            found = source.run(*self._arguments(part, source, given, known), **how)
            known |= {(part, port.name): found[port.name] for port in source.outputs}
        ports = {**self._given, **self._states, **self._back}
        return {port.name: known[address] for address, port in ports.items()}

    def steps(self, *values: Any, **how: Any) -> Iterator[Any]:
        """The steps of one part after those of the other; blocks have none."""
        given = as_columns(self.name, self.inputs, values)
        known = dict[Address, Array]()
        for part, source in self.wires.parts.items():
            arguments = self._arguments(part, source, given, known)
            if source.robot.name:
                yield from source.steps(*arguments, **how)
            found = source.run(*arguments)
            known |= {(part, port.name): found[port.name] for port in source.outputs}

    def _arguments(
        self, part: str, source: Source, given: Mapping[str, Array], known: Mapping[Address, Array]
    ) -> Iterator[Array]:
        for port in source.inputs:
            giver, state = self.wires.given(part, port.name), self._states.get((part, port.name))
            outside = state.name if state else port.name
            yield (given[outside] if giver is None else known[giver]).reshape(port.shape)

    def notes(self, results: Mapping[str, Any], /) -> list[Note]:
        """What parts say of those of their results that are handed out."""
        found = list[Note]()
        for part, source in self.wires.parts.items():
            own = {name: port.name for (one, name), port in self._given.items() if one == part}
            if all(port.name in own for port in source.outputs):
                found += source.notes({name: results[called] for name, called in own.items()})
        return found


class _Reader:
    """The value of an entry of a part's input: what another part has given, or comes from outside."""

    def __init__(self, whole: Wired, writer: Writer, known: Mapping[Address, list[Value]], part: str) -> None:
        self.whole, self.writer, self.known, self.part = whole, writer, known, part

    def __call__(self, port: str, element: int) -> Value:
        giver = self.whole.wires.given(self.part, port)
        if giver is not None:
            return self.known[giver][element]
        return self.writer.write("input", data=(self.whole.outside(self.part, port), element))


def _carried(port: Port) -> bool:
    return isinstance(port, State)


def _again(
    name: str,
    parts: dict[str, Source],
    feeds: dict[Address, Address],
    outputs: tuple[str, ...] | None,
    feedback: dict[str, str],
    start: dict[str, Any],
) -> Wired:
    """What was pickled or copied."""
    wires = wiring(name, parts, {".".join(to): ".".join(of) for to, of in feeds.items()})
    return Wired(wires, outputs, feedback, start)
