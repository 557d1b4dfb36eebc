"""Real robots: everything compiled, against Pinocchio and MuJoCo, to 1e-10 on many random states each."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache

import mujoco
import numpy as np
import pytest

import motionc as mc
from mujoco_witness import MujocoWitness
from oracle import SHIPPED_ROBOTS, Array, error, load, oracle, partition
from public_robots import PUBLIC_ROBOTS
from rows import row
from trials import LONG, trials

STATES = trials(192)

# a frame of interest far out, and one on another branch or further in
FRAMES = {
    "anymal": ("LF_FOOT", "RH_SHANK"),
    "baxter": ("left_gripper", "right_lower_forearm"),
    "hyq_no_sensors": ("lf_foot", "rh_lowerleg"),
    "lwr4": ("link_7", "link_3"),
    "panda": ("panda_leftfinger", "panda_link4"),
    "planar2": ("tip", "upper_arm"),
    "solo12": ("FL_FOOT", "HR_UPPER_LEG"),
    "talos_reduced": ("gripper_left_base_link", "leg_right_3_link"),
    "ur10_robot": ("tool0", "forearm_link"),
    "ur5_robot": ("tool0", "forearm_link"),
    "youbot_arm": ("arm_link_5", "arm_link_2"),
}

# an arm that comes along and a public quadruped; make test-robots has all the others
KINDS = ["lwr4", "anymal"]
robots = pytest.mark.parametrize("name", PUBLIC_ROBOTS + SHIPPED_ROBOTS if LONG else KINDS)


@pytest.fixture
def agree(record_property: Callable[[str, object], None]) -> Callable[[Iterable[float]], None]:
    """All errors are below 1e-10; the worst is kept with the test's result."""

    def check(errors: Iterable[float]) -> None:
        worst = max(errors)
        record_property("worst error", worst)
        assert worst < 1e-10

    return check


@pytest.fixture
def compare(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """Stacks of answers, state by state, are below 1e-10 or a limit for each state; the worst is kept."""

    def check(what: str, ours: Iterable[Array], theirs: Iterable[Array], limit: Array | float = 1e-10) -> None:
        ours, theirs = (np.array([*stack], float).reshape(STATES, -1) for stack in (ours, theirs))
        assert np.all(np.isfinite(ours))
        errors = np.abs(ours - theirs).max(axis=1) / np.maximum(1.0, np.abs(theirs).max(axis=1))
        record_property(f"worst error of {what}", float(errors.max()))
        assert np.all(errors < limit), f"{what}: {errors.max():.1e}"

    return check


@cache
def by_mujoco(name: str) -> MujocoWitness | None:
    """MuJoCo refuses robots that have moments no rigid body has."""
    if name in ("anymal", "hyq_no_sensors"):
        return None
    return MujocoWitness(mujoco.MjModel.from_xml_string(mc.to_mjcf(load(name))), load(name))


@cache
def states(robot: mc.Robot) -> list[tuple[Array, Array, Array, Array]]:
    """Random q within the limits, v, something in the order of v, and two wrenches."""
    rng, nv = np.random.default_rng(robot.nv), robot.nv
    return [
        (robot.random(rng), rng.normal(size=nv), 3 * rng.normal(size=nv), 10 * rng.normal(size=(2, 6)))
        for _ in range(STATES)
    ]


def forces_on(name: str) -> tuple[list[mc.Force], Callable[[Array], dict[tuple[str, str], Array]]]:
    """Two places where forces act, one in its own axes and one in the world's, for us and for the oracle."""
    tool, other = FRAMES[name]
    places = [mc.Force(tool, as_seen_by=tool), mc.Force(other)]
    return places, lambda f: {(tool, tool): f[0], (other, "world"): f[1]}


@robots
def test_poses_of_all_frames_agree(name: str, agree: Callable) -> None:
    robot, world = load(name), oracle(name)
    poses = mc.forward_kinematics(robot, robot.frame_names)

    def errors() -> Iterator[float]:
        for q, *_ in states(robot):
            world.place(q)
            yield error(poses(q), np.array([world.pose(frame) for frame in robot.frame_names]))

    agree(errors())


@robots
def test_jacobians_agree_in_any_axes_at_any_point_relative_to_any_body(name: str, agree: Callable) -> None:
    robot, world, (tool, other) = load(name), oracle(name), FRAMES[name]
    off = (0.1, -0.2, 0.3)
    cases = [
        (tool, "world", (0, 0, 0), "world"),
        (tool, "world", off, tool),
        (tool, other, (0, 0, 0), other),
        (other, tool, off, "world"),
    ]
    jacobians = [mc.jacobian(robot, frame, wrt, point, axes) for frame, wrt, point, axes in cases]

    def errors() -> Iterator[float]:
        for q, *_ in states(robot):
            world.place(q)
            for case, jacobian in zip(cases, jacobians, strict=True):
                yield error(jacobian(q), world.jacobian(*case))

    agree(errors())


@row("motion-stack", 21)
@robots
def test_inverse_dynamics_agrees_under_external_forces(name: str, agree: Callable) -> None:
    robot, world, (places, named) = load(name), oracle(name), forces_on(name)
    dynamics = mc.inverse_dynamics(robot, external_forces=places)
    agree(error(dynamics(q, v, a, f), world.inverse_dynamics(q, v, a, named(f))) for q, v, a, f in states(robot))


@robots
def test_forward_dynamics_agrees_under_external_forces(name: str, agree: Callable) -> None:
    robot, world, (places, named) = load(name), oracle(name), forces_on(name)
    dynamics = mc.forward_dynamics(robot, external_forces=places)
    agree(error(dynamics(q, v, tau, f), world.forward_dynamics(q, v, tau, named(f))) for q, v, tau, f in states(robot))


@robots
def test_masses_and_forces_agree(name: str, compare: Callable) -> None:
    robot, world, other = load(name), oracle(name), by_mujoco(name)
    Q, V, _, _ = zip(*states(robot), strict=True)
    M = np.array([world.mass_matrix(q) for q in Q])
    mass, bias, gravity = mc.mass_matrix(robot), mc.bias_forces(robot), mc.gravity_forces(robot)
    compare("M", map(mass, Q), M)
    compare("h", map(bias, Q, V), (world.bias_forces(q, v, (0, 0, -9.81)) for q, v in zip(Q, V, strict=True)))
    compare("g", map(gravity, Q), map(world.gravity_forces, Q))
    if other:
        compare("M by MuJoCo", map(mass, Q), map(other.mass_matrix, Q))
        still = np.zeros(robot.nv)
        compare(
            "h by MuJoCo", map(bias, Q, V), (other.inverse_dynamics(q, v, still) for q, v in zip(Q, V, strict=True))
        )
    if not robot.idle_joints:
        L = np.array([*map(mc.mass_matrix_factor(robot), Q)])
        compare("L", L.transpose(0, 2, 1) @ L, M)
        assert np.all(np.triu(L, 1) == 0)
        # what rounding makes of either inverse
        limit = np.maximum(1e-10, 1e-15 * np.linalg.cond(M))
        compare("M_inv", map(mc.mass_matrix_inverse(robot), Q), map(world.mass_matrix_inverse, Q), limit)


@robots
def test_center_momentum_and_energy_agree(name: str, compare: Callable) -> None:
    robot, world, other = load(name), oracle(name), by_mujoco(name)
    Q, V, _, _ = zip(*states(robot), strict=True)
    com, J = zip(*map(mc.center_of_mass(robot, outputs=["com", "J"]), Q), strict=True)
    hG, AG, bias = zip(*map(mc.centroidal_momentum(robot, outputs=["hG", "AG", "bias"]), Q, V), strict=True)
    energy = [*map(mc.energy(robot), Q, V)]
    their_com, their_J = zip(*map(world.center_of_mass, Q), strict=True)
    their_hG, their_AG, their_bias = zip(*map(world.momentum, Q, V), strict=True)
    compare("com", com, their_com)
    compare("its J", J, their_J)
    compare("hG", hG, their_hG)
    compare("AG", AG, their_AG)
    compare("bias", bias, their_bias)
    compare("energy", energy, map(world.energy, Q, V))
    if other:
        compare("com by MuJoCo", com, map(other.center_of_mass, Q))
        compare("hG by MuJoCo", hG, map(other.momentum, Q, V))
        compare("energy by MuJoCo", energy, map(other.energy, Q, V))


@robots
def test_motion_of_frames_agrees(name: str, compare: Callable) -> None:
    robot, world, frames = load(name), oracle(name), FRAMES[name]
    Q, V, A, _ = zip(*states(robot), strict=True)
    found = zip(*map(mc.frame_motion(robot, frames), Q, V, A), strict=True)
    expected = [[world.frame_motion(frame, *state) for frame in frames] for state in zip(Q, V, A, strict=True)]
    for number, (what, ours) in enumerate(zip(("twist", "classical", "spatial"), found, strict=True)):
        compare(what, ours, [[motion[number] for motion in motions] for motions in expected])
    rate = mc.jacobian_rate(robot, frames[0], outputs=["J_dot"])
    compare("J_dot", map(rate, Q, V), (world.jacobian_rate(frames[0], q, v) for q, v in zip(Q, V, strict=True)))


@robots
def test_hybrid_dynamics_agrees(name: str, compare: Callable) -> None:
    """Every other joint is told how to accelerate, never the base."""
    robot, world = load(name), oracle(name)
    told = [joint for joint in robot.joint_names if joint != "root_joint"][::2]
    mask = np.zeros(robot.nv, bool)
    for joint in told:
        mask[robot.v_index[joint]] = True
    hybrid = mc.hybrid_dynamics(robot, told)
    ours, theirs = [], []
    for q, v, x, _ in states(robot):
        ours.append(hybrid(q, v, x, x))
        theirs.append(partition(world.mass_matrix(q), world.bias_forces(q, v, (0, 0, -9.81)), x, x, mask))
    for what, answers, expected in zip(("tau", "a"), zip(*ours, strict=True), zip(*theirs, strict=True), strict=True):
        compare(what, answers, expected)


@row("robcogen", 26)
@pytest.mark.parametrize("name", ["anymal", "lwr4"])
def test_wrenches_on_all_links_lower_the_motor_forces_by_the_sum_of_their_shares(name: str, agree: Callable) -> None:
    """tau(f) = tau(0) - Σ Jᵀ f, each wrench in the axes of its own link."""
    robot, world = load(name), oracle(name)
    links = robot.link_names if "root_joint" in robot.v_index else robot.link_names[1:]
    places = [mc.Force(link, as_seen_by=link) for link in links]
    free, pushed = mc.inverse_dynamics(robot), mc.inverse_dynamics(robot, external_forces=places)
    rng = np.random.default_rng(1)

    def errors() -> Iterator[float]:
        for q, v, a, _ in states(robot):
            world.place(q)
            f = rng.normal(size=(len(links), 6))
            share = world.push({(link, link): wrench for link, wrench in zip(links, f, strict=True)})
            yield error(pushed(q, v, a, f), free(q, v, a) - share)

    agree(errors())


@pytest.mark.parametrize("name", ["baxter", "panda"])
def test_followers_add_their_forces_to_their_leaders(name: str, agree: Callable) -> None:
    """Loaded as the file says, tau = Gᵀ tau_free(G q + c, G v, G a)."""
    robot, free, world = load(name, "follow"), load(name), oracle(name)
    assert set(free.joint_names) - set(robot.joint_names) == set(robot.followers) != set()
    G, c = np.zeros((free.nv, robot.nv)), np.zeros(free.nv)
    for joint, where in free.v_index.items():
        leader, gain, offset = robot.followers.get(joint, (joint, 1.0, 0.0))
        G[where, robot.v_index[leader]], c[where] = gain, offset
    dynamics = mc.inverse_dynamics(robot)
    agree(
        error(dynamics(q, v, a), G.T @ world.inverse_dynamics(G @ q + c, G @ v, G @ a)) for q, v, a, _ in states(robot)
    )
