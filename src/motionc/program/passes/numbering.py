"""One number for each distinct value: what all passes write their programs with, simplifying on the way in."""

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from motionc.program.program import Instruction, Program

COMMUTATIVE = frozenset(("add", "mul", "min", "max", "equal", "not_equal"))

FOLD: dict[str, Any] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "atan2": math.atan2,
    "exp": math.exp,
    "log": math.log,
    "min": min,
    "max": max,
    "abs": abs,
    "sign": np.sign,
    "less": operator.lt,
    "less_equal": operator.le,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "select": np.where,
}
"""What each instruction does to constants."""


def rewritten(program: Program, write: Callable[["Numbering", list[int], int, Instruction], int]) -> Program:
    """The program with each instruction replaced by what `write` says of it: it is given the numbering, the new numbers
    of the values so far, the old number and the instruction. What became useless is still there.
    """
    numbering, new = Numbering(), list[int]()
    for i, step in enumerate(program.instructions):
        new.append(write(numbering, new, i, step))
    results = tuple([tuple([new[value] for value in port]) for port in program.results])
    return replace(program, instructions=tuple(numbering.steps), results=results)


class Numbering:
    """Hands out one number for each distinct value; a value that can be had more simply is."""

    def __init__(self) -> None:
        self.steps: list[Instruction] = []
        self._constants: list[float | None] = []  # the value of each step that is one
        self._negated: list[int | None] = []  # x of each step that is -x
        self._plain: list[bool] = []  # whether no rule but those of PICKY looks at it
        self._known: dict[Instruction, int] = {}
        self._rules: dict[str, Callable[..., int | None]] = {
            "add": self._sum,
            "sub": self._sub,
            "mul": self._mul,
            "div": self._div,
            "neg": self._neg,
            "select": self._select,
        }

    def again(self, new: list[int], step: Instruction) -> int:
        """An instruction of another program, whose values have these numbers here."""
        op, args, data = step
        return self.value(op, tuple([new[arg] for arg in args]), data)

    def value(self, op: str, args: tuple[int, ...], data: object = None) -> int:
        """The number of what an instruction computes."""
        if op in FOLD:
            plain = self._plain
            if op in PICKY or False in [plain[arg] for arg in args]:
                constants = [self._constants[arg] for arg in args]
                if None not in constants and not (op == "div" and constants[1] == 0):
                    return self.constant(float(FOLD[op](*constants)))
                rule = self._rules.get(op)
                simpler = None if rule is None else rule(*args)
                if simpler is not None:
                    return simpler
            if op in COMMUTATIVE and args[0] > args[1]:
                args = args[1], args[0]
        return self._number(Instruction(op, args, data))  # pyright: ignore[reportArgumentType]

    def constant(self, value: float) -> int:
        return self._number(Instruction("const", (), value + 0.0))

    def _number(self, step: Instruction) -> int:
        known = self._known.get(step)
        if known is None:
            known = self._known[step] = len(self.steps)
            self.steps.append(step)
            self._constants.append(step.data if step.op == "const" else None)  # pyright: ignore[reportArgumentType]
            self._negated.append(step.args[0] if step.op == "neg" else None)
            self._plain.append(step.op not in ("const", "neg"))
        return known

    # ---------------------------------------------------------------- rules: a simpler value, or None

    def _sum(self, a: int, b: int) -> int | None:
        if self._constants[a] == 0:
            return b
        if self._constants[b] == 0:
            return a
        if (x := self._negated[b]) is not None:
            return self.value("sub", (a, x))
        if (x := self._negated[a]) is not None:
            return self.value("sub", (b, x))
        return None

    def _sub(self, a: int, b: int) -> int | None:
        if self._constants[b] == 0:
            return a
        if self._constants[a] == 0:
            return self.value("neg", (b,))
        if a == b:
            return self.constant(0.0)
        if (x := self._negated[b]) is not None:
            return self.value("add", (a, x))
        if (x := self._negated[a]) is not None:
            return self.value("neg", (self.value("add", (x, b)),))
        return None

    def _mul(self, a: int, b: int) -> int | None:
        if self._constants[b] is not None:
            a, b = b, a
        factor = self._constants[a]
        if factor == 0:
            return self.constant(0.0)
        if factor == 1:
            return b
        if factor is not None and factor < 0:
            return self.value("neg", (self.value("mul", (self.constant(-factor), b)),))
        if (x := self._negated[a]) is not None:
            return self.value("neg", (self.value("mul", (x, b)),))
        if (x := self._negated[b]) is not None:
            return self.value("neg", (self.value("mul", (a, x)),))
        return None

    def _div(self, a: int, b: int) -> int | None:
        if self._constants[b] == 1:
            return a
        return self.constant(0.0) if self._constants[a] == 0 else None

    def _neg(self, a: int) -> int | None:
        if (x := self._negated[a]) is not None:
            return x
        step = self.steps[a]
        return self.value("sub", (step.args[1], step.args[0])) if step.op == "sub" else None

    def _select(self, condition: int, yes: int, no: int) -> int | None:
        known = self._constants[condition]
        if known is not None:
            return yes if known else no
        return yes if yes == no else None


PICKY = frozenset(("sub", "neg", "select"))
"""Instructions with rules about values that are neither constant nor negated."""
