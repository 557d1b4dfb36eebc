"""Hybrid dynamics: any part of the joints prescribed, against dense partitioned solves with Pinocchio's M and h."""

import numpy as np
import pytest

import motionc as mc
from all_joints import Moving
from motionc.solvers import hybrid_dynamics
from motionc.sweeps import breadth_first
from mutants import tree
from oracle import Array, error, load, oracle, partition
from rows import row
from trials import some, trials

# by articulated bodies wherever joints are independent; by blocks of M
ROUTES = {"articulated": -1, "partitioned": 1000}


def mask(robot: mc.Robot, names: list[str]) -> Array:
    told = np.zeros(robot.nv, bool)
    for name in names:
        told[robot.v_index[name]] = True
    return told


@row("motion-stack", 23)
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("seed", range(trials(60)))
def test_any_joints_may_be_prescribed(seed: int, route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every joint type, followers, rotors, a force from outside; entries that are not used may be anything."""
    monkeypatch.setattr(hybrid_dynamics, "SOLVED_TOGETHER", ROUTES[route])
    x = Moving(seed)
    names = [name for name in x.robot.joint_names if x.rng.random() < 0.5]
    told, pushed = mask(x.robot, names), str(x.rng.choice(x.links))
    f = x.rng.normal(size=6)
    push = (x.world.jacobian(pushed, axes=pushed) @ x.G).T @ f
    hybrid = mc.hybrid_dynamics(x.robot, names, external_forces=[mc.Force(pushed, as_seen_by=pushed)])
    tau, a = partition(x.M, x.h - push, x.tau, x.a, told)
    unused = np.where(told, 1e3 * x.tau, x.tau), np.where(told, x.a, 1e3 * x.a)
    out = hybrid.run(x.q, x.v, *unused, [f])
    assert error(out.a, a) < 1e-10
    assert error(out.tau, tau) < 1e-10
    assert np.array_equal(out.a[told], x.a[told])
    assert np.array_equal(out.tau[~told], x.tau[~told])
    for other in ({"normalise": False}, {"policy": breadth_first}):
        again = hybrid.run(x.q, x.v, *unused, [f], **other)
        assert error(again.a, a) < 1e-10
        assert error(again.tau, tau) < 1e-10


@row("motion-stack", 23)
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("floating", [False, True])
def test_all_prescribed_is_inverse_and_none_is_forward_dynamics(
    floating: bool, route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hybrid_dynamics, "SOLVED_TOGETHER", ROUTES[route])
    robot, rng = tree(floating), np.random.default_rng(0)
    all_told, none_told = mc.hybrid_dynamics(robot, robot.joint_names), mc.hybrid_dynamics(robot, [])
    for _ in range(20):
        q, v, tau, a = robot.random(rng), *rng.normal(size=(3, robot.nv))
        out = all_told.run(q, v, tau, a)
        assert error(out.tau, mc.inverse_dynamics(robot).run(q, v, a)) < 1e-10
        assert np.array_equal(out.a, a)
        out = none_told.run(q, v, tau, a)
        assert error(out.a, mc.forward_dynamics(robot).run(q, v, tau)) < 1e-10
        assert np.array_equal(out.tau, tau)


def test_with_all_joints_prescribed_the_program_is_that_of_inverse_dynamics() -> None:
    robot = mc.load("lwr4")
    assert mc.hybrid_dynamics(robot, robot.joint_names).operations == mc.inverse_dynamics(robot).operations


@row("robcogen", 33)
@pytest.mark.parametrize("name", some(["anymal", "talos_reduced"]))
def test_floating_base_inverse_dynamics_lets_the_base_go_where_it_must(name: str) -> None:
    """The base is told nothing, the joints how to accelerate; forward dynamics under what is found gives the same."""
    robot, world, rng = load(name), oracle(name), np.random.default_rng(1)
    hybrid = mc.hybrid_dynamics(robot, [joint for joint in robot.joint_names if joint != "root_joint"])
    for _ in range(10):
        q, v, a = robot.random(rng), *rng.normal(size=(2, robot.nv))
        out = hybrid.run(q, v, 0 * v, a)
        assert np.array_equal(out.tau[:6], np.zeros(6))
        assert np.array_equal(out.a[6:], a[6:])
        assert error(world.inverse_dynamics(q, v, out.a), out.tau) < 1e-10
        assert error(world.forward_dynamics(q, v, out.tau), out.a) < 1e-8
    inverse, forward = (sum(f(robot).operations.values()) for f in (mc.inverse_dynamics, mc.forward_dynamics))
    assert inverse < sum(hybrid.operations.values()) < 0.9 * forward


def test_compiled_it_is_the_same() -> None:
    robot = mc.load("hyq_leg")
    q, (v, tau, a) = robot.random(1), np.random.default_rng(1).normal(size=(3, 3))
    hybrid = mc.hybrid_dynamics(robot, ["LF_HFE"])
    for ours, stepwise in zip(hybrid(q, v, tau, a).values(), hybrid.run(q, v, tau, a).values(), strict=True):
        assert error(ours, stepwise) < 1e-12


def test_a_wrong_question_gets_a_sentence() -> None:
    robot = tree(False, coupled=True)
    with pytest.raises(mc.Error, match="prescribed='hip': it follows wrist; name that joint instead"):
        mc.hybrid_dynamics(robot, ["hip"])
    with pytest.raises(mc.Error, match="no such movable joint; did you mean shoulder"):
        mc.hybrid_dynamics(robot, "sholder")
