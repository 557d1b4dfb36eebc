"""The lazy cycle as one program: its size, every reading the same, sections swapped at once, how it stops."""

import pickle
import shutil
import subprocess
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path as Folder
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.control import Abag
from motionc.tasks import (
    Contact,
    Goal,
    Hold,
    LazyCycle,
    Monitor,
    Move,
    Orientation,
    Override,
    Path,
    Sine,
    Speed,
    Timeout,
    Tube,
)
from motionc.tasks.lazy_cycle import BEYOND
from rows import row
from tiers import needs_compiler

Array = np.ndarray[Any, np.dtype[np.float64]]
Q = np.array([0.2, 0.5, 0.1, -1.2, 0.3, 0.6, 0.0])
V = np.array([0.02, -0.01, 0.03, 0.01, -0.02, 0.01, 0.02])
REST = np.zeros(7)
TUBES = {"x": Speed(0.05, 0.005), "y": Tube(0.01), "z": Tube(0.01)}
ENDS = [Goal(0.03), Contact(0.5), Timeout(9.0)]
PREGRASP = Move("link_7", "T", **{**TUBES, "x": Speed(Sine(0.05, 0.12, 5.0), 0.005)}, until=ENDS, name="pregrasp")
STOP, START, CRUISE, TRANSITION = range(4)


@cache
def arm() -> mc.Robot:
    return mc.load("lwr4")


@cache
def tool() -> Array:
    return mc.forward_kinematics(arm(), "link_7").run(Q)[0]


def before(x: float, y: float = 0.0, z: float = 0.0) -> Array:
    """A task frame that the tool is so far before, and beside."""
    return tool() @ mc.placed((x, y, z))


@cache
def pregrasp(**how: Any) -> LazyCycle:
    return mc.tasks.lazy(arm(), PREGRASP, rate=630, **how)


def told(cycle: LazyCycle, state: Any = None, **given: Any) -> Any:
    """One cycle, step by step."""
    known = {"q": Q, "v": REST, "wrench": np.zeros(6), "time": 0.0, **given}
    carried = cycle.start() if state is None else {one.name: state[one.name] for one in cycle.states}
    names = {port.name for port in cycle.states}
    return cycle.run(*(carried[p.name] if p.name in names else known[p.name] for p in cycle.inputs))


# ---------------------------------------------------------------- size and readings


def test_a_cycle_is_no_larger_than_its_bars() -> None:
    hold = Hold("link_7", "T", position=Tube(0.002), orientation=Orientation(0.01))
    sizes = [
        (pregrasp(), 3000),
        (pregrasp(monitors="all"), 3400),
        (mc.tasks.lazy(arm(), hold, rate=630, horizon=0.5), 4500),
    ]
    for cycle, most in sizes:
        assert sum(cycle.operations.values()) <= most


def recorded(cycle: LazyCycle, cycles: int) -> list[Array]:
    """Inputs of a run: a tool that is carried into its tube and along it, every seventh cycle."""
    rng, state, found = np.random.default_rng(0), cycle.start(), []
    q, T, names = Q.copy(), before(0.2, 0.03, -0.02), [port.name for port in cycle.states]
    for k in range(cycles):
        given = {"q": q, "v": rng.normal(0, 0.05, 7), "T": T, "time": k / 630, "wrench": rng.normal(0, 0.05, 6)}
        inputs = [state[port.name] if port.name in names else given[port.name] for port in cycle.inputs]
        out = cycle(*inputs)
        state, q = out.state, q + rng.normal(0, 1e-3, 7) + (0.002 if k > cycles // 2 else 0.0)
        found.append(np.concatenate([np.ravel(value) for value in inputs]))
    return found


def flat(cycle: LazyCycle, out: Any) -> Array:
    return np.concatenate([np.ravel(out[port.name]) for port in cycle.outputs]).astype(float)


def test_called_in_lanes_interpreted_and_in_c_it_is_the_same(tmp_path: Folder) -> None:
    """To 1e-12 over recorded inputs, all monitors among the parts; emitted C checks itself."""
    cycle = pregrasp(monitors="all")
    given, sizes = recorded(cycle, 60), np.cumsum([port.size for port in cycle.inputs])[:-1]
    arguments = [
        [part.reshape(port.shape) for part, port in zip(np.split(one, sizes), cycle.inputs, strict=True)]
        for one in given
    ]
    called = np.array([flat(cycle, cycle(*one)) for one in arguments])
    lanes = cycle.batch(*(np.array(column) for column in zip(*arguments, strict=True)))
    in_lanes = np.column_stack([np.reshape(lanes[port.name], (len(given), -1)) for port in cycle.outputs])
    assert in_lanes == pytest.approx(called, rel=1e-12, abs=1e-12)
    for k in range(0, len(given), 12):
        assert flat(cycle, cycle.run(*arguments[k])) == pytest.approx(called[k], rel=1e-12, abs=1e-12)
    cycle.emit("c", tmp_path)
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is not None:
        (source,) = tmp_path.glob("*.c")
        built = tmp_path / "checks_itself"
        subprocess.run([compiler, "-DSELF_TEST", "-o", built, source, "-lm"], check=True, capture_output=True)
        assert subprocess.run([built], check=False, capture_output=True).returncode == 0


@needs_compiler
@row("lazy-control", 36)
def test_a_cycle_called_from_python_takes_a_small_share_of_the_time_there_is() -> None:
    """Loops run at 630 to 770 Hz; a call takes microseconds, whatever else the machine does."""
    cycle, state = pregrasp(monitors="all"), pregrasp(monitors="all").start()
    given = [{"q": Q, "v": V, "T": before(0.2), "time": 0.0, "wrench": np.zeros(6)}.get(p.name) for p in cycle.inputs]
    inputs = [state[p.name] if one is None else one for p, one in zip(cycle.inputs, given, strict=True)]
    cycle(*inputs)
    took = []
    for _ in range(200):
        began = time.perf_counter()
        cycle(*inputs)
        took.append(time.perf_counter() - began)
    assert np.median(took) < 0.05 / 770


def test_in_single_precision_it_asks_for_the_same() -> None:
    double, single = pregrasp(), pregrasp(precision="single")
    for T in (before(0.2, 0.03, -0.02), before(0.2)):
        exact, near = (told(cycle, v=V, T=T) for cycle in (double, single))
        assert near.tau == pytest.approx(exact.tau, rel=1e-3, abs=2e-3)
        assert (near.mode, near.events) == (exact.mode, exact.events)


def test_parts_are_computations_with_ports_and_a_cycle_can_be_sent() -> None:
    cycle = pregrasp()
    assert {"look", "machine", "errors", "abag_x", "abag_y", "abag_z", "ask", "rest", "dynamics", "stop"} <= {
        *cycle.parts
    }
    assert [port.unit for port in cycle.parts["look"].outputs] == ["m", "m/s", "m"]
    assert cycle.events == (*cycle.machine.events,)
    again = pickle.loads(pickle.dumps(cycle))
    assert (again.task, again.events, again.computation.name) == (cycle.task, cycle.events, "pregrasp")
    assert told(again, T=before(0.2)).tau.tolist() == told(cycle, T=before(0.2)).tau.tolist()


# ---------------------------------------------------------------- what is asked


def test_directions_that_are_not_mentioned_have_no_row() -> None:
    asked = Move("link_7", "T", x=TUBES["x"], z=Tube(0.01), orientation=Orientation(0.05), until=[Goal(0.03)])
    cycle = mc.tasks.lazy(arm(), asked, rate=630)
    assert "b" in {port.name for port in cycle.parts["dynamics"].inputs}
    assert [port.shape for port in cycle.parts["ask"].outputs] == [(5,), (5,)]
    out = told(cycle, T=before(0.2) @ mc.placed((0, 0, 0), (0.0, 0.0, 0.2)))
    assert out.error == pytest.approx([0.0, 0.0, 0.0, 0.0, 0.2], abs=1e-12)
    # one angle: all three turns count where it is beyond, and none where it is within
    aslant = before(0.2) @ mc.placed((0, 0, 0), (0.04, 0.0, 0.04))
    within = before(0.2) @ mc.placed((0, 0, 0), (0.03, 0.0, 0.03))
    assert np.count_nonzero(told(cycle, T=aslant).error[2:]) >= 2
    assert told(cycle, T=within).mode == CRUISE


def test_nothing_is_tolerated_on_the_way_into_a_tube_and_all_of_it_inside() -> None:
    """4 mm beside the axis of a tube of 10 mm along y: an error while z is still outside, none when it is not."""
    cycle = pregrasp()
    outside, inside = told(cycle, T=before(0.2, 0.004, 0.02)), told(cycle, T=before(0.2, 0.004, 0.002))
    assert (outside.mode, inside.mode) == (START, CRUISE)
    assert outside.error == pytest.approx([0.0, 0.004, 0.02], abs=1e-12)
    assert inside.error == pytest.approx([0.05 + 0.12 * np.sin(5 * 0.2), 0.0, 0.0], abs=1e-9)


def test_a_wall_is_left_at_its_tolerance_and_entered_before_it() -> None:
    cycle, modes = pregrasp(), []
    out = None
    for away in (0.0099, 0.0094, 0.0099, 0.0101, 0.0099):
        out = told(cycle, state=out, T=before(0.2, away))
        modes.append(out.mode)
    assert modes == [START, CRUISE, CRUISE, START, START]


@row("lazy-control", 24)
def test_a_section_is_swapped_at_once_and_seen_a_cycle_later() -> None:
    """Frames that differ in place and turn: in the cycle of the transition all is of the old one, then of the new."""
    path = Path(Move("link_7", "T", **TUBES, until=[Goal(0.01)]), 2)
    cycle = mc.tasks.lazy(arm(), path, rate=630)
    turned = before(0.1) @ mc.placed((0, 0, 0), (0, 0, np.pi / 2))
    frames = np.array([before(0.005), turned])
    seen, out = [], None
    for _ in range(3):
        out = told(cycle, state=out, frames=frames)
        seen.append((out.mode, out.section, out.position.round(9).tolist(), cycle.seen(out.events)))
    first, second, third = seen
    assert first[:3] == (CRUISE, 0, [-0.005, 0.0, 0.0])
    assert second[:3] == (TRANSITION, 1, [-0.005, 0.0, 0.0])
    assert "section_covered" in second[3]
    assert third[:3] == (CRUISE, 1, [0.0, 0.1, 0.0])
    assert "section_changed" in third[3]


def test_the_last_section_ends_a_path_and_sections_have_numbers_of_their_own() -> None:
    move = Move("link_7", "T", **TUBES, until=[Goal(0.01)])
    slower = [Override(2, x=Speed(0.02, 0.005), y=Tube(0.002))]
    cycle = mc.tasks.lazy(arm(), Path(move, 2, last=Goal(0.002), overrides=slower), rate=630)
    frames, speeds, modes, out = np.array([before(0.005), before(0.005, 0.001)]), [], [], None
    for _ in range(4):
        out = told(cycle, state=out, frames=frames)
        speeds.append(out.error[0])
        modes.append(out.mode)
    assert modes == [CRUISE, TRANSITION, CRUISE, CRUISE]
    assert speeds == pytest.approx([0.05, 0.05, 0.02, 0.02], abs=1e-12)
    beyond = told(cycle, state=out, frames=np.array([before(0.005), before(0.0015, 0.0025)]))
    assert beyond.mode == START
    there = told(cycle, state=out, frames=np.array([before(0.005), before(0.0015)]))
    assert (there.mode, "final_goal_area" in cycle.seen(there.events)) == (STOP, True)


def test_errors_of_a_section_are_beyond_its_own_tolerances() -> None:
    """3 mm beside the axis ahead, and 2 mm/s too fast: nothing in the first section, an error in each in the second."""
    move = Move("link_7", "T", x=Speed(0.05, 0.01), y=Tube(0.01), z=Tube(0.01), until=[Goal(0.01)])
    narrow = Override(2, x=Speed(0.05, 0.001), y=Tube(0.004))
    cycle = mc.tasks.lazy(arm(), Path(move, 2, overrides=[narrow]), rate=630, horizon=1.0)
    drift = np.array([0.052, 0.003, 0.0])
    J = mc.jacobian(arm(), "link_7").run(Q)[3:]
    v = np.linalg.pinv(J) @ tool()[:3, :3] @ drift
    errors, out = [], None
    for _ in range(3):
        out = told(cycle, state=out, frames=np.array([before(0.005), before(0.1, -0.002)]), v=v)
        errors.append(out.error)
    assert (out.mode, out.section) == (CRUISE, 1)
    assert errors[0] == pytest.approx(np.zeros(3), abs=1e-12)
    share, more = BEYOND
    assert errors[2] == pytest.approx([-0.002, -0.002 - 0.003 * (1 + share + more), 0.0], abs=1e-9)


def test_a_profile_of_a_section_swings_at_its_own_rate() -> None:
    move = Move("link_7", "T", **{**TUBES, "x": Speed(Sine(0.05, 0.02, 5.0), 0.005)}, until=[Goal(0.01)])
    faster = Override(2, x=Speed(Sine(0.05, 0.02, 9.0), 0.005))
    cycle = mc.tasks.lazy(arm(), Path(move, 2, overrides=[faster]), rate=630)
    speeds, out = [], None
    for _ in range(3):
        out = told(cycle, state=out, frames=np.array([before(0.005), before(0.1)]))
        speeds.append(out.error[0])
    first, second = (0.05 + 0.02 * np.sin(rate * left) for rate, left in ((5.0, 0.005), (9.0, 0.1)))
    assert speeds == pytest.approx([first, first, second], abs=1e-9)


# ---------------------------------------------------------------- how it ends


def test_time_runs_out_when_the_task_says_and_not_a_cycle_before() -> None:
    short = Move("link_7", "T", **TUBES, until=[Timeout(0.0099)])
    cycle = mc.tasks.lazy(arm(), short, rate=630)
    modes, out = [], None
    for _ in range(9):
        out = told(cycle, state=out, T=before(0.2))
        modes.append(out.mode)
    assert modes == [CRUISE] * 6 + [STOP] * 3  # 0.0099 s are 6.2 cycles: in the seventh they are over


def test_what_is_there_already_is_not_started() -> None:
    cycle = pregrasp()
    assert told(cycle, T=before(0.02)).mode == STOP
    assert told(cycle, T=before(0.02, 0.03)).mode == START


def test_stopped_joints_are_held_where_they_were() -> None:
    """Rows are off, motors hold the weight and a spring; what a velocity drive is told is 0."""
    cycle, T = pregrasp(), before(0.2)
    moving = told(cycle, T=T, v=V)
    assert moving.v_command.tolist() == V.tolist()
    there = told(cycle, state=moving, T=before(0.02), v=V)
    assert there.mode == STOP
    assert there.stop_posture.tolist() == Q.tolist()
    assert np.all(there.v_command == 0.0)
    pushed = told(cycle, state=there, T=T, q=Q + 0.01)
    assert (pushed.mode, pushed.stop_posture.tolist()) == (STOP, Q.tolist())
    weight, effort = mc.gravity_forces(arm()).run(Q + 0.01), arm().limits.effort
    assert pushed.tau == pytest.approx(weight - 0.01 * effort, abs=1e-9)


@pytest.mark.parametrize(
    ("event", "given"),
    [
        ("contact", {"wrench": np.array([0, 0, 0, 0, -0.6, 0.0])}),
        ("sensor_lost", {"q": np.array([np.nan, *Q[1:]])}),
        ("late", {"time": 0.1}),
        ("too_fast", {"v": np.array([2.0, 0, 0, 0, 0, 0, 0])}),
    ],
)
def test_what_is_wrong_stops_it_in_the_same_cycle(event: str, given: Mapping[str, Any]) -> None:
    cycle, T = pregrasp(monitors="all"), before(0.2)
    moving = told(cycle, T=T)
    stopped = told(cycle, state=moving, T=T, **given)
    assert (moving.mode, stopped.mode) == (CRUISE, STOP)
    assert event in cycle.seen(stopped.events)
    # held where it was last seen: its weight, and what dampers make of a speed
    damping = 0.3 * arm().limits.effort * given.get("v", REST)
    limits = arm().limits.effort
    assert stopped.stop_posture.tolist() == Q.tolist()
    assert stopped.tau == pytest.approx(np.clip(mc.gravity_forces(arm()).run(Q) - damping, -limits, limits), abs=1e-9)
    # and it does not start anew by itself
    assert told(cycle, state=stopped, T=T, time=0.1 + 1 / 630).mode == STOP


def test_a_stretched_arm_and_a_motor_at_its_limit_are_heard_a_cycle_later() -> None:
    stretched = mc.tasks.lazy(arm(), PREGRASP, rate=630, monitors=["ill_conditioned"])
    tip, out = mc.forward_kinematics(arm(), "link_7").run(np.full(7, 1e-3))[0], None
    modes = [(out := told(stretched, state=out, q=np.full(7, 1e-3), T=tip @ mc.placed((0.2, 0, 0)))).mode for _ in "ab"]
    assert modes == [CRUISE, STOP]
    weak = mc.tasks.lazy(arm(), PREGRASP, rate=100, monitors=["overload"], limits=np.full(7, 0.5))
    modes, out = [], None
    for _ in range(14):
        out = told(weak, state=out, T=before(0.2))
        modes.append(out.mode)
    assert np.abs(out.tau).max() == 0.5
    assert (modes.index(STOP), modes[-1]) == (11, STOP)  # 0.1 s of 100 Hz, and a cycle


def test_a_limit_is_told_while_the_heaviest_posture_could_still_be_stopped_before_it() -> None:
    """Stretched out, the first joint is heavy: what dampers and motors need to stop it there is told in time."""
    watch = pregrasp(monitors="all").parts["watch_joint_limit"]
    stretched, v, effort = np.array([0.0, 1.5, 0, 0.1, 0, 0.1, 0]), 1.5, arm().limits.effort[0]
    inertia = mc.mass_matrix(arm()).run(stretched)[0, 0]
    away = v * (2 / 630 + inertia / (0.3 * effort)) + v * v * inertia / (2 * effort)
    stretched[0] = arm().limits.upper[0] - away
    assert watch.run(stretched, [v, *REST[1:]]) == 1.0
    stretched[0] = 0.0
    assert watch.run(stretched, [v, *REST[1:]]) == 0.0


def test_what_a_task_watches_stops_it_or_is_told() -> None:
    """A tool at 0.1 m/s or so: one threshold below it, one above, and one that only tells."""
    v = np.array([0.2, 0, 0, 0, 0, 0, 0])
    watched = [Monitor("speed", 0.5), Monitor("joint_velocity", 0.1, then="tell"), Monitor("turning", 0.15)]
    cycle = mc.tasks.lazy(arm(), Move("link_7", "T", **TUBES, monitors=watched, until=[Goal(0.03)]), rate=630)
    assert cycle.events[-1] == "joint_velocity_high"
    moving = told(cycle, T=before(0.2))
    fast = told(cycle, state=moving, T=before(0.2), v=v)
    assert {"joint_velocity_high", "turning_high"} <= {*cycle.seen(fast.events)}
    assert fast.mode == STOP
    assert told(cycle, state=moving, T=before(0.2), v=0.6 * v).mode == CRUISE


def test_what_motors_make_is_watched_a_cycle_later() -> None:
    """The weight alone takes more than a twentieth of a motor, and less than a half; conditioning is beyond 1."""
    for signal, above, then, modes in (
        ("torque", 0.05, "stop", [CRUISE, STOP]),
        ("torque", 0.5, "stop", [CRUISE, CRUISE]),
        ("conditioning", 1.0, "stop", [CRUISE, STOP]),
        ("torque", 0.05, "tell", [CRUISE, CRUISE]),
    ):
        watched = Move("link_7", "T", **TUBES, monitors=[Monitor(signal, above, then=then)], until=[Goal(0.03)])
        cycle, found, out = mc.tasks.lazy(arm(), watched, rate=630), [], None
        for _ in modes:
            out = told(cycle, state=out, T=before(0.2))
            found.append(out.mode)
        assert found == modes
        assert (f"{signal}_high" in cycle.seen(out.events)) == (above < 0.5 or signal == "conditioning")


# ---------------------------------------------------------------- what is refused

TUBE = Abag(filter=0.5, ignore=0.03, bias_step=2e-4, panic=0.8, gain_step=2e-3)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"controllers": {"az": TUBE}}, "lazy: controllers: 'az' is no direction of this task"),
        ({"controllers": {"y": 3.0}}, "lazy: controllers: y"),
        ({"maximum": {"y": 0.0}}, r"lazy: maximum: y=0.0.*m/s²"),
        ({"delay": 3}, "Abag of y: a delay of 3 cycles makes half swings of 7.*gain grows by itself"),
        ({"monitors": ["too_slow"]}, "there is no 'too_slow'.*too_fast"),
        ({"monitors": "some"}, "lazy: monitors"),
        ({"rest": "sleep"}, "policy"),
        ({"rate": 0.0}, "lazy: rate"),
        ({"horizon": -1.0}, "lazy: horizon"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_remedy(how: Mapping[str, Any], said: str) -> None:
    with pytest.raises(mc.Error, match=said):
        mc.tasks.lazy(arm(), PREGRASP, **{"rate": 630, **how})


def test_delay_that_is_stood_with_little_to_spare_is_noted() -> None:
    assert pregrasp().notes == ()
    (y, z) = pregrasp(delay=2).notes
    assert y.startswith("Abag of y: a delay of 2 cycles makes half swings of 5")
    assert z.startswith("Abag of z")


def test_phases_are_cycles_of_their_own() -> None:
    both = mc.tasks.Phases(
        [PREGRASP, mc.tasks.Hold("link_7", "T", position=Tube(0.01), orientation=Orientation(0.1), name="stay")]
    )
    with pytest.raises(mc.Error, match=r"phases \(pregrasp, stay\).*make a cycle of each"):
        mc.tasks.lazy(arm(), both, rate=630)
