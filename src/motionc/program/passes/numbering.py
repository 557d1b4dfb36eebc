"""One number for each distinct value: what all passes write their programs with, simplifying on the way in."""

from collections.abc import Callable, Sequence
from typing import Any

from motionc.program.instructions import OPERATIONS
from motionc.program.program import Instruction, Program, place


def rewritten(program: Program, write: Callable[["Numbering", list[int], int, Instruction], int]) -> Program:
    """The program with each instruction replaced by what `write` says of it: it is given the numbering, the new numbers
    of the values so far, the old number and the instruction. What became useless is still there.
    """
    numbering, new = Numbering(), list[int]()
    for i, step in enumerate(program.instructions):
        new.append(write(numbering, new, i, step))
    return program.moved(numbering.steps, new)


class Numbering:
    """Hands out one number for each distinct value; a value that can be had more simply is."""

    def __init__(self) -> None:
        self.steps: list[Instruction] = []
        self.constants: list[float | None] = []  # the value of each step that is one
        self.negated: list[int | None] = []  # x of each step that is -x
        self._special = set[int]()  # which are one of these: only picky instructions look at others
        self._known: dict[tuple[object, ...], int] = {}

    def again(self, new: list[int], step: Instruction) -> int:
        """An instruction of another program, whose values have these numbers here."""
        op, args, data = step
        if len(args) == 2:
            return self.value(op, (new[args[0]], new[args[1]]), data)
        return self.value(op, tuple([new[arg] for arg in args]), data)

    def value(self, op: str, args: tuple[int, ...], data: object = None) -> int:
        """The number of what an instruction computes."""
        operation = OPERATIONS.get(op)
        if operation is not None:
            if operation.picky or not self._special.isdisjoint(args):
                constants = [self.constants[arg] for arg in args]
                folded = None if None in constants else operation.fold(constants)
                if folded is not None:
                    return self.constant(folded)
                simpler = None if operation.simpler is None else operation.simpler(self, *args)
                if simpler is not None:
                    return simpler
            if operation.commutative and args[0] > args[1]:
                args = args[1], args[0]
        elif op == "entry" and (index := self.constants[args[0]]) is not None:
            table: Any = data
            return self._number("input", (), (table.port, table.elements[place(index, table.length)]))
        return self._number(op, args, data)

    def among(self, values: Sequence[int], index: int, first: int = 0) -> int:
        """The one of some values at an index, of which the first has this place: rounded down, kept within, by halves.

        A table that is no input is looked up so.
        """
        if len(values) == 1:
            return values[0]
        half = len(values) // 2
        low, high = self.among(values[:half], index, first), self.among(values[half:], index, first + half)
        reached = self.value("less_equal", (self.constant(float(first + half)), index))
        return self.value("select", (reached, high, low))

    def constant(self, value: float) -> int:
        return self._number("const", (), value + 0.0)

    def _number(self, op: str, args: tuple[int, ...], data: Any = None) -> int:
        known = self._known.get((op, args, data))
        if known is None:
            step, known = Instruction(op, args, data), len(self.steps)
            self._known[step] = known
            self.steps.append(step)
            self.constants.append(data if op == "const" else None)
            self.negated.append(args[0] if op == "neg" else None)
            if op in ("const", "neg"):
                self._special.add(known)
        return known

    def opposite(self, value: int) -> int:
        """-x as it stands, even of a difference: who reads it may absorb the sign."""
        return self._number("neg", (value,))

    def difference(self, value: int) -> tuple[int, int] | None:
        """a and b of a value that is a - b."""
        op, args, _ = self.steps[value]
        return (args[0], args[1]) if op == "sub" else None
