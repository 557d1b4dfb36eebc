"""The intermediate form: a flat list of scalar instructions and kernel calls between typed ports, in SSA.

Value i is what instruction i computes. The instruction set is closed: those that compute stand in instructions/; the
others are const, input, call (a kernel) and pick (one of a call's outputs).
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


class Instruction(NamedTuple):
    """One step.

    `data` is a constant's value, an input's (port, element), a kernel's Call or a pick's element.
    """

    op: str
    args: tuple[int, ...] = ()
    data: float | int | tuple[int, int] | Call | None = None


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
        """Arithmetic by kind, sin and cos one each, kernels by what they do inside."""
        counts: Counter[str] = Counter()
        for instruction in self.instructions:
            if instruction.op == "call":
                counts += call_data(instruction).operations()
            elif instruction.op in OPERATIONS:
                counts[instruction.op] += 1
        return counts

    @property
    def size(self) -> int:
        """Instructions."""
        return len(self.instructions)

    def calls(self) -> Iterator[tuple[int, Instruction]]:
        """The kernel calls, with the values they are."""
        return ((i, step) for i, step in enumerate(self.instructions) if step.op == "call")


def call_data(instruction: Instruction) -> Call:
    """Which kernel an instruction calls, and on how many rows."""
    assert isinstance(instruction.data, Call), f"{instruction} is no call"
    return instruction.data
