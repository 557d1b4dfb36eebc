"""A loop in time, as data around programs: who runs when, what is fed back, held, streamed in, drawn and logged.

A turn runs the uses in order; every use reads buffers and writes others, so that what one writes the next one reads.
Before the first of them, buffers that are streamed in, drawn or count time get their numbers; after the last, what is
fed back takes its place, and rows are logged. A use with `every` = k runs in turns 0, k, 2k …, and what it wrote stays
until then. A lane (one run of the loop) ends after the turn in which `until` is not 0 or something carried is no longer
finite; it then keeps all it has.

Every target prints the loop around the programs it prints anyway.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from motionc.program.compose import only
from motionc.program.foreign import Foreign
from motionc.program.noise import Kind
from motionc.program.port import Port, Precision
from motionc.program.program import Program

Role = Literal["state", "held", "streamed", "drawn", "clock", "local"]
"""Where the numbers of a buffer come from: from turn to turn; once for all; anew each turn from outside, from a
generator, from the count of turns; or from a use in the same turn."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """A place for numbers: what they are, where they come from, what state is at the start, and how draws are."""

    port: Port
    role: Role
    start: tuple[float, ...] | None = None
    drawn: Kind = "normal"

    @property
    def name(self) -> str:
        return self.port.name


class Part(Protocol):
    """What has a program, and knows its ports before."""

    @property
    def inputs(self) -> tuple[Port, ...]: ...
    @property
    def outputs(self) -> tuple[Port, ...]: ...
    @property
    def program(self) -> Program: ...


@dataclass(frozen=True)
class Use:
    """A program on buffers: which each input is, which each output becomes, -1 where nobody wants it; how often.

    `program` has only what somebody wants; `reads` and `writes` are the buffers of its ports.
    """

    name: str
    part: Part
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    every: int = 1

    @cached_property
    def program(self) -> Program:
        kept = [k for k, place in enumerate(self.outputs) if place >= 0]
        program = self.part.program
        return program if len(kept) == len(self.outputs) else only(program, kept, program.name)

    @property
    def foreign(self) -> bool:
        """Whether it is no program."""
        return isinstance(self.part, Foreign)

    @property
    def reads(self) -> tuple[int, ...]:
        places = {port.name: place for port, place in zip(self.part.inputs, self.inputs, strict=True)}
        return tuple(places[port.name] for port in self.program.inputs)

    @property
    def writes(self) -> tuple[int, ...]:
        places = {port.name: place for port, place in zip(self.part.outputs, self.outputs, strict=True)}
        return tuple(places[port.name] for port in self.program.outputs)


@dataclass(frozen=True, slots=True)
class Log:
    """A buffer that is written down after every so many turns, and what it is called there."""

    name: str
    buffer: int
    every: int = 1

    def rows(self, first: int, turns: int) -> int:
        """How many it has of so many turns, where so many were made before."""
        return (first + turns) // self.every - first // self.every


@dataclass(frozen=True, slots=True)
class Loop:
    """Uses of programs on buffers; `copies` (from, to) are made at the end of a turn, where a state is read after its
    next value is there. `period` is the time of a turn, `until` the buffer that ends a lane, or -1.
    """

    name: str
    buffers: tuple[Buffer, ...]
    uses: tuple[Use, ...]
    copies: tuple[tuple[int, int], ...] = ()
    logs: tuple[Log, ...] = ()
    until: int = -1
    period: float = 1.0
    precision: Precision = "double"

    def of(self, *roles: Role) -> list[tuple[int, Buffer]]:
        """The buffers of these roles, with their numbers."""
        return [(k, buffer) for k, buffer in enumerate(self.buffers) if buffer.role in roles]

    @property
    def states(self) -> list[tuple[int, Buffer]]:
        return self.of("state")

    @property
    def given(self) -> list[tuple[int, Buffer]]:
        """What comes from outside beside the start: held first, then streamed."""
        return [*self.of("held"), *self.of("streamed")]

    @property
    def operations(self) -> Counter[str]:
        """Arithmetic of a turn in which everything runs; of programs alone."""
        return sum((use.program.operations for use in self.uses if not use.foreign), Counter[str]())

    @property
    def size(self) -> int:
        """Instructions of a turn in which everything runs."""
        return sum(len(use.program.instructions) for use in self.uses if not use.foreign)

    @property
    def foreign(self) -> bool:
        """Whether a part of it is no program."""
        return any(use.foreign for use in self.uses)

    def offsets(self) -> list[int]:
        """Where each buffer starts when all stand behind each other, and where the last ends."""
        found = [0]
        for buffer in self.buffers:
            found.append(found[-1] + buffer.port.size)
        return found
