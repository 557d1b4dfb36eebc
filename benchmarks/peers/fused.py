"""A robot as plain numbers, links that cannot move against each other made one: what peers without our files need."""

from dataclasses import dataclass

import numpy as np

from motionc.benchmark.timing import Absent, Array
from motionc.geometry.coordinates import skew
from motionc.model import JointType, Robot
from motionc.model.mechanism import MovingBody

COMPARED = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


@dataclass(frozen=True, slots=True, eq=False)
class FusedBody:
    """A body on its parent (-1: the world): 4×4 pose at q = 0, joint about or along its z, inertia about its com."""

    name: str
    parent: int
    type: JointType
    pose: Array
    rotor: float
    mass: float
    com: Array
    inertia: Array


def fused_bodies(robot: Robot) -> list[FusedBody]:
    """Parents before children, in the order of v."""
    check_joints(robot)
    return [_fused(body) for body in robot.mechanism.bodies]


def floats(robot: Robot) -> bool:
    """Whether the base moves freely."""
    return any(body.joint.type is JointType.FLOATING for body in robot.mechanism.bodies)


def check_joints(robot: Robot) -> None:
    """Refuse robots whose coordinates mean something else to the peers."""
    if robot.followers:
        raise Absent(f"{', '.join(robot.followers)} follows another joint; --fixed holds it")
    for body in robot.mechanism.bodies:
        joint = body.joint
        if joint.type not in COMPARED and not (joint.type is JointType.FLOATING and joint.name == "root_joint"):
            raise Absent(f"{joint.name} is a {joint.type} joint, whose coordinates are not compared")


def _fused(body: MovingBody) -> FusedBody:
    joint, inertia = body.joint, body.inertia
    mass = float(np.asarray(inertia.mass).item())
    com = np.ravel(np.asarray(inertia.first_moment, float)) / (mass or 1.0)
    k = skew(com.reshape(3, 1))
    about_com = np.asarray(inertia.rotational, float) + mass * np.asarray(k @ k, float)
    pose = np.asarray(joint.reference.matrix, float)
    return FusedBody(joint.name, body.parent, joint.type, pose, joint.rotor, mass, com, about_com)
