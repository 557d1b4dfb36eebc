"""Events from signals: two sides, held times, noise, braking distance, time that has passed."""

import numpy as np
import pytest

import motionc as mc
from motionc.control import Braking, Elapsed, Machine, Row, Threshold, resettable
from trials import trials


def seen_by(monitor, signal) -> list[float]:
    """Step by step, as it is emitted too."""
    watch, lasted, told = monitor.computation(), 0.0, []
    for value in signal:
        out = watch.run(value, lasted)
        lasted = out[f"{monitor.event}_ticks"]
        told.append(out[monitor.event])
    return told


def test_a_threshold_has_two_sides() -> None:
    force = [0.0, 1.4, 1.5, 1.0, 0.31, 0.3, 1.0, 2.0]
    assert seen_by(Threshold("contact", "force", "above", 1.5, 0.3), force) == [0, 0, 1, 1, 1, 0, 0, 1]
    below = Threshold("within", "r", "below", 0.95, 1.0, otherwise="out")
    assert seen_by(below, [2.0, 0.96, 0.95, 0.99, 1.0, 0.97, 0.9]) == [0, 0, 1, 1, 0, 0, 1]
    out = below.computation().run(0.5, 0.0)
    assert (out.within, out.out, below.events) == (1.0, 0.0, ("within", "out"))


def test_noise_at_one_threshold_chatters_and_at_two_it_does_not() -> None:
    """A tube of 10 mm, entered at 0.95 of it (a lazy controller's trap): noise of 0.05 mm flips one side many times."""
    rng = np.random.default_rng(0)
    r = 12.0 - np.linspace(0, 4.0, trials(2000)) + rng.normal(0, 0.05, trials(2000))
    one_side = np.count_nonzero(np.diff(r <= 10.0))
    told = seen_by(Threshold("within", "r", "below", 9.5, 10.0, unit="mm"), r)
    assert one_side > 5
    assert np.count_nonzero(np.diff(told)) == 1


def test_what_is_held_must_last() -> None:
    lost = Threshold("lost", "force", "below", 0.3, 0.5, held=0.02, dt=0.01)
    assert seen_by(lost, [0.2, 0.4, 0.6, 0.2, 0.2, 0.4, 0.1, 0.6]) == [0, 0, 0, 0, 0, 1, 1, 0]


def test_a_threshold_that_noise_passes_is_refused() -> None:
    Threshold("contact", "force", "above", 5.0, 1.0, sigma=1.0)
    with pytest.raises(mc.Error, match=r"enter=4.9 is 4.9 sigma from rest=0.*give 5 sigma, 5 N, or filter"):
        Threshold("contact", "force", "above", 4.9, 1.0, sigma=1.0, unit="N")
    with pytest.raises(mc.Error, match="sigma from rest=3"):
        Threshold("contact", "force", "above", 5.0, 1.0, sigma=1.0, rest=3.0)


def nearest_to_limits(delay: int) -> float:
    """Joints pushed about with all they have until the event, or so many ticks longer, then braked; exact motion."""
    rng, dt, lanes = np.random.default_rng(0), 0.01, trials(800)
    lower, upper, a = [-1.0, -0.5, -np.inf], [1.0, 2.0, 0.7], np.array([4.0, 10.0, 1.0])
    watch = Braking("joint_limit", lower, upper, a, dt).computation()
    q, v, since = np.zeros((lanes, 3)), np.zeros((lanes, 3)), np.zeros(lanes)
    push, nearest = rng.choice([-1.0, 1.0], (lanes, 3)), np.inf
    for _ in range(200):
        since += (watch.batch(q, v, threads=1) > 0) | (since > 0)
        push = np.where(rng.random(push.shape) < 0.03, -push, push)
        wanted = np.where(since[:, None] > delay, np.clip(-v / dt, -a, a), push * a)
        # where it turns within the tick, its extreme is there
        turning = np.where(v * wanted < 0, np.clip(-v / np.where(wanted == 0, 1.0, wanted), 0, dt), dt)
        for time in (turning, dt):
            position = q + v * time + 0.5 * wanted * time**2
            nearest = np.minimum(nearest, np.minimum(position - lower, upper - position))
        q, v = q + v * dt + 0.5 * wanted * dt**2, v + wanted * dt
    assert np.mean(since > 0) > 0.9
    return np.min(nearest)


def test_brakes_at_the_event_stop_a_joint_before_its_limit_and_a_tick_later_they_do_not() -> None:
    assert 0 <= nearest_to_limits(delay=0) < 0.01
    assert nearest_to_limits(delay=1) < 0


def test_a_kept_velocity_needs_v_dt_and_v_squared_over_twice_the_brakes() -> None:
    guard = Braking("limit", [-1.0], [1.0], [5.0], 0.1, meanwhile=[0.0])
    q, v = np.random.default_rng(0).uniform((-1, -2), (1, 2), (200, 2)).T
    distance = np.abs(v) * 0.1 + v**2 / 10
    expected = np.where(v > 0, q + distance >= 1, q - distance <= -1)
    np.testing.assert_array_equal(guard.computation().batch(q[:, None], v[:, None]), expected)


def test_time_passes_and_begins_anew() -> None:
    timer = resettable(Elapsed("timeout", 0.003, 0.001).computation(), "timeout_ticks")
    passed, told = 0.0, []
    for reset in (0, 0, 0, 0, 1, 0, 0):
        out = timer.run(passed, reset)
        passed = out.timeout_ticks
        told.append(out.timeout)
    assert told == [0, 0, 1, 1, 0, 0, 1]


def test_monitors_are_where_a_machines_events_come_from() -> None:
    within, timeout = Threshold("within", "r", "below", 0.9, 1.0, otherwise="out"), Elapsed("timeout", 1.0, 0.1)
    rows = (Row("GO", "within", "IN"), Row("IN", "out", "GO"), Row("IN", "timeout", "END"), Row("GO", "timeout", "END"))
    machine = Machine(("GO", "IN", "END"), rows, (within, timeout), final="END")
    assert machine.events == ("within", "out", "timeout")
    with pytest.raises(mc.Error, match="nobody gives event 'timeout'"):
        Machine(("GO", "IN", "END"), rows, (within,), final="END")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Threshold("c", "f", "above", 1.0, 1.0), "leave=1 is not below enter=1; noise at one threshold"),
        (lambda: Threshold("c", "f", "below", 1.0, 0.9), "leave=0.9 is not above enter=1"),
        (lambda: Threshold("c", "f", "beside", 1.0, 0.9), "say 'above' or 'below'"),
        (lambda: Threshold("c", "f", "above", 1.0, 0.9, held=0.1), "how long is a tick"),
        (lambda: Threshold("c", "f", "above", 1.0, 0.9, otherwise="c"), "otherwise='c' is the event itself"),
        (lambda: Threshold("c", "f", "above", 1.0, 0.9, sigma=-1.0), "sigma=-1.0; give a number ≥ 0"),
        (lambda: Braking("b", [0.0], [1.0, 2.0], [1.0], 0.1), "upper: there are 1 of lower, 2 of upper"),
        (lambda: Braking("b", [0.0], [1.0], [0.0], 0.1), "brakes need > 0"),
        (lambda: Braking("b", [0.0], [0.01], [10.0], 0.1), "no room to brake in even from rest"),
        (lambda: Braking("b", [1.0], [0.0], [10.0], 0.001), "no room to brake"),
        (lambda: Elapsed("t", 0.0, 0.1), "after=0.0; give seconds > 0"),
        (lambda: Elapsed("t", 1.0, 0.1).computation(precision="half"), "precision='half'"),
    ],
)
def test_a_monitor_that_makes_no_sense_is_refused(make, sentence: str) -> None:
    with pytest.raises(mc.Error, match=sentence):
        make()
