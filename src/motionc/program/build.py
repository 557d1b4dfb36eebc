"""Values that write programs: scalars that write down what is done to them, in NumPy arrays too.

What is written is simplified on its way in, and equal values are written once (passes/numbering.py).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from motionc.errors import Error, NoNumber
from motionc.program.kernels import Call
from motionc.program.passes.numbering import Numbering
from motionc.program.program import Instruction, Program, Table

Scalar = Any
"""A Value or a float."""

Steps = tuple[Instruction, ...]
Results = tuple[tuple[int, ...], ...]


ONE = Instruction("const", (), 1.0)


class Draft(Numbering):
    """The numbering of a program that is being written: what comes next is not known yet.

    -(a - b) stays so, for what comes next may absorb the sign; where a - b is there, b - a is its opposite. Sums that
    cancel, and what is divided by itself, are gone at once; constants that meet in a product are one.
    """

    def value(self, op: str, args: tuple[int, ...], data: object = None) -> int:
        rule = EARLY.get(op)
        simpler = None if rule is None else rule(self, *args)
        return super().value(op, args, data) if simpler is None else simpler

    def sum(self, a: int, b: int) -> int | None:
        for one, other in ((a, b), (b, a)):
            op, args, _ = self.steps[one]
            if op == "sub" and args[1] == other:
                return args[0]
        return self.product(self.constant(2.0), a) if a == b else None

    def difference_of(self, a: int, b: int) -> int | None:
        (op, args, _), (other, parts, _) = self.steps[a], self.steps[b]
        if op == "add" and b in args:
            return args[args[0] == b]
        if op == "sub" and args[0] == b:
            return self.value("neg", (args[1],))
        if other == "add" and a in parts:
            return self.value("neg", (parts[parts[0] == a],))
        if other == "sub" and parts[0] == a:
            return parts[1]
        opposite = self._known.get(("sub", (b, a), None))
        return None if opposite is None else self.value("neg", (opposite,))

    def product(self, a: int, b: int) -> int | None:
        for constant, other in ((a, b), (b, a)):
            factor, (op, args, _) = self.steps[constant], self.steps[other]
            if factor.op == "const" and op == "mul":
                for inner, x in (args, args[::-1]):
                    if self.steps[inner].op == "const":
                        return self.value("mul", (self.value("mul", (constant, inner)), x))
            if op == "div" and args[1] == constant and self.steps[args[0]] == ONE:
                return self.constant(1.0)
        return None

    def quotient(self, a: int, b: int) -> int | None:
        return self.constant(1.0) if a == b else None

    def minus(self, a: int) -> int | None:
        return self.opposite(a) if self.steps[a].op == "sub" else None


EARLY: dict[str, Callable[..., int | None]] = {
    "add": Draft.sum,
    "sub": Draft.difference_of,
    "mul": Draft.product,
    "div": Draft.quotient,
    "neg": Draft.minus,
}


class Writer:
    """A program in the making."""

    def __init__(self) -> None:
        self._numbering = Draft()
        self._values: list[Value] = []
        self._written: dict[tuple[Any, ...], Value] = {}  # schedules ask for much of it again

    @property
    def steps(self) -> list[Instruction]:
        return self._numbering.steps

    def write(self, op: str, *args: Scalar, data: Any = None) -> "Value":
        """One instruction."""
        asked = (op, args, data)
        written = self._written.get(asked)
        if written is None:
            numbers = tuple([arg.number if arg.__class__ is Value else self.value(arg).number for arg in args])
            written = self._written[asked] = self._numbered(self._numbering.value(op, numbers, data))
        return written

    def value(self, of: Scalar) -> "Value":
        """A scalar as a value of this program."""
        return of if isinstance(of, Value) else self._numbered(self._numbering.constant(float(of)))

    def _numbered(self, number: int) -> "Value":
        values = self._values
        for k in range(len(values), number + 1):
            values.append(Value(self, k))
        return values[number]

    def inputs(self, port: int, size: int) -> list["Value"]:
        """The entries of an input."""
        return [self.write("input", data=(port, k)) for k in range(size)]

    def entry(self, values: Sequence[Scalar], index: Scalar) -> "Value":
        """The one of some values at an index, rounded down and kept within: one instruction where they are elements of
        an input in even steps, else choices between all of them.
        """
        if not values:
            raise Error("a table without entries has none to look up; give it at least one")
        table = self._table(values)
        if table is not None:
            return self.write("entry", index, data=table)
        numbers = [self.value(value).number for value in values]
        return self._numbered(self._numbering.among(numbers, self.value(index).number))

    def table(self, table: Table) -> list["Value"]:
        """The elements of an input that a table has."""
        return [self.write("input", data=(table.port, element)) for element in table.elements]

    def _table(self, values: Sequence[Scalar]) -> Table | None:
        """The table that values are; None where they are none."""
        places, steps = list[Any](), self.steps
        for value in values:
            if not isinstance(value, Value) or steps[value.number].op != "input":
                return None
            places.append(steps[value.number].data)
        if len(places) < 2 or places[0] == places[1]:
            return None
        (port, offset), (_, second) = places[:2]
        table = Table(port, offset, second - offset, len(places))
        return table if places == [(table.port, element) for element in table.elements] else None

    def call(self, call: Call, *arguments: Any) -> list["Value"]:
        """What a kernel gives for a matrix and what stands beside it, entry by entry."""
        entries = [entry for part in arguments for entry in np.ravel(part)]
        if len(entries) != call.inputs:
            raise Error(f"{call.kernel} on {call.size} rows takes {call.inputs} numbers, not {len(entries)}")
        found = self.write("call", *entries, data=call)
        return [self.write("pick", found, data=k) for k in range(call.outputs)]

    def copy(self, program: Program) -> list[list["Value"]]:
        """Everything a program computes; returned is what it gives, port by port."""
        values: list[Value] = []
        for step in program.instructions:
            values.append(self.write(step.op, *[values[arg] for arg in step.args], data=step.data))
        return [[values[entry] for entry in port] for port in program.results]

    def needed(self, results: Sequence[Sequence[Scalar]]) -> tuple[Steps, Results]:
        """What leads to some results, in the order in which it was written, and the numbers of the results."""
        steps, place, kept = self.steps, dict[int, int](), list[Instruction]()
        numbers = [[self.value(entry).number for entry in port] for port in results]
        wanted, stack = set[int](), [number for port in numbers for number in port]
        while stack:
            number = stack.pop()
            if number not in wanted:
                wanted.add(number)
                stack += steps[number].args
        for number in sorted(wanted):
            op, args, data = steps[number]
            place[number] = len(kept)
            kept.append(Instruction(op, tuple([place[arg] for arg in args]), data))
        return tuple(kept), tuple([tuple([place[number] for number in port]) for port in numbers])


class Value:
    """One value of a program in the making; numbers in computations with it become constants.

    `constant` is its number, where it always is the same. Comparisons are 1 or 0.
    """

    __slots__ = ("constant", "number", "writer")

    def __init__(self, writer: Writer, number: int) -> None:
        self.writer, self.number = writer, number
        op, _, data = writer.steps[number]
        self.constant: float | None = data if op == "const" else None  # pyright: ignore[reportAttributeAccessIssue]

    def _with(self, op: str, other: Scalar, *, swap: bool = False) -> Any:
        if other.__class__ is not Value and not isinstance(other, NUMBERS):
            return NotImplemented  # entry by entry, which is the matrix' affair
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

    def __pow__(self, exponent: float) -> Any:
        if exponent != int(exponent) or exponent < 0:
            return NotImplemented
        power: Scalar = 1.0
        for _ in range(int(exponent)):
            power = self * power
        return power

    def __neg__(self) -> "Value":
        return self.writer.write("neg", self)

    def __lt__(self, other: Scalar) -> Any:
        return self._with("less", other)

    def __gt__(self, other: Scalar) -> Any:
        return self._with("less", other, swap=True)

    def __le__(self, other: Scalar) -> Any:
        return self._with("less_equal", other)

    def __ge__(self, other: Scalar) -> Any:
        return self._with("less_equal", other, swap=True)

    def sin(self) -> "Value":
        return self.writer.write("sin", self)

    def cos(self) -> "Value":
        return self.writer.write("cos", self)

    def sqrt(self) -> "Value":
        return self.writer.write("sqrt", self)

    def exp(self) -> "Value":
        return self.writer.write("exp", self)

    def log(self) -> "Value":
        return self.writer.write("log", self)

    def absolute(self) -> "Value":
        return self.writer.write("abs", self)

    __abs__ = absolute

    def floor(self) -> "Value":
        return self.writer.write("floor", self)

    __floor__ = floor

    def sign(self) -> "Value":
        return self.writer.write("sign", self)

    def arctan2(self, x: Scalar) -> "Value":
        """The angle of (x, self)."""
        return self.writer.write("atan2", self, x)

    def minimum(self, other: Scalar) -> "Value":
        return self.writer.write("min", self, other)

    def maximum(self, other: Scalar) -> "Value":
        return self.writer.write("max", self, other)

    def less(self, other: Scalar) -> "Value":
        """1 where it is less than the other, else 0."""
        return self.writer.write("less", self, other)

    def equal(self, other: Scalar) -> "Value":
        """1 where both are the same number, else 0; `==` asks whether it is the same value of the program."""
        return self.writer.write("equal", self, other)

    def not_equal(self, other: Scalar) -> "Value":
        """1 where they are not the same number, else 0."""
        return self.writer.write("not_equal", self, other)

    def entry(self, values: Sequence[Scalar]) -> "Value":
        """The one of some values whose index it is, rounded down and kept within."""
        return self.writer.entry(values, self)

    def select(self, yes: Scalar, no: Scalar) -> "Value":
        """One value where it is not 0, else the other."""
        return self.writer.write("select", self, yes, no)

    def __float__(self) -> float:
        if self.constant is None:
            raise NoNumber("a number made of a symbol")
        return self.constant

    def __bool__(self) -> bool:
        if self.constant is None:
            raise NoNumber("a decision by a symbol")
        return bool(self.constant)


NUMBERS = (float, int, np.number, np.bool_)


def is_zero(value: Scalar) -> bool:
    """Whether it is 0 whatever comes in."""
    return (value.constant if isinstance(value, Value) else value) == 0.0
