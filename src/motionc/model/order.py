"""States of a robot as somebody else writes them: where each joint's entries are there, what they are, the way back.

Axes of states may stand in front of every array. Who writes them how is in orders.py.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.geometry.lie import Array
from motionc.model.joints import JointType
from motionc.model.robot import Robot
from motionc.real import real_numbers

PLACES, TURNS, QUATERNION = ("x", "y", "z"), ("rx", "ry", "rz"), ("qw", "qx", "qy", "qz")
CROSS, SIGNS = np.array([[1, 3, 2], [3, 2, 1], [2, 1, 3]]), np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
"""The cross product with a quaternion's vector, as a matrix: which entries, and their signs."""


@dataclass(frozen=True, slots=True, eq=False)
class JointOrder:
    """One joint of ours where somebody else has it: which entries of theirs, and what these are in our words.

    A word of `their_q` is one of ours, or `cos w` and `sin w` of it for a point of a circle. A joint that follows
    another reads its leader's entries. `in_place` says that their linear velocities are as seen by the reference frame,
    `turn` how their axes are turned against ours.
    """

    type: JointType
    q: slice
    v: slice
    their_q: dict[str, int]
    their_v: dict[str, int]
    gain: float = 1.0
    offset: float = 0.0
    follows: bool = False
    in_place: bool = False
    turn: Array | None = None

    def place(self, q: Array) -> Array:
        """Their entries of a configuration of ours, quaternions of length 1."""
        own = self._words(self.type.coordinates, self.gain * q[..., self.q] + self.offset)
        if "qw" in own:
            turn = np.stack([own[word] for word in QUATERNION], -1)
            turn = turn / np.linalg.norm(turn, axis=-1, keepdims=True)
            own |= self._words(QUATERNION[1:], turn[..., 1:] @ self._axes.T) | {"qw": turn[..., 0]}
        for word in self.type.coordinates:
            if f"cos {word}" in self.their_q:
                own |= {f"cos {word}": np.cos(own[word]), f"sin {word}": np.sin(own[word])}
        return np.stack([own[word] for word in self.their_q], -1)

    def taken(self, theirs: Array) -> Array:
        """Our entries of a configuration of theirs."""
        own = {word: theirs[..., place] for word, place in self.their_q.items()}
        if "qw" in own:
            vector = np.stack([own[word] for word in QUATERNION[1:]], -1)
            own |= self._words(QUATERNION[1:], vector @ self._axes)
        circles = {word: (own[f"sin {word}"], own[f"cos {word}"]) for word in self.type.coordinates if word not in own}
        own |= {word: np.arctan2(*ends) for word, ends in circles.items()}
        return np.stack([own[word] for word in self.type.coordinates], -1)

    def matrix(self, q: Array) -> Array:
        """(…, theirs, ours): their rates from ours; its rows are orthonormal but for the gain of a follower."""
        rates = self.type.rates
        block = np.zeros((*q.shape[:-1], len(self.their_v), len(rates)))
        bodies = {PLACES: self.rotation(q) if self.in_place else np.eye(3), TURNS: self._axes}
        for row, word in enumerate(self.their_v):
            block[..., row, rates.index(word)] = 1.0
            for words, turned in bodies.items():
                own = [each for each in words if each in rates]
                if word in own and len(own) > 1:
                    places = [rates.index(each) for each in own]
                    block[..., row, places] = turned[..., words.index(word), [words.index(each) for each in own]]
        return self.gain * block

    def linear(self) -> tuple[Any, Any, Any]:
        """Where linear rates are: rows of theirs, columns of ours, and the entries of R between them."""
        words = [word for word in PLACES if word in self.type.rates]
        axes = [PLACES.index(word) for word in words]
        rows, columns = [self.their_v[word] for word in words], [self.v.start + self.type.rates.index(w) for w in words]
        return np.array(rows)[:, np.newaxis], np.array(columns), (..., *np.ix_(axes, axes))

    def drift(self, q: Array, v: Array) -> Array:
        """How their rates change while ours are constant: R (ω × v) where linear ones are as seen by the reference."""
        own, still = self._words(self.type.rates, v[..., self.v]), 0 * v[..., 0]
        w, u = (np.stack([own.get(word, still) for word in words], -1) for words in (TURNS, PLACES))
        gone = self._words(PLACES, np.einsum("...ij,...j", self.rotation(q), np.cross(w, u)))
        return np.stack([gone.get(word, 0 * gone["x"]) for word in self.their_v], -1)

    @property
    def _axes(self) -> Array:
        return np.eye(3) if self.turn is None else self.turn

    def rotation(self, q: Array) -> Array:
        """R, (…, 3, 3), of a joint that turns and goes: from its quaternion, or its angle in a plane."""
        words, start = self.type.coordinates, self.q.start
        if "qw" in words:
            turn = q[..., [start + words.index(word) for word in QUATERNION]]
        else:
            half = q[..., start + words.index("rz")] / 2
            turn = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], -1)
        turn = turn / np.sqrt((turn**2).sum(-1, keepdims=True))
        k = turn[..., CROSS] * SIGNS
        return np.eye(3) + 2 * turn[..., :1, np.newaxis] * k + 2 * k @ k

    @staticmethod
    def _words(words: Sequence[str], values: Array) -> dict[str, Array]:
        return dict(zip(words, np.moveaxis(values, -1, 0), strict=True))


class Order:
    """States of a robot as somebody else writes them. Where q or v is asked for beside, it is in our order.

    Forces along coordinates keep their power: τᵀv is the same on both sides. A joint that follows another is one of
    theirs like any other: it is given its leader's motion and no force, and its force counts for its leader.
    """

    def __init__(self, whose: str, robot: Robot, nq: int, nv: int, joints: Sequence[JointOrder], rest: Array) -> None:
        self.whose, self.robot, self.nq, self.nv = whose, robot, nq, nv
        self._joints, self._rest = tuple(joints), rest
        # entries that are copied, all at once; of these the quaternions
        copied = [one for one in joints if one.turn is None and one.their_q.keys() <= {*one.type.coordinates}]
        entries = [(joint, word, place) for joint in copied for word, place in joint.their_q.items()]
        self._copied = [
            (place, joint.q.start + joint.type.coordinates.index(word), joint.gain, joint.offset)
            for joint, word, place in entries
        ]
        self._taken = [
            (joint.q.start + joint.type.coordinates.index(word), place)
            for joint, word, place in entries
            if not joint.follows
        ]
        self._turns = [[joint.their_q[word] for word in QUATERNION] for joint in copied if "qw" in joint.their_q]
        self._curved = [joint for joint in joints if joint not in copied]
        self._moving = [joint for joint in joints if joint.in_place]
        self._linear = [(joint, *joint.linear()) for joint in self._moving]
        here = robot.neutral()
        self._constant = {
            followers: self._put(
                np.zeros((nv, robot.nv)), here, (each for each in joints if followers or not each.follows)
            )
            for followers in (True, False)
        }

    def __repr__(self) -> str:
        return f"{self.whose} of {self.robot.name}: {self.robot.nq} → {self.nq}, {self.robot.nv} → {self.nv}"

    def q(self, q: Any) -> Array:
        """A configuration in their order."""
        q = self._rows(q, self.robot.nq, "q")
        theirs = np.empty((*q.shape[:-1], self.nq))
        theirs[...] = self._rest
        if self._copied:
            place, own, gain, offset = zip(*self._copied, strict=True)
            theirs[..., place] = np.array(gain) * q[..., own] + np.array(offset)
        for turn in self._turns:
            theirs[..., turn] /= np.sqrt((theirs[..., turn] ** 2).sum(-1, keepdims=True))
        for joint in self._curved:
            theirs[..., list(joint.their_q.values())] = joint.place(q)
        return theirs

    def v(self, v: Any, q: Any) -> Array:
        """Velocities in their order, at q."""
        return np.einsum("...ij,...j", self.matrix(q), self._rows(v, self.robot.nv, "v"))

    def a(self, a: Any, v: Any, q: Any) -> Array:
        """Accelerations, dv/dt, in their order, at q and v."""
        return self.v(a, q) + self._drift(q, v)

    def tau(self, tau: Any, q: Any) -> Array:
        """Forces along coordinates in their order, at q."""
        return np.einsum("...ij,...j", self._matrix(q, followers=False), self._rows(tau, self.robot.nv, "tau"))

    def our_q(self, theirs: Any) -> Array:
        """A configuration of theirs in our order; where they have a point of a circle, the angle in ±π."""
        theirs = self._rows(theirs, self.nq, "q")
        ours = np.zeros((*theirs.shape[:-1], self.robot.nq))
        if self._taken:
            own, place = zip(*self._taken, strict=True)
            ours[..., own] = theirs[..., place]
        for joint in self._curved:
            if not joint.follows:
                ours[..., joint.q] = joint.taken(theirs)
        for joint in self._joints:
            if "qw" in joint.their_q and not joint.follows and (reason := joint.type.nowhere(ours[..., joint.q])):
                raise Error(f"{self.whose} of {self.robot.name}: q: {reason}")
        return ours

    def our_v(self, theirs: Any, q: Any) -> Array:
        """Velocities of theirs in our order, at q."""
        return np.einsum("...ij,...i", self._matrix(q, followers=False), self._rows(theirs, self.nv, "v"))

    def our_a(self, theirs: Any, v: Any, q: Any) -> Array:
        """Accelerations of theirs in our order, at q and v."""
        return self.our_v(self._rows(theirs, self.nv, "a") - self._drift(q, v), q)

    def our_tau(self, theirs: Any, q: Any) -> Array:
        """Forces along coordinates of theirs in our order, at q: those of followers count for their leaders."""
        return np.einsum("...ij,...i", self.matrix(q), self._rows(theirs, self.nv, "tau"))

    def matrix(self, q: Any) -> Array:
        """G(q), (…, their nv, our nv), of their velocities from ours: J = J' G, M = Gᵀ M' G. Without axes of states
        where it is the same everywhere, as Pinocchio's and ROS' are."""
        return self._matrix(q, followers=True)

    def _matrix(self, q: Any, *, followers: bool) -> Array:
        q, constant = self._rows(q, self.robot.nq, "q"), self._constant[followers]
        if not self._moving:
            return constant
        matrix = np.empty((*q.shape[:-1], *constant.shape))
        matrix[...] = constant
        for joint, rows, columns, axes in self._linear:  # what depends on q
            matrix[..., rows, columns] = joint.gain * joint.rotation(q)[axes]
        return matrix

    @staticmethod
    def _put(matrix: Array, q: Array, joints: Iterable[JointOrder]) -> Array:
        for joint in joints:
            rows, columns = [*joint.their_v.values()], range(joint.v.start, joint.v.stop)
            matrix[(..., *np.ix_(rows, columns))] = joint.matrix(q)
        return matrix

    def _drift(self, q: Any, v: Any) -> Array:
        q, v = self._rows(q, self.robot.nq, "q"), self._rows(v, self.robot.nv, "v")
        out = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), self.nv))
        for joint in self._moving:
            out[..., list(joint.their_v.values())] = joint.drift(q, v)
        return out

    def _rows(self, values: Any, size: int, name: str) -> Array:
        try:
            array = np.asarray(real_numbers(values), float)
        except (TypeError, ValueError):
            raise Error(f"{name} must be {size} numbers, not {type(values).__name__}") from None
        if array.shape[-1:] != (size,):
            raise Error(f"{self.whose} of {self.robot.name}: {name} has shape {array.shape}; it must be (…, {size})")
        return array
