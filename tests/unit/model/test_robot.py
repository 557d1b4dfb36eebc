"""A robot one can compute with: names, indices, limits, configurations, held joints and followers."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation as Turn

from motionc.errors import Error
from motionc.model import (
    Attachment,
    Joint,
    JointType,
    Limits,
    Link,
    Mimic,
    Robot,
    Role,
    Transmission,
    placed,
)
from motionc.solvers.forward_kinematics import ForwardKinematics
from written_tree import Tree, agree, followers, joint_pose, link_poses

Array = np.ndarray[Any, Any]
seeds = st.integers(0, 2**32 - 1)


def computed_poses(robot: Robot, q: Array) -> dict[str, Array]:
    return dict(zip(robot.link_names, ForwardKinematics().solver(robot).run(q)["pose"], strict=True))


def branched(seed: int = 0) -> Tree:
    """A tree whose joints are listed neither depth-first nor breadth-first."""
    return (
        Tree(seed)
        .add("a", "base", "A")
        .add("b", "base", "B", JointType.PRISMATIC)
        .add("b1", "B", "B1", JointType.CONTINUOUS)
        .add("a1", "A", "A1", JointType.FIXED)
        .add("a11", "A1", "A11", JointType.FLOATING)
        .add("a12", "A1", "A12")
    )


# ---------------------------------------------------------------- names and indices


def test_joints_are_ordered_depth_first_children_as_listed():
    robot = branched().robot()
    assert robot.joint_names == ("a", "a11", "a12", "b", "b1")
    assert tuple(joint.name for joint in robot.joints) == ("a", "a1", "a11", "a12", "b", "b1")
    assert robot.link_names == ("base", "A", "A1", "A11", "A12", "B", "B1")
    assert repr(robot) == "Robot('tree', nq=11, nv=10)"


def test_every_joint_has_its_slices_in_q_and_v():
    robot = branched().robot()
    sizes = {"a": (1, 1), "a11": (7, 6), "a12": (1, 1), "b": (1, 1), "b1": (1, 1)}
    q, v = 0, 0
    for name, (nq, nv) in sizes.items():
        assert (robot.q_index[name], robot.v_index[name]) == (slice(q, q + nq), slice(v, v + nv))
        q, v = q + nq, v + nv
    assert (robot.nq, robot.nv) == (q, v) == (11, 10)
    assert tuple(robot.q_index) == tuple(robot.v_index) == robot.joint_names


def test_a_floating_root_comes_first():
    robot = branched().robot(floating=True)
    assert robot.joint_names == ("root_joint", "a", "a11", "a12", "b", "b1")
    assert (robot.q_index["root_joint"], robot.v_index["root_joint"]) == (slice(0, 7), slice(0, 6))
    assert robot.q_index["a"] == slice(7, 8)


def test_every_frame_can_be_addressed_by_name():
    tree = branched()
    tree.links["A"] = replace(tree.links["A"], frames=(*tree.links["A"].frames, Attachment("tool", Role.FEATURE)))
    robot = tree.robot()
    assert set(robot.frame_names) == {
        *("world", *robot.link_names, "tool"),
        *(f"joint:{joint.name}" for joint in robot.joints),
    }


def test_a_feature_frame_of_a_segment_can_be_addressed():
    tree = branched()
    tree.frames["A"].append(Attachment("camera", Role.FEATURE, placed((1, 0, 0))))
    robot = tree.robot()
    assert robot.findings.ok
    assert "camera" in robot.links[1].frames
    assert "camera" in robot.frame_names


def test_links_are_as_written_fixed_ones_too():
    moments, pose = np.diag([1.0, 2.0, 2.5]), placed((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    frames = (Attachment("hand", Role.FEATURE), Attachment("heavy", Role.INERTIA, pose))
    tree = Tree().add("weld", "base", "hand", JointType.FIXED)
    tree.links["hand"] = Link("hand", frames, 3.0, moments)
    base, hand = tree.robot().links
    assert (base.name, hand.name, hand.mass, hand.frames) == ("base", "hand", 3.0, ("hand", "heavy", "weld:child"))
    assert np.allclose(hand.com, (0.1, 0.2, 0.3), rtol=0, atol=1e-12)
    assert np.allclose(hand.inertia, pose[:3, :3] @ moments @ pose[:3, :3].T, rtol=0, atol=1e-12)


def test_a_robot_of_one_link_has_no_coordinates_until_it_floats():
    alone = Tree().robot()
    assert (alone.nq, alone.nv, alone.link_names, alone.frame_names) == (0, 0, ("base",), ("world", "base"))
    assert Tree().robot(floating=True).neutral().tolist() == [0, 0, 0, 1, 0, 0, 0]


# ---------------------------------------------------------------- limits


def limited() -> Tree:
    return (
        Tree()
        .add("both", "base", "A", limits=Limits(-0.5, 0.25, 2.0, 30.0))
        .add("below", "A", "B", limits=Limits(lower=7.0))
        .add("above", "B", "C", limits=Limits(upper=-7.0))
        .add("none", "C", "D", JointType.CONTINUOUS)
        .add("slide", "D", "E", JointType.PRISMATIC)
        .add("stuck", "E", "F", limits=Limits(0.5, 0.5))
    )


def test_limits_are_in_the_order_of_v_and_infinite_where_nothing_is_said():
    limits = limited().robot(floating=True).limits
    inf = np.inf
    assert limits.names == (*["root_joint"] * 6, "both", "below", "above", "none", "slide", "stuck")
    assert limits.lower.tolist() == [*[-inf] * 6, -0.5, 7.0, -inf, -inf, -inf, 0.5]
    assert limits.upper.tolist() == [*[inf] * 6, 0.25, inf, -7.0, inf, inf, 0.5]
    assert limits.velocity.tolist() == [*[inf] * 6, 2.0, *[inf] * 5]
    assert limits.effort.tolist() == [*[inf] * 6, 30.0, *[inf] * 5]


def test_limits_of_several_coordinates_are_said_for_all_or_one_by_one():
    each = (Limits(-1, 2, 3, 4), Limits(-5, 6, 7, 8), Limits(-9, 10, 11, 12))
    robot = (
        Tree()
        .add("both", "base", "A", JointType.CYLINDRICAL, limits=Limits(-1, 1, 2, 3))
        .add("table", "A", "B", JointType.PLANAR, coordinate_limits=each)
        .add("ball", "B", "C", JointType.SPHERICAL, limits=Limits(velocity=5, effort=6))
        .robot()
    )
    inf = np.inf
    assert robot.limits.names == ("both", "both", "table", "table", "table", "ball", "ball", "ball")
    assert robot.limits.lower.tolist() == [-1, -1, -1, -5, -9, -inf, -inf, -inf]
    assert robot.limits.upper.tolist() == [1, 1, 2, 6, 10, inf, inf, inf]
    assert robot.limits.velocity.tolist() == [2, 2, 3, 7, 11, 5, 5, 5]
    assert robot.limits.effort.tolist() == [3, 3, 4, 8, 12, 6, 6, 6]
    drawn = np.array([robot.random(seed)[robot.q_index["table"]] for seed in range(200)])
    # q is x, y, θ where v is θ, x, y
    assert np.allclose(drawn.min(axis=0), (-5, -9, -1), atol=0.5)
    assert np.allclose(drawn.max(axis=0), (6, 10, 2), atol=0.5)


@settings(deadline=None, max_examples=50)
@given(seeds)
def test_random_configurations_are_within_limits(seed: int):
    robot = limited().robot(floating=True)
    q = robot.random(seed)
    joints = q[7:]
    assert q.shape == (robot.nq,)
    assert (joints >= robot.limits.lower[6:]).all()
    assert (joints <= robot.limits.upper[6:]).all()
    assert abs(np.linalg.norm(q[3:7]) - 1.0) < 1e-12
    assert (np.abs(q[:3]) <= 1.0).all()
    assert abs(joints[3]) <= np.pi
    assert abs(joints[4]) <= 1.0
    assert 7.0 <= joints[1] <= 7.0 + 2 * np.pi
    assert -7.0 - 2 * np.pi <= joints[2] <= -7.0


def test_random_is_reproducible_and_takes_a_generator():
    robot = branched().robot()
    assert np.array_equal(robot.random(3), robot.random(np.random.default_rng(3)))
    assert not np.array_equal(robot.random(3), robot.random(4))
    rng = np.random.default_rng(3)
    assert not np.array_equal(robot.random(rng), robot.random(rng))


def test_random_rotations_are_uniform():
    """The mean of a uniform rotation matrix is zero, and both hemispheres of quaternions are the same rotations."""
    robot, rng = Tree().robot(floating=True), np.random.default_rng(0)
    turns = Turn.from_quat([robot.random(rng)[3:] for _ in range(4000)], scalar_first=True).as_matrix()
    assert np.abs(turns.mean(axis=0)).max() < 0.04


# ---------------------------------------------------------------- configurations


def test_neutral_is_zero_and_the_identity():
    q = branched().robot(floating=True).neutral()
    expected = np.zeros(18)
    expected[[3, 11]] = 1.0  # root_joint and a11, after x y z each
    assert np.array_equal(q, expected)


def same_configuration(robot: Robot, q0: Array, q1: Array, tolerance: float = 1e-12) -> bool:
    """Equal, where a quaternion and its opposite are the same rotation."""
    for name, where in robot.q_index.items():
        a, b = q0[where], q1[where]
        if len(a) == 7:
            sign = np.sign(a[3:] @ b[3:])
            b = np.concatenate([b[:3], sign * b[3:]])
        if np.abs(a - b).max() > tolerance * max(1.0, np.abs(a).max()):
            raise AssertionError(f"{name}: {a} != {b}")
    return True


floating_tree = branched().robot(floating=True)


@settings(deadline=None, max_examples=50)
@given(seeds)
def test_integrating_the_difference_arrives(seed: int):
    rng = np.random.default_rng(seed)
    q0, q1 = floating_tree.random(rng), floating_tree.random(rng)
    v = floating_tree.difference(q0, q1)
    assert same_configuration(floating_tree, floating_tree.integrate(q0, v, 1.0), q1, 1e-11)
    assert same_configuration(floating_tree, floating_tree.integrate(q0, v), q1, 1e-11)


@settings(deadline=None, max_examples=50)
@given(seeds)
def test_the_difference_of_an_integration_is_the_velocity(seed: int):
    rng = np.random.default_rng(seed)
    q, v = floating_tree.random(rng), rng.uniform(-1.7, 1.7, floating_tree.nv)  # turns stay below π
    dt = rng.uniform(0.1, 1.0)
    reached = floating_tree.integrate(q, v, dt)
    assert np.abs(floating_tree.difference(q, reached) - v * dt).max() < 1e-10


@settings(deadline=None, max_examples=50)
@given(seeds)
def test_integration_is_a_flow(seed: int):
    """Zero stays, two steps are one, back is back."""
    rng = np.random.default_rng(seed)
    q, v = floating_tree.random(rng), rng.normal(size=floating_tree.nv)
    move = floating_tree.integrate
    assert same_configuration(floating_tree, move(q, np.zeros_like(v), 1.0), q)
    assert same_configuration(floating_tree, move(q, v, 0.0), q)
    assert same_configuration(floating_tree, move(move(q, v, 0.3), v, 0.5), move(q, v, 0.8), 1e-11)
    assert same_configuration(floating_tree, move(move(q, v, 0.7), v, -0.7), q, 1e-11)
    assert np.abs(floating_tree.difference(q, q)).max() < 1e-12


@settings(deadline=None, max_examples=25)
@given(seeds)
def test_a_floating_base_follows_the_exponential_of_its_twist(seed: int):
    """q = (x y z, quaternion), v = (ω; v) as seen by the base: X(t) = X(0) exp(t [V])."""
    rng = np.random.default_rng(seed)
    robot = Tree().robot(floating=True)
    q, v, dt = robot.random(rng), rng.normal(size=6), rng.uniform(-1, 1)
    w, u = v[:3], v[3:]
    matrix = np.array([[0, -w[2], w[1], u[0]], [w[2], 0, -w[0], u[1]], [-w[1], w[0], 0, u[2]], [0, 0, 0, 0]])
    float_joint = Joint("f", JointType.FLOATING, (Tree().chain().root, ""), (Tree().chain().root, ""))
    moved = joint_pose(float_joint, robot.integrate(q, v, dt))
    assert np.abs(moved - joint_pose(float_joint, q) @ expm(matrix * dt)).max() < 1e-12


def test_a_quaternion_of_any_length_is_a_rotation():
    robot = Tree().robot(floating=True)
    q = robot.random(1)
    scaled = np.concatenate([q[:3], -2.5 * q[3:]])
    assert np.abs(robot.difference(q, scaled)).max() < 1e-12
    assert agree(computed_poses(robot, q), computed_poses(robot, scaled))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda r: r.integrate(np.zeros(10), np.zeros(10), 1.0), "q has shape (10,); tree needs (11,)"),
        (lambda r: r.integrate(r.neutral(), np.zeros(11), 1.0), "v has shape (11,); tree needs (10,)"),
        (lambda r: r.integrate(np.zeros((11, 1)), np.zeros(10), 1.0), "q has shape (11, 1); tree needs (11,)"),
        (lambda r: r.difference(0.0, np.zeros(11)), "q0 has shape (); tree needs (11,)"),
        (lambda r: r.difference(r.neutral(), []), "q1 has shape (0,); tree needs (11,)"),
    ],
)
def test_a_bad_shape_is_said_in_a_sentence(call: Callable[[Robot], Any], said: str):
    with pytest.raises(Error, match=re.escape(said)):
        call(branched().robot())


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda r: r.integrate("words", [0.0]), id="words"),
        pytest.param(lambda r: r.integrate([np.nan], [0.0]), id="q that is no number"),
        pytest.param(lambda r: r.integrate([0.0], [1.0], np.nan), id="dt that is no number"),
    ],
)
def test_bad_numbers_are_said_in_a_sentence(call: Callable[[Robot], Any]):
    with pytest.raises(Error):
        call(Tree().add("a", "base", "A").robot())


# ---------------------------------------------------------------- floating


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        (
            Tree().add("f", "base", "A", JointType.FLOATING),
            r"floats already \(joint f\); load it without floating=True",
        ),
        (Tree(root="world").add("a", "world", "A"), "root link of tree is the world itself"),
        (Tree().add("root_joint", "base", "A"), "has a joint called root_joint; rename it"),
        pytest.param(
            Tree().add("a", "base", "A").add("f", "base", "B", JointType.FLOATING),
            r"floats already \(joint f\)",
        ),
    ],
    ids=["floats already", "on the world", "name taken", "floats already by its second joint"],
)
def test_floating_what_cannot_float_is_an_error(tree: Tree, said: str):
    assert tree.robot().nv > 0
    with pytest.raises(Error, match=said):
        tree.robot(floating=True)


@pytest.mark.parametrize("seed", range(3))
def test_a_floating_robot_is_where_its_base_is(seed: int):
    tree = branched(seed)
    robot, rng = tree.robot(floating=True), np.random.default_rng(seed)
    q = robot.random(rng)
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = Turn.from_quat(q[3:7], scalar_first=True).as_matrix(), q[:3]
    at = {name: q[where] for name, where in robot.q_index.items()}
    assert agree(computed_poses(robot, q), link_poses(robot.chain, at, base))


# ---------------------------------------------------------------- held joints


def test_held_joints_leave_q_and_v():
    robot = branched().robot(fixed=["a", "a11"])
    assert robot.joint_names == ("a12", "b", "b1")
    assert (robot.nq, robot.nv) == (3, 3)
    assert branched().robot(fixed="a").joint_names == branched().robot(fixed=("a",)).joint_names


@pytest.mark.parametrize("seed", range(3))
def test_a_held_joint_is_where_it_would_be_at_that_value(seed: int):
    tree, rng = branched(seed), np.random.default_rng(seed)
    free = tree.robot()
    q = free.random(rng)
    q[free.q_index["a11"]] = free.neutral()[free.q_index["a11"]]
    values = {"a": 0.7, "b": -0.3, "a11": 0.0, "b1": 4.0}
    held = tree.robot(fixed=values)
    assert held.joint_names == ("a12",)
    for name, value in values.items():
        if name != "a11":
            q[free.q_index[name]] = value
    assert agree(computed_poses(held, q[free.q_index["a12"]]), computed_poses(free, q))


def test_names_alone_hold_at_zero():
    tree = branched()
    by_name, by_value = tree.robot(fixed=["a", "b"]), tree.robot(fixed={"a": 0.0, "b": 0.0})
    q = by_name.random(0)
    assert agree(computed_poses(by_name, q), computed_poses(by_value, q))


@pytest.mark.parametrize(
    ("fixed", "said"),
    [
        (["sholder"], "fixed='sholder': tree has no such joint; did you mean shoulder?"),
        ({"wrsit": 1.0}, "fixed='wrsit': tree has no such joint; did you mean wrist?"),
        (["zz"], "fixed='zz': tree has no such joint; there are shoulder, wrist, free"),
        ({"wrist": np.nan}, "fixed: wrist=nan; hold it at a finite value"),
        ({"wrist": np.inf}, "fixed: wrist=inf; hold it at a finite value"),
        ({"free": 1.0}, "fixed={'free': 1.0}: a floating joint can only be held at 0"),
    ],
)
def test_what_cannot_be_held_is_said_with_a_suggestion(fixed: Any, said: str):
    tree = Tree().add("shoulder", "base", "A").add("wrist", "A", "B").add("free", "B", "C", JointType.FLOATING)
    with pytest.raises(Error, match=re.escape(said)):
        tree.robot(fixed=fixed)


@pytest.mark.parametrize("fixed", [{"weld": 0.5}, {"a": "half"}], ids=["a value for a fixed joint is dropped", "words"])
def test_a_value_that_means_nothing_is_said(fixed: Any):
    with pytest.raises(Error):
        Tree().add("a", "base", "A").add("weld", "A", "B", JointType.FIXED).robot(fixed=fixed)


# ---------------------------------------------------------------- followers


def test_chains_of_followers_resolve_to_their_leader():
    robot = followers().robot()
    assert robot.joint_names == ("a", "d")
    assert (robot.nq, robot.nv) == (2, 2)
    assert robot.limits.names == ("a", "d")
    assert {name: leader for name, (leader, _, _) in robot.followers.items()} == {"b": "a", "c": "a"}
    assert np.allclose(robot.followers["b"][1:], (2.0, 0.1), rtol=0, atol=1e-12)
    assert np.allclose(robot.followers["c"][1:], (-6.0, 0.2), rtol=0, atol=1e-12)  # -3 (2 q + 0.1) + 0.5


@pytest.mark.parametrize("last", [JointType.REVOLUTE, JointType.PRISMATIC])
def test_followers_are_where_their_leader_puts_them(last: JointType):
    robot = followers(last).robot()
    q = robot.random(1)
    at = {"a": q[0], "b": 2 * q[0] + 0.1, "c": -3 * (2 * q[0] + 0.1) + 0.5, "d": q[1]}
    assert agree(computed_poses(robot, q), link_poses(robot.chain, at))


def test_independent_followers_have_coordinates_of_their_own():
    robot = followers().robot(mimic="independent")
    assert robot.joint_names == ("c", "a", "b", "d")
    assert not robot.followers
    q = robot.random(2)
    assert agree(computed_poses(robot, q), link_poses(robot.chain, dict(zip(robot.joint_names, q, strict=True))))


def test_a_held_leader_holds_its_followers_where_they_belong():
    robot = followers().robot(fixed={"a": 0.2})
    assert robot.joint_names == ("d",)
    assert not robot.followers
    at = {"a": 0.2, "b": 0.5, "c": -1.0, "d": 0.3}
    assert agree(computed_poses(robot, np.array([0.3])), link_poses(robot.chain, at))


def test_a_held_follower_no_longer_follows_and_leads_where_it_is_held():
    robot = followers().robot(fixed={"b": 0.4})
    assert robot.joint_names == ("a", "d")
    at = {"a": 0.7, "b": 0.4, "c": -3 * 0.4 + 0.5, "d": 0.3}
    assert agree(computed_poses(robot, np.array([0.7, 0.3])), link_poses(robot.chain, at))


def test_a_follower_of_a_fixed_joint_stays_at_its_offset():
    tree = Tree(6).add("weld", "base", "A", JointType.FIXED).add("f", "A", "B", mimic=Mimic("weld", 2.0, 0.3))
    robot = tree.robot()
    assert robot.nq == 0
    assert agree(computed_poses(robot, np.zeros(0)), link_poses(robot.chain, {"f": 0.3}))


def test_who_follows_nothing_leads_nowhere():
    """Kc6 notes that a fixed joint with a mimic follows nothing; a joint behind it must not either."""
    tree = Tree(7).add("a", "base", "A").add("b", "A", "B", JointType.FIXED, mimic=Mimic("a", 2.0, 0.1))
    chain = tree.add("c", "B", "C", mimic=Mimic("b", 3.0, 0.2)).chain()
    robot = Robot(chain)
    assert "follows nothing" in str(robot.findings)
    assert not robot.followers


def test_an_unknown_way_to_mimic_is_an_error():
    with pytest.raises(Error, match="mimic='leader'; say 'follow' or 'independent'"):
        followers().robot(mimic="leader")


# ---------------------------------------------------------------- idle joints


def test_idle_joints_are_named_unless_held():
    tree = Tree().add("a", "base", "A").add("idle", "A", "B").add("slow", "A", "C", transmission=Transmission(0.1))
    for name in ("B", "C"):
        tree.links[name] = Link.rigid(name)
    assert tree.robot().idle_joints == ("idle",)
    assert tree.robot(fixed=["idle"]).idle_joints == ()
    assert [str(item.rule) for item in tree.robot().findings] == ["Dy1"]
