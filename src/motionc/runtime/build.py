"""From source text to something callable: find a compiler, build, load; without one, interpret."""

import ctypes
import os
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.program.program import Program
from motionc.sweeps.kernels import KERNELS
from motionc.targets import c, python

Array = np.ndarray[Any, np.dtype[np.float64]]
Entry = Callable[[Array, Array], None]
"""Reads all inputs from one flat array and writes all outputs to another."""

FLAGS = ("-std=c99", "-march=native", "-fno-math-errno", "-fPIC", "-shared")
LONG_PROGRAM = 20_000
"""Instructions above which the compiler's own optimiser costs more than it gains."""


@cache
def find_compiler() -> str | None:
    """The system's C compiler: $CC, cc, gcc or clang, whichever is found first."""
    for name in (os.environ.get("CC"), "cc", "gcc", "clang"):
        found = shutil.which(name) if name else None
        if found:
            return found
    warnings.warn(
        "no C compiler found (cc, gcc, clang or $CC): programs are interpreted, some thousand times slower",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def compiled(program: Program, name: str, compiler: str) -> Entry:
    """Compile a program and load it. The files are gone when this returns; the code stays in memory."""
    sources = c.emit(program, name)
    effort = "-O1" if len(program.instructions) > LONG_PROGRAM else "-O2"
    with tempfile.TemporaryDirectory(prefix="motionc-") as folder:
        Path(folder, f"{sources.name}.h").write_text(sources.header, encoding="utf-8")
        Path(folder, "entry.c").write_text(sources.source + _entry(program, sources.name), encoding="utf-8")
        library = Path(folder, "entry.so")
        command = [compiler, effort, *FLAGS, "-I", folder, "-o", str(library), str(Path(folder, "entry.c")), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            raise Error(f"{compiler} refused the generated code of {name}:\n{done.stderr[-2000:]}")
        entry = ctypes.CDLL(str(library)).motionc_entry
    entry.argtypes, entry.restype = (ctypes.c_void_p, ctypes.c_void_p), None
    return lambda x, y: entry(x.ctypes.data, y.ctypes.data)


def _entry(program: Program, name: str) -> str:
    """A shim behind one pair of pointers, so that Python passes two addresses whatever the ports are."""
    arguments: list[str] = []
    for base, ports in (("x", program.inputs), ("y", program.outputs)):
        offset = 0
        for port in ports:
            arguments.append(f"{base} + {offset}")
            offset += port.size
    head = "void motionc_entry(const double *x, double *y)"
    return f"\n{head};\n{head}\n{{\n    {name}({', '.join(arguments)});\n}}\n"


def interpreted(program: Program) -> Entry:
    """The same program as Python code."""
    scope: dict[str, Any] = {"math": __import__("math")}
    scope |= {f"kernel_{kernel}": partial(python.run_kernel, kernel) for kernel in KERNELS}
    exec(compile(python.emit(program), "<motionc program>", "exec"), scope)
    function: Callable[[list[float]], list[float]] = scope["program"]

    def entry(x: Array, y: Array) -> None:
        y[:] = function(x.tolist())

    return entry
