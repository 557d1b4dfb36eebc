"""Where a batch stands under the roof of its machine: what memory can bring, and what arithmetic can do with it.

A computation of few operations a byte ends at the bandwidth of a copy, one of many at the peak of multiply-and-add.
Both are measured here, on one core, in double precision. GPUs are measured elsewhere, into a file of the same points.
"""

import ctypes
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from motionc.benchmark.timing import Absent, one_core
from motionc.errors import Error
from motionc.runtime import Computation
from motionc.runtime.build import cache, compiler

STATES = 100_000
COPIED = 1 << 26
"""Bytes of a copy: more than caches hold."""
SOURCE = """
#include <string.h>
#ifdef __AVX512F__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
enum { CHAINS = 10 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* as many different chains of multiply-and-add as hide how long one takes, in registers; returns how many operations */
double work(long count, double *sink)
{
    const lanes x = (lanes){0} + 0.999999, y = (lanes){0} + 1e-6;
    lanes a0 = x + 1, a1 = x + 2, a2 = x + 3, a3 = x + 4, a4 = x + 5, a5 = x + 6, a6 = x + 7, a7 = x + 8, a8 = x + 9;
    lanes a9 = x + 10;
    for (long i = 0; i < count; ++i) {
        a0 = a0 * x + y; a1 = a1 * x + y; a2 = a2 * x + y; a3 = a3 * x + y; a4 = a4 * x + y;
        a5 = a5 * x + y; a6 = a6 * x + y; a7 = a7 * x + y; a8 = a8 * x + y; a9 = a9 * x + y;
    }
    a0 += a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9;
    for (int k = 0; k < LANES; ++k) *sink += a0[k];
    return 2.0 * CHAINS * LANES * count;
}

void copy(char *to, const char *from, long bytes) { memcpy(to, from, bytes); }
"""


@dataclass(frozen=True, slots=True)
class Roof:
    """Bytes a second of a copy, read and written, and operations a second of multiply-and-add."""

    copy_bandwidth: float
    peak: float

    def bound(self, intensity: float) -> float:
        """The most operations a second at so many operations a byte."""
        return min(self.peak, intensity * self.copy_bandwidth)


@dataclass(frozen=True, slots=True)
class Point:
    """A batch: states a second, and what a state takes."""

    computation: str
    precision: str
    states: int
    per_second: float
    bytes_per_state: float
    operations_per_state: float
    copy_bandwidth: float

    @property
    def intensity(self) -> float:
        """Operations a byte."""
        return self.operations_per_state / self.bytes_per_state

    @property
    def operations_per_second(self) -> float:
        return self.operations_per_state * self.per_second

    @property
    def share_of_copy(self) -> float:
        """Which share of the bandwidth of a copy its inputs and outputs take."""
        return self.per_second * self.bytes_per_state / self.copy_bandwidth


def roof(rounds: int = 20) -> Roof:
    """Both, the best of some rounds."""
    tool = compiler.find_compiler()
    if tool is None:
        raise Absent("there is no C compiler")
    library = ctypes.CDLL(str(_built(tool)))
    library.work.restype = ctypes.c_double
    sink, count = ctypes.c_double(), ctypes.c_long(2_000_000)
    to, source = np.ones(COPIED, np.uint8), np.ones(COPIED, np.uint8)
    addresses = ctypes.c_void_p(to.ctypes.data), ctypes.c_void_p(source.ctypes.data)

    def copy() -> float:
        library.copy(*addresses, ctypes.c_long(COPIED))
        return 2.0 * COPIED

    with one_core():
        peak = max(_rate(lambda: library.work(count, ctypes.byref(sink))) for _ in range(rounds))
        copied = max(_rate(copy) for _ in range(rounds))
    return Roof(copied, peak)


def _rate(run: Callable[[], float]) -> float:
    """What is done, a second."""
    start = perf_counter()
    done = run()
    return done / (perf_counter() - start)


def point(computation: Computation, top: Roof, states: int = STATES, rounds: int = 10) -> Point:
    """One thread, arrays (N, n), the call from Python included."""
    rng = np.random.default_rng(0)
    inputs = [rng.uniform(-1, 1, (states, port.size)) for port in computation.inputs]

    def run() -> float:
        computation.batch(*inputs, threads=1)
        return float(states)

    run()
    with one_core():
        per_second = max(_rate(run) for _ in range(rounds))
    size = 8.0 * sum(port.size for port in (*computation.inputs, *computation.outputs))
    operations = float(sum(computation.operations.values()))
    name = f"{computation.robot.name}, {computation.name.replace('_', ' ')}"
    return Point(name, "double", states, per_second, size, operations, top.copy_bandwidth)


def read_points(path: Path) -> list[Point]:
    """Points measured elsewhere: a JSON list of objects with the fields of a point, and more. None without a file."""
    if not path.is_file():
        return []
    fields = tuple(Point.__dataclass_fields__)
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return [Point(**{name: entry[name] for name in fields}) for entry in entries]
    except (ValueError, TypeError, KeyError) as error:
        said = f"{type(error).__name__}: {error}"
        raise Error(f"{path}: {said}; it must be a JSON list of objects with {', '.join(fields)}") from error


def _built(tool: compiler.Compiler) -> Path:
    def build(output: Path) -> None:
        compiler.compile_library(tool, SOURCE, output, instructions=1, label="a roof")

    return cache.fetch(cache.key("roofline", SOURCE, compiler.fingerprint(tool, 1)), ".so", build)
