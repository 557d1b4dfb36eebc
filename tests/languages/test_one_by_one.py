"""Instructions on one number at a time, in C and in Python: they do what NumPy says, whatever the number; what goes
wrong is an infinity or a NaN, never an exception."""

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from instructions import ARGUMENTS, SPECIAL, functions, meanings
from motionc.program import Program
from motionc.runtime.build import compiler, library
from motionc.targets import c

Array = np.ndarray


@pytest.fixture
def compiled(tmp_path: Path) -> Callable[[Program], library.Entry]:
    tool = compiler.find_compiler()
    if tool is None:
        pytest.skip("no C compiler on this machine")

    def entry(program: Program) -> library.Entry:
        path = tmp_path / "functions.so"
        compiler.compile_library(tool, c.emit(program, "program").together, path, instructions=1, label="functions")
        function = ctypes.CDLL(str(path)).program
        return lambda x, y: function(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data))

    return entry


def agrees(entry: library.Entry, op: str) -> None:
    x, y = np.array([(a, b, 2 * b) for a in SPECIAL for b in SPECIAL]), np.empty(1)
    for row, expected in zip(x, meanings(x)[op], strict=True):
        entry(row, y)
        assert np.isclose(y[0], expected, rtol=1e-15, atol=0.0, equal_nan=True), row


@pytest.mark.parametrize("op", ARGUMENTS)
def test_an_instruction_in_c_does_what_it_means(op: str, compiled: Callable[[Program], library.Entry]) -> None:
    agrees(compiled(functions(op)), op)


@pytest.mark.parametrize("op", ARGUMENTS)
def test_an_instruction_in_python_does_what_it_means(op: str) -> None:
    agrees(library.interpreted(functions(op)), op)
