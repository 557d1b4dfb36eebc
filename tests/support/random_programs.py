"""Programs drawn at random, of every instruction and with kernels between, and what they give by Python."""

import numpy as np

from motionc.program import Instruction, Program
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.program.program import Table
from motionc.sweeps import Port
from motionc.targets import python

INPUTS, OUTPUTS = 4, 3
TAME = ("add", "sub", "mul", "neg", "min", "max", "abs", "sign", "less", "equal", "select", "sin", "cos", "atan2")
COUNTS = {"neg": 1, "abs": 1, "sign": 1, "sin": 1, "cos": 1, "sqrt": 1, "exp": 1, "log": 1, "select": 3}
TABLES = ((0, 1, INPUTS), (1, 2, 2), (3, -1, 3))
CONSTANTS = (0.0, 1.0, -1.0, 2.0, 0.5, -2.5, 3.0)


def random_program(rng: np.random.Generator, size: int = 40) -> Program:
    """Values stay finite: divisors, roots and logarithms are kept away from zero, factors are bounded by sines."""
    steps = [Instruction("input", (), (0, k)) for k in range(INPUTS)]
    steps += [Instruction("const", (), value) for value in CONSTANTS]
    while len(steps) < size:
        drawn = rng.random()
        if drawn < 0.05:
            _solve(rng, steps)
        elif drawn < 0.08:
            offset, stride, length = TABLES[int(rng.integers(len(TABLES)))]
            steps.append(Instruction("entry", _some(rng, steps, 1), Table(0, offset, stride, length)))
        elif drawn < 0.2:
            _guarded(rng, steps)
        elif drawn < 0.35:
            _sums(rng, steps)
        else:
            op = str(rng.choice(TAME))
            args = _some(rng, steps, COUNTS.get(op, 2))
            steps.append(Instruction(op, args))
            if op == "mul":
                steps.append(Instruction("sin", (len(steps) - 1,)))
            elif op in ("sin", "cos") and rng.random() < 0.5:
                steps.append(Instruction("cos" if op == "sin" else "sin", args))
    x, y = Port("x", (INPUTS,), "1", "in"), Port("y", (OUTPUTS,), "1", "out")
    results = (*_some(rng, steps, OUTPUTS - 1), len(steps) - 1)
    return Program("random", "y = f(x)", (x,), (y,), tuple(steps), (results,))


def values(program: Program, x: list[float]) -> list[float]:
    """What a program gives."""
    scope = python.scope(careful=False)
    exec(python.emit(program), scope)
    return scope["program"](x)


def _some(rng: np.random.Generator, steps: list[Instruction], count: int) -> tuple[int, ...]:
    """Any values but calls, which are no numbers."""
    numbers = [i for i, step in enumerate(steps) if step.op != "call"]
    return tuple(int(i) for i in rng.choice(numbers, count))


def _away_from_zero(rng: np.random.Generator, steps: list[Instruction]) -> int:
    """1 + |sin x|."""
    one = next(i for i, step in enumerate(steps) if step.data == 1.0)
    steps.append(Instruction("sin", _some(rng, steps, 1)))
    steps.append(Instruction("abs", (len(steps) - 1,)))
    steps.append(Instruction("add", (len(steps) - 1, one)))
    return len(steps) - 1


def _guarded(rng: np.random.Generator, steps: list[Instruction]) -> None:
    divisor = _away_from_zero(rng, steps)
    for op in rng.choice(["div", "div", "sqrt", "log", "exp"], 2):
        args = (*_some(rng, steps, 1), divisor) if op == "div" else (divisor,)
        steps.append(Instruction(str(op), args))


def _sums(rng: np.random.Generator, steps: list[Instruction]) -> None:
    """Two sums with terms in common and, in both, products with a factor in common."""
    steps.append(Instruction("sin", _some(rng, steps, 1)))
    factor, shared = len(steps) - 1, _some(rng, steps, 2)
    for _ in range(2):
        (total,) = _some(rng, steps, 1)
        for term in (*shared, *_some(rng, steps, 3)):
            if term not in shared:
                steps.append(Instruction("mul", (factor, term)))
                term = len(steps) - 1
            steps.append(Instruction(str(rng.choice(["add", "sub"])), (total, term)))
            total = len(steps) - 1


def _solve(rng: np.random.Generator, steps: list[Instruction]) -> None:
    """A kernel on [[d, 0], [0, d]] and some right side, of which both outputs or one are picked."""
    d, zero = _away_from_zero(rng, steps), next(i for i, step in enumerate(steps) if step.data == 0.0)
    steps.append(Instruction("call", (d, zero, zero, d, *_some(rng, steps, 2)), LDLT_SOLVE.call(2)))
    call = len(steps) - 1
    for element in range(int(rng.integers(1, 3))):
        steps.append(Instruction("pick", (call,), element))
