"""What does a robot without shapes look like? A skeleton by rule: capsules between joints, joints along their axes.

It shows how joints follow each other and how far apart they are, not what anything looks like: links are thicker the
longer they are, joints that turn are cylinders along their axis, those that slide boxes, all others balls.
"""

from collections.abc import Iterator
from math import hypot
from typing import Any

import numpy as np

from motionc.model.chain import Joint, Role, Segment
from motionc.model.joints import JointType
from motionc.model.robot import Robot
from motionc.model.shapes import Box, Capsule, Cylinder, Sphere
from motionc.view.drawings import Piece
from motionc.view.triangles import triangles

Array = np.ndarray[Any, np.dtype[np.float64]]
Part = tuple[Box | Capsule | Cylinder | Sphere, Array, tuple[float, float, float]]

BONE, TURNS, SLIDES, ENDS = (0.80, 0.82, 0.84), (0.93, 0.47, 0.12), (0.16, 0.50, 0.58), (0.25, 0.28, 0.33)
"""Colours of links, of joints that turn, of those that slide, and of the ends."""
THIN = 0.14
"""Radius of a link, of its length."""


def skeleton(robot: Robot) -> tuple[Piece, ...]:
    """Pieces of a robot that has none, in the frames of its links; joints are all of one size, by the median link."""
    bones = {segment.name: list(_bones(robot, segment)) for segment in robot.segments}
    lengths = sorted(hypot(*(end - start)) for each in bones.values() for start, end in each)
    usual = lengths[len(lengths) // 2] if lengths else 0.2
    joint_size = 0.16 * usual
    pieces = list[Piece]()
    by_child = {joint.child.name: joint for joint in robot.joints}
    for segment in robot.segments:
        parts: list[Part] = [_bone(start, end, joint_size) for start, end in bones[segment.name]]
        joint = by_child.get(segment.name)
        if joint is None:
            pose = np.eye(4)
            parts.append((Cylinder(1.7 * joint_size, 0.6 * joint_size), pose, ENDS))
        elif joint.type.moves:
            parts.append(_joint(joint, joint_size))
        if not any(one.parent is segment for one in robot.joints) and bones[segment.name]:
            pose = np.eye(4)
            pose[:3, 3] = bones[segment.name][-1][1]
            parts.append((Sphere(0.75 * joint_size), pose, ENDS))
        for number, (shape, pose, colour) in enumerate(parts):
            vertices, faces = triangles(shape)
            placed = vertices @ pose[:3, :3].T + pose[:3, 3]
            pieces.append(Piece(segment.name, f"{segment.name}/{number}", placed, faces, (*colour, 1.0)))
    return tuple(pieces)


def _bones(robot: Robot, segment: Segment) -> Iterator[tuple[Array, Array]]:
    """From where a link hangs to each joint on it; to its frames, or its centre of mass, where it is the last."""
    above = next((joint for joint in robot.joints if joint.child is segment), None)
    start = np.zeros(3) if above is None else segment.pose(above.target[1])[:3, 3]
    ends = [segment.pose(joint.reference[1])[:3, 3] for joint in robot.joints if joint.parent is segment]
    if not ends:
        frames = (*segment.link.frames, *segment.frames)
        features = [frame for frame in frames if frame.role is Role.FEATURE]
        masses = [frame for frame in frames if frame.role is Role.INERTIA]
        ends = [np.asarray(frame.pose, float)[:3, 3] for frame in features]
        if not any(hypot(*(end - start)) > 1e-6 for end in ends):
            ends = [2 * np.asarray(frame.pose, float)[:3, 3] - start for frame in masses]
    for end in ends:
        if hypot(*(end - start)) > 1e-6:
            yield start, end


def _bone(start: Array, end: Array, joint_size: float) -> Part:
    length = hypot(*(end - start))
    pose = _along(end - start)
    pose[:3, 3] = (start + end) / 2
    return Capsule(min(THIN * length, 0.62 * joint_size), length), pose, BONE


def _joint(joint: Joint, size: float) -> Part:
    at = joint.child.pose(joint.target[1])
    if joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
        pose = np.eye(4)
        pose[:3, 3] = at[:3, 3]
        return Sphere(1.15 * size), pose, TURNS
    pose = _along(at[:3, :3] @ np.asarray(joint.axis, float))
    pose[:3, 3] = at[:3, 3]
    if joint.type == JointType.PRISMATIC:
        return Box((1.6 * size, 1.6 * size, 2.6 * size)), pose, SLIDES
    return Cylinder(size, 2.3 * size), pose, TURNS


def _along(direction: Array) -> Array:
    """A pose whose z is along a direction."""
    z = direction / hypot(*direction)
    least = int(np.abs(z).argmin())
    x = np.cross(z, np.eye(3)[least])
    x = x / hypot(*x)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    return pose
