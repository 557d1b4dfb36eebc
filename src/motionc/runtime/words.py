"""What a computation says of itself: its help, its signature, its table in a notebook; what its results say."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from motionc.program.names import whose
from motionc.program.port import Port
from motionc.program.source import Source
from motionc.tables import few, html_table, short

ENTRIES = (8, 3, 0)
"""Numbers of an array that a line shows: as many of these as it has room for."""
LONGEST = 200
"""Letters of a line that stands for several arrays."""

Array = np.ndarray[Any, np.dtype[Any]]


class When:
    """An attribute that is worked out when it is read: help, which most computations are never asked for."""

    def __init__(self, say: Callable[[Source], Any], solver: Source) -> None:
        self.say, self.solver = say, solver

    def __get__(self, *_: Any) -> Any:
        return self.say(self.solver)


def documentation(source: Source, *more: str) -> str:
    """What `help` says: whom it is about, its ports with shapes, units and meaning, its options."""
    options = str(source.options)
    lines = [f"{source.name}{whose(short(source.robot.name))}: {arrow(source.inputs, source.outputs)}", ""]
    for title, ports in (("Args", source.inputs), ("Returns", source.outputs)):
        lines.append(f"{title}:")
        lines += [f"    {one.name} {_shape(one)}, {one.unit}: {short(one.meaning, 300)}" for one in ports]
    lines += ["", f"Options: {short(options, 300)}"] if options else []
    return "\n".join([*lines, *(("", *more) if more else ())])


def signature(source: Source) -> inspect.Signature:
    """Inputs as arguments, in their order; those whose names are no words of Python come last, or by `**{name: …}`."""
    kind = inspect.Parameter
    words = [port.name for port in source.inputs if port.name.isidentifier()]
    arguments = [kind(name, kind.POSITIONAL_OR_KEYWORD) for name in words]
    more = [kind("parameters", kind.VAR_POSITIONAL), kind("named", kind.VAR_KEYWORD)]
    return inspect.Signature(arguments + more * (len(words) < len(source.inputs)))


def arrow(inputs: Iterable[Port], outputs: Iterable[Port]) -> str:
    """Which goes in and which comes out."""
    return f"{few((port.name for port in inputs), 8)} → {few((port.name for port in outputs), 8)}"


def values_line(names: Sequence[str], values: Sequence[Any]) -> str:
    """Results in a line: arrays by name, as many entries of each as fit, and shapes where they are long."""
    said = ""
    for entries in ENTRIES:
        said = ", ".join(f"{name}={brief(value, entries)}" for name, value in zip(names, values, strict=True))
        if len(said) <= LONGEST:
            break
    return short(said, 2 * LONGEST)


def values_table(ports: Iterable[Port], values: Iterable[Any], notes: Iterable[str]) -> str:
    """Results in a notebook, with units and what is to be said of them."""
    rows = [
        (port.name, np.shape(value) or "", port.unit, brief(value)) for port, value in zip(ports, values, strict=True)
    ]
    return html_table("Results", ("", "shape", "unit", "value"), rows, below="; ".join(notes))


def brief(value: Any, entries: int = ENTRIES[0]) -> str:
    """A number, or the first entries of an array and its shape.

    >>> brief(np.arange(3.0)), brief(np.zeros((2, 9))), brief(1 / 3)
    ('[0 1 2]', '(2, 9) [0 0 0 0 0 0 0 0 …]', '0.3333')
    """
    if not np.ndim(value):
        return f"{value:.4g}" if isinstance(value, float) else str(value)
    array = np.asarray(value)
    first = " ".join(f"{entry:.4g}" if array.dtype.kind == "f" else str(entry) for entry in array.flat[:entries])
    if array.ndim == 1 and array.size <= entries:
        return f"[{first}]"
    return f"{array.shape} [{first} …]" if entries and array.size else str(array.shape)


def _shape(port: Port) -> str:
    return str(port.shape) if port.shape else "number"
