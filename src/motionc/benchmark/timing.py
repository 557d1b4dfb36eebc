"""Who answers how fast, measured fairly: answers are compared first, rounds are interleaved, the least block counts.

A shared machine only ever adds time, so minima are compared. Nothing here knows what is asked, nor who is asked.
"""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import numpy as np

from motionc.errors import Error

Array = np.ndarray[Any, np.dtype[np.float64]]
State = tuple[Any, ...]

ROUNDS = 300
AGREEMENT = 1e-7
"""Relative error above which two answers count as different; the worst conditioned of long chains come near it."""


class Absent(Error):
    """Why somebody does not compete, or why something cannot be asked."""


@dataclass(frozen=True, slots=True)
class Contender:
    """Somebody who answers: `block()` for so many states, once; `answers()` returns answers to all, one row a state."""

    states: int
    block: Callable[[], object]
    answers: Callable[[], Array]


@dataclass(frozen=True, slots=True)
class Timing:
    """One line of the table: microseconds a state and worst relative error; without a time, a note says why."""

    question: str
    contender: str
    microseconds: float | None = None
    error: float | None = None
    note: str = ""

    @property
    def disagrees(self) -> bool:
        """Whether it answered, but differently."""
        return self.error is not None and self.microseconds is None


def measure(
    question: str,
    contenders: Mapping[str, Contender],
    rounds: int = ROUNDS,
    *,
    agreement: float = AGREEMENT,
    clock: Callable[[], int] = perf_counter_ns,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Timing]:
    """The least time of each contender by name; who disagrees with the first is not timed.

    agreement: relative error up to which answers are the same.
    clock: nanoseconds.
    tell: is told what is going on, in a few words.
    """
    first = next(iter(contenders))
    reference = contenders[first].answers()
    errors = {name: worst_error(contender.answers(), reference) for name, contender in contenders.items()}
    best = {name: np.inf for name, error in errors.items() if error <= agreement}
    for number in range(rounds):
        tell(f"{question}, round {number + 1} of {rounds}")
        for name, least in best.items():
            contender = contenders[name]
            start = clock()
            contender.block()
            best[name] = min(least, (clock() - start) / contender.states / 1000)
    return [
        Timing(question, name, float(best[name]), error) if name in best else _different(question, name, error, first)
        for name, error in errors.items()
    ]


def _different(question: str, name: str, error: float, first: str) -> Timing:
    how = f"by {error:.1g}" if np.isfinite(error) else "or are not finite"
    return Timing(question, name, None, error, f"its answers differ from those of {first}, {how}")


def worst_error(found: Array, reference: Array) -> float:
    """The largest max|x - ref| / max(1, max|ref|) of all states; infinite where something is not finite."""
    if found.shape != reference.shape or not (np.isfinite(found).all() and np.isfinite(reference).all()):
        return float("inf")
    scale = np.maximum(1.0, np.abs(reference).max(axis=1, initial=0.0))
    return float((np.abs(found - reference).max(axis=1, initial=0.0) / scale).max(initial=0.0))


# ---------------------------------------------------------------- calls


def calls(function: Callable[..., Any], states: Sequence[State]) -> Callable[[], None]:
    """A block that calls a function once a state, its arguments written out as a user writes them."""
    names = "".join(f"x{k}, " for k in range(len(states[0])))
    scope: dict[str, Any] = {"function": function, "states": states}
    exec(f"def block():\n    for {names}in states: function({names})", scope)
    return scope["block"]


def empty_call(states: Sequence[State], rounds: int = ROUNDS) -> float:
    """Microseconds of such a call when the function does nothing."""
    scope: dict[str, Any] = {}
    exec(f"def nothing({', '.join(f'x{k}' for k in range(len(states[0])))}): pass", scope)
    empty = Contender(len(states), calls(scope["nothing"], states), lambda: np.zeros((1, 1)))
    (timing,) = measure("an empty call", {"nothing": empty}, rounds)
    assert timing.microseconds is not None
    return timing.microseconds


@contextmanager
def one_core() -> Generator[None]:
    """Stay on one core where the system lets us."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
