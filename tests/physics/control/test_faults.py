"""Faults end in the stop policy, on a plant: lost sensor, late cycle, no number, limit, contact, speed, overload.

One loop: an arm that is driven by dampers to a speed, every safety monitor before a machine, the stop policy behind it.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.control import Machine, Stop, guards, to_stop
from oracle import Array
from rows import row

DT = 1e-3
BENT = np.array([0.0, 0.6, 0.0, -1.2, 0.0, 0.6, 0.0])
STILL, BROKEN = np.zeros(7), 0.1
NAN = float("nan")
# what happens to the wires between robot and controller from 0.1 s on, and nothing of it
HEALTHY = {"bias": 0.0, "told_bias": 0.0, "jump": 0.0, "frozen": 0.0}
ACROSS, DOWN, WRIST = np.eye(7)[0] * 0.5, np.eye(7)[1] * 0.4, np.eye(7)[5] * 0.8


def port(name: str, shape: tuple[int, ...] = (), unit: str = "1") -> mc.Port:
    return mc.Port(name, shape, unit, "of this test")


@cache
def arm() -> tuple[mc.Robot, mc.simulate.Plant, float]:
    robot = mc.load("lwr4")
    height = mc.forward_kinematics(robot, "link_7").run(BENT)[0, 2, 3]
    floor = mc.simulate.Plane(point=(0.0, 0.0, height - 0.02))
    table = mc.simulate.Contact("link_7", floor, friction=0.0, law=mc.simulate.Compliant(5e3, 50.0))
    return robot, mc.simulate.Plant(robot, DT, contacts=[table]), height


def wires(q: Any, v: Any, time: Any, contact_force: Any, bias: Any, jump: Any, frozen: Any) -> dict[str, Any]:
    """What arrives of what sensors and clocks say."""
    broken: Any = time >= BROKEN - DT / 2
    off = broken.select(bias, 0.0)
    return {
        "q_read": [q[0] + off, *q[1:]],
        "v_read": v,
        "clock": time + broken.select(jump, 0.0),
        "stamp": broken.select(frozen.select(BROKEN, time), time),
        "wrench": [0.0, 0.0, 0.0, *contact_force.ravel()],
    }


def driven(v: Any, g: Any, v_wanted: Any, time: Any, told_bias: Any) -> dict[str, Any]:
    broken: Any = time >= BROKEN - DT / 2
    return {
        "tau_running": [
            a + 60.0 * (c - b) + broken.select(told_bias, 0.0) for a, b, c in zip(g, v, v_wanted, strict=True)
        ]
    }


@cache
def loop() -> Any:
    robot, plant, _ = arm()
    q, v, tau = mc.forward_dynamics(robot).inputs
    monitors = guards(
        robot, DT, 5.0, react=0.08, contact=[np.inf] * 3 + [10.0] * 3, age=0.02, velocity=0.6, torque=0.5, overload=0.02
    )
    machine = Machine(("RUN", "STOP"), to_stop(monitors), monitors, final=("STOP",))
    clock, seconds = port("clock", (), "s"), port("time", (), "s")
    faults = [port("bias"), port("jump"), port("frozen")]
    force = mc.Port("contact_force", (1, 3), "N", "of the turn before")
    named = [mc.Port(f"{p.name}_read", p.shape, p.unit, p.meaning, p.space) for p in (q, v)]
    sensed = mc.block(
        "wires",
        wires,
        [q, v, seconds, force, *faults],
        [*named, clock, port("stamp", (), "s"), port("wrench", (6,), "N m, N")],
    )
    g = mc.gravity_forces(robot)
    told = mc.Port("tau_running", tau.shape, tau.unit, tau.meaning, tau.space)
    run = mc.block("run", driven, [v, *g.outputs, port("v_wanted", (7,)), seconds, port("told_bias")], [told])
    stopped = mc.block("stopped", lambda mode: {"stopped": mode.equal(1.0)}, [port("mode")], [port("stopped")])
    lost, *others = [(monitor.event, monitor.computation()) for monitor in monitors]
    parts = {"wires": sensed, **dict([lost]), "weight": g, "run": run, **dict(others)}
    parts |= {"machine": machine.computation(), "is_stopped": stopped, "stop": Stop().computation(robot)}
    feeds = {f"{part}.{name}": f"sensor_lost.{name}_sound" for part in ("joint_limit", "stop") for name in "qv"}
    feeds |= {"weight.q": "sensor_lost.q_sound", "run.v": "sensor_lost.v_sound", "too_fast.v": "sensor_lost.v_sound"}
    feeds |= {"sensor_lost.q": "wires.q_read", "sensor_lost.v": "wires.v_read", "sensor_lost.time": "wires.clock"}
    feeds |= {
        "late.time": "wires.clock",
        "is_stopped.mode": "machine.mode",
        "overload.tau": "run.tau_running",
        "actuators.tau": "stop.tau",
    }
    return mc.simulate.closed(
        plant,
        parts,
        feeds=feeds,
        log=["q", "v", "mode", "v_command", "motor_force", "running", "stop_posture", "tau_running", "contact_force"],
    )


def happened(wanted: Array, seconds: float = 1.0, v: Array = STILL, **fault: float) -> tuple[Any, int]:
    """The run, and in which turn it was stopped; -1 for never."""
    run = loop()({"q": BENT, "v": v}, v_wanted=wanted, seconds=seconds, **{**HEALTHY, **fault})
    stopped = run.running < 1
    return run, int(np.argmax(stopped)) if stopped.any() else -1


def held_still(run: Any, turn: int) -> None:
    """The posture is that of the turn in which it stopped, what the turn before ended with; joints rest there."""
    assert np.all(run.stop_posture[turn:] == run.q[turn - 1])
    assert np.all(run.v_command[turn:] == 0.0)
    assert np.abs(run.q[-1] - run.q[turn - 1]).max() < 5e-3
    assert np.abs(run.v[-1]).max() < 0.02


def test_without_a_fault_nothing_stops() -> None:
    run, turn = happened(ACROSS)
    assert turn == -1
    assert run.v[-1, 0] == pytest.approx(0.5, abs=0.02)


def test_a_late_cycle_stops_the_arm_where_it_is() -> None:
    run, turn = happened(ACROSS, jump=0.0011)
    assert turn == 100
    held_still(run, turn)
    assert happened(ACROSS, jump=0.0009)[1] == -1


def test_a_command_that_is_no_number_is_never_told() -> None:
    run, turn = happened(ACROSS, told_bias=NAN)
    assert turn == 100
    assert np.isfinite(run.motor_force).all()
    held_still(run, turn)


@pytest.mark.parametrize(("fault", "turn"), [({"bias": NAN}, 100), ({"bias": np.inf}, 100), ({"frozen": 1.0}, 121)])
def test_a_lost_sensor_leaves_the_weight_of_the_last_good_posture(fault: dict[str, float], turn: int) -> None:
    """No number reaches a motor; without rates nothing can be damped, and what drives do by themselves is asked for."""
    run, found = happened(ACROSS, **fault)
    assert found == turn
    robot, *_ = arm()
    weight = mc.gravity_forces(robot).run(run.q[turn - 2])
    assert run.motor_force[-1] == pytest.approx(weight, abs=1e-9)
    assert np.all(run.v_command[turn:] == 0.0)


def test_an_unexpected_contact_stops_the_arm() -> None:
    """The first reading of 10 N does; the tool presses no farther in than it gets until motors have braked."""
    run, turn = happened(DOWN)
    force = np.abs(run.contact_force[:, 0, :]).max(axis=1)
    assert force[turn - 2] < 10.0 <= force[turn - 1]
    assert force[turn:].max() < 100.0
    held_still(run, turn)


def test_what_is_too_fast_stops() -> None:
    """60 % of 1.9635 rad/s."""
    run, turn = happened(2.6 * ACROSS, v=2.2 * ACROSS)
    assert run.v[turn - 2, 0] < 0.6 * 1.9635 <= run.v[turn - 1, 0]
    assert turn > 10


def test_what_is_overloaded_for_a_while_stops() -> None:
    """Half of 176 N m for 20 ms, while dampers of 60 N m s ask for 132 at first."""
    run, turn = happened(4.4 * ACROSS)
    assert np.all(run.tau_running[:turn, 0] > 88.0)
    assert turn == 20
    held_still(run, turn)


def test_springs_and_dampers_stop_before_a_limit_that_was_seen_in_time() -> None:
    run, turn = happened(WRIST, 3.0)
    assert run.v[turn - 1, 5] == pytest.approx(0.8, abs=0.02)
    assert run.q[:, 5].max() < 2.0944
    held_still(run, turn)


# ---------------------------------------------------------------- the velocity interface


@cache
def drives() -> mc.simulate.Loop:
    """Velocity drives that lag by a cycle, told to run on into limits; a monitor of braking distance before them.

    They are weak: stretched, where the arm is heaviest, they brake by 7 rad/s², and 5 are reckoned with.
    """
    robot, *_ = arm()
    weak = 7.0 * np.diag(mc.mass_matrix(robot).run(np.array([0, np.pi / 2, 0, 0, 0, 0, 0])))
    velocity = mc.simulate.Velocity([*(2.0 * robot.limits.effort)], delay=1, saturation=[*weak])
    plant = mc.simulate.Plant(robot, DT, actuators=velocity, gravity=(0.0, 0.0, 0.0))  # drives carry the weight
    limit, lost = guards(robot, DT, 5.0, react=0.02)[2], guards(robot, DT, 5.0)[0]
    machine = Machine(("RUN", "STOP"), to_stop([lost, limit]), [lost, limit], final=("STOP",))
    q, v = lost.watched
    read = [mc.Port(f"{p.name}_read", p.shape, p.unit, p.meaning, p.space) for p in (q, v)]
    broken = mc.block("wires", lambda q, v, bias: {"q_read": q + bias, "v_read": v}, [q, v, port("bias")], read)
    stopped = mc.block("stopped", lambda mode: {"stopped": mode.equal(1.0)}, [port("mode")], [port("stopped")])
    parts = {
        "wires": broken,
        "lost": lost.computation(),
        "limit": limit.computation(),
        "machine": machine.computation(),
    }
    parts |= {"is_stopped": stopped, "stop": Stop("velocity").computation(robot)}
    feeds = {f"limit.{name}": f"lost.{name}_sound" for name in "qv"} | {"is_stopped.mode": "machine.mode"}
    feeds |= {f"lost.{name}": f"wires.{name}_read" for name in "qv"} | {"actuators.v_target": "stop.v_command"}
    return mc.simulate.closed(plant, parts, feeds=feeds, log=["q", "v", "mode", "v_command"])


@row("lazy-control", 25)
def test_drives_are_told_to_stop_before_a_limit_is_passed() -> None:
    """Each joint at its full speed into each of its limits: two steps of look-ahead would not have been enough."""
    robot, *_ = arm()
    lower, upper, fast = robot.limits.lower, robot.limits.upper, robot.limits.velocity
    told = np.vstack([np.diag(0.9 * fast), -np.diag(0.9 * fast)])
    runs = drives().batch({"q": np.zeros((14, 7)), "v": np.zeros((14, 7))}, v_running=told, bias=0.0, seconds=3.0)
    for lane in range(14):
        joint, side = lane % 7, 1 if lane < 7 else -1
        room = side * np.where(side > 0, upper, lower)[joint] - side * runs.q[lane, :, joint]
        turn = int(np.argmax(runs.mode[lane] > 0))
        assert turn > 0
        assert np.all(runs.v_command[lane, turn:] == 0.0)
        # the stop is at least a step before the limit; it is kept, and two steps ahead nothing was to be seen
        assert room.min() > 0.0
        assert np.all(room[: turn + 1] > 2 * DT * np.abs(runs.v[lane, : turn + 1, joint]))
        assert room[turn] - room.min() > 2 * DT * np.abs(runs.v[lane, turn, joint])
        assert np.abs(runs.v[lane, -1, joint]) < 0.01


def test_drives_stop_by_themselves_where_no_sensor_tells() -> None:
    run = drives()({"q": BENT, "v": np.zeros(7)}, v_running=ACROSS, bias=NAN, seconds=0.5)
    assert np.all(run.mode[1:] == 1)
    going = drives()({"q": BENT, "v": ACROSS}, v_running=ACROSS, bias=NAN, seconds=0.5)
    assert np.all(going.v_command == 0.0)
    assert np.abs(going.v[-1]).max() < 0.01
