"""Tubes in a report: panels, walls while they hold, and what is checked."""

import numpy as np
import pytest

from motionc.simulate.declarations import Tube
from motionc.simulate.tubes import Course
from motionc.view.tube_charts import of_tubes, tube_charts

TIMES = np.linspace(0.0, 1.0, 11)


def course(y: list[float], *, holds: list[bool] | None = None, width: object = (0.01, np.inf)) -> Course:
    path = np.zeros((11, 3))
    path[:, 1] = y
    held = np.ones(11, bool) if holds is None else np.array(holds)
    return Course(Tube("tool", np.eye(4), width, 1.0, name="way"), TIMES, np.tile(np.eye(4), (11, 1, 1)), path, held)


def test_a_tube_that_is_kept_passes_and_says_since_when() -> None:
    (check,) = of_tubes([course([0.03, 0.02, *[0.004] * 9])])
    assert check.passed
    assert check.value == pytest.approx(-6.0)
    assert check.beside == "inside from 0.2 s on"


def test_a_tube_that_is_left_fails_and_says_when() -> None:
    (check,) = of_tubes([course([*[0.0] * 5, 0.012, *[0.0] * 5])])
    assert not check.passed
    assert check.value == pytest.approx(2.0)
    assert check.beside.endswith("left at 0.5 s")


def test_what_happens_while_a_tube_does_not_hold_does_not_count() -> None:
    y = [*[0.0] * 8, 0.5, 0.5, 0.5]
    kept, never = course(y, holds=[True] * 8 + [False] * 3), course([0.5] * 11)
    assert [check.passed for check in of_tubes([kept, never])] == [True, False]
    (chart,) = tube_charts([kept])
    along_y, along_z = chart.panels
    assert np.isnan(along_y.lines[0].values[8:]).all()
    (wall,) = along_y.stripes
    low, high = wall.at(np.array([0.3, 0.9]))
    np.testing.assert_allclose(low, [-10.0, np.nan])
    np.testing.assert_allclose(high, [10.0, np.nan])
    assert along_z.stripes == ()


def test_a_round_tube_has_one_panel_of_the_distance() -> None:
    (chart,) = tube_charts([course([-0.02] * 11, width=0.05)])
    (panel,) = chart.panels
    np.testing.assert_allclose(panel.lines[0].values, 20.0)
    assert [float(edge[0]) for edge in panel.stripes[0].at(np.zeros(1))] == [0.0, 50.0]
