"""How long derivatives of dynamics of Talos take to build from nothing: tracing and passes, then the compiler."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from acceptance import verdict
from entries import RACED
from motionc import Robot, forward_dynamics, inverse_dynamics
from motionc.benchmark import Absent
from motionc.runtime import Computation
from motionc.runtime.build import compiler
from motionc.targets import c, c_simd

TRACED, COMPILED = 3.0, 6.0
"""Seconds that are wanted at the most."""
TRIES = 3


def figures() -> Iterator[str]:
    """A line a derivative: the least of three, in a process that has nothing built."""
    tool, entry = compiler.find_compiler(), RACED["Talos"]
    if entry.absent or tool is None:
        raise Absent(entry.absent or "there is no C compiler")
    robot = entry.load()
    for what, make, wrt in (("∂ inverse", inverse, ("q", "v")), ("∂ forward", forward, ("q", "v", "tau"))):
        asked = [make(robot, wrt) for _ in range(TRIES)]
        traced = min(_traced(each) for each in asked)
        program = asked[0].program
        size, text = len(program.instructions), c.emit(program, "derivative").together
        compiled = min(_seconds(tool, text, size) for _ in asked)
        lanes = _seconds(tool, c_simd.emit(program, "derivative"), size)
        yield (
            f"  {what}: {size:,} instructions, {sum(program.operations.values()):,} operations; "
            f"traced in {traced:.2f} s "
            f"(wanted ≤ {TRACED:g}) {verdict(traced <= TRACED)}, compiled in {compiled:.2f} s "
            f"(wanted ≤ {COMPILED:g}) {verdict(compiled <= COMPILED)}; lanes compiled in {lanes:.1f} s"
        )


def inverse(robot: Robot, wrt: tuple[str, ...]) -> Computation:
    return inverse_dynamics(robot).derivative("tau", wrt)


def forward(robot: Robot, wrt: tuple[str, ...]) -> Computation:
    return forward_dynamics(robot).derivative("a", wrt)


def _traced(computation: Computation) -> float:
    start = time.perf_counter()
    _ = computation.program
    return time.perf_counter() - start


def _seconds(tool: compiler.Compiler, text: str, size: int) -> float:
    """Of one compilation into a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        compiler.compile_library(tool, text, Path(folder) / "library.so", instructions=size, label="a derivative")
        return time.perf_counter() - start
