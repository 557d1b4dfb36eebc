"""Which lengths does a robot have, and which of them stand out? What the rules of magnitudes compare with each other.

Nothing is large by itself: a robot of 0.1 mm is one, and so is a ship. What tells millimetres from metres is the rest
of the robot.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from motionc.model.chain import Array, Joint, KinematicChain, Link, Role
from motionc.model.joints import JointType
from motionc.model.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere

APART = 30.0
"""How many times as long as all others a length is that stands out: units are apart by 100 or more."""
FEWEST = 3
"""Lengths that it takes to say that another one stands out."""


class Kind(Enum):
    """What a length is of."""

    OFFSET = "from a link's frame to a joint's"
    CENTER = "from a link's frame to its centre of mass"
    SHAPE = "across a shape"
    GYRATION = "radius of gyration: √(largest principal moment / mass)"


@dataclass(frozen=True, slots=True, eq=False)
class Length:
    """A length (m) of a robot, and what it belongs to."""

    kind: Kind
    value: float
    owner: Joint | Link


def lengths(chain: KinematicChain) -> list[Length]:
    """All lengths of a robot but those that are zero, the shortest first."""
    return sorted((each for each in _all(chain) if each.value > 0), key=lambda each: each.value)


def standing_out(ascending: list[Length]) -> list[Length]:
    """The lengths beyond the last wide gap, where fewer of them are above it than below; or centres of mass, any number
    of them, that are beyond all lengths of other kinds.

    Below, radii of gyration do not count: those of point masses, and of links whose moments of inertia were never
    measured, are as short as one likes.
    """
    below = sum(each.kind is not Kind.GYRATION for each in ascending)
    for k in range(len(ascending) - 1, 0, -1):
        below -= ascending[k].kind is not Kind.GYRATION
        above = len(ascending) - k
        if below < max(FEWEST, above):
            break
        if ascending[k].value > APART * ascending[k - 1].value:
            return ascending[k:]
    others = [each for each in ascending if each.kind is not Kind.CENTER]
    if sum(each.kind is not Kind.GYRATION for each in others) < FEWEST:
        return []
    return [each for each in ascending if each.kind is Kind.CENTER and each.value > APART * others[-1].value]


def gyration(link: Link) -> float:
    """The radius of gyration √(largest principal moment / mass) in m; 0 for a link without mass."""
    if not link.mass:
        return 0.0
    return math.sqrt(max(float(np.linalg.eigvalsh(np.asarray(link.inertia, float))[-1]), 0.0) / link.mass)


def extent(link: Link) -> float:
    """How far the shapes of a link reach from its centre of mass (m); 0 where that is not known, as of a mesh."""
    if any(isinstance(shape.geometry, Mesh) for shape in link.shapes):
        return 0.0
    center = _center(link)
    reaches = (
        float(np.linalg.norm(np.asarray(shape.pose, float)[:3, 3] - center)) + _size(shape.geometry) / 2
        for shape in link.shapes
    )
    return max(reaches, default=0.0)


def _all(chain: KinematicChain) -> Iterator[Length]:
    root = chain.root
    for joint in chain.joints:
        # where a robot stands in a world says nothing about the robot
        if joint.parent is root and (not root.link.mass or joint.type in (JointType.FIXED, JointType.FLOATING)):
            continue
        ends = (segment.pose(frame)[:3, 3] for segment, frame in (joint.reference, joint.target))
        yield Length(Kind.OFFSET, max(float(np.linalg.norm(end)) for end in ends), joint)
    for segment in chain.segments:
        link = segment.link
        yield Length(Kind.CENTER, float(np.linalg.norm(_center(link))), link)
        yield Length(Kind.GYRATION, gyration(link), link)
        for shape in link.shapes:
            yield Length(Kind.SHAPE, _size(shape.geometry), link)


def _center(link: Link) -> Array:
    """The centre of mass in the link's frame; its origin where none is said."""
    poses = (np.asarray(frame.pose, float) for frame in link.frames if frame.role is Role.INERTIA)
    return next(poses, np.eye(4))[:3, 3]


def _size(geometry: Geometry) -> float:
    """The diameter of a simple shape; 0 of a mesh."""
    match geometry:
        case Box(size):
            return math.hypot(*size)
        case Sphere(radius):
            return 2 * radius
        case Cylinder(radius, length):
            return math.hypot(2 * radius, length)
        case Capsule(radius, length):
            return length + 2 * radius
        case Mesh():
            return 0.0
