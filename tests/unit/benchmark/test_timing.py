"""Minima, agreement and names, with contenders and a clock that are made up: no time is asserted."""

import os
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from motionc.benchmark import Contender, Report, Timing, measure
from motionc.benchmark.report import SCALAR
from motionc.benchmark.timing import calls, empty_call, one_core, worst_error


class Clock:
    """Nanoseconds that pass only when somebody works."""

    def __init__(self) -> None:
        self.now, self.order = 0, list[str]()

    def __call__(self) -> int:
        return self.now

    def contender(self, name: str, durations: Sequence[int], states: int = 1, answer: float = 1.0) -> Contender:
        """Somebody whose blocks take these nanoseconds, one after the other."""
        times: Iterator[int] = iter(durations)

        def block() -> None:
            self.now += next(times)
            self.order.append(name)

        return Contender(states, block, lambda: np.full((3, 2), answer))


def test_the_least_block_counts_and_is_shared_out_among_its_states() -> None:
    clock = Clock()
    contenders = {
        "a": clock.contender("a", [9000, 4000, 7000]),
        "b": clock.contender("b", [80_000, 90_000, 60_000], states=10),
    }
    a, b = measure("question", contenders, 3, clock=clock)
    assert (a.contender, a.microseconds, a.error) == ("a", 4.0, 0.0)
    assert (b.contender, b.microseconds, b.question) == ("b", 6.0, "question")


def test_rounds_are_interleaved() -> None:
    clock = Clock()
    measure("q", {name: clock.contender(name, [1] * 3) for name in "abc"}, 3, clock=clock)
    assert "".join(clock.order) == "abcabcabc"


@pytest.mark.parametrize("answer", [1.001, np.nan, np.inf])
def test_who_disagrees_is_not_timed_and_named_as_different(answer: float) -> None:
    clock = Clock()
    contenders = {"a": clock.contender("a", [1]), "b": clock.contender("b", [], answer=answer)}
    a, b = measure("q", contenders, 1, clock=clock)
    assert not a.disagrees
    assert b.disagrees
    assert b.microseconds is None
    assert "differ from those of a" in b.note


def test_what_goes_on_is_told() -> None:
    clock, told = Clock(), list[str]()
    measure("q", {"a": clock.contender("a", [1, 1])}, 2, clock=clock, tell=told.append)
    assert told == ["q, round 1 of 2", "q, round 2 of 2"]


def test_the_error_is_relative_to_each_state() -> None:
    reference = np.array([[100.0, 1.0], [0.1, 0.0]])
    assert worst_error(reference + np.diag([1.0, 0.0]), reference) == pytest.approx(0.01)
    assert worst_error(reference + np.diag([0.0, 0.5]), reference) == pytest.approx(0.5)
    assert worst_error(np.zeros((2, 3)), reference) == np.inf


def test_ratios_are_to_our_c_unless_said_otherwise() -> None:
    lines = (Timing("q", SCALAR, 2.0, 0.0), Timing("q", "peer", 9.0, 0.0), Timing("q", "absent", note="not here"))
    report = Report("robot", 7, "tip", 1, 0.0, {}, lines)
    assert report.ratio("q", "peer") == 4.5
    assert report.ratio("q", SCALAR, "peer") == pytest.approx(2 / 9)
    assert report.ratio("q", "absent") is None
    assert report.ratio("another", "peer") is None


def test_a_block_calls_once_a_state_with_its_values() -> None:
    seen: list[tuple[int, ...]] = []
    calls(lambda *values: seen.append(values), [(1, 2), (3, 4)])()
    calls(lambda *values: seen.append(values), [(5,)])()
    assert seen == [(1, 2), (3, 4), (5,)]
    assert empty_call([(1, 2, 3)] * 4, 2) > 0


def test_one_core_gives_the_others_back() -> None:
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("this system has no affinity")
    before = os.sched_getaffinity(0)
    with one_core():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before
