"""What is there to be painted? Triangles in the world, with a colour each and normals that are smooth but for edges."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

SMOOTH = 0.78
"""Cosine of the angle (39°) up to which neighbouring triangles are one surface."""
NEIGHBOURS = 48
"""Triangles around a corner that are looked at, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """Triangles: corners and their normals (n, 3, 3), colours (n, 4); red, green, blue, opacity from 0 to 1."""

    corners: Array
    normals: Array
    colours: Array

    def __len__(self) -> int:
        return len(self.corners)

    def of(self, some: Array) -> "Faces":
        """Some of them."""
        return Faces(self.corners[some], self.normals[some], self.colours[some])

    def placed(self, pose: Array) -> "Faces":
        """The same where a pose (4×4) puts them."""
        return Faces(_turned(pose, self.corners) + pose[:3, 3], _turned(pose, self.normals), self.colours)

    @staticmethod
    def together(several: Iterable["Faces"]) -> "Faces":
        """All of them, in order."""
        parts = [NONE, *several]
        return Faces(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("corners", "normals", "colours")))


NONE = Faces(np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), np.zeros((0, 4)))


def faces(vertices: Array, triangles: Array, colour: Any) -> Faces:
    """A surface of one colour, or of a colour for each triangle."""
    corners = np.asarray(vertices, float)[np.asarray(triangles, int).reshape(-1, 3)]
    flat = unit(_cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    colours = np.broadcast_to(np.asarray(colour, float), (len(corners), 4))
    return Faces(corners, _smooth(corners, flat), colours)


def unit(vectors: Array) -> Array:
    """Vectors of length 1; those without a length stay so."""
    x, y, z = (vectors[..., k] for k in range(3))
    length = np.sqrt(x * x + y * y + z * z)
    return vectors / np.where(length > 0, length, 1.0)[..., None]


def _smooth(corners: Array, flat: Array) -> Array:
    """Of every corner the mean normal of the triangles around it that are nearly in its triangle's plane."""
    if not len(corners):
        return np.zeros((0, 3, 3))
    points = corners.reshape(-1, 3)
    size = float(np.ptp(points, axis=0).max()) or 1.0
    cells = np.rint((points - points.min(axis=0)) / size * 2**20).astype(np.int64)
    key = (cells[:, 0] << 42) | (cells[:, 1] << 21) | cells[:, 2]
    order = np.argsort(key, kind="stable")
    ends = np.flatnonzero(np.diff(key[order], append=-1))
    first = np.concatenate([[0], ends[:-1] + 1])
    count = np.repeat(ends - first + 1, ends - first + 1)
    start = np.repeat(first, ends - first + 1)
    rank = np.arange(len(order)) - start
    own = flat[order // 3]
    mean = own.copy()
    some = np.arange(len(order))
    for shift in range(1, NEIGHBOURS):
        some = some[count[some] > shift]
        if not some.size:
            break
        other = own[start[some] + (rank[some] + shift) % count[some]]
        here = own[some]
        alike = here[:, 0] * other[:, 0] + here[:, 1] * other[:, 1] + here[:, 2] * other[:, 2] > SMOOTH
        mean[some[alike]] += other[alike]
    normals = np.empty_like(points)
    normals[order] = unit(mean)
    return normals.reshape(-1, 3, 3)


def _turned(pose: Array, vectors: Array) -> Array:
    x, y, z = (vectors[..., k] for k in range(3))
    return np.stack([pose[k, 0] * x + pose[k, 1] * y + pose[k, 2] * z for k in range(3)], axis=-1)


def _cross(a: Array, b: Array) -> Array:
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)
