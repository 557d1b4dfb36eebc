"""What does a robot look like? Its shapes and meshes as triangles, in the frame of the link that carries them.

Knows nothing of cameras, pages or viewers: pictures, the viewer and replays draw what stands here. What cannot be drawn
is left out, with a sentence about it; nothing that a model names is opened but meshes in its own package.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from motionc import checked
from motionc.computations import forward_kinematics
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.model.shapes import Mesh, Shape
from motionc.view.triangles import Array, Indices, triangles

PURPOSES = ("visual", "collision")
GREY = (0.7, 0.7, 0.7, 1.0)
"""Of shapes whose colour nobody says."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Triangles of one colour or texture, fixed to a link.

    link: the link that carries it.
    name: of its shape, unlike that of any other piece.
    vertices: (n, 3) in the frame of the link (m).
    triangles: (m, 3) numbers of vertices, counter-clockwise as seen from outside.
    rgba: its colour, from 0 to 1.
    uv: (n, 2) where each vertex is in the texture, from its lower left corner; None without one.
    texture: (height, width, 4) of uint8, its upper row first; None without one.
    """

    link: str
    name: str
    vertices: Array
    triangles: Indices
    rgba: tuple[float, float, float, float] = GREY
    uv: Array | None = None
    texture: Any = None


@dataclass(frozen=True, eq=False)
class Drawing:
    """The pieces a robot is drawn of, and a sentence for each shape that is left out."""

    robot: Robot
    pieces: tuple[Piece, ...]
    left_out: tuple[str, ...] = field(default=())

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Links that carry a piece, in the robot's order."""
        drawn = {piece.link for piece in self.pieces}
        return tuple(link for link in self.robot.link_names if link in drawn)

    def place(self, q: Any) -> Array:
        """Poses of `links` in the world: (k, 4, 4) of one configuration, (…, k, 4, 4) of several.

        >>> import motionc as mc
        >>> mc.view.drawing(robot := mc.load("planar2")).place(robot.neutral()).shape
        (3, 4, 4)
        """
        if not self.links:
            return np.zeros((*np.shape(q)[:-1], 0, 4, 4))
        values = np.asarray(q, float) if not hasattr(q, "__space__") else q
        return self._kinematics.batch(values) if np.ndim(values) > 1 else self._kinematics(values)

    @cached_property
    def _kinematics(self) -> Any:
        return forward_kinematics(self.robot, list(self.links))


def drawing(
    robot: Robot, purpose: Literal["visual", "collision"] = "visual", roots: Iterable[str | Path] = ()
) -> Drawing:
    """The drawing of a robot: triangles of its shapes, of one purpose.

    Args:
        robot: the robot.
        purpose: shapes to look at, or those to collide with.
        roots: folders that are packages, or hold some, beside those found from the model's own file.

    >>> import motionc as mc
    >>> mc.view.drawing(mc.load("planar2")).links
    ('base', 'upper_arm', 'forearm')
    """
    checked.instance("drawing: robot", robot, Robot, "give a Robot, such as mc.load(…)")
    checked.one_of("drawing: purpose", purpose, PURPOSES)
    pieces, left_out = list[Piece](), list[str]()
    for segment in robot.segments:
        shapes = [shape for shape in segment.link.shapes if shape.purpose == purpose]
        for number, shape in enumerate(shapes):
            name = f"{segment.name}/{shape.name or number}"
            try:
                pieces += _pieces(segment.name, name, shape)
            except Error as error:
                left_out.append(f"{name}: {error}")
    return Drawing(robot, tuple(pieces), tuple(left_out))


def _pieces(link: str, name: str, shape: Shape) -> Iterator[Piece]:
    material = shape.material
    rgba = GREY if material is None or material.rgba is None else material.rgba
    if isinstance(shape.geometry, Mesh):
        raise Error(f"the mesh {shape.geometry.file!r} is not drawn")
    vertices, faces = triangles(shape.geometry)
    yield Piece(link, name, _placed(vertices, shape), faces, rgba)


def _placed(vertices: Array, shape: Shape) -> Array:
    """Vertices of a shape in the frame of its link."""
    pose = np.asarray(shape.pose, float)
    return vertices @ pose[:3, :3].T + pose[:3, 3]
