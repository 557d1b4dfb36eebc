"""Python: the same straight-line program as a function, for machines without a compiler."""

import math
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from motionc.program.kernels import KERNELS, Call
from motionc.program.program import Instruction, Program, call_data

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
COMPARE = {"less": "<", "less_equal": "<=", "equal": "==", "not_equal": "!="}


def emit(program: Program, name: str = "program") -> str:
    """A function `name(x)` from the list of all input entries to the list of all output entries.

    What it needs in its globals, `scope` has.
    """
    offsets, total = list[int](), 0
    for port in program.inputs:
        offsets.append(total)
        total += port.size
    lines = [f"def {name}(x):"]
    for i, step in enumerate(program.instructions):
        lines.append(f"    t{i} = {_expression(step, offsets)}")
    values = ", ".join(f"t{value}" for port in program.results for value in port)
    return "\n".join([*lines, f"    return [{values}]", ""])


def _expression(step: Instruction, offsets: list[int]) -> str:
    args = [f"t{arg}" for arg in step.args]
    match step.op, step.data:
        case "const", float(value):
            return f"float({str(value)!r})"
        case "input", (int(port), int(element)):
            return f"x[{offsets[port] + element}]"
        case "call", _:
            call = call_data(step)
            return f"kernel_{call.kernel}({tuple(call)[1:]}, [{', '.join(args)}])"
        case "pick", element:
            return f"{args[0]}[{element}]"
        case _:
            return _arithmetic(step.op, args)


def _arithmetic(op: str, args: list[str]) -> str:
    if op in INFIX:
        return f"{args[0]} {INFIX[op]} {args[1]}"
    if op in COMPARE:
        return f"float({args[0]} {COMPARE[op]} {args[1]})"
    if op == "neg":
        return f"-{args[0]}"
    if op == "select":
        return f"{args[1]} if {args[0]} else {args[2]}"
    if op == "sign":
        return f"float({args[0]} > 0.0) - float({args[0]} < 0.0)"
    return f"abs({args[0]})" if op == "abs" else f"math.{op}({', '.join(args)})"


# ---------------------------------------------------------------- what the text means


def scope(*, careful: bool) -> dict[str, Any]:
    """The globals of a program: Python's own numbers, or, slower, NumPy's, which go on where Python's raise."""
    number = np.float64 if careful else float
    functions = CAREFUL if careful else PLAIN
    kernels = {f"kernel_{name}": partial(run_kernel, name, number) for name in KERNELS}
    return {"float": number, "math": SimpleNamespace(**functions), **kernels}


def _lesser(a: float, b: float) -> float:
    """As C's fmin: of a number and a NaN, the number."""
    return a if a < b or b != b else b


def _larger(a: float, b: float) -> float:
    return a if a > b or b != b else b


EDGES: dict[str, Callable[..., float]] = {"min": _lesser, "max": _larger}
PLAIN = EDGES | {name: getattr(math, name) for name in ("sqrt", "sin", "cos", "atan2", "exp", "log")}
CAREFUL = EDGES | {name: getattr(np, name) for name in ("sqrt", "sin", "cos", "exp", "log")} | {"atan2": np.arctan2}


def run_kernel(
    kernel: str,
    number: Callable[[Any], float],
    policy: tuple[Any, ...],
    values: list[float],
) -> list[float]:
    """A kernel on a flat list: the matrix row by row, then the right side."""
    return [number(x) for x in Call(kernel, *policy).run(values)]
