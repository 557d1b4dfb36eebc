"""A program as something callable, in the best way this machine offers.

    glued        compiled, with a builtin function that reads arrays in place
    compiled     compiled, called through ctypes
    interpreted  no compiler: the same program as Python code

MOTIONC_TIER names one to use; asking for more than there is gives an error that says what is missing.
"""

import ctypes
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.program.fingerprint import fingerprint
from motionc.program.program import Program
from motionc.runtime import cache, compiler, glue
from motionc.sweeps.kernels import KERNELS
from motionc.sweeps.solver import Port, Solver
from motionc.targets import c, python

Array = np.ndarray[Any, np.dtype[np.float64]]
Entry = Callable[[Array, Array], None]
"""Reads all inputs from one flat array and writes all outputs to another."""

TIERS = ("glued", "compiled", "interpreted")


@dataclass(frozen=True, slots=True)
class Library:
    """A tier, the way to call it with flat arrays, and the builtin function where there is one."""

    tier: str
    entry: Entry
    call: Callable[..., Any] | None = None


def open_library(
    solver: Solver, program: Callable[[], Program], slow: Callable[..., Any], record: Callable[[Any], Any]
) -> Library:
    """Build what is not in the cache, and load it. `program` is only asked for when something must be built."""
    wanted = os.environ.get("MOTIONC_TIER", "")
    if wanted and wanted not in TIERS:
        raise Error(f"MOTIONC_TIER={wanted!r}; say one of {', '.join(TIERS)}")
    tool = None if wanted == "interpreted" else compiler.find_compiler()
    if tool is None:
        if wanted in ("glued", "compiled"):
            raise Error(f"MOTIONC_TIER={wanted!r}, but no C compiler was found")
        return Library("interpreted", interpreted(program()))
    path = compiled(solver, program, tool)
    entry = ctypes.CDLL(str(path)).motionc_entry
    entry.argtypes, entry.restype = (ctypes.c_void_p, ctypes.c_void_p), None

    def enter(x: Array, y: Array) -> None:
        entry(x.ctypes.data, y.ctypes.data)

    if wanted == "compiled" or not glue.supported():
        return Library("compiled", enter)
    call = glue.builtin(path, slow, record)
    if not glue.works(call, solver.inputs, solver.outputs, enter):
        if wanted == "glued":
            raise Error("MOTIONC_TIER='glued', but this Python or NumPy lays out its objects in another way")
        return Library("compiled", enter)
    return Library("glued", enter, call)


def compiled(solver: Solver, program: Callable[[], Program], tool: compiler.Compiler) -> Path:
    """The shared library of a solver, from the cache or built now."""
    key = cache.key("scalar", fingerprint(solver), compiler.fingerprint(tool, 0))

    def build(output: Path) -> None:
        traced = program()
        sources = c.emit(traced, f"{solver.robot.name}_{solver.name}")
        text = sources.together + entry_shim(traced, sources.name)
        text += glue.emit(sources.name, solver.inputs, solver.outputs)
        label = f"{solver.name} of {solver.robot.name}"
        compiler.compile_library(tool, text, output, instructions=len(traced.instructions), label=label)

    return cache.fetch(key, ".so", build)


def entry_shim(program: Program, name: str) -> str:
    """The kernel behind one pair of pointers, whatever its ports are."""
    arguments = [
        f"{base} + {start}"
        for base, ports in (("x", program.inputs), ("y", program.outputs))
        for start in _starts(ports)
    ]
    head = "void motionc_entry(const double *x, double *y)"
    return f"\n{head};\n{head}\n{{\n    {name}({', '.join(arguments)});\n}}\n"


def _starts(ports: tuple[Port, ...]) -> list[int]:
    sizes = [0, *(port.size for port in ports)]
    return [sum(sizes[: k + 1]) for k in range(len(ports))]


def interpreted(program: Program) -> Entry:
    """The same program as Python code."""
    scope: dict[str, Any] = {"math": math}
    scope |= {f"kernel_{kernel}": partial(python.run_kernel, kernel) for kernel in KERNELS}
    exec(compile(python.emit(program), "<motionc program>", "exec"), scope)
    function: Callable[[list[float]], list[float]] = scope["program"]

    def entry(x: Array, y: Array) -> None:
        y[:] = function(x.tolist())

    return entry
