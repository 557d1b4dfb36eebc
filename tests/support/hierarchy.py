"""Hierarchical least squares of many states at once, by projections and singular values: an answer nobody here wrote.

    min Σ w² (A₁ y - r₁)², of those min Σ w² (A₂ y - r₂)², …, of those min y²

Rows are ranked as unit vectors: what earlier levels leave of a row counts by its share of the row, whatever its unit.
Beside the answer come the shares that decided, so that whoever compares can leave out states where they are in doubt.
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import linprog

import motionc as mc
from motionc.robots import robot_file, shipped_robot

Array = np.ndarray


@dataclass(frozen=True)
class Answer:
    """y of all states; the rank of each level; the least share among those that count and the largest among others."""

    y: Array
    ranks: Array
    weakest: Array
    strongest_lost: Array

    def clear(self, exact: float) -> Array:
        """Where ranks are beyond doubt for whoever knows the squares of rows to this share: what counts is far above
        it, each share amplified by the weakest of the levels before; what does not is far below.
        """
        before = np.cumprod(np.column_stack([np.ones(len(self.y)), self.weakest[:, :-1]]), axis=1)
        limit = exact / before
        return np.all((self.weakest > limit) & (self.strongest_lost < 1e-3 * exact), axis=1)

    @property
    def share(self) -> Array:
        """The least share of all levels together: answers are as exact as rounding over it."""
        return np.prod(self.weakest, axis=1)


def hierarchical(A: Array, r: Array, levels: Sequence[int], weights: Sequence[float], rank_share: float) -> Answer:
    """Of rows A (states, m, n), the level of each and its weight; shares above `rank_share` count."""
    states, _, n = A.shape
    level, w = np.asarray(levels), np.asarray(weights, float)
    lengths = np.linalg.norm(A, axis=2, keepdims=True)
    real = lengths > 1e-11 * lengths.max(axis=(1, 2), keepdims=True)
    A = np.where(real, A, 0.0)
    unit = A / np.where(real, lengths, 1.0)
    y, free = np.zeros((states, n)), np.broadcast_to(np.eye(n), (states, n, n))
    ranks, weakest, lost = [], [], []
    for one in np.unique(level):
        own = level == one
        _, values, _ = np.linalg.svd(unit[:, own] @ free, full_matrices=False)
        shares = values**2
        counts = shares > rank_share
        # weighted misses are least, at this rank
        weighted = w[own, None] * A[:, own] @ free
        left, values, right = np.linalg.svd(weighted, full_matrices=False)
        inverse = np.where(counts, 1 / np.where(counts, values, 1.0), 0.0)
        missing = w[own] * (r[:, own] - np.einsum("smn,sn->sm", A[:, own], y))
        y = y + np.einsum("skn,sk,smk,sm->sn", right, inverse, left, missing, optimize=True)
        # an orthonormal basis of what is left, as a projector: from unit rows, whose weights do not matter
        _, _, right = np.linalg.svd(unit[:, own] @ free, full_matrices=False)
        taken = right * counts[:, :, None]
        free = free - np.einsum("ski,skj->sij", taken, taken)
        ranks.append(counts.sum(axis=1))
        weakest.append(np.where(counts, shares, 1.0).min(axis=1, initial=1.0))
        lost.append(np.where(counts, 0.0, shares).max(axis=1, initial=0.0))
    return Answer(y, *(np.stack(part, axis=1) for part in (ranks, weakest, lost)))


class Witness:
    """What constrained dynamics should say of many states, from the mass matrix, the bias forces and Jacobians.

    Robots without followers; rows of tokens on frames wrt the world, in its axes, and along whole joints.
    """

    def __init__(self, robot: mc.Robot, constraints: Sequence[mc.Constraint | mc.JointConstraint]) -> None:
        self.robot, self.constraints = robot, list(constraints)
        self.mass, self.bias = mc.mass_matrix(robot), mc.inverse_dynamics(robot)
        self.turned = {
            c.frame: (mc.jacobian(robot, c.frame), mc.frame_motion(robot, [c.frame], outputs=["classical"]))
            for c in self.constraints
            if isinstance(c, mc.Constraint)
        }
        sizes = [len(self._places(c)) for c in self.constraints]
        self.levels, self.weights = (
            np.repeat([getattr(c, name) for c in self.constraints], sizes) for name in ("level", "weight")
        )

    def _places(self, c: mc.Constraint | mc.JointConstraint) -> list[int]:
        """Which rows of a Jacobian, angular first, or which entries of v."""
        if isinstance(c, mc.JointConstraint):
            return [k for name in c.names for k in range(self.robot.nv)[self.robot.v_index[name]]]
        tokens = str(c.rows).replace("xyz", "x y z").split()
        return [("rx", "ry", "rz", "x", "y", "z").index(token) for token in tokens]

    def place(self, q: Array, v: Array) -> None:
        """In these states."""
        still = np.zeros_like(v)
        self.M, self.h = self.mass.batch(q), self.bias.batch(q, v, still)
        J, drift = [], []
        for c in self.constraints:
            where = self._places(c)
            if isinstance(c, mc.JointConstraint):
                J.append(np.broadcast_to(np.eye(self.robot.nv)[where], (len(q), len(where), self.robot.nv)))
                drift.append(np.zeros((len(q), len(where))))
            else:
                jacobian, motion = self.turned[c.frame]
                J.append(jacobian.batch(q)[:, where])
                drift.append(motion.batch(q, v, still)[:, 0, where])
        self.J, self.drift = np.concatenate(J, axis=1), np.concatenate(drift, axis=1)
        self.root = np.linalg.cholesky(self.M)
        self.A = np.swapaxes(np.linalg.solve(self.root, np.swapaxes(self.J, 1, 2)), 1, 2)

    def motion(self, tau: Array, b: Array, rank_share: float = 1e-12) -> tuple[Array, Answer]:
        """How the robot accelerates, and what decided ranks."""
        free = self.free(tau)
        missing = b - self.drift - np.einsum("smn,sn->sm", self.J, free)
        found = hierarchical(self.A, missing, self.levels, self.weights, rank_share)
        moved = np.linalg.solve(np.swapaxes(self.root, 1, 2), found.y[..., None])[..., 0]
        return free + moved, found

    def free(self, tau: Array) -> Array:
        """How it would accelerate without rows: what they change may be far more than what is left."""
        return np.linalg.solve(self.M, (tau - self.h)[..., None])[..., 0]

    def misses(self, a: Array, b: Array) -> Array:
        """How far each row is missed, as a share of what is asked and reached."""
        reached = np.einsum("smn,sn->sm", self.J, a) + self.drift
        bulk = np.einsum("smn,sn->sm", np.abs(self.J), np.abs(a)) + np.abs(self.drift)
        return np.abs(reached - b) / np.maximum(1.0, bulk.max(axis=1, keepdims=True))


def random_states(robot: mc.Robot, rows: int, states: int, seed: int = 0) -> tuple[Array, ...]:
    """q, v, tau, b."""
    rng = np.random.default_rng(seed)
    q = np.array([robot.random(rng) for _ in range(states)])
    return q, *rng.normal(size=(2, states, robot.nv)), rng.normal(size=(states, rows))


# ---------------------------------------------------------------- units


@dataclass(frozen=True)
class Units:
    """A metre is so many units of length, a kilogram so many of mass; seconds and radians stay."""

    length: float
    mass: float

    def robot(self, name: str, folder: Path) -> mc.Robot:
        """A robot that comes along, its file written anew in these units."""
        tree = ET.parse(str(robot_file(name)))
        turning = self.mass * self.length**2
        for element in tree.iter():
            if element.tag == "origin" and "xyz" in element.attrib:
                element.set("xyz", " ".join(repr(float(x) * self.length) for x in element.get("xyz", "").split()))
            if element.tag == "mass":
                element.set("value", repr(float(element.get("value", "0")) * self.mass))
            if element.tag == "inertia":
                for key, value in element.attrib.items():
                    element.set(key, repr(float(value) * turning))
            if "rotor_inertia" in element.attrib:
                element.set("rotor_inertia", repr(float(element.get("rotor_inertia", "0")) * turning))
            sliding = element.tag == "joint" and element.get("type") == "prismatic"
            for limit in element.iter("limit") if sliding else ():
                for key in ("lower", "upper", "velocity"):
                    limit.set(key, repr(float(limit.get(key, "0")) * self.length))
        path = folder / f"{name}.urdf"
        tree.write(path)
        found = shipped_robot(name)
        return mc.load(path, floating=True) if found and found.floating else mc.load(path)

    def rates(self, robot: mc.Robot) -> Array:
        """By how much each entry of v is more."""
        slides = {joint.name for joint in robot.joints if str(joint.type) == "prismatic"}
        found = np.ones(robot.nv)
        for name, where in robot.v_index.items():
            size = len(range(robot.nv)[where])
            found[where] = [1.0] * 3 + [self.length] * 3 if size == 6 else self.length if name in slides else 1.0
        return found

    def state(self, robot: mc.Robot, q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array]:
        """The same state."""
        rates, places = self.rates(robot), np.ones(robot.nq)
        for name, where in robot.q_index.items():
            if len(range(robot.nq)[where]) == 7:
                places[where] = [self.length] * 3 + [1.0] * 4
            else:
                places[where] = rates[robot.v_index[name]]
        return q * places, v * rates, tau * (self.mass * self.length**2 / rates)


# ---------------------------------------------------------------- limits


def short_of_best(witness: Witness, tau: Array, limits: Array, b: Array, levels: int = 2) -> Array:
    """By how much each level of some states might be missed less within limits, as a share (states, levels).

    A bound that needs no solver to be believed: where f is convex, f(τ) - f(τ') ≤ ∇f·(τ - τ'), so that the most that a
    linear programme can gain along ∇f, level by level, what earlier levels reach held as it is, bounds what is lost.
    """
    inverse = np.linalg.inv(witness.M)
    G = witness.J @ inverse
    wanted = b - witness.drift + np.einsum("smn,sn->sm", G, witness.h)
    found = []
    for level in range(1, levels + 1):
        own, before = witness.levels == level, witness.levels < level
        weighted = witness.weights[own, None] * G[:, own]
        miss = np.einsum("smn,sn->sm", weighted, tau) - witness.weights[own] * wanted[:, own]
        slope = np.einsum("smn,sm->sn", weighted, miss)
        if before.any():
            rows = zip(inverse, G[:, before], witness.J[:, before], strict=True)
            held = [_without_rounding(*state) for state in rows]
            gain = np.array([_gain(*state, limits) for state in zip(slope, held, tau, strict=True)])
        else:
            gain = np.maximum(slope * (tau + limits), slope * (tau - limits)).sum(axis=1)
        size = np.linalg.norm(miss, axis=1)
        found.append((size - np.sqrt(np.maximum(0.0, size**2 - 2 * gain))) / np.maximum(1.0, size))
    return np.stack(found, axis=1)


def gauss_short_of_best(witness: Witness, tau: Array, asked: Array, limits: Array) -> Array:
    """By how much torques might be nearer to those asked for in the sense of Gauss within limits, no row changed, as a
    share, by the same bound; what is rounding in what a torque does to a row, as a share of what it may do, left out.
    """
    inverse, found = np.linalg.inv(witness.M), list[float]()
    for G, J, here, wish in zip(inverse, witness.J, tau, asked, strict=True):
        slope = G @ (here - wish)
        size = np.sqrt((here - wish) @ slope)
        gain = _gain(slope, _without_rounding(G, J @ G, J), here, limits)
        found.append((size - np.sqrt(max(0.0, size**2 - 2 * gain))) / max(1e-6, size))
    return np.array(found)


def _without_rounding(inverse: Array, rows: Array, J: Array) -> Array:
    """Rows that some torque moves; what is rounding in what a torque does to one, as a share of what it may, is 0."""
    most = np.sum(rows * J, axis=1)
    rows = np.where((most < 1e-22 * max(0.01, most.max()))[:, None], 0.0, rows)
    rows = np.where(np.abs(rows) < 1e-11 * np.sqrt(np.outer(most.clip(0.0), np.diag(inverse))), 0.0, rows)
    return rows[np.any(rows != 0.0, axis=1)]


def _gain(slope: Array, rows: Array, tau: Array, limits: Array) -> float:
    """The most that a step along which no row changes gains within limits."""
    if np.all(np.abs(tau) < limits) and np.abs(slope - np.linalg.pinv(rows) @ rows @ slope).max() < 1e-9:
        return 0.0
    scale, room = max(1e-300, np.abs(slope).max()), np.column_stack([-limits - tau, limits - tau])
    room = np.column_stack([np.minimum(room[:, 0], 0.0), np.maximum(room[:, 1], 0.0)])
    # the solver neglects entries below 1e-9, and misses of 1e-7
    rows = 1e3 * rows / np.linalg.norm(rows, axis=1, keepdims=True)
    done = linprog(slope / scale, A_eq=rows, b_eq=np.zeros(len(rows)), bounds=room, method="highs")
    return float(-done.fun * scale) if done.status == 0 else np.inf
