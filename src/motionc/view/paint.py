"""What does a picture look like? Ground with a grid and shadows, then layers of triangles under the lights.

Colours are squared for light to be added up, and the root is taken at the end; four samples make a pixel.
"""

from collections.abc import Sequence
from math import floor, log10
from typing import Any

import numpy as np

from motionc.view.camera import View
from motionc.view.faces import Faces, unit
from motionc.view.light import Light, Shadows, lights
from motionc.view.raster import nearest, seen

Array = np.ndarray[Any, np.dtype[Any]]

FINE = 2
"""Samples of a pixel, along each side."""
ABOVE, BELOW = (0.905, 0.925, 0.945), (0.985, 0.985, 0.98)
"""The backdrop at the picture's upper and lower end."""
LINE = (0.58, 0.62, 0.68)
"""Of the grid."""
EVERYWHERE = 0.11
"""Light that comes from all sides alike."""
GLOSS = 0.16


def painted(layers: Sequence[tuple[Faces, float]], view: View, width: int, height: int, ground: float | None) -> Array:
    """Samples (height, width, 3) of a picture, from 0 to 1 and squared.

    Args:
        layers: what there is, and how opaque it is; the first alone casts shadows and hides others.
        view: from where one looks.
        width: samples in a row.
        height: rows.
        ground: its height (m); None for none.
    """
    solid = layers[0][0]
    lamps = lights(view)
    shadows = [Shadows.of(lamp, solid.corners) for lamp in lamps if lamp.spread and len(solid)]
    tall = _tall(solid, ground)
    picture = _backdrop(width, height)
    if ground is not None and len(solid):
        picture = _with_ground(picture, view, solid, ground, shadows, tall)
    canvas = picture.reshape(-1, 3)
    front = np.full(width * height, -np.inf)
    for faces, opacity in layers:
        corners = view.corners(faces.corners)
        hit, near = nearest(corners, width, height)
        hit = np.where(near > front, hit, -1)
        what = seen(corners, hit, width)
        if faces is solid:
            front = near
        points, normals = (_mixed(each[what.triangles], what.weights) for each in (faces.corners, faces.normals))
        colours = faces.colours[what.triangles]
        turn = what.samples % width % 2 + 2 * (what.samples // width % 2)
        light = _shone(points, unit(normals), colours[:, :3], view, lamps, shadows, turn, tall)
        share = (colours[:, 3] * opacity)[:, None]
        canvas[what.samples] = canvas[what.samples] * (1 - share) + light * share
    return canvas.reshape(height, width, 3)


def pixels(samples: Array) -> Array:
    """Eight bits for red, green, blue of the mean of a pixel's samples."""
    parts = [samples[i::FINE, j::FINE] for i in range(FINE) for j in range(FINE)]
    mean = sum(parts[1:], parts[0]) / len(parts)
    return np.rint(np.sqrt(np.clip(mean, 0, 1)) * 255).astype(np.uint8)


# ---------------------------------------------------------------- surfaces


def _shone(
    points: Array,
    normals: Array,
    colours: Array,
    view: View,
    lamps: Sequence[Light],
    shadows: Sequence[Shadows],
    turn: Array,
    tall: float,
) -> Array:
    """What comes from points of surfaces to the eye: both sides of them are lit alike."""
    to_eye = unit(view.origin - points)
    facing = _dot(normals, to_eye)
    normals = np.where((facing < 0)[:, None], -normals, normals)
    own = colours * colours
    light = own * (EVERYWHERE * (0.75 + 0.25 * normals[:, 2]))[:, None]
    maps = {id(each.light): each for each in shadows}
    for lamp in lamps:
        towards = np.array(lamp.towards)
        lit = np.maximum(_dot(normals, towards), 0.0)
        some = np.flatnonzero(lit > 0)
        if id(lamp) in maps:
            lit[some] *= maps[id(lamp)].reached(points[some], normals[some], turn[some], tall)
        shine = np.maximum(_dot(normals, unit(to_eye + towards)), 0.0)
        for _ in range(5):
            shine = shine * shine
        strength = np.array(lamp.strength)
        light = light + (own + GLOSS * shine[:, None]) * lit[:, None] * strength
    edge = 1 - np.abs(facing)
    edge = edge * edge * edge * edge
    return light * (1 - 0.25 * edge)[:, None]


# ---------------------------------------------------------------- ground


def _backdrop(width: int, height: int) -> Array:
    down = ((np.arange(height) + 0.5) / height)[:, None, None]
    colour = np.array(ABOVE) + (np.array(BELOW) - np.array(ABOVE)) * down
    return np.broadcast_to(colour * colour, (height, width, 3)).copy()


def _with_ground(
    picture: Array, view: View, solid: Faces, ground: float, shadows: Sequence[Shadows], tall: float
) -> Array:
    """The backdrop as a floor: a grid that fades away from what stands on it, and its shadows."""
    height, width, _ = picture.shape
    x, y, z = view.rays(width, height)
    steep = np.where(z < -1e-3, z, -1e-3)
    reach = (ground - view.origin[2]) / steep
    inside = (z < -1e-3) & (reach > 0)
    floor_x, floor_y = view.origin[0] + reach * x, view.origin[1] + reach * y
    low, high = solid.corners.min(axis=(0, 1)), solid.corners.max(axis=(0, 1))
    middle, size = (low + high) / 2, float((high - low).max())
    away = (floor_x - middle[0]) ** 2 + (floor_y - middle[1]) ** 2
    fade = np.clip(1 - away / (2.2 * size) ** 2, 0, 1) * inside
    fade = fade * fade
    step = _step(size)
    lines = np.maximum(*(_lines(each, step) for each in (floor_x, floor_y))) * 0.5
    strong = np.maximum(*(_lines(each, 5 * step) for each in (floor_x, floor_y)))
    share = (np.maximum(lines, strong) * fade * 0.55)[..., None]
    line = np.array(LINE)
    picture = picture * (1 - share) + line * line * share
    # shadows: what is left of the light of all lamps that stand above
    some = np.flatnonzero((inside & (away < (2.2 * size + 2 * tall) ** 2)).reshape(-1))
    points = np.stack([floor_x.reshape(-1)[some], floor_y.reshape(-1)[some], np.full(len(some), ground)], axis=-1)
    normals = np.broadcast_to([0.0, 0.0, 1.0], points.shape)
    turn = some % width % 2 + 2 * (some // width % 2)
    whole, left = np.full(3, EVERYWHERE), np.full((len(some), 3), EVERYWHERE)
    for each in shadows:
        strength = np.array(each.light.strength) * each.light.towards[2]
        whole += strength
        left += each.reached(points, normals, turn, tall)[:, None] * strength
    canvas = picture.reshape(-1, 3)
    canvas[some] *= left / whole
    return picture


def _lines(along: Array, step: float) -> Array:
    """How much of a sample is covered by lines at multiples of a step; lines are a pixel wide."""
    across, down = np.gradient(along, axis=1), np.gradient(along, axis=0)
    sample = np.sqrt(across * across + down * down)
    off = np.abs(along / step - np.rint(along / step)) * step
    crowded = np.clip(2 - 12 * sample / step, 0, 1)
    return np.clip(0.5 * FINE + 0.5 - off / np.maximum(sample, 1e-12), 0, 1) * crowded


def _step(size: float) -> float:
    """Between lines: 1, 2 or 5 times a power of ten, so that a robot covers a few."""
    rough = size / 6
    power = 10.0 ** floor(log10(rough))
    return next(power * each for each in (10, 5, 2, 1) if power * each <= rough * 1.0001)


def _tall(solid: Faces, ground: float | None) -> float:
    """The most that something stands above what it may shade."""
    if not len(solid):
        return 1.0
    low, high = solid.corners.min(axis=(0, 1)), solid.corners.max(axis=(0, 1))
    return float(high[2] - low[2]) if ground is None else float(max(high[2] - ground, 1e-6))


def _mixed(each: Array, weights: Array) -> Array:
    return each[:, 0] * weights[0][:, None] + each[:, 1] * weights[1][:, None] + each[:, 2] * weights[2][:, None]


def _dot(a: Array, b: Array) -> Array:
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
