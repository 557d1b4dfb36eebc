"""Which triangle does each sample of a picture see? A z-buffer in NumPy: rows of triangles, then spans of rows.

Corners are snapped to a grid of 1/16 of a sample and edges are compared in whole numbers, so that neighbours share no
sample and leave none out. Surfaces that coincide belong to the one that comes first. Nothing here depends on how wide
a processor's registers are: no matrix products, no sums over arrays, no functions but roots.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

GRID = 16
"""Places of a corner within a sample."""
FAR = 2**24
"""How far off the picture a corner may lie, in 1/16 of a sample; triangles beyond are left out."""
DEPTHS = 2**24
"""How many depths are told apart between the nearest and the farthest corner."""
FRAGMENTS = 2_000_000
"""Samples that are looked at together."""
NOTHING = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What samples see: a triangle each, and the weights of its three corners."""

    triangles: Array
    weights: Array


def nearest(corners: Array, width: int, height: int) -> tuple[Array, Array]:
    """Of every sample of a picture the triangle that is nearest there, -1 for none, and how near (-inf).

    Args:
        corners: (n, 3, 3), of each corner of a triangle x to the right and y down (samples), and how near it is: a
            number that changes evenly over the picture, as 1/z does in perspective.
        width: samples in a row.
        height: rows.
    """
    keys = np.full(width * height, NOTHING)
    closest, scale = 0.0, 1.0
    x, y = np.abs(corners[..., 0]), np.abs(corners[..., 1])
    kept = np.flatnonzero(_most(np.maximum(x, y)) < FAR // GRID)
    if kept.size:
        near = corners[kept, :, 2]
        closest, scale = float(near.max()), DEPTHS / max(float(near.max() - near.min()), 1e-300)
        whole, has_area = _snapped(corners[kept])
        (first, rows), (_, columns) = _middles(whole[..., 1], height), _middles(whole[..., 0], width)
        covering = np.flatnonzero(rows * columns * has_area)  # most triangles of a fine mesh cover nothing
        kept, whole, first, rows, columns = (each[covering] for each in (kept, whole, first, rows, columns))
        planes = _planes(corners[kept])
        for some in _portions(rows * columns):
            triangle, row, left, length = _spans(some, whole, first, rows, width)
            span = np.repeat(np.arange(len(row)), length)
            column = left[span] + np.arange(len(span)) - (np.cumsum(length) - length)[span]
            triangle, row = triangle[span], row[span]
            least, most, slope_x, slope_y, at_origin = planes
            depth = at_origin[triangle] + slope_x[triangle] * (column + 0.5) + slope_y[triangle] * (row + 0.5)
            depth = np.minimum(np.maximum(depth, least[triangle]), most[triangle])
            steps = ((closest - depth) * scale).astype(np.int64)
            np.minimum.at(keys, row * width + column, (steps << 32) | kept[triangle])
    none = keys == NOTHING
    return np.where(none, -1, keys & 0xFFFFFFFF), np.where(none, -np.inf, closest - (keys >> 32) / scale)


def seen(corners: Array, faces: Array, samples: Array, width: int) -> Seen:
    """Of some samples the triangle each sees, and the weights of its corners on it: in space, not in the picture."""
    triangles = faces[samples]
    (ax, bx, cx), (ay, by, cy), near = (corners[..., k].T for k in range(3))
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    per_area = np.divide(1.0, area, out=np.zeros_like(area), where=area != 0)
    x, y = samples % width + 0.5, samples // width + 0.5
    ax, ay, per_area = ax[triangles], ay[triangles], per_area[triangles]
    beyond = np.clip(((x - ax) * (cy[triangles] - ay) - (cx[triangles] - ax) * (y - ay)) * per_area, 0, 1)
    third = np.clip(((bx[triangles] - ax) * (y - ay) - (x - ax) * (by[triangles] - ay)) * per_area, 0, 1)
    shares = (np.maximum(1 - beyond - third, 0) * near[0][triangles], beyond * near[1][triangles])
    shares = (*shares, third * near[2][triangles])
    whole = shares[0] + shares[1] + shares[2]
    return Seen(triangles, np.stack([share / whole for share in shares]))


# ---------------------------------------------------------------- steps


def _planes(corners: Array) -> tuple[Array, ...]:
    """Least and most nearness of each triangle, and how it changes along x and y from what it is at the origin."""
    (ax, bx, cx), (ay, by, cy), (an, bn, cn) = (corners[..., k].T for k in range(3))
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    per_area = np.divide(1.0, area, out=np.zeros_like(area), where=np.abs(area) > 1e-9)
    slope_x = ((bn - an) * (cy - ay) - (cn - an) * (by - ay)) * per_area
    slope_y = ((cn - an) * (bx - ax) - (bn - an) * (cx - ax)) * per_area
    near = corners[..., 2]
    return _least(near), _most(near), slope_x, slope_y, an - slope_x * ax - slope_y * ay


def _snapped(corners: Array) -> tuple[Array, Array]:
    """Corners on the grid, in one sense of rotation, and whether a triangle has an area there."""
    whole = np.rint(corners[..., :2] * GRID).astype(np.int64)
    ahead, beside = whole[:, 1] - whole[:, 0], whole[:, 2] - whole[:, 0]
    area = ahead[:, 0] * beside[:, 1] - ahead[:, 1] * beside[:, 0]
    order = np.where((area < 0)[:, None], [0, 2, 1], [0, 1, 2])
    return np.take_along_axis(whole, order[..., None], axis=1), area != 0


def _middles(along: Array, size: int) -> tuple[Array, Array]:
    """The first row, or column, whose middle a triangle may cover, and how many there are."""
    first = np.clip(-((GRID // 2 - _least(along)) // GRID), 0, size)
    last = np.clip((_most(along) - GRID // 2) // GRID, -1, size - 1)
    return first, np.maximum(last - first + 1, 0)


def _least(three: Array) -> Array:
    """Of three numbers each; NumPy's own is slow where there are so few."""
    return np.minimum(np.minimum(three[:, 0], three[:, 1]), three[:, 2])


def _most(three: Array) -> Array:
    return np.maximum(np.maximum(three[:, 0], three[:, 1]), three[:, 2])


def _portions(work: Array) -> list[Array]:
    """All triangles, in portions of about as much work."""
    return np.split(np.arange(len(work)), np.flatnonzero(np.diff(np.cumsum(work) // FRAGMENTS)) + 1)


def _spans(some: Array, whole: Array, first: Array, count: Array, width: int) -> tuple[Array, ...]:
    """Row by row of some triangles: the triangle, the row, the first column inside, and how many are."""
    triangle = np.repeat(some, count[some])
    start = np.cumsum(count[some]) - count[some]
    row = np.arange(len(triangle)) - np.repeat(start - first[some], count[some])
    left, right = np.zeros(len(row), np.int64), np.full(len(row), width - 1)
    middle = row * GRID + GRID // 2
    for k in range(3):
        here, there = whole[:, k], whole[:, (k + 1) % 3]
        along = there - here
        rise, run = along[:, 1], along[:, 0]
        closed = (rise > 0) | ((rise == 0) & (run > 0))  # of two neighbours one has the edge
        # inside where  slope·column + rest ≥ 0
        slope = (-rise * GRID)[triangle]
        rest = (rise * here[:, 0] - run * here[:, 1] - rise * (GRID // 2) - ~closed)[triangle] + run[triangle] * middle
        bound = rest // np.where(slope == 0, 1, np.abs(slope))
        left = np.where(slope > 0, np.maximum(left, -bound), left)
        right = np.where(slope < 0, np.minimum(right, bound), right)
        right = np.where((slope == 0) & (rest < 0), -1, right)
    length = np.maximum(right - left + 1, 0)
    inside = np.flatnonzero(length)
    return triangle[inside], row[inside], left[inside], length[inside]
