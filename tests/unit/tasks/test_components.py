"""Components of a task and what switches its loops: ports and events against the table, a trace against motion."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.program.wiring import Wiring
from motionc.tasks.components import Component, Components, loops_in, traced
from motionc.tasks.nominal import Nominal
from rows import row

RATE = 630
START = np.array([0.3, 0.6, 0.0, -1.4, 0.0, 0.9, 0.0])


@pytest.fixture(scope="module")
def arm() -> mc.Robot:
    return mc.load("lwr4")


@pytest.fixture(scope="module")
def task() -> mc.tasks.Move:
    speed, tube = mc.tasks.Speed(0.1, 0.01), mc.tasks.Tube(0.01)
    until = [mc.tasks.Goal(0.02), mc.tasks.Timeout(6.0)]
    return mc.tasks.Move("link_7", "T", x=speed, y=tube, z=tube, until=until, name="reach")


@pytest.fixture(scope="module")
def cycle(arm: mc.Robot, task: mc.tasks.Move) -> mc.tasks.LazyCycle:
    return mc.tasks.lazy(arm, task, rate=RATE, horizon=0.5)


@pytest.fixture(scope="module")
def frame(arm: mc.Robot) -> Any:
    """0.15 m ahead of the tool along x of the world, 2 cm beside it."""
    there = np.eye(4)
    there[:3, 3] = mc.forward_kinematics(arm, "link_7").run(START)[0, :3, 3] + np.array([0.15, 0.02, 0.0])
    return there


@pytest.fixture(scope="module")
def run(arm: mc.Robot, cycle: mc.tasks.LazyCycle, frame: Any) -> Any:
    plant = mc.simulate.Plant(arm, 1 / RATE)
    loop = mc.simulate.closed(plant, cycle, log=["mode", "events", "q", "v"])
    return loop({"q": START, "v": np.zeros(7)}, T=frame, seconds=4.0)


@pytest.fixture(scope="module")
def trace(cycle: mc.tasks.LazyCycle, run: Any) -> Any:
    return cycle.trace(run.times["mode"], run.mode, run.events)


@row("motion-stack", 40)
def test_parts_list_typed_ports_and_every_event_of_the_machine_has_one_who_raises_it(cycle: Any) -> None:
    parts = {one.name: one for one in cycle.parts.components}
    assert [*parts] == [*cycle.parts]
    raised = Counter(event for one in parts.values() for event in one.raises)
    assert set(parts["machine"].awaits) == set(cycle.machine.events)
    for event in parts["machine"].awaits:
        assert raised[event] == 1
        giver, _, port = cycle.parts.giver("machine", event).partition(".")
        assert port == event
        assert event in parts[giver].raises
    (speed,) = (port for port in parts["look"].outputs if port.name == "velocity")
    assert (speed.shape, speed.unit) == ((3,), "m/s")
    assert cycle.parts.giver("look", "q") == "outside"
    assert cycle.parts.readers("ask", "b") == ("dynamics.b",)
    assert [port.name for port in parts["abag_y"].states] == ["filtered_y", "bias_y", "gain_y"]


@row("motion-stack", 40)
def test_the_listing_says_who_gives_what_to_whom(cycle: Any) -> None:
    lines = [line.split() for line in str(cycle.parts).splitlines()]
    assert ["raises", "goal_area", "number", "machine.goal_area,", "tell.goal_area"] in lines
    assert any(line[:5] == ["abag_x", "in", "error_x", "number", "various"] for line in lines)
    assert any(line[:4] == ["out", "velocity", "3", "m/s"] for line in lines)
    assert cycle.parts._repr_html_().count("<tr>") == len(lines)


@row("motion-stack", 40)
def test_a_part_is_not_fed_what_means_something_else(arm: mc.Robot, cycle: Any, task: Any) -> None:
    """A pose of one frame to a port of another's, a velocity to a port of a position."""
    nominal = Nominal(task, 1 / RATE).computation()
    with pytest.raises(mc.Error, match=r"link_6.*link_7|link_7.*link_6"):
        mc.wired([mc.forward_kinematics(arm, "link_6"), nominal])
    wrong = {name: cycle.parts[name] for name in ("look", "measure")}
    with pytest.raises(mc.Error, match="m/s"):
        mc.wired(wrong, feeds={"measure.position": "look.velocity"})


@row("motion-stack", 40)
def test_a_trace_shows_loops_switched_by_events(trace: Any) -> None:
    said = [(one.events, one.before, one.after) for one in trace]
    assert said == [
        (("initialized", "out_of_goal_area"), "STOP_MOTION", "START_TO_CRUISE"),
        (("within_tube",), "START_TO_CRUISE", "CRUISE_THROUGH_TUBE"),
        (("goal_area",), "CRUISE_THROUGH_TUBE", "STOP_MOTION"),
    ]
    begun, entered, stopped = trace
    assert begun.off == ("stop",)
    assert set(begun.on) == {"abag_x", "abag_y", "abag_z", "rest"}
    assert entered.on == {
        "abag_x": "the speed along x",
        "abag_y": "the tube along y",
        "abag_z": "the tube along z",
    }
    assert stopped.off == ("abag_x", "abag_y", "abag_z", "rest")
    assert "within_tube: START_TO_CRUISE → CRUISE_THROUGH_TUBE; abag_x keeps the speed along x" in str(trace)


@row("motion-stack", 40)
def test_loops_of_a_trace_are_those_by_which_the_tool_really_moves(arm: Any, run: Any, trace: Any, frame: Any) -> None:
    """At rest along x, then at its speed, then held; switched where the tool is, by forward kinematics."""
    places = mc.forward_kinematics(arm, "link_7").batch(run.q)[:, 0, :3, 3]
    beside, time = (places - frame[:3, 3]) @ frame[:3, :3], run.times["q"]
    along = np.gradient(beside[:, 0], time)
    _, entered, stopped = (one.time for one in trace)
    inside = time[np.argmax(np.abs(beside[:, 1:]).max(axis=1) <= 0.95 * 0.01)]
    assert entered == pytest.approx(inside, abs=2 / RATE)
    assert stopped == pytest.approx(time[np.argmax(-beside[:, 0] <= 0.02)], abs=2 / RATE)
    started, cruised = (time > 0.1) & (time < entered), (time > entered + 0.2) & (time < stopped)
    assert np.abs(along[started]).max() < 0.02
    assert np.abs(along[cruised] - 0.1).max() < 0.02
    assert np.abs(along[time > stopped + 1.0]).max() < 0.005


def test_what_a_run_did_that_its_machine_does_not_is_refused(cycle: Any, task: Any) -> None:
    with pytest.raises(mc.Error, match="no row of the machine"):
        traced(task, cycle.machine, [0.1, 0.2], [0, 2], [(), ()])
    with pytest.raises(mc.Error, match="one lane"):
        traced(task, cycle.machine, [0.1, 0.2], [0], [()])


def test_loops_of_forces_are_told_apart_from_the_approach() -> None:
    surface = mc.tasks.Move(
        "pad",
        "T",
        x=mc.tasks.Speed(0.03, 0.003),
        y=mc.tasks.Tube(0.07),
        z=mc.tasks.Force(5.0, 0.5),
        force_frame="pad",
        approach=mc.tasks.Approach(mc.tasks.Speed(0.02, 0.005), 1.0),
        until=[mc.tasks.Goal(0.01)],
    )
    assert loops_in(surface, "APPROACH_SURFACE") == {
        "abag_x": "rest along x",
        "abag_y": "rest along y",
        "abag_z": "the approach along z",
        "rest": "what the task leaves free",
    }
    assert loops_in(surface, "CRUISE_THROUGH_TUBE")["abag_z"] == "the force along z"
    assert loops_in(surface, "STOP_MOTION") == {"stop": "the posture in which it stopped"}


def test_what_is_tolerated_is_told_of_each_mode() -> None:
    """On a surface tubes of orientation are kept while nothing moves across; a hold has tubes in all directions."""
    move, tube, turned = mc.tasks.Move, mc.tasks.Tube(0.01), mc.tasks.Orientation(0.1)
    both = move("tool", "T", y=tube, z=mc.tasks.Force(5.0, 0.5), az=mc.tasks.Angle(0.2, 0.1), force_frame="tool")
    assert loops_in(both, "ALIGN_WITH_SURFACE") == {
        "abag_y": "rest along y",
        "abag_az": "the tube along az",
        "abag_z": "the force along z",
        "rest": "what the task leaves free",
    }
    hold = mc.tasks.Hold("tool", "T", position=tube, orientation=turned)
    assert loops_in(hold, "CRUISE_THROUGH_TUBE")["abag_x"] == "the tube along x"
    assert loops_in(hold, "START_TO_CRUISE")["abag_x"] == "the middle of the tube along x"


def test_who_reads_a_port_is_told_by_its_part_too() -> None:
    port = mc.Port("near", (), "m", "how near")
    parts = {name: mc.block(name, lambda near: {"near": near}, [port], [port]) for name in ("first", "second", "third")}
    chain = Components(
        parts, Wiring("chain", parts, {("second", "near"): ("first", "near"), ("third", "near"): ("second", "near")})
    )
    assert (chain.readers("first", "near"), chain.readers("second", "near")) == (("second.near",), ("third.near",))
    assert (chain.giver("third", "near"), chain.giver("first", "near")) == ("second.near", "outside")


def test_a_component_tells_events_from_other_ports() -> None:
    watch = mc.control.Threshold("near", "distance", "below", 0.1, 0.2, unit="m").computation()
    found = Component.of("watch", watch.inputs, watch.outputs)
    assert (found.raises, found.awaits) == (("near",), ())
    assert [port.name for port in (*found.inputs, *found.states)] == ["distance", "near_ticks"]
