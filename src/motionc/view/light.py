"""How bright is a point? A key light with soft shadows, a fill light, and a sky of a few far lights that shade corners.

Every light that casts shadows has a map: what it sees from far away. A point is in shadow where the map has something
nearer; several places around it are asked, the more widely the farther what blocks the light is (soft shadows).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin, sqrt
from typing import Any

import numpy as np

from motionc.view.camera import View, from_far
from motionc.view.raster import nearest

Array = np.ndarray[Any, np.dtype[Any]]

GOLDEN = pi * (3 - sqrt(5))
"""The angle by which places on a disk follow each other so that they fill it evenly."""
SKY = 6
"""Lights around the sky, beside the one in the zenith."""


@dataclass(frozen=True, slots=True)
class Light:
    """A far light: where it stands, how strong it is (red, green, blue), how soft its shadows are, how fine its map.

    `spread` is the tangent of half the angle under which it is seen; 0 casts no shadow.
    """

    towards: tuple[float, float, float]
    strength: tuple[float, float, float]
    spread: float = 0.0
    size: int = 0
    places: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Shadows:
    """What a light sees of a scene, and with it which points it reaches."""

    light: Light
    view: View
    near: Array

    @staticmethod
    def of(light: Light, corners: Array) -> "Shadows":
        view = from_far(corners.reshape(-1, 3), light.towards, light.size)
        _, near = nearest(view.corners(corners), light.size, light.size)
        return Shadows(light, view, near)

    def reached(self, points: Array, normals: Array, turn: Array, height: float) -> Array:
        """How much of the light reaches points, from 0 to 1; `turn` (0 … 3) is what neighbouring samples do not share."""
        size, texel = self.light.size, 1 / self.view.scale
        seen = self.view.corners(points + normals * (1.5 * texel))
        x, y, near = seen[:, 0], seen[:, 1], seen[:, 2] + 0.75 * texel
        widest = max(2.0, self.light.spread * height * self.view.scale)
        close = np.flatnonzero((x > -widest) & (x < size + widest) & (y > -widest) & (y < size + widest))
        x, y, near, turn = x[close], y[close], near[close], turn[close]
        # how far away is what blocks the light, on average?
        gap, blocked = np.zeros(len(close)), np.zeros(len(close))
        for dx, dy in _disk(self.light.places, turn):
            there = self._at(x + widest * dx, y + widest * dy)
            above = there > near
            gap += np.where(above, there - near, 0)
            blocked += above
        some = np.flatnonzero(blocked)
        radius = np.maximum(1.0, self.light.spread * self.view.scale * gap[some] / blocked[some])
        x, y, near, turn = x[some], y[some], near[some], turn[some]
        hidden = np.zeros(len(some))
        for dx, dy in _disk(2 * self.light.places, turn):
            hidden += self._at(x + radius * dx, y + radius * dy) > near
        reached = np.ones(len(points))
        reached[close[some]] = 1 - hidden / (2 * self.light.places)
        return reached

    def _at(self, x: Array, y: Array) -> Array:
        size = self.light.size
        column, row = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
        outside = (column < 0) | (row < 0) | (column >= size) | (row >= size)
        return np.where(outside, -np.inf, self.near[np.where(outside, 0, row * size + column)])


def lights(view: View) -> tuple[Light, ...]:
    """The key light over the left shoulder, a fill light from the right, and the sky."""
    back = -view.forward[:2] / max(hypot(*view.forward[:2]), 1e-9) if hypot(*view.forward[:2]) > 1e-9 else (1.0, 0.0)
    right = view.right

    def towards(across: float, behind: float, up: float) -> tuple[float, float, float]:
        x, y = (across * right[k] + behind * back[k] for k in range(2))
        length = hypot(x, y, up)
        return float(x) / length, float(y) / length, up / length

    key = Light(towards(-0.62, 0.34, 1.0), (0.74, 0.72, 0.68), 0.055, 640, 10)
    fill = Light(towards(1.0, 0.55, 0.28), (0.10, 0.115, 0.14))
    rim = Light(towards(0.5, -1.0, 0.45), (0.13, 0.14, 0.155))
    sky = [Light(towards(0.0, 0.0, 1.0), (0.13, 0.135, 0.145), 0.35, 224, 4)]
    for k in range(SKY):
        angle = 2 * pi * (k + 0.5) / SKY
        sky.append(Light(towards(cos(angle), sin(angle), 0.7), (0.066, 0.07, 0.076), 0.35, 224, 4))
    return key, fill, rim, *sky


def _disk(count: int, turn: Array) -> list[tuple[Array, Array]]:
    """Places that fill a disk of radius 1, turned by a quarter of a step for samples beside each other."""
    places = list[tuple[Array, Array]]()
    for k in range(count):
        radius = sqrt((k + 0.5) / count)
        angles: Sequence[float] = [GOLDEN * k + pi / 2 * quarter + 0.4 * quarter for quarter in range(4)]
        dx, dy = (np.array([radius * way(angle) for angle in angles]) for way in (cos, sin))
        places.append((dx[turn], dy[turn]))
    return places
