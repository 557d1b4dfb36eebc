"""What a program costs, and what each pass did to that."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

from motionc.program.instructions import FREE
from motionc.program.passes import PIPELINE
from motionc.program.passes.order import alive
from motionc.program.program import Program
from motionc.program.sizes import ONE_STATE
from motionc.program.split import in_functions

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Figures:
    """A program after a pass: instructions, arithmetic operations, the most values alive at once, the longest chain of
    instructions each of which needs the one before it (a kernel counts as one), functions it is printed in as C.
    """

    after: str
    instructions: int
    operations: int
    alive: int
    chain: int
    parts: int


class Passes(tuple[Figures, ...]):
    """Figures pass by pass; prints as a table."""

    def __str__(self) -> str:
        rows = list(_rows(self))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows]
        return "\n".join("  ".join(line) for line in lines)

    __repr__ = __str__

    def __rich__(self) -> "Table":
        from rich.table import Table  # slow to import, and seldom needed

        head, *rows = _rows(self)
        table = Table(box=None)
        for column in head:
            table.add_column(column, justify="left" if column == head[0] else "right")
        for row in rows:
            table.add_row(*row)
        return table


def figures(program: Program, after: str = "") -> Figures:
    """What a program costs."""
    steps, depth = program.instructions, list[int]()
    for step in steps:
        longest = max([depth[arg] for arg in step.args], default=0)
        depth.append(longest if step.op in FREE or step.op == "pick" else longest + 1)
    return Figures(
        after=after,
        instructions=len(steps),
        operations=sum(program.operations.values()),
        alive=max(alive(steps), default=0),
        chain=max(depth, default=0),
        parts=len(in_functions(program, ONE_STATE)),
    )


def explained(program: Program) -> Passes:
    """What each pass does to a program as it was traced."""
    found = [figures(program, "tracing")]
    for each in PIPELINE:
        program = each.apply(program)
        found.append(figures(program, each.name))
    return Passes(found)


def _rows(found: Passes) -> Iterator[list[str]]:
    yield [field.name for field in fields(Figures)]
    for each in found:
        after, *numbers = astuple(each)
        yield [after, *(f"{number:,}" for number in numbers)]
