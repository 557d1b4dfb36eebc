"""Python: the same straight-line program as a function, for machines without a compiler."""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from motionc.program.instructions import OPERATIONS
from motionc.program.kernels import KERNELS, Call
from motionc.program.program import Instruction, Program, Table, call_data, place


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
        case "entry", Table() as table:
            first = offsets[table.port] + table.offset
            return f"x[{first} + {table.stride} * place({args[0]}, {table.length})]"
        case "call", _:
            call = call_data(step)
            return f"kernel_{call.kernel}({tuple(call)[1:]}, [{', '.join(args)}])"
        case "pick", element:
            return f"{args[0]}[{element}]"
        case _:
            return OPERATIONS[step.op].spelling.python.format(*args)


# ---------------------------------------------------------------- what the text means


def scope(*, careful: bool) -> dict[str, Any]:
    """The globals of a program: Python's own numbers, or, slower, NumPy's, which go on where Python's raise."""
    number = np.float64 if careful else float
    functions = {op: meaning.numpy if careful else meaning.compute for op, meaning in OPERATIONS.items()}
    kernels = {f"kernel_{name}": partial(run_kernel, name, number) for name in KERNELS}
    return {"float": number, "math": SimpleNamespace(**functions), "place": place, **kernels}


def run_kernel(
    kernel: str,
    number: Callable[[Any], float],
    policy: tuple[Any, ...],
    values: list[float],
) -> list[float]:
    """A kernel on a flat list: the matrix row by row, then the right side."""
    return [number(x) for x in Call(kernel, *policy).run(values)]
