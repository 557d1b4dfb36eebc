"""Where configurations live, joint by joint: group laws, exponentials, and Pinocchio's integrate and difference."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

import motionc as mc
from all_joints import KINDS, Coupled, Kind, build, random_tree
from oracle import Array

MOVABLE = [kind for kind in KINDS if kind is not Kind.FIXED]
seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(MOVABLE)
every = Coupled(random_tree(0, MOVABLE))
robot, world = every.free, every.world


def alone(kind: Kind, seed: int = 0) -> mc.Robot:
    return build(random_tree(seed, [kind]))


def pose(robot: mc.Robot, q: Array) -> Array:
    return mc.forward_kinematics(robot).run(q)[-1]


def test_neutral_is_where_reference_and_target_frames_meet() -> None:
    q = robot.neutral()
    frames = [name for name in robot.frame_names if name.startswith("joint:")]
    poses = dict(zip(frames, mc.forward_kinematics(robot, frames).run(q), strict=True))
    links = dict(zip(robot.link_names, mc.forward_kinematics(robot).run(q), strict=True))
    for joint in robot.joints:
        segment, name = joint.reference
        assert np.allclose(
            poses[f"joint:{joint.name}"], links[segment.name] @ segment.frame(name).pose, rtol=0, atol=1e-12
        )


@given(seeds)
def test_integrating_the_difference_arrives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q0, q1 = robot.random(rng), robot.random(rng)
    arrived = robot.integrate(q0, robot.difference(q0, q1))
    assert np.abs(robot.difference(q1, arrived)).max() < 1e-10


@given(seeds)
def test_the_difference_of_an_integration_is_the_velocity(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, v = robot.random(rng), rng.uniform(-1.7, 1.7, robot.nv)  # turns stay below π
    assert np.abs(robot.difference(q, robot.integrate(q, v)) - v).max() < 1e-10


@given(seeds)
def test_integration_is_a_flow(seed: int) -> None:
    """Zero stays, two steps are one, back is back; lengths of quaternions stay 1."""
    rng = np.random.default_rng(seed)
    q, v = robot.random(rng), 3 * rng.normal(size=robot.nv)
    s, t = rng.uniform(-1, 1, 2)
    assert np.allclose(robot.integrate(q, 0 * v), q, rtol=0, atol=1e-14)
    assert np.allclose(
        robot.integrate(robot.integrate(q, v, s), v, t), robot.integrate(q, v, s + t), rtol=0, atol=1e-11
    )
    assert np.allclose(robot.integrate(robot.integrate(q, v, t), v, -t), q, rtol=0, atol=1e-11)
    for name, where in robot.q_index.items():
        if where.stop - where.start > robot.v_index[name].stop - robot.v_index[name].start:
            assert abs(np.linalg.norm(robot.integrate(q, v)[where][-4:]) - 1) < 1e-14


@given(seeds)
def test_pinocchio_integrates_and_differs_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q0, q1, v = robot.random(rng), robot.random(rng), rng.normal(size=robot.nv)
    theirs = pin.integrate(world.model, world._q(q0), world._v(v))
    # a quaternion and its opposite are one rotation
    assert np.abs(pin.difference(world.model, theirs, world._q(robot.integrate(q0, v)))).max() < 1e-10
    apart = pin.difference(world.model, world._q(q0), world._q(q1))[world.order]
    assert np.abs(apart - robot.difference(q0, q1)).max() < 1e-9


@given(seeds, st.sampled_from([Kind.PLANAR, Kind.SPHERICAL, Kind.FLOATING, Kind.HELICAL, Kind.CYLINDRICAL]))
def test_constant_velocity_is_the_exponential_of_a_twist(seed: int, kind: Kind) -> None:
    """X(t) = X(0) exp(t [S v]): S is constant in the child's frame, so its Jacobian there is too."""
    rng = np.random.default_rng(seed)
    robot = alone(kind, seed % 3)
    q, v, dt = robot.random(rng), rng.normal(size=robot.nv), rng.uniform(-1, 1)
    (w1, w2, w3), u = np.split(mc.jacobian(robot, "link1", as_seen_by="link1").run(q) @ v, 2)
    twist = np.zeros((4, 4))
    twist[:3, :3], twist[:3, 3] = [[0, -w3, w2], [w3, 0, -w1], [-w2, w1, 0]], u
    assert np.allclose(pose(robot, robot.integrate(q, v, dt)), pose(robot, q) @ expm(dt * twist), rtol=0, atol=1e-11)


@pytest.mark.parametrize("kind", [Kind.REVOLUTE, Kind.CONTINUOUS, Kind.UNIVERSAL, Kind.CYLINDRICAL, Kind.HELICAL])
def test_angles_are_not_wrapped(kind: Kind) -> None:
    robot = alone(kind)
    assert np.allclose(robot.difference(np.full(robot.nq, -9.0), np.full(robot.nq, 9.0)), 18.0, rtol=0, atol=1e-12)


def test_a_plane_turns_the_shorter_way_and_counts_its_turns() -> None:
    robot = alone(Kind.PLANAR)
    v = robot.difference(np.array([1.0, 2.0, -3.0]), np.array([1.0, 2.0, 3.0]))
    assert np.allclose(v, [6 - 2 * np.pi, 0, 0], rtol=0, atol=1e-12)
    assert np.allclose(robot.integrate(robot.neutral(), np.array([1.0, 0, 0]), 9.0), [0, 0, 9.0], rtol=0, atol=1e-12)
    # half a circle of radius 1
    assert np.allclose(
        robot.integrate(robot.neutral(), np.array([1.0, 1.0, 0.0]), np.pi), [0, 2, np.pi], rtol=0, atol=1e-12
    )


def test_random_balls_are_uniform_and_slides_short() -> None:
    drawn = np.array([robot.random(seed) for seed in range(400)])
    turns = drawn[:, robot.q_index[f"to_link{1 + MOVABLE.index(Kind.SPHERICAL)}"]]
    assert np.allclose(np.linalg.norm(turns, axis=1), 1, rtol=0, atol=1e-12)
    assert np.abs(np.cov(turns.T) - np.eye(4) / 4).max() < 0.06
    slide = drawn[:, robot.q_index[f"to_link{1 + MOVABLE.index(Kind.CYLINDRICAL)}"]][:, 1]
    assert 0.95 < np.abs(slide).max() <= 1
    place = drawn[:, robot.q_index[f"to_link{1 + MOVABLE.index(Kind.PLANAR)}"]]
    assert (np.abs(place).max(axis=0) <= (1, 1, np.pi)).all()
    assert np.abs(place[:, 2]).max() > 3


@given(seeds, kinds)
def test_a_joint_held_at_zero_is_as_good_as_a_weld(seed: int, kind: Kind) -> None:
    pieces = random_tree(seed % 50, [Kind.REVOLUTE, kind, Kind.REVOLUTE])
    free, held = (build(pieces, mimic="independent", **fixed) for fixed in ({}, {"fixed": ["to_link2"]}))
    q = free.neutral()
    q[free.q_index["to_link1"]], q[free.q_index["to_link3"]] = 0.3, -0.7
    assert np.allclose(
        mc.forward_kinematics(held).run([0.3, -0.7]), mc.forward_kinematics(free).run(q), rtol=0, atol=1e-12
    )
