"""How long single calls take, one after the other, the longest of all included: does it fit into a control cycle?

The clock is read around each call, in C; what it costs itself is in every figure. The longest call of a machine that
others use is theirs: it says what to expect here, not what the program needs.
"""

import ctypes
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motionc.benchmark.timing import Absent, one_core
from motionc.runtime import Computation
from motionc.runtime.build import cache, compiler
from motionc.runtime.build.library import compiled

CALLS = 1_000_000
LOOP = """
#include <time.h>
typedef void entry(const double *, double *);
static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}
void timed(long count, entry *kernel, const double *x, long states, long given, double *y, float *nanoseconds)
{
    for (long i = 0; i < count; ++i) {
        long start = now();
        kernel(x + i % states * given, y);
        nanoseconds[i] = now() - start;
    }
}
"""


@dataclass(frozen=True, slots=True)
class Latency:
    """Microseconds of single calls: half of them, 99.9 % of them and all of them take at most so long."""

    robot: str
    question: str
    calls: int
    median: float
    rare: float
    longest: float


def latency(computation: Computation, calls: int = CALLS, states: int = 256) -> Latency:
    """Call the compiled function that often, on one core, in random states."""
    tool = compiler.find_compiler()
    if tool is None:
        raise Absent("there is no C compiler")
    robot, rng = computation.robot, np.random.default_rng(0)
    kernel = compiled(computation.solver, tool).motionc_entry
    timed = ctypes.CDLL(str(_loop(tool))).timed
    x = np.array(
        [
            np.concatenate([robot.random(rng), *(rng.uniform(-1, 1, port.size) for port in computation.inputs[1:])])
            for _ in range(states)
        ]
    )
    y = np.zeros(sum(port.size for port in computation.outputs))
    found = np.zeros(calls, np.float32)
    from_x, to_y, to_found = (array.ctypes.data_as(ctypes.c_void_p) for array in (x, y, found))
    with one_core():
        timed(ctypes.c_long(calls), kernel, from_x, ctypes.c_long(states), ctypes.c_long(x.shape[1]), to_y, to_found)
    median, rare, longest = (float(np.quantile(found, share)) / 1000 for share in (0.5, 0.999, 1.0))
    return Latency(robot.name, computation.name.replace("_", " "), calls, median, rare, longest)


def _loop(tool: compiler.Compiler) -> Path:
    def build(output: Path) -> None:
        compiler.compile_library(tool, LOOP, output, instructions=1, label="a loop with a clock")

    return cache.fetch(cache.key("benchmark clock", LOOP, compiler.fingerprint(tool, 1)), ".so", build)
