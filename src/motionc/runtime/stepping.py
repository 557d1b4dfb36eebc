"""A loop in time whose turns are made in Python: without a compiler, or around a part that is no program.

Programs are Python code where there is no compiler, and compiled one by one beside a part that is foreign.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from motionc.program.foreign import Foreign
from motionc.program.loop import Loop, Use
from motionc.program.noise import blocks, draw
from motionc.runtime.build.library import Entry, answering, interpreted, open_entry

Array = np.ndarray[Any, np.dtype[Any]]


class Stepping:
    """The entry of a loop that is interpreted: lanes one after the other, on arrays that have lanes in front."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.uses = [_entered(use, whole=loop.foreign) for use in loop.uses]

    def run(
        self,
        lanes: range,
        first: int,
        steps: int,
        seed: int,
        lane: int,
        given: Sequence[Array],
        states: Sequence[Array],
        logs: Sequence[Array],
        turns: Array,
    ) -> None:
        """Run these lanes: `states` and `logs` are written; `given` has streams as (N, K, …), N = 1 for all lanes."""
        with np.errstate(all="ignore"):
            for n in lanes:
                turns[n] = self._lane(n, first, steps, seed, lane + n, given, states, logs)

    def _lane(
        self,
        n: int,
        first: int,
        steps: int,
        seed: int,
        lane: int,
        given: Sequence[Array],
        states: Sequence[Array],
        logs: Sequence[Array],
    ) -> tuple[int, int]:
        loop = self.loop
        dtype = states[0].dtype if states else np.dtype(float)
        buffers = [np.zeros(buffer.port.size, dtype) for buffer in loop.buffers]
        for (k, _), array in zip(loop.states, states, strict=True):
            buffers[k][:] = np.ravel(array[n])
        made, finite, going = 0, 0, True
        for k in range(steps):
            turn = first + k
            if going:
                for (place, buffer), array in zip(loop.given, given, strict=True):
                    own = array[n if len(array) > 1 else 0]
                    buffers[place][:] = np.ravel(own[k] if buffer.role == "streamed" else own)
                self._turn(turn, seed, lane, buffers)
                made += 1
                kept = all(np.all(np.isfinite(buffers[place])) for place, _ in loop.states)
                finite += kept
                going = kept and (loop.until < 0 or buffers[loop.until][0] == 0)
            for log, rows in zip(loop.logs, logs, strict=True):
                if (turn + 1) % log.every == 0:
                    rows[n, log.rows(first, k + 1) - 1] = buffers[log.buffer].reshape(rows.shape[2:])
        for (k, _), array in zip(loop.states, states, strict=True):
            array[n] = buffers[k].reshape(array.shape[1:])
        return made, finite

    def _turn(self, turn: int, seed: int, lane: int, buffers: list[Array]) -> None:
        loop, block = self.loop, 0
        for k, buffer in loop.of("drawn", "clock"):
            if buffer.role == "clock":
                buffers[k][:] = turn * loop.period
            else:
                size = buffer.port.size
                buffers[k][:] = draw(buffer.drawn, seed, lane, turn, block, size, loop.precision)
                block += blocks(size)
        for use, (entry, reads, writes, size) in zip(loop.uses, self.uses, strict=True):
            if turn % use.every == 0:
                y = np.empty(size, buffers[0].dtype)
                entry(np.concatenate([buffers[0][:0], *(buffers[place] for place in reads)]), y)
                for place, where in writes:
                    buffers[place][:] = y[where]
        for of, to in loop.copies:
            buffers[to][:] = buffers[of]


def _entered(use: Use, *, whole: bool) -> tuple[Entry, tuple[int, ...], list[tuple[int, slice]], int]:
    """How a part is called; which buffers it reads, and writes from where in what it gives; how many numbers those are.

    Beside a part that is no program, parts are compiled `whole`, what nobody wants included.
    """
    part: Any = use.part
    if whole:
        entry = answering(part) if isinstance(part, Foreign) else open_entry(part)
        reads, places, ports = use.inputs, use.outputs, part.outputs
    else:
        entry, reads, places, ports = interpreted(use.program), use.reads, use.writes, use.program.outputs
    stops = list(accumulate(port.size for port in ports))
    spans = [slice(stop - port.size, stop) for stop, port in zip(stops, ports, strict=True)]
    writes = [(place, span) for place, span in zip(places, spans, strict=True) if place >= 0]
    return entry, reads, writes, stops[-1]
