"""Many lanes of a loop that ends lane by lane: after each round, those that have ended make room for the others.

Lanes go side by side in vectors, and such a block is busy until its last lane ends. Where nothing but state and what is
held comes in, no lane minds beside whom it runs, and when.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from motionc.program.loop import Loop

Array = np.ndarray[Any, np.dtype[Any]]
Run = Callable[[int, Sequence[Array], Sequence[Array], Array], None]
"""So many turns of lanes: what they are given, what they carry on, and what they have made."""

ROUND, FEW = 8, 8
"""Turns of a round; so few lanes go on to the end, for they are one block."""


def ends_alone(loop: Loop, lanes: int) -> bool:
    """Whether lanes end one by one, each saying so in what it carries on, and only depend on what they are given."""
    said = lanes > FEW and loop.until >= 0 and loop.buffers[loop.until].role == "state"
    return said and not loop.logs and not loop.of("streamed", "drawn", "clock") and all(u.every == 1 for u in loop.uses)


def in_rounds(loop: Loop, turns: int, run: Run, given: Sequence[Array], states: Sequence[Array], ends: Array) -> None:
    """All turns of all lanes; `states` and `ends` are written."""
    finished = [k for k, _ in loop.states].index(loop.until)
    going, first, own, carried = np.arange(len(ends)), 0, given, [array.copy() for array in states]
    while going.size and first < turns:
        length = min(ROUND if going.size > FEW else turns, turns - first)
        made = np.zeros((going.size, 2), np.int64)
        run(length, own, carried, made)
        first += length
        ends[going] += made
        on = (made[:, 1] == length) & (carried[finished] == 0) & (first < turns)
        over = ~on
        for whole, part in zip(states, carried, strict=True):
            whole[going[over]] = part[over]
        going = going[on]
        own = [array[on] if len(array) > 1 else array for array in own]
        carried = [array[on] for array in carried]
