"""What does a robot stand on? A floor with a grid that fades away from it, and the soft shadows on it.

How much light is left on the floor is found on a map of it, which is smooth, and read for every pixel.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc.view.camera import View, bounds
from motionc.view.faces import Faces
from motionc.view.light import EVERYWHERE, Shadows

Array = np.ndarray[Any, np.dtype[Any]]

LINE = (0.56, 0.60, 0.66)
"""The grid's colour."""
GRID = 0.42
"""How much of a line is the grid's colour."""
SHADE = (0.20, 0.225, 0.28)
"""What is left of the backdrop's colour where no light is."""
FINEST = 384
"""Places on the map of the floor, along each side, at most."""
FADES = 2.2
"""Where the grid ends, in sizes of the robot from its middle."""
FLAT = 1e-3
"""Slope of a ray below which it does not meet the floor."""


def floor(picture: Array, view: View, solid: Faces, ground: float, shadows: Sequence[Shadows], tall: float) -> Array:
    """A picture with a floor at a height, and on it what the lights leave of its light."""
    height, width, _ = picture.shape
    x, y, z = view.rays(width, height)
    meets = (z < -FLAT) if view.origin[2] > ground else np.zeros_like(z, bool)
    reach = np.where(meets, (ground - view.origin[2]) / np.where(meets, z, -1.0), 0.0)
    low, high = bounds(solid.corners)
    middle, size = (low + high) / 2, float((high - low).max())
    floor_x, floor_y = view.origin[0] - middle[0] + reach * x, view.origin[1] - middle[1] + reach * y

    # lines at multiples of a step in the world
    away = np.clip(1 - (floor_x * floor_x + floor_y * floor_y) / (FADES * size) ** 2, 0, 1) * meets
    step = _step(size)
    lines = np.zeros_like(away)
    for along, off in ((floor_x, middle[0]), (floor_y, middle[1])):
        lines = np.maximum(lines, GRID * _lines(along, off, step))
    share = (lines * away * away)[..., None]
    line = np.array(LINE)
    picture = picture * (1 - share) + line * line * share

    # shadows
    half = size / 2 + 1.3 * tall
    places = max(16, min(FINEST, max(width, height) * 3 // 5))
    dark = _blurred(_dark(middle, half, ground, shadows, tall, places))
    column, row = ((each / half + 1) * (places / 2) - 0.5 for each in (floor_x, floor_y))
    shaded = (_between(dark, column, row) * meets)[..., None]
    return picture * (1 - shaded * (1 - np.array(SHADE)))


def _dark(middle: Array, half: float, ground: float, shadows: Sequence[Shadows], tall: float, places: int) -> Array:
    """On a map of the floor the share of all light that does not arrive."""
    along = ((np.arange(places) + 0.5) / (places / 2) - 1) * half
    x, y = np.broadcast_to(along, (places, places)), np.broadcast_to(along[:, None], (places, places))
    points = np.stack([x + middle[0], y + middle[1], np.full_like(x, ground)], axis=-1).reshape(-1, 3)
    up = np.broadcast_to([0.0, 0.0, 1.0], points.shape)
    whole, missing = EVERYWHERE, np.zeros(len(points))
    for each in shadows:
        strength = each.light.strength[1] * each.light.towards[2]
        whole += strength
        missing += strength * (1 - each.reached(points, up, tall))
    return (missing / whole).reshape(places, places)


def _blurred(dark: Array) -> Array:
    """Each place as the mean of its neighbourhood, weighted 1 2 1 along both sides; nothing at the rim."""
    for _ in range(2):
        around = np.pad(dark, 1)
        dark = (around[:-2, 1:-1] + 2 * dark + around[2:, 1:-1]) / 4
        around = np.pad(dark, 1)
        dark = (around[1:-1, :-2] + 2 * dark + around[1:-1, 2:]) / 4
    dark[[0, -1]], dark[:, [0, -1]] = 0, 0
    return dark


def _between(values: Array, column: Array, row: Array) -> Array:
    """Values of a map between its places, by both sides' shares; beyond its rim those of the rim."""
    places = len(values)
    last = places - 1
    column, row = np.clip(column, 0, last - 1e-6), np.clip(row, 0, last - 1e-6)
    left, top = column.astype(np.int64), row.astype(np.int64)
    across, down = column - left, row - top
    start = top * places + left
    flat = values.reshape(-1)
    upper = flat[start] * (1 - across) + flat[start + 1] * across
    lower = flat[start + places] * (1 - across) + flat[start + places + 1] * across
    return upper * (1 - down) + lower * down


def _lines(along: Array, off: float, step: float) -> Array:
    """How much of a pixel is covered by lines of its width, at multiples of a step; none where they crowd."""
    across, down = np.gradient(along, axis=1), np.gradient(along, axis=0)
    pixel = np.maximum(np.sqrt(across * across + down * down), 1e-12)
    place = (along + off % step) / step
    apart = np.abs(place - np.rint(place)) * step
    return np.clip(1 - apart / pixel, 0, 1) * np.clip(2 - 8 * pixel / step, 0, 1)


def _step(size: float) -> float:
    """Between lines: 1, 2 or 5 times a power of ten, so that a robot covers a few."""
    rough = max(size, 1e-9) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * each for each in (10, 5, 2, 1) if power * each <= rough * 1.0001)


def ground_below(lowest: Array, highest: Array) -> float:
    """Where the floor is: at 0 where the lowest corner is there or above by less than the size, and there otherwise.

    >>> ground_below(np.array([-1.0, -1.0, 0.1]), np.array([1.0, 1.0, 2.0])), ground_below(-np.ones(3), np.ones(3))
    (0.0, -1.0)
    """
    low, size = float(lowest[2]), float((highest - lowest).max())
    return 0.0 if -0.01 * size < low < size else low
