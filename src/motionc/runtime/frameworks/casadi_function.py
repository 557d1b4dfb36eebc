"""A computation as a function of CasADi: expressions of which it knows every instruction, for optimal control.

Kernels are written out by their own definition. That takes rows in the order in which they are given, where a call
takes the most independent one next: a number is chosen by what it is, an expression cannot be.
"""

import operator
from collections.abc import Callable
from importlib import import_module
from typing import Any

from motionc.errors import Error
from motionc.program import Program
from motionc.program.compose import without_tables
from motionc.program.kernels import KERNELS
from motionc.program.port import Port
from motionc.program.program import call_data
from motionc.program.written_out import written_out
from motionc.runtime.computation import Computation

# an extra: strict types end here
ca: Any = import_module("casadi")

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "sqrt": ca.sqrt,
    "sin": ca.sin,
    "cos": ca.cos,
    "atan2": ca.atan2,
    "exp": ca.exp,
    "log": ca.log,
    "min": ca.fmin,
    "max": ca.fmax,
    "abs": ca.fabs,
    "floor": ca.floor,
    "sign": ca.sign,
    "less": operator.lt,
    "less_equal": operator.le,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "select": ca.if_else,
}
"""What each instruction is on SX."""


def to_casadi(computation: Computation) -> Any:
    """The `casadi.Function` of the same inputs and outputs, by name and in their order."""
    program = straight(computation.program)
    given = [ca.SX.sym(port.name, *_shape(port)) for port in program.inputs]
    found = _expressions(program, [_row_major(matrix) for matrix in given])
    taken = [port.name for port in program.inputs]
    names = [f"{port.name}_out" if port.name in taken else port.name for port in program.outputs]
    return ca.Function(computation.name, given, found, taken, names)


def straight(program: Program) -> Program:
    """The same without kernels and tables."""
    for _, step in program.calls():
        if why := KERNELS[call_data(step).kernel].unwritten:
            raise Error(f"{program.name} calls {call_data(step).kernel}, which CasADi cannot have: {why}")
    return written_out(without_tables(program, range(len(program.inputs))), KERNELS)


def _expressions(program: Program, given: list[Any]) -> list[Any]:
    """The outputs, as matrices of expressions."""
    values: list[Any] = []
    for op, args, data in program.instructions:
        match op, data:
            case "const", constant:
                values.append(ca.SX(constant))
            case "input", (int(port), int(element)):
                values.append(given[port][element])
            case _:
                values.append(FUNCTIONS[op](*[values[arg] for arg in args]))
    pairs = zip(program.outputs, program.results, strict=True)
    return [_matrix([values[entry] for entry in entries], port) for port, entries in pairs]


def _shape(port: Port) -> tuple[int, int]:
    """CasADi has matrices alone: numbers are columns, and what has more axes stands one below the other."""
    *front, columns = port.shape if len(port.shape) > 1 else (port.size, 1)
    return port.size // max(columns, 1) if columns else front[0], columns


def _row_major(matrix: Any) -> Any:
    return ca.reshape(matrix.T, -1, 1)


def _matrix(entries: list[Any], port: Port) -> Any:
    rows, columns = _shape(port)
    return ca.reshape(ca.vertcat(*entries), columns, rows).T if entries else ca.SX(rows, columns)
