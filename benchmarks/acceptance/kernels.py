"""Loops along the tree beside the same written out, and how much code long programs are.

Solvers, and for lanes a pass, decide by size (`program/sizes.py`); here they are told otherwise, and all run in turns:
C for one state, and a batch on one thread.
"""

import os
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from acceptance import verdict
from acceptance.batches import batch
from entries import RACED
from figures.growth import serial_chain
from figures.race import AGREEMENT, emitted, find_tools
from motionc.benchmark import Absent
from motionc.benchmark.questions import Kind, ask
from motionc.benchmark.timing import Contender, measure, one_core
from motionc.runtime import Computation
from motionc.runtime.build import compiler
from motionc.solvers.derivatives import pairs
from motionc.solvers.steps import tree_solve
from motionc.targets import c, c_simd

ROUNDS = 60
MANY = 1_000
"""More rows than any robot here has."""
SHORT, CHAIN = 10, 30
"""Joints of chains beside the robots."""
WAYS = ("decided", "otherwise")
INVERSE, FORWARD = Kind.INVERSE_DERIVATIVES, Kind.FORWARD_DERIVATIVES


@dataclass(frozen=True, slots=True)
class Choice:
    """A question, what is decided for it, and the constant that decides; what that would have to be otherwise, and
    whether batches are meant.
    """

    title: str
    kind: Kind
    decision: str
    module: ModuleType
    constant: str
    other: int
    batches: bool = False

    @property
    def judged(self) -> tuple[str, str]:
        """Who may not be slower than whom."""
        return (f"{WAYS[0]}, batch", f"{WAYS[1]}, batch") if self.batches else WAYS


CHOICES = (
    Choice("Panda", FORWARD, "solves are written out", tree_solve, "SOLVED_OUT", 0),
    Choice(f"a chain of {SHORT}", FORWARD, "solves are a kernel", tree_solve, "SOLVED_OUT", MANY),
    Choice("ANYmal C", FORWARD, "solves are a kernel", tree_solve, "SOLVED_OUT", MANY),
    Choice("ANYmal C", FORWARD, "solves are written out in lanes", c_simd, "LANES_WRITTEN_OUT", 0, batches=True),
    Choice("Talos", FORWARD, "solves are a kernel in lanes", c_simd, "LANES_WRITTEN_OUT", 1000 * MANY, batches=True),
    Choice("ANYmal C", INVERSE, "pairs of joints are written out", pairs, "PAIRED_OUT", 0),
    Choice("Talos", INVERSE, "pairs of joints are written out", pairs, "PAIRED_OUT", 0),
    Choice(f"a chain of {CHAIN}", INVERSE, "pairs of joints are a kernel", pairs, "PAIRED_OUT", MANY),
)
SIZED = {
    "Panda": (FORWARD,),
    "ANYmal C": (Kind.INVERSE, Kind.FORWARD, INVERSE, FORWARD),
    "Talos": (Kind.INVERSE, Kind.FORWARD, INVERSE, FORWARD),
}
"""Whose code is measured."""
LOSS = 1.05
"""Times as long as otherwise, which what was decided may take: files of one code differ by as much."""


def figures() -> Iterator[str]:
    """A line a decision, then one for each long program."""
    yield f"  decided by size, and otherwise: operations, µs of one call and of a state of a batch, least of {ROUNDS}"
    for choice in CHOICES:
        entry = RACED.get(choice.title)
        if entry and entry.absent:
            yield f"  not measured: {choice.title}: {entry.absent}"
        else:
            yield _decision(choice)
    yield "  code of long programs, kB: C for one state, lanes"
    for title, kinds in SIZED.items():
        entry = RACED[title]
        for kind in () if entry.absent else kinds:
            yield f"  {title}, {kind}: {', '.join(_sizes(ask(kind, entry.load(), entry.frame).computation))}"


def _decision(choice: Choice) -> str:
    """Both ways in one run. What was decided is not slower; more operations are made up for by that."""
    robot = RACED[choice.title].load() if choice.title in RACED else serial_chain(int(choice.title.split()[-1]))
    contenders, operations = dict[str, Contender](), dict[str, int]()
    for way, told in zip(WAYS, (nullcontext(), otherwise(choice)), strict=True):
        with told:
            question = ask(choice.kind, robot, "")
            contenders[way] = emitted(question.computation, question.states, find_tools())
            contenders[f"{way}, batch"] = batch(question.computation, question.states, 0)
            program = question.computation.program
            operations[way] = sum((c_simd.arranged(program) if choice.batches else program).operations.values())
    if operations[WAYS[0]] == operations[WAYS[1]]:
        return f"  {choice.title}, {choice.kind}: both ways are the same program {verdict(False)}"
    with one_core():
        timings = measure(choice.decision, contenders, ROUNDS, agreement=AGREEMENT)
    times = {line.contender: line.microseconds for line in timings if line.microseconds is not None}
    if len(times) < len(contenders):
        return f"  {choice.title}, {choice.kind}: answers differ {verdict(False)}"
    told = [f"{operations[way]:,} operations, {times[way]:.2f} and {times[f'{way}, batch']:.2f}" for way in WAYS]
    ours, other = choice.judged
    return (
        f"  {choice.title}, {choice.kind}, {choice.decision}: {told[0]}; otherwise {told[1]} "
        f"({'a batch' if choice.batches else 'one call'} wanted ≤ {LOSS:g} of that) "
        f"{verdict(times[ours] <= LOSS * times[other])}"
    )


@contextmanager
def otherwise(choice: Choice) -> Generator[None]:
    """The other way, with a build cache of its own: it does not know that sizes differ."""
    usual, known = getattr(choice.module, choice.constant), os.environ.get("MOTIONC_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        setattr(choice.module, choice.constant, choice.other)
        os.environ["MOTIONC_CACHE"] = folder
        try:
            yield
        finally:
            setattr(choice.module, choice.constant, usual)
            del os.environ["MOTIONC_CACHE"]
            os.environ.update({} if known is None else {"MOTIONC_CACHE": known})


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
