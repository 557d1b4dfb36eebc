"""What is done to a program between tracing and printing. Each pass keeps what the outputs mean, and says in its file
what it does; `PIPELINE` is their order. Pairing and splitting come last, as each target wants them.
"""

from collections.abc import Callable
from typing import NamedTuple

from motionc.program.passes.dead_code import without_dead_code
from motionc.program.passes.numbering import Numbering
from motionc.program.passes.opposites import without_opposites
from motionc.program.passes.order import scheduled
from motionc.program.passes.pairing import together
from motionc.program.passes.reciprocals import with_shared_reciprocals
from motionc.program.passes.simplify import simplified
from motionc.program.passes.sums import with_common_factors, with_common_sums
from motionc.program.program import Program


class Pass(NamedTuple):
    """A name, and a function from program to program."""

    name: str
    apply: Callable[[Program], Program]


PIPELINE = (
    Pass("simplify", simplified),
    Pass("dead code", without_dead_code),
    Pass("reciprocals", with_shared_reciprocals),
    Pass("common factors", with_common_factors),
    Pass("common sums", with_common_sums),
    Pass("opposites", without_opposites),
    Pass("schedule", scheduled),
)
"""What every traced program goes through, in this order."""


def optimise(program: Program) -> Program:
    """The program after all passes."""
    for each in PIPELINE:
        program = each.apply(program)
    return program


__all__ = [
    "PIPELINE",
    "Numbering",
    "Pass",
    "optimise",
    "simplified",
    "together",
    "with_common_factors",
    "with_common_sums",
    "with_shared_reciprocals",
    "without_dead_code",
    "without_opposites",
]
