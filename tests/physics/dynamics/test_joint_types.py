"""Every joint type and every coupling, anywhere in the tree, against Pinocchio models built joint by joint."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import motionc as mc
from all_joints import KINDS, SEVERAL, SINGLE, Coupled, JointByJoint, Kind, build, random_tree
from dense import in_two_groups
from motionc.sweeps import StateGraph, breadth_first
from oracle import Array, constraint_rows, error, kkt, unit_wrenches
from rows import row
from trials import trials

GRAVITY = (1.0, 2.0, -9.0)
TREES = trials(200)


class Question:
    """A tree in a random state, with forces on it and up to six rows on one of its links."""

    def __init__(self, seed: int, kinds: Sequence[Kind] | None = None, floating: bool | None = None) -> None:
        self.rng = rng = np.random.default_rng(1000 + seed)
        self.pieces = random_tree(seed, kinds)
        # a root that lets a link fly off it does not fly itself
        still = any(piece.parent == 0 and piece.kind is Kind.FLOATING for piece in self.pieces)
        self.tree = tree = Coupled(self.pieces, seed % 3 == 0 and not still if floating is None else floating)
        self.robot, self.world = tree.robot, tree.world
        self.q, self.v = self.robot.random(rng), rng.normal(size=self.robot.nv)
        self.a, self.tau, self.physical = rng.normal(size=(3, self.robot.nv))
        G, Q = tree.G, tree.whole(self.q)
        self.M = G.T @ self.world.mass_matrix(Q) @ G
        self.h = G.T @ self.world.bias_forces(Q, G @ self.v, GRAVITY)
        self.world.place(Q, G @ self.v)
        self.links = [name for name in self.robot.link_names if self.jacobian(name).any()]
        self.tool, self.pushed, self.made = (str(name) for name in rng.choice(self.links, 3))
        self.f_ext, self.f_art = rng.normal(size=(1, 6)), rng.normal(size=(1, 6))
        self.push = self.jacobian(self.pushed, axes=self.pushed).T @ self.f_ext[0]
        self.artificial = self.jacobian(self.made).T @ self.f_art[0]
        self.constraints = self._constraints(seed % 7)
        J, self.bias, self.task = constraint_rows(self.world, self.constraints)
        self.J, self.b = J @ G, rng.normal(size=len(J))

    def jacobian(self, frame: str, **where) -> Array:
        return self.world.jacobian(frame, **where) @ self.tree.G

    def _constraints(self, m: int) -> list[mc.Constraint]:
        """As many rows as this link can follow well, in two groups."""
        m = min(m, int(np.linalg.matrix_rank(self.jacobian(self.tool), 0.2)))
        wrenches, point = np.linalg.qr(self.rng.normal(size=(6, 6)))[0][:, :m], tuple(self.rng.normal(size=3))
        axes = str(self.rng.choice([*self.links, "world"]))
        return in_two_groups(self.tool, wrenches, point, axes)

    def computations(self) -> list[tuple[mc.Computation, tuple[Array, ...]]]:
        """Inverse, forward and constrained dynamics with their inputs."""
        forces = [mc.Force(self.pushed, as_seen_by=self.pushed)]
        inverse = mc.inverse_dynamics(self.robot, external_forces=forces, gravity=GRAVITY)
        forward = mc.forward_dynamics(self.robot, external_forces=forces, gravity=GRAVITY)
        constrained = mc.constrained_dynamics(
            self.robot,
            self.constraints,
            external_forces=forces,
            physical_torques=True,
            artificial_forces=[mc.Force(self.made, as_seen_by="world")],
            actuated=self.robot.joint_names,
            gravity=GRAVITY,
        )
        return [
            (inverse, (self.q, self.v, self.a, self.f_ext)),
            (forward, (self.q, self.v, self.tau, self.f_ext)),
            (constrained, (self.q, self.v, self.tau, self.b, self.f_ext, self.physical, self.f_art)),
        ]


# ---------------------------------------------------------------- against Pinocchio


@row("robcogen", 23)
@pytest.mark.parametrize("seed", range(TREES))
def test_poses_jacobians_and_dynamics_of_all_joints_agree(seed: int) -> None:
    x = Question(seed)
    poses = mc.forward_kinematics(x.robot, x.robot.frame_names).run(x.q)
    assert error(poses, np.array([x.world.pose(frame) for frame in x.robot.frame_names])) < 1e-10
    where = {"wrt": x.pushed, "point": (0.3, -0.1, 0.2)}
    J = mc.jacobian(x.robot, x.tool, as_seen_by=x.made, **where).run(x.q)
    assert error(J, x.jacobian(x.tool, axes=x.made, **where)) < 1e-10
    (inverse, given), (forward, pushed), (constrained, asked) = x.computations()
    assert error(inverse.run(*given), x.M @ x.a + x.h - x.push) < 1e-10
    assert error(forward.run(*pushed), np.linalg.solve(x.M, x.tau - x.h + x.push)) < 1e-10
    out = constrained.run(*asked)
    a, multipliers = kkt(x.M, x.J, x.tau + x.physical + x.push + x.artificial - x.h, x.b - x.bias)
    assert out.rank == len(x.J)
    assert error(out.a, a) < 1e-10
    assert error(out.multipliers, multipliers) < 1e-10
    assert error(out.tau_command + out.unactuated, x.tau + x.J[x.task].T @ multipliers[x.task] + x.artificial) < 1e-10
    assert np.abs(out.residual).max(initial=0.0) < 1e-10


def test_the_trees_hold_every_type_and_every_sort_of_follower() -> None:
    found, chained, across, gains = set(), 0, 0, set()
    for seed in range(TREES):
        pieces = random_tree(seed)
        found |= {piece.kind for piece in pieces[1:]}
        said = {f"to_{piece.name}": piece for piece in pieces}
        for piece in pieces:
            if mimic := piece.joint.get("mimic"):
                leader = said[mimic.leader]
                gains.add(np.sign(mimic.gain))
                chained += "mimic" in leader.joint
                across += leader.parent == piece.parent
    assert found == set(KINDS)
    assert gains == {-1.0, 0.0, 1.0}
    assert min(chained, across) > TREES / 10


# ---------------------------------------------------------------- what must not matter


@pytest.mark.parametrize("seed", range(10))
def test_neither_normalisation_nor_the_order_of_the_walk_matters(seed: int) -> None:
    x = Question(seed)
    poses = mc.forward_kinematics(x.robot, x.robot.frame_names), (x.q,)
    for computation, inputs in [poses, *x.computations()]:
        computation.check()
        computation.solver.check(normalise=False)
        answer = values(computation.run(*inputs))
        assert error(values(computation.run(*inputs, normalise=False)), answer) < 1e-10
        assert error(values(computation.run(*inputs, policy=breadth_first)), answer) < 1e-10


def values(answer: Array | mc.Results) -> Array:
    parts = answer.values() if isinstance(answer, mc.Results) else [answer]
    return np.concatenate([np.ravel(part) for part in parts])


@pytest.mark.parametrize("kind", [Kind.SPHERICAL, Kind.FLOATING])
def test_the_length_of_a_quaternion_does_not_matter_anywhere(kind: Kind) -> None:
    x = Question(7, [Kind.REVOLUTE, kind, Kind.PRISMATIC])
    answers = [values(computation.run(*inputs)) for computation, inputs in x.computations()]
    x.q[x.robot.q_index["to_link2"]][-4:] *= -2.5
    for (computation, inputs), answer in zip(x.computations(), answers, strict=True):
        assert error(values(computation.run(*inputs)), answer) < 1e-11


# ---------------------------------------------------------------- against definitions


def twist_of(poses: dict[int, Array], step: float) -> Array:
    """(ω; v) of a frame, out of its poses one and two steps before and after: of fourth order."""
    rate = (8 * (poses[1] - poses[-1]) - (poses[2] - poses[-2])) / (12 * step)
    spin = rate[:3, :3] @ poses[0][:3, :3].T
    return np.array([spin[2, 1], spin[0, 2], spin[1, 0], *rate[:3, 3]])


@row("itasc", 2)
@pytest.mark.parametrize("kind", KINDS)
def test_a_joints_twist_is_the_derivative_of_its_pose(kind: Kind) -> None:
    """Of a joint on a link that moves, as seen by that link; one that is none has neither coordinate nor twist."""
    pieces = random_tree(5, [Kind.SPHERICAL, kind], rotors=False)
    robot, step = build([*pieces[:2], replace(pieces[2], parent=1)]), 1e-3
    assert ("to_link2" in robot.v_index) == (kind is not Kind.FIXED)
    poses = mc.forward_kinematics(robot, ["link1", "link2"])
    motion = mc.frame_motion(robot, ["link2"], wrt="link1", as_seen_by="link1", outputs=["twist"])
    for seed in range(5):
        q, v = robot.random(seed), np.random.default_rng(seed).normal(size=robot.nv)
        along = {k: poses.run(robot.integrate(q, v, k * step)) for k in range(-2, 3)}
        seen = {k: np.linalg.inv(parent) @ child for k, (parent, child) in along.items()}
        twist = motion.run(q, v)[0]
        assert error(twist, twist_of(seen, step)) < 1e-8
        assert bool(np.abs(twist).max() > 1e-3) == (kind is not Kind.FIXED)


@row("itasc", 3)
@row("robcogen", 21)
@pytest.mark.parametrize("seed", range(trials(100)))
def test_the_jacobian_is_the_derivative_of_poses_along_integrate(seed: int) -> None:
    rng, step = np.random.default_rng(seed), 1e-3
    kinds = [Kind(kind) for kind in (rng.choice(SINGLE), *rng.choice(KINDS, 2))]
    robot = build(random_tree(seed, kinds), seed % 5 == 0 and Kind.FLOATING not in kinds)
    q, tool = robot.random(rng), str(rng.choice(robot.link_names[1:]))
    poses, J = mc.forward_kinematics(robot, [tool]), mc.jacobian(robot, tool).run(q)
    for column, unit in zip(J.T, np.eye(robot.nv), strict=True):
        along = {k: poses.run(robot.integrate(q, unit, k * step))[0] for k in range(-2, 3)}
        assert error(column, twist_of(along, step)) < 1e-7


@row("itasc", 3)
@pytest.mark.parametrize("seed", range(trials(30)))
def test_a_path_through_a_tree_moves_as_a_chain(seed: int) -> None:
    """Pose, twist and Jacobian of every link, in the tree and as Pinocchio has a robot of that link's joints alone."""
    pieces = random_tree(seed)
    tree, rng = build(pieces, mimic="independent"), np.random.default_rng(seed)
    q, v = tree.random(rng), rng.normal(size=tree.nv)
    leaves = [k for k in range(1, len(pieces)) if all(piece.parent != k for piece in pieces)]
    for leaf in leaves:
        path = [leaf]
        while path[0]:
            path.insert(0, pieces[path[0]].parent)
        alone = [replace(pieces[k], parent=number - 1) for number, k in enumerate(path)]
        alone = [replace(p, joint={k: x for k, x in p.joint.items() if k != "mimic"}) for p in alone]
        chain = build(alone)
        if not chain.nv:
            continue
        own_q = np.concatenate([q[tree.q_index[name]] for name in chain.joint_names])
        own_v = np.concatenate([v[tree.v_index[name]] for name in chain.joint_names])
        links, world = list(chain.link_names), JointByJoint(alone, chain)
        world.place(own_q, own_v)
        poses, jacobians = (np.array([ask(name) for name in links]) for ask in (world.pose, world.jacobian))
        for robot, q_of, v_of in ((chain, own_q, own_v), (tree, q, v)):
            assert error(mc.forward_kinematics(robot, links).run(q_of), poses) < 1e-12
            twists = mc.frame_motion(robot, links, outputs=["twist"]).run(q_of, v_of)
            assert error(twists, jacobians @ own_v) < 1e-12
        J = mc.jacobian(tree, links[-1]).run(q)
        columns = np.concatenate([np.arange(tree.nv)[tree.v_index[name]] for name in chain.joint_names])
        assert error(J[:, columns], jacobians[-1]) < 1e-12
        assert not np.delete(J, columns, axis=1).any()


@row("robcogen", 21)
@pytest.mark.parametrize("seed", range(30))
def test_joints_on_the_way_up_to_the_observer_count_with_the_other_sign(seed: int) -> None:
    """A point of one link as seen from another: J of the one minus J of the other, both where the point is."""
    robot, rng = build(random_tree(seed), mimic="independent"), np.random.default_rng(seed)
    q, (tool, observer) = robot.random(rng), (str(name) for name in rng.choice(robot.link_names[1:], 2))
    poses = mc.forward_kinematics(robot, [observer, tool]).run(q)
    place = np.linalg.inv(poses[0]) @ poses[1] @ [0, 0, 0, 1]
    relative = mc.jacobian(robot, tool, wrt=observer).run(q)
    own, theirs = (mc.jacobian(robot, *where).run(q) for where in ((tool,), (observer, "world", tuple(place[:3]))))
    assert error(relative, own - theirs) < 1e-12
    back = mc.jacobian(robot, observer, wrt=tool, point=tuple(place[:3])).run(q)
    assert error(relative, -back) < 1e-12
    up = [k for k in range(robot.nv) if theirs[:, k].any() and not own[:, k].any()]
    assert error(relative[:, up], -theirs[:, up]) < 1e-12


@row("robcogen", 22)
@pytest.mark.parametrize(("name", "link"), [("lwr4", "link_5"), ("hyq", "LF_lowerleg"), ("youbot", "arm_link_4")])
def test_a_links_jacobian_shifted_to_a_point_is_the_points_own(name: str, link: str) -> None:
    """J_p = (ω; v + ω × R p), with one compiled Jacobian a link, for points known only at run time."""
    robot, rng = mc.load(name), np.random.default_rng(2)
    jacobian, pose = mc.jacobian(robot, link), mc.forward_kinematics(robot, [link])
    for point in 0.3 * rng.normal(size=(10, 3)):
        q = robot.random(rng)
        angular, linear = np.split(jacobian(q), 2)
        shifted = np.vstack([angular, linear + np.cross(angular, pose(q)[0, :3, :3] @ point, axis=0)])
        assert error(mc.jacobian(robot, link, point=tuple(point)).run(q), shifted) < 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_the_mass_matrix_is_the_sum_over_all_links(seed: int) -> None:
    """M = Σ Jᵀ diag(I, m) J + rotors, from Jacobians at the links' centres of mass."""
    x = Question(seed)
    robot, nothing = x.robot, np.zeros(x.robot.nv)
    inverse = mc.inverse_dynamics(robot, gravity=(0, 0, 0))
    M = np.array([inverse.run(x.q, nothing, unit) for unit in np.eye(robot.nv)]).T
    expected = np.zeros_like(M)
    for link in robot.links:
        J = mc.jacobian(robot, link.name, point=tuple(link.com), as_seen_by=link.name).run(x.q)
        expected += J[:3].T @ link.inertia @ J[:3] + link.mass * J[3:].T @ J[3:]
    rotors = np.zeros(x.tree.free.nv)
    for joint in robot.joints:
        if joint.name in x.tree.free.v_index:
            rotors[x.tree.free.v_index[joint.name]] = joint.transmission.rotor_inertia
    assert error(M, expected + x.tree.G.T @ np.diag(rotors) @ x.tree.G) < 1e-10


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not Kind.FIXED])
def test_energy_is_kept(kind: Kind) -> None:
    """Midpoint steps on the manifold: the drift falls with the square of the step."""
    robot = build(random_tree(3, [kind, Kind.REVOLUTE], rotors=True))
    forward = mc.forward_dynamics(robot)
    nothing = np.zeros(robot.nv)
    inverse = mc.inverse_dynamics(robot, gravity=(0, 0, 0))
    poses = mc.forward_kinematics(robot)

    def energy(q: Array, v: Array) -> float:
        """½ vᵀ M v and m g z; without velocity terms M v is what inverse dynamics asks."""
        heights = [
            link.mass * 9.81 * (pose @ [*link.com, 1])[2] for link, pose in zip(robot.links, poses.run(q), strict=True)
        ]
        return float(0.5 * v @ inverse.run(q, nothing, v)) + sum(heights)

    def drift(steps: int) -> float:
        rng, dt = np.random.default_rng(5), 0.05 / steps
        q, v = robot.random(rng), rng.normal(size=robot.nv)
        start = energy(q, v)
        for _ in range(steps):
            half = v + dt / 2 * forward.run(q, v, nothing)
            middle = forward.run(robot.integrate(q, v, dt / 2), half, nothing)
            q, v = robot.integrate(q, half, dt), v + dt * middle
        return abs(energy(q, v) - start)

    coarse, fine = drift(4), drift(8)
    assert fine < 1e-3
    assert fine < coarse / 3 or fine < 1e-10


# ---------------------------------------------------------------- followers


def gripper() -> Question:
    """Two followers of one leader, one of them through the other, on branches; a helical leader."""
    for seed in range(100):
        x = Question(seed, [Kind.HELICAL, Kind.REVOLUTE, Kind.PRISMATIC, Kind.SPHERICAL, Kind.CONTINUOUS], False)
        if len(x.robot.followers) >= 2:
            return x
    raise AssertionError("no such tree")


def test_followers_keep_to_their_leaders_where_rows_depend_on_each_other() -> None:
    """More rows than the robot can follow: the pseudo-inverse of J_r M_r⁻¹ J_rᵀ, damped or not."""
    x = gripper()
    rows = [mc.Constraint(x.tool, "xyz rx ry rz"), mc.Constraint(x.tool, "z x", kind="spatial", source="contact")]
    J, bias, task = constraint_rows(x.world, rows)
    J, b = J @ x.tree.G, x.rng.normal(size=8)
    free = np.linalg.solve(x.M, x.tau - x.h)
    coupling = J @ np.linalg.solve(x.M, J.T)
    missing = b - bias - J @ free
    for damping in (0.0, 0.1):
        dynamics = mc.constrained_dynamics(x.robot, rows, regularisation=damping, gravity=GRAVITY)
        inverse = np.linalg.pinv(coupling, 1e-9, hermitian=True) if not damping else None
        multipliers = inverse @ missing if not damping else np.linalg.solve(coupling + damping * np.eye(8), missing)
        out = dynamics.run(x.q, x.v, x.tau, b)
        a = free + np.linalg.solve(x.M, J.T @ multipliers)
        assert error(out.a, a) < 1e-9
        assert error(out.multipliers, multipliers) < 1e-9
        assert error(out.residual, J @ a + bias - b) < 1e-9
        assert error(out.tau_command, x.tau + J[task].T @ multipliers[task]) < 1e-9
        if not damping:
            assert out.rank == np.linalg.matrix_rank(coupling, 1e-9) < 8


def test_forward_dynamics_of_followers_replays_what_constrained_dynamics_returns() -> None:
    x = gripper()
    contact = mc.Constraint(x.tool, "x", source="contact")
    dynamics = mc.constrained_dynamics(
        x.robot, [mc.Constraint(x.tool, "z"), contact], outputs=["a", "tau_command", "multipliers"]
    )
    out = dynamics.run(x.q, x.v, x.tau, [0.3, -0.2])
    replay = mc.forward_dynamics(x.robot, external_forces=[mc.Force(x.tool, as_seen_by="world")])
    wall = unit_wrenches("x")[:, 0] * out.multipliers[1]
    assert error(replay.run(x.q, x.v, out.tau_command, [wall]), out.a) < 1e-10


def test_without_rows_constrained_is_forward_dynamics_of_followers() -> None:
    x = gripper()
    out = mc.constrained_dynamics(x.robot, [], outputs=["a", "tau_command", "multipliers", "residual", "coupling"])
    out = out.run(x.q, x.v, x.tau, [])
    assert error(out.a, mc.forward_dynamics(x.robot).run(x.q, x.v, x.tau)) < 1e-12
    assert error(out.tau_command, x.tau) < 1e-12
    assert out.multipliers.size == out.residual.size == out.coupling.size == 0


def test_a_joint_of_several_coordinates_has_motors_and_a_floating_one_has_none() -> None:
    x = Question(5, [Kind.UNIVERSAL, Kind.SPHERICAL, Kind.FLOATING, Kind.PLANAR], False)
    out = mc.constrained_dynamics(x.robot, [mc.Constraint("link4", "x")]).run(x.q, x.v, x.tau, [0.1])
    floats = x.robot.v_index["to_link3"]
    assert np.all(out.tau_command[floats] == 0)
    assert np.all(out.unactuated[floats] != 0)
    assert np.all(np.delete(out.unactuated, np.arange(*floats.indices(x.robot.nv))) == 0)


def test_coordinates_are_called_after_the_joints_one_wrote() -> None:
    """Never after a follower, nor after the body between the two parts of a joint."""
    robot = build(random_tree(0, [Kind.CYLINDRICAL, Kind.PLANAR, Kind.UNIVERSAL, Kind.SPHERICAL], rotors=False))
    axes = ["1.angle", "1.slide", "2.rz", "2.x", "2.y", "3.first", "3.second", "4.rx", "4.ry", "4.rz"]
    assert StateGraph(robot.mechanism).coordinates == tuple(f"to_link{axis}" for axis in axes)
    assert robot.joint_names == ("to_link1", "to_link2", "to_link3", "to_link4")
    assert not [name for name in robot.frame_names if "between" in name]
    for coupled in (build(random_tree(seed)) for seed in range(20)):
        assert not set(StateGraph(coupled.mechanism).coordinates) & set(coupled.followers)


# ---------------------------------------------------------------- compiled

SETS = [[Kind.HELICAL, Kind.UNIVERSAL, Kind.SPHERICAL], [Kind.CYLINDRICAL, Kind.PLANAR, Kind.HELICAL], SEVERAL[:3]]


@pytest.mark.parametrize("kinds", [*SETS, [*SINGLE]], ids=lambda kinds: "-".join(kinds))
def test_compiled_it_is_the_same(kinds: list[Kind]) -> None:
    seed = next(s for s in range(100) if kinds != [*SINGLE] or len(build(random_tree(s, kinds)).followers) > 1)
    x = Question(seed, kinds, False)
    for computation, inputs in x.computations():
        assert error(values(computation(*inputs)), values(computation.run(*inputs))) < 1e-9


@pytest.mark.parametrize("kind", [Kind.UNIVERSAL, Kind.CYLINDRICAL])
def test_a_body_without_mass_costs_nothing_but_its_joint(kind: Kind) -> None:
    """No operation and no division more than two joints with a link between them."""
    axes = {"axis": (0.0, 0.0, 1.0), "second_axis": (0.0, 1.0, 0.0)}
    pieces = [replace(piece, joint=piece.joint | axes) for piece in random_tree(4, [kind, Kind.REVOLUTE], rotors=False)]
    second = {"type": Kind.PRISMATIC} if kind is Kind.CYLINDRICAL else {"type": Kind.REVOLUTE, "axis": (0.0, 1.0, 0.0)}
    base, link, last = pieces
    between = replace(link, name="between", joint=axes | {"type": Kind.REVOLUTE}, target=np.eye(4))
    apart = [base, between, replace(link, parent=1, reference=np.eye(4), joint=axes | second), replace(last, parent=2)]
    one, two = build(pieces), build(apart)
    assert one.nv == two.nv == 3
    for solver in (mc.inverse_dynamics, mc.forward_dynamics):
        ours, theirs = solver(one).operations, solver(two).operations
        assert ours["div"] == theirs["div"]
        assert sum(ours.values()) <= sum(theirs.values())
