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
    def laid(self) -> str:
        """Its size and strides."""
        strides = (f"{self.direction}_{kind}_stride[{self.k}]" for kind in ("state", "element"))
        return ", ".join((str(self.size), *strides))

    def turns(self, parts: int) -> int:
        """Turns that a block has."""
        return max(1, min(self.size, parts, TURNS))


def near(program: Program, read: Collection[int]) -> list[Near]:
    """Inputs of which something is read, and all outputs."""
    inputs = [("input", k, program.inputs[k].size) for k in sorted(read)]
    outputs = [("output", k, port.size) for k, port in enumerate(program.outputs)]
    return [Near(f"ahead_{j}", *port) for j, port in enumerate([*inputs, *outputs])]


def flags(ports: Collection[Near], numbers: int) -> Iterator[str]:
    """Packed ports of states with so many numbers in all, if some may be far; outputs unless they go past caches."""
    if ports:
        yield f"const int far = (count * {numbers} * (long)sizeof(real) > FAR) & (left >= 2 * most * LANES);"
    for port in ports:
        kept = f" & !goes_past({port.laid}, count)" if port.direction == "output" else ""
        yield f"const int {port.flag} = far & is_packed({port.laid}){kept};"


def meanwhile(ports: Collection[Near], part: int, parts: int, *, block_by_block: bool = False) -> Iterator[str]:
    """Behind a part of block b, if a turn ends there: its share of what is read next, and of what is written now."""
    for port in ports:
        turns = port.turns(parts)
        turn = (part + 1) * turns // parts - 1
        if turn == part * turns // parts - 1:
            continue
        number = f"b * {turns} + {turn}" if block_by_block else f"{turn} * blocks + b"
        first = "first" if port.direction == "output" else "(first + most * LANES)"
        told = f"{port.direction}s[{port.k}] + {first} * {port.size}, {port.size}, {turns}, {number}"
        yield f"if ({port.flag}) bring_near({told}, {int(port.direction == 'output')});"
