"""Baumgarte's stabilisation: rows die down as an oscillator of SciPy's does; what a push leaves."""

import numpy as np
import pytest
from scipy.linalg import expm

import motionc as mc
from motionc.control import Baumgarte

DT = 1e-3


def decayed(law: Baumgarte, push: float = 0.0, seconds: float = 1.0) -> np.ndarray:
    """A row that accelerates as asked, and by a push that nobody knows of; h and its rate, step by step."""
    tick, h, rate, states, total = law.computation(), 0.02, -0.1, [], np.zeros(1)
    for _ in range(round(seconds / DT)):
        states.append((h, rate))
        if law.eta:
            (b,), total = tick.run([h], [rate], total)
        else:
            (b,) = tick.run([h], [rate])
        rate += DT * (b + push)
        h += DT * rate
    return np.array(states)


@pytest.mark.parametrize(("alpha", "beta"), [(3.0, 10.0), (8.0, 8.0)])
def test_a_violation_dies_down_as_alpha_and_beta_say(alpha: float, beta: float) -> None:
    states = decayed(Baumgarte(alpha, beta, rows=1))
    for k in (100, 300, 999):
        flow = expm(k * DT * np.array([[0, 1], [-(beta**2), -2 * alpha]]))
        assert states[k] == pytest.approx(flow @ states[0], abs=1e-3)


def test_a_push_leaves_its_share_of_beta_and_the_sum_of_violations_takes_it() -> None:
    assert decayed(Baumgarte(10.0, 10.0, rows=1), push=0.5, seconds=2.0)[-1, 0] == pytest.approx(0.5 / 100, rel=1e-3)
    summed = Baumgarte(10.0, 10.0, rows=1, eta=300.0, dt=DT)
    assert abs(decayed(summed, push=0.5, seconds=4.0)[-1, 0]) < 1e-6


def test_what_is_wanted_besides_is_added_row_by_row() -> None:
    tick = Baumgarte(1.0, 2.0, rows=2, wanted=True).computation()
    assert tick.run([0.5, 0.0], [0.0, 0.25], [3.0, -1.0]) == pytest.approx([3.0 - 2.0, -1.0 - 0.5])
    assert sum(tick.operations.values()) <= 10


def test_what_does_not_die_down_is_refused() -> None:
    for make, said in (
        (lambda: Baumgarte(1.0, 2.0, rows=1, eta=8.0, dt=0.1), "below 2 alpha beta² = 8"),
        (lambda: Baumgarte(1.0, 2.0, rows=1, eta=1.0), "Say dt="),
        (lambda: Baumgarte(-1.0, 2.0, rows=1), "number ≥ 0"),
        (lambda: Baumgarte(1.0, 2.0, rows=0), "rows"),
    ):
        with pytest.raises(mc.Error, match=said):
            make()
