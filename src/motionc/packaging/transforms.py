"""Transforms and Jacobians of a robot as Maxima text (targets/transforms.py): its ways from frame to frame.

Angles that are parts of π stay exact, so that Maxima's simplification has something to hold on to.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from motionc.errors import Error, suggestion
from motionc.geometry.lie import rpy_from_rotation
from motionc.model.mechanism import Mechanism
from motionc.model.moving_joint import MovingJoint
from motionc.model.robot import Robot
from motionc.targets import transforms
from motionc.targets.transforms import Convention, Primitive, Way, primitives

__all__ = ["jacobian", "primitives", "transform"]


def transform(robot: Robot, base: str, target: str, *, library: Convention = "right", name: str = "") -> str:
    """A function of q: the pose of a frame wrt another, 4×4, as a product of primitives.

    >>> import motionc as mc
    >>> print(transform(mc.load("planar2"), "world", "tip").splitlines()[-1])
    world_X_tip(q) := Rz(q[1]) . Ty(0.4) . Rz(q[2]) . Ty(0.4)$
    """
    return transforms.transform(_way(robot, base, target), library, name)


def jacobian(robot: Robot, base: str, target: str, *, library: Convention = "right", name: str = "") -> str:
    """A function of q: the motion of a frame wrt another, 6×nv, angular first, as seen by the other, at its origin."""
    return transforms.jacobian(_way(robot, base, target), library, name)


def _way(robot: Robot, base: str, target: str) -> Way:
    """Primitives from one frame to another: inward to where both ways part, then outward."""
    inward, outward = (_from_root(robot.mechanism, frame) for frame in (base, target))
    common = 0
    while common < min(len(inward), len(outward)) and inward[common] == outward[common]:
        common += 1
    steps = (*(step.inverse() for step in reversed(inward[common:])), *outward[common:])
    return Way(robot.name, base, target, steps, robot.nv, {name: robot.q_index[name] for name in robot.joint_names})


def _from_root(mechanism: Mechanism, frame: str) -> list[Primitive]:
    if frame not in mechanism.frames:
        raise Error(f"transform: there is no frame {frame!r}{suggestion(frame, mechanism.frames)}")
    index, pose = mechanism.frames[frame]
    found = list[Primitive]()
    for body in mechanism.path(index):
        joint = mechanism.bodies[body].joint
        found += [*_constant(joint.reference.matrix), *_moving(joint)]
    return [*found, *_constant(pose.matrix)]


def _constant(pose: Any) -> Iterator[Primitive]:
    """A constant pose: a translation, then turns about z, y and x; what is nothing is left out."""
    matrix = np.asarray(pose, float)
    for axis, distance in zip("xyz", matrix[:3, 3], strict=True):
        if distance:
            yield Primitive(f"T{axis}", repr(float(distance)))
    for axis, angle in zip("zyx", reversed(rpy_from_rotation(matrix[:3, :3])), strict=True):
        if abs(angle) > 1e-15:
            yield Primitive(f"R{axis}", _angle(float(angle)))


def _angle(value: float) -> str:
    """Halves and wholes of π by name."""
    halves = round(value / (math.pi / 2))
    if halves and abs(value - halves * math.pi / 2) < 1e-14:
        return {1: "%pi/2", -1: "-%pi/2", 2: "%pi", -2: "-%pi"}[halves]
    return repr(value)


def _moving(joint: MovingJoint) -> Iterator[Primitive]:
    """What a joint does, its axis being z."""
    q = [f"q[{place + 1}]" for place in range(joint.q.start, joint.q.stop)]
    if joint.gain != 1.0:
        q = [f"{joint.gain!r}*{entry}" for entry in q]
    if joint.offset:
        q = [f"{entry} + {joint.offset!r}" for entry in q]
    for kind, amount, rate in joint.type.steps(joint.part, q):
        scaled = f"{joint.gain!r}*({rate})" if isinstance(rate, str) else joint.gain * rate
        yield Primitive(kind, amount, joint.v.start, scaled)
