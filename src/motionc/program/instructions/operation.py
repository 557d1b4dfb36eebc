"""What is an instruction that computes? A record of its meaning, derivative and spellings: complete, or it is none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from motionc.program.instructions.spelling import Spelling

Values = Sequence[Any]

Partial = Callable[[Values, Any], Any]
"""How a result changes with one argument: a value, from those of all arguments and of the result."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One argument is handed on where a condition is not 0, else another."""

    condition: Callable[[Values], Any]
    yes: int
    no: int


Derivative = tuple[Partial, ...] | Choice | None
"""A partial derivative for each argument, or which argument changes the result, or None: it does not change."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An instruction that computes.

    `compute` takes Python's floats and raises where they do; `numpy` takes NumPy's numbers and arrays, and goes on.
    `linear` lists arguments in which it is linear while the others stand still. `simpler` gives the number of an equal
    value that costs less, or None; it is asked where an argument is constant or negated, and always if `picky`.
    """

    name: str
    arguments: int
    meaning: str
    compute: Callable[..., Any]
    numpy: Callable[..., Any]
    derivative: Derivative
    spelling: Spelling
    linear: tuple[int, ...] = ()
    commutative: bool = False
    simpler: Callable[..., int | None] | None = None
    picky: bool = False

    def fold(self, constants: Sequence[Any]) -> float | None:
        """The number that it always is; None where Python has none, and languages have an infinity or NaN."""
        try:
            return float(self.compute(*constants))
        except (ArithmeticError, ValueError):
            return None
