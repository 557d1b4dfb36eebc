"""What memory brings while lanes compute: numbers that blocks read next, and places that they write next.

A tile of blocks goes through a program in turns, a block and some of its parts each; every turn asks for its share of
lines. Asked for at once, they would wait for each other.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from motionc.program.program import Program

TURNS = 4
"""Turns of a block at the most: more would be more text than is read meanwhile."""


class Near(NamedTuple):
    """A port that may be brought near: the flag that says whether it is, and how many numbers a state has there."""

    flag: str
    direction: str
    k: int
    size: int

    @property
    def state(self) -> str:
        """How far states are apart."""
        return f"{self.direction}_state_stride[{self.k}]"

    @property
    def laid(self) -> str:
        """Its size and strides."""
        return f"{self.size}, {self.state}, {self.direction}_element_stride[{self.k}]"

    def turns(self, parts: int) -> int:
        """Turns that a block has."""
        return max(1, min(self.size, parts, TURNS))


def near(program: Program, read: Collection[int]) -> list[Near]:
    """Inputs of which something is read, and all outputs."""
    inputs = [("input", k, program.inputs[k].size) for k in sorted(read)]
    outputs = [("output", k, port.size) for k, port in enumerate(program.outputs)]
    return [Near(f"ahead_{j}", *port) for j, port in enumerate([*inputs, *outputs])]


def flags(ports: Collection[Near], numbers: int) -> Iterator[str]:
    """Ports that are asked for ahead, of states with so many numbers in all; outputs unless they go past caches."""
    if ports:
        yield f"const long bytes = (left >= 2 * most * LANES) * count * {numbers} * (long)sizeof(real);"
    for port in ports:
        kept = f" & !goes_past({port.laid}, count)" if port.direction == "output" else ""
        yield f"const int {port.flag} = is_late({port.laid}, bytes){kept};"


def meanwhile(ports: Collection[Near], part: int, parts: int, *, block_by_block: bool = False) -> Iterator[str]:
    """Behind a part of block b, if a turn ends there: its share of what is read next, and of what is written now."""
    for port in ports:
        turns = port.turns(parts)
        turn = (part + 1) * turns // parts - 1
        if turn == part * turns // parts - 1:
            continue
        number = f"b * {turns} + {turn}" if block_by_block else f"{turn} * blocks + b"
        first = "first" if port.direction == "output" else "(first + most * LANES)"
        told = f"{port.direction}s[{port.k}] + {first} * {port.state}, {port.laid}, {turns}, {number}"
        yield f"if ({port.flag}) bring_near({told}, blocks, {int(port.direction == 'output')});"
