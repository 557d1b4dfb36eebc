"""What emitted C takes of a machine, function by function: arithmetic operations, instructions, bytes of stack.

Operations are the program's own. Instructions and stack are what the compiler of this machine says of the functions
that `emit("c", …)` writes, with the flags that calls are built with; without a compiler they are left open.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from motionc.program.port import Precision
from motionc.program.program import Program
from motionc.runtime.build.compiler import assembled, find_compiler

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.table import Table

COPY = r"(?:\.\w+)*"
"""What compilers put behind the name of a function that they make to measure for its callers: .constprop.0, .isra.0."""
KINDS = 12
"""Letters of a line of operations by kind, at least."""
HEAD = ("function", "operations", "instructions", "stack", "by kind")


@dataclass(frozen=True, slots=True)
class FunctionSize:
    """A function of C: its arithmetic by kind, machine instructions, and bytes of stack.

    None where no compiler says it, or where it has put the function into another.
    """

    name: str
    operations: Mapping[str, int]
    instructions: int | None
    stack: int | None


class Footprint(tuple[FunctionSize, ...]):
    """Functions in the order of the text, the one that is called last; prints as a table."""

    def __str__(self) -> str:
        rows = [HEAD, *_rows(self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:4], widths[1:4]), row[4]] for row in rows]
        return "\n".join("  ".join(line).rstrip() for line in lines)

    __repr__ = __str__

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> Iterator["Table"]:
        """Kinds give way, names and numbers do not: on a narrow terminal lines are too long rather than cut."""
        from rich.table import Table  # slow to import, and seldom needed

        rows, table = list(_rows(self)), Table(box=None)
        for column in HEAD:
            table.add_column(column, justify="right" if column in HEAD[1:4] else "left", no_wrap=column != HEAD[4])
        for row in rows:
            table.add_row(*row)
        widths = [max(map(len, column)) + 2 for column in zip(HEAD[:4], *(row[:4] for row in rows), strict=True)]
        least = sum(widths) + KINDS
        table.width = least if options.max_width < least else None
        yield table


def footprint(program: Program, name: str, precision: Precision) -> Footprint:
    """What the functions take that a program is in C."""
    from motionc.targets import c  # a language is loaded where it is written
    from motionc.targets.counts import by_function

    sources, tool = c.emit(program, name, precision), find_compiler()
    assembly, stacks = "", ""
    if tool is not None:
        size = len(program.instructions)
        assembly, stacks = assembled(tool, sources.together, instructions=size, label=sources.name)
    counted, stack = _instructions(assembly), _stack(stacks)
    return Footprint(
        FunctionSize(function, dict(operations), counted.get(function), stack.get(function))
        for function, operations in by_function(program, sources.name).items()
    )


def _instructions(assembly: str) -> dict[str, int]:
    """Lines of each function that are neither labels nor words to the assembler."""
    counts: Counter[str] = Counter()
    function = ""
    for line in assembly.splitlines():
        label = re.match(rf"_?([A-Za-z]\w*){COPY}:", line)
        if label is not None:
            function = label[1]
            counts[function] += 0
        elif re.match(r"\s+\.cfi_endproc", line):
            function = ""
        elif function and re.match(r"\s+[a-z]", line):
            counts[function] += 1
    return counts


def _stack(usage: str) -> dict[str, int]:
    """Of each function the bytes that `-fstack-usage` says: `file:line:name<tab>bytes<tab>kind`; the most of copies."""
    sizes: dict[str, int] = {}
    for name, size in re.findall(rf"^.*?:(\w+){COPY}\t(\d+)\t", usage, re.MULTILINE):
        sizes[name] = max(sizes.get(name, 0), int(size))
    return sizes


def _rows(sizes: Footprint) -> Iterator[tuple[str, ...]]:
    for each in sizes:
        figures = ("–" if figure is None else f"{figure:,}" for figure in (each.instructions, each.stack))
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(each.operations.items()))
        yield each.name, f"{sum(each.operations.values()):,}", *figures, kinds
