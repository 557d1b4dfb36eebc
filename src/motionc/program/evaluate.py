"""A program on numbers, one instruction after the other: slow, and in no language but this one."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from motionc.program.instructions import OPERATIONS
from motionc.program.program import Program, Table, call_data, place

Array = np.ndarray[Any, np.dtype[np.float64]]


def evaluate(program: Program, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Outputs by name, in their ports' shapes."""
    values = _each(program, inputs)
    results = zip(program.outputs, program.results, strict=True)
    return {
        port.name: np.array([values[entry] for entry in entries], float).reshape(port.shape)
        for port, entries in results
    }


def values_of(program: Program, inputs: Mapping[str, Array]) -> Array:
    """What every instruction gives; NaN for a call, whose results its picks give."""
    values = _each(program, inputs)
    calls = {i for i, _ in program.calls()}
    return np.array([np.nan if i in calls else value for i, value in enumerate(values)], float)


def _each(program: Program, inputs: Mapping[str, Array]) -> list[Any]:
    given = [np.ravel(inputs[port.name]) for port in program.inputs]
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for step in program.instructions:
            args = [values[arg] for arg in step.args]
            match step.op, step.data:
                case "const", constant:
                    found = constant
                case "input", (int(port), int(element)):
                    found = given[port][element]
                case "entry", Table() as table:
                    found = given[table.port][table.elements[place(args[0], table.length)]]
                case "call", _:
                    found = call_data(step).run(args)
                case "pick", int(element):
                    found = args[0][element]
                case _:
                    found = OPERATIONS[step.op].numpy(*args)
            values.append(found)
    return values
