"""Where configurations live: neutral, random, exact integration and its inverse, joint by joint."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionc.geometry.lie import pose_exp, pose_log, quaternion_from_rotation, rotation_from_quaternion
from motionc.model.chain import Array, JointType


@dataclass(frozen=True, slots=True)
class Space:
    """The coordinates of one joint: its type and its places in q and v."""

    type: JointType
    q: slice
    v: slice


def neutral(spaces: Sequence[Space]) -> Array:
    """Zero everywhere, the identity for a floating base."""
    q = np.zeros(sum(space.q.stop - space.q.start for space in spaces))
    for space in spaces:
        if space.type is JointType.FLOATING:
            q[space.q.start + 3] = 1.0
    return q


def random(spaces: Sequence[Space], lower: Array, upper: Array, rng: np.random.Generator) -> Array:
    """Uniform within limits (in the order of v); ±π or ±1 m where there are none, rotations uniform."""
    q = neutral(spaces)
    for space in spaces:
        if space.type is JointType.FLOATING:
            turn = rng.normal(size=4)
            q[space.q] = (*rng.uniform(-1, 1, 3), *(turn / np.linalg.norm(turn)))
            continue
        reach = 1.0 if space.type is JointType.PRISMATIC else np.pi
        low, high = lower[space.v], upper[space.v]
        low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * reach, -reach))
        high = np.where(np.isfinite(high), high, low + 2 * reach)
        q[space.q] = rng.uniform(low, high)
    return q


def integrate(spaces: Sequence[Space], q: Array, v: Array, dt: float) -> Array:
    """q after moving with constant v for dt, exactly."""
    out = np.empty_like(q)
    for space in spaces:
        if space.type is JointType.FLOATING:
            out[space.q] = _coordinates(_pose(q[space.q]) @ pose_exp(v[space.v] * dt))
        else:
            out[space.q] = q[space.q] + v[space.v] * dt
    return out


def difference(spaces: Sequence[Space], q0: Array, q1: Array) -> Array:
    """The v with integrate(q0, v, 1) = q1."""
    out = np.empty(sum(space.v.stop - space.v.start for space in spaces))
    for space in spaces:
        if space.type is JointType.FLOATING:
            out[space.v] = pose_log(np.linalg.inv(_pose(q0[space.q])) @ _pose(q1[space.q]))
        else:
            out[space.v] = q1[space.q] - q0[space.q]
    return out


def _pose(q: Array) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation_from_quaternion(q[3:]), q[:3]
    return pose


def _coordinates(pose: Array) -> Array:
    return np.concatenate([pose[:3, 3], quaternion_from_rotation(pose[:3, :3])])
