"""Times side by side: the least of interleaved rounds on one core, for ratios; absolute times say nothing here.

A machine that others use only ever adds time, so least times can only come down: a claim about their ratios is looked
at again after more rounds, and fails where it has never held.
"""

from collections.abc import Callable, Mapping
from math import inf
from time import perf_counter_ns

from motionc.benchmark.timing import one_core

Least = dict[str, float]
PATIENCE = 12


def least_times(blocks: Mapping[str, Callable[[], object]], holds: Callable[[Least], bool], rounds: int = 40) -> Least:
    """Nanoseconds of each block at its best, once the claim holds or patience has ended."""
    best = dict.fromkeys(blocks, inf)
    with one_core():
        for block in blocks.values():
            block()
        for _ in range(PATIENCE):
            for _ in range(rounds):
                for name, block in blocks.items():
                    start = perf_counter_ns()
                    block()
                    best[name] = min(best[name], perf_counter_ns() - start)
            if holds(best):
                break
    return best
