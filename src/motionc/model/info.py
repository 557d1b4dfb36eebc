"""What a robot says of its links and of its limits: numbers as they were written down, in arrays nobody can change."""

from dataclasses import dataclass

import numpy as np

from motionc.model.chain import Array, Role, Segment
from motionc.model.words import body_line, limits_table
from motionc.tables import few


@dataclass(frozen=True, slots=True, eq=False)
class LinkInfo:
    """A link as in the file: mass (kg), centre of mass (m) and inertia about it (kg m²) in the link's frame."""

    name: str
    mass: float | None
    com: Array
    inertia: Array
    frames: tuple[str, ...]

    def __repr__(self) -> str:
        return body_line("LinkInfo", self)


@dataclass(frozen=True, slots=True)
class JointLimits:
    """Limits in the order of v; infinite where nothing is said.

    Of a planar joint they are those of θ, x, y. A quaternion has no lower and upper, of spherical and floating joints
    there are only limits of velocity and effort.
    """

    names: tuple[str, ...]
    lower: Array
    upper: Array
    velocity: Array
    effort: Array

    def __repr__(self) -> str:
        return f"JointLimits({len(self.names)} coordinates: {few(dict.fromkeys(self.names))})"

    def _repr_html_(self) -> str:
        return limits_table(self)


def link_info(segment: Segment) -> LinkInfo:
    """A segment's link."""
    link = segment.link
    at = next((frame for frame in link.frames if frame.role is Role.INERTIA), None)
    pose = np.eye(4) if at is None else np.asarray(at.pose, float)
    moments = np.zeros((3, 3)) if link.inertia is None else np.asarray(link.inertia, float)
    rotation = pose[:3, :3]
    names = tuple(frame.name for frame in (*link.frames, *segment.frames))
    com, inertia = pose[:3, 3].copy(), rotation @ moments @ rotation.T
    for array in (com, inertia):
        array.setflags(write=False)
    return LinkInfo(segment.name, link.mass, com, inertia, names)
