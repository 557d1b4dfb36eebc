"""Do two shapes touch? The distance of convex bodies by their support points (Gilbert, Johnson and Keerthi 1988).

Spheres, boxes, cylinders and capsules; meshes are never opened, so that nothing is known of them.
"""

from itertools import combinations

import numpy as np

from motionc.geometry.lie import Array
from motionc.model.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Shape, Sphere

MOST_STEPS = 64


def touch(first: Shape, here: Array, second: Shape, there: Array, within: float = 1e-3) -> bool:
    """Whether two shapes, on links at these poses, come this near to each other (m)."""
    a, b = here @ np.asarray(first.pose, float), there @ np.asarray(second.pose, float)
    between = a[:3, 3] - b[:3, 3]
    if np.linalg.norm(between) > reach(first.geometry) + reach(second.geometry) + within:
        return False
    corners = list[Array]()
    for _ in range(MOST_STEPS):
        away = float(np.linalg.norm(between))
        if away <= within or len(corners) == 4:
            return True
        # of all differences of two points, the one farthest towards the origin
        corner = _support(first.geometry, a, -between) - _support(second.geometry, b, between)
        nearest = float(between @ corner) / away
        if nearest > within or away - nearest < 1e-9:
            return False  # a plane stands between, or no corner comes nearer
        between, corners = _nearest([*corners, corner])
    return True


def reach(geometry: Geometry) -> float:
    """How far a shape reaches from the middle of it (m); nowhere for a mesh."""
    match geometry:
        case Box(size):
            return float(np.linalg.norm(size)) / 2
        case Sphere(radius):
            return radius
        case Cylinder(radius, length):
            return float(np.hypot(radius, length / 2))
        case Capsule(radius, length):
            return radius + length / 2
        case Mesh():
            return -np.inf


def _support(geometry: Geometry, pose: Array, direction: Array) -> Array:
    """The point of a shape that is farthest along a direction."""
    d = pose[:3, :3].T @ direction
    along = d / max(float(np.linalg.norm(d)), 1e-300)
    match geometry:
        case Box(size):
            point = np.where(d < 0, -0.5, 0.5) * np.asarray(size)
        case Sphere(radius):
            point = radius * along
        case Cylinder(radius, length):
            flat = float(np.hypot(d[0], d[1]))
            rim = radius / flat * d[:2] if flat else np.zeros(2)
            point = np.array([*rim, np.copysign(length / 2, d[2])])
        case Capsule(radius, length):
            point = radius * along + [0, 0, np.copysign(length / 2, d[2])]
        case Mesh():
            point = np.zeros(3)
    return pose[:3, :3] @ point + pose[:3, 3]


def _nearest(corners: list[Array]) -> tuple[Array, list[Array]]:
    """The point of a simplex that is nearest to the origin, and the corners it lies between."""
    best, kept = corners[-1], corners[-1:]
    for count in range(1, len(corners) + 1):
        for some in combinations(corners, count):
            P = np.array(some)
            system = np.block([[P @ P.T, np.ones((count, 1))], [np.ones((1, count)), np.zeros((1, 1))]])
            shares = np.linalg.lstsq(system, np.append(np.zeros(count), 1.0), rcond=None)[0][:count]
            point = shares @ P
            if np.all(shares > 0) and np.linalg.norm(point) < np.linalg.norm(best):
                best, kept = point, list(some)
    return best, kept
