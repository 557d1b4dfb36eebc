"""Constrained dynamics, densely: rows on any frames, wrt anything, along joints, solved by NumPy level after level.

Positions, Jacobians and accelerations come from Pinocchio (an Oracle, placed in a state); how one body accelerates as
seen from another is written out here. None of it calls motionc to compute.
"""

from collections.abc import Sequence

import numpy as np

import motionc as mc
from oracle import Array, Oracle, kkt, unit_wrenches

Rows = mc.Constraint | mc.JointConstraint


def gains(robot: mc.Robot, free: mc.Robot) -> tuple[Array, Array]:
    """G and c with v = G v_r and, of joints of one coordinate, q = G q_r + c: all joints from independent ones."""
    G, c = np.zeros((free.nv, robot.nv)), np.zeros(free.nv)
    for joint, where in free.v_index.items():
        leader, gain, offset = robot.followers.get(joint, (joint, 1.0, 0.0))
        G[where, robot.v_index[leader]], c[where] = gain * np.eye(where.stop - where.start), offset
    return G, c


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
            own, rate = relative(world, V, c)
            J.append(own @ G)
            bias.append(rate)
    return np.vstack(J), np.concatenate(bias)


def each(constraints: Sequence[Rows], sizes: Sequence[int], name: str) -> Array:
    """What a constraint says of itself, for each of its rows."""
    return np.repeat([getattr(c, name) for c in constraints], sizes)


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

    def motors(self, a: Array, multipliers: Array, contact: Array, artificial: Array | float = 0.0) -> Array:
        """What motors make: all that moves the robot and does not act anyway (`artificial` is among `acts`)."""
        return self.M @ a + self.h - self.acts + artificial - self.J[contact].T @ multipliers[contact]
