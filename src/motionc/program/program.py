"""The intermediate form: a flat list of scalar instructions and kernel calls between typed ports, in SSA.

Value i is what instruction i computes. The instruction set is closed: those that compute stand in instructions/; the
others are const, input, entry (of a table, at an index), call (a kernel) and pick (one of a call's outputs).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from motionc.program.instructions import OPERATIONS
from motionc.program.kernels import Call
from motionc.program.origins import NOWHERE, Origins
from motionc.program.port import Port, ports_table
from motionc.tables import few


class Table(NamedTuple):
    """Elements of an input port in even steps, of which an entry reads one: offset + stride k, k of `length`.

    The index is rounded down and kept within: k is 0 below 1 and for what is no number, the last from length - 1 on.
    """

    port: int
    offset: int
    stride: int
    length: int

    @property
    def elements(self) -> range:
        return range(self.offset, self.offset + self.stride * self.length, self.stride)


def place(index: float, count: int) -> int:
    """Which of so many entries an index means: rounded down, and kept within."""
    return count - 1 if index >= count - 1 else int(index) if index >= 1 else 0


class Instruction(NamedTuple):
    """One step.

    `data` is a constant's value, an input's (port, element), an entry's Table, a kernel's Call or a pick's element.
    """

    op: str
    args: tuple[int, ...] = ()
    data: float | int | tuple[int, int] | Table | Call | None = None

    @property
    def port(self) -> int | None:
        """The port it reads, if any."""
        match self.data:
            case Table(port) | (int(port), int()):
                return port
            case _:
                return None

    def reading(self, ports: Mapping[int, int] | Sequence[int]) -> "Instruction":
        """The same where ports have these numbers."""
        match self.data:
            case Table() as table:
                return self._replace(data=table._replace(port=ports[table.port]))
            case (int(port), int(element)):
                return self._replace(data=(ports[port], element))
            case _:
                return self


@dataclass(frozen=True, slots=True)
class Program:
    """A computation as code: what comes in, what happens, which values go out (row-major, one tuple a port)."""

    name: str
    equation: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    instructions: tuple[Instruction, ...]
    results: tuple[tuple[int, ...], ...]
    origins: Origins = field(default=NOWHERE, compare=False, repr=False)

    def moved(self, instructions: Iterable[Instruction], new: Sequence[int] | Mapping[int, int]) -> "Program":
        """The same program of other instructions: which value each of its values is now, -1 where it is no more."""
        results = tuple([tuple([new[value] for value in port]) for port in self.results])
        return replace(self, instructions=tuple(instructions), results=results, origins=self.origins.moved(new))

    def __repr__(self) -> str:
        size = f"{sum(self.operations.values()):,} operations, {len(self.instructions):,} instructions"
        return f"Program({self.name}: {few(p.name for p in self.inputs)} → {few(p.name for p in self.outputs)}; {size})"

    def _repr_html_(self) -> str:
        counts = ", ".join(f"{count:,} {kind}" for kind, count in self.operations.most_common())
        return ports_table(repr(self), self.inputs, self.outputs, below=counts)

    @property
    def operations(self) -> Counter[str]:
        """Arithmetic by kind, sin and cos one each, kernels by what they do inside; an entry of a table is one."""
        counts: Counter[str] = Counter()
        for instruction in self.instructions:
            if instruction.op == "call":
                counts += call_data(instruction).operations()
            elif instruction.op in OPERATIONS or instruction.op == "entry":
                counts[instruction.op] += 1
        return counts

    @property
    def size(self) -> int:
        """Instructions."""
        return len(self.instructions)

    def calls(self) -> Iterator[tuple[int, Instruction]]:
        """The kernel calls, with the values they are."""
        return ((i, step) for i, step in enumerate(self.instructions) if step.op == "call")


def table_data(instruction: Instruction) -> Table:
    """Of which table an instruction reads an entry."""
    assert isinstance(instruction.data, Table), f"{instruction} is no entry"
    return instruction.data


def call_data(instruction: Instruction) -> Call:
    """Which kernel an instruction calls, and on how many rows."""
    assert isinstance(instruction.data, Call), f"{instruction} is no call"
    return instruction.data
