"""Where on its axis does the frame of a joint stand, and how is it turned about it?

A joint that turns about an axis, or slides along it, does the same wherever on the axis its frame is. So each frame is
put where constants vanish: between the joint before it, itself, and those after it (Denavit and Hartenberg put theirs
on common normals for the same reason). What is as short without that stays where it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import atan2, cos, pi, sin
from typing import Protocol

import numpy as np

from motionc.geometry import RigidInertia
from motionc.geometry.factors import multiply_out
from motionc.geometry.lie import Array, pose_inverse
from motionc.model.moving_joint import MovingJoint

Z = (0.0, 0.0, 1.0)


class MovingBody(Protocol):
    """A body, as far as it matters here."""

    @property
    def index(self) -> int: ...
    @property
    def parent(self) -> int: ...
    @property
    def joint(self) -> MovingJoint: ...
    @property
    def inertia(self) -> RigidInertia: ...


TURNED, AWAY, WEIGHED = 6, 6, 1
"""What an entry of a rotation costs that is neither 0 nor ±1, a position that is not 0, and an entry of a body's own
inertia. Rotations and positions are met by every inertia that passes; a position that vanishes is a step left out.
"""
NEAR = 1e-14
SWEEPS = 3
"""How often all joints are gone through: what one gains may depend on those beside it."""


@dataclass(frozen=True, slots=True)
class Weight:
    """The inertia of a body as numbers: mass, centre of mass, and moments about it."""

    mass: float
    center: Array
    moments: Array

    @staticmethod
    def of(inertia: RigidInertia) -> "Weight":
        mass = float(np.asarray(inertia.mass, float).item())
        center = np.asarray(inertia.first_moment, float).ravel() / (mass or 1.0)
        return Weight(mass, center, np.asarray(inertia.rotational, float) - mass * _spread(center))

    def cost(self, place: Array) -> int:
        """Entries that are not 0, seen from there."""
        center = place[:3, :3].T @ (self.center - place[:3, 3])
        moments = place[:3, :3].T @ self.moments @ place[:3, :3] + self.mass * _spread(center)
        small = NEAR * max(1e-3, float(np.abs(moments).max()))
        products = np.abs(moments[np.triu_indices(3, 1)]) > small
        return int(np.count_nonzero(np.abs(center) > NEAR)) * (self.mass > 0) + int(np.count_nonzero(products))


def _spread(center: Array) -> Array:
    """The moments of a unit of mass there."""
    return center @ center * np.eye(3) - np.outer(center, center)


@dataclass(frozen=True, slots=True)
class Around:
    """What is around a joint: the way to it from the one before, the ways on, and what it carries."""

    before: Array
    beyond: list[Array]
    away: list[bool]
    weight: Weight

    def cost(self, place: Array) -> int:
        """In all; `away` says which ways have a position whatever the place."""
        back = pose_inverse(place)
        ways = (self.before @ place, *(back @ way for way in self.beyond))
        each = (_cost(way, away) for way, away in zip(ways, self.away, strict=True))
        return sum(each) + WEIGHED * self.weight.cost(place)


def placed(bodies: Sequence[MovingBody]) -> dict[int, Array]:
    """By the number of each body whose frame moves: the 4×4 pose, on the axis of its joint, at which it stands then."""
    ways, weights = [_matrix(body.joint) for body in bodies], [Weight.of(body.inertia) for body in bodies]
    after: list[list[int]] = [[] for _ in bodies]
    for body in bodies:
        if body.parent >= 0:
            after[body.parent].append(body.index)
    # a joint that slides is away whatever is constant; and where the first one is in the world, no inertia passes
    away = [body.parent < 0 or body.joint.type.travel(body.joint.part, 1.0) > 0 for body in bodies]
    places = [np.eye(4) for _ in bodies]
    free = [body for body in bodies if body.joint.type.coaxial and tuple(body.joint.axis) == Z]
    for _ in range(SWEEPS):
        before = list(places)
        for body in free:
            k, parent = body.index, body.parent
            way = ways[k] if parent < 0 else pose_inverse(places[parent]) @ ways[k]
            beyond = [ways[child] @ places[child] for child in after[k]]
            around = Around(way, beyond, [away[each] for each in (k, *after[k])], weights[k])
            places[k] = _best(around, places[k])
        if all(place is was for place, was in zip(places, before, strict=True)):
            break
    return {k: place for k, place in enumerate(places) if not np.array_equal(place, np.eye(4))}


def _best(around: Around, now: Array) -> Array:
    """The cheapest place, where it stands now if there is none: the turn first, then how far along."""
    best, least = now, around.cost(now)
    for candidates in (_turns, _slides):
        for place in candidates(around.before, around.beyond, best):
            cost = around.cost(place)
            if cost < least:
                best, least = place, cost
    return best


def _turns(before: Array, beyond: list[Array], now: Array) -> Iterator[Array]:
    """Turned so that an entry of the rotation before or beyond the joint, or of where the next one is, vanishes."""
    pairs = [(row[1], row[0]) for row in before[:3, :3]]
    pairs += [(way[1, column], way[0, column]) for way in beyond for column in range(4)]
    for y, x in pairs:
        if max(abs(x), abs(y)) > NEAR:
            for quarter in range(4):
                yield _at(atan2(y, x) + quarter * pi / 2, now[2, 3])


def _slides(before: Array, beyond: list[Array], now: Array) -> Iterator[Array]:
    """Moved along so that an entry of the position before or beyond the joint vanishes."""
    lengths = [-place / along for place, along in zip(before[:3, 3], before[:3, 2], strict=True) if abs(along) > 0.1]
    for length in (*lengths, *(way[2, 3] for way in beyond)):
        place = now.copy()
        place[2, 3] = length
        yield place


def _at(angle: float, length: float) -> Array:
    place = np.eye(4)
    place[:2, :2] = [[cos(angle), -sin(angle)], [sin(angle), cos(angle)]]
    place[2, 3] = length
    return place


def _cost(way: Array, away: bool) -> int:
    rotation, position = np.abs(way[:3, :3]), np.abs(way[:3, 3])
    plain = (rotation < NEAR) | (np.abs(rotation - 1) < NEAR)
    return TURNED * int(np.count_nonzero(~plain)) + AWAY * (away or bool(np.any(position > NEAR)))


def _matrix(joint: MovingJoint) -> Array:
    """Where a joint is on its parent's frame."""
    way, reference = np.eye(4), joint.reference
    way[:3, :3], way[:3, 3:] = multiply_out(reference.orientation.factors), reference.position.xyz
    return way
