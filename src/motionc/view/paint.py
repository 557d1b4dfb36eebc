"""What does a picture look like? Layers of triangles under the lights, before a floor or an empty backdrop.

Colours are squared for light to be added up, and the root is taken at the end. A pixel has several samples, of which
those that see the same triangle are lit once.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc.view.camera import View
from motionc.view.faces import Faces, mixed, unit
from motionc.view.floor import floor
from motionc.view.light import EVERYWHERE, Light, Shadows, lights
from motionc.view.raster import Seen, nearest, seen

Array = np.ndarray[Any, np.dtype[Any]]

FINE = 2
"""Samples of a pixel, along each side."""
ABOVE, BELOW = (0.905, 0.925, 0.945), (0.985, 0.985, 0.98)
"""The backdrop at the picture's upper and lower end."""
GLOSS = 0.16
"""How much of a light is mirrored."""


def painted(layers: Sequence[tuple[Faces, float]], view: View, width: int, height: int, ground: float | None) -> Array:
    """A picture (height, width, 3), red, green, blue from 0 to 1.

    Args:
        layers: what there is, and how opaque it is; the first alone casts shadows and hides others.
        view: from where one looks.
        width: pixels in a row.
        height: rows.
        ground: the floor's height (m); None for none.
    """
    solid = layers[0][0]
    lamps = lights(view, max(width, height))
    shadows = {lamp: Shadows.of(lamp, solid.corners) for lamp in lamps if lamp.spread and len(solid)}
    picture = _backdrop(width, height)
    tall = _tall(solid, ground)
    if ground is not None and len(solid):
        picture = floor(picture, view, solid, ground, list(shadows.values()), tall)
    canvas = picture.repeat(FINE, axis=0).repeat(FINE, axis=1).reshape(-1, 3)
    front = np.full(len(canvas), -np.inf)
    for faces, opacity in layers:
        if not len(faces):
            continue
        corners = view.finer(FINE).corners(faces.corners)
        hit, near = nearest(corners, width * FINE, height * FINE)
        hit = np.where(near > front, hit, -1)
        front = near if faces is solid else front
        samples, first = np.flatnonzero(hit >= 0), _first(hit, width, height)
        some = samples[first[samples] == samples]
        light = _shone(faces, seen(corners, hit, some, width * FINE), view, lamps, shadows, tall)
        light = light[np.searchsorted(some, first[samples])]
        share = light[:, 3:] * opacity
        canvas[samples] = canvas[samples] * (1 - share) + light[:, :3] * share
    return _mean(canvas.reshape(height * FINE, width * FINE, 3))


def eight_bits(picture: Array) -> Array:
    """Numbers from 0 to 255."""
    return np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8)


# ---------------------------------------------------------------- samples and pixels


def _first(hit: Array, width: int, height: int) -> Array:
    """Of every sample the first one in its pixel that sees the same triangle."""
    number = np.arange(len(hit)).reshape(height, FINE, width, FINE)
    grid = hit.reshape(number.shape)
    first = number.copy()
    places = [(i, j) for i in range(FINE) for j in range(FINE)]
    for later, (i, j) in enumerate(places):
        for k, m in reversed(places[:later]):
            same = grid[:, i, :, j] == grid[:, k, :, m]
            first[:, i, :, j] = np.where(same, number[:, k, :, m], first[:, i, :, j])
    return first.reshape(-1)


def _mean(samples: Array) -> Array:
    """Of a pixel's samples, as it is seen: the root of the mean."""
    parts = [samples[i::FINE, j::FINE] for i in range(FINE) for j in range(FINE)]
    return np.sqrt(np.clip(sum(parts[1:], parts[0]) / len(parts), 0, 1))


def _backdrop(width: int, height: int) -> Array:
    down = ((np.arange(height) + 0.5) / height)[:, None, None]
    colour = np.array(ABOVE) + (np.array(BELOW) - np.array(ABOVE)) * down
    return np.broadcast_to(colour * colour, (height, width, 3)).copy()


# ---------------------------------------------------------------- surfaces


def _shone(
    faces: Faces, what: Seen, view: View, lamps: Sequence[Light], shadows: dict[Light, Shadows], tall: float
) -> Array:
    """What comes from surfaces to the eye, and how opaque they are; both sides of them are lit alike."""
    points, normals = (mixed(each[what.triangles], what.weights) for each in (faces.corners, faces.normals))
    to_eye, normals = unit(view.origin - points), unit(normals)
    facing = _dot(normals, to_eye)
    normals = np.where((facing < 0)[:, None], -normals, normals)
    colours = faces.coloured(what.triangles, what.weights)
    own = colours[:, :3] * colours[:, :3]
    light = own * (EVERYWHERE * (0.8 + 0.2 * normals[:, 2]))[:, None]
    for lamp in lamps:
        towards = np.array(lamp.towards)
        lit = np.maximum(_dot(normals, towards), 0.0)
        if lamp in shadows:
            some = np.flatnonzero(lit)
            lit[some] *= shadows[lamp].reached(points[some], normals[some], tall)
        mirrored = np.maximum(_dot(normals, unit(to_eye + towards)), 0.0)
        for _ in range(5):  # to the 32nd power
            mirrored = mirrored * mirrored
        light += (own + (GLOSS * mirrored)[:, None]) * lit[:, None] * np.array(lamp.strength)
    grazing = 1 - np.abs(facing)
    grazing = grazing * grazing
    light *= (1 - 0.25 * grazing * grazing)[:, None]
    return np.concatenate([light, colours[:, 3:]], axis=1)


def _tall(solid: Faces, ground: float | None) -> float:
    """The most that something stands above what it may shade (m)."""
    if not len(solid):
        return 1.0
    low, high = solid.corners[..., 2].min(), solid.corners[..., 2].max()
    return max(float(high - low), 1e-6) if ground is None else max(float(high - ground), 1e-6)


def _dot(a: Array, b: Array) -> Array:
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
