"""How a compiled loop is entered: with arrays of many lanes, or with one lane that stands in a row."""

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from motionc.program.loop import Loop

Array = np.ndarray[Any, np.dtype[Any]]


class Entered:
    """The entry of a compiled loop, called as one that is interpreted (runtime/stepping.py)."""

    def __init__(self, entry: Any) -> None:
        ulong, pointer = ctypes.c_ulonglong, ctypes.c_void_p
        entry.argtypes = (ctypes.c_long, ulong, ulong, ctypes.c_longlong, ulong, *(pointer,) * 7)
        entry.restype = None
        self.entry = entry

    def __call__(
        self,
        lanes: range,
        first: int,
        turns: int,
        seed: int,
        lane: int,
        given: Sequence[Array],
        states: Sequence[Array],
        logs: Sequence[Array],
        ends: Array,
    ) -> None:
        """Call the compiled loop for these lanes."""
        start = lanes.start
        sides = [
            _described([array[start:] if array.shape[0] > 1 else array for array in side])
            for side in (given, states, logs)
        ]
        flat = [part for side in sides for part in side]
        self.entry(len(lanes), lane + start, first, turns, seed, *flat, ends[start:].ctypes.data)


def _described(arrays: Sequence[Array]) -> tuple[Any, Any]:
    """Addresses, and how many numbers there are from lane to lane; 0 where it is the same for all."""
    addresses, longs = ctypes.c_void_p * len(arrays), ctypes.c_long * len(arrays)
    strides = [array.strides[0] // array.itemsize if array.shape[0] > 1 else 0 for array in arrays]
    return addresses(*[array.__array_interface__["data"][0] for array in arrays]), longs(*strides)


class OneLane:
    """A loop without logs and streams for one lane, with places for its arguments that stay: it is asked over and over.

    All that is carried on is one row of numbers: `start` is that row before the first turn, zeros where nobody says
    what, and `places` says where each state is in it.
    """

    def __init__(self, loop: Loop, dtype: Any, entry: Callable[..., None]) -> None:
        self._entry, self._dtype = entry, dtype
        states, self._given = ([buffer.port.size for _, buffer in role] for role in (loop.states, loop.given))
        stops = list(accumulate(states))
        self._slices = [slice(stop - size, stop) for stop, size in zip(stops, states, strict=True)]
        self.places = {buffer.name: place for (_, buffer), place in zip(loop.states, self._slices, strict=True)}
        self.start = np.zeros(sum(states), dtype)
        for (_, buffer), place in zip(loop.states, self._slices, strict=True):
            self.start[place] = buffer.start or 0.0
        self._free = list[_Places]()

    def __call__(
        self,
        turns: int,
        begin: Sequence[tuple[slice, Array]],
        given: Sequence[Array],
        *,
        first: int = 0,
        seed: int = 0,
        lane: int = 0,
    ) -> tuple[Array, bool]:
        """The row after so many turns, at most, and whether all stayed finite; `begin` is what differs from `start`.

        `first` is how many turns were made before, which the clock and the noise of this seed and lane go by.
        """
        at = self._free.pop() if self._free else _Places(self._entry, self.start, self._slices, self._given)
        at.row[:] = self.start
        for place, values in begin:
            at.row[place] = values
        for held, values in zip(at.given, given, strict=True):
            held[:] = values.ravel()
        finite = at.run(turns, first, seed, lane)
        row = at.row.copy()
        self._free.append(at)
        return row, finite


class _Places:
    """Where one call at a time has its arguments."""

    def __init__(self, entry: Callable[..., None], start: Array, slices: Sequence[slice], given: Sequence[int]) -> None:
        self.row, self.given = start.copy(), [np.empty(size, start.dtype) for size in given]
        states = [self.row[place] for place in slices]
        ends = np.zeros((1, 2), np.int64)
        if isinstance(entry, Entered):
            addresses = [
                part for side in (self.given, states) for part in _described([one[np.newaxis] for one in side])
            ]
            self.run = partial(self._compiled, entry.entry, addresses, ends, ends.ctypes.data)
        else:
            shaped = [[one[np.newaxis] for one in side] for side in (self.given, states)]
            self.run = partial(self._interpreted, entry, shaped, ends)

    @staticmethod
    def _compiled(
        entry: Any, addresses: list[Any], ends: Array, counts: int, turns: int, first: int, seed: int, lane: int
    ) -> bool:
        entry(1, lane, first, turns, seed, *addresses, None, None, counts)
        return bool(ends[0, 0] == ends[0, 1])

    @staticmethod
    def _interpreted(
        entry: Callable[..., None],
        shaped: list[list[Array]],
        ends: Array,
        turns: int,
        first: int,
        seed: int,
        lane: int,
    ) -> bool:
        entry(range(1), first, turns, seed, lane, *shaped, [], ends)
        return bool(ends[0, 0] == ends[0, 1])
