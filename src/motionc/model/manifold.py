"""Where configurations live: neutral, random, exact integration and its inverse, joint by joint."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionc.geometry.coordinates import Matrix
from motionc.geometry.lie import Array
from motionc.model.joints import JointType


@dataclass(frozen=True, slots=True)
class Space:
    """The coordinates of one joint: its type and its places in q and v."""

    type: JointType
    q: slice
    v: slice


def neutral(spaces: Sequence[Space]) -> Array:
    """Zero everywhere, the identity for a quaternion."""
    return np.concatenate([np.empty(0), *(space.type.neutral() for space in spaces)])


def random(
    spaces: Sequence[Space], lower: Array, upper: Array, rng: np.random.Generator, size: tuple[int, ...] = ()
) -> Array:
    """Uniform within limits (in the order of v); ±π or ±1 m where there are none, rotations uniform."""
    drawn = (space.type.draw(rng, lower[space.v], upper[space.v], size) for space in spaces)
    return np.concatenate([np.empty((*size, 0)), *drawn], axis=-1)


def in_order_of_q(spaces: Sequence[Space], values: Sequence[float] | Array, otherwise: float) -> Array:
    """Bounds in the order of v as those of q; `otherwise` where an entry of q has none."""
    of_v = np.asarray(values, float)
    return np.array(
        [otherwise if k is None else of_v[space.v.start + k] for space in spaces for k in space.type.bounds], float
    )


def integrate(spaces: Sequence[Space], q: Array, v: Array, dt: float) -> Array:
    """q after moving with constant v for dt, exactly."""
    out = np.empty_like(q)
    for space in spaces:
        out[space.q] = space.type.advance(q[space.q, np.newaxis], v[space.v, np.newaxis] * dt)[:, 0]
    return out


def rates(spaces: Sequence[Space], q: Matrix, v: Matrix) -> Matrix:
    """q̇ = N(q) v, on vectors of numbers or of anything that counts as a number."""
    changes = [space.type.change(q[space.q, np.newaxis], v[space.v, np.newaxis])[:, 0] for space in spaces]
    return np.concatenate([np.empty(0), *changes])


def difference(spaces: Sequence[Space], q0: Array, q1: Array) -> Array:
    """The v with integrate(q0, v, 1) = q1, freely turning joints and planes turning the shorter way (at most by π)."""
    ways = [space.type.difference(q0[space.q, np.newaxis], q1[space.q, np.newaxis])[:, 0] for space in spaces]
    return np.concatenate([np.empty(0), *ways])


def interpolate(spaces: Sequence[Space], q0: Array, q1: Array, share: float) -> Array:
    """q a share of the way from q0 to q1, at constant velocity."""
    return integrate(spaces, q0, difference(spaces, q0, q1), share)
