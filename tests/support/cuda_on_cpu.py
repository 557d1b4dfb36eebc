"""Emitted CUDA as C++ for the processor: a header with its words, and a loop over blocks and threads for a launch."""

import ctypes
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

Array = np.ndarray
Strided = tuple[Array, int, int]
"""An array's data with the strides of states and of elements."""

CXX = shutil.which("g++") or shutil.which("clang++")
STRICT = (
    "-std=c++17",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unknown-pragmas",
    "-Wno-unused-parameter",
    "-march=native",
    "-fno-math-errno",
    "-O0",
)

HEADER = """
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define __global__
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
static struct { unsigned int x; } blockIdx, blockDim, threadIdx;
#define LAUNCH(blocks, threads) \\
    for (blockDim.x = threads, blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) \\
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)

template <class To, class From> static inline To bits(From value)
{
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To found;
    memcpy(&found, &value, sizeof found);
    return found;
}
static inline int __float_as_int(float x) { return bits<int>(x); }
static inline float __int_as_float(int x) { return bits<float>(x); }
static inline long long __double_as_longlong(double x) { return bits<long long>(x); }
static inline int __double2hiint(double x) { return (int)(bits<long long>(x) >> 32); }
static inline int __double2loint(double x) { return (int)bits<long long>(x); }
static inline double __hiloint2double(int high, int low)
{
    return bits<double>((long long)(((unsigned long long)(unsigned int)high << 32) | (unsigned int)low));
}

typedef void *cudaStream_t;
enum cudaError_t { cudaSuccess };
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline cudaError_t cudaMalloc(void **at, size_t size) { return *at = malloc(size), cudaSuccess; }
static inline void cudaMemcpy(void *to, const void *from, size_t size, int) { memcpy(to, from, size); }
static inline void cudaFree(void *at) { free(at); }
"""


def translated(text: str) -> str:
    """A .cu file as C++, behind the header."""
    return HEADER + in_loops(text)


def in_loops(text: str) -> str:
    """A .cu file as C++ that wants the header."""
    loops = re.sub(r"(\w+)<<<(\w+), (\w+), 0, stream>>>\(", r"(void)stream;\n    LAUNCH(\2, (unsigned)\3) \1(", text)
    assert loops != text
    return loops


@cache
def compiled(text: str, *flags: str) -> ctypes.CDLL:
    """A .cu file as a library."""
    assert CXX
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "kernel.cpp"), Path(folder, "kernel.so")
        source.write_text('#include "words.hpp"\n' + in_loops(text), encoding="utf-8")
        command = [CXX, *STRICT, *flags, "-fPIC", "-shared", f"-I{_header(*flags).name}", "-o", library, source]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        return ctypes.CDLL(str(library))


@cache
def _header(*flags: str) -> "tempfile.TemporaryDirectory[str]":
    """A folder with the header, and with what the compiler makes of it: reading it takes longer than most kernels."""
    assert CXX
    folder = tempfile.TemporaryDirectory()
    header = Path(folder.name, "words.hpp")
    header.write_text(HEADER, encoding="utf-8")
    command = [CXX, *STRICT, *flags, "-fPIC", "-x", "c++-header", str(header), "-o", f"{header}.gch"]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def launch(library: ctypes.CDLL, name: str, count: int, ports: list[Strided]) -> None:
    """All states; ports are inputs, then outputs."""
    arguments: list[object] = [ctypes.c_longlong(count)]
    for array, state, element in ports:
        arguments += [ctypes.c_void_p(array.ctypes.data), ctypes.c_longlong(state), ctypes.c_longlong(element)]
    assert getattr(library, f"{name}_launch")(*arguments, None) == 0
