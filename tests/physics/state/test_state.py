"""Integrate, difference and interpolate as computations: Pinocchio's numbers and derivatives, SciPy's rotations, limits
of their series, and what a robot answers itself.
"""

import copy
import pickle

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation as Turn
from scipy.spatial.transform import Slerp

import motionc as mc
from all_joints import KINDS, Coupled, Kind, build, random_tree
from cubic_screw import known
from oracle import Array, error, load

MOVABLE = [kind for kind in KINDS if kind is not Kind.FIXED]
every = Coupled(random_tree(0, MOVABLE))
robot, world = every.free, every.world
theirs = mc.orders.pinocchio(robot, world.model)
STATES = 3000


def alone(kind: Kind) -> mc.Robot:
    return build(random_tree(0, [kind]))


def one_rotation(ours: Array, reference: Array) -> Array:
    """Configurations with quaternions of the sign that the reference has."""
    ours = ours.copy()
    for name, where in robot.q_index.items():
        if where.stop - where.start > robot.v_index[name].stop - robot.v_index[name].start:
            turn = slice(where.stop - 4, where.stop)
            ours[..., turn] *= np.sign((ours[..., turn] * reference[..., turn]).sum(-1, keepdims=True))
    return ours


# ---------------------------------------------------------------- numbers


def test_batches_agree_with_pinocchio_on_every_joint_type() -> None:
    """Three thousand states, through the maps to Pinocchio's order."""
    rng = np.random.default_rng(0)
    q0, q1 = robot.random(rng, size=(2, STATES))
    v, dt, share = rng.normal(size=(STATES, robot.nv)), rng.uniform(-1, 1, STATES), rng.uniform(size=STATES)
    given = list(zip(theirs.q(q0), theirs.q(q1), theirs.v(v, q0), dt, share, strict=True))
    model = world.model
    gone = theirs.our_q([pin.integrate(model, a, t * w) for a, _, w, t, _ in given])
    way = theirs.our_v([pin.difference(model, a, b) for a, b, *_ in given], q0)
    middle = theirs.our_q([pin.interpolate(model, a, b, s) for a, b, _, _, s in given])
    plane = robot.q_index[f"to_link{1 + MOVABLE.index(Kind.PLANAR)}"].stop - 1
    for ours, reference in (
        (mc.integrate(robot).batch(q0, v, dt), gone),
        (mc.interpolate(robot).batch(q0, q1, share), middle),
    ):
        turns = np.round((ours[:, plane] - reference[:, plane]) / (2 * np.pi))
        reference[:, plane] += 2 * np.pi * turns  # theirs is a point of a circle
        assert error(one_rotation(ours, reference), reference) < 1e-10
    assert error(mc.difference(robot).batch(q0, q1), way) < 1e-9


def test_derivatives_are_pinocchios() -> None:
    """Columns per unit of v; rows of q change as N(q) says: Pinocchio's are per unit of v on both sides."""
    rng, model, G = np.random.default_rng(1), world.model, theirs.matrix(robot.neutral())
    step = mc.integrate(robot).derivative("q", ["q", "v", "dt"])
    apart = mc.difference(robot).derivative("v", ["q0", "q1"])
    for _ in range(20):
        q0, q1, v, dt = *robot.random(rng, size=2), rng.normal(size=robot.nv), rng.uniform(0.1, 1)
        a, b, w = theirs.q(q0), theirs.q(q1), theirs.v(dt * v, q0)
        by_q, by_v = (G.T @ each @ G for each in pin.dIntegrate(model, a, w))
        N = np.array([robot.rates(robot.integrate(q0, v, dt), unit) for unit in np.eye(robot.nv)]).T
        found = step.run(q0, v, dt)
        assert error(found["dq_dq"], N @ by_q) < 1e-10
        assert error(found["dq_dv"], N @ (dt * by_v)) < 1e-10
        assert error(found["dq_ddt"], N @ by_v @ v) < 1e-10
        ends = pin.dDifference(model, a, b)
        found = apart.run(q0, q1)
        for ours, reference in zip((found["dv_dq0"], found["dv_dq1"]), ends, strict=True):
            assert error(ours, G.T @ reference @ G) < 1e-8


def test_ball_joints_turn_as_scipys_rotations() -> None:
    ball, rng = alone(Kind.SPHERICAL), np.random.default_rng(2)
    q0, q1 = ball.random(rng, size=(2, 50))
    v, share = rng.normal(size=(50, 3)), rng.uniform(size=50)
    start, end = (Turn.from_quat(q, scalar_first=True) for q in (q0, q1))
    gone, middle = ball.integrate(q0, v, 0.7), ball.interpolate(q0, q1, share)
    assert (Turn.from_quat(gone, scalar_first=True).inv() * start * Turn.from_rotvec(0.7 * v)).magnitude().max() < 1e-12
    assert error(ball.difference(q0, q1), (start.inv() * end).as_rotvec()) < 1e-12
    for one, other, at, found in zip(start, end, share, middle, strict=True):
        there = Slerp([0, 1], Turn.concatenate([one, other]))(at)
        assert (there.inv() * Turn.from_quat(found, scalar_first=True)).magnitude() < 1e-12


# ---------------------------------------------------------------- where series take over, and near half a turn


@pytest.mark.parametrize("kind", [Kind.SPHERICAL, Kind.FLOATING, Kind.PLANAR])
@pytest.mark.parametrize("angle", [0.0, 1e-12, 0.9999e-4, 1.0001e-4, 1e-2, np.pi - 1e-9, np.pi - 1e-3])
def test_derivatives_are_finite_and_right_at_any_angle(kind: Kind, angle: float) -> None:
    """Against power series of ad, which have no angle to divide by: dexp = Σ (-ad)ᵏ/(k + 1)!."""
    free, rng = alone(kind), np.random.default_rng(3)
    places = [SIX.index(word) for word in free.spaces()[0].type.rates]
    twist = rng.normal(size=6)
    twist[[k for k in range(6) if k not in places]] = 0.0
    twist[:3] *= angle / np.linalg.norm(twist[:3])
    ad, v, q0 = _ad(twist)[np.ix_(places, places)], twist[places], free.random(rng)
    q1, one = free.integrate(q0, v), np.eye(free.nv)
    dexp, term = np.zeros_like(ad), one
    for k in range(1, 60):
        dexp, term = dexp + term, -term @ ad / (k + 1)
    N = np.array([free.rates(q1, unit) for unit in one]).T
    found = mc.integrate(free).derivative("q", ["q", "v"]).run(q0, v, 1.0)
    assert error(found["dq_dv"], N @ dexp) < 1e-10
    assert error(found["dq_dq"], N @ (one - dexp @ ad)) < 1e-10
    found, back = mc.difference(free).derivative("v", ["q0", "q1"]).run(q0, q1), np.linalg.inv(dexp)
    exact = 1e-11 if angle < 3 else 1e-9
    assert error(found["dv_dq1"], back) < exact
    assert error(found["dv_dq0"], ad - back) < exact


SIX = ("rx", "ry", "rz", "x", "y", "z")


def _ad(twist: Array) -> Array:
    """The matrix of [twist, ·] in se(3), angular first."""
    w, v = (np.cross(np.eye(3), part) for part in np.split(twist, 2))
    return np.block([[w, np.zeros((3, 3))], [v, w]])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_half_a_turn_has_one_answer_whatever_the_quaternions_signs(sign: float) -> None:
    ball = alone(Kind.SPHERICAL)
    for axis in ((1.0, 2.0, -2.0), (0.0, -3.0, 4.0), (0.0, 0.0, -1.0)):
        turned = np.array([0.0, *axis]) * sign
        found = ball.difference(ball.neutral(), turned)
        assert np.linalg.norm(found) == pytest.approx(np.pi, abs=1e-14)
        assert found[np.flatnonzero(axis)[0]] > 0


# ---------------------------------------------------------------- followers, joints of one's own, other tiers


def test_followers_have_no_coordinates_of_their_own() -> None:
    x = Coupled(random_tree(2, [Kind.REVOLUTE, Kind.PRISMATIC, Kind.SPHERICAL, Kind.REVOLUTE, Kind.HELICAL]))
    assert x.robot.followers
    rng = np.random.default_rng(4)
    q, v = x.robot.random(rng), rng.normal(size=x.robot.nv)
    found = mc.integrate(x.robot).run(q, v, 0.3)
    assert error(x.whole(found), mc.integrate(x.free).run(x.whole(q), x.G @ v, 0.3)) < 1e-14
    assert error(mc.difference(x.robot).run(q, found), 0.3 * v) < 1e-13


def test_a_joint_type_of_ones_own_moves_as_it_says() -> None:
    """Twice as fast as its rate, on numbers, symbols and compiled."""

    with known() as screw:
        screw.advance = lambda q, step: q + 2 * step
        screw.difference = lambda start, end: (end - start) * 0.5
        own = build(random_tree(5, [Kind.REVOLUTE, screw]), mimic="independent")
        q, v = np.array([0.1, 0.2]), np.array([1.0, -3.0])
        for answer in (mc.integrate(own), mc.integrate(own).run, own.integrate):
            assert error(answer(q, v, 0.5), [0.6, -2.8]) < 1e-15
        assert error(own.difference(q, own.integrate(q, v, 0.5)), 0.5 * v) < 1e-15
        assert error(own.interpolate(q, own.integrate(q, v, 1.0), 0.5), own.integrate(q, v, 0.5)) < 1e-15
        derivative = mc.integrate(own).derivative("q", ["v", "dt"]).run(q, v, 0.5)
        assert error(derivative["dq_dv"], np.diag([0.5, 1.0])) < 1e-15
        assert error(derivative["dq_ddt"], [1.0, -6.0]) < 1e-15


def test_single_precision_and_gpu_text_know_the_state_too() -> None:
    free = load("hyq_no_sensors")
    rng = np.random.default_rng(5)
    q, v = free.random(rng), rng.normal(size=free.nv)
    single = mc.integrate(free, precision="single")
    assert error(single.run(q, v, 0.1), free.integrate(q, v, 0.1)) < 1e-6
    assert "__global__" in "".join(mc.integrate(free).sources("cuda").values())


# ---------------------------------------------------------------- what robots answer


def test_a_flight_keeps_its_momentum_step_by_step_in_python_and_in_rows() -> None:
    """A loop of one's own on a floating robot, one state at a time and many in rows: the same numbers, hG kept."""
    x, dt = Coupled(random_tree(1, [Kind.REVOLUTE, Kind.REVOLUTE]), floating=True), 1e-3
    arm = x.free
    dynamics, momentum = mc.forward_dynamics(arm, gravity=(0, 0, 0)), mc.centroidal_momentum(arm)
    rng = np.random.default_rng(6)
    Q, V = arm.random(rng, size=4), 0.3 * rng.normal(size=(4, arm.nv))
    q, v, tau = Q[0], V[0], np.zeros(arm.nv)
    before = momentum.run(q, v)
    for _ in range(50):
        v = v + dt * dynamics(q, v, tau)
        q = arm.integrate(q, v, dt)
        V = V + dt * dynamics.batch(Q, V, tau)
        Q = arm.integrate(Q, V, dt)
    assert error(Q[0], q) < 1e-12
    assert error(V[0], v) < 1e-12
    assert np.abs(momentum.run(q, v)[3:] - before[3:]).max() < 2e-3 * np.abs(before[3:]).max()
    assert error(momentum.run(q, v), x.world.momentum(q, v)[0]) < 1e-10


def test_copies_and_pickles_of_a_robot_move_as_it_does() -> None:
    arm = mc.load("planar2")
    q, v = np.array([0.1, 0.2]), np.array([1.0, 2.0])
    there = arm.integrate(q, v, 0.5)
    assert np.array_equal(arm.integrate(q, v, 0.5), there)
    for other in (pickle.loads(pickle.dumps(arm)), copy.deepcopy(arm)):
        assert np.array_equal(other.integrate(q, v, 0.5), there)
