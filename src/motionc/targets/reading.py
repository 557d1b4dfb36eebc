"""How emitted code is read: values called by link and quantity, the equation of a section above it, a list of what is
where. All of it comes from what stands beside a program; without that, values are t<number> and nothing is said.
"""

import re
from collections.abc import Iterable, Iterator

from motionc.program.program import Program
from motionc.targets.naming import apart, wrapped

HOW = """\
Where to find what. Values are called link_<number>_<quantity>_<entry>, minus_… where they are the opposite. Twists have
w and v, accelerations dw and a, wrenches n and f, inertias I, H and M (angular, mixed, linear), poses R and p. An entry
listed alone has a value of that name, or a kernel writes it where it belongs; one that is not listed, none. Symmetric
blocks have their upper half. Inputs are counted from 0. What a later sweep changes is called …_before until then."""


class Reading:
    """The names of a program's values, none of them taken, and the sections they stand in."""

    def __init__(self, program: Program, taken: Iterable[str] = ()) -> None:
        origins = program.origins
        ports = (port.name for port in (*program.inputs, *program.outputs))
        free = apart((origin.name for origin in origins.values.values()), (*ports, *taken))
        self._names = dict(zip(origins.values, free, strict=True))
        self._sections = _sections(program) if origins else []
        self._words, self._last = origins.sections, -1

    def name(self, value: int) -> str:
        """What a value is called."""
        return self._names.get(value) or f"t{value}"

    def heading(self, value: int) -> Iterator[str]:
        """The section that a value opens, where it stands in another than the one asked for before."""
        section = self._sections[value] if self._sections else -1
        if section >= 0 and section != self._last:
            self._last = section
            yield self._words[section]


def _sections(program: Program) -> list[int]:
    """The section of each value: its own, or that of the first value it is needed for."""
    steps, known = program.instructions, program.origins.values
    first = [-1] * len(steps)
    for i in range(len(steps) - 1, -1, -1):
        for arg in steps[i].args:
            first[arg] = i
    found = [-1] * len(steps)
    for i in range(len(steps) - 1, -1, -1):
        found[i] = known[i].section if i in known else found[first[i]] if first[i] >= 0 else -1
    return found


def what_is_where(program: Program) -> list[str]:
    """The list of links and of their quantities, line by line; nothing where nothing is known."""
    if not program.origins:
        return []
    return [*HOW.splitlines(), *(part for line in program.origins.index for part in _broken(line))]


def _broken(line: str) -> Iterator[str]:
    """A line of readable width, its rest indented."""
    if len(line) <= 116:
        yield line
        return
    first, *rest = wrapped(re.split(r"(?<=[,;:]) ", line.strip()), " ", "  ", 112)
    yield f"{line[: len(line) - len(line.lstrip())]}{first.strip()}"
    yield from (f"    {part.strip()}" for part in rest)
