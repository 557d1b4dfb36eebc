"""Tolerances over time, as plots show them: bands of signals, walls of tubes, each while it holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.simulate.declarations import Band, in_modes
from motionc.simulate.recorded import Recorded
from motionc.simulate.signals import held_rows

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Stripe:
    """A tolerance about an entry of a signal: edges from each time to the next, NaN where it does not hold.

    >>> low, high = Stripe("wall", 0, np.zeros(1), np.array([-1.0]), np.array([1.0])).at(np.array([2.0]))
    >>> low.tolist(), high.tolist()
    ([-1.0], [1.0])

    share: of the time that is to be spent inside.
    judged: whether that is checked here.
    """

    name: str
    entry: int
    times: Array
    low: Array
    high: Array
    share: float = 1.0
    judged: bool = True

    def at(self, times: Array) -> tuple[Array, Array]:
        """Its edges at some times."""
        rows = held_rows(self.times, times)
        return self.low[rows], self.high[rows]

    @property
    def edges(self) -> Array:
        """All values that its edges have."""
        both = np.concatenate([self.low, self.high])
        return np.unique(both[np.isfinite(both)])


def stripe(band: Band, entry: int, recorded: Recorded) -> Stripe | None:
    """A band of an entry of its signal; None of an entry that it says nothing of, or that it leaves free."""
    if band.entries and entry not in band.entries:
        return None
    (begins, low), (starts, high) = (band.edge(side, entry, recorded.signals) for side in ("low", "high"))
    changes: Sequence[float] = [time for mode in recorded.modes for time in mode.times] if band.during else []
    times = np.unique(np.concatenate([[0.0], begins, starts, changes]))
    on = in_modes(recorded.modes, band.during, times)
    low, high = (np.where(on, values[held_rows(at, times)], np.nan) for at, values in ((begins, low), (starts, high)))
    if not np.any(np.isfinite(low) | np.isfinite(high)):
        return None
    return Stripe(band.name, entry, times, low, high, band.share)
