"""Where configurations live: neutral, random, exact integration and its inverse, joint by joint."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionc.geometry.coordinates import Matrix
from motionc.geometry.lie import pose_log, quaternion_log, quaternion_product, rotation_from_quaternion
from motionc.model.advance import advance, change
from motionc.model.chain import RATES, TURNING_FREELY, Array, JointType

TURNS = ("angle", "first", "second", "rz")
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Space:
    """The coordinates of one joint: its type and its places in q and v."""

    type: JointType
    q: slice
    v: slice


def sizes(type: JointType) -> tuple[int, int]:
    """How many entries of q and of v a joint of this type has."""
    nv = len(RATES[type])
    return nv + (type in TURNING_FREELY), nv


def neutral(spaces: Sequence[Space]) -> Array:
    """Zero everywhere, the identity for a quaternion."""
    q = np.zeros(sum(space.q.stop - space.q.start for space in spaces))
    for space in spaces:
        if space.type in TURNING_FREELY:
            q[space.q][-4:] = UPRIGHT
    return q


def random(spaces: Sequence[Space], lower: Array, upper: Array, rng: np.random.Generator) -> Array:
    """Uniform within limits (in the order of v); ±π or ±1 m where there are none, rotations uniform."""
    q = neutral(spaces)
    for space in spaces:
        if space.type in TURNING_FREELY:
            turn = rng.normal(size=4)
            q[space.q][:-4] = rng.uniform(-1, 1, len(RATES[space.type]) - 3)
            q[space.q][-4:] = turn / np.linalg.norm(turn)
            continue
        reach = np.array([np.pi if rate in TURNS else 1.0 for rate in RATES[space.type]])
        low, high = lower[space.v], upper[space.v]
        low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * reach, -reach))
        high = np.where(np.isfinite(high), high, low + 2 * reach)
        drawn = rng.uniform(low, high)
        q[space.q] = np.roll(drawn, -1) if space.type is JointType.PLANAR else drawn
    return q


def integrate(spaces: Sequence[Space], q: Array, v: Array, dt: float) -> Array:
    """q after moving with constant v for dt, exactly."""
    out = np.empty_like(q)
    for space in spaces:
        out[space.q] = advance(space.type, q[space.q, np.newaxis], v[space.v, np.newaxis] * dt)[:, 0]
    return out


def rates(spaces: Sequence[Space], q: Matrix, v: Matrix) -> Matrix:
    """q̇ = N(q) v, on vectors of numbers or of anything that counts as a number."""
    found = [change(space.type, q[space.q, np.newaxis], v[space.v, np.newaxis])[:, 0] for space in spaces]
    return np.concatenate([np.empty(0), *found])


def difference(spaces: Sequence[Space], q0: Array, q1: Array) -> Array:
    """The v with integrate(q0, v, 1) = q1, freely turning joints and planes turning the shorter way (at most by π)."""
    out = np.empty(sum(space.v.stop - space.v.start for space in spaces))
    for space in spaces:
        start, end, v = q0[space.q], q1[space.q], out[space.v]
        if space.type is JointType.FLOATING:
            v[:] = pose_log(np.linalg.inv(_pose(start)) @ _pose(end))
        elif space.type is JointType.SPHERICAL:
            v[:] = quaternion_log(quaternion_product(start * (1, -1, -1, -1), end))
        elif space.type is JointType.PLANAR:
            pose = np.eye(4)
            turn = math.remainder(end[2] - start[2], 2 * math.pi)
            pose[:2, :2], pose[:2, 3] = _turn(turn), _turn(-start[2]) @ (end[:2] - start[:2])
            v[:] = turn, *pose_log(pose)[3:5]
        else:
            v[:] = end - start
    return out


def _turn(angle: float) -> Array:
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def _pose(q: Array) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation_from_quaternion(q[3:]), q[:3]
    return pose
