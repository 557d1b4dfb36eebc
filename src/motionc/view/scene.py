"""Where a robot stands in a page: ground, a first point of view, and forces at contacts; the viewer's and replays'."""

from typing import Any

import numpy as np

from motionc.view.figure import Figure
from motionc.view.floor import ground_below
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


def extent(figure: Figure, q: Array) -> tuple[Array, Array]:
    """The lowest and the highest corner of what encloses a robot (m)."""
    poses = dict(zip(figure.drawing.links, figure.drawing.place(q), strict=True))
    corners = [
        np.asarray(piece.vertices) @ poses[piece.link][:3, :3].T + poses[piece.link][:3, 3]
        for piece in figure.drawing.pieces
    ]
    if not corners:
        return np.full(3, -0.5), np.full(3, 0.5)
    points = np.concatenate(corners)
    return points.min(0), points.max(0)


def set_scene(server: Any, low: Array, high: Array) -> float:
    """Ground, and where a visitor stands at first; how large it all is (m)."""
    middle, size = (low + high) / 2, float(max((high - low).max(), 1e-3))
    server.scene.set_up_direction("+z")
    ground = np.array([0.0, 0.0, ground_below(low, high)])
    wide = 8 * size
    server.scene.add_grid("/ground", width=wide, height=wide, cell_size=size / 5, section_size=size, position=ground)
    server.initial_camera.position = middle + np.array([1.0, -1.1, 0.5]) * size
    server.initial_camera.look_at = middle
    return size
