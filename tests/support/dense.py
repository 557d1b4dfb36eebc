"""Constrained dynamics, densely: rows on any frames, wrt anything, along joints, solved by NumPy level after level.

Positions, Jacobians and accelerations come from Pinocchio (an Oracle, placed in a state); how one body accelerates as
seen from another is written out here. None of it calls motionc to compute.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from types import SimpleNamespace

import numpy as np

import motionc as mc
from all_joints import Moving
from oracle import Array, Oracle, kkt, load, oracle, unit_wrenches

Rows = mc.Constraint | mc.JointConstraint | mc.CenterOfMass | mc.Momentum
EPSILON = np.finfo(float).eps
GRAVITY = (0.0, 0.0, -9.81)
OUTPUTS = ("a", "tau_command", "multipliers", "residual", "unactuated", "rank", "conditioning", "coupling")


def relative(world: Oracle, V: Array, c: mc.Constraint) -> tuple[Array, Array]:
    """J and J̇ v of a frame's point wrt a body that may move, derivatives taken on that body, in the axes asked for."""
    J, (w, v) = world.jacobian(c.frame, point=c.point), np.split(world.jacobian(c.frame, point=c.point) @ V, 2)
    turning, going = np.split(world.bias(c.frame, c.point), 2)
    if c.wrt != "world":
        r = (world.pose(c.frame) @ [*c.point, 1.0] - world.pose(c.wrt)[:, 3])[:3]
        observer, (w_o, v_o) = world.jacobian(c.wrt), np.split(world.jacobian(c.wrt) @ V, 2)
        turning_o, going_o = np.split(world.bias(c.wrt), 2)
        J = J - observer - np.vstack([0 * observer[:3], np.cross(observer[:3], r, axis=0)])
        w, v = w - w_o, v - v_o - np.cross(w_o, r)
        # what a turning observer does not see: Euler's, the centripetal and Coriolis' acceleration
        going = going - going_o - np.cross(turning_o, r) - np.cross(w_o, np.cross(w_o, r)) - 2 * np.cross(w_o, v)
        turning = turning - turning_o - np.cross(w_o, w)
    if c.kind == "spatial":
        going = going - np.cross(w, v)
    turn = unit_wrenches(c.rows).T @ world.turn(c.as_seen_by)
    return turn @ J, turn @ np.concatenate([turning, going])


def of_all_bodies(world: Oracle, c: mc.CenterOfMass | mc.Momentum) -> tuple[Array, Array]:
    """J and J̇ v of the centre of mass, or of the momentum about it, in the axes asked for."""
    _, J, bias = world.momentum(*world.placed)
    if isinstance(c, mc.CenterOfMass):
        mass = sum(inertia.mass for inertia in world.model.inertias.tolist()[1:])
        rows = unit_wrenches(c.rows) if isinstance(c.rows, str) else np.vstack([0 * c.rows, c.rows])
        turn = rows.T @ world.turn(c.as_seen_by) / mass
    else:
        turn = unit_wrenches(c.rows).T @ world.turn(c.as_seen_by)
    return turn @ J, turn @ bias


def all_rows(world: Oracle, V: Array, robot: mc.Robot, G: Array, constraints: Sequence[Rows]) -> tuple[Array, Array]:
    """J and J̇ v in independent coordinates, row by row."""
    J, bias = [np.zeros((0, robot.nv))], [np.zeros(0)]
    for c in constraints:
        if isinstance(c, mc.JointConstraint):
            names = [c.joints] if isinstance(c.joints, str) else c.joints
            E = np.vstack([np.eye(robot.nv)[robot.v_index[name]] for name in names])
            J.append(E if c.rows is None else np.asarray(c.rows).T @ E)
            bias.append(np.zeros(len(J[-1])))
        else:
            own, rate = relative(world, V, c) if isinstance(c, mc.Constraint) else of_all_bodies(world, c)
            J.append(own @ G)
            bias.append(rate)
    return np.vstack(J), np.concatenate(bias)


class Dense:
    """M a + h = tau + acts + Jᵀ λ and J a = reach, where `told` joints accelerate as `a` says whatever that takes."""

    def __init__(
        self, M: Array, h: Array, J: Array, reach: Array, tau: Array, acts: Array | float = 0.0, *, told=None, a=None
    ) -> None:
        self.M, self.h, self.J, self.tau, self.acts = M, h, J, tau, acts
        self.told = np.zeros(len(M), bool) if told is None else told
        self.given = np.where(self.told, 0.0 if a is None else a, 0.0)
        free = ~self.told
        # of the joints that are free to accelerate
        self.inertia, self.rows = M[np.ix_(free, free)], J[:, free]
        self.force = (tau + acts - h - M @ self.given)[free]
        self.reach = reach - J @ self.given
        self.coupling = self.rows @ np.linalg.solve(self.inertia, self.rows.T)
        self.missing = self.reach - self.rows @ np.linalg.solve(self.inertia, self.force)

    @property
    def condition(self) -> float:
        return float(np.linalg.cond(self.coupling)) if len(self.J) else 1.0

    def kkt(self) -> tuple[Array, Array]:
        """a and λ, rows independent."""
        a, multipliers = kkt(self.inertia, self.rows, self.force, self.reach)
        return self.whole(a), multipliers

    def levels(self, level: Array, weight: Array, rcond: float = 1e-9) -> tuple[Array, Array, Array]:
        """a and the least λ (over its weights), each level as near as the ones before leave it; and the ranks."""
        root = np.linalg.cholesky(self.inertia)
        A = weight[:, None] * np.linalg.solve(root, self.rows.T).T
        right, y, null, ranks = weight * self.missing, np.zeros(len(root)), np.eye(len(root)), []
        for number in np.unique(level):
            own = A[level == number]
            left, values, right_vectors = np.linalg.svd(own @ null)
            rank = int(np.sum(values > np.sqrt(rcond) * np.linalg.norm(own, 2)))
            back = right_vectors[:rank].T @ np.diag(1 / values[:rank]) @ left[:, :rank].T
            y = y + null @ back @ (right[level == number] - own @ y)
            null = null @ right_vectors[rank:].T
            ranks.append(rank)
        multipliers = weight * (np.linalg.pinv(A.T, rcond=np.sqrt(rcond)) @ y)
        free = np.linalg.solve(self.inertia, self.force) + np.linalg.solve(root.T, y)
        return self.whole(free), multipliers, np.array(ranks)

    def pushed(self, multipliers: Array) -> Array:
        """a under these multipliers."""
        return self.whole(np.linalg.solve(self.inertia, self.force + self.rows.T @ multipliers))

    def whole(self, free: Array) -> Array:
        a = self.given.copy()
        a[~self.told] = free
        return a

    def motors(self, a: Array, environment: Array) -> Array:
        """What motors make: all that moves the robot, but for what comes from outside."""
        return self.M @ a + self.h - environment


# ---------------------------------------------------------------- robots in states


class Real:
    """A real robot in one random state after another, as all_joints.Moving is a tree in one."""

    def __init__(self, name: str, mimic: str = "independent", seed: int = 0) -> None:
        self.robot, self.free, self.world = load(name, mimic), load(name), oracle(name)
        self.rng = np.random.default_rng(seed)
        self.G = np.zeros((self.free.nv, self.robot.nv))
        for joint, where in self.free.v_index.items():
            leader, gain, _ = self.robot.followers.get(joint, (joint, 1.0, 0.0))
            self.G[where, self.robot.v_index[leader]] = gain * np.eye(where.stop - where.start)
        self.place(self.robot.random(self.rng))
        self.links = [link for link in self.robot.link_names if self.world.jacobian(link).any()]

    def place(self, q: Array | None = None) -> "Real":
        """In this configuration or a random one; everything else is random."""
        rng, robot = self.rng, self.robot
        self.q = robot.random(rng) if q is None else q
        self.v, self.a, self.tau = rng.normal(size=(3, robot.nv))
        self.Q, self.V = self.whole(self.q), self.G @ self.v
        self.M = self.G.T @ self.world.mass_matrix(self.Q) @ self.G
        self.h = self.G.T @ self.world.bias_forces(self.Q, self.V, GRAVITY)
        self.world.place(self.Q, self.V)
        return self

    def whole(self, q: Array) -> Array:
        """Every joint's coordinates, followers' too."""
        own = {joint: q[where] for joint, where in self.robot.q_index.items()}
        own |= {joint: gain * own[leader] + c for joint, (leader, gain, c) in self.robot.followers.items()}
        return np.concatenate([own[joint] for joint in self.free.q_index])


def mask(robot: mc.Robot, joints: Iterable[str]) -> Array:
    """True where v belongs to one of these joints."""
    found = np.zeros(robot.nv, bool)
    for joint in joints:
        found[robot.v_index[joint]] = True
    return found


class Question:
    """Constraints on a robot on which everything acts that can; put once to motionc, in any state to a dense solve.

    Every joint has a motor, floating ones too, unless options say otherwise.
    """

    def __init__(
        self, x: Moving | Real, constraints: Sequence[Rows], prescribed: Sequence[str] = (), outputs=OUTPUTS, **options
    ) -> None:
        self.robot, self.constraints, self.prescribed = x.robot, list(constraints), list(prescribed)
        self.options = {"outputs": outputs, "actuated": x.robot.joint_names, **options}
        self.pushed, self.made = (str(name) for name in x.rng.choice(x.links, 2))
        sizes = [len(all_rows(x.world, x.V, x.robot, x.G, [c])[0]) for c in constraints]
        self.level, self.weight, self.source = (
            np.repeat([getattr(c, name) for c in constraints], sizes) for name in ("level", "weight", "source")
        )

    @cached_property
    def computation(self) -> mc.Computation:
        return mc.constrained_dynamics(
            self.robot,
            self.constraints,
            prescribed=self.prescribed,
            external_forces=[mc.Force(self.pushed, as_seen_by=self.pushed)],
            physical_torques=True,
            artificial_forces=[mc.Force(self.made, as_seen_by="world")],
            **self.options,
        )

    def put(self, x: Moving | Real) -> Dense:
        """In this state; `inputs` are then in the order of the ports."""
        rng = x.rng
        J, bias = all_rows(x.world, x.V, x.robot, x.G, self.constraints)
        b, physical, f_ext, f_art = rng.normal(size=len(J)), rng.normal(size=x.robot.nv), *rng.normal(size=(2, 6))
        push = x.G.T @ x.world.push({(self.pushed, self.pushed): f_ext})
        made = x.G.T @ x.world.push({(self.made, "world"): f_art})
        # entries that are not read may be anything
        told = mask(x.robot, self.prescribed)
        a = [np.where(told, x.a, 1e6)] if self.prescribed else []
        self.inputs = [x.q, x.v, x.tau, *a, b, f_ext[None], physical, f_art[None]]
        self.outside = physical + push
        return Dense(x.M, x.h, J, b - bias, x.tau, self.outside + made, told=told, a=x.a)

    def motors(self, dense: Dense, a: Array, multipliers: Array) -> Array:
        """tau_command + unactuated."""
        contact = self.source == "contact"
        return dense.motors(a, self.outside + dense.J[contact].T @ multipliers[contact])


def in_batches(question: Question, x: Real, states: int) -> Iterator[tuple[Dense, SimpleNamespace]]:
    """The dense question and the compiled answer, state by state."""
    asked = [(question.put(x.place()), question.inputs, question.outside) for _ in range(states)]
    found = question.computation.batch(*map(np.array, zip(*(inputs for _, inputs, _ in asked), strict=True)))
    for k, (dense, _, outside) in enumerate(asked):
        question.outside = outside
        yield dense, SimpleNamespace(**{name: values[k] for name, values in found.items()})


# ---------------------------------------------------------------- rows at random


def random_constraint(x: Moving | Real, **ranks) -> Rows:
    """On any link wrt any other or the world, at any point, in any axes, of either kind; or along joints."""
    rng, robot = x.rng, x.robot
    ranks |= {"source": str(rng.choice(["task", "contact"]))}
    if rng.random() < 0.25:
        joints = [str(name) for name in rng.permutation(robot.joint_names)[: rng.integers(1, 3)]]
        k = mask(robot, joints).sum()
        some = np.linalg.qr(rng.normal(size=(k, k)))[0][:, : rng.integers(1, k + 1)]
        return mc.JointConstraint(joints, None if rng.random() < 0.5 else some, **ranks)
    frame, wrt, axes = (str(name) for name in rng.choice(x.links, 3))
    tokens = " ".join(rng.permutation(["x", "y", "z", "rx", "ry", "rz"])[: rng.integers(1, 4)])
    some = np.linalg.qr(rng.normal(size=(6, 6)))[0][:, : rng.integers(1, 4)]
    return mc.Constraint(
        frame,
        tokens if rng.random() < 0.5 else some,
        wrt=wrt if rng.random() < 0.5 else "world",
        point=tuple(0.3 * rng.normal(size=3)) if rng.random() < 0.7 else (0, 0, 0),
        as_seen_by=axes if rng.random() < 0.7 else "world",
        kind=str(rng.choice(["classical", "spatial"])),
        **ranks,
    )


def random_rows(x: Moving | Real, target: int, prescribed: Sequence[str] = (), condition: float = 1e6) -> list[Rows]:
    """As many independent rows as asked for, or as are found soon."""
    found, free = list[Rows](), ~mask(x.robot, prescribed)
    root = np.linalg.cholesky(x.M[np.ix_(free, free)])
    # J M^-½ of the rows so far, whose condition is the root of the coupling's
    reach = np.zeros((0, len(root)))
    for _ in range(60):
        more = random_constraint(x)
        if isinstance(more, mc.JointConstraint) and set(more.names) & set(prescribed):
            continue
        J = all_rows(x.world, x.V, x.robot, x.G, [more])[0][:, free]
        both = np.vstack([reach, np.linalg.solve(root, J.T).T])
        if len(both) <= target and np.linalg.norm(J, axis=1).min() > 0.05 and np.linalg.cond(both) ** 2 < condition:
            found, reach = [*found, more], both
        if len(reach) == target:
            break
    return found


def in_two_groups(tool: str, wrenches: Array, point: tuple[float, ...], axes: str) -> list[mc.Constraint]:
    """The first half of the rows as a contact at a point, the others spatial at the origin."""
    half, groups = wrenches.shape[1] // 2, list[mc.Constraint]()
    if half:
        groups.append(mc.Constraint(tool, wrenches[:, :half], point=point, as_seen_by=axes, source="contact"))
    if wrenches.size:
        groups.append(mc.Constraint(tool, wrenches[:, half:], kind="spatial"))
    return groups
