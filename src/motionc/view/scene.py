"""Where a robot stands in a page: ground, a first point of view, and forces at contacts; the viewer's and replays'."""

from typing import Any

import numpy as np

from motionc.view.figure import Figure
from motionc.view.looks import FORCE, Arrows
from motionc.view.track import Track

Array = np.ndarray[Any, np.dtype[np.float64]]
G = 9.81


class Forces:
    """Forces at contacts, as arrows: the robot's weight is as long as the robot is large."""

    def __init__(self, scene: Any, track: Track, size: float) -> None:
        mass = sum(link.mass or 0.0 for link in track.robot.links)
        self._track = track
        self._scale = size / max(mass * G, 1e-9)
        self._arrows = Arrows(scene, "/forces", 0.2 * size)

    def show(self, k: int) -> None:
        if self._track.forces is not None and self._track.points is not None:
            along = self._track.forces[k] * self._scale
            self._arrows.show(self._track.points[k], along, [FORCE] * len(along))


def extent(figure: Figure, q: Array) -> tuple[Array, float]:
    """The middle of what encloses a robot, and its longest edge (m)."""
    poses = dict(zip(figure.drawing.links, figure.drawing.place(q), strict=True))
    corners = [
        np.asarray(piece.vertices) @ poses[piece.link][:3, :3].T + poses[piece.link][:3, 3]
        for piece in figure.drawing.pieces
    ]
    if not corners:
        return np.zeros(3), 1.0
    points = np.concatenate(corners)
    low, high = points.min(0), points.max(0)
    return (low + high) / 2, float(max((high - low).max(), 1e-3))


def set_scene(server: Any, middle: Array, size: float) -> None:
    """Ground, and where a visitor stands at first."""
    server.scene.set_up_direction("+z")
    server.scene.add_grid("/ground", width=8 * size, height=8 * size, cell_size=size / 5, section_size=size)
    server.initial_camera.position = middle + np.array([1.0, -1.1, 0.5]) * size
    server.initial_camera.look_at = middle
