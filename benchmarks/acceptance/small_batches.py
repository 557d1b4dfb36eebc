"""Batches of a few states beside as many calls: every computation, states first and last, in both precisions.

Eight states and more take no longer than as many calls, fewer no longer than these and 5 µs. Calls and batches take
turns, and the least of all rounds counts; who misses is measured once more, for longer.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter_ns
from typing import Any

import numpy as np

import motionc as mc
from acceptance import verdict
from acceptance.catalogue import asked, states
from entries import RACED
from motionc.benchmark.timing import Absent, one_core

Block = Callable[[], Any]
SIZES = (1, 2, 4, 7, 8, 9, 16, 17, 33, 64, 1000)
ENOUGH, SPARE = 8, 5.0
"""States from which on a batch is as fast as calls, and microseconds that fewer may take besides."""
ROUNDS, AGAIN, LATE = 6, 40, 0.9
"""Rounds, and how many more for what takes this part of the time that it may take."""
BLOCK = 100.0
"""Microseconds that are measured at once, at least."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Microseconds of a batch and of as many calls."""

    computation: str
    states: int
    batch: float
    calls: float

    @property
    def share(self) -> float:
        """The time of a batch as a part of what it may take."""
        return self.batch / (self.calls + (0 if self.states >= ENOUGH else SPARE))

    def __str__(self) -> str:
        return f"{self.computation}, {self.states} states: {self.batch:.2f} µs, calls {self.calls:.2f}"


def figures() -> Iterator[str]:
    """A line a robot, axis and precision, and one for each batch that is too slow."""
    yield f"  batches of {', '.join(map(str, SIZES))} states against as many calls, the least of {ROUNDS} rounds"
    for title, entry in RACED.items():
        try:
            if entry.absent:
                raise Absent(entry.absent)
            robot = entry.load()
        except Absent as reason:
            yield f"  not measured: {title}: {reason}"
            continue
        for precision in ("double", "single"):
            found: dict[int, list[Figure]] = {0: [], -1: []}
            for name, make in asked(entry, robot, precision).items():
                computation = make()
                for axis, lines in found.items():
                    lines += measured(name, computation, axis)
            for axis, lines in found.items():
                yield from _told(f"{title}, {precision}, axis={axis}", lines)


def _told(title: str, lines: list[Figure]) -> Iterator[str]:
    worst = max(lines, key=lambda line: line.share)
    many = max((line for line in lines if line.states >= ENOUGH), key=lambda line: line.share)
    missed = [line for line in lines if line.share > 1]
    yield (
        f"  {title + ':':<30} {len(lines)} batches, {len(missed)} too slow; at most {worst.share:.2f} of the time they "
        f"may take ({worst}), of {ENOUGH} states and more {many.share:.2f} ({many}) {verdict(not missed)}"
    )
    yield from (f"    too slow: {line} {verdict(False)}" for line in missed)


def measured(name: str, computation: mc.Computation, axis: int) -> list[Figure]:
    """Batches of all sizes beside calls, in turns."""
    drawn = states(computation, max(SIZES))
    each = list(zip(*(list(value) if value.ndim > 1 else value.tolist() for value in drawn), strict=True))
    computation.build(batch=True).batch(*drawn)  # from now on it is the builtin function
    turned = {size: [np.ascontiguousarray(np.moveaxis(value[:size], 0, axis)) for value in drawn] for size in SIZES}
    batches = {size: partial(computation.batch, *given, axis=axis) for size, given in turned.items()}
    called = {size: _kept(computation, each[:size]) for size in SIZES}
    with one_core():
        first = _least(batches, called, SIZES, ROUNDS)
        late = [size for size in SIZES if Figure(name, size, *first[size]).share > LATE]
        again = _least(batches, called, late, AGAIN)
    best = {size: tuple(map(min, first[size], again.get(size, first[size]))) for size in SIZES}
    return [Figure(name, size, *best[size]) for size in SIZES]


def _kept(function: Callable[..., Any], each: Sequence[tuple[Any, ...]]) -> Block:
    """One call a state, its arguments written out as a user writes them; answers are kept, as a batch keeps them."""
    names = "".join(f"x{k}, " for k in range(len(each[0])))
    scope: dict[str, Any] = {"function": function, "states": each}
    exec(f"def block():\n    return [function({names}) for {names}in states]", scope)
    return scope["block"]


def _least(
    batches: dict[int, Block], called: dict[int, Block], sizes: Sequence[int], rounds: int
) -> dict[int, tuple[float, float]]:
    """Microseconds of batches and calls of these sizes, at least."""
    blocks = [(size, k, block) for size in sizes for k, block in enumerate((batches[size], called[size]))]
    repeats = [_repeats(block) for *_, block in blocks]
    best = {size: [np.inf, np.inf] for size in sizes}
    for _ in range(rounds):
        for (size, k, block), often in zip(blocks, repeats, strict=True):
            best[size][k] = min(best[size][k], _timed(block, often))
    return {size: (batch, calls) for size, (batch, calls) in best.items()}


def _repeats(block: Block) -> int:
    """How often a block is run to be measured, after it was run first."""
    block()
    return max(1, round(BLOCK / _timed(block, 2)))


def _timed(block: Block, repeats: int) -> float:
    start = perf_counter_ns()
    for _ in range(repeats):
        block()
    return (perf_counter_ns() - start) / repeats / 1000
