"""What all targets share: the files they make, the words in front of each, and the states a self-test is given.

A target is a function from a program, a name, a precision and trials to texts by file name. Each text says which
equation it computes, and of every port its size, unit, meaning and frames; each can be run to check itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from motionc.program.port import Port, Precision
from motionc.program.program import Program


@dataclass(frozen=True, slots=True)
class Trial:
    """One state: what goes in and what must come out, a flat row-major tuple for each port."""

    inputs: tuple[tuple[float, ...], ...]
    outputs: tuple[tuple[float, ...], ...]


Files = dict[str, str]
Emit = Callable[[Program, str, Precision, Sequence[Trial]], Files]
"""From a program, the name of its function, a precision and trials to texts by file name, what is called first."""

TOLERANCE: dict[Precision, float] = {"double": 1e-9, "single": 2e-2}
"""Relative errors that a self-test lets pass: max|x - expected| / max(1, max|expected|), port by port.

In single precision a solve for dozens of rows keeps two or three digits; what is wrong is wrong by more.
"""


def documentation(program: Program, size: Callable[[Port], str] | None = None) -> list[str]:
    """Equation, ports and operation counts, line by line; a target turns them into comments of its language.

    `size` says how large a port is there, if not as in C.
    """
    size = size or shape
    count = program.operations
    lines = [program.equation, ""]
    for title, ports in (("inputs", program.inputs), ("outputs", program.outputs)):
        lines.append(f"{title}:")
        lines += [f"  {port.name} {size(port)}, {port.unit}: {port.meaning}" for port in ports]
    lines.append(f"{sum(count.values())} operations: " + ", ".join(f"{n} {op}" for op, n in sorted(count.items())))
    return lines


def shape(port: Port) -> str:
    """The sizes of a port, as C writes them."""
    return f"[{']['.join(map(str, port.shape))}]" if port.shape else "[1]"
