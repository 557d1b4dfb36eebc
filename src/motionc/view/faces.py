"""What is there to be painted? Triangles in the world: colours, textures, normals that are smooth but for edges."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motionc.view.camera import bounds

Array = np.ndarray[Any, np.dtype[Any]]

SMOOTH = 0.78
"""Cosine of the angle (39°) up to which neighbouring triangles are one surface."""
TEXTURE = 512
"""Pixels of a texture, along its longer side; finer ones are averaged, a picture has no more."""
NEIGHBOURS = 48
"""Triangles around a corner that are looked at, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """Triangles: corners and their normals (n, 3, 3), colours (n, 4); red, green, blue, opacity from 0 to 1.

    `skin` is which of the textures a triangle has, -1 for none, and `uv` (n, 3, 2) where its corners are in it.
    """

    corners: Array
    normals: Array
    colours: Array
    uv: Array
    skin: Array
    textures: tuple[Array, ...] = ()

    def __len__(self) -> int:
        return len(self.corners)

    def of(self, some: Array) -> "Faces":
        """Some of them."""
        return Faces(**{name: getattr(self, name)[some] for name in EACH}, textures=self.textures)

    def placed(self, pose: Array) -> "Faces":
        """The same where a pose (4×4) puts them."""
        corners, normals = _turned(pose, self.corners) + pose[:3, 3], _turned(pose, self.normals)
        return replace(self, corners=corners, normals=normals)

    @staticmethod
    def together(several: Iterable["Faces"]) -> "Faces":
        """All of them, in order."""
        parts, textures = [NONE], list[Array]()
        for each in several:
            parts.append(replace(each, skin=np.where(each.skin < 0, -1, each.skin + len(textures))))
            textures += each.textures
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in EACH}
        return Faces(**joined, textures=tuple(textures))

    def coloured(self, triangles: Array, weights: Array) -> Array:
        """Colours (n, 4) of points on triangles, by the weights of their corners; textures colour what is white."""
        colours = self.colours[triangles]
        for k, texture in enumerate(self.textures):
            some = np.flatnonzero(self.skin[triangles] == k)
            high, wide, _ = texture.shape
            u, v = mixed(self.uv[triangles[some]], weights[:, some]).T
            column = np.minimum(((u - np.floor(u)) * wide).astype(np.int64), wide - 1)
            row = np.minimum(((1 - (v - np.floor(v))) * high).astype(np.int64), high - 1)
            colours[some] = colours[some] * texture[row, column]
        return colours


EACH = ("corners", "normals", "colours", "uv", "skin")
NONE = Faces(np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), np.zeros((0, 4)), np.zeros((0, 3, 2)), np.zeros(0, np.int64))


def faces(vertices: Array, triangles: Array, colour: Any, uv: Any = None, texture: Any = None) -> Faces:
    """A surface of one colour, or of a texture (height, width, 4) of bytes where its vertices have places `uv`."""
    corner = np.asarray(triangles, int).reshape(-1, 3)
    corners = np.asarray(vertices, float)[corner]
    flat = unit(_cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    colours = np.broadcast_to(np.asarray(colour, float), (len(corners), 4))
    plain = uv is None or texture is None
    places = np.zeros((len(corners), 3, 2)) if plain else np.nan_to_num(np.asarray(uv, float))[corner]
    textures = () if plain else (_smaller(np.asarray(texture, float) / 255),)
    return Faces(corners, _smooth(corners, flat), colours, places, np.full(len(corners), -1 if plain else 0), textures)


def mixed(each: Array, weights: Array) -> Array:
    """Means of what three corners have, by their weights."""
    return each[:, 0] * weights[0][:, None] + each[:, 1] * weights[1][:, None] + each[:, 2] * weights[2][:, None]


def unit(vectors: Array) -> Array:
    """Vectors of length 1; those without a length stay so."""
    x, y, z = (vectors[..., k] for k in range(3))
    length = np.sqrt(x * x + y * y + z * z)
    return vectors / np.where(length > 0, length, 1.0)[..., None]


def _smaller(texture: Array) -> Array:
    """A texture of at most TEXTURE pixels a side: means of squares of them."""
    times = -(-max(texture.shape[:2]) // TEXTURE)
    high, wide = (max(side // times, 1) * times for side in texture.shape[:2])
    if times == 1 or min(texture.shape[:2]) < times:
        return texture
    parts = [texture[i:high:times, j:wide:times] for i in range(times) for j in range(times)]
    return sum(parts[1:], parts[0]) / len(parts)


def _smooth(corners: Array, flat: Array) -> Array:
    """Of every corner the mean normal of the triangles around it that are nearly in its triangle's plane."""
    if not len(corners):
        return np.zeros((0, 3, 3))
    points = corners.reshape(-1, 3)
    low, high = bounds(points)
    cells = np.rint((points - low) / (float((high - low).max()) or 1.0) * 2**20).astype(np.int64)
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
