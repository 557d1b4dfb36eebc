"""A loop in time without a compiler: the same turns in Python, each program as Python code."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc.program.loop import Loop
from motionc.program.noise import blocks, draw
from motionc.runtime.build.library import interpreted

Array = np.ndarray[Any, np.dtype[Any]]


class Stepping:
    """The entry of a loop that is interpreted: lanes one after the other, on arrays that have lanes in front."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.uses = [interpreted(use.program) for use in loop.uses]

    def run(
        self,
        lanes: range,
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
                turns[n] = self._lane(n, steps, seed, lane + n, given, states, logs)

    def _lane(
        self,
        n: int,
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
        for turn in range(steps):
            if going:
                for (k, buffer), array in zip(loop.given, given, strict=True):
                    own = array[n if len(array) > 1 else 0]
                    buffers[k][:] = np.ravel(own[turn] if buffer.role == "streamed" else own)
                self._turn(turn, seed, lane, buffers)
                made += 1
                kept = all(np.all(np.isfinite(buffers[k])) for k, _ in loop.states)
                finite += kept
                going = kept and (loop.until < 0 or buffers[loop.until][0] == 0)
            for log, rows in zip(loop.logs, logs, strict=True):
                if (turn + 1) % log.every == 0:
                    rows[n, (turn + 1) // log.every - 1] = buffers[log.buffer].reshape(rows.shape[2:])
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
        for use, entry in zip(loop.uses, self.uses, strict=True):
            if turn % use.every == 0:
                y = np.empty(sum(port.size for port in use.program.outputs), buffers[0].dtype)
                entry(np.concatenate([buffers[0][:0], *(buffers[place] for place in use.reads)]), y)
                start = 0
                for place in use.writes:
                    buffers[place][:] = y[start : start + buffers[place].size]
                    start += buffers[place].size
        for of, to in loop.copies:
            buffers[to][:] = buffers[of]
