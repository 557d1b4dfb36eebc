"""How are a shape, an inertia and a pose written in MuJoCo's words: attributes of one element, with every digit."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.geometry.lie import quaternion_from_rotation
from motionc.model.chain import Array, Link, Role, Segment
from motionc.model.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere

SMALLEST = 1e-14  # kg, kg m²: MuJoCo takes 1e-15 for nothing, so moments of what weighs more are raised to this


def coupling(follower: str, leader: str, gain: float, offset: float) -> dict[str, str]:
    """An equality constraint: follower = gain · leader + offset."""
    return {"joint1": follower, "joint2": leader, "polycoef": words([offset, gain, 0, 0, 0])}


def geom(shape: Shape, mesh: str = "") -> dict[str, str]:
    """A shape in MuJoCo's words: half lengths, or the name of a mesh; what is only looked at touches nothing."""
    match shape.geometry:
        case Box(size):
            kind, sizes = "box", [edge / 2 for edge in size]
        case Sphere(radius):
            kind, sizes = "sphere", [radius]
        case Cylinder(radius, length):
            kind, sizes = "cylinder", [radius, length / 2]
        case Capsule(radius, length):
            kind, sizes = "capsule", [radius, length / 2]
        case Mesh():
            kind, sizes = "mesh", []
    found = {"type": kind, "mesh": mesh} if mesh else {"type": kind, "size": words([max(s, SMALLEST) for s in sizes])}
    found |= {"group": "2", "contype": "0", "conaffinity": "0"} if shape.purpose == "visual" else {"group": "3"}
    rgba = shape.material.rgba if shape.material else None
    return found if rgba is None else found | {"rgba": words(rgba)}


def features(segment: Segment) -> Iterator[tuple[str, Array]]:
    """The frames one can ask for, but the link's own."""
    for frame in (*segment.link.frames, *segment.frames):
        if frame.role is Role.FEATURE and frame.name != segment.link.reference:
            yield frame.name, np.asarray(frame.pose, float)


def inertial(link: Link, balance: bool) -> dict[str, str]:
    """Mass and principal moments, where their axes are."""
    moments, pose = _principal(link, balance)
    said = {"mass": words([link.mass or 0.0]), "diaginertia": words(moments)}
    return {"pos": words(pose[:3, 3])} | placed(pose) | said


def _principal(link: Link, balance: bool) -> tuple[Array, Array]:
    """Principal moments and the pose of their axes; rounding that makes them no body's is taken back."""
    at = next((frame for frame in link.frames if frame.role is Role.INERTIA), None)
    pose = np.eye(4) if at is None else np.array(at.pose, float)
    inertia = np.asarray(link.inertia, float)
    moments = np.diag(inertia).copy()
    if np.any(inertia - np.diag(moments)):
        moments, axes = np.linalg.eigh((inertia + inertia.T) / 2)
        pose[:3, :3] = pose[:3, :3] @ axes * [1, 1, np.linalg.det(axes)]
    if link.mass is not None and link.mass >= SMALLEST:
        moments = np.where(np.abs(moments) < SMALLEST, SMALLEST, moments)
    slack = 1e-9 * np.abs(moments).max()
    small, middle, large = np.argsort(moments)
    excess = moments[large] - moments[small] - moments[middle]
    if (moments[small] < 0 or excess > slack) and not balance:
        said = ", ".join(f"{moment:.4g}" for moment in sorted(moments))
        raise Error(
            f"no rigid body has the principal moments {said} of link {link.name}, and MuJoCo does not take them; "
            "correct them, or let MuJoCo take their mean: balance=True"
        )
    if 0 < excess <= slack:
        moments[large] -= excess
    return moments, pose


def placed(pose: Array) -> dict[str, str]:
    """Position and orientation, each if it says something."""
    said: dict[str, str] = {}
    if np.any(pose[:3, 3]):
        said["pos"] = words(pose[:3, 3])
    if not np.array_equal(pose[:3, :3], np.eye(3)):
        said["quat"] = words(quaternion_from_rotation(pose[:3, :3]))
    return said


def words(values: Any) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(value) + 0.0).removesuffix(".0") for value in values)
