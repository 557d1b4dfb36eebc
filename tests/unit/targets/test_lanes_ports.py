"""Ports of lanes, states in and out: each number to its place, and nothing else is touched, in memory or in lanes."""

import ctypes
import shutil
from itertools import product

import numpy as np
import pytest

from batches import EXACT, TYPES, compiled, needs_compiler
from motionc.targets import c_simd
from trials import some

BODY = """
void given(lanes *x, int size, const real *from, long state, long element, long valid)
{
    gather(x, size, from, state, element, valid);
}

void found(const lanes *y, const int *at, int size, real *to, long state, long element, long valid)
{
    scatter(y, at, size, to, state, element, valid);
}
"""
SEEN = -7.0
WAYS = [("gcc", 64), ("clang", 32), ("gcc", 16), ("clang", 64), ("gcc", 32), ("clang", 16)]
each_way = pytest.mark.parametrize(("compiler", "width"), some(WAYS, 3))
both = pytest.mark.parametrize("precision", TYPES)


def library(precision: str, compiler: str, width: int) -> tuple[ctypes.CDLL, int]:
    """The functions, and how many lanes they have."""
    tool = shutil.which(compiler)
    if tool is None:
        pytest.skip(f"{compiler} is not here")
    text = f"{c_simd.header(precision, BODY)}\n{BODY}"
    return compiled(text, (*EXACT, f"-DVECTOR_BYTES={width}"), tool), width // np.dtype(TYPES[precision]).itemsize


def aligned(rows: int, lanes: int, real: type) -> np.ndarray:
    memory = np.full(rows * lanes + 64, SEEN, real)
    return memory[-memory.ctypes.data % 64 // memory.itemsize :][: rows * lanes].reshape(rows, lanes)


def pointer(array: np.ndarray, first: int = 0) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data + first * array.itemsize)


@needs_compiler
@both
@each_way
def test_what_is_gathered_is_all_that_changes(precision: str, compiler: str, width: int) -> None:
    """Lanes without a state repeat the last one."""
    tool, lanes = library(precision, compiler, width)
    memory = np.arange(10_000.0).astype(TYPES[precision])
    for size, valid in product(range(1, 2 * lanes + 3), range(1, lanes + 2)):
        for state, element in (
            (size, 1),
            (1, valid),
            (1, 50),
            (size + 2, 1),
            (2 * size, 2),
            (-size, 1),
            (2, 1),
            (0, 1),
        ):
            x = aligned(size + 1, lanes, TYPES[precision])
            tool.given(pointer(x), size, pointer(memory, 5000), *map(ctypes.c_long, (state, element, valid)))
            row = np.minimum(np.arange(lanes), valid - 1)
            assert np.array_equal(x[:size], memory[5000 + row * state + np.arange(size)[:, None] * element])
            assert (x[size] == SEEN).all(), "what lies behind it"


@needs_compiler
@both
@each_way
def test_what_is_scattered_is_all_that_changes(precision: str, compiler: str, width: int) -> None:
    """Of more states than there are lanes, the next one's place may be written: it is filled later."""
    tool, lanes = library(precision, compiler, width)
    for size, valid, turned in product(range(1, 2 * lanes + 3), range(1, lanes + 2), (False, True)):
        y = aligned(size, lanes, TYPES[precision])
        y[:] = np.arange(y.size).reshape(y.shape)
        at = np.arange(size, dtype=np.int32)[::-1].copy()
        for state, element in (
            (size, 1),
            (1, valid),
            (1, valid + 1),
            (1, 50),
            (size + 2, 1),
            (2 * size, 2),
            (-size, 1),
        ):
            memory, there = np.full(10_000, np.nan, TYPES[precision]), min(valid, lanes)
            told = (state, element, valid)
            tool.found(
                pointer(y), pointer(at) if turned else None, size, pointer(memory, 5000), *map(ctypes.c_long, told)
            )
            index = 5000 + np.arange(there) * state + np.arange(size)[:, None] * element
            assert np.array_equal(memory[index], (y[::-1] if turned else y)[:, :there])
            memory[index] = np.nan
            if valid > lanes:
                memory[5000 + lanes * state + np.arange(size) * element] = np.nan
            assert np.isnan(memory).all()
