"""Was it in time? Deadline statistics of a control loop: a histogram of durations, however long it runs.

    bucket    n ns are counted by their six leading bits: 32 buckets an octave, each at most 1/32 wide of what it counts

A cycle costs one bit_length, two shifts and a few additions; a million cycles take as much room as ten. Count, mean,
least and worst are exact, percentiles are the upper end of their bucket: 3 % too long at most, never too short.
"""

import math
from collections.abc import Mapping

from motionc import checked
from motionc.errors import Error

LEADING = 6
"""Bits that tell one bucket of an octave from another."""
HALF = 1 << (LEADING - 1)
BITS = 43
LONGEST = (1 << BITS) - 1
"""Nanoseconds that are told apart, two hours; what takes longer is in the last bucket."""
BUCKETS = (BITS - LEADING + 2) * HALF


class Deadlines:
    """Durations of cycles against a deadline: how many, how many too long, the worst, percentiles, a histogram.

    >>> cycles = Deadlines(deadline=1e-3)
    >>> for microseconds in (100, 200, 300, 1500):
    ...     cycles.record(1000 * microseconds)
    >>> cycles.count, cycles.missed, cycles.worst
    (4, 1, 0.0015)
    >>> cycles
    Deadlines(4 cycles, 1 beyond 1 ms; median 200.7 µs, 99 % 1500 µs, worst 1500 µs)

    Args:
        deadline: seconds; infinite where there is none.
    """

    __slots__ = ("_counts", "_deadline", "_least", "_total", "_worst", "count", "missed")

    def __init__(self, deadline: float = math.inf) -> None:
        wanted = "give seconds > 0, or leave it out"
        if deadline != math.inf:
            deadline = checked.number("Deadlines: deadline", deadline, wanted, fits=lambda time: time > 0)
        self._deadline = deadline * 1e9
        self._counts = [0] * BUCKETS
        self.count = self.missed = self._total = self._worst = 0
        self._least = LONGEST

    def record(self, nanoseconds: int) -> None:
        """A cycle that took so long."""
        self.count += 1
        self._total += nanoseconds
        if nanoseconds > self._worst:
            self._worst = nanoseconds
        if nanoseconds < self._least:
            self._least = nanoseconds
        if nanoseconds > self._deadline:
            self.missed += 1
        length = nanoseconds.bit_length() - LEADING
        if length <= 0:
            self._counts[nanoseconds] += 1
        elif length <= BITS - LEADING:
            self._counts[length * HALF + (nanoseconds >> length)] += 1
        else:
            self._counts[-1] += 1

    # ---------------------------------------------------------------- in seconds

    @property
    def deadline(self) -> float:
        return self._deadline / 1e9

    @property
    def worst(self) -> float:
        return self._worst / 1e9

    @property
    def least(self) -> float:
        return self._least / 1e9 if self.count else math.nan

    @property
    def mean(self) -> float:
        return self._total / self.count / 1e9 if self.count else math.nan

    def percentile(self, share: float) -> float:
        """What so many per cent of all cycles did not exceed: the upper end of a bucket, no more than the worst."""
        wanted = "give per cent from 0 to 100"
        share = checked.number("Deadlines: percentile", share, wanted, fits=lambda p: 0 <= p <= 100)
        if not self.count:
            return math.nan
        wanted_count, seen = math.ceil(share / 100 * self.count), 0
        for bucket, count in enumerate(self._counts):
            seen += count
            if count and seen >= wanted_count:
                return min(_end(bucket), self._worst) / 1e9
        raise AssertionError("as many are counted as were recorded")

    def histogram(self) -> list[tuple[float, float, int]]:
        """(from, to, how many), in seconds, of all buckets in which there are some."""
        return [(_begin(k) / 1e9, _end(k) / 1e9, count) for k, count in enumerate(self._counts) if count]

    def summary(self) -> Mapping[str, float]:
        """All of it as numbers by name, in seconds."""
        shares = {"median_s": 50, "p90_s": 90, "p99_s": 99, "p999_s": 99.9, "p9999_s": 99.99}
        known = {name: self.percentile(share) for name, share in shares.items()}
        return {"cycles": self.count, "missed": self.missed, "mean_s": self.mean, **known, "worst_s": self.worst}

    def add(self, other: "Deadlines") -> None:
        """Those of another loop with the same deadline, too."""
        if checked.instance("Deadlines.add", other, Deadlines, "give other statistics")._deadline != self._deadline:
            raise Error(f"Deadlines: deadlines of {self.deadline:g} s and {other.deadline:g} s are not counted as one")
        self.count, self.missed = self.count + other.count, self.missed + other.missed
        self._total, self._worst = self._total + other._total, max(self._worst, other._worst)
        self._least = min(self._least, other._least)
        self._counts = [mine + theirs for mine, theirs in zip(self._counts, other._counts, strict=True)]

    def __repr__(self) -> str:
        if not self.count:
            return "Deadlines(no cycle yet)"
        late = "" if math.isinf(self._deadline) else f", {self.missed} beyond {self._deadline / 1e6:g} ms"
        named = {"median": self.percentile(50), "99 %": self.percentile(99), "worst": self.worst}
        times = ", ".join(f"{name} {1e6 * time:.4g} µs" for name, time in named.items())
        return f"Deadlines({self.count} cycles{late}; {times})"


def _begin(bucket: int) -> int:
    """The least number of nanoseconds in a bucket."""
    length = max(0, bucket // HALF - 1)
    return (bucket - length * HALF) << length


def _end(bucket: int) -> int:
    """The largest."""
    return LONGEST if bucket == BUCKETS - 1 else _begin(bucket + 1) - 1
