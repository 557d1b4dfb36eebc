"""Robots written for MuJoCo: compiled, they move as ours do; read back, they are what was written; what is refused."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import motionc as mc
from motionc.formats import read_mjcf
from motionc.model.shapes import Cylinder
from oracle import SHIPPED_ROBOTS, Array, error, load
from public_robots import PUBLIC_ROBOTS

mujoco = pytest.importorskip("mujoco")
from mujoco_witness import MujocoWitness, same  # noqa: E402

Kind = mc.JointType
MOVING = [kind for kind in Kind if kind is not Kind.FIXED]
UNBALANCED = ("anymal", "hyq_no_sensors")  # links with moments no rigid body has


def random_pose(rng: np.random.Generator) -> Array:
    return mc.placed(0.3 * rng.normal(size=3), rng.uniform(-3, 3, 3))


def random_tree(kinds: list[Kind], seed: int, serial: bool = False) -> mc.KinematicChain:
    """One link for each joint, at a random place of the tree, with a tool and now and then no mass at a weld."""
    rng = np.random.default_rng(seed)
    parents = [number if serial else int(rng.integers(number + 1)) for number in range(len(kinds))]
    segments = []
    for number in range(len(kinds) + 1):
        half = rng.normal(size=(3, 3)) / 5
        inertia = np.trace(half @ half.T) * np.eye(3) - half @ half.T
        features = {f"tool{number}": random_pose(rng)}
        massless = number > 0 and kinds[number - 1] is Kind.FIXED and rng.random() < 0.5
        weight = () if massless else (rng.uniform(0.5, 2), 0.2 * rng.normal(size=3), inertia)
        link = mc.Link.rigid(f"link{number}", *weight, features=features)
        frames = [mc.Attachment("in", mc.Role.JOINT, random_pose(rng))]
        frames += [
            mc.Attachment(f"out{i}", mc.Role.JOINT, random_pose(rng)) for i, p in enumerate(parents) if p == number
        ]
        segments.append(mc.Segment(f"link{number}", link, tuple(frames)))
    joints = []
    for number, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        rotor = 0.0 if kind in (Kind.PLANAR, Kind.FLOATING) else rng.uniform(0, 0.2)
        more = {}
        if kind is Kind.UNIVERSAL:
            axis, more["second_axis"] = map(tuple, np.linalg.qr(rng.normal(size=(3, 3)))[0][:2])
        else:
            axis = tuple(rng.normal(size=3))
        if kind is Kind.HELICAL:
            more["pitch"] = 0.1
        limits = mc.Limits(-2.0, 1.5, 3.0, 7.0) if kind in (Kind.REVOLUTE, Kind.PRISMATIC) else mc.Limits()
        transmission = mc.Transmission() if kind is Kind.FIXED else mc.Transmission(rotor, 0.1, 0.2)
        ends = (segments[number + 1], "in"), (segments[parent], f"out{number}")
        joints.append(mc.Joint(f"j{number}", kind, *ends, axis, limits, None, transmission, **more))
    return mc.KinematicChain("tree", tuple(joints))


def compare(robot: mc.Robot, model, states: int = 3) -> None:
    """Masses, poses of links and tools, M, inverse and forward dynamics."""
    witness, rng = MujocoWitness(model, robot), np.random.default_rng(0)
    mass = {link.name: link.mass or 0.0 for link in robot.links}
    links = [link for link in robot.link_names if link in {model.body(i).name for i in range(model.nbody)}]
    tools = [model.site(number).name for number in range(model.nsite)]
    assert math.isclose(sum(mass[link] for link in links), model.body_subtreemass[0], rel_tol=1e-12)
    for _ in range(states):
        q, (v, a) = robot.random(rng), rng.normal(size=(2, robot.nv))
        bodies, sites = witness.poses(q)
        bodies = bodies[[model.body(link).id for link in links]]
        assert error(mc.forward_kinematics(robot, [*links, *tools]).run(q), np.concatenate([bodies, sites])) < 1e-12
        tau = witness.inverse_dynamics(q, v, a)
        assert error(mc.inverse_dynamics(robot).run(q, v, a), tau) < 1e-10
        if not robot.idle_joints:
            assert error(mc.forward_dynamics(robot).run(q, v, tau), a) < 1e-10


# ---------------------------------------------------------------- it moves as ours


@cache
def written(name: str) -> tuple[mc.Robot, str]:
    robot = load(name, "follow")
    return robot, mc.to_mjcf(robot)


@pytest.mark.parametrize("name", [name for name in SHIPPED_ROBOTS + PUBLIC_ROBOTS if name not in UNBALANCED])
def test_a_robot_in_mujoco_moves_as_here_and_comes_back_as_it_was(name: str) -> None:
    robot, text = written(name)
    compare(robot, mujoco.MjModel.from_xml_string(text))
    if "root_joint" not in robot.v_index:
        same(robot, mc.Robot(read_mjcf(text).chain))


@pytest.mark.parametrize("seed", range(20))
def test_a_random_tree_of_all_joints_moves_as_here(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = [*map(Kind, rng.choice(list(Kind), 5)), MOVING[seed % len(MOVING)]]
    robot = mc.Robot(random_tree(kinds, seed), floating=seed % 4 == 0 and Kind.FLOATING not in kinds)
    compare(robot, mc.to_mjspec(robot).compile(), states=1)


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_of_mujocos_own_joints_comes_back_as_it_was(seed: int) -> None:
    kinds = [Kind(kind) for kind in np.random.default_rng(seed).choice(MOVING[:3], 4)]
    robot = mc.Robot(random_tree([*kinds, Kind.FIXED], seed))
    same(robot, mc.Robot(read_mjcf(mc.to_mjcf(robot)).chain))


def test_joints_of_massless_links_act_on_the_body_beyond() -> None:
    chain = random_tree([Kind.REVOLUTE, Kind.PRISMATIC, Kind.UNIVERSAL], 7, serial=True)
    first, second, third = chain.joints
    bare = replace(second.child, link=mc.Link.rigid("link2"))
    joints = (first, replace(second, target=(bare, "in")), replace(third, reference=(bare, third.reference[1])))
    robot = mc.Robot(mc.KinematicChain("folded", joints))
    model = mc.to_mjspec(robot).compile()
    assert (model.nbody, model.nv) == (1 + 3, 4)
    compare(robot, model)


def test_joints_that_are_held_are_welded_where_they_are_held() -> None:
    robot = mc.load("lwr4", fixed={"joint_1": 0.5, "joint_6": -1.0})
    compare(robot, mc.to_mjspec(robot).compile())
    helix = mc.Robot(random_tree([Kind.HELICAL, Kind.PRISMATIC, Kind.REVOLUTE], 1), fixed={"j0": 0.7, "j1": 0.2})
    compare(helix, mc.to_mjspec(helix).compile())


def test_followers_are_held_to_their_leaders_by_mujoco() -> None:
    """A hundred steps of MuJoCo, and the finger is still where its leader says."""
    base, rod, finger = (
        mc.Segment(
            name,
            mc.Link.rigid(name, 1.0, inertia=(1, 1, 1)),
            (mc.Attachment("a", mc.Role.JOINT), mc.Attachment("b", mc.Role.JOINT)),
        )
        for name in ("base", "rod", "finger")
    )
    lead = mc.Joint("lead", Kind.CONTINUOUS, (rod, "a"), (base, "b"))
    follow = mc.Joint("follow", Kind.PRISMATIC, (finger, "a"), (rod, "b"), mimic=mc.Mimic("lead", -0.5, 0.1))
    robot = mc.Robot(mc.KinematicChain("gripper", (lead, follow)))
    model = mc.to_mjspec(robot).compile()
    data = mujoco.MjData(model)
    data.qpos[:] = 0.0, 0.1
    for _ in range(100):
        data.ctrl[:] = 1.0
        mujoco.mj_step(model, data)
    assert abs(data.qpos[0]) > 0.005
    assert abs(data.qpos[1] - (0.1 - 0.5 * data.qpos[0])) < 0.05 * abs(data.qpos[0])


@pytest.mark.parametrize("limits", [(-math.inf, math.inf), (0.0, 0.0), (-1.0, math.inf), (-math.inf, 2.0), (-1, 2)])
def test_any_limits_come_back(limits: tuple[float, float]) -> None:
    for kind in (Kind.REVOLUTE, Kind.PRISMATIC):
        chain = random_tree([kind], 0)
        joint = replace(chain.joints[0], limits=mc.Limits(*limits, velocity=2.5, effort=0.0))
        (back,) = read_mjcf(mc.to_mjcf(mc.KinematicChain("one", (joint,)))).chain.joints
        assert (back.type, back.limits) == (kind, joint.limits)


# ---------------------------------------------------------------- what MuJoCo cannot hold


@pytest.mark.parametrize("name", [name for name in PUBLIC_ROBOTS if name in UNBALANCED])
def test_moments_no_body_has_are_refused_or_balanced(name: str) -> None:
    robot = load(name, "follow")
    with pytest.raises(mc.Error, match="no rigid body has the principal moments"):
        mc.to_mjcf(robot)
    model = mc.to_mjspec(robot, balance=True).compile()
    assert math.isclose(sum(link.mass or 0.0 for link in robot.links), model.body_subtreemass[0], rel_tol=1e-12)


def test_a_link_that_moves_without_inertia_is_refused_by_name() -> None:
    chain = random_tree([Kind.REVOLUTE, Kind.REVOLUTE], 3)
    bare = replace(chain.joints[1].child, link=mc.Link.rigid("link2"))
    joint = replace(chain.joints[1], target=(bare, "in"))
    with pytest.raises(mc.Error, match=r"link link2 moves and has no inertia.*joint j1"):
        mc.to_mjcf(mc.KinematicChain("idle", (chain.joints[0], joint)))


def test_a_rotor_that_mujoco_has_no_place_for_is_refused() -> None:
    chain = random_tree([Kind.PLANAR], 0)
    joint = replace(chain.joints[0], transmission=mc.Transmission(rotor_inertia=0.1))
    with pytest.raises(mc.Error, match="no rotor that turns with planar joint j0"):
        mc.to_mjcf(mc.KinematicChain("planar", (joint,)))


@pytest.mark.parametrize("name", ['a"/><body name="b', "<&>", "tab\tline\n", "Gelenk β", "a/b", "'", "joint:x"])
def test_hostile_names_stay_names(name: str) -> None:
    chain = random_tree([Kind.REVOLUTE], 0)
    link = replace(chain.joints[0].child.link, name=name)
    child = replace(chain.joints[0].child, name=name, link=link)
    joint = replace(chain.joints[0], name=name, target=(child, "in"))
    back = read_mjcf(mc.to_mjcf(mc.KinematicChain(name, (joint,)))).chain
    assert (back.name, back.joints[0].name, back.joints[0].child.name) == (name, name, name)


def test_a_name_xml_cannot_hold_is_refused() -> None:
    chain = random_tree([Kind.REVOLUTE], 0)
    with pytest.raises(mc.Error, match="which XML cannot"):
        mc.to_mjcf(mc.KinematicChain("bell\a", chain.joints))


def test_simple_shapes_stand_where_they_stand_in_the_model() -> None:
    robot = mc.load("ur5")
    model = mujoco.MjModel.from_xml_string(mc.to_mjcf(robot))
    data = mujoco.MjData(model)
    q = robot.random(0)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    shapes = [(segment.name, shape) for segment in robot.segments for shape in segment.link.shapes]
    assert model.ngeom == len(shapes) > 10
    order = sorted(
        range(model.ngeom), key=lambda k: list(robot.link_names).index(model.body(model.geom_bodyid[k]).name)
    )
    poses = mc.forward_kinematics(robot).run(q)
    for k, (link, shape) in zip(order, shapes, strict=True):
        expected = poses[robot.link_names.index(link)] @ shape.pose
        assert np.allclose(data.geom_xpos[k], expected[:3, 3], rtol=0, atol=1e-12)
        assert np.allclose(data.geom_xmat[k].reshape(3, 3), expected[:3, :3], rtol=0, atol=1e-9)
        assert model.geom_contype[k] == (0 if shape.purpose == "visual" else 1)
        if isinstance(shape.geometry, Cylinder):
            assert np.allclose(
                model.geom_size[k][:2], [shape.geometry.radius, shape.geometry.length / 2], rtol=0, atol=1e-12
            )
    assert model.body_mass.sum() == pytest.approx(18.4, abs=1e-6)
