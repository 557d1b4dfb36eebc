"""How far is it along a ray to a surface? Planes, spheres, capsules and ground by its heights, on values of a program.

    plane      t = n·(p - o) / n·d                                             where the ray meets its upper side
    sphere     t = -b - √(b² - c),  b = (o - m)·d,  c = |o - m|² - r²
    capsule    the sides of its cylinder, the same across its axis, where they are met between its ends; or its ends
    ground     the first of many stretches at whose end the ray is below it, then false position on that stretch

o and d are the origin of the ray and its direction of length 1. Nothing branches: what is not met is `far` away; what
begins inside something solid is 0 or less away.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.geometry.symbols import Symbols
from motionc.model.shapes import Capsule
from motionc.solvers.contact import HeightField, Plane, Solid

PARALLEL = 1e-12
"""The square of the sine of an angle below which a ray goes along an axis."""
REFINED = 8
"""Steps of false position on the stretch on which a ray meets the ground."""


@dataclass(frozen=True)
class Ray:
    """A ray of a program: origin and direction, three values each; how far nothing is seen any more."""

    origin: Any
    along: Any
    far: float

    def to_plane(self, plane: Plane) -> Any:
        normal = np.array(plane.normal)
        sinking, above = -(normal @ self.along), normal @ (self.origin - np.array(plane.point))
        return (sinking > 0.0).select(above / sinking, self.far)

    def to_solid(self, solid: Solid, pose: Any) -> Any:
        """To a sphere or a capsule whose frame has this pose (4×4)."""
        middle = pose[:3, 3] + pose[:3, :3] @ np.array(solid.point)
        radius = solid.shape.radius
        if not isinstance(solid.shape, Capsule):
            return self._to_sphere(middle, radius)
        axis, half = pose[:3, 2], solid.shape.length / 2
        ends = [self._to_sphere(middle + side * half * axis, radius) for side in (-1.0, 1.0)]
        return ends[0].minimum(ends[1]).minimum(self._to_sides(middle, axis, half, radius))

    def _to_sphere(self, middle: Any, radius: float) -> Any:
        away = self.origin - middle
        b, c = away @ self.along, away @ away - radius**2
        under = b * b - c
        met = (under >= 0.0).select((c <= 0.0).maximum(b <= 0.0), 0.0)
        return met.select(-b - under.maximum(0.0).sqrt(), self.far)

    def _to_sides(self, middle: Any, axis: Any, half: float, radius: float) -> Any:
        """To an open cylinder about an axis."""
        away = self.origin - middle
        down, up = self.along @ axis, away @ axis
        a, b, c = 1.0 - down * down, away @ self.along - up * down, away @ away - up * up - radius**2
        under = b * b - a * c
        across = a > PARALLEL
        t = (-b - under.maximum(0.0).sqrt()) / across.select(a, 1.0)
        between = (up + t * down).absolute() <= half
        met = across.select((under >= 0.0).select(between.select((c <= 0.0).maximum(b <= 0.0), 0.0), 0.0), 0.0)
        return met.select(t, self.far)

    def to_ground(self, field: HeightField, heights: Any, stretches: int) -> Any:
        """To a height field; ridges that are thinner than a stretch may be missed."""
        ground = field.over(Symbols.of(list(heights.ravel())))

        def above(t: Any) -> Any:
            place = Symbols.of(list(self.origin + t * self.along))
            return place[2, 0] - ground.tangent(place).point[2, 0]

        ends = [self.far * k / stretches for k in range(stretches + 1)]
        over = [above(end) for end in ends]
        # the first stretch at whose end the ray is below; from its last to the first, so that the first counts
        near, high, low, deep, met = 0.0, over[0], self.far, over[-1], 0.0 * over[0]
        for k in reversed(range(stretches)):
            dives = over[k + 1] <= 0.0
            near, high = dives.select(ends[k], near), dives.select(over[k], high)
            low, deep = dives.select(ends[k + 1], low), dives.select(over[k + 1], deep)
            met = dives.maximum(met)
        t = _root(above, near, high, low, deep)
        return (over[0] <= 0.0).select(0.0, met.select(t, self.far))


def _root(above: Any, near: Any, high: Any, low: Any, deep: Any) -> Any:
    """Where a function is 0 between a place where it is not below and one where it is not above: false position, with
    half of what is kept twice (Illinois)."""
    t = near
    side: Any = 0.0 * high
    for _ in range(REFINED):
        span = high - deep
        share = (span > 0.0).select(high / (span > 0.0).select(span, 1.0), 0.0)
        t = near + share * (low - near)
        value = above(t)
        below = value <= 0.0
        high = below.select((side < 0.0).select(0.5 * high, high), value)
        deep = below.select(value, (side > 0.0).select(0.5 * deep, deep))
        near, low = below.select(near, t), below.select(t, low)
        side = below.select(-1.0, 1.0)
    return t


def nearest(distances: Sequence[Any]) -> Any:
    found = distances[0]
    for one in distances[1:]:
        found = found.minimum(one)
    return found
