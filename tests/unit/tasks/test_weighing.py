"""What weighs in a lazy cycle, part by part: averages, the reference, what begins anew, what is carried."""

from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.control.weighing import CONVERGED
from motionc.program.port import Port
from motionc.tasks import Goal, Hold, Move, Orientation, Speed, Tube, Weighing
from motionc.tasks.weighing import NEVER, WEIGHED, Averages, Carrying, Falling, Loading, Referring

HOLD = Hold("link_7", "T", position=Tube(1e-4), orientation=Orientation(2e-4))


def ran(computation: mc.Computation, **given: Any) -> Any:
    return computation.run(*(given[port.name] for port in computation.inputs))


def test_means_are_of_whole_periods_behind_what_has_settled() -> None:
    """Two cycles are left out, then three make a mean; before it no gain is small."""
    average = Averages(("x",), 2, 3).computation()
    state = dict(average.start().items())
    commands, seen = [9.0, 9.0, 1.0, 2.0, 6.0, 4.0, 5.0, 3.0], list[tuple[float, float]]()
    for command in commands:
        out = ran(average, command_x=command, gain_x=0.1 * command, **state)
        seen.append((float(out.bias[0]), float(out.gain[0])))
        state = {port.name: out[port.name] for port in average.states}
    np.testing.assert_allclose(seen, [(0.0, NEVER)] * 4 + [(3.0, 0.3)] * 3 + [(4.0, 0.4)], rtol=1e-12)


def test_the_reference_is_kept_without_a_load_and_wanted_before_one_is_weighed() -> None:
    refer = Referring(1).computation()

    def told(converged: float, loaded: float, known: float) -> tuple[float, float, float]:
        given = {CONVERGED: converged, "settled_bias": [0.7], "loaded": loaded, "reference": [0.2], "referenced": known}
        out = ran(refer, **given)
        return float(out.reference[0]), float(out.referenced), float(out[WEIGHED])

    assert told(1.0, 0.0, 0.0) == (0.7, 1.0, 0.0)
    assert told(0.0, 0.0, 0.0) == (0.2, 0.0, 0.0)
    assert told(1.0, 1.0, 1.0) == (0.2, 1.0, 1.0)
    assert told(1.0, 1.0, 0.0) == (0.2, 0.0, 0.0)


def test_signals_settle_anew_where_something_is_taken_or_let_go() -> None:
    loading = Loading().computation()
    for now, before, anew in ((0.0, 0.0, 0.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0), (0.0, 1.0, 1.0)):
        out = loading.run(now, before)
        assert {float(out[port.name]) for port in loading.outputs if port.name.startswith("reset_")} == {anew}


def test_the_tool_sees_free_fall_as_its_frame_does_and_carries_what_it_holds() -> None:
    T = Port("T", (4, 4), "m, 1", "task frame")
    fall = Falling(T).computation().run(mc.placed((1, 2, 3), (np.pi / 2, 0, 0)))
    np.testing.assert_allclose(fall.gravity, (0, -9.81, 0), atol=1e-12)
    carry = Carrying(Port("f_ext", (1, 6), "N m, N", "on the tool")).computation()
    wrench = np.arange(6.0)
    np.testing.assert_array_equal([carry.run(wrench, 1.0)[0], carry.run(wrench, 0.0)[0]], [wrench, 0 * wrench])


def test_a_load_that_is_known_needs_no_command() -> None:
    """Held still with 1 kg the cycle knows of, motors hold it at once: forward dynamics with the load stands still."""
    robot, q = mc.load("lwr4"), np.array([0.3, 0.6, -0.2, -1.5, 0.4, 0.8, 0.1])
    cycle = mc.tasks.lazy(robot, HOLD, rate=630, weigh=Weighing())
    T, arm = mc.forward_kinematics(robot, "link_7").run(q)[0], np.array([0.02, -0.01, 0.08])
    g = T[:3, :3].T @ (0, 0, -9.81)
    start = dict(cycle.start().items()) | {"f_before": np.concatenate([np.cross(arm, g), g])}
    out = ran(cycle, q=q, v=np.zeros(7), T=T, loaded=1.0, **start)
    held = mc.forward_dynamics(robot, parameters=["link_7.payload"])
    load = np.array([1.0, *arm, *[0.0] * 6])
    motion = mc.frame_motion(robot, "link_7", outputs=["classical"])
    a = ran(held, **{"q": q, "v": np.zeros(7), "tau": out.tau, "link_7.payload": load})
    np.testing.assert_allclose(motion.run(q, np.zeros(7), a)[0], 0.0, atol=1e-9)
    # and nothing is known of it before it is there
    empty = ran(cycle, q=q, v=np.zeros(7), T=T, loaded=0.0, **start)
    assert np.abs(empty.tau - out.tau).max() > 1.0


def test_what_does_not_hold_all_six_directions_cannot_weigh() -> None:
    task = Move("link_7", "T", x=Speed(0.1, 0.01), y=Tube(0.1), until=[Goal(0.1)])
    with pytest.raises(mc.Error, match="all six directions"):
        mc.tasks.lazy(mc.load("lwr4"), task, rate=630, weigh=Weighing())


@pytest.mark.parametrize("what", ["settle", "period", "window", "tolerance", "gain"])
def test_numbers_of_weighing_are_positive(what: str) -> None:
    with pytest.raises(mc.Error, match=f"Weighing: {what}"):
        Weighing(**{what: 0.0})
