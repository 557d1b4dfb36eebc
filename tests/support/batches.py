"""Batches in C from Python: a program compiled for lanes, called on arrays of any layout."""

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from motionc.program import Program
from motionc.program.sizes import LANES, Cut
from motionc.targets import c_simd
from trials import LONG

COMPILERS = [found for name in ("gcc", "clang") if (found := shutil.which(name))]
CC = COMPILERS[0] if COMPILERS else shutil.which("cc")
needs_compiler = pytest.mark.skipif(CC is None, reason="no C compiler on this machine")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-march=native", "-fno-math-errno")
# as users compile in long runs, and in tests/robots
OPTIMISED = "-O2" if LONG else "-O1"
EXACT = (*STRICT, OPTIMISED, "-ffp-contract=off")
# at -O1 gcc leaves products and sums two steps each
FUSED = (*STRICT, "-O2", "-ffp-contract=fast")

TYPES = {"double": np.float64, "single": np.float32}

Array = np.ndarray
Strided = tuple[Array, int, int]
"""An array's data with the strides of states and of elements."""


@cache
def compiled(text: str, flags: tuple[str, ...], compiler: str | None = CC) -> ctypes.CDLL:
    assert compiler
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "batch.c"), Path(folder, "batch.so")
        source.write_text(text, encoding="utf-8")
        command = [compiler, *flags, "-fPIC", "-shared", "-o", str(library), str(source), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        return ctypes.CDLL(str(library))


def call(library: ctypes.CDLL, count: int, inputs: list[Strided], outputs: list[Strided]) -> None:
    def arguments(ports: list[Strided]) -> list[object]:
        pointers = (ctypes.c_void_p * len(ports))(*(array.ctypes.data for array, _, _ in ports))
        strides = [(ctypes.c_long * len(ports))(*(port[k] for port in ports)) for k in (1, 2)]
        return [pointers, *strides]

    library.program_batch(ctypes.c_long(count), *arguments(inputs), *arguments(outputs))


def batch(
    program: Program,
    inputs: list[Array],
    precision: str = "double",
    flags: tuple[str, ...] = EXACT,
    size: Cut = LANES,
    compiler: str | None = CC,
) -> list[Array]:
    """All outputs as (N, size) arrays, from inputs of the same kind."""
    library = compiled(c_simd.emit(program, "program", precision, size=size), flags, compiler)
    given = [np.ascontiguousarray(array, TYPES[precision]) for array in inputs]
    count = len(given[0])
    found = [np.full((count, port.size), np.nan, TYPES[precision]) for port in program.outputs]
    call(library, count, *([(array, array.shape[1], 1) for array in arrays] for arrays in (given, found)))
    return found
