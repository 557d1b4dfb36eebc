"""Limited trajectories: limits, arrival, rest, least time, targets that change in motion, axes that arrive together."""

import numpy as np
import pytest
from scipy.optimize import linprog

import motionc as mc
from motionc.control import DoubleS, Ramp, Trapezoid
from rows import row
from trials import trials

DT, V, A = 0.01, np.array([1.0, 2.0, 0.6]), np.array([2.0, 1.5, 4.0])


def textbook(distance: float, most: float, change: float, time: np.ndarray) -> np.ndarray:
    """Where a trapezoid from rest to rest is, phase by phase; a triangle where there is no cruise."""
    peak = min(most, np.sqrt(distance * change))
    up, cruise = peak / change, (distance - peak**2 / change) / peak
    end = 2 * up + cruise
    rising = 0.5 * change * np.minimum(time, up) ** 2
    steady = peak * np.clip(time - up, 0, cruise)
    left = np.clip(end - time, 0, up)
    return rising + steady + 0.5 * change * (up**2 - left**2) * (time > up + cruise)


@row("itasc", 35)
@pytest.mark.parametrize("distance", [1.703, 0.2, 1e-7, 0.0])
def test_from_rest_it_is_the_textbooks_trapezoid_or_triangle_and_rests_at_the_target(distance: float) -> None:
    way = Trapezoid(1.0, 2.0, DT).computation()
    state, positions, arrived = way.start(), [], []
    for _ in range(250):
        out = way([-distance], state=state)
        state = out.state
        positions.append(out.position[0])
        arrived.append(out.arrived)
    time = DT * np.arange(1, 251)
    expected = textbook(distance, 1.0, 2.0, time) if distance else 0 * time
    np.testing.assert_allclose(np.array(positions), -expected, rtol=0, atol=1e-13)
    end = 2 * np.sqrt(distance / 2) if distance < 0.5 else distance + 0.5
    np.testing.assert_array_equal(np.array(arrived) > 0, time >= end - 1e-12)
    assert (state.position[0], state.velocity[0]) == (-distance, 0.0)


@row("itasc", 35)
@pytest.mark.parametrize("synchronised", [False, True])
def test_targets_that_change_in_motion_are_reached_within_limits_and_without_passing_them(synchronised: bool) -> None:
    way = Trapezoid(V, A, DT, synchronised=synchronised).computation()
    rng, lanes = np.random.default_rng(0), trials(1200)
    p, v, target = np.zeros((3, lanes, 3))
    for tick in range(320):
        changed = rng.random((lanes, 1)) < (0.05 if tick < 100 else 0.0)
        target = np.where(changed, rng.uniform(-0.5, 0.5, (lanes, 3)) * rng.choice([1, 1e-2, 1e-7], (lanes, 1)), target)
        out = way.batch(target, p, v, threads=1)
        assert np.all(np.abs(out.velocity) <= V * (1 + 1e-14))
        assert np.all(np.abs(out.velocity - v) <= A * DT * (1 + 1e-12))
        # the way is one that has these velocities: none of its parts is beyond them either
        assert np.all(np.abs(out.position - p - 0.5 * (v + out.velocity) * DT) <= 0.25 * A * DT**2 * (1 + 1e-9))
        # who can stop before the target does not pass it
        towards = np.sign(target - p)
        can_stop = (towards * v >= 0) & (np.abs(target - p) >= v**2 / (2 * A) - 1e-14)
        assert np.max(np.where(can_stop, towards * (out.position - target), 0)) <= 1e-15
        p, v = out.position, out.velocity
    np.testing.assert_array_equal(p, target)
    np.testing.assert_array_equal(v, 0.0)
    assert np.all(out.arrived == 1.0)


def farthest(time: float, velocity: float, most: float, change: float, steps: int = 100) -> float:
    """The farthest an axis comes to rest after some time, by linear programming on steps of constant acceleration."""
    h = time / steps
    speeds = np.tril(np.full((steps, steps), h))
    ways = np.array([h * h * (steps - k - 0.5) for k in range(steps)])
    found = linprog(
        -ways,
        A_ub=np.vstack([speeds, -speeds]),
        b_ub=np.concatenate([np.full(steps, most - velocity), np.full(steps, most + velocity)]),
        A_eq=speeds[-1:],
        b_eq=[-velocity],
        bounds=[(-change, change)] * steps,
    )
    return -found.fun + velocity * time if found.status == 0 else -np.inf


@row("itasc", 35)
def test_no_way_within_the_limits_is_faster() -> None:
    """Against SciPy: in two hundredths less time nobody comes as far, in two hundredths more somebody does."""
    way, rng = Trapezoid(1.0, 2.0, 1e-9).computation(), np.random.default_rng(1)
    for _ in range(trials(20)):
        velocity = rng.uniform(-1, 1)
        target = velocity * abs(velocity) / 4 + rng.uniform(0.02, 1.5)
        time = way([target], [0.0], [velocity]).remaining
        assert farthest(0.98 * time, velocity, 1.0, 2.0) < target < farthest(1.02 * time, velocity, 1.0, 2.0)


def test_synchronised_axes_arrive_in_the_tick_in_which_the_slowest_does() -> None:
    alone, together = (Trapezoid(V, A, DT, synchronised=how).computation() for how in (False, True))
    rng, lanes = np.random.default_rng(2), trials(400)
    target, p, v = rng.uniform(-1, 1, (lanes, 3)), rng.uniform(-1, 1, (lanes, 3)), rng.uniform(-0.3, 0.3, (lanes, 3))
    first = alone.batch(target, p, v).remaining
    np.testing.assert_allclose(together.batch(target, p, v).remaining, first, rtol=0, atol=1e-9)
    moving = np.zeros((lanes, 3))
    for tick in range(420):
        out = together.batch(target, p, v, threads=1)
        p, v = out.position, out.velocity
        moving = np.where(np.abs(target - p) > 1e-6, tick + 1, moving)
    ends = np.ceil(first / DT)
    assert np.all(out.arrived == 1.0)
    # seen as still on its way until shortly before: the last 1e-6 of a way take a few ticks
    assert np.mean(ends[:, None] - moving) < 6
    assert np.max(moving - ends[:, None]) <= 0


def test_a_limited_jerk_keeps_all_limits_and_arrives() -> None:
    most, change, jerk = np.array([1.0, 0.8]), np.array([2.0, 4.0]), np.array([80.0, 200.0])
    smooth = DoubleS(most, change, jerk, DT)
    assert smooth.window == 5
    way, rng, lanes = smooth.computation(), np.random.default_rng(3), trials(160)
    start = rng.uniform(-0.2, 0.2, 2)
    state = {name: np.tile(value, (lanes, *[1] * value.ndim)) for name, value in smooth.at(start).items()}
    p, v, a, target = np.tile(start, (lanes, 1)), *np.zeros((3, lanes, 2))
    for tick in range(280):
        changed = rng.random((lanes, 1)) < (0.05 if tick < 100 else 0.0)
        target = np.where(changed, rng.uniform(-0.4, 0.4, (lanes, 2)), target)
        out = way.batch(target=target, state=state, threads=1)
        state = out.state
        assert np.all(np.abs(out.velocity) <= most * (1 + 1e-12))
        assert np.all(np.abs(out.acceleration) <= change * (1 + 1e-12))
        assert np.all(np.abs(out.acceleration - a) <= jerk * DT * (1 + 1e-9))
        np.testing.assert_allclose(out.velocity - v, out.acceleration * DT, rtol=0, atol=1e-13)
        assert np.all(np.abs(out.position - p - 0.5 * (v + out.velocity) * DT) <= 0.25 * change * DT**2 * (1 + 1e-9))
        p, v, a = out.position, out.velocity, out.acceleration
    np.testing.assert_array_equal(p, target)
    np.testing.assert_array_equal(v, 0.0)
    assert np.all(out.arrived == 1.0)


def test_a_ramp_follows_no_faster_than_its_rate() -> None:
    ramp, rng = Ramp([0.5, 3.0], DT).computation(), np.random.default_rng(4)
    value = np.zeros(2)
    for _ in range(50):
        target = rng.normal(size=2) * 0.05
        out = ramp.run(target, value)
        np.testing.assert_allclose(
            out.value, value + np.clip(target - value, [-0.005, -0.03], [0.005, 0.03]), atol=1e-16
        )
        assert out.arrived == np.all(out.value == target)
        value = out.value


def test_single_precision_and_stepwise_are_the_same_way() -> None:
    trapezoid, rng = Trapezoid(V, A, DT, synchronised=True), np.random.default_rng(5)
    double, single = trapezoid.computation(), trapezoid.computation(precision="single")
    for target, p, v in rng.uniform(-0.3, 0.3, (trials(40), 3, 3)):
        expected = double.run(target, p, v)
        np.testing.assert_allclose(double(target, p, v).position, expected.position, rtol=0, atol=1e-15)
        np.testing.assert_allclose(single(target, p, v).position, expected.position, rtol=0, atol=2e-5)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Trapezoid([1.0, 0.0], [1.0, 1.0], DT), "velocity=.*one number > 0 an axis"),
        (lambda: Trapezoid([1.0, 2.0], [1.0], DT), "acceleration: there are 2 of velocity, 1 of acceleration"),
        (lambda: Trapezoid(1.0, 1.0, 0.0), "dt=0.0; give seconds > 0"),
        (lambda: Trapezoid(1.0, 1.0, DT, synchronised=1), "say True or False"),
        (lambda: DoubleS(1.0, 1.0, 1e6, DT), "over 1 ticks.*or take a Trapezoid"),
        (lambda: DoubleS(1.0, 1.0, 1e-6, DT), "over 200000000 ticks"),
        (lambda: DoubleS(1.0, 1.0, 10.0, DT).at([1.0, 2.0]), "position=.*one number an axis"),
        (lambda: Ramp("fast", DT), "rate=.*fast"),
    ],
)
def test_a_trajectory_without_limits_is_refused(make, sentence: str) -> None:
    with pytest.raises(mc.Error, match=sentence):
        make()
