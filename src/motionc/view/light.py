"""How bright is a point? A key light with soft shadows, a fill light, and a sky of a few far lights that shade corners.

Every light that casts shadows has a map: what it sees from far away. A point is in shadow where the map has something
nearer; several places around it are asked, the more widely the farther what blocks the light is (soft shadows).
"""

from dataclasses import dataclass
from math import cos, hypot, pi, sin, sqrt
from typing import Any

import numpy as np

from motionc.view.camera import View, from_far
from motionc.view.raster import nearest

Array = np.ndarray[Any, np.dtype[Any]]

GOLDEN = pi * (3 - sqrt(5))
"""The angle by which places on a disk follow each other so that they fill it evenly."""
EVERYWHERE = 0.11
"""Light that comes from all sides alike."""
SKY = 6
"""Lights around the sky, beside the one in the zenith."""


@dataclass(frozen=True, slots=True)
class Light:
    """A far light: where it stands, how strong it is (red, green, blue), how soft its shadows are, how fine its map.

    `spread` is the tangent of half the angle under which it is seen; 0 casts no shadow. So many `places` are asked
    around a point.
    """

    towards: tuple[float, float, float]
    strength: tuple[float, float, float]
    spread: float = 0.0
    size: int = 0
    places: int = 2


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

    def reached(self, points: Array, normals: Array, tall: float) -> Array:
        """How much of the light reaches points of surfaces, from 0 to 1, where nothing is taller than this (m)."""
        texel = 1 / self.view.scale
        seen = self.view.corners(points + normals * (1.5 * texel))
        x, y, near = seen[:, 0], seen[:, 1], seen[:, 2] + 0.75 * texel
        widest = max(1.0, self.light.spread * self.view.scale * tall)
        # how far away is what blocks the light, on average?
        gap, blocked = np.zeros(len(points)), np.zeros(len(points))
        for dx, dy in _disk(self.light.places // 2):
            there = self._at(x + widest * dx, y + widest * dy)
            above = there > near
            gap += np.where(above, there - near, 0)
            blocked += above
        some = np.flatnonzero(blocked)
        radius = np.maximum(1.0, self.light.spread * self.view.scale * gap[some] / blocked[some])
        x, y, near, hidden = x[some], y[some], near[some], np.zeros(len(some))
        for dx, dy in _disk(self.light.places):
            hidden += self._at(x + radius * dx, y + radius * dy) > near
        reached = np.ones(len(points))
        reached[some] = 1 - hidden / self.light.places
        return reached

    def _at(self, x: Array, y: Array) -> Array:
        """How near to the light something is there; the map's rim is empty."""
        size = self.light.size
        column, row = (np.clip(each, 0, size - 1).astype(np.int32) for each in (x, y))
        return self.near[row * size + column]


def lights(view: View, pixels: int) -> tuple[Light, ...]:
    """The key light over the left shoulder, a fill light from the right, and the sky; maps as fine as a picture is."""
    fine, coarse = (max(16, min(most, pixels * most // 640)) for most in (640, 224))
    back = -view.forward[:2] / max(hypot(*view.forward[:2]), 1e-9) if hypot(*view.forward[:2]) > 1e-9 else (1.0, 0.0)
    right = view.right

    def towards(across: float, behind: float, up: float) -> tuple[float, float, float]:
        x, y = (across * right[k] + behind * back[k] for k in range(2))
        length = hypot(x, y, up)
        return float(x) / length, float(y) / length, up / length

    key = Light(towards(-0.50, 0.50, 1.0), (0.74, 0.72, 0.68), 0.055, fine, 20)
    fill = Light(towards(1.0, 0.55, 0.28), (0.17, 0.185, 0.21))
    rim = Light(towards(0.5, -1.0, 0.45), (0.13, 0.14, 0.155))
    sky = [Light(towards(0.0, 0.0, 1.0), (0.13, 0.135, 0.145), 0.35, coarse, 8)]
    for k in range(SKY):
        angle = 2 * pi * (k + 0.5) / SKY
        sky.append(Light(towards(cos(angle), sin(angle), 0.7), (0.066, 0.07, 0.076), 0.35, coarse, 8))
    return key, fill, rim, *sky


def _disk(count: int) -> list[tuple[float, float]]:
    """Places that fill a disk of radius 1 evenly."""
    places = [(sqrt((k + 0.5) / count), GOLDEN * k) for k in range(count)]
    return [(radius * cos(angle), radius * sin(angle)) for radius, angle in places]
