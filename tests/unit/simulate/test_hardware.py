"""The simulated robot as hardware: the turns of a closed loop, a watchdog, a stop that holds, encoders that count."""

import pickle
import time
from typing import Any

import numpy as np
import pytest

import motionc as mc
from motionc.control import CountedRobot, EncoderModel, Stopped, operate
from motionc.simulate import Encoder, ForceTorque, Plant, SimulatedRobot, Torque, Velocity
from rows import row

Array = np.ndarray[Any, np.dtype[np.float64]]

ROBOT = mc.load("planar3")
START = {"q": np.array([0.4, -0.3, 0.2]), "v": np.zeros(3)}
GOAL = np.array([0.5, -0.2, 0.1])
LAW = mc.control.computed_torque(ROBOT, 100.0, 20.0)
TOLD = {"target": GOAL, "target_v": np.zeros(3), "target_a": np.zeros(3)}
NOISY = Plant(
    ROBOT,
    friction="smooth",
    sensors=[Encoder(noise=1e-4, velocity="filtered", delay=1), ForceTorque("tip", force_noise=0.1)],
    actuators=Torque(delay=1),
    vary={"*.mass": 0.2},
)
AT_ONCE = NOISY.alike(sensors=[Encoder(noise=1e-4)])


@pytest.mark.parametrize("plant", [NOISY, AT_ONCE], ids=["late", "at once"])
def test_operating_it_is_the_closed_loop(plant: Plant) -> None:
    """Noise, delays and filters included, of one of many plants; more periods than noise is drawn for at once."""
    robot = SimulatedRobot(plant, start=START, every=3, seed=7, lane=11)
    done = operate(robot, LAW, TOLD, cycles=300, log=["q", "v", "tau"])
    loop = mc.simulate.closed(plant, LAW, rate=3, log=["q_measured", "v_measured", "tau"])
    run = loop(START, **TOLD, steps=900, seed=7, plant=11)
    np.testing.assert_allclose(done["tau"], run.tau[::3], atol=1e-12)
    np.testing.assert_allclose(done["q"], run.q_measured[::3], atol=1e-12)
    np.testing.assert_allclose(done["v"], run.v_measured[::3], atol=1e-12)
    assert np.std(np.diff(done["q"][-50:], axis=0)) > 1e-5  # there is noise
    assert done.nameplate.period == pytest.approx(3e-3)


def test_a_wrench_is_what_its_sensor_reads() -> None:
    plant = Plant(ROBOT, sensors=[ForceTorque("tip", bias=(1, 2, 3, 4, 5, 6))])
    robot = SimulatedRobot(plant, start=START, wrench="force_torque_wrench")
    robot.open()
    for _ in range(5):
        reading = robot.read(1.0)
        assert reading is not None
        robot.write(np.zeros(3))
    assert reading.wrench is not None
    run = mc.simulate.closed(plant, log=["force_torque_wrench"])(START, tau=np.zeros(3), steps=5)
    np.testing.assert_allclose(reading.wrench, run.force_torque_wrench[-1], atol=1e-12)
    with pytest.raises(mc.Error, match="no sensor gives six numbers as 'wrench'"):
        SimulatedRobot(plant, wrench="wrench")


# ---------------------------------------------------------------- what stops it


def moving(**how: Any) -> SimulatedRobot:
    """Swinging past the goal, fast."""
    robot = SimulatedRobot(Plant(ROBOT), start={"q": START["q"], "v": np.array([1.0, -0.5, 0.8])}, **how)
    robot.open()
    return robot


def test_without_commands_the_watchdog_stops_it_and_it_holds_where_it_was() -> None:
    robot = moving(watchdog=4)
    stops = list[Stopped]()
    for _ in range(6):
        reading = robot.read(1.0)
        assert reading is not None
        stops.append(reading.stopped)
    assert stops == [Stopped.NO] * 4 + [Stopped.NO_COMMAND] * 2
    here = robot.moves.true("q")
    robot.write(np.full(3, 100.0))  # what it is told is in vain
    robot.moves.settle()
    assert np.abs(robot.moves.true("v")).max() < 1e-4
    assert np.abs(robot.moves.true("q") - here).max() < 0.06  # v/(e ω) and what it was still to go
    weight = mc.gravity_forces(ROBOT)(robot.moves.true("q"))
    np.testing.assert_allclose(robot.moves._last, weight, atol=0.02)  # its own drives hold it


def test_a_command_now_and_then_keeps_the_watchdog_quiet() -> None:
    robot = moving(watchdog=4)
    for k in range(40):
        reading = robot.read(1.0)
        assert reading is not None
        assert not reading.stopped
        if k % 4 == 0:
            robot.write(np.zeros(3))


@pytest.mark.parametrize(
    ("stop", "why"),
    [
        (lambda robot: robot.write(np.array([0.0, np.nan, 0.0])), Stopped.NOT_FINITE),
        (lambda robot: robot.write(np.array([0.0, np.inf, 0.0])), Stopped.NOT_FINITE),
        (lambda robot: robot.stop(), Stopped.ASKED),
        (lambda robot: robot.close(), Stopped.LEFT),
    ],
)
def test_it_stops_for_a_reason_and_moves_again_once_it_is_opened_again(stop: Any, why: Stopped) -> None:
    robot = moving()
    robot.read(1.0)
    stop(robot)
    reading = robot.read(1.0)
    assert reading is not None
    assert reading.stopped == why
    assert np.all(np.isfinite(reading.q))
    robot.open()
    reading = robot.read(1.0)
    assert reading is not None
    assert not reading.stopped


def test_a_robot_with_velocity_drives_stands_still_where_it_stops() -> None:
    gains = 100.0 / np.diag(mc.mass_matrix_inverse(ROBOT)(GOAL))
    plant = Plant(ROBOT, actuators=Velocity(gains.tolist()), gravity=(0, 0, 0))
    robot = SimulatedRobot(plant, start=START)
    turn = mc.block(
        "turn",
        lambda q: {"v_target": GOAL - q},
        [LAW.inputs[0]],
        [mc.Port("v_target", (3,), "rad/s, m/s", "joint velocities that motors are told to keep")],
    )
    done = operate(robot, turn, seconds=4.0)
    assert done.nameplate.command == "v_target"
    np.testing.assert_allclose(robot.moves.true("q"), GOAL, atol=4e-3)
    assert np.abs(robot.moves.true("v")).max() < 1e-4
    assert robot.moves.stopped == Stopped.ASKED


def test_a_robot_that_floats_holds_its_legs() -> None:
    robot = SimulatedRobot(Plant(mc.load("hyl")), watchdog=1)
    robot.open()
    for _ in range(20):
        reading = robot.read(1.0)
    assert reading is not None
    assert reading.stopped == Stopped.NO_COMMAND


# ---------------------------------------------------------------- by the clock


def test_by_the_clock_time_passes_whether_anybody_waits_or_not() -> None:
    robot = moving(every=20, pace="clock", watchdog=3)
    first = robot.read(1.0)
    assert first is not None
    robot.write(np.zeros(3))
    begun = time.monotonic()
    second = robot.read(1.0)
    assert second is not None
    assert second.number > first.number
    assert time.monotonic() - begun > 0.01
    robot.write(np.zeros(3))
    time.sleep(0.12)  # five periods and more
    later = robot.read(1.0)
    assert later is not None
    assert later.number >= second.number + 5
    assert later.stopped == Stopped.NO_COMMAND
    assert any(robot.read(0.0) is None for _ in range(5))  # a period that has not begun


def test_a_controller_that_keeps_up_is_not_stopped_by_the_clock() -> None:
    robot = SimulatedRobot(Plant(ROBOT, dt=2e-3), start=START, every=10, pace="clock", watchdog=25)
    begun = time.monotonic()
    done = operate(robot, LAW, TOLD, seconds=0.4)
    assert done.cycles == 20
    assert done.ended == "done"
    assert time.monotonic() - begun > 0.3


# ---------------------------------------------------------------- encoders and motors are configuration

DEVICES = {
    "on the joints": {name: EncoderModel(2**20) for name in ROBOT.joint_names},
    "on the motors": {
        name: EncoderModel(4096, gear=150 + 10 * k, sign=(-1) ** k, reference=at + 0.07, raw_reference=70.0, bits=14)
        for k, (name, at) in enumerate(zip(ROBOT.joint_names, START["q"], strict=True))
    },
}


def operated(plant: Plant, encoders: dict[str, EncoderModel] | None, **built_in: Any) -> Array:
    """What becomes of one and the same controller: where the robot went."""
    robot: Any = SimulatedRobot(plant, start=START, **({} if encoders is None else {"encoders": encoders}))
    seen = robot if encoders is None else CountedRobot(robot, ROBOT, built_in.get("known", encoders))
    done = operate(seen, LAW, TOLD, seconds=1.0, log=["q"])
    return np.array([*done["q"][::100], robot.moves.true("q")])


@row("robcogen", 50)
@pytest.mark.parametrize("device", list(DEVICES))
def test_another_encoder_is_another_configuration_and_the_controller_does_not_know(device: str) -> None:
    """To a few counts, which differ by ten between the devices, though registers of 14 bits wrap on the way."""
    encoders = DEVICES[device]
    away = np.abs(operated(Plant(ROBOT), encoders) - operated(Plant(ROBOT), None))
    assert away.max() < 60 * max(abs(one.resolution) for one in encoders.values())
    counts = [one.raw([START["q"][k], GOAL[k]]) for k, one in enumerate(encoders.values())]
    assert np.ptp(counts) > 1e4  # no angles


@row("robcogen", 50)
def test_a_wrong_sign_or_reference_in_the_configuration_is_seen_in_the_truth() -> None:
    """Whatever it is told of, the robot goes where its counts are what the goal would be."""
    encoders = DEVICES["on the joints"]
    elbow = ROBOT.joint_names[1]
    shifted = {**encoders, elbow: EncoderModel(2**20, reference=0.05)}
    right, wrong = (operated(Plant(ROBOT), encoders, known=known)[-1] for known in (encoders, shifted))
    assert (wrong - right)[1] == pytest.approx(-0.05, abs=2e-3)


@row("robcogen", 50)
def test_another_motor_is_another_plant_and_the_controller_does_not_know() -> None:
    motors = [Torque(), Torque(time_constant=2e-3), Torque(delay=2, saturation=50.0)]
    ends = [operated(Plant(ROBOT, actuators=motor), None) for motor in motors]
    for end in ends[1:]:
        assert 1e-5 < np.abs(end - ends[0]).max() < 0.02


@row("robcogen", 50)
def test_an_absolute_reading_at_the_start_sets_the_reference_of_a_relative_encoder() -> None:
    """Registers count from wherever they were switched on; one coarse absolute reading, and the controller goes on."""
    absolute, relative = EncoderModel(2**14), EncoderModel(4096, gear=150, bits=14, raw_reference=5000.0)
    true = {
        name: EncoderModel(4096, gear=150, bits=14, reference=at) for name, at in zip("abc", START["q"], strict=True)
    }
    for name, at in zip("abc", START["q"], strict=True):
        shown, coarse = float(true[name].raw(at)), float(absolute.position(absolute.raw(at)))
        homed = relative.homed(shown, coarse)
        there = at + 0.05
        assert abs(float(homed.position(true[name].raw(there))) - there) < absolute.resolution + homed.resolution
        assert abs(float(relative.position(true[name].raw(there))) - there) > 0.01


def test_encoders_of_other_joints_than_the_robot_says_are_refused() -> None:
    first, *others = ROBOT.joint_names
    one = EncoderModel(100)
    robot = CountedRobot(SimulatedRobot(Plant(ROBOT), encoders={first: one}), ROBOT, dict.fromkeys(others, one))
    with pytest.raises(mc.Error, match=f"planar3 tells counts of {first}, and encoders are given of {others[0]}"):
        robot.open()
    with pytest.raises(mc.Error, match="no movable joint 'knee'"):
        CountedRobot(SimulatedRobot(Plant(ROBOT)), ROBOT, {"knee": one})
    with pytest.raises(mc.Error, match="no movable joint 'root_joint' of one coordinate"):
        SimulatedRobot(Plant(mc.load("hyq")), encoders={"root_joint": one})


def test_it_is_data_before_it_moves() -> None:
    robot = SimulatedRobot(NOISY, start=START, seed=3, lane=2)
    robot.open()
    for _ in range(5):
        robot.read(1.0)
        robot.write(np.zeros(3))
    again = pickle.loads(pickle.dumps(robot))
    again.open()
    assert again.read(1.0).number == 0
    assert again.nameplate == robot.nameplate


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"every": 0}, "every=0; give a whole number of steps"),
        ({"watchdog": 0}, "watchdog=0"),
        ({"pace": "fast"}, "say 'lockstep' or 'clock'"),
        ({"plant": ROBOT}, "give a mc.simulate.Plant"),
        ({"encoders": {"knee": 3}}, "encoders: knee=3"),
    ],
)
def test_what_is_no_robot_is_refused_in_a_sentence(how: dict[str, Any], words: str) -> None:
    asked: dict[str, Any] = {"plant": Plant(ROBOT), **how}
    with pytest.raises(mc.Error, match=words):
        SimulatedRobot(**asked)


def test_of_joints_that_count_no_velocity_is_told() -> None:
    encoders = DEVICES["on the joints"]
    robot = SimulatedRobot(Plant(ROBOT), start={**START, "v": np.full(ROBOT.nv, 0.2)}, encoders=encoders)
    robot.open()
    reading = robot.read(1.0)
    robot.close()
    assert reading is not None
    counting = [ROBOT.v_index[joint].start for joint in encoders]
    assert not np.any(reading.v[counting])
