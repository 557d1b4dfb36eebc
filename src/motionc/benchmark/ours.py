"""Ours: the scalar C in a loop of C, the call from Python, and a batch on one core."""

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from motionc.benchmark.questions import Question
from motionc.benchmark.timing import Absent, Array, Contender, calls
from motionc.runtime.build import cache, compiler
from motionc.runtime.build.library import compiled

BATCH = 8192
LONGEST_IN_LANES = 60_000
"""Instructions of a program up to which batches are measured: their compilation takes minutes beyond."""
POINTER = ctypes.POINTER(ctypes.c_double)
LOOP = """
typedef void entry(const double *, double *);
void repeat(long count, entry *kernel, const double *x, long given, double *y, long found)
{
    for (long i = 0; i < count; ++i) kernel(x + i * given, y + i * found);
}
"""


def scalar(question: Question) -> Contender:
    """What a C program sees: the very library that Python calls, in a loop without Python."""
    tool = compiler.find_compiler()
    if tool is None:
        raise Absent("there is no C compiler")
    computation = question.computation
    kernel = compiled(computation.solver, tool).motionc_entry
    repeat = ctypes.CDLL(str(_loop(tool))).repeat
    repeat.argtypes = (ctypes.c_long, ctypes.c_void_p, POINTER, ctypes.c_long, POINTER, ctypes.c_long)
    x = np.array([np.concatenate(state) for state in question.states])
    y = np.zeros((len(x), sum(port.size for port in computation.outputs)))
    from_x, to_y = x.ctypes.data_as(POINTER), y.ctypes.data_as(POINTER)  # which keep their arrays alive

    def block() -> None:
        repeat(len(x), kernel, from_x, x.shape[1], to_y, y.shape[1])

    def answers() -> Array:
        block()
        return question.compared(y.copy())

    return Contender(len(x), block, answers)


def _loop(tool: compiler.Compiler) -> Path:
    def build(output: Path) -> None:
        compiler.compile_library(tool, LOOP, output, instructions=1, label="a loop")

    return cache.fetch(cache.key("benchmark loop", LOOP, compiler.fingerprint(tool, 1)), ".so", build)


def called(question: Question) -> Contender:
    """What a Python program sees."""
    computation, states = question.computation, question.states
    return Contender(
        len(states),
        calls(computation, states),
        lambda: question.compared(np.array([_flat(computation(*state)) for state in states])),
    )


def batched(question: Question) -> Contender:
    """What many states cost, on one thread: each of them, of many."""
    computation = question.computation
    if computation.tier == "interpreted":
        raise Absent("without a compiler states go one by one, as calls do")
    size = computation.program.size
    if size > LONGEST_IN_LANES:
        raise Absent(f"{size:,} instructions in lanes take longer to compile than they are worth here")
    again = -(-BATCH // len(question.states))
    inputs = [np.tile(np.array(values), (again, 1))[:BATCH] for values in zip(*question.states, strict=True)]

    def run() -> Any:
        return computation.batch(*inputs, threads=1)

    def answers() -> Array:
        found = run()
        parts = [found] if isinstance(found, np.ndarray) else list(found.values())
        rows = np.concatenate([part.reshape(BATCH, -1) for part in parts], axis=1)
        return question.compared(rows[: len(question.states)])

    return Contender(BATCH, run, answers)


def _flat(answer: Any) -> Array:
    """All outputs of a call, one after the other."""
    parts = [answer] if isinstance(answer, np.ndarray) else list(answer.values())
    return np.concatenate([np.ravel(part) for part in parts])
