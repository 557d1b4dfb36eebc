"""The stop policy tick by tick: latched once, held by springs and weight, nothing that is no number."""

import numpy as np
import pytest

import motionc as mc
from motionc.control import Stop

EFFORT = np.array([176, 176, 100, 100, 100, 30, 30])
Q, V, G = np.linspace(-0.3, 0.3, 7), np.linspace(0.1, -0.2, 7), np.linspace(5.0, 2.0, 7)
TOLD = np.linspace(-40.0, 40.0, 7)


@pytest.fixture(scope="module")
def stop() -> mc.Computation:
    return Stop().computation(mc.load("lwr4"))


def ticked(stop, before=None, **given):
    state = {"stop_posture": np.zeros(7), "stop_held": 0.0}
    if before is not None:
        state = {name: before[name] for name in state}
    given = {"q": Q, "v": V, "g": G, "tau_running": TOLD, "stopped": 0.0} | state | given
    return stop.run(*(given[port.name] for port in stop.inputs))


def test_while_it_runs_nothing_is_changed(stop) -> None:
    out = ticked(stop)
    assert np.all(out.tau == TOLD)
    assert np.all(out.v_command == V)
    assert (out.running, out.unsound, out.stop_held) == (1.0, 0.0, 0.0)


def test_the_posture_is_that_of_the_first_stopped_tick_and_of_no_other(stop) -> None:
    first = ticked(stop, ticked(stop, q=Q - 1.0), stopped=1.0)
    assert first.tau == pytest.approx(G - 0.3 * EFFORT * V, abs=1e-12)
    second = ticked(stop, first, q=Q + 0.01, stopped=1.0)
    assert second.tau == pytest.approx(G - EFFORT * 0.01 - 0.3 * EFFORT * V, abs=1e-12)
    assert np.all(second.v_command == 0.0)
    again = ticked(stop, ticked(stop, second, q=Q + 0.02), q=Q + 0.03, stopped=1.0)
    assert np.all(again.stop_posture == Q + 0.03)


def test_a_cycle_that_begins_stopped_holds_where_it_is(stop) -> None:
    assert ticked(stop, stopped=1.0, v=0 * V).tau == pytest.approx(G, abs=1e-12)


def test_a_command_that_is_no_number_stops_by_itself(stop) -> None:
    broken = TOLD.copy()
    broken[3] = np.nan
    out = ticked(stop, tau_running=broken)
    assert out.tau == pytest.approx(G - 0.3 * EFFORT * V, abs=1e-12)
    assert (out.unsound, out.running, out.stop_held) == (1.0, 0.0, 1.0)
    assert np.all(ticked(stop, out, q=Q + 0.1, tau_running=broken).stop_posture == Q)


def test_velocity_drives_are_told_to_stand_still() -> None:
    still = Stop("velocity").computation(mc.load("lwr4"))
    assert [port.name for port in still.inputs] == ["v_running", "stopped"]
    assert np.all(still.run(V, 0.0).v_command == V)
    for told, stopped in ((V, 1.0), (np.full(7, np.nan), 0.0)):
        assert np.all(still.run(told, stopped).v_command == 0.0)


def test_what_is_no_interface_is_refused() -> None:
    with pytest.raises(mc.Error, match="velocity"):
        Stop("position")
    with pytest.raises(mc.Error, match="does not say the effort of"):
        Stop().computation(mc.load("planar2"))


def test_springs_and_dampers_that_nobody_said_are_no_stronger_than_joints_bear() -> None:
    ur5, lwr4, held = mc.load("ur5"), mc.load("lwr4"), 2 / 630
    stop = Stop().borne_by(ur5, held)
    assert mc.control.stability_note(ur5, stop.stiffness, stop.damping, held) is None
    assert mc.control.stability_note(ur5, ur5.limits.effort, 0.3 * ur5.limits.effort, held) is not None
    assert Stop().borne_by(lwr4, held) == Stop(stiffness=tuple(EFFORT), damping=tuple(0.3 * EFFORT))
    for said in (Stop(stiffness=1e6, damping=1e3), Stop("velocity")):
        assert said.borne_by(ur5, held) == said
