"""Tubes in a scene: walls one sees through, and the way the frame took; green inside, amber before, red after."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from motionc.geometry.lie import quaternion_from_rotation
from motionc.simulate.declarations import Tube
from motionc.simulate.tubes import Course

Array = np.ndarray[Any, np.dtype[Any]]
Colour = tuple[int, int, int]

INSIDE, BEFORE, LEFT, OFF, WAY = (46, 140, 87), (224, 152, 30), (200, 55, 45), (150, 158, 166), (40, 70, 120)
"""Colours: inside, not yet inside, outside again, while it does not hold; and of the way."""
MOST = 200
"""Tubes that are drawn."""
POINTS = 400
"""Of a way."""
SIDES = 32
"""Of what is round."""
FLAT = 4.0
"""How far a wall reaches where nothing bounds it, in widths of the other direction."""


class TubeMarks:
    """Tubes and ways of frames through them; `show` tells which row is now."""

    def __init__(self, scene: Any, courses: Sequence[Course]) -> None:
        self._courses = courses[:MOST]
        self._nodes = [self._added(scene, k, course) for k, course in enumerate(self._courses)]
        self._last: list[Any] = [None] * len(self._nodes)
        for k, frame in enumerate(dict.fromkeys(course.tube.frame for course in self._courses)):
            path = next(course.path for course in self._courses if course.tube.frame == frame)
            points = path[:: max(1, len(path) // POINTS)]
            if len(points) > 1:
                pairs = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
                scene.add_line_segments(f"/ways/{k}", pairs, WAY, thickness=2.0, thickness_units="screen")

    def _added(self, scene: Any, number: int, course: Course) -> tuple[Any, Any, Any]:
        frame = scene.add_frame(f"/tubes/{number}", show_axes=False)
        vertices, faces, edges = walls(course.tube)
        mesh = scene.add_mesh_simple(
            f"/tubes/{number}/walls", vertices, faces, color=BEFORE, opacity=0.22, side="double", cast_shadow=False
        )
        lines = scene.add_line_segments(
            f"/tubes/{number}/edges",
            vertices[edges].astype(np.float32),
            BEFORE,
            thickness=1.5,
            thickness_units="screen",
        )
        return frame, mesh, lines

    def show(self, k: int) -> None:
        """Stand as in this row; what has not changed is not sent."""
        for number, (course, (frame, mesh, lines)) in enumerate(zip(self._courses, self._nodes, strict=True)):
            colour, pose = state(course, k), course.poses[k]
            last = self._last[number]
            if last is None or last[0] != colour:
                mesh.color = colour
                lines.colors = np.array(colour, np.uint8)
            if last is None or not np.array_equal(last[1], pose):
                frame.position, frame.wxyz = pose[:3, 3], quaternion_from_rotation(pose[:3, :3])
            self._last[number] = colour, pose


def state(course: Course, k: int) -> Colour:
    """The colour of a tube in a row."""
    if not course.holds[k]:
        return OFF
    if course.beyond[k] <= 0:
        return INSIDE
    return LEFT if course.left[k] else BEFORE


def walls(tube: Tube) -> tuple[Array, Array, Array]:
    """Vertices (n, 3) in the task frame, triangles (m, 3), and edges (e, 2), numbers of vertices each.

    >>> vertices, faces, edges = walls(Tube("tool", np.eye(4), (0.1, 0.2), 1.0))
    >>> vertices.max(0).round(3).tolist(), len(faces), len(edges)
    ([0.0, 0.1, 0.2], 8, 12)
    """
    if tube.round:
        angles = 2 * np.pi * np.arange(SIDES) / SIDES
        outline = tube.width * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        open_sides, ribs = set[int](), range(0, SIDES, SIDES // 4)
    else:
        y, z = (width if np.isfinite(width) else FLAT * min(tube.width) for width in tube.width)
        outline = np.array([[y, -z], [y, z], [-y, z], [-y, -z]])
        # sides 0 and 2 are walls along Y, 1 and 3 along Z
        free = [not np.isfinite(width) for width in tube.width]
        open_sides, ribs = {side for side in range(4) if free[side % 2]}, range(4)
    count = len(outline)
    longest = max(tube.length + tube.ahead, 1e-6)
    ends = np.repeat([tube.ahead - longest, tube.ahead], count)[:, np.newaxis]
    vertices = np.concatenate([ends, np.tile(outline, (2, 1))], axis=1)
    sides = [(k, (k + 1) % count) for k in range(count) if k not in open_sides]
    faces = [face for a, b in sides for face in ((a, b, a + count), (b, b + count, a + count))]
    edges = [(a + end, b + end) for a, b in sides for end in (0, count)] + [(k, k + count) for k in ribs]
    return vertices, np.array(faces), np.array(edges)
