"""What is done to a program between tracing and printing: folding, common subexpressions, dead code.

Each pass is a function from Program to Program that keeps the values of all outputs.
"""

import math
import operator
from collections import Counter
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


def optimise(program: Program) -> Program:
    """Simplify and drop dead code until nothing changes, then share reciprocals."""
    while True:
        shorter = without_dead_code(simplified(program))
        if len(shorter.instructions) >= len(program.instructions):
            return with_shared_reciprocals(shorter)
        program = shorter


def simplified(program: Program) -> Program:
    """Constants folded, neutral elements and double negations removed, equal values computed once."""
    numbering = Numbering()
    new = [0] * len(program.instructions)
    for i, step in enumerate(program.instructions):
        new[i] = numbering.value(step.op, tuple([new[arg] for arg in step.args]), step.data)
    results = tuple(tuple(new[value] for value in port) for port in program.results)
    return replace(program, instructions=tuple(numbering.steps), results=results)


def with_shared_reciprocals(program: Program) -> Program:
    """Several divisions by one value become one division and several products."""
    divisors = Counter(step.args[1] for step in program.instructions if step.op == "div")
    shared = {value for value, count in divisors.items() if count > 1}
    if not shared:
        return program
    new, kept, reciprocal = [0] * len(program.instructions), list[Instruction](), dict[int, int]()

    def add(step: Instruction) -> int:
        kept.append(step)
        return len(kept) - 1

    for i, step in enumerate(program.instructions):
        args = tuple(new[arg] for arg in step.args)
        if step.op != "div" or step.args[1] not in shared:
            new[i] = add(Instruction(step.op, args, step.data))
            continue
        if args[1] not in reciprocal:
            one = add(Instruction("const", (), 1.0))
            reciprocal[args[1]] = add(Instruction("div", (one, args[1])))
        new[i] = add(Instruction("mul", (args[0], reciprocal[args[1]])))
    results = tuple(tuple(new[value] for value in port) for port in program.results)
    return without_dead_code(simplified(replace(program, instructions=tuple(kept), results=results)))


def without_dead_code(program: Program) -> Program:
    """Only what some output depends on, in the same order."""
    alive = [False] * len(program.instructions)
    for port in program.results:
        for value in port:
            alive[value] = True
    for i in reversed(range(len(alive))):
        if alive[i]:
            for arg in program.instructions[i].args:
                alive[arg] = True
    new, kept = [0] * len(alive), list[Instruction]()
    for i, step in enumerate(program.instructions):
        if alive[i]:
            new[i] = len(kept)
            kept.append(Instruction(step.op, tuple([new[arg] for arg in step.args]), step.data))
    results = tuple(tuple(new[value] for value in port) for port in program.results)
    return replace(program, instructions=tuple(kept), results=results)


class Numbering:
    """Hands out one number for each distinct value, simplifying on the way in."""

    def __init__(self) -> None:
        self.steps: list[Instruction] = []
        self._constants: list[float | None] = []  # the value of each step that is one
        self._known: dict[tuple[object, ...], int] = {}
        self._rules: dict[str, Callable[..., int | None]] = {
            "add": self._sum,
            "sub": self._sub,
            "mul": self._mul,
            "div": self._div,
            "neg": self._neg,
            "select": self._select,
        }

    def value(self, op: str, args: tuple[int, ...], data: object = None) -> int:
        if op in FOLD:
            constants = [self._constants[arg] for arg in args]
            if None not in constants and not (op == "div" and constants[1] == 0):
                return self.constant(float(FOLD[op](*constants)))
            rule = self._rules.get(op)
            simpler = None if rule is None else rule(*args)
            if simpler is not None:
                return simpler
        if op in COMMUTATIVE:
            args = tuple(sorted(args))
        return self._number(Instruction(op, args, data))  # pyright: ignore[reportArgumentType]

    def constant(self, value: float) -> int:
        return self._number(Instruction("const", (), value + 0.0))

    def _number(self, step: Instruction) -> int:
        key = (step.op, step.args, step.data)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = len(self.steps)
            self.steps.append(step)
            self._constants.append(step.data if step.op == "const" else None)  # pyright: ignore[reportArgumentType]
        return known

    def _constant(self, value: int) -> float | None:
        return self._constants[value]

    def _negated(self, value: int) -> int | None:
        """x where the value is -x."""
        step = self.steps[value]
        return step.args[0] if step.op == "neg" else None

    # ---------------------------------------------------------------- rules: a simpler value, or None

    def _sum(self, a: int, b: int) -> int | None:
        if self._constant(a) == 0:
            return b
        if self._constant(b) == 0:
            return a
        if (x := self._negated(b)) is not None:
            return self.value("sub", (a, x))
        if (x := self._negated(a)) is not None:
            return self.value("sub", (b, x))
        return None

    def _sub(self, a: int, b: int) -> int | None:
        if self._constant(b) == 0:
            return a
        if self._constant(a) == 0:
            return self.value("neg", (b,))
        if a == b:
            return self.constant(0.0)
        if (x := self._negated(b)) is not None:
            return self.value("add", (a, x))
        if (x := self._negated(a)) is not None:
            return self.value("neg", (self.value("add", (x, b)),))
        return None

    def _mul(self, a: int, b: int) -> int | None:
        if self._constant(b) is not None:
            a, b = b, a
        factor = self._constant(a)
        if factor == 0:
            return self.constant(0.0)
        if factor == 1:
            return b
        if factor is not None and factor < 0:
            return self.value("neg", (self.value("mul", (self.constant(-factor), b)),))
        if (x := self._negated(a)) is not None:
            return self.value("neg", (self.value("mul", (x, b)),))
        if (x := self._negated(b)) is not None:
            return self.value("neg", (self.value("mul", (a, x)),))
        return None

    def _div(self, a: int, b: int) -> int | None:
        if self._constant(b) == 1:
            return a
        return self.constant(0.0) if self._constant(a) == 0 else None

    def _neg(self, a: int) -> int | None:
        if (x := self._negated(a)) is not None:
            return x
        step = self.steps[a]
        return self.value("sub", (step.args[1], step.args[0])) if step.op == "sub" else None

    def _select(self, condition: int, yes: int, no: int) -> int | None:
        known = self._constant(condition)
        if known is not None:
            return yes if known else no
        return yes if yes == no else None
