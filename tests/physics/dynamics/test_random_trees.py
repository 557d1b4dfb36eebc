"""Random trees written in the Python language, against a witness that assembles everything densely.

The witness knows 4×4 poses alone. Jacobians are axes and levers read off the poses; their rates are complex steps,
J̇ v = Im J(q + i h v) v / h, exact to rounding; M = Σ Jᵀ diag(I, m) J over the links' centres of mass.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

import motionc as mc
from dense import in_two_groups
from motionc.sweeps import breadth_first, depth_first
from oracle import Array, constraint_rows, error, kkt
from rows import row
from trials import trials

EPSILON = np.finfo(float).eps
STEP = 1e-30
GRAVITY = (1.0, 2.0, -9.0)
Kind = mc.JointType


# ---------------------------------------------------------------- trees


@dataclass(frozen=True)
class Piece:
    """A link and the joint it hangs on; joint frames are placed on the parent (reference) and on the link (target)."""

    name: str
    parent: int
    kind: Kind
    axis: Array
    reference: Array
    target: Array
    mass: float | None
    com: Array
    inertia: Array
    rotor: float = 0.0


def random_pieces(seed: int) -> tuple[list[Piece], bool]:
    """The root, then two to nine links; and whether the root floats."""
    rng = np.random.default_rng(seed)
    size, floating, rotors = int(rng.integers(2, 10)), seed % 3 == 0, seed % 2 == 0
    kinds = rng.choice([Kind.REVOLUTE, Kind.CONTINUOUS, Kind.PRISMATIC, Kind.FIXED], size, p=[0.45, 0.2, 0.2, 0.15])
    kinds[0] = Kind.REVOLUTE
    pieces = [random_piece(rng, 0, -1, Kind.FLOATING if floating else Kind.FIXED, np.eye(4), np.eye(4))]
    for number, kind in enumerate(kinds, start=1):
        parent = number - 1 if rng.random() < 0.6 else int(rng.integers(number))
        # now and then a link that flies off the tree
        kind = Kind.FLOATING if not floating and rng.random() < 0.05 else Kind(kind)
        piece = random_piece(rng, number, parent, kind, random_pose(rng), random_pose(rng))
        if kind in (Kind.REVOLUTE, Kind.CONTINUOUS, Kind.PRISMATIC) and rotors:
            piece = replace(piece, rotor=float(rng.uniform(0, 0.3)))
        if kind is Kind.FIXED and rng.random() < 0.5:
            piece = replace(piece, mass=None)
        pieces.append(piece)
    return pieces, floating


def random_piece(rng: np.random.Generator, number: int, parent: int, kind: Kind, reference, target) -> Piece:
    half = rng.normal(size=(3, 3))
    # the sum of the two smaller moments outweighs the largest
    spread = half @ half.T / 30
    inertia = np.trace(spread) * np.eye(3) - spread
    # along a coordinate axis, one way or the other, or anywhere
    axis = rng.choice([-1.0, 1.0]) * np.eye(3)[rng.integers(3)] if rng.random() < 0.5 else rng.normal(size=3)
    return Piece(
        f"link{number}", parent, kind, axis, reference, target, rng.uniform(0.5, 2), 0.2 * rng.normal(size=3), inertia
    )


def random_pose(rng: np.random.Generator) -> Array:
    """Half of them turned by right angles or not at all, as robots are built."""
    angles = rng.integers(-1, 3, 3) * np.pi / 2 if rng.random() < 0.5 else rng.uniform(-3, 3, 3)
    return mc.placed(0.4 * rng.normal(size=3), angles)


def build(pieces: Sequence[Piece], floating: bool, order: Sequence[int] | None = None, **options) -> mc.Robot:
    """The tree in the Python language, joints in the order of the pieces or another one."""
    segments = []
    for number, piece in enumerate(pieces):
        link = mc.Link.rigid(piece.name, piece.mass, piece.com, None if piece.mass is None else piece.inertia)
        frames = [
            mc.Attachment(f"{piece.name}>{child.name}", mc.Role.JOINT, child.reference)
            for child in pieces
            if child.parent == number
        ]
        frames.append(mc.Attachment(f"{piece.name}<", mc.Role.JOINT, piece.target))
        segments.append(mc.Segment(piece.name, link, tuple(frames)))
    joints = []
    for number in order or range(1, len(pieces)):
        piece, parent = pieces[number], pieces[pieces[number].parent]
        joints.append(
            mc.Joint(
                f"to_{piece.name}",
                piece.kind,
                target=(segments[number], f"{piece.name}<"),
                reference=(segments[piece.parent], f"{parent.name}>{piece.name}"),
                axis=tuple(piece.axis),
                transmission=mc.Transmission(rotor_inertia=piece.rotor),
            )
        )
    return mc.Robot(mc.KinematicChain("tree", tuple(joints), segments[0]), floating=floating, **options)


# ---------------------------------------------------------------- the witness


class Witness:
    """A tree as 4×4 poses, in the state it was placed in."""

    def __init__(self, pieces: Sequence[Piece], robot: mc.Robot) -> None:
        self.pieces, self.robot = pieces, robot

    def place(self, q: Array, v: Array) -> None:
        self.q, self.v = q, v
        self.poses = self._poses(0.0)
        self.ahead = self._poses(1j * STEP)

    def _joint(self, number: int) -> str:
        return f"to_{self.pieces[number].name}" if number else "root_joint"

    def _poses(self, step: complex) -> list[tuple[Array, Array]]:
        """Of each joint's target frame and of each link, wrt world, at q + step · v."""
        found: list[tuple[Array, Array]] = []
        for number, piece in enumerate(self.pieces):
            at = found[piece.parent][1] @ piece.reference if number else piece.reference
            joint = self._joint(number)
            if joint in self.robot.q_index:
                q, v = self.q[self.robot.q_index[joint]], self.v[self.robot.v_index[joint]]
                at = at @ moved(piece.kind, piece.axis, q, v, step)
            found.append((at, at @ np.linalg.inv(piece.target)))
        return found

    def _jacobian(self, poses: list[tuple[Array, Array]], number: int, point: Array) -> Array:
        """Of a point fixed to a link, in world axes: for each joint on the path its axis and its lever."""
        J = np.zeros((6, self.robot.nv), poses[number][0].dtype)
        at = (poses[number][1] @ np.append(point, 1.0))[:3]
        while number >= 0:
            piece, joint, frame = self.pieces[number], self._joint(number), poses[number][0]
            if joint in self.robot.v_index:
                axis = frame[:3, :3] @ (piece.axis / np.linalg.norm(piece.axis))
                turns, shifts = np.zeros((3, 0)), np.zeros((3, 0))
                if piece.kind is Kind.FLOATING:
                    turns = shifts = frame[:3, :3]
                elif piece.kind is Kind.PRISMATIC:
                    shifts = axis[:, None]
                else:
                    turns = axis[:, None]
                levers = np.cross(turns, at - frame[:3, 3], axis=0)
                J[:3, self.robot.v_index[joint]] = np.hstack([turns, 0 * shifts])
                J[3:, self.robot.v_index[joint]] = np.hstack([levers, shifts])
            number = piece.parent
        return J

    def _number(self, link: str) -> int:
        return next(number for number, piece in enumerate(self.pieces) if piece.name == link)

    def _rate(self, number: int, point: Array) -> Array:
        return self._jacobian(self.ahead, number, point).imag @ self.v / STEP

    def pose(self, link: str) -> Array:
        return self.poses[self._number(link)][1]

    def turn(self, axes: str) -> Array:
        return np.eye(6) if axes == "world" else np.kron(np.eye(2), self.pose(axes)[:3, :3].T)

    def jacobian(self, frame: str, point: Sequence[float] = (0, 0, 0), axes: str = "world") -> Array:
        return self.turn(axes) @ self._jacobian(self.poses, self._number(frame), np.array(point))

    def bias(self, frame: str, point: Sequence[float], axes: str, kind: str) -> Array:
        rate, twist = self._rate(self._number(frame), np.array(point)), self.jacobian(frame, point) @ self.v
        if kind == "spatial":
            rate[3:] -= np.cross(twist[:3], twist[3:])
        return self.turn(axes) @ rate

    def dynamics(self) -> tuple[Array, Array]:
        """M and h."""
        M, h = np.zeros((self.robot.nv, self.robot.nv)), np.zeros(self.robot.nv)
        for number, piece in enumerate(self.pieces):
            joint = self._joint(number)
            if piece.rotor:
                M[self.robot.v_index[joint], self.robot.v_index[joint]] += piece.rotor
            if piece.mass is None:
                continue
            R, J = self.poses[number][1][:3, :3], self._jacobian(self.poses, number, piece.com)
            I, rate, w = R @ piece.inertia @ R.T, self._rate(number, piece.com), J[:3] @ self.v
            M += J[:3].T @ I @ J[:3] + piece.mass * J[3:].T @ J[3:]
            h += J[:3].T @ (I @ rate[:3] + np.cross(w, I @ w)) + piece.mass * J[3:].T @ (rate[3:] - GRAVITY)
        return M, h


def moved(kind: Kind, axis: Array, q: Array, v: Array, step: complex) -> Array:
    """A joint's own pose at q + step · v."""
    pose = np.eye(4, dtype=type(step))
    axis = axis / np.linalg.norm(axis)
    if kind is Kind.PRISMATIC:
        pose[:3, 3] = axis * (q[0] + step * v[0])
    elif kind is Kind.FLOATING:
        w, K = q[3], cross(q[4:])
        R = np.eye(3) + 2 * (w * K + K @ K) / (q[3:] @ q[3:])
        pose[:3, :3] = R + step * R @ cross(v[:3])
        pose[:3, 3] = q[:3] + step * R @ v[3:]
    else:
        K, angle = cross(axis), q[0] + step * v[0]
        pose[:3, :3] = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    return pose


def cross(a: Array) -> Array:
    """The matrix with cross(a) b = a × b."""
    return np.cross(np.eye(3), a)


# ---------------------------------------------------------------- a question about a tree


class Question:
    """A tree in a random state, with forces on it and up to six rows on one of its links."""

    def __init__(self, seed: int, rows: int | None = None) -> None:
        self.rng = rng = np.random.default_rng(1000 + seed)
        self.pieces, self.floating = random_pieces(seed)
        self.robot = build(self.pieces, self.floating)
        self.q, self.v = self.robot.random(rng), rng.normal(size=self.robot.nv)
        self.a, self.tau, self.physical = rng.normal(size=(3, self.robot.nv))
        self.witness = Witness(self.pieces, self.robot)
        self.witness.place(self.q, self.v)
        self.M, self.h = self.witness.dynamics()
        self.links = [piece.name for piece in self.pieces if self.moves(piece.name)]
        pushed, self.tool = rng.choice(self.links, 2)
        self.forces = [mc.Force(str(pushed), as_seen_by=str(pushed)), mc.Force(str(self.tool))]
        self.f_ext = rng.normal(size=(2, 6))
        J = self.witness.jacobian(pushed, axes=pushed), self.witness.jacobian(self.tool)
        self.push = J[0].T @ self.f_ext[0] + J[1].T @ self.f_ext[1]
        self.constraints = self._constraints(seed % 7 if rows is None else rows)
        self.J, self.bias, self.task = constraint_rows(self.witness, self.constraints)
        self.b = rng.normal(size=len(self.J))
        coupling = self.J @ np.linalg.solve(self.M, self.J.T)
        # what rounding makes of the coupling
        self.rounding = EPSILON * np.linalg.cond(coupling) if len(self.J) else EPSILON

    def moves(self, link: str) -> bool:
        return bool(self.witness.jacobian(link).any())

    def _constraints(self, m: int) -> list[mc.Constraint]:
        """As many rows as this link can follow, in two groups."""
        m = min(m, int(np.linalg.matrix_rank(self.witness.jacobian(self.tool), 0.1)))
        wrenches, point = np.linalg.qr(self.rng.normal(size=(6, 6)))[0][:, :m], tuple(self.rng.normal(size=3))
        axes = str(self.rng.choice([*self.links, "world"]))
        return in_two_groups(str(self.tool), wrenches, point, axes)

    @property
    def inverse(self) -> mc.Computation:
        return mc.inverse_dynamics(self.robot, external_forces=self.forces, gravity=GRAVITY)

    @property
    def forward(self) -> mc.Computation:
        return mc.forward_dynamics(self.robot, external_forces=self.forces, gravity=GRAVITY)

    @property
    def constrained(self) -> mc.Computation:
        return mc.constrained_dynamics(
            self.robot,
            self.constraints,
            external_forces=self.forces,
            physical_torques=True,
            actuated=self.robot.joint_names,
            gravity=GRAVITY,
        )

    def computations(self) -> list[tuple[mc.Computation, tuple[Array, ...]]]:
        """All three with their inputs."""
        return [
            (self.inverse, (self.q, self.v, self.a, self.f_ext)),
            (self.forward, (self.q, self.v, self.tau, self.f_ext)),
            (self.constrained, (self.q, self.v, self.tau, self.b, self.f_ext, self.physical)),
        ]


# ---------------------------------------------------------------- against the witness


@pytest.mark.parametrize("seed", range(trials(60)))
def test_poses_and_jacobians_are_the_witness(seed: int) -> None:
    question = Question(seed)
    robot, witness, point = question.robot, question.witness, (0.3, -0.1, 0.2)
    poses = mc.forward_kinematics(robot).run(question.q)
    assert error(poses, np.array([witness.pose(link) for link in robot.link_names])) < 1e-12
    for link in question.links[-2:]:
        J = mc.jacobian(robot, link, point=point, as_seen_by=question.tool).run(question.q)
        assert error(J, witness.jacobian(link, point, question.tool)) < 1e-12


@row("itasc", 6)
@row("robcogen", 23)
@pytest.mark.parametrize("seed", range(trials(200)))
def test_inverse_and_forward_dynamics_are_the_dense_assembly_and_undo_each_other(seed: int) -> None:
    x = Question(seed)
    tau = x.inverse.run(x.q, x.v, x.a, x.f_ext)
    assert error(tau, x.M @ x.a + x.h - x.push) < 1e-10
    assert error(x.forward.run(x.q, x.v, x.tau, x.f_ext), np.linalg.solve(x.M, x.tau - x.h + x.push)) < 1e-10
    assert error(x.forward.run(x.q, x.v, tau, x.f_ext), x.a) < 1e-10


@row("motion-stack", 24)
@row("itasc", 39)
@pytest.mark.parametrize("seed", range(trials(300)))
def test_constrained_dynamics_is_the_dense_solve(seed: int) -> None:
    x = Question(seed)
    a, multipliers = kkt(x.M, x.J, x.tau + x.physical + x.push - x.h, x.b - x.bias)
    out = x.constrained.run(x.q, x.v, x.tau, x.b, x.f_ext, x.physical)
    limit = max(1e-10, x.rounding)
    assert x.rounding < 1e-8
    assert error(out.a, a) < limit
    assert error(out.multipliers, multipliers) < limit
    assert error(out.tau_command + out.unactuated, x.tau + x.J[x.task].T @ multipliers[x.task]) < limit


@row("motion-stack", 25)
@row("lazy-control", 2)
@pytest.mark.parametrize("seed", range(trials(60)))
def test_no_other_feasible_acceleration_is_nearer_to_the_unconstrained(seed: int) -> None:
    """Gauss, on trees that stand and that fly: Z = ½ (a - a_free)ᵀ M (a - a_free) is least where rows leave freedom."""
    x = Question(seed, rows=min(1 + seed % 5, build(*random_pieces(seed)).nv - 1))
    a = x.constrained.run(x.q, x.v, x.tau, x.b, x.f_ext, x.physical).a
    free = np.linalg.solve(x.M, x.tau + x.physical + x.push - x.h)
    null = np.linalg.svd(x.J)[2][len(x.J) :].T
    others = a[:, None] + null @ np.concatenate(
        [size * x.rng.normal(size=(null.shape[1], 50)) for size in (1e-2, 1.0, 1e2)], axis=1
    )
    assert np.abs(x.J @ others + (x.bias - x.b)[:, None]).max(initial=0.0) < 1e-8

    def zwang(a: Array) -> Array:
        off = a - free[:, None]
        return 0.5 * np.einsum("ik,ij,jk->k", off, x.M, off)

    assert null.shape[1] > 0
    assert np.all(zwang(others) > zwang(a[:, None]))


@row("motion-stack", 10)
@pytest.mark.parametrize("seed", range(1, 40, 2))
def test_rotors_add_their_inertia_to_the_diagonal(seed: int) -> None:
    """A tree without transmissions is valid; with them, a = (M + diag d)⁻¹ (tau - h)."""
    x = Question(seed)
    rng = np.random.default_rng(seed)
    assert not any(piece.rotor for piece in x.pieces)
    one_dof = {f"to_{piece.name}" for piece in x.pieces if piece.kind not in (Kind.FIXED, Kind.FLOATING)}
    turning = [replace(p, rotor=rng.uniform(0.1, 1)) if f"to_{p.name}" in one_dof else p for p in x.pieces]
    d = np.zeros(x.robot.nv)
    for piece in turning:
        if f"to_{piece.name}" in one_dof:
            d[x.robot.v_index[f"to_{piece.name}"]] = piece.rotor
    geared = build(turning, x.floating)
    a = mc.forward_dynamics(geared, gravity=GRAVITY).run(x.q, x.v, x.tau)
    assert error(a, np.linalg.solve(x.M + np.diag(d), x.tau - x.h)) < 1e-10
    tau = mc.inverse_dynamics(geared, gravity=GRAVITY).run(x.q, x.v, x.a)
    assert error(tau, (x.M + np.diag(d)) @ x.a + x.h) < 1e-10


# ---------------------------------------------------------------- what must not matter


def same(answer: Array | mc.Results, other: Array | mc.Results, rounding: float = 0.0) -> bool:
    """To 1e-12, output by output, or to what rounding does to a constrained answer."""
    if isinstance(answer, mc.Results):
        pairs = zip(answer.values(), other.values(), strict=True)
        return all(same(np.asarray(one), np.asarray(two), rounding) for one, two in pairs)
    return error(answer, other) < max(1e-12, rounding)


def last_child_first(mechanism) -> list[int]:
    """A policy of one's own."""
    order, stack = [], [body.index for body in mechanism.bodies if body.parent < 0]
    while stack:
        order.append(stack.pop())
        stack += [body.index for body in mechanism.bodies if body.parent == order[-1]]
    return order


@row("motion-stack", 13)
@pytest.mark.parametrize("seed", range(trials(60)))
def test_the_order_of_the_walk_does_not_matter(seed: int) -> None:
    x = Question(seed, rows=2)
    poses = mc.forward_kinematics(x.robot)
    for computation, inputs in [(poses, (x.q,)), *x.computations()]:
        deep = computation.run(*inputs, policy=depth_first)
        assert same(computation.run(*inputs, policy=breadth_first), deep, x.rounding)
        assert same(computation.run(*inputs, policy=last_child_first), deep, x.rounding)


@row("itasc", 48)
@pytest.mark.parametrize("seed", range(trials(60)))
def test_normalisation_does_not_matter(seed: int) -> None:
    """Without it fixed joints stay joints, of no coordinate, and every frame stays as it was written."""
    x = Question(seed, rows=2)
    for computation, inputs in x.computations():
        computation.solver.check(normalise=False)
        assert same(computation.run(*inputs, normalise=False), computation.run(*inputs), x.rounding)


@pytest.mark.parametrize("seed", range(trials(60)))
def test_the_order_in_which_joints_are_written_does_not_matter(seed: int) -> None:
    x = Question(seed, rows=2)
    order = list(x.rng.permutation(range(1, len(x.pieces))))
    first = next(number for number in order if x.pieces[number].parent == 0)
    order.insert(0, order.pop(order.index(first)))
    y = Question(seed, rows=2)
    y.robot = build(x.pieces, x.floating, order)
    for joint in x.robot.joint_names:
        y.q[y.robot.q_index[joint]] = x.q[x.robot.q_index[joint]]
        for theirs, ours in ((y.v, x.v), (y.a, x.a), (y.tau, x.tau), (y.physical, x.physical)):
            theirs[y.robot.v_index[joint]] = ours[x.robot.v_index[joint]]
    back = np.concatenate([np.arange(y.robot.nv)[y.robot.v_index[joint]] for joint in x.robot.joint_names])
    (inverse, given), (forward, pushed), (constrained, asked) = x.computations()
    (inverse_y, given_y), (forward_y, pushed_y), (constrained_y, asked_y) = y.computations()
    assert same(inverse_y.run(*given_y)[back], inverse.run(*given))
    assert same(forward_y.run(*pushed_y)[back], forward.run(*pushed))
    out, out_y = constrained.run(*asked), constrained_y.run(*asked_y)
    assert same(out_y.multipliers, out.multipliers, x.rounding)
    for name in ("a", "tau_command", "unactuated"):
        assert same(out_y[name][back], out[name], x.rounding)


@pytest.mark.parametrize("seed", range(0, 30, 3))
def test_the_length_of_a_quaternion_does_not_matter(seed: int) -> None:
    x = Question(seed, rows=2)
    assert x.floating
    answers = [computation.run(*inputs) for computation, inputs in x.computations()]
    x.q[x.robot.q_index["root_joint"]][3:] *= -1.7
    for (computation, inputs), answer in zip(x.computations(), answers, strict=True):
        assert same(computation.run(*inputs), answer, x.rounding)


@pytest.mark.parametrize("seed", range(20))
def test_a_joint_that_is_held_is_as_good_as_a_weld(seed: int) -> None:
    """The others feel the same as if it were moved to that value and neither moved nor accelerated."""
    x = Question(seed)
    name = next(
        joint for joint in x.robot.joint_names if x.robot.v_index[joint].stop - x.robot.v_index[joint].start == 1
    )
    if x.robot.nv == 1:
        pytest.skip("nothing else moves")
    held = build(x.pieces, x.floating, fixed={name: float(x.q[x.robot.q_index[name]][0])})
    x.v[x.robot.v_index[name]] = x.a[x.robot.v_index[name]] = 0.0
    q, v = (np.ones(size, bool) for size in (x.robot.nq, x.robot.nv))
    q[x.robot.q_index[name]] = v[x.robot.v_index[name]] = False
    tau = mc.inverse_dynamics(held).run(x.q[q], x.v[v], x.a[v])
    assert same(tau, mc.inverse_dynamics(x.robot).run(x.q, x.v, x.a)[v])


SMALL = [seed for seed in range(60) if len(random_pieces(seed)[0]) <= 4][:8]


@pytest.mark.parametrize("seed", SMALL)
def test_checked_run_and_compiled_are_one(seed: int) -> None:
    x = Question(seed, rows=3)
    for computation, inputs in x.computations():
        computation.check()
        assert same(computation(*inputs), computation.run(*inputs), x.rounding)
