"""PID against SciPy's filters term by term, against a continuous loop, and at its limits."""

import numpy as np
import pytest
from scipy.signal import StateSpace, lfilter, lsim

import motionc as mc
from motionc.control import Pid, resettable

DT = 1e-3


class Ticked:
    """A controller that remembers its state."""

    def __init__(self, pid: Pid) -> None:
        self.tick = pid.computation()
        self.state = [self.tick.start()[port.name] for port in self.tick.states]

    def __call__(self, target, measured) -> np.ndarray:
        out = self.tick.run(np.atleast_1d(target), np.atleast_1d(measured), *self.state)
        self.state = [out[port.name] for port in self.tick.states]
        return out.command


def ticked(pid, targets, measured) -> np.ndarray:
    tick = Ticked(pid)
    return np.array([tick(*both) for both in zip(targets, measured, strict=True)])


def test_terms_are_filters() -> None:
    """Sum: K_i dt/(1 - z⁻¹); derivative: -(1-a) K_d/dt (1 - z⁻¹)/(1 - a z⁻¹), of what is measured alone."""
    rng = np.random.default_rng(0)
    target, y = rng.normal(size=(2, 200, 2)).cumsum(axis=1)
    y[0] = 0.0
    kp, ki, kd, lag = np.array([2.0, 0.5]), np.array([30.0, 0.0]), np.array([0.02, 0.3]), 0.004
    kept = lag / (lag + DT)
    i = lfilter([DT], [1, -1], target - y, axis=0) * ki
    d = lfilter(np.array([1, -1]) * (1 - kept) / DT, [1, -kept], y, axis=0) * kd
    found = ticked(Pid(kp, ki, kd, DT, filter=lag), target, y)
    assert found == pytest.approx(kp * (target - y) + i - d, abs=1e-9)


def test_the_first_tick_and_a_target_that_jumps_do_not_kick() -> None:
    pid = Pid(0.0, 0.0, 5.0, DT)
    assert np.all(ticked(pid, [0.0, 1.0, -3.0], [7.0, 7.0, 7.0]) == 0.0)


def test_a_loop_settles_as_its_continuous_one() -> None:
    """A mass on a damper, pushed by 3 N: error, rate and sum as SciPy integrates them; nothing is left in the end."""
    kp, ki, kd, m, c, push, count = 400.0, 900.0, 30.0, 2.0, 3.0, 3.0, 4000
    A = np.array([[0, 1, 0], [-kp / m, -(kd + c) / m, 1 / m], [-ki, 0, 0]])
    B = np.array([[0, 0], [kp / m, 1 / m], [ki, 0]])
    time = np.arange(count) * DT
    u = np.column_stack([np.ones(count), np.full(count, push)])
    _, expected, _ = lsim(StateSpace(A, B, np.eye(3), np.zeros((3, 2))), u, time)
    x, v = np.zeros(count), 0.0
    tick = Ticked(Pid(kp, ki, kd, DT))
    for k in range(count - 1):
        v += DT * (tick(1.0, x[k])[0] + push - c * v) / m
        x[k + 1] = x[k] + DT * v
    assert np.abs(x - expected[:, 0]).max() < 0.02
    assert abs(x[-1] - 1.0) < 1e-3
    assert expected[:, 0].max() > 1.01


def overshoot(**limited: float) -> float:
    """A tank that fills at the rate of the command, from 0 to 10, at most 1 a second."""
    level, highest, tick = 0.0, 0.0, Ticked(Pid(2.0, 1.0, 0.0, 0.01, lower=-1.0, upper=1.0, **limited))
    for _ in range(3000):
        (command,) = tick(10.0, level)
        level += 0.01 * command
        assert -1.0 <= command <= 1.0
        highest = max(highest, level)
    return highest - 10.0


def test_what_is_not_made_is_not_summed_up() -> None:
    """Summed up for 10 s of saturation, 50 are still to be worked off: it overflows by metres without anti-windup."""
    assert overshoot(tracking=1e9) > 3.0
    assert overshoot() < 0.5


def test_a_sum_begins_anew_where_a_machine_says_so() -> None:
    again = resettable(Pid(0.0, 1.0, 0.0, 0.1).computation(), "integral")
    given = {"target": [1.0], "measured": [0.0], "integral": [5.0], "slope": [0.0], "before": [0.0], "begun": 1.0}
    told = [again.run(*(({**given, "reset_integral": r})[p.name] for p in again.inputs)).command[0] for r in (0.0, 1.0)]
    assert told == pytest.approx([5.1, 0.1])


def test_what_is_no_pid_is_refused() -> None:
    for make, said in (
        (lambda: Pid(1.0, [1.0, 2.0], [1.0, 2.0, 3.0], 0.1), "one number, or 3"),
        (lambda: Pid(-1.0, 0.0, 0.0, 0.1), "numbers ≥ 0"),
        (lambda: Pid(1.0, 0.0, 0.0, 0.0), "seconds > 0"),
        (lambda: Pid(1.0, 0.0, 0.0, 0.1, lower=1.0, upper=1.0), "not below upper"),
        (lambda: Pid(1.0, 1.0, 0.0, 0.1, tracking=0.01), "less than a tick"),
    ):
        with pytest.raises(mc.Error, match=said):
            make()


def test_operations() -> None:
    one = Pid(1.0, 1.0, 1.0, DT, lower=-1.0, upper=1.0, filter=0.01)
    assert sum(one.computation().operations.values()) <= 16
