"""Several sources in one program: what they share is computed once, inputs of one name are one.

It stands where a solver stands. An output whose name several have is called <computation>_<name>, and numbered where
that is not enough. Derivatives are those of the parts, side by side.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.program.compose import side_by_side
from motionc.program.derive.derived import Derived
from motionc.program.derive.differentiate import derivative_port
from motionc.program.passes import optimise
from motionc.program.port import Note, Port, Precision, as_columns
from motionc.program.program import Instruction, Program
from motionc.program.source import Along, Kind, Named, Open, Source

Array = np.ndarray[Any, np.dtype[np.float64]]


class Together:
    """Sources side by side; `options` say the same as data, and their `derived` what is asked of a derivative."""

    def __init__(self, parts: Sequence[Source], options: Any) -> None:
        self.parts, self.options = tuple(parts), options
        self.name = "_and_".join(part.name for part in parts)
        self.robot: Named = parts[0].robot
        self.own = any(part.own for part in parts)
        self.precision: Precision = parts[0].precision
        for part in parts:
            if part.precision != self.precision:
                raise Error(
                    f"together: {parts[0].name} is in {self.precision} precision, {part.name} in {part.precision}; "
                    "make both with the same precision="
                )
        self.open: Sequence[Open] = shared_open("together", parts)
        self.inputs = _inputs(parts, {one.name for one in self.open})
        self._names = unique_names([(part.name, port.name) for part in parts for port in part.outputs])
        ports = [port for part in parts for port in part.outputs]
        self.outputs = tuple(replace(port, name=name) for port, name in zip(ports, self._names, strict=True))

    # ---------------------------------------------------------------- what it is

    @property
    def program(self) -> Program:
        return self._program

    @cached_property
    def _program(self) -> Program:
        return optimise(self.recorded())

    def recorded(self) -> Program:
        """The parts as they are before all passes, one after the other."""
        program = side_by_side(self.name, [part.recorded() for part in self.parts], self.inputs)
        return replace(program, outputs=self.outputs)

    def readable(self, program: Program) -> Program:
        """The first part names what it computes; one name would mean two things if all did."""
        return self.parts[0].readable(program)

    def identity(self, options: Any = None) -> str | None:
        """That of robot and options; None where a part is known by its program alone."""
        known = [part.identity() for part in self.parts]
        return None if None in known else self.parts[0].identity(self.options if options is None else options)

    def __reduce__(self) -> tuple[Any, ...]:
        return Together, (self.parts, self.options)

    def derived(
        self, kind: Kind, of: tuple[str, ...], wrt: tuple[str, ...], coordinates: Along, *, sparse: bool = False
    ) -> Source:
        """A derivative; J itself is put together of the parts' own, which sweeps may know."""
        options = self.options.derived(kind, of, wrt, coordinates, sparse)
        own = kind == "derivative" and coordinates == "tangent"
        known = own and set(of) <= set(self._names) and set(wrt) <= {port.name for port in self.inputs}
        table = _Table(self, of, wrt) if known else None
        return Derived(self, kind, of, wrt, coordinates, sparse=sparse, table=table, options=options)

    # ---------------------------------------------------------------- readings

    def check(self) -> None:
        for part in self.parts:
            part.check()

    def run(self, *values: Any, **how: Any) -> dict[str, Array]:
        """Each part by itself, step by step in NumPy."""
        given = as_columns(self.name, self.inputs, values)
        found = list[Array]()
        for part in self.parts:
            found += part.run(*(given[port.name].reshape(port.shape) for port in part.inputs), **how).values()
        return dict(zip(self._names, found, strict=True))

    def steps(self, *values: Any, **how: Any) -> Iterator[Any]:
        """The steps of one part after those of the other."""
        given = as_columns(self.name, self.inputs, values)
        for part in self.parts:
            yield from part.steps(*(given[port.name].reshape(port.shape) for port in part.inputs), **how)

    def notes(self, results: Mapping[str, Any], /) -> list[Note]:
        """What each part says of its own results."""
        return [note for part, names in self.named() for note in part.notes(_own(results, names))]

    def named(self) -> Iterator[tuple[Source, dict[str, str]]]:
        """Each part, and what its outputs are called by themselves, by what they are called here."""
        names = iter(self._names)
        for part in self.parts:
            yield part, {next(names): port.name for port in part.outputs}


def _own(results: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {own: results[name] for name, own in names.items() if name in results}


class _Table:
    """J of several outputs and inputs: that of each part, and zero where a part does not read an input."""

    def __init__(self, whole: Together, of: tuple[str, ...], wrt: tuple[str, ...]) -> None:
        self.whole, self.of, self.wrt = whole, of, wrt

    @property
    def program(self) -> Program:
        whole, programs, places = self.whole, list[Program](), dict[tuple[str, str], int]()
        for part, names in whole.named():
            of = [name for name in self.of if name in names]
            wrt = [name for name in self.wrt if name in {port.name for port in part.inputs}]
            if of and wrt:
                programs.append(
                    part.derived("derivative", tuple(names[n] for n in of), tuple(wrt), "tangent").recorded()
                )
                for pair in [(a, b) for a in of for b in wrt]:
                    places[pair] = len(places)
        joined = side_by_side(whole.name, programs, whole.inputs)
        steps, zero = [*joined.instructions, Instruction("const", (), 0.0)], len(joined.instructions)
        inputs, outputs = ({port.name: port for port in ports} for ports in (whole.inputs, whole.outputs))
        ports, results = list[Port](), list[tuple[int, ...]]()
        for name, by in [(name, by) for name in self.of for by in self.wrt]:
            columns = inputs[by].space.tangent
            ports.append(derivative_port(outputs[name], inputs[by], columns))
            empty = (zero,) * (outputs[name].size * columns)
            results.append(joined.results[places[name, by]] if (name, by) in places else empty)
        return optimise(replace(joined, outputs=tuple(ports), instructions=tuple(steps), results=tuple(results)))


# ---------------------------------------------------------------- ports


def shared_open(what: str, parts: Sequence[Source]) -> tuple[Open, ...]:
    """What is open in any of them, once; refused where two would have it differently."""
    found = dict[str, Open]()
    for part in parts:
        for one in part.open:
            if not np.array_equal(found.setdefault(one.name, one).default, one.default):
                raise Error(
                    f"{what}: {one.name} is open in several, {found[one.name].default} in one and {one.default} in "
                    f"{part.name}; make them alike"
                )
    return tuple(found.values())


def _inputs(parts: Sequence[Source], open: set[str]) -> tuple[Port, ...]:
    """All inputs, each once, what is open last; refused where one name means two things."""
    found = dict[str, tuple[str, Port]]()
    for part in parts:
        for port in part.inputs:
            owner, known = found.setdefault(port.name, (part.name, port))
            if difference := _difference(known, port):
                raise Error(
                    f"together: input {port.name} is not the same of {owner} and of {part.name}: {difference}; ask "
                    "them apart, or of the same"
                )
    ports = [port for _, port in found.values()]
    return (*(port for port in ports if port.name not in open), *(port for port in ports if port.name in open))


def _difference(one: Port, other: Port) -> str:
    """In what two ports of one name differ; "" where they mean the same."""
    for what in ("shape", "unit"):
        if getattr(one, what) != getattr(other, what):
            return f"its {what} is {getattr(one, what)} and {getattr(other, what)}"
    if one.space.labels != other.space.labels or type(one.space) is not type(other.space):
        return f"its space is {one.space} and {other.space}"
    # entries that have names say what they are; of others words do
    if not one.space.labels and one.meaning != other.meaning:
        return f"it is {one.meaning!r} and {other.meaning!r}"
    return ""


def unique_names(outputs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """A name for each output: its own, <computation>_<name> where several have it, numbered where many have that."""
    own = Counter(name for _, name in outputs)
    longer = [name if own[name] == 1 else f"{part}_{name}" for part, name in outputs]
    count, names = Counter(longer), list[str]()
    for name in longer:
        numbered = (f"{name}_{k}" for k in itertools.count(1))
        names.append(name if count[name] == 1 else next(each for each in numbered if each not in (*names, *longer)))
    return tuple(names)
