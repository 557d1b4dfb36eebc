"""Matrices of symbols, and what stands in them once the symbols are numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc.geometry.symbols import Symbols
from motionc.program import Program
from motionc.program.build import Writer
from motionc.program.evaluate import evaluate
from motionc.program.port import Port

Array = np.ndarray[Any, np.dtype[np.float64]]


class Page:
    """A program in the making with an input for each matrix of symbols."""

    def __init__(self) -> None:
        self.writer, self.ports = Writer(), list[Port]()

    def symbols(self, *shape: int) -> Symbols:
        port = Port(f"x{len(self.ports)}", shape, "", "")
        entries = self.writer.inputs(len(self.ports), port.size)
        self.ports.append(port)
        return Symbols([entries[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0])], shape[1])

    def evaluated(self, matrices: Sequence[Any], *values: Array) -> list[Array]:
        """The matrices with the symbols replaced by numbers, in the order in which they were made."""
        parts = [Symbols.of(matrix) for matrix in matrices]
        instructions, results = self.writer.needed([part.flat for part in parts])
        outputs = tuple(Port(f"y{k}", part.shape, "", "") for k, part in enumerate(parts))
        program = Program("page", "", tuple(self.ports), outputs, instructions, results)
        found = evaluate(program, {port.name: value for port, value in zip(self.ports, values, strict=True)})
        return [found[port.name] for port in outputs]
