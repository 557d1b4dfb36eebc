"""What are the triangles of a simple shape? Vertices around its own origin (m), triangles that look outward.

Corners have a vertex for each face they belong to, so that edges stay sharp where normals are taken at vertices; round
walls share theirs. Round is a ring of SIDES corners, the first on the x axis.
"""

from typing import Any

import numpy as np

from motionc.model.shapes import Box, Capsule, Cylinder, Sphere

Array = np.ndarray[Any, np.dtype[np.float64]]
Indices = np.ndarray[Any, np.dtype[np.int32]]
Triangles = tuple[Array, Indices]

SIDES = 32
"""Corners of a circle."""


def triangles(shape: Box | Cylinder | Capsule | Sphere) -> Triangles:
    """Vertices (n, 3) and triangles (m, 3) of a simple shape, counter-clockwise as seen from outside.

    >>> vertices, faces = triangles(Box((1.0, 2.0, 3.0)))
    >>> vertices.shape, faces.shape, vertices.max(axis=0).tolist()
    ((24, 3), (12, 3), [0.5, 1.0, 1.5])
    """
    match shape:
        case Box(size):
            return _box(size)
        case Cylinder(radius, length):
            return _cylinder(radius, length)
        case Capsule(radius, length):
            return _round(radius, length)
        case Sphere(radius):
            return _round(radius, 0.0)


def _box(size: tuple[float, float, float]) -> Triangles:
    """Six faces of four corners, each a turn of the first, which looks along z."""
    face = np.array([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], float)
    turns = [face, face * [1, -1, -1]]  # along z, and half a turn about x
    around = [np.roll(turned, step, axis=1) for step in range(3) for turned in turns]
    corners = np.concatenate(around) * np.asarray(size) / 2
    halves = np.array([[0, 1, 2], [0, 2, 3]])
    return corners, (halves + 4 * np.arange(6)[:, None, None]).reshape(-1, 3).astype(np.int32)


def _cylinder(radius: float, length: float) -> Triangles:
    ring = _circle() * [radius, radius, 0]
    up = np.array([0, 0, length / 2])
    wall, caps = np.concatenate([ring - up, ring + up]), np.concatenate([ring - up, ring + up])
    fan = np.stack([np.zeros(SIDES - 2, int), np.arange(1, SIDES - 1), np.arange(2, SIDES)], axis=1)
    lower, upper = 2 * SIDES + fan[:, ::-1], 3 * SIDES + fan
    return np.concatenate([wall, caps]), np.concatenate([_bands(2), lower, upper]).astype(np.int32)


def _round(radius: float, length: float) -> Triangles:
    """A capsule, or a sphere where it has no length: rings from the lower pole up, the equator twice."""
    climb = np.linspace(0.0, np.pi / 2, SIDES // 4 + 1)
    across = np.append(np.cos(climb[:-1]), 0.0) * radius
    up = np.sin(climb) * radius + length / 2
    profile = zip(np.append(across[::-1], across), np.append(-up[::-1], up), strict=True)
    vertices = np.concatenate([_circle() * [wide, wide, 0] + [0, 0, z] for wide, z in profile])
    faces = _bands(2 * len(climb))
    return vertices, faces[_areas(vertices, faces) > 0]


def _circle() -> Array:
    angles = 2 * np.pi * np.arange(SIDES) / SIDES
    return np.stack([np.cos(angles), np.sin(angles), np.zeros(SIDES)], axis=1)


def _bands(rings: int) -> Indices:
    """Triangles between each ring and the next one, which lies above it."""
    here = np.arange(SIDES)
    after = (here + 1) % SIDES
    low = np.stack([here, after, after + SIDES], axis=1)
    high = np.stack([here, after + SIDES, here + SIDES], axis=1)
    band = np.concatenate([low, high])
    return np.concatenate([band + SIDES * ring for ring in range(rings - 1)]).astype(np.int32)


def _areas(vertices: Array, faces: Indices) -> Array:
    a, b, c = vertices[faces].swapaxes(0, 1)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1)
