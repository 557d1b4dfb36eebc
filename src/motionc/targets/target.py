"""What all targets share: the files they make, the words in front of each, and the states a self-test is given.

A target is a function from a program, a name, a precision and trials to texts by file name. Each text says which
equation it computes, and of every port its size, unit, meaning and frames; each can be run to check itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from motionc.program.loop import Loop
from motionc.program.port import Port, Precision
from motionc.program.program import Program


@dataclass(frozen=True, slots=True)
class Trial:
    """One state: what goes in and what must come out, a flat row-major tuple for each port."""

    inputs: tuple[tuple[float, ...], ...]
    outputs: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class RollOut:
    """Lanes of a loop, from its first turn on, and where they end; of each port a flat tuple, lane after lane.

    `given` is what is held and streamed in, `states` and `ends` what is carried on, before and after; `turns` are how
    many each lane made, and how many of these are finite.
    """

    steps: int
    lanes: int
    seed: int
    lane: int
    given: tuple[tuple[float, ...], ...]
    states: tuple[tuple[float, ...], ...]
    ends: tuple[tuple[float, ...], ...]
    logs: tuple[tuple[float, ...], ...]
    turns: tuple[int, ...]


Files = dict[str, str]
Emit = Callable[[Program, str, Precision, Sequence[Trial]], Files]
"""From a program, the name of its function, a precision and trials to texts by file name, what is called first."""

EmitLoop = Callable[[Loop, str, RollOut], Files]
"""From a loop, the name its functions begin with, and a roll-out to texts by file name."""

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


ROLES = {
    "held": "given once",
    "streamed": "given each turn",
    "drawn": "drawn each turn",
    "clock": "the time",
    "local": "in between",
    "state": "carried on",
}


def loop_documentation(
    loop: Loop,
    names: Sequence[str] = (),
    logs: Sequence[str] = (),
    size: Callable[[Port], str] | None = None,
) -> list[str]:
    """What a turn does, and what buffers and logs are, under these names or their own."""
    size = size or shape
    lines = [f"{loop.name}: a loop in time, {loop.period:g} s a turn. A turn:"]
    for use in loop.uses:
        rate = f", every {use.every} turns" if use.every > 1 else ""
        lines.append(f"  {use.name}{rate}: {use.program.equation}")
    names = names or [buffer.name for buffer in loop.buffers]
    lines += ["", "buffers:"]
    for name, buffer in zip(names, loop.buffers, strict=True):
        port = buffer.port
        lines.append(f"  {name} {size(port)}, {port.unit}, {ROLES[buffer.role]}: {port.meaning}")
    if loop.logs:
        lines.append("logs:")
    for name, log in zip(logs or [log.name for log in loop.logs], loop.logs, strict=True):
        lines.append(f"  {name}: {names[log.buffer]} after every {f'{log.every} turns' if log.every > 1 else 'turn'}")
    lines.append(f"{sum(loop.operations.values())} operations in a turn of all")
    return lines
