"""How does a robot stand in a scene? One node a moving body, under that of its parent; welded links go along.

A joint then changes its own node alone, and of most joints just the turn: an update sends what changed, nothing else.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np

from motionc.computations import forward_kinematics
from motionc.geometry.lie import quaternions_from_rotations
from motionc.model.robot import Robot
from motionc.view.drawings import Drawing, Piece

Array = np.ndarray[Any, np.dtype[np.float64]]
Tint = tuple[float, float, float, float]

THIN = 0.3
"""Opacity of what one is to see through."""
STILL = 1e-12
"""Below which an entry of a pose has not changed."""


class Figure:
    """A robot in a scene; with a tint it is a ghost.

    Args:
        scene: of a viser server.
        drawing: what the robot looks like.
        path: where it is in the tree of the scene.
        tint: colour and opacity in place of those of its pieces.
        grid: of which numbers positions and quaternions are multiples, so that a file of them is short; 0 for all.
    """

    def __init__(
        self, scene: Any, drawing: Drawing, path: str = "/robot", *, tint: Tint | None = None, grid: float = 0.0
    ) -> None:
        self.scene, self.robot, self.drawing, self._grid = scene, drawing.robot, drawing, grid
        self._carriers, self._parents = _bodies(self.robot)
        self._kinematics = forward_kinematics(self.robot, self._carriers).build() if self._carriers else None
        self._nodes, self._paths = list[Any](), dict[int, str]({-1: path})
        scene.add_frame(path, show_axes=False)
        for k, parent in enumerate(self._parents):
            self._paths[k] = f"{self._paths[parent]}/{_plain(self._carriers[k])}_{k}"
            self._nodes.append(scene.add_frame(self._paths[k], show_axes=False))
        self._last = np.full((len(self._nodes), 4, 4), np.nan)
        self._places = self.robot.mechanism.frames
        self._body = _positions(self.robot, self._carriers)
        self.pieces = {
            (piece.link, f"{piece.name} {k}"): self._add(k, piece, tint) for k, piece in enumerate(drawing.pieces)
        }

    def place(self, q: Any) -> int:
        """Stand as q says; how many nodes that moved."""
        if self._kinematics is None:
            return 0
        poses = np.asarray(self._kinematics(q))
        frames = np.concatenate([poses, np.eye(4)[np.newaxis]])  # the last is the world, which parents call -1
        above = frames[self._parents]
        turn = np.swapaxes(above[:, :3, :3], 1, 2)
        relative = np.empty_like(poses)
        relative[:, :3, :3] = turn @ poses[:, :3, :3]
        relative[:, :3, 3] = np.squeeze(turn @ (poses[:, :3, 3] - above[:, :3, 3])[..., np.newaxis], -1)
        changed = ~(np.abs(relative[:, :3] - self._last[:, :3]) < STILL)
        turned, moved = (np.nonzero(part.any((1, 2)))[0] for part in (changed[:, :, :3], changed[:, :, 3:]))
        self._send(turned.tolist(), self._on_grid(quaternions_from_rotations(relative[turned, :3, :3])), "wxyz")
        self._send(moved.tolist(), self._on_grid(relative[moved, :3, 3]), "position")
        self._last = relative
        return len({*turned.tolist(), *moved.tolist()})

    def _send(self, bodies: list[int], values: Array, part: Literal["wxyz", "position"]) -> None:
        """Tell the page. viser's own setters compare each number again, and wake its thread for every one."""
        from viser import _messages as messages

        message: Any = messages.SetOrientationMessage if part == "wxyz" else messages.SetPositionMessage
        with self.scene._websock_interface.atomic():
            for k, value in zip(bodies, values.tolist(), strict=True):
                state = self._nodes[k]._impl
                getattr(state, part)[:] = value
                self.scene._queue_scene_message(message(state.name, tuple(value)))

    def path_of(self, frame: str) -> tuple[str, Array]:
        """The node that carries a frame, and the frame's pose in it (4×4)."""
        body, pose = self._fixed(frame)
        return self._paths[body], pose

    def on_click(self, told: Callable[[str], None]) -> None:
        """Call `told` with the name of the link that was clicked."""
        for (link, _), node in self.pieces.items():
            node.on_click(_telling(told, link))

    def see_through(self, links: Iterable[str]) -> None:
        """Let one see through these links, and through no others."""
        seen = {*links}
        for number, ((link, _), node) in enumerate(self.pieces.items()):
            if hasattr(node, "opacity"):
                own = self.drawing.pieces[number].rgba[3]
                node.opacity = THIN if link in seen else None if own >= 1 else own

    # ---------------------------------------------------------------- pieces

    def _fixed(self, frame: str) -> tuple[int, Array]:
        index, pose = self._places[frame]
        body = self._body[index]
        carrier = np.eye(4) if body < 0 else _matrix(self._places[self._carriers[body]][1])
        return body, np.linalg.inv(carrier) @ _matrix(pose)

    def _add(self, number: int, piece: Piece, tint: Tint | None) -> Any:
        body, pose = self._fixed(piece.link)
        path = f"{self._paths[body]}/{_plain(piece.name)}_{number}"
        vertices = np.asarray(piece.vertices) @ pose[:3, :3].T + pose[:3, 3]
        if piece.texture is not None and piece.uv is not None and tint is None:
            return self.scene.add_mesh_trimesh(path, _textured(vertices, piece))
        *colour, opacity = piece.rgba if tint is None else tint
        return self.scene.add_mesh_simple(
            path,
            vertices,
            np.asarray(piece.triangles),
            color=tuple(round(255 * min(max(part, 0.0), 1.0)) for part in colour),
            opacity=None if opacity >= 1 else opacity,
            flat_shading=len(piece.triangles) <= 12,
            cast_shadow=tint is None,
        )

    def _on_grid(self, values: Array) -> Array:
        return np.round(values / self._grid) * self._grid if self._grid else values


def _telling(told: Callable[[str], None], link: str) -> Callable[[Any], None]:
    def clicked(_: Any) -> None:
        told(link)

    return clicked


def _bodies(robot: Robot) -> tuple[list[str], list[int]]:
    """A link of each moving body that has one, and the number of the one above it; -1 is the world."""
    mechanism, link_of = robot.mechanism, dict[int, str]()
    for link in robot.link_names:
        link_of.setdefault(mechanism.frames[link][0], link)
    link_of.pop(-1, None)
    number = {body: k for k, body in enumerate(sorted(link_of))}
    parents = list[int]()
    for body in sorted(link_of):
        above = mechanism.bodies[body].parent
        while above >= 0 and above not in number:
            above = mechanism.bodies[above].parent
        parents.append(number.get(above, -1))
    return [link_of[body] for body in sorted(link_of)], parents


def _positions(robot: Robot, carriers: Iterable[str]) -> dict[int, int]:
    """By body of the mechanism, the number of its node."""
    return {-1: -1, **{robot.mechanism.frames[link][0]: k for k, link in enumerate(carriers)}}


def _matrix(pose: Any) -> Array:
    return np.asarray(pose.matrix, float)


def _plain(name: str) -> str:
    """A name as a part of a path: strangers' letters have no say there."""
    return "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "_" for letter in name[:60]
    )


def _textured(vertices: Array, piece: Piece) -> Any:
    import trimesh
    from PIL import Image

    visuals: Any = trimesh.visual  # pyright: ignore[reportAttributeAccessIssue]
    opaque = bool(np.all(piece.texture[..., 3] == 255))
    image = Image.fromarray(piece.texture[..., :3] if opaque else piece.texture)
    if opaque:
        image.format = "JPEG"  # trimesh writes it so: ten times as fast as PNG, and nobody sees the difference
    material = visuals.material.PBRMaterial(baseColorTexture=image, metallicFactor=0.0, roughnessFactor=0.9)
    visual = visuals.TextureVisuals(uv=piece.uv, material=material)
    return trimesh.Trimesh(vertices, piece.triangles, visual=visual, process=False)
