"""Writing programs by computing: scalars that write down what is done to them, in NumPy arrays too.

What is written is simplified on its way in, and equal values are written once (passes.py).
"""

from typing import Any

import numpy as np

from motionc.program.kernels import Call
from motionc.program.passes import Numbering
from motionc.program.program import Instruction, Program

Scalar = Any
"""A Value or a float."""


class Writer:
    """A program in the making."""

    def __init__(self) -> None:
        self._numbering = Numbering()

    @property
    def steps(self) -> list[Instruction]:
        return self._numbering.steps

    def write(self, op: str, *args: Scalar, data: Any = None) -> "Value":
        """One instruction."""
        numbers = tuple([self.value(arg).number for arg in args])
        return Value(self, self._numbering.value(op, numbers, data))

    def value(self, of: Scalar) -> "Value":
        """A scalar as a value of this program."""
        return of if isinstance(of, Value) else Value(self, self._numbering.constant(float(of)))

    def call(self, call: Call, *arguments: Any) -> list["Value"]:
        """What a kernel gives for a matrix and what stands beside it, entry by entry."""
        found = self.write("call", *(entry for part in arguments for entry in np.ravel(part)), data=call)
        return [self.write("pick", found, data=k) for k in range(call.outputs)]

    def copy(self, program: Program) -> list[list["Value"]]:
        """Everything a program computes; returned is what it gives, port by port."""
        values: list[Value] = []
        for step in program.instructions:
            values.append(self.write(step.op, *[values[arg] for arg in step.args], data=step.data))
        return [[values[entry] for entry in port] for port in program.results]


class Value:
    """One value of a program in the making; numbers in computations with it become constants."""

    __slots__ = ("number", "writer")

    def __init__(self, writer: Writer, number: int) -> None:
        self.writer, self.number = writer, number

    @property
    def constant(self) -> float | None:
        """Its number, where it always is the same."""
        step = self.writer.steps[self.number]
        return step.data if step.op == "const" else None  # pyright: ignore[reportReturnType]

    def _with(self, op: str, other: Scalar, *, swap: bool = False) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # entry by entry, which is the array's affair
        return self.writer.write(op, other, self) if swap else self.writer.write(op, self, other)

    def __add__(self, other: Scalar) -> Any:
        return self._with("add", other)

    def __radd__(self, other: Scalar) -> Any:
        return self._with("add", other, swap=True)

    def __sub__(self, other: Scalar) -> Any:
        return self._with("sub", other)

    def __rsub__(self, other: Scalar) -> Any:
        return self._with("sub", other, swap=True)

    def __mul__(self, other: Scalar) -> Any:
        return self._with("mul", other)

    def __rmul__(self, other: Scalar) -> Any:
        return self._with("mul", other, swap=True)

    def __truediv__(self, other: Scalar) -> Any:
        return self._with("div", other)

    def __rtruediv__(self, other: Scalar) -> Any:
        return self._with("div", other, swap=True)

    def __neg__(self) -> "Value":
        return self.writer.write("neg", self)

    def sin(self) -> "Value":
        return self.writer.write("sin", self)

    def cos(self) -> "Value":
        return self.writer.write("cos", self)

    def sign(self) -> "Value":
        return self.writer.write("sign", self)

    def less(self, other: Scalar) -> "Value":
        """1 where it is less than the other, else 0."""
        return self.writer.write("less", self, other)

    def select(self, yes: Scalar, no: Scalar) -> "Value":
        """One value where it is not 0, else the other."""
        return self.writer.write("select", self, yes, no)


def is_zero(value: Scalar) -> bool:
    """Whether it is 0 whatever comes in."""
    return (value.constant if isinstance(value, Value) else value) == 0.0
