"""A configuration that knows whose it is: taken by every call about its robot, refused by all others."""

import copy
import pickle

import numpy as np
import pytest

import motionc as mc
from rows import row

OTHERS = ("iiwa", "baxter_arm", "panda")
"""Robots with as many coordinates as LWR 4."""


@pytest.mark.calls
@row("itasc", 9)
@pytest.mark.parametrize("name", OTHERS)
def test_a_configuration_of_another_robot_is_refused_by_every_call(name: str) -> None:
    robot, other = mc.load("lwr4"), mc.load(name)
    q, zero = robot.random(0), np.zeros(7)
    forces, reach = mc.inverse_dynamics(robot), mc.inverse_kinematics(robot, "link_7")
    pose = mc.forward_kinematics(robot, ["link_7"])(q)[0]
    assert other.nq == robot.nq
    foreign, several = other.configuration(other.random(1)), other.configuration([other.random(2)] * 3)
    for call in (
        lambda: forces(foreign, zero, zero),
        lambda: forces(q=foreign, v=zero, a=zero),
        lambda: forces.run(foreign, zero, zero),
        lambda: next(forces.steps(foreign, zero, zero)),
        lambda: forces.batch(foreign, np.zeros((3, 7)), zero),
        lambda: forces.batch(several, zero, zero),
        lambda: forces.derivative("tau", "q")(foreign, zero, zero),
        lambda: reach(foreign, pose),
        lambda: reach.batch(foreign, np.array([pose] * 2)),
        lambda: robot.integrate(foreign, zero),
        lambda: robot.difference(q, foreign),
        lambda: robot.rates(foreign, zero),
        lambda: robot.configuration(foreign),
        lambda: robot.configuration([robot.configuration(q), foreign]),
        lambda: forces.batch([foreign, foreign], zero, zero),
        lambda: mc.inverse_kinematics(robot, "link_7", posture=foreign),
    ):
        with pytest.raises(mc.Error, match=f"configurations of {other.name}.*lwr4"):
            call()


@pytest.mark.calls
def test_its_own_configuration_is_taken_as_the_numbers_are() -> None:
    robot = mc.load("lwr4")
    q, v = robot.random(0), np.ones(7)
    for same in (robot, mc.load("lwr4"), pickle.loads(pickle.dumps(robot))):
        own = same.configuration(q)
        forces = mc.inverse_dynamics(robot)
        assert np.array_equal(forces(own, v, v), forces(q, v, v))
        assert np.array_equal(forces.run(own, v, v), forces.run(q, v, v))
        many = same.configuration([q] * 5)
        assert np.array_equal(forces.batch(many, v, v), forces.batch(np.array([q] * 5), v, v))
        assert np.array_equal(robot.integrate(own, v, 0.1), robot.integrate(q, v, 0.1))
        assert robot.configuration(own) == own


def test_a_configuration_is_no_velocity() -> None:
    robot = mc.load("lwr4")
    q = robot.configuration(robot.random(0))
    with pytest.raises(mc.Error, match="v is given configurations of lwr4; numbers are wanted here"):
        mc.inverse_dynamics(robot)(q, q, np.zeros(7))


def test_other_coordinates_of_one_robot_are_other_configurations() -> None:
    free, held = mc.load("lwr4"), mc.load("lwr4", fixed=["joint_3"])
    moved = mc.load("lwr4", fixed={"joint_3": 0.5})
    with pytest.raises(mc.Error, match="joint_3 is not the same in both"):
        mc.gravity_forces(held)(free.configuration(free.random(0)))
    assert mc.gravity_forces(moved)(held.configuration(held.neutral())).shape == (6,)


def test_entries_are_read_by_joint_and_cannot_be_written() -> None:
    robot = mc.load("hyq")
    q = robot.random(3)
    own = robot.configuration(q)
    for name, where in robot.q_index.items():
        assert np.array_equal(own[name], q[where])
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(own)[0] = 1.0
    with pytest.raises(mc.Error, match="no movable joint 'LF_HAX'; did you mean LF_HAA"):
        own["LF_HAX"]
    for again in (copy.deepcopy(own), pickle.loads(pickle.dumps(own))):
        assert again == own
        assert repr(again) == repr(own)
    assert own != robot.configuration(robot.random(4))
    assert np.asarray(own, np.float32).dtype == np.float32


@pytest.mark.parametrize("wrong", [[1, 2], "abc", None, [np.nan] * 7, np.zeros((7, 2))])
def test_what_is_no_configuration_gets_a_sentence(wrong: object) -> None:
    with pytest.raises(mc.Error, match=r"^q[ =]"):
        mc.load("lwr4").configuration(wrong)


def test_every_entry_of_a_port_has_a_label_and_limits() -> None:
    robot = mc.load("hyq")
    for computation in (
        mc.forward_dynamics(robot, external_forces=[mc.Force("trunk", as_seen_by="trunk")]),
        mc.mass_matrix(robot),
    ):
        for port in (*computation.inputs, *computation.outputs):
            assert len(port.labels) == len(set(port.labels)) == port.size
            lower, upper = port.space.limits
            assert lower.shape == upper.shape == (port.size,)
    q, v, tau, _ = mc.forward_dynamics(robot, external_forces=[mc.Force("trunk", as_seen_by="trunk")]).inputs
    assert q.labels[:7] == tuple(f"root_joint.{entry}" for entry in ("x", "y", "z", "qw", "qx", "qy", "qz"))
    assert v.labels[:6] == tuple(f"root_joint.{entry}" for entry in ("rx", "ry", "rz", "x", "y", "z"))
    assert np.array_equal(tau.space.limits[1], robot.limits.effort)
    assert q.space.tangent == robot.nv
    moving = robot.q_index["LF_KFE"]
    assert q.space.limits[0][moving] == robot.limits.lower[robot.v_index["LF_KFE"]]


def test_samples_of_a_space_are_within_its_limits() -> None:
    robot, rng = mc.load("hyq"), np.random.default_rng(0)
    for port in mc.inverse_kinematics(robot, "trunk").step.inputs:
        for _ in range(20):
            lower, upper = port.space.limits
            value = port.space.draw(rng)
            assert np.all((lower <= value) & (value <= upper))
