"""A program as assignments, one a line, for languages that differ only in how they write each instruction.

Constants stand where they are used; an entry of an input is named where it is first used.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from motionc.program.instructions import FREE, OPERATIONS, Spelling
from motionc.program.kernels import KERNELS, Call
from motionc.program.port import Port
from motionc.program.program import Program, Table, call_data
from motionc.targets.reading import Reading


@dataclass(frozen=True, slots=True)
class Language:
    """How a language writes a number, which of an instruction's spellings is its own, and how it writes an entry of an
    input port, a kernel's call on named values, one of its results, and an entry of a table at an index.
    """

    number: Callable[[float], str]
    spelled: Callable[[Spelling], str]
    entry: Callable[[Port, int], str]
    call: Callable[[Call, Sequence[str]], str]
    pick: Callable[[str, int], str]
    looked_up: Callable[[Port, Table, str], str]


@dataclass(frozen=True, slots=True)
class Straight:
    """Assignments in order, name and value, and headings, whose name is empty; what each output entry is, by port."""

    steps: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, ...], ...]

    def lines(self, assignment: str, comment: Callable[[str], str]) -> list[str]:
        """Each step as a language writes assignments ({0}, {1}) and comments, which no heading can end."""
        return [assignment.format(*step) if step[0] else f"    {comment(step[1])}" for step in self.steps]


def straight(program: Program, language: Language, taken: Iterable[str] = ()) -> Straight:
    """The program in this language, no value called as something is that is `taken`."""
    written, names, reading = list[tuple[str, str]](), dict[int, str](), Reading(program, taken)

    def name(value: int) -> str:
        if value not in names:
            names[value] = _free(program, value, language, written)
        return names[value]

    for i, step in enumerate(program.instructions):
        if step.op not in FREE:
            written += [("", heading) for heading in reading.heading(i)]
        match step.op, step.data:
            case (("const" | "input"), _):
                continue
            case "call", _:
                text = language.call(call_data(step), [name(arg) for arg in step.args])
                names[i] = f"k{i}"
            case "pick", int(element):
                text = language.pick(name(step.args[0]), element)
                names[i] = reading.name(i)
            case "entry", Table() as table:
                text = language.looked_up(program.inputs[table.port], table, name(step.args[0]))
                names[i] = reading.name(i)
            case op, _:
                text = language.spelled(OPERATIONS[op].spelling).format(*(name(arg) for arg in step.args))
                names[i] = reading.name(i)
        written.append((names[i], text))
    results = tuple(tuple(name(value) for value in values) for values in program.results)
    return Straight(tuple(written), results)


def _free(program: Program, value: int, language: Language, written: list[tuple[str, str]]) -> str:
    """A constant as it is; an input under a name, from here on."""
    step = program.instructions[value]
    match step.op, step.data:
        case "const", (float() | int()) as number:
            return language.number(float(number))
        case "input", (int(port), int(element)):
            written.append((f"t{value}", language.entry(program.inputs[port], element)))
            return f"t{value}"
        case _:
            raise AssertionError(f"{step} is used before it is computed")


def policy(call: Call) -> tuple[Any, ...]:
    """What a kernel is told beside its numbers: how rows are ranked (kernels/scalars.py); or a tree and columns."""
    return call.policy if KERNELS[call.kernel].along is None else (call.pattern, call.columns)


def places(shape: tuple[int, ...], element: int) -> tuple[int, ...]:
    """Where the k-th entry of a row-major array is, from 1."""
    found = list[int]()
    for size in reversed(shape):
        element, place = divmod(element, size)
        found.append(place + 1)
    return tuple(reversed(found))
