"""Safety monitors as data: bounds with two sides, readings that are none, clocks; and what a robot's are."""

import numpy as np
import pytest

import motionc as mc
from motionc.control import Bounds, Braking, Coupling, Late, Machine, Row, Sound, guards, to_stop

NAN = float("nan")


def seen_by(monitor, signals) -> list[float]:
    watch, lasted, told = monitor.computation(), 0.0, []
    for signal in signals:
        out = watch.run(signal, lasted)
        lasted = out[f"{monitor.event}_ticks"]
        told.append(out[monitor.event])
    return told


def test_bounds_are_of_each_entry_on_both_sides_and_over_below_a_share() -> None:
    fast = Bounds("too_fast", "v", [2.0, np.inf, 4.0], back=0.9)
    signals = [[1.9, 99, 3.9], [-2.0, 0, 0], [1.85, 0, 0], [0, 0, -3.65], [1.79, 0, 3.59], [0, 0, -4.0]]
    assert seen_by(fast, signals) == [0, 1, 1, 1, 0, 1]


def test_bounds_may_have_to_be_passed_for_a_while() -> None:
    load = Bounds("overload", "tau", [10.0], held=0.002, dt=0.001)
    assert seen_by(load, [[11], [11], [0], [11], [11], [12], [0]]) == [0, 0, 0, 0, 0, 1, 0]


def test_bounds_that_noise_passes_are_refused() -> None:
    Bounds("contact", "wrench", [1.0, 5.0], sigma=[0.2, 1.0])
    with pytest.raises(mc.Error, match=r"entry 1 may be 5 N, 4\.2 sigma of its noise.*5 sigma, 6, or filter it"):
        Bounds("contact", "wrench", [1.0, 5.0], sigma=[0.2, 1.2], unit="N")
    for most, said in (([], "number > 0"), ([np.inf], "finite"), ([-1.0], "number > 0")):
        with pytest.raises(mc.Error, match=said):
            Bounds("contact", "wrench", most)


@pytest.mark.parametrize("bad", [NAN, np.inf, -np.inf, 1e15])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_is_no_number_is_replaced_in_the_same_tick(bad: float, place: int) -> None:
    """Compiled, too: a comparison with what is no number is false."""
    q, v = mc.Port("q", (2,), "rad", "places"), mc.Port("v", (1,), "rad/s", "rates")
    watch = Sound("lost", [q], [v]).computation()
    last = np.array([0.1, 0.2])
    read = np.array([0.3, -0.4, 0.5])
    good = watch(read[:2], read[2:], last)
    assert (good.lost, *good.q_sound, *good.v_sound, *good.q_last) == (0.0, 0.3, -0.4, 0.5, 0.3, -0.4)
    read[place] = bad
    for out in (watch(read[:2], read[2:], last), watch.run(read[:2], read[2:], last)):
        assert (out.lost, *out.q_sound, *out.v_sound, *out.q_last) == (1.0, 0.1, 0.2, 0.0, 0.1, 0.2)


def test_readings_grow_old() -> None:
    watch = Sound("lost", [mc.Port("q", (), "rad", "…")], [], age=0.01).computation()
    assert [watch.run(0.7, 5.0, stamp, 0.2).lost for stamp in (5.0, 4.991, 4.989)] == [0, 0, 1]
    assert watch.run(0.7, 5.0, 4.9, 0.2).q_sound == 0.2


def test_late_is_by_the_clock_and_never_the_first_cycle() -> None:
    watch, before, told = Late("late", 0.0021).computation(), None, []
    (before,) = [state.start[0] for state in watch.states]
    for clock in (1e6, 1e6 + 0.002, 1e6 + 0.0045, 1e6 + 0.0055):
        out = watch.run(clock, before)
        before, told = out.late_clock, [*told, out.late]
    assert told == [0, 0, 1, 0]


def test_guards_of_a_robot_stop_a_machine_each() -> None:
    robot = mc.load("lwr4")
    monitors = guards(robot, 1 / 630, 5.0, contact=[np.inf] * 3 + [5.0] * 3, inertia=[1e4] * 3, age=0.01)
    machine = Machine(("STOP", "RUN"), (*to_stop(monitors), Row("STOP", "go", "RUN")), (*monitors, "go"))
    events = [monitor.event for monitor in monitors]
    assert events == ["sensor_lost", "late", "joint_limit", "too_fast", "overload", "contact", "ill_conditioned"]
    assert all(machine.next("RUN", [event]).state == "STOP" for event in events)
    assert machine.next("RUN", []).state == "RUN"
    lower, upper = [*robot.limits.lower], [*robot.limits.upper]
    assert monitors[2] == Braking("joint_limit", lower, upper, [5.0] * 7, 2 / 630)
    assert guards(robot, 1 / 630, 5.0, react=0.1)[2] == Braking("joint_limit", lower, upper, [5.0] * 7, 0.1)
    # 33 + 2 + 133 + 28 + 28 + 16 + 19: what all of them add to a cycle of this arm
    assert sum(sum(monitor.computation().operations.values()) for monitor in monitors) <= 259


def test_what_is_said_of_guards_reaches_each_of_them() -> None:
    robot, dt, most = mc.load("lwr4"), 1e-3, [np.inf] * 3 + [5.0] * 3
    lost, late, _, fast, overload, contact = guards(
        robot, dt, 5.0, velocity=0.5, torque=0.8, overload=0.3, contact=most, sigma=0.2, late=3.0, age=0.01
    )
    assert isinstance(lost, Sound)
    assert lost.age == 0.01
    assert late == Late("late", 3e-3)
    limits = robot.limits
    assert fast == Bounds("too_fast", "v", (0.5 * limits.velocity).tolist(), unit="rad/s, m/s")
    assert overload == Bounds("overload", "tau", (0.8 * limits.effort).tolist(), held=0.3, dt=dt, unit="N m, N")
    assert contact == Bounds("contact", "wrench", most, sigma=0.2, unit="N m, N")
    with pytest.raises(mc.Error, match="sigma of its noise"):
        guards(robot, dt, 5.0, contact=most, sigma=2.0)


def test_rows_that_an_arm_cannot_move_along_are_ill_conditioned() -> None:
    """Stretched along a row and aslant to two, nearly and quite; the first pivot is the effective mass, (Λ)_xx."""
    robot = mc.load("lwr4")
    task = mc.constrained_dynamics(robot, [mc.Constraint("link_7", "xyz")], outputs=["coupling"])

    def coupling(*q: float) -> np.ndarray:
        return task.run(np.array(q), np.zeros(7), np.zeros(7), np.zeros(3))

    watch = Coupling("bad", [1e4] * 3).computation()
    bent, lean = coupling(0, 0.6, 0, 1.2, 0, 0.3, 0), 0.7
    assert watch.run(bent) == 0.0
    for small in (1e-3, 0.0):
        assert watch.run(coupling(0, small, 0, small, 0, small, 0)) == 1.0
        assert watch.run(coupling(0, lean, 0, small, 0, small, 0)) == 1.0
    heavy = np.linalg.inv(bent)[0, 0]
    assert [Coupling("bad", [most * heavy, 1e9, 1e9]).computation().run(bent) for most in (1.001, 0.999)] == [0.0, 1.0]


def test_joints_of_several_coordinates_are_not_guarded_by_one_number() -> None:
    with pytest.raises(mc.Error, match="has no single position"):
        guards(mc.load("lwr4", floating=True), 1e-3, 5.0)
