"""What does a robot look like? Its shapes and meshes as triangles, in the frame of the link that carries them.

Knows nothing of cameras, pages or viewers: pictures, the viewer and replays draw what stands here. What cannot be drawn
is left out, with a sentence about it; nothing that a model names is opened but meshes in its own package.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from motionc import checked
from motionc.computations import forward_kinematics
from motionc.errors import Error
from motionc.formats.files import find_named
from motionc.model.robot import Robot
from motionc.model.shapes import Mesh, Shape
from motionc.view.meshes import decoded, read_bytes, read_mesh
from motionc.view.surfaces import Rgba, Surface, as_rgba, checked_surface
from motionc.view.triangles import Array, Indices, triangles

PURPOSES = ("visual", "collision")
FOLDERS = "give a folder, or a list of folders"
LARGEST_DRAWING = 16_000_000
"""Triangles of a robot, all copies of its meshes counted."""
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
    folders = [
        checked.path("drawing: roots", each, FOLDERS)
        for each in checked.several("drawing: roots", roots, FOLDERS, str, Path)
    ]
    pencil = _Pencil(folders)
    for segment in robot.segments:
        shapes = [shape for shape in segment.link.shapes if shape.purpose == purpose]
        for number, shape in enumerate(shapes):
            pencil.draw(segment.name, f"{segment.name}/{shape.name or number}", shape)
    return Drawing(robot, tuple(pencil.pieces), tuple(pencil.left_out))


class _Pencil:
    """Draws shape after shape; a mesh that several name is read once, and the whole is bounded."""

    def __init__(self, roots: list[Path]) -> None:
        self.roots, self.pieces, self.left_out = roots, list[Piece](), list[str]()
        self.meshes = dict[Path, list[Surface] | Error]()
        self.textures = dict[bytes, Any]()
        self.count = 0
        self.names = set[str]()

    def draw(self, link: str, name: str, shape: Shape) -> None:
        try:
            surfaces = self._surfaces(shape)
            self.count += sum(len(surface.triangles) for surface in surfaces)
            if self.count > LARGEST_DRAWING:
                raise Error(f"the robot has more than {LARGEST_DRAWING} triangles; make its meshes coarser")
        except Error as error:
            self.left_out.append(f"{name}: {error}")
            return
        for number, surface in enumerate(surfaces):
            own = self._unlike(name if len(surfaces) == 1 else f"{name}/{number}")
            placed = surface.moved(np.asarray(shape.pose, float))
            uv, texture = placed.uv, self._texture(own, shape, placed)
            uv = None if texture is None else uv
            rgba = _colour(shape, placed) if texture is None else (1.0, 1.0, 1.0, 1.0)
            self.pieces.append(Piece(link, own, placed.vertices, placed.triangles, rgba, uv, texture))

    def _surfaces(self, shape: Shape) -> list[Surface]:
        """What a shape is made of, around its own origin."""
        geometry = shape.geometry
        if not isinstance(geometry, Mesh):
            return [checked_surface(Surface(*triangles(geometry)))]
        path = find_named(geometry.file, shape.place, self.roots)
        if path not in self.meshes:
            try:
                self.meshes[path] = read_mesh(path, self.roots)
            except Error as error:
                self.meshes[path] = error
        if isinstance(found := self.meshes[path], Error):
            raise found
        scaled = np.diag([*geometry.scale, 1.0])
        return [checked_surface(surface.moved(scaled)) for surface in found]

    def _texture(self, name: str, shape: Shape, surface: Surface) -> Any:
        """The pixels of a surface's texture, the file's own or that of the shape's material; None where it has none."""
        said = "" if shape.material is None else shape.material.texture
        if surface.uv is None or (surface.image is None and not said):
            return None
        try:
            image = surface.image
            if image is None:
                image = read_bytes(find_named(said, shape.place, self.roots))
            if isinstance(image, Error):
                raise image
            if image not in self.textures:
                self.textures[image] = decoded(image)
            return self.textures[image]
        except Error as error:
            self.left_out.append(f"{name}: {error}; it is drawn in one colour")
            return None

    def _unlike(self, name: str) -> str:
        """This name, or one like it that no other piece has."""
        free, number = name, 2
        while free in self.names:
            free, number = f"{name}_{number}", number + 1
        self.names.add(free)
        return free


def _colour(shape: Shape, surface: Surface) -> Rgba:
    """What the mesh's own file says, else the model, as RViz has it."""
    said = surface.rgba or (shape.material.rgba if shape.material is not None else None)
    return (as_rgba(said) if said is not None else None) or GREY
