"""Parts of a loop that are no programs: another physics engine, a function in Python.

They have ports as all parts do, so that wires are checked the same way; a loop with one is run turn by turn in Python,
all other parts compiled, and is written in no other language.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from motionc.errors import Error, suggestion
from motionc.program.block import Block, Code, Nobody
from motionc.program.port import Port, Precision, as_columns, numbers, states_of
from motionc.program.program import Program
from motionc.program.source import Named

Array = np.ndarray[Any, np.dtype[Any]]
Advance = Callable[..., Mapping[str, Any]]
"""From arrays by the names of inputs to what each output is."""


class Foreign(Block):
    """Something that computes, and is no program: `advance(**inputs)` gives outputs by name, states among them."""

    def __init__(
        self,
        name: str,
        advance: Advance,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        *,
        who: str,
        robot: Named | None = None,
        period: float = 0.0,
        precision: Precision = "double",
    ) -> None:
        self.name, self.advance, self.who, self.robot = name, advance, who, robot or Nobody()
        self.inputs, self.outputs = tuple(inputs), (*outputs, *states_of(inputs))
        self.period, self.options = period, Code(precision)
        self.precision: Precision = precision

    @property
    def program(self) -> Program:
        return self._no_program()

    def recorded(self) -> Program:
        return self._no_program()

    def run(self, *values: Any, trace: Any = None, **_: Any) -> Mapping[str, Any]:
        """What is answered for these inputs."""
        given = as_columns(self.name, self.inputs, values)
        shaped = {port.name: given[port.name].reshape(port.shape) for port in self.inputs}
        return dict(zip((port.name for port in self.outputs), self.answer(shaped), strict=True))

    def answer(self, given: Mapping[str, Any]) -> list[Array]:
        """All outputs in order, each in its shape; refused by name where one is missing or has another."""
        answers = self.advance(**given)
        known = [port.name for port in self.outputs]
        for extra in answers:
            if extra not in known:
                raise Error(f"{self.name}: it gave {extra!r}, which is no output{suggestion(str(extra), known)}")
        found = list[Array]()
        for port in self.outputs:
            if port.name not in answers:
                raise Error(f"{self.name}: it gave nothing for {port.name} ({port.meaning}); return it by that name")
            value = np.asarray(numbers(self.name, port, answers[port.name]), float)
            if value.shape != port.shape:
                raise Error(f"{self.name}: {port.name} has shape {value.shape}; it must be {port.shape}")
            found.append(value)
        return found

    def _no_program(self) -> NoReturn:
        raise Error(
            f"{self.name} is computed by {self.who}, not by a program: it runs in Python, turn by turn, and cannot be "
            "written in another language, run on a GPU or differentiated; use a plant and a controller of computations"
        )


def is_foreign(source: Any) -> bool:
    """Whether it, or a part of it, is no program."""
    return isinstance(source, Foreign) or any(is_foreign(part) for part in getattr(source, "parts", ()))
