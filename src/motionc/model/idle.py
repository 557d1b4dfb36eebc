"""Which joints move no inertia of their own? Those whose articulated inertia D vanishes in every configuration.

M = AᵀA, where A stacks √I J of all bodies and √rotor. Eliminating columns from the tips to the root (Gram–Schmidt)
leaves √D of each coordinate, and D = 0 of one of them is a singular M: roots tell 1e-16 from 1e-7 where M tells 1e-16
from 1e-14. det M is analytic in q: what vanishes at random configurations vanishes everywhere. Nothing here has a unit:
√D is compared with what the coordinate would feel at most, all that it carries turning about it at arm's length.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionc.geometry.factors import multiply_out
from motionc.geometry.lie import pose_inverse
from motionc.model.chain import HERE, Array, KinematicChain, Link, Role
from motionc.model.joints import FLOATING, Part
from motionc.model.mechanism import held_pose

CONFIGURATIONS = 3
LEAST_SHARE = 1e-7
"""Of √D in what it is compared with: below, D is rounding (1e-14 of an entry of M, which has 16 digits)."""

MOST_LEADERS = 200
"""Leaders whose columns are kept up to the root; of more, followers count as free (nothing solves for so many)."""

FREE = Part(FLOATING, np.array((0.0, 0.0, 1.0)))

Follows = Mapping[str, tuple[str, float, float]]


def idle_joints(
    chain: KinematicChain,
    *,
    held: Mapping[str, float],
    follows: Follows,
    floating: str = "",
    prescribed: Collection[str] = (),
) -> tuple[str, ...]:
    """The movable joints along which nothing resists, the floating base first, then depth-first.

    Args:
        chain: a chain without errors.
        held: joints that do not move, and their values.
        follows: mimic joints: (leader, gain, offset); they count through their leaders.
        floating: the name of the joint that frees the base, "" for none.
        prescribed: joints that no force has to accelerate, followers of such ones too.
    """
    tree = _tree(chain, held, follows, floating)
    doubtful, vanishing = tree.doubtful(), set[str]()
    # masses left out make D smaller: what few bodies beyond a joint prove needs no more of them
    for depth in (len(tree.bodies),) if tree.follows else (1, 4, len(tree.bodies)):
        if doubtful:
            shares = _Elimination(tree, doubtful, frozenset(prescribed), depth).shares()
            # others were proven before, and what proved them may be cut off here; a leader may yet be undone
            asked = shares.keys() if tree.follows else {tree.bodies[k].joint for k in doubtful}
            vanishing = {joint for joint in asked if shares.get(joint, 1.0) <= LEAST_SHARE}
            doubtful = {k for k in doubtful if tree.bodies[k].joint in vanishing}
    vanishing |= tree.negative().difference(prescribed)
    return tuple(dict.fromkeys(body.joint for body in tree.bodies if body.joint in vanishing))


# ---------------------------------------------------------------- bodies and what they carry


@dataclass(frozen=True, slots=True, eq=False)
class _Body:
    """What moves as one: its joint (or a part of it), where that is on the parent, S where the joint is neutral, the
    rows of √I that are its own."""

    joint: str
    parent: int
    place: Array
    part: Part
    S: Array
    rotor: float
    rows: list[int]


@dataclass(frozen=True, eq=False)
class _Tree:
    """Bodies, parents first; rows (√m (v + ω × c), then √λ ω of each principal axis) as functions of their twists."""

    bodies: list[_Body]
    rows: Array
    masses: Sequence[float]
    lacking: Array
    follows: Follows

    @cached_property
    def reach(self) -> float:
        """How far slides are drawn: no further than the robot is large."""
        return max((float(np.abs(body.place[:3, 3]).max()) for body in self.bodies), default=0.0) or 1.0

    @cached_property
    def sizes(self) -> list[Array]:
        """At most what each coordinate of each body feels, as √inertia: all stretched out, in any pose."""
        mass, arm = [0.0] * len(self.bodies), [0.0] * len(self.bodies)
        sizes = [np.empty(0)] * len(self.bodies)
        lengths = np.sqrt(np.einsum("lij,lij->l", self.rows[:, :, :3], self.rows[:, :, :3])).tolist()
        for index in reversed(range(len(self.bodies))):
            body = self.bodies[index]
            for link in body.rows:
                mass[index] += self.masses[link]
                arm[index] = math.hypot(arm[index], lengths[link])
            turns, shifts = np.linalg.norm(body.S[:3], axis=0), np.linalg.norm(body.S[3:], axis=0)
            sizes[index] = np.hypot(turns * arm[index] + shifts * math.sqrt(mass[index]), math.sqrt(body.rotor))
            if body.parent >= 0:
                mass[body.parent] += mass[index]
                way = math.sqrt(body.place[:3, 3] @ body.place[:3, 3]) + self._travel(body)
                arm[body.parent] = math.hypot(arm[body.parent], arm[index] + math.sqrt(mass[index]) * way)
        return sizes

    def _travel(self, body: _Body) -> float:
        _, gain, offset = self.follows.get(body.joint, ("", 1.0, 0.0))
        kind = body.part.type
        most = math.pi if kind.turns == (True,) else self.reach
        return kind.travel(body.part, abs(gain) * most + abs(offset))

    def doubtful(self) -> set[int]:
        """Bodies whose own links and rotor alone do not resist: D is theirs and more, so that others need no look."""
        if not self.bodies:
            return set()
        singles = [k for k, body in enumerate(self.bodies) if body.S.shape[1] == 1]
        owner = np.zeros(len(self.rows), int)
        for index, body in enumerate(self.bodies):
            owner[body.rows] = index
        own = np.zeros(len(self.bodies))
        S = np.array([body.S[:, 0] for body in self.bodies])
        felt = np.einsum("lij,lj->li", self.rows, S[owner])
        np.add.at(own, owner, np.einsum("li,li->l", felt, felt))
        well = np.zeros(len(self.bodies), bool)
        for k in singles:
            well[k] = math.sqrt(own[k] + self.bodies[k].rotor) > 10 * LEAST_SHARE * self.sizes[k][0]
        for k in set(range(len(self.bodies))).difference(singles):
            well[k] = self._resists(self.bodies[k], self.sizes[k])
        return set(np.flatnonzero(~well).tolist())

    def negative(self) -> set[str]:
        """Joints of tips that feel less than nothing: moments of inertia that no body has outweigh all others."""
        tips = set(range(len(self.bodies))).difference(body.parent for body in self.bodies)
        found = set[str]()
        for body in (self.bodies[k] for k in tips if self.lacking[self.bodies[k].rows].any()):
            felt = body.rotor * np.eye(body.S.shape[1])
            for k in body.rows:
                has, lacks = self.rows[k] @ body.S, self.lacking[k] @ body.S[:3]
                felt += has.T @ has - lacks.T @ lacks
            found |= {body.joint} if np.linalg.eigvalsh(felt)[0] <= 0 else set()
        return found

    def _resists(self, body: _Body, size: Array) -> bool:
        """Whether a body of several coordinates has inertia of its own along all of them."""
        columns = np.vstack([*(self.rows[k] @ body.S for k in body.rows), math.sqrt(body.rotor) * np.eye(len(size))])
        if not size.all():
            return False
        return bool(np.linalg.svd(columns / size, compute_uv=False)[-1] > 10 * LEAST_SHARE)


def _tree(chain: KinematicChain, held: Mapping[str, float], follows: Follows, floating: str) -> _Tree:
    bodies = [_Body(floating, -1, HERE, FREE, _neutral_directions(FREE), 0.0, [])] if floating else []
    weights, poses = list[Link](), list[Array]()
    home: dict[str, tuple[int, Array]] = {}

    def attach(segment_name: str, link: Link, index: int, pose: Array) -> None:
        home[segment_name] = index, pose
        if index >= 0 and link.mass is not None:
            bodies[index].rows.append(len(weights))
            at = next((frame for frame in link.frames if frame.role is Role.INERTIA), None)
            weights.append(link)
            poses.append(pose if at is None else pose @ np.asarray(at.pose, float))

    attach(chain.root.name, chain.root.link, len(bodies) - 1, HERE)
    for joint in chain.depth_first:
        index, pose = home[joint.parent.name]
        pose, pieces = pose @ joint.parent.pose(joint.reference[1]), joint.type.parts(joint)
        if not joint.type.moves or joint.name in held:
            pose, pieces = pose @ held_pose(pieces, held.get(joint.name, 0.0)), ()
        for part in pieces:
            rotor = joint.transmission.rotor_inertia
            bodies.append(_Body(joint.name, index, pose, part, _neutral_directions(part), rotor, []))
            index, pose = len(bodies) - 1, HERE
        target = joint.child.pose(joint.target[1])
        attach(joint.child.name, joint.child.link, index, pose if target is HERE else pose @ pose_inverse(target))
    leaders = {leader for leader, *_ in follows.values()}
    return _Tree(bodies, *_roots(weights, poses), follows if len(leaders) <= MOST_LEADERS else {})


def _neutral_directions(part: Part) -> Array:
    return np.asarray(part.type.directions(part, part.type.neutral().reshape(-1, 1)), float)


def _roots(links: Sequence[Link], poses: Sequence[Array]) -> tuple[Array, Sequence[float], Array]:
    """√I of links, 6×6 each, from their inertia frames; their masses; and 3×3 of what is negative of their moments."""
    rows, place = np.zeros((len(links), 6, 6)), np.array(poses).reshape(-1, 4, 4)
    moments = np.array([np.asarray(link.inertia, float) for link in links]).reshape(-1, 3, 3)
    values, axes = np.linalg.eigh(moments)
    axes, least = (place[:, :3, :3] @ axes).transpose(0, 2, 1), 1e-14 * np.abs(values).max(axis=1, keepdims=True)
    masses = [float(link.mass or 0.0) for link in links]
    root = np.sqrt(masses)[:, np.newaxis]
    x, y, z = place[:, 0, 3], place[:, 1, 3], place[:, 2, 3]
    rows[:, 0, 1], rows[:, 0, 2], rows[:, 1, 0] = z, -y, -z
    rows[:, 1, 2], rows[:, 2, 0], rows[:, 2, 1] = x, y, -x
    rows[:, [0, 1, 2], [3, 4, 5]] = 1.0
    rows[:, :3] *= root[:, np.newaxis]
    rows[:, 3:, :3] = np.sqrt(np.where(values > least, values, 0.0))[:, :, np.newaxis] * axes
    lacking = np.sqrt(np.where(values < -least, -values, 0.0))[:, :, np.newaxis] * axes
    return rows, masses, lacking


# ---------------------------------------------------------------- elimination


class _Elimination:
    """One walk from the tips to the root, at some random configurations at once (the first axis of all arrays).

    Rows stand for √I of all that a body carries, as functions of the columns of leaders, then of its twist (ω; v).
    """

    def __init__(self, tree: _Tree, doubtful: Collection[int], prescribed: Collection[str], depth: int) -> None:
        self.tree, self.prescribed = tree, prescribed
        self.rng = np.random.default_rng(0)
        self.drawn: dict[str, Array] = {}
        # columns that are kept up to the root, for what follows a leader may be anywhere
        leaders = dict.fromkeys(leader for leader, *_ in tree.follows.values() if leader not in prescribed)
        self.kept = {leader: k for k, leader in enumerate(leaders)}
        # what lies beyond a doubtful joint, so many bodies far, is all that matters to it
        self.matters, far = [bool(self.kept)] * len(tree.bodies), [depth + 1] * len(tree.bodies)
        for index, body in enumerate(tree.bodies):
            far[index] = 0 if index in doubtful else far[body.parent] + 1 if body.parent >= 0 else depth + 1
            self.matters[index] |= far[index] <= depth

    def shares(self) -> dict[str, float]:
        """How much of each joint's inertia is left: the least of its coordinates, at the best configuration."""
        bodies, count, shares = self.tree.bodies, len(self.kept), dict[str, Array]()
        carried: list[list[Array]] = [[] for _ in bodies]
        roots, sizes = list[Array](), np.zeros(count)
        for index in reversed(range(len(bodies))):
            if not self.matters[index]:
                continue
            body, size = bodies[index], self.tree.sizes[index]
            rows = self._rows(body, carried[index])
            leader, gain, _ = self.tree.follows.get(body.joint, (body.joint, 1.0, 0.0))
            if leader in self.kept:
                k = self.kept[leader]
                rows = np.concatenate([rows, np.zeros((CONFIGURATIONS, 1, count + 6))], axis=1)
                rows[:, :, k] += gain * (rows[:, :, count:] @ self._directions(body))[:, :, 0]
                rows[:, -1, k] = gain * math.sqrt(body.rotor)
                sizes[k] = math.hypot(sizes[k], gain * size[0])
            elif body.joint not in self.prescribed:
                left, rows = self._eliminated(rows, body, size)
                shares[body.joint] = np.minimum(shares.get(body.joint, 1.0), left)
            if body.parent >= 0 and self.matters[body.parent]:
                carried[body.parent].append(_at_parent(rows, *self._pose(body)))
            elif count:
                roots.append(rows[:, :, :count])
            carried[index] = []
        if count:
            columns = np.concatenate(roots, axis=1)
            for leader, k in self.kept.items():
                shares[leader] = _eliminate(columns, k, sizes[k])
        return {name: float(left.max()) for name, left in shares.items()}

    def _rows(self, body: _Body, carried: list[Array]) -> Array:
        """√I of a body's own links under what its children hand on, in fewer rows where there are many."""
        own = np.zeros((CONFIGURATIONS, 6 * len(body.rows), len(self.kept) + 6))
        own[:, :, len(self.kept) :] = self.tree.rows[body.rows].reshape(-1, 6)
        rows = np.concatenate([own, *carried], axis=1)
        return rows if rows.shape[1] <= 2 * rows.shape[2] else np.linalg.qr(rows).R

    def _eliminated(self, rows: Array, body: _Body, size: Array) -> tuple[Array, Array]:
        """How much is left of each of a joint's columns, and the rows without them."""
        n = len(size)
        columns = np.concatenate([rows[:, :, len(self.kept) :] @ self._directions(body), rows], axis=2)
        if body.rotor:
            columns = np.concatenate([columns, np.zeros((CONFIGURATIONS, n, columns.shape[2]))], axis=1)
            columns[:, -n:, :n] = math.sqrt(body.rotor) * np.eye(n)
        left = [_eliminate(columns, k, size[k]) for k in range(n)]
        return np.min(left, axis=0), columns[:, :, n:]

    def _pose(self, body: _Body) -> tuple[Array, Array]:
        """Rotations and positions of a body's frame in that of its parent."""
        turn, shift = self._random(body)
        R, p = body.place[:3, :3], body.place[:3, 3]
        return R @ turn, p + shift @ R.T

    def _random(self, body: _Body) -> tuple[Array, Array]:
        """How the joint has moved: turned by any angle, slid within reach."""
        turned, shift = np.empty((CONFIGURATIONS, 3, 3)), np.empty((CONFIGURATIONS, 3))
        for k, q in enumerate(self._coordinates(body)):
            factors, xyz = body.part.type.pose(body.part, q)
            turned[k], shift[k] = multiply_out(factors), np.asarray(xyz, float)[:, 0]
        return turned, shift

    def _directions(self, body: _Body) -> Array:
        """S, at each configuration where it is not the same at all."""
        kind = body.part.type
        if kind.constant:
            return body.S
        return np.array([kind.directions(body.part, q) for q in self._coordinates(body)], float)

    def _coordinates(self, body: _Body) -> Array:
        """q of the joint at each configuration, as columns; the same for a leader and all who follow it."""
        leader, gain, offset = self.tree.follows.get(body.joint, (body.joint, 1.0, 0.0))
        kind, coordinate = body.part.type, f"{leader} {body.part.label}"
        if coordinate not in self.drawn:
            bound = np.where(kind.turns, np.pi, self.tree.reach)
            self.drawn[coordinate] = np.array([kind.draw(self.rng, -bound, bound) for _ in range(CONFIGURATIONS)])
        q = self.drawn[coordinate]
        if kind.single:
            q = gain * q + offset
        return q[:, :, np.newaxis]


def _eliminate(columns: Array, k: int, size: float) -> Array:
    """Take column k out of all others; its length as a share of `size`. One that is rounding takes nothing with it."""
    column = columns[:, :, k].copy()
    length = np.sqrt(np.einsum("ni,ni->n", column, column))
    there = length > LEAST_SHARE * size
    direction = np.divide(column, length[:, np.newaxis], where=there[:, np.newaxis], out=np.zeros_like(column))
    columns -= direction[:, :, np.newaxis] * (direction[:, np.newaxis] @ columns)
    return np.divide(length, size, where=there, out=np.zeros_like(length))


def _at_parent(rows: Array, R: Array, p: Array) -> Array:
    """Rows as functions of the parent's twist: ω' = Rᵀω, v' = Rᵀ(v + ω × p)."""
    moved, first = rows.copy(), rows.shape[2] - 6
    moved[:, :, first : first + 3] = rows[:, :, first : first + 3] @ R.transpose(0, 2, 1)
    moved[:, :, first + 3 :] = rows[:, :, first + 3 :] @ R.transpose(0, 2, 1)
    x, y, z = (p[:, k, np.newaxis] for k in range(3))
    a, b, c = (moved[:, :, first + 3 + k] for k in range(3))
    moved[:, :, first] += y * c - z * b
    moved[:, :, first + 1] += z * a - x * c
    moved[:, :, first + 2] += x * b - y * a
    return moved
