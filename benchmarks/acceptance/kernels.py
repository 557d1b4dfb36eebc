"""Loops along the tree beside the same written out, and how much code long programs are.

Solvers decide by how many rows there are (`program/sizes.py`); here they are told otherwise. Both run in turns.
"""

import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from acceptance import verdict
from entries import RACED
from figures.growth import serial_chain
from figures.race import AGREEMENT, emitted, find_tools
from motionc.benchmark import Absent
from motionc.benchmark.questions import Kind, ask
from motionc.benchmark.timing import Contender, measure, one_core
from motionc.runtime import Computation
from motionc.runtime.build import compiler
from motionc.solvers.derivatives import dynamics
from motionc.solvers.steps import tree_solve
from motionc.targets import c, c_simd

ROUNDS = 100
MANY = 1_000
"""More rows than any robot here has."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A question, and where it is decided up to how many rows something is written out."""

    title: str
    kind: Kind
    what: str
    module: ModuleType
    constant: str
    otherwise: int


CHAIN = "a chain of 30"
INVERSE, FORWARD = Kind.INVERSE_DERIVATIVES, Kind.FORWARD_DERIVATIVES
CHOICES = (
    Choice("ANYmal C", FORWARD, "solves are a kernel", tree_solve, "SOLVED_OUT", MANY),
    Choice("Talos", INVERSE, "pairs of joints are written out", dynamics, "PAIRED_OUT", 0),
    Choice("ANYmal C", INVERSE, "pairs of joints are written out", dynamics, "PAIRED_OUT", 0),
    Choice("Panda", FORWARD, "solves are written out", tree_solve, "SOLVED_OUT", 0),
    Choice(CHAIN, INVERSE, "pairs of joints are a kernel", dynamics, "PAIRED_OUT", MANY),
)
LONG = {
    "Panda": (FORWARD,),
    "ANYmal C": (Kind.INVERSE, Kind.FORWARD, INVERSE, FORWARD),
    "Talos": (Kind.INVERSE, Kind.FORWARD, INVERSE, FORWARD),
}
"""Whose code is measured."""
LOSS = 1.05
"""Times as long as otherwise, which what was decided may take at the most: files of one code differ by as much."""


def figures() -> Iterator[str]:
    """A line a decision, then one for each long program."""
    tools = find_tools()
    yield f"  decided by size, and otherwise: operations, µs a state in one run, the least of {ROUNDS} rounds"
    for choice in CHOICES:
        if choice.title in RACED and RACED[choice.title].absent:
            yield f"  not measured: {choice.title}: {RACED[choice.title].absent}"
            continue
        robot = serial_chain(30) if choice.title == CHAIN else RACED[choice.title].load()
        drawn, counts, contenders = ask(choice.kind, robot, "").states, list[int](), dict[str, Contender]()
        for name, way in {"decided": nullcontext(), "otherwise": otherwise(choice)}.items():
            with way:
                computation = ask(choice.kind, robot, "").computation
                contenders[name] = emitted(computation, drawn, tools)
                counts.append(sum(computation.operations.values()))
        with one_core():
            times = [line.microseconds for line in measure(choice.what, contenders, ROUNDS, agreement=AGREEMENT)]
        if None in times:
            yield f"  {choice.title}, {choice.kind}: answers differ {verdict(False)}"
            continue
        own, other = (time or 0.0 for time in times)
        yield (
            f"  {choice.title}, {choice.kind}, {choice.what}: {counts[0]:,} operations, {own:.2f} µs; otherwise "
            f"{counts[1]:,}, {other:.2f} (wanted ≤ {LOSS:g} of it) {verdict(own <= LOSS * other)}"
        )
    yield "  code of long programs, kB: C for one state, lanes"
    for title, kinds in LONG.items():
        entry = RACED[title]
        for kind in () if entry.absent else kinds:
            yield f"  {title}, {kind}: {', '.join(_sizes(ask(kind, entry.load(), entry.frame).computation))}"


@contextmanager
def otherwise(choice: Choice) -> Generator[None]:
    """The other way."""
    usual = getattr(choice.module, choice.constant)
    setattr(choice.module, choice.constant, choice.otherwise)
    try:
        yield
    finally:
        setattr(choice.module, choice.constant, usual)


def _sizes(computation: Computation) -> Iterator[str]:
    """Instructions of a processor, as Python's library has them."""
    tool, program = compiler.find_compiler(), computation.program
    if tool is None:
        raise Absent("there is no C compiler")
    yield f"{sum(program.operations.values()):,} operations"
    for text in (c.emit(program, "sized").together, c_simd.emit(program, "sized")):
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "library.so"
            compiler.compile_library(tool, text, library, instructions=len(program.instructions), label="a program")
            told = subprocess.run(["size", "-A", str(library)], capture_output=True, text=True, check=True).stdout
        (line,) = (line for line in told.splitlines() if line.startswith(".text"))
        yield f"{int(line.split()[1]) / 1000:.0f}"
