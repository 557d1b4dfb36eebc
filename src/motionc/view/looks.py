"""What is drawn beside a robot: frames by name, the centre of mass, directions of constraints, forces, inertia.

Each is told q, or nothing where it goes along with a link's node.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from motionc.computations import center_of_mass, forward_kinematics
from motionc.errors import Error
from motionc.geometry.lie import quaternion_from_rotation
from motionc.model.info import LinkInfo
from motionc.model.robot import Robot
from motionc.solvers.constraint import Constraint
from motionc.tables import html_table, short
from motionc.view.figure import Figure

Array = np.ndarray[Any, np.dtype[np.float64]]
MOST = 300
"""Frames that are drawn at once."""
FORCE, TURN, COM, INERTIA = (214, 69, 65), (155, 89, 182), (230, 160, 0), (60, 130, 220)
CARD = "padding: 0 0.8em 0.6em; font-size: 0.8em"
ROUND = 24
"""Sides of what is round."""


class FrameMarks:
    """Axes and names of frames, each under the node that carries it."""

    def __init__(self, figure: Figure, size: float) -> None:
        self._figure, self._size, self._nodes = figure, size, dict[str, list[Any]]()

    def show(self, names: Sequence[str]) -> None:
        """Show these frames and no others."""
        for name in [name for name in self._nodes if name not in names]:
            for node in self._nodes.pop(name):
                node.remove()
        for name in names[:MOST]:
            if name not in self._nodes:
                self._nodes[name] = self._added(name, len(self._nodes))

    def _added(self, name: str, number: int) -> list[Any]:
        path, pose = self._figure.path_of(name)
        known = sorted(self._figure.robot.frame_names).index(name)
        axes = self._figure.scene.add_frame(
            f"{path}/axes_{known}",
            axes_length=self._size,
            axes_radius=self._size / 25,
            position=pose[:3, 3],
            wxyz=quaternion_from_rotation(pose[:3, :3]),
        )
        label = self._figure.scene.add_label(f"{path}/axes_{known}/name", short(name))
        return [label, axes]


class CentreMark:
    """A ball at the centre of mass, and a line from it to the ground."""

    def __init__(self, scene: Any, robot: Robot, size: float) -> None:
        self._centre: Any = center_of_mass(robot)
        self._ball = scene.add_icosphere("/centre_of_mass", radius=size / 4, color=COM, visible=False)
        self._line = scene.add_line_segments(
            "/centre_of_mass/plumb", np.zeros((1, 2, 3)), COM, thickness=2.0, thickness_units="screen"
        )

    def show(self, shown: bool, q: Array) -> None:
        self._ball.visible = shown
        if shown:
            centre = np.asarray(self._centre(q))
            self._ball.position = centre
            self._line.points = np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, -centre[2]]]], np.float32)


class DirectionMarks:
    """An arrow along each row of constraints: forces red, turns violet."""

    def __init__(self, scene: Any, robot: Robot, constraints: Sequence[Constraint], size: float) -> None:
        self._constraints, self._size = constraints, size
        self._frames = list(dict.fromkeys(name for each in constraints for name in (each.frame, each.as_seen_by)))
        self._poses: Any = forward_kinematics(robot, self._frames)
        self._rows = [each.wrenches()[0] for each in constraints]
        self._arrows = Arrows(scene, "/constraints", size)

    def show(self, q: Array) -> None:
        pose = dict(zip(self._frames, np.asarray(self._poses(q)), strict=True))
        starts, along, colours = list[Array](), list[Array](), list[tuple[int, int, int]]()
        for each, rows in zip(self._constraints, self._rows, strict=True):
            at = (pose[each.frame] @ [*each.point, 1.0])[:3]
            axes = pose[each.as_seen_by][:3, :3]
            for row in rows.T:
                for part, colour in ((row[3:], FORCE), (row[:3], TURN)):
                    if np.any(part):
                        starts.append(at)
                        along.append(axes @ part / np.linalg.norm(part) * self._size)
                        colours.append(colour)
        self._arrows.show(np.array(starts).reshape(-1, 3), np.array(along).reshape(-1, 3), colours)


class Arrows:
    """Arrows in the world, as many as there are now."""

    def __init__(self, scene: Any, path: str, size: float) -> None:
        self._scene, self._path, self._size, self._node = scene, path, size, None

    def show(self, starts: Array, along: Array, colours: Sequence[tuple[int, int, int]]) -> None:
        """From each start along its vector; what has no length is left out."""
        long = np.linalg.norm(along, axis=1) > self._size / 100
        points = np.stack([starts, starts + along], axis=1)[long]
        if not len(points):
            if self._node is not None:
                self._node.visible = False
            return
        tints = np.array(colours, np.uint8)[long]
        if self._node is None or len(self._node.points) != len(points):
            self._node = self._scene.add_arrows(
                self._path,
                points,
                tints,
                shaft_radius=self._size / 20,
                head_radius=self._size / 9,
                head_length=self._size / 4,
            )
        else:
            self._node.points, self._node.colors, self._node.visible = points, tints, True


# ---------------------------------------------------------------- one link


def inertia_ellipsoid(link: LinkInfo) -> tuple[Array, Array] | None:
    """Semi-axes (m) and axes (3×3) of the homogeneous ellipsoid that turns as a link does; None of what has none.

    Of mass m and semi-axes a b c it has moments m (b² + c²) / 5 and so on, so a² = 5 (I_b + I_c - I_a) / (2 m).

    >>> import motionc as mc
    >>> inertia_ellipsoid(mc.load("planar2").links["base"]) is None
    True
    """
    if not link.mass:
        return None
    moments, axes = np.linalg.eigh(link.inertia)
    squares = 2.5 / link.mass * (moments.sum() - 2 * moments)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return np.sqrt(np.maximum(squares, 0.0)), axes


def ellipsoid(link: LinkInfo) -> tuple[Array, Any] | None:
    """Vertices in the link's frame and triangles of its ellipsoid of inertia."""
    found = inertia_ellipsoid(link)
    if found is None:
        return None
    sizes, axes = found
    north, around = np.meshgrid(np.linspace(0, np.pi, ROUND // 2 + 1), np.linspace(0, 2 * np.pi, ROUND + 1))
    ball = np.stack([np.sin(north) * np.cos(around), np.sin(north) * np.sin(around), np.cos(north)], -1).reshape(-1, 3)
    wide = ROUND // 2 + 1
    first = (np.arange(ROUND)[:, None] * wide + np.arange(wide - 1)).ravel()
    faces = np.concatenate(
        [np.stack([first, first + 1, first + wide], -1), np.stack([first + 1, first + wide + 1, first + wide], -1)]
    )
    return ball * np.maximum(sizes, 1e-4) @ axes.T + link.com, faces


class LinkCard:
    """What is known of the link that was clicked, and its ellipsoid of inertia."""

    def __init__(self, gui: Any, figure: Figure) -> None:
        self._figure, self._node, self.link = figure, None, ""
        hint = "Click a link to see its mass, inertia, frames and findings."
        self._card = gui.add_html(f"<div style='{CARD}'>{hint}</div>")

    @property
    def words(self) -> str:
        """The card as HTML."""
        return self._card.content

    def show(self, link: str) -> None:
        """Show this link."""
        robot = self._figure.robot
        info = robot.links[link]
        self.link, self._card.content = link, card(robot, info)
        if self._node is not None:
            self._node.remove()
            self._node = None
        shape = ellipsoid(info)
        if shape is not None:
            path, pose = self._figure.path_of(link)
            vertices = shape[0] @ pose[:3, :3].T + pose[:3, 3]
            self._node = self._figure.scene.add_mesh_simple(
                f"{path}/inertia", vertices, shape[1], color=INERTIA, opacity=0.5, cast_shadow=False
            )


def card(robot: Robot, link: LinkInfo) -> str:
    """A link in HTML: mass, centre of mass, principal moments, joint, frames, findings; every word escaped."""
    rows: list[tuple[str, object]] = [("mass", "none" if link.mass is None else f"{link.mass:.4g} kg")]
    if link.mass:
        moments = np.linalg.eigvalsh(link.inertia)
        rows += [
            ("centre of mass", f"{', '.join(f'{x:.4g}' for x in link.com)} m"),
            ("principal moments", f"{', '.join(f'{x:.3g}' for x in moments)} kg m²"),
        ]
    carrier = robot.carrier(link.name)
    rows += [("moved by", carrier or "nothing"), ("frames", ", ".join(short(name) for name in link.frames[:20]))]
    names = [f"[{name}]" for name in (link.name, carrier) if name]
    found = [
        each
        for each in robot.findings
        if link.name in (*each.place.element.split(), each.place.element)
        or any(name in each.place.element for name in names)
    ]
    told = "".join(
        f"<p><b>{escape(each.severity)} {escape(each.rule)}</b>: {escape(each.message)} {escape(each.remedy)}</p>"
        for each in found[:10]
    )
    table = html_table(short(link.name), ["", ""], rows)
    return f"<div style='{CARD}'>{table}{told or '<p>no findings</p>'}</div>"


def wanted_centre(scene: Any, robot: Robot, size: float) -> CentreMark | None:
    """The mark of a centre of mass; None of a robot without mass."""
    try:
        return CentreMark(scene, robot, size)
    except Error:
        return None
