"""Signals over time: a row of numbers at each time, with what they are called and mean, as data that checks itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, WrongType
from motionc.real import real_numbers

Array = np.ndarray[Any, np.dtype[Any]]
LATEST = 1.8e10
"""Seconds that 64 bits of nanoseconds hold."""
HUGE = 1e12
"""Beyond which a number says only that a run diverged."""
WILD = 1e5
"""rad, m: beyond which a configuration does, and nothing is placed by it; lanes know no sine of 8e5."""
TIMES = f"give seconds from 0 to {LATEST:g} that do not go back, one a row"


@dataclass(frozen=True, eq=False)
class Signal:
    """A signal: a row of numbers at each time, and what they are.

    >>> Signal("q", [0.0, 0.1], [[1.0, 2.0], [1.5, 2.0]], "rad", ("shoulder", "elbow")).at(0.05)
    array([1., 2.])

    Args:
        name: of the signal.
        times: seconds, (K,).
        values: (K, …), as doubles or singles.
        unit: of all entries, or of each, in words.
        labels: what each entry of a row is called.
        meaning: what it is, in words.
        relation: of which body, wrt which, at which point and as seen by which frame it is, in words.
    """

    name: str
    times: Any
    values: Any
    unit: str = ""
    labels: tuple[str, ...] = ()
    meaning: str = ""
    relation: str = ""

    def __post_init__(self) -> None:
        what = f"Signal {checked.name('Signal: name', self.name)}"
        times = checked.numbers(f"{what}: times", self.times, TIMES, (None,))
        if times.size and (times[0] < 0 or times[-1] > LATEST or np.any(np.diff(times) < 0)):
            raise checked.refusal(f"{what}: times", self.times, TIMES)
        values = rows_of(f"{what}: values", self.values)
        if values.shape[:1] != times.shape:
            raise Error(f"{what}: {len(times)} times, but values of shape {values.shape}; give a row a time")
        for word in ("unit", "meaning", "relation"):
            checked.words(f"{what}: {word}", getattr(self, word))
        size = int(np.prod(values.shape[1:], dtype=int))
        labels = checked.names(f"{what}: labels", self.labels, "name each entry of a row")
        if labels and len(labels) != size:
            raise Error(f"{what}: {len(labels)} labels for {size} entries; name each, or none")
        for name, kept in (("times", times), ("values", values), ("labels", labels)):
            object.__setattr__(self, name, kept)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a row."""
        return self.values.shape[1:]

    @property
    def flat(self) -> Array:
        """Rows without axes, (K, entries)."""
        return self.values.reshape(len(self.times), int(np.prod(self.shape, dtype=int)))

    @property
    def columns(self) -> tuple[str, ...]:
        """What each entry is called, in tables."""
        if not self.shape:
            return (self.name,)
        labels = self.labels or tuple(",".join(map(str, place)) for place in np.ndindex(*self.shape))
        return tuple(f"{self.name}[{label}]" for label in labels)

    def at(self, time: float) -> Array:
        """The row that holds at a time: the last one before it, or the first."""
        if not len(self.times):
            raise Error(f"signal {self.name} has no rows")
        return self.values[held_rows(self.times, time)]

    def __repr__(self) -> str:
        return f"Signal({self.name}: {len(self.times)} rows of {self.shape or 'one number'}, {self.unit or '1'})"


def rows_of(what: str, values: Any) -> Array:
    """Numbers as they are written down: singles stay singles, all others become doubles; what is not finite counts."""
    try:
        array = np.asarray(real_numbers(values))
    except (TypeError, ValueError, RuntimeError):
        raise checked.refusal(what, values, "give rows of numbers", kind=WrongType) from None
    return np.array(array, np.float32 if array.dtype == np.float32 else np.float64)


def held_rows(of: Any, times: Any) -> Array:
    """Which row of a signal holds at each time: the last before it, or the first.

    >>> held_rows([0.0, 1.0], [0.5, 2.0]).tolist()
    [0, 1]
    """
    return np.maximum(np.searchsorted(np.asarray(of), times, side="right") - 1, 0)


def rows_before_divergence(q: Any) -> int:
    """How many configurations (K, nq) there are until one is wild, or not finite.

    >>> rows_before_divergence([[0.0, 1.0], [np.inf, 0.0], [0.0, 0.0]])
    1
    """
    fine = calm_rows(q, WILD)
    return len(fine) if fine.all() else int(np.argmin(fine))


def calm_rows(values: Any, most: float = HUGE) -> Array:
    """Which rows (K, …) hold nothing beyond this."""
    return np.all(np.abs(values) < most, axis=tuple(range(1, np.ndim(values))))
