"""Deadline statistics: what a histogram tells of durations, against all of them kept and sorted by NumPy."""

import math

import numpy as np
import pytest

import motionc as mc
from motionc.control import Deadlines
from motionc.control.deadlines import BUCKETS, LONGEST, _begin, _end


def recorded(nanoseconds: np.ndarray, deadline: float = math.inf) -> Deadlines:
    cycles = Deadlines(deadline)
    for one in nanoseconds.tolist():
        cycles.record(one)
    return cycles


SAMPLES = np.random.default_rng(0).lognormal(11.0, 1.5, 20_000).astype(np.int64)


def test_counts_and_ends_are_those_of_all_durations() -> None:
    cycles = recorded(SAMPLES, deadline=3e-4)
    assert (cycles.count, cycles.missed) == (len(SAMPLES), np.count_nonzero(SAMPLES > 300_000))
    assert 0 < cycles.missed < cycles.count
    assert (cycles.least, cycles.worst) == (SAMPLES.min() / 1e9, SAMPLES.max() / 1e9)
    assert cycles.mean == pytest.approx(SAMPLES.mean() / 1e9, rel=1e-12)
    assert sum(count for *_, count in cycles.histogram()) == len(SAMPLES)


@pytest.mark.parametrize("share", [0, 1, 25, 50, 90, 99, 99.9, 99.99, 100])
def test_percentiles_are_never_too_short_and_at_most_3_percent_too_long(share: float) -> None:
    exact = np.percentile(SAMPLES, share, method="inverted_cdf") / 1e9
    assert exact <= recorded(SAMPLES).percentile(share) <= exact * (1 + 1 / 32)


def test_buckets_follow_each_other_and_each_duration_is_in_its_own() -> None:
    assert _begin(0) == 0
    assert all(_begin(k + 1) == _end(k) + 1 for k in range(BUCKETS - 1))
    assert _end(BUCKETS - 1) == LONGEST
    for exponent in range(43):
        for n in (2**exponent - 1, 2**exponent, 2**exponent + 1, 3 * 2**exponent // 2):
            (begin, end, count), *others = recorded(np.array([n])).histogram()
            assert (count, others) == (1, [])
            assert round(begin * 1e9) <= min(n, LONGEST) <= round(end * 1e9)


def test_statistics_of_two_loops_are_those_of_both() -> None:
    both, first, second = (recorded(part, 1e-4) for part in (SAMPLES, SAMPLES[:7000], SAMPLES[7000:]))
    first.add(second)
    assert first.summary() == both.summary()
    assert first.histogram() == both.histogram()
    with pytest.raises(mc.Error, match=r"deadlines of 0.0001 s and inf s"):
        first.add(Deadlines())


def test_what_takes_hours_is_counted_too() -> None:
    cycles = recorded(np.array([10, 2**60]))
    assert cycles.worst == 2**60 / 1e9
    assert cycles.percentile(100) == LONGEST / 1e9


def test_no_cycle_has_no_percentiles_and_deadlines_are_positive() -> None:
    assert math.isnan(Deadlines().percentile(50))
    assert repr(Deadlines()) == "Deadlines(no cycle yet)"
    with pytest.raises(mc.Error, match="deadline=0"):
        Deadlines(0)
    with pytest.raises(mc.Error, match="percentile=101"):
        Deadlines().percentile(101)
