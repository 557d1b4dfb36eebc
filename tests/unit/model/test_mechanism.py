"""A robot as sweeps see it: normalised or as written it is the same robot, whatever is fused, turned or snapped."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import motionc as mc
from motionc.geometry import WORLD, WORLD_FRAME, Pose, RigidInertia
from motionc.model import (
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Link,
    Robot,
    Role,
    Segment,
    Transmission,
    check_chain,
    placed,
)
from motionc.model.mechanism import Mechanism, MovingBody
from motionc.solvers.forward_dynamics import ForwardDynamics
from motionc.solvers.inverse_dynamics import InverseDynamics
from oracle import error
from public_robots import every_public_file
from rows import row
from written_tree import Tree, agree, followers, joint_pose, link_poses

Array = np.ndarray[Any, Any]
TURNED = [3, 4, 5, 0, 1, 2]  # Pinocchio has the linear part in front


def with_tools(tree: Tree) -> Tree:
    """A feature frame on every link."""
    for name, link in tree.links.items():
        tool = Attachment(f"{name}-tool", Role.FEATURE, tree.pose())
        tree.links[name] = replace(link, frames=(*link.frames, tool))
    return tree


def tree(seed: int) -> Tree:
    """Joints of every type, fixed ones at the root, in the middle and at the end, axes and frames askew."""
    return with_tools(
        Tree(seed)
        .add("plate", "base", "plate", JointType.FIXED)
        .add("a", "plate", "A")
        .add("weld", "A", "flange", JointType.FIXED)
        .add("b", "flange", "B", JointType.PRISMATIC)
        .add("tip", "B", "tip", JointType.FIXED)
        .add("nail", "tip", "nail", JointType.FIXED)
        .add("c", "flange", "C", JointType.CONTINUOUS)
        .add("d", "C", "D", axis=(0.0, 0.0, 1.0))
        .add("e", "C", "E", JointType.FLOATING)
    )


def body_poses(mechanism: Mechanism, q: Array) -> list[Pose]:
    """Where each body is in the world: its parent, the way to the joint, the joint."""
    found: list[Pose] = []
    for body in mechanism.bodies:
        parent = Pose.between(WORLD_FRAME, WORLD_FRAME) if body.parent < 0 else found[body.parent]
        joint = body.joint
        values = q[joint.q].reshape(-1, 1)
        if joint.type is not JointType.FLOATING:
            values = values * joint.gain + joint.offset
        found.append(parent.compose(joint.reference).compose(joint.relative_pose(values)))
    return found


def frame_poses(mechanism: Mechanism, q: Array) -> dict[str, Array]:
    """Every frame's 4×4 pose in the world."""
    at = [*body_poses(mechanism, q), Pose.between(WORLD_FRAME, WORLD_FRAME)]  # -1 is the world
    return {name: at[index].compose(pose).matrix for name, (index, pose) in mechanism.frames.items()}


def expected_poses(robot: Robot, at: dict[str, Any]) -> dict[str, Array]:
    """The same from the chain's own matrices."""
    links = link_poses(robot.chain, at)
    poses = {"world": np.eye(4)}
    for segment in robot.chain.segments:
        for frame in segment.link.frames:
            if frame.role is not Role.INERTIA:
                name = segment.name if frame.name == segment.link.reference else frame.name
                poses[name] = links[segment.name] @ frame.pose
    for joint in robot.chain.joints:
        segment, name = joint.target
        poses[f"joint:{joint.name}"] = links[segment.name] @ segment.frame(name).pose
    return poses


def moving_bodies(mechanism: Mechanism) -> list[MovingBody]:
    """The bodies some joint moves; as written, what is fixed to the world is a body too."""
    return [
        body
        for body in mechanism.bodies
        if any(mechanism.bodies[k].joint.type is not JointType.FIXED for k in mechanism.path(body.index))
    ]


def whole(mechanism: Mechanism, q: Array) -> Array:
    """The inertia of everything that moves, about the world's origin in its axes, 6×6."""
    total, poses = np.zeros((6, 6)), body_poses(mechanism, q)
    for body in moving_bodies(mechanism):
        pose = poses[body.index]
        moved = body.inertia.change_frame(pose.orientation).change_point(pose.position.inverse())
        total += dense(moved)
    return total


def dense(inertia: RigidInertia) -> Array:
    blocks = inertia.articulated()
    return np.block([[blocks.angular, blocks.mixed], [blocks.mixed.T, blocks.linear]])


# ---------------------------------------------------------------- normalisation is invisible


@pytest.mark.parametrize("options", [{}, {"floating": True}, {"fixed": {"a": 0.4, "b": -0.2}}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_every_frame_is_where_the_chain_says_normalised_or_not(seed: int, options: dict[str, Any]):
    robot = tree(seed).robot(**options)
    for q in (robot.neutral(), robot.random(seed), robot.random(seed + 1)):
        normalised, as_written = (frame_poses(robot.as_mechanism(normalise=n), q) for n in (True, False))
        assert tuple(normalised) == tuple(as_written) == robot.frame_names
        assert agree(normalised, as_written)
        if "floating" not in options:
            at = {name: q[where] for name, where in robot.q_index.items()} | options.get("fixed", {})
            assert agree(normalised, expected_poses(robot, at))


@pytest.mark.parametrize("mimic", ["follow", "independent"])
def test_followers_are_the_same_normalised_or_not(mimic: Any):
    robot = with_tools(followers()).robot(mimic=mimic)
    mechanism = robot.mechanism
    assert mechanism.coupled is (mimic == "follow")
    q = robot.random(1)
    assert agree(frame_poses(mechanism, q), frame_poses(robot.as_mechanism(normalise=False), q))


@every_public_file
def test_real_robots_are_the_same_normalised_or_not(file: Path):
    robot = mc.load(file)
    for q in (robot.neutral(), robot.random(0)):
        normalised, as_written = (robot.as_mechanism(normalise=n) for n in (True, False))
        assert agree(frame_poses(normalised, q), frame_poses(as_written, q))
        assert np.allclose(whole(normalised, q), whole(as_written, q), rtol=0, atol=1e-10 * robot_mass(robot))


def robot_mass(robot: Robot) -> float:
    return sum(link.mass or 0.0 for link in robot.links)


def test_axes_become_z_and_only_inside():
    robot = tree(0).robot()
    for body in robot.mechanism.bodies:
        basis = body.joint.basis(body.body, WORLD)
        if body.joint.type is not JointType.FLOATING:
            assert tuple(body.joint.axis) == (0.0, 0.0, 1.0)
            six = np.vstack([basis.angular, basis.linear]).ravel()
            assert six.tolist() == np.eye(6)[5 if body.joint.type is JointType.PRISMATIC else 2].tolist()
    axes = {joint.name: joint.axis for joint in robot.joints}
    for body in robot.as_mechanism(normalise=False).bodies:
        if body.joint.type in (JointType.REVOLUTE, JointType.PRISMATIC, JointType.CONTINUOUS):
            given = np.asarray(axes[body.joint.name])
            assert np.allclose(body.joint.axis, given / np.linalg.norm(given), rtol=0, atol=1e-15)


def test_links_that_cannot_move_against_each_other_become_one_body():
    robot = tree(0).robot()
    names = [body.joint.name for body in robot.mechanism.bodies]
    assert names == ["a", "b", "c", "d", "e"]
    assert [body.joint.name for body in robot.as_mechanism(normalise=False).bodies] == [j.name for j in robot.joints]
    assert [body.joint.name for body in tree(0).robot(fixed=["b", "e"]).mechanism.bodies] == ["a", "c", "d"]
    index = {name: where for name, (where, _) in robot.mechanism.frames.items()}
    assert index["A"] == index["flange"] == index["joint:weld"]
    assert index["B"] == index["tip"] == index["nail"] == index["nail-tool"]
    assert index["world"] == index["base"] == index["plate"] == -1


def test_parents_come_before_children_and_paths_start_at_the_root():
    mechanism = tree(0).robot().mechanism
    assert all(body.parent < body.index for body in mechanism.bodies)
    assert [mechanism.bodies[k].joint.name for k in mechanism.path(3)] == ["a", "c", "d"]
    assert mechanism.path(-1) == []
    assert mechanism.body_frame(-1) == WORLD_FRAME
    assert mechanism.body_frame(3) == mechanism.bodies[3].frame


def test_constants_near_zero_and_one_are_exact():
    """cos(π/2) from a file is 6e-17; after normalisation it is 0."""
    base = Segment(
        "base", Link.rigid("base"), (Attachment("b", Role.JOINT, placed((1, 0, 0), (np.pi / 2, 0, np.pi / 2))),)
    )
    arm = Segment(
        "arm",
        Link.rigid("arm", 2.0, (1e-15, 0.5, 0), (1, 1, 1), features={"tool": placed(rpy=(0, np.pi / 2, 0))}),
        (Attachment("a", Role.JOINT),),
    )
    chain = KinematicChain("r", (Joint("j", JointType.REVOLUTE, target=(arm, "a"), reference=(base, "b")),))
    normalised, as_written = (Robot(chain).as_mechanism(normalise=n) for n in (True, False))
    turn = normalised.bodies[0].joint.reference.orientation.matrix
    tool = normalised.frames["tool"][1].orientation.matrix
    assert set(np.unique(np.abs(turn))) == set(np.unique(np.abs(tool))) == {0.0, 1.0}
    assert normalised.bodies[0].inertia.first_moment.ravel().tolist() == [0.0, 1.0, 0.0]
    assert not set(np.unique(np.abs(as_written.bodies[0].joint.reference.orientation.matrix))) <= {0.0, 1.0}


def test_what_a_file_says_is_never_taken_for_rounding():
    """π to twelve digits, and the moments of a link that weighs next to nothing."""
    moments = np.array([[2e-10, 1e-14, 0], [1e-14, 3e-10, -2e-13], [0, -2e-13, 3e-10]])
    base = Segment("base", Link.rigid("base"), (Attachment("b", Role.JOINT, placed(rpy=(0, 3.14159265359, 0))),))
    tip = Segment("tip", Link.rigid("tip", 1e-6, (3e-7, 0, 0), moments), (Attachment("a", Role.JOINT),))
    joint = Joint("j", JointType.REVOLUTE, (tip, "a"), (base, "b"), (0.0, 0.0, 1.0))
    normalised, as_written = (
        Robot(KinematicChain("r", (joint,))).as_mechanism(normalise=n).bodies[0] for n in (True, False)
    )
    turn, way = (body.joint.reference.orientation.matrix for body in (normalised, as_written))
    assert np.array_equal(turn, way)
    assert np.array_equal(normalised.inertia.first_moment, as_written.inertia.first_moment)
    assert np.array_equal(normalised.inertia.rotational, as_written.inertia.rotational)


# ---------------------------------------------------------------- inertia is kept


@pytest.mark.parametrize("options", [{}, {"floating": True}, {"fixed": ["b", "c"]}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_fusing_keeps_mass_centre_and_inertia(seed: int, options: dict[str, Any]):
    robot = tree(seed).robot(**options)
    normalised, as_written = (robot.as_mechanism(normalise=n) for n in (True, False))
    moving = [link for link in robot.links if options.get("floating") or link.name not in ("base", "plate")]
    for mechanism in (normalised, as_written):
        masses = [body.inertia.mass.item() for body in moving_bodies(mechanism)]
        assert np.isclose(sum(masses), sum(link.mass or 0.0 for link in moving), rtol=1e-14)
    for q in (robot.neutral(), robot.random(seed)):
        assert np.allclose(whole(normalised, q), whole(as_written, q), rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_the_whole_robot_weighs_the_same_about_every_axis(seed: int):
    """Against the links' own numbers: Σ of each link's inertia about the world's origin."""
    robot = tree(seed).robot(floating=True)
    q = robot.random(seed)
    base = frame_poses(robot.mechanism, q)["base"]
    at = {name: q[where] for name, where in robot.q_index.items()}
    poses, expected = link_poses(robot.chain, at, base), np.zeros((6, 6))
    for link in robot.links:
        R, p = poses[link.name][:3, :3], poses[link.name][:3, 3]
        x, y, z = com = R @ link.com + p
        c = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        moments = R @ link.inertia @ R.T + link.mass * (com @ com * np.eye(3) - np.outer(com, com))
        expected += np.block([[moments, link.mass * c], [-link.mass * c, link.mass * np.eye(3)]])
    for normalise in (True, False):
        assert np.allclose(whole(robot.as_mechanism(normalise=normalise), q), expected, rtol=0, atol=1e-11)


# ---------------------------------------------------------------- polarity


def one_joint(kind: JointType, swapped: bool) -> KinematicChain:
    """A and B joined at askew frames {a} and {b}; swapped, A is the target."""
    ends = [
        (
            Segment(name, Link.rigid(name, 1.0, (0.1, 0, 0), (1, 1, 1)), (Attachment(name.lower(), Role.JOINT, pose),)),
            name.lower(),
        )
        for name, pose in (("A", placed((1, 2, 3), (0.1, 0.2, 0.3))), ("B", placed((-1, 0, 1), (1.1, -0.4, 2))))
    ]
    reference, target = ends[::-1] if swapped else ends
    return KinematicChain("pair", (Joint("j", kind, target, reference, axis=(0.48, -0.6, 0.64)),))


def twist_between(pose: Callable[[float], Array], step: float = 1e-3) -> Array:
    """(ω; v) of a pose that depends on time, at time 0, where it is and in its own axes: a difference of 4th order."""
    at = {k: pose(k * step) for k in (-2, -1, 1, 2)}
    rate = np.linalg.inv(pose(0.0)) @ (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * step)
    return np.array([rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]])


@row("motion-stack", 9)
@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.PRISMATIC, JointType.FLOATING])
def test_swapping_target_and_reference_inverts_pose_and_twist_and_moves_the_base(kind: JointType):
    """B's frame wrt A's: the joint's pose where A is the reference, its inverse where A is the target."""
    chains = [one_joint(kind, swapped) for swapped in (False, True)]
    robots = [Robot(chain) for chain in chains]
    assert [chain.root.name for chain in chains] == ["A", "B"]
    q, v = robots[0].random(3), np.arange(1.0, robots[0].nv + 1)
    a, b = (chains[0].segments[k].frame(name).pose for k, name in enumerate("ab"))
    joint = chains[0].joints[0]

    def b_in_a(time: float, swapped: bool) -> Array:
        """From the joint's definition."""
        moved = joint_pose(joint, robots[0].integrate(q, v, time))
        return np.linalg.inv(moved) if swapped else moved

    seen, twists = list[Array](), list[Array]()
    for robot, base, swapped in zip(robots, "AB", (False, True), strict=True):
        poses = dict(zip("AB", mc.forward_kinematics(robot, ["A", "B"]).run(q), strict=True))
        assert np.array_equal(poses[base], np.eye(4))  # the base is the world's
        seen.append(np.linalg.inv(poses["A"] @ a) @ poses["B"] @ b)
        assert error(seen[-1], b_in_a(0.0, swapped)) < 1e-13
        # of B wrt A, where the frames of the joint are, in B's axes
        motion = mc.frame_motion(robot, "B", wrt="A", point=tuple(b[:3, 3]), as_seen_by="B", outputs=["twist"])
        twists.append(np.kron(np.eye(2), b[:3, :3].T) @ motion.run(q, v)[0])
        assert error(twists[-1], twist_between(lambda time, swapped=swapped: b_in_a(time, swapped))) < 1e-9
    # inverse to each other: T⁻¹ and -Ad(T) V
    assert error(seen[1], np.linalg.inv(seen[0])) < 1e-13
    assert error(twists[1], -pin.SE3(seen[0]).action[TURNED][:, TURNED] @ twists[0]) < 1e-12


# ---------------------------------------------------------------- transmissions


@row("motion-stack", 10)
@pytest.mark.parametrize("normalise", [True, False])
def test_rotors_add_to_the_diagonal_and_none_is_zero(normalise: bool):
    """q̈ = (M + diag d)⁻¹ (τ - h); a chain without transmissions is valid, with d = 0."""
    rng = np.random.default_rng(4)
    d = {"a": 0.3, "b": 0.0, "c": 0.7}

    def arm(rotors: bool) -> Robot:
        built = Tree(4)
        for name, parent, child in (("a", "base", "A"), ("b", "A", "B"), ("c", "A", "C")):
            changes = {"transmission": Transmission(rotor_inertia=d[name])} if rotors else {}
            built.add(name, parent, child, **changes)
        return built.robot()

    plain, geared = arm(rotors=False), arm(rotors=True)
    assert len(check_chain(plain.chain)) == 0
    assert [body.joint.rotor for body in plain.mechanism.bodies] == [0.0, 0.0, 0.0]
    assert [body.joint.rotor for body in geared.mechanism.bodies] == list(d.values())
    q, v, tau, none = plain.random(rng), *rng.normal(size=(2, 3)), np.zeros(3)

    def torque(a: Array) -> Array:
        return InverseDynamics().solver(plain).run(q, v, a, normalise=normalise)["tau"]

    h = torque(none)
    M = np.column_stack([torque(column) - h for column in np.eye(3)])
    for robot, D in ((plain, np.zeros((3, 3))), (geared, np.diag(list(d.values())))):
        a = ForwardDynamics().solver(robot).run(q, v, tau, normalise=normalise)["a"]
        assert np.allclose(a, np.linalg.solve(M + D, tau - h), rtol=1e-10, atol=1e-10)
