"""From where does one look? A camera in perspective that frames by itself what there is, and a far light's view."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot, radians, tan
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error

Array = np.ndarray[Any, np.dtype[Any]]

FROM = (1.0, -1.05, 0.62)
"""From where one looks where nothing is said: in front, to the right of x, and above."""
ANGLE = 26.0
"""Of the picture's shorter side, in degrees."""
MARGIN = 0.09
"""Of the picture's shorter side, on every side of what is framed."""
NEAR = 1e-3
"""Of the distance to what is looked at: what is nearer to the eye is not drawn."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera in perspective: where the eye stands, what it looks at (m, in world), and how wide it sees.

    Args:
        eye: where it stands.
        target: what is in the middle of the picture.
        angle: that the picture's shorter side covers, in degrees.
    """

    eye: Sequence[float]
    target: Sequence[float]
    angle: float = ANGLE

    def __post_init__(self) -> None:
        for name in ("eye", "target"):
            given = checked.numbers(f"Camera: {name}", getattr(self, name), "give x, y, z in metres", (3,))
            object.__setattr__(self, name, tuple(map(float, given)))
        checked.number("Camera: angle", self.angle, "give degrees, from 1 to 150", fits=lambda a: 1 <= a <= 150)
        if tuple(self.eye) == tuple(self.target):
            raise Error(f"Camera: eye and target are both {checked.shown(self.eye)}; look at something else")


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """How points become places in a picture: axes (right, down, forward) at an origin, samples for a metre.

    In perspective it is a metre at a distance of 1 m, and nearness is 1/z; from far away nearness is -z.
    """

    origin: Array
    right: Array
    down: Array
    forward: Array
    scale: float
    middle: tuple[float, float]
    perspective: bool = True
    near: float = 0.0

    def finer(self, times: int) -> "View":
        """The same view with so many samples along each side of one."""
        middle = self.middle[0] * times, self.middle[1] * times
        return replace(self, scale=self.scale * times, middle=middle)

    def coordinates(self, points: Array) -> tuple[Array, Array, Array]:
        """Along right, down and forward, from the origin (m)."""
        x, y, z = (points[..., k] - self.origin[k] for k in range(3))
        right, down, forward = (
            x * axis[0] + y * axis[1] + z * axis[2] for axis in (self.right, self.down, self.forward)
        )
        return right, down, forward

    def corners(self, points: Array) -> Array:
        """x, y and nearness of points; those behind the eye are nowhere (NaN)."""
        right, down, forward = self.coordinates(points)
        if not self.perspective:
            return np.stack(
                [right * self.scale + self.middle[0], down * self.scale + self.middle[1], -forward], axis=-1
            )
        with np.errstate(divide="ignore", invalid="ignore"):
            near = np.where(forward > self.near, 1 / forward, np.nan)
            scaled = near * self.scale
            return np.stack([right * scaled + self.middle[0], down * scaled + self.middle[1], near], axis=-1)

    def rays(self, width: int, height: int) -> tuple[Array, Array, Array]:
        """The direction in which each sample of a picture looks: x, y and z in world, 1 m forward."""
        across = ((np.arange(width) + 0.5 - self.middle[0]) / self.scale)[None, :]
        along = ((np.arange(height) + 0.5 - self.middle[1]) / self.scale)[:, None]
        x, y, z = (self.forward[k] + across * self.right[k] + along * self.down[k] for k in range(3))
        return x, y, z


def framing(points: Array, towards: Sequence[float], width: int, height: int) -> View:
    """A view of all these points from a direction, as near as leaves a margin around them.

    In axes (right x, down y, forward z), with t the tangent of half the angle, all are between the left and right side
    of an eye at (c, ·, -d) where x_i - t z_i ≤ c + t d and x_i + t z_i ≥ c - t d; so too above and below.
    """
    right, down, forward = axes(towards)
    low, high = bounds(points)
    middle = (low + high) / 2
    x, y, z = View(middle, right, down, forward, 1.0, (0, 0)).coordinates(points)
    side, half = min(width, height), tan(radians(ANGLE / 2))
    ends = []
    for along, size in ((x, width), (y, height)):
        slope = half * (size / side - 2 * MARGIN)
        most, least = float((along - slope * z).max()), float((along + slope * z).min())
        ends.append(((most + least) / 2, (most - least) / (2 * slope)))
    distance = max(ends[0][1], ends[1][1], float(-z.min()) + 1e-3)
    eye = middle + ends[0][0] * right + ends[1][0] * down - distance * forward
    return View(eye, right, down, forward, side / (2 * half), (width / 2, height / 2), near=NEAR * distance)


def looking(camera: Camera, width: int, height: int) -> View:
    """What a camera sees."""
    eye, target = np.array(camera.eye), np.array(camera.target)
    right, down, forward = axes(tuple(eye - target))
    side, half = min(width, height), tan(radians(camera.angle / 2))
    near = NEAR * _length(tuple(target - eye))
    return View(eye, right, down, forward, side / (2 * half), (width / 2, height / 2), near=near)


def from_far(points: Array, towards: Sequence[float], size: int) -> View:
    """What a light sees that is far away in a direction, so that all points are in a square picture of this size."""
    right, down, forward = axes(towards)
    low, high = bounds(points)
    middle = (low + high) / 2
    x, y, _ = View(middle, right, down, forward, 1.0, (0, 0)).coordinates(points)
    widest = max(float(x.max() - x.min()), float(y.max() - y.min()), 1e-9)
    scale = 0.96 * size / widest
    at = size / 2 - scale * float(x.max() + x.min()) / 2, size / 2 - scale * float(y.max() + y.min()) / 2
    return View(middle, right, down, forward, scale, at, perspective=False)


def bounds(points: Array) -> tuple[Array, Array]:
    """Least and most of points (…, 3) along x, y and z."""
    columns = [points[..., k] for k in range(3)]
    return np.array([each.min() for each in columns]), np.array([each.max() for each in columns])


def axes(towards: Sequence[float]) -> tuple[Array, Array, Array]:
    """Right, down and forward of an eye that stands in a direction from what it looks at; z is up, if it can be."""
    x, y, z = (float(one) / _length(towards) for one in towards)
    flat = hypot(x, y)
    right = np.array([-y / flat, x / flat, 0.0]) if flat > 1e-9 else np.array([0.0, -1.0, 0.0])
    forward = np.array([-x, -y, -z])
    down = np.array(
        [
            forward[1] * right[2] - forward[2] * right[1],
            forward[2] * right[0] - forward[0] * right[2],
            forward[0] * right[1] - forward[1] * right[0],
        ]
    )
    return right, down, forward


def _length(vector: Sequence[float]) -> float:
    return hypot(*map(float, vector))
