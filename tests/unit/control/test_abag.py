"""ABAG: the recursion by hand, blind to size, a bias that learns what a plant needs, no wind-up, delay."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.control import Abag
from rows import row
from trials import trials

ROUND = Abag(filter=0.5, ignore=0.3, bias_step=0.1, panic=0.6, gain_step=0.2)
SPEED = Abag(filter=0.5, ignore=0.15, bias_step=4e-4, panic=0.7, gain_step=3e-3)
# by hand from specs/lazy-control.md §2.8, in fractions: error, filtered, bias, gain, command
TRACE = [
    (3.0, 0.5, 0.1, 0.0, 0.1),
    (0.1, 0.75, 0.2, 0.2, 0.4),
    (2.0, 0.875, 0.3, 0.4, 0.7),
    (-1.0, -0.0625, 0.3, 0.2, 0.1),
    (-4.0, -0.53125, 0.2, 0.0, 0.2),
    (0.0, -0.265625, 0.2, 0.0, 0.2),
    (1.0, 0.3671875, 0.3, 0.0, 0.3),
    (-2.0, -0.31640625, 0.2, 0.0, 0.2),
    (-1.0, -0.658203125, 0.1, 0.2, -0.1),
    (-1.0, -0.8291015625, 0.0, 0.4, -0.4),
]


def told(push: Any, errors: Any) -> np.ndarray[Any, Any]:
    """Filtered, bias, gain and command, cycle by cycle."""
    state, found = (0.0, 0.0, 0.0), []
    for error in errors:
        out = push(error, *state)
        state = (out.filtered, out.bias, out.gain)
        found.append((*state, out.command))
    return np.array(found)


@pytest.fixture(scope="module")
def push() -> mc.Computation:
    return SPEED.computation()


@row("lazy-control", 14)
def test_ten_cycles_are_those_by_hand() -> None:
    expected = np.array([line[1:] for line in TRACE])
    assert told(ROUND.computation().run, [line[0] for line in TRACE]) == pytest.approx(expected, abs=1e-15)


@row("lazy-control", 14)
def test_a_bias_stays_where_signs_come_just_to_what_is_ignored() -> None:
    edge = Abag(filter=0.5, ignore=0.5, bias_step=0.1, panic=0.6, gain_step=0.2).computation()
    assert edge.run(1.0, 0.0, 0.0, 0.0).bias == 0.0  # hside(0) = 1, sgn(0.5 - 0.5) = 0
    assert edge.run(-1.0, 0.0, 0.0, 0.0).bias == pytest.approx(-0.1)  # hside(0) = 1, sgn(-0.5 - 0.5) = -1


def test_no_state_ever_leaves_its_range() -> None:
    """All at once: errors of every size, in bursts of one sign, of as many lanes; half of them narrowed."""
    rng, lanes, cycles = np.random.default_rng(0), 500, trials(200)
    narrow = Abag(
        **{name: getattr(ROUND, name) for name in ("filter", "ignore", "bias_step", "panic", "gain_step")},
        bias_range=(-0.2, 0.5),
        gain_range=(0.0, 0.3),
        command_range=(-0.25, 0.6),
    )
    for law in (ROUND, narrow):
        push, state = law.computation(), np.zeros((3, lanes))
        reached = np.zeros(3)
        for _ in range(cycles):
            out = push.batch(np.repeat(rng.normal(0, 1, lanes // 10), 10) ** 3, *state)
            state = np.array([out.filtered, out.bias, out.gain])
            for values, (least, most) in zip(
                (out.filtered, out.bias, out.gain, out.command),
                ((-1, 1), law.bias_range, law.gain_range, law.command_range),
                strict=True,
            ):
                assert least <= values.min()
                assert values.max() <= most
            reached = np.maximum(reached, [np.abs(out.bias).max(), out.gain.max(), np.abs(out.command).max()])
        assert reached == pytest.approx([law.bias_range[1], law.gain_range[1], law.command_range[1]])


@row("lazy-control", 15)
def test_the_size_of_an_error_does_not_matter(push) -> None:
    errors = np.random.default_rng(1).normal(0, 1, 200)
    assert np.all(told(push, errors) == told(push, 1e3 * errors))
    assert not np.all(told(push, errors) == told(push, errors + 0.3))


def driven(push: Any, disturbance: float, most: float, seconds: float, v: float = 0.0, dt: float = 1 / 630) -> Any:
    """A mass that is to rest, pushed by something else: v' = most u + disturbance, e = -v; states and speeds."""
    state, found = (0.0, 0.0, 0.0), []
    for _ in range(round(seconds / dt)):
        out = push(-v, *state)
        state = (out.filtered, out.bias, out.gain)
        v += dt * (most * out.command + disturbance)
        found.append((out.bias, out.gain, v))
    return np.array(found)


@row("lazy-control", 16)
@pytest.mark.parametrize("disturbance", [-3.0, 1.5])
def test_the_bias_becomes_what_is_needed_all_the_time_and_the_gain_nothing(push, disturbance) -> None:
    bias, gain, _ = driven(push, disturbance, 10.0, 6.0)[-630:].mean(axis=0)
    assert bias == pytest.approx(-disturbance / 10.0, rel=0.1)
    assert gain < 0.02


@row("lazy-control", 17)
def test_ten_seconds_out_of_reach_do_not_wind_up(push) -> None:
    """More than the largest command pushes; afterwards it is still again within the time the bias takes back."""
    dt, state, v, speeds = 1 / 630, (0.0, 0.0, 0.0), 0.0, []
    for k in range(round(20.0 / dt)):
        out = push(-v, *state)
        assert abs(out.command) <= 1.0
        state = (out.filtered, out.bias, out.gain)
        v = min(v + dt * (10.0 * out.command + (12.0 if k * dt < 10.0 else 0.0)), 1.0)
        speeds.append(v)
    stuck, after = np.array(speeds[: round(10.0 / dt)]), np.array(speeds[round(10.0 / dt) :])
    assert stuck[-1] == 1.0
    unwound = 2.0 / (SPEED.bias_step * 630)
    assert np.abs(after[round(1.1 * unwound / dt) :]).max() < 0.02


def test_signs_of_a_swing_of_the_half_period_come_just_to_the_panic_threshold() -> None:
    """By the geometric series: a sign that changes every m cycles is low-passed to (1 - α^m) / (1 + α^m)."""
    for law in (SPEED, ROUND):
        decay = law.filter**law.half_period
        assert (1 - decay) / (1 + decay) == pytest.approx(law.panic, rel=1e-12)


def gain_after(law: Abag, delay: int, zone: float) -> float:
    """An integrator whose command arrives late; errors within a zone are none."""
    push, state, v, queue = law.computation(), (0.0, 0.0, 0.0), 0.3, [0.0] * delay
    for _ in range(6000):
        out = push(-v if abs(v) > zone else 0.0, *state)
        state = (out.filtered, out.bias, out.gain)
        queue.append(out.command)
        v += 30.0 / 630 * queue.pop(0)
    return out.gain


@pytest.mark.parametrize("filter_", [0.3, 0.6])
def test_delay_is_refused_where_the_gain_grows_and_only_there(filter_) -> None:
    """Beside the simulated loop: a relay and an integrator swing by themselves, and a zone of rest breaks that off."""
    law = Abag(filter=filter_, ignore=0.15, bias_step=4e-4, panic=0.7, gain_step=3e-3)
    for delay in range(5):
        grown = gain_after(law, delay, 0.0) > 0.5
        if grown:
            with pytest.raises(mc.Error, match=r"gain grows by itself; take filter=0\.\d+ or more"):
                law.against(delay)
        else:
            assert (law.against(delay) == "") == (2 * delay + 1 <= law.half_period)


def test_a_tolerance_lets_a_loop_stand_more_delay() -> None:
    law = Abag(filter=0.3, ignore=0.15, bias_step=4e-4, panic=0.7, gain_step=3e-3)
    assert gain_after(law, 1, 0.0) > 0.5
    assert gain_after(law, 1, 0.2) < 0.1
    assert law.against(1, tolerant=True) == ""
    law = replace(law, row="x")
    assert "Abag of x: a delay of 2 cycles is longer than its half period of 1.4" in law.against(2, tolerant=True)
    with pytest.raises(mc.Error, match=r"filter=0\.57 or more"):
        law.against(3, tolerant=True)


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        ({"filter": 1.0}, "Abag: filter=1.0"),
        ({"gain_step": 0.0}, "Abag: gain_step=0.0"),
        ({"bias_range": (0.2, 0.5)}, r"bias_range=\(0.2, 0.5\) is no range about 0"),
        ({"row": 3}, "Abag: row"),
    ],
)
def test_numbers_that_are_none_of_abag_are_refused(spoilt, said) -> None:
    usual = {"filter": 0.5, "ignore": 0.03, "bias_step": 2e-4, "panic": 0.8, "gain_step": 2e-3}
    with pytest.raises(mc.Error, match=said):
        Abag(**usual | spoilt)
