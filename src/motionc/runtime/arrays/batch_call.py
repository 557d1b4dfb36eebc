"""The shortest way into a batch: a builtin function that reads arrays in place, where this Python lets it work."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from motionc.program.source import Source
from motionc.runtime.arrays import batch
from motionc.runtime.build import batch_stub
from motionc.runtime.build.library import DTYPES, Lanes, Library, open_lanes

TRIED = 3
"""States on which it is tried."""


def open_batches(
    source: Source, alone: Library, slow: Callable[..., Any], records: Callable[[int], Any], words: str
) -> Lanes | None:
    """What batches run in, beside what computes one state; None where states have to go one by one.

    `slow` takes over what the builtin function does not read; `records` gives the record of several outputs along an
    axis; `words` are those of help.
    """
    lanes = open_lanes(source, alone, batch.stretch)
    if lanes is None or alone.tier != "glued" or not batch_stub.fits(source.inputs, source.outputs):
        return lanes
    own = (records(0), records(-1)) if len(source.outputs) > 1 else (None, None)
    tried = batch_stub.builtin(lanes.stub, lanes.told, lambda *_, **__: None, own)
    call = batch_stub.builtin(lanes.stub, lanes.told, slow, own, words) if _works(tried, lanes, source) else None
    return replace(lanes, call=call)


def _works(call: Callable[..., Any], lanes: Lanes, source: Source) -> bool:
    """Whether it gives what the compiled entry gives, on states that stand either way."""
    dtype, outputs = DTYPES[source.precision], source.outputs
    for axis in (0, -1):
        shapes = [port.shape_of(TRIED, axis) for port in source.inputs]
        values = tuple(np.linspace(0.1, 0.9, int(np.prod(shape)), dtype=dtype).reshape(shape) for shape in shapes)
        given, states = batch.sheets(source.name, source.inputs, values, axis)
        arrays, found = batch.empty(outputs, states, axis, dtype)
        batch.in_lanes(lanes.entry, given, found, dtype)(0, states)
        batch.counted(arrays, found, axis)
        answer = call(*values, axis=axis)
        several = (answer,) if len(outputs) == 1 else answer
        if several is None or not all(map(partial(np.array_equal, equal_nan=True), several, arrays)):
            return False
    return True
