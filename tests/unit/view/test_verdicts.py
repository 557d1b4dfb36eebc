"""What bands ask of a run: always, or for a share of the time; wherever their edges are."""

import numpy as np
import pytest

from motionc.simulate import Band, Mode, Recording, Reference, Signal
from motionc.view.charts import charts
from motionc.view.verdicts import Check, of_limits

TIMES = np.linspace(0.0, 1.0, 11)


def checks(values: object, *bands: Band, **fields: object) -> list[Check]:
    signals = [Signal("x", TIMES, values, "m"), *fields.pop("signals", ())]  # pyright: ignore[reportGeneralTypeIssues]
    return list(of_limits(charts(Recording(signals=signals, bands=bands, **fields), None)))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("value", "at", "passed"),
    [(1.0, "most", True), (1.0, "least", True), (1.1, "most", False), (0.9, "least", False), (-np.inf, "most", False)],
)
def test_a_number_may_be_at_its_limit_and_not_beyond_it_and_has_to_be_finite(value, at, passed) -> None:
    assert Check("height", value, 1.0, at=at).passed is passed
    assert not Check("height", np.inf, 1.0, at="least").passed


def test_of_limits_of_different_widths_the_one_with_the_least_room_for_its_width_is_told() -> None:
    values = np.stack([0.9 + 0 * TIMES, 50.0 + 0 * TIMES], axis=1)  # 0.1 of 1 is left, and 50 of 100
    (check,) = checks(values, Band("x", (-1.0, -100.0), (1.0, 100.0), "near"))
    assert (check.value, check.limit) == (0.9, 1.0)
    values = np.stack([0.5 + 0 * TIMES, 99.0 + 0 * TIMES], axis=1)  # 0.5 of 1 is left, and 1 of 100
    (check,) = checks(values, Band("x", (-1.0, -100.0), (1.0, 100.0), "near"))
    assert (check.value, check.limit) == (99.0, 100.0)


def test_what_a_signal_should_follow_is_not_what_is_judged() -> None:
    aim = Signal("aim", [0.0], [5.0], "m")
    (check,) = checks(0.5 * TIMES, Band("x", -1.0, 1.0), signals=[aim], references=[Reference("aim", of="x")])
    assert check.passed


def test_the_check_of_a_band_tells_the_worst_value_and_its_limit() -> None:
    (check,) = checks(np.stack([TIMES, 3 * TIMES], axis=1), Band("x", (-1.0, -1.0), (2.0, 2.5), "near"))
    assert (check.value, check.limit, check.passed) == (pytest.approx(3.0), 2.5, False)


def test_edges_that_change_are_compared_row_by_row() -> None:
    edge = Signal("edge", [0.0, 0.5], [1.0, 0.2])
    (kept,) = checks(0.9 * (TIMES < 0.45), Band("x", -1.0, "edge"), signals=[edge])
    assert kept.passed
    (passed,) = checks(0.9 * (TIMES < 0.65), Band("x", -1.0, "edge"), signals=[edge])
    assert (passed.value, passed.limit, passed.passed) == (pytest.approx(0.9), 0.2, False)


def test_a_band_counts_in_its_modes_alone() -> None:
    modes = [Mode((0.0, 0.5), ("OFF", "ON"))]
    (check,) = checks(1.0 - TIMES, Band("x", high=0.55, during=("ON",)), modes=modes)
    assert check.passed
    (check,) = checks(1.0 - TIMES, Band("x", high=0.45, during=("ON",)), modes=modes)
    assert not check.passed
    assert checks(TIMES, Band("x", high=0.0, during=("NEVER",)), modes=modes) == []


@pytest.mark.parametrize(("share", "passed"), [(0.6, True), (0.8, False)])
def test_a_band_may_hold_for_a_share_of_the_time(share: float, passed: bool) -> None:
    (check,) = checks(TIMES, Band("x", 0.0, 0.65, "slow", share=share))
    assert check.value == pytest.approx(7 / 11)
    modes = [Mode((0.0, 0.45), ("OFF", "ON"))]
    assert checks(TIMES, Band("x", high=0.65, share=share, during=("ON",)), modes=modes)[0].value == pytest.approx(
        2 / 6
    )
    assert (check.limit, check.at, check.passed) == (share, "least", passed)


def test_what_is_not_finite_is_in_no_band() -> None:
    values = np.array(TIMES)
    values[4] = np.nan
    assert not checks(values, Band("x", -10.0, 10.0))[0].passed
    assert not checks(np.stack([TIMES, values], axis=1), Band("x", -10.0, 10.0))[0].passed
    assert checks(values, Band("x", -10.0, 10.0, share=0.95))[0].value == pytest.approx(10 / 11)
