"""Where are the task frames of a path? One a section, at its end, with X along the way."""

from itertools import pairwise
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error

Array = np.ndarray[Any, np.dtype[np.float64]]
POINTS = "give two points at least, (n, 3), in metres"
LEVEL = 1e-6
"""Sines of angles between a way and a normal below which nobody knows where Y is."""


def frames_along(points: Any, normal: Any = (0.0, 0.0, 1.0)) -> Array:
    """Task frames of a path through points, (n - 1, 4, 4): each at the end of its section, X along it.

    Z is as near to the normal as X allows, and Y completes them: of a path in a plane, tubes are across and along its
    normal.

    >>> frames_along([(0, 0, 0), (1, 0, 0), (1, 2, 0)])[1, :3] + 0.0
    array([[ 0., -1.,  0.,  1.],
           [ 1.,  0.,  0.,  2.],
           [ 0.,  0.,  1.,  0.]])

    Args:
        points: where the path goes, the start first (m).
        normal: of the plane it lies in, or nearly does.
    """
    found = checked.numbers("frames_along: points", points, POINTS, (None, 3))
    up = checked.numbers("frames_along: normal", normal, "give three numbers, not all 0", (3,))
    if len(found) < 2:
        raise Error(f"frames_along: points: there is {len(found)}; {POINTS}")
    if not np.any(up):
        raise Error("frames_along: normal is 0 and points nowhere; give three numbers, not all 0")
    frames = np.tile(np.eye(4), (len(found) - 1, 1, 1))
    for k, (start, end) in enumerate(pairwise(found)):
        way, across = end - start, np.cross(up, end - start)
        if np.linalg.norm(across) <= LEVEL * np.linalg.norm(way) * np.linalg.norm(up):
            raise Error(f"frames_along: section {k} has no length, or goes along the normal; give another normal")
        x, y = way / np.linalg.norm(way), across / np.linalg.norm(across)
        frames[k, :3] = np.column_stack([x, y, np.cross(x, y), end])
    return frames
