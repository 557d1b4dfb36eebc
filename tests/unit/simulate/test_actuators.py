"""Actuators: laws, delay, lag, saturation and torque–speed curves, as MuJoCo's actuators have them; what is refused."""

import pickle
import re
from typing import Any

import mujoco
import numpy as np
import pytest

import all_joints
import motionc as mc
from motionc.simulate import Position, Torque, TorqueSpeed, Velocity
from motionc.simulate.drives import actuators_of
from trials import trials

DT, T = 1e-3, 0.02
ROBOT = mc.load("planar3")
ONE, TWO, THREE = ROBOT.joint_names

# a motor that lags behind commands that are late and limited, a position and a velocity servo whose forces are
ACTUATORS = f"""
<general joint="{ONE}" ctrlrange="-3 3" dyntype="filterexact" dynprm="{T}" actearly="true"
         nsample="4" delay="{3 * DT}"/>
<general joint="{TWO}" gainprm="40" biastype="affine" biasprm="0 -40 -2" forcerange="-6 6"/>
<general joint="{THREE}" gainprm="5" biastype="affine" biasprm="0 0 -5" nsample="2" delay="{DT}"/>
"""


def test_forces_of_three_kinds_of_motors_are_mujocos() -> None:
    head, _, tail = re.split(r"(<actuator>.*</actuator>)", mc.to_mjcf(ROBOT), flags=re.DOTALL)
    model = mujoco.MjModel.from_xml_string(f"{head}<actuator>{ACTUATORS}</actuator>{tail}")
    model.opt.timestep = DT
    data = mujoco.MjData(model)
    motors = actuators_of(
        ROBOT,
        DT,
        {
            ONE: Torque(delay=3, saturation=3.0, time_constant=T),
            TWO: Position(40.0, 2.0, saturation=6.0),
            THREE: Velocity(5.0, delay=1),
        },
    )
    state, rng = motors.start(), np.random.default_rng(0)
    data.qvel[:] = rng.normal(size=3)
    seen = list[bool]()
    for _ in range(trials(200)):
        command = rng.normal(size=3) * (4.0, 0.5, 2.0)
        q, v = data.qpos.copy(), data.qvel.copy()
        data.ctrl[:] = command
        mujoco.mj_step(model, data)
        out = motors(q, v, command, state=state)
        state = out.state
        np.testing.assert_allclose(out.motor_force, data.actuator_force, rtol=0, atol=1e-13)
        seen.append(bool(abs(out.motor_force[1]) == 6.0))
    assert {*seen} == {True, False}  # a limit is at work, and not always


def test_a_motor_drives_along_its_curve_and_brakes_with_all_it_has() -> None:
    stall, fastest = 10.0, 2.0
    motors = actuators_of(ROBOT, DT, Torque(speed_torque=TorqueSpeed(stall, fastest)))
    for speed in (-3.0, -1.5, 0.0, 0.5, 2.0, 5.0):
        for told in (-20.0, -4.0, 0.0, 4.0, 20.0):
            drives = told * speed > 0
            left = max(0.0, 1 - abs(speed) / fastest) * stall if drives else stall
            expected = np.sign(told) * min(abs(told), left)
            np.testing.assert_allclose(motors(ROBOT.neutral(), [speed] * 3, [told] * 3), expected, atol=1e-15)


def test_a_lagging_motor_that_meets_its_curve_goes_on_from_what_it_makes() -> None:
    motors = actuators_of(ROBOT, DT, Torque(speed_torque=TorqueSpeed(10.0, 2.0), time_constant=T))
    fast, state = [1.8, 0.0, 0.0], motors.start()
    for _ in range(200):
        out = motors(ROBOT.neutral(), fast, [5.0] * 3, state=state)
        state = out.state
    np.testing.assert_allclose(out.motor_force, [1.0, 5.0, 5.0], atol=1e-3)
    slower = motors(ROBOT.neutral(), [0.0] * 3, [5.0] * 3, state=state).motor_force
    np.testing.assert_allclose(slower[0], 1.0 + (1 - np.exp(-DT / T)) * 4.0, atol=1e-13)


def test_a_position_is_held_until_the_first_command_has_arrived() -> None:
    motors = actuators_of(ROBOT, DT, Position(10.0, delay=2))
    state, made = motors.start(), list[float]()
    for _ in range(4):
        out = motors([0.3, 0.0, 0.0], np.zeros(3), [0.5, 0.0, 0.0], state=state)
        state = out.state
        made.append(out.motor_force[0])
    np.testing.assert_allclose(made, [0.0, 0.0, 2.0, 2.0], atol=1e-14)


def test_a_floating_base_has_no_motor_and_quaternions_turn_the_shorter_way() -> None:
    robot = mc.load("quadruped", floating=True)
    force = actuators_of(robot, DT, Torque(saturation=True))(
        robot.neutral(), np.zeros(robot.nv), np.full(robot.nv, 1e9)
    )
    np.testing.assert_array_equal(force, [0.0] * 6 + list(robot.limits.effort[6:]))

    ball = all_joints.build(all_joints.random_tree(0, [mc.JointType.SPHERICAL]))
    rng = np.random.default_rng(1)
    q, target, v = ball.random(rng), ball.random(rng), rng.normal(size=3)
    force = actuators_of(ball, DT, Position(7.0, 0.5))(q, v, -target)
    np.testing.assert_allclose(force, 7.0 * ball.difference(q, target) - 0.5 * v, atol=1e-12)


def test_actuators_are_data() -> None:
    actuator = Position({ONE: 3.0}, [1.0, 2.0, 3.0], delay=2, speed_torque=TorqueSpeed(1.0, 2.0))
    assert pickle.loads(pickle.dumps(actuator)) == actuator
    assert hash(actuator) == hash(pickle.loads(pickle.dumps(actuator)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Torque(delay=-1), "Torque: delay=-1; give a whole number"),
        (lambda: Torque(delay=2.5), "whole number"),  # pyright: ignore[reportArgumentType]
        (lambda: Torque(delay=10**9), "from 0 to 1000"),
        (lambda: Torque(saturation=False), "leave it out"),
        (lambda: Torque(saturation=0.0), "> 0"),
        (lambda: Torque(saturation=[1.0, np.nan, 2.0]), "finite"),
        (lambda: Torque(time_constant=-1.0), "Torque: time_constant=-1.0"),
        (lambda: Torque(speed_torque=3.0), "TorqueSpeed"),  # pyright: ignore[reportArgumentType]
        (lambda: TorqueSpeed(1.0, 0.0), "TorqueSpeed: no_load_speed=0.0"),
        (lambda: Velocity(np.inf), "Velocity: gain=inf"),
        (lambda: Position("stiff"), "Position: stiffness='stiff'"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_what_no_motor_is_refused_in_a_sentence(make: Any, words: str) -> None:
    with pytest.raises(mc.Error, match=words):
        make()


@pytest.mark.parametrize(
    ("actuators", "words"),
    [
        ({"joint_11": Torque()}, "no movable joint .joint_11..*did you mean joint_1"),
        ({"root_joint": Torque()}, "no motor drives root_joint"),
        ({3: Torque()}, "a joint=3"),
        (Torque(saturation=[1.0, 2.0]), "Torque: saturation of shape \\(2,\\).*9 numbers"),
        (Torque(saturation=[1.0] * 9), "saturation of root_joint: no motor"),
        (Velocity({"joint_2": 2.0, "toe": 1.0}), "Velocity: gain of 'toe'"),
        ({"joint_1": Position({"joint_1": 2.0})}, "names joints again"),
        ({"joint_1": Torque(saturation=[1.0, 2.0])}, "saturation of joint_1: shape"),
        ({"joint_1": 3}, "actuators: joint_1=3; give Torque"),
        ("torque", "actuators='torque'; give Torque"),
    ],
)
def test_what_a_robot_has_no_motor_for_is_refused_in_a_sentence(actuators: Any, words: str) -> None:
    with pytest.raises(mc.Error, match=words):
        actuators_of(mc.load("planar3", floating=True), DT, actuators)


@pytest.mark.parametrize("dt", [0.0, -1.0, np.nan, "fast"])
def test_a_cycle_takes_time(dt: Any) -> None:
    with pytest.raises(mc.Error, match="actuators: dt"):
        actuators_of(ROBOT, dt, Torque())


def test_limits_make_no_number_of_what_is_none() -> None:
    motors = actuators_of(ROBOT, DT, Torque(saturation=3.0, speed_torque=TorqueSpeed(2.0, 1.0)))
    np.testing.assert_array_equal(motors(ROBOT.neutral(), np.zeros(3), [np.nan, 5.0, -1.0]), [np.nan, 2.0, -1.0])
