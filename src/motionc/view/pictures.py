"""What does a robot look like in a configuration? A picture, by NumPy alone: no browser, no graphics card.

The same robot and configuration give the same bytes, on every run. Several configurations become panels of a strip, or
ghosts of the last one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from motionc import checked, notices
from motionc.computations import forward_kinematics
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.view.camera import FROM, Camera, View, bounds, framing, looking
from motionc.view.drawings import GREY, Drawing, drawing
from motionc.view.faces import Faces, faces
from motionc.view.floor import ground_below
from motionc.view.lettering import drawn, strokes, width
from motionc.view.paint import eight_bits, painted
from motionc.view.png import png
from motionc.view.skeleton import skeleton
from motionc.writing import write_file

Array = np.ndarray[Any, np.dtype[Any]]

LARGEST = 4096
"""Pixels of a side of a picture."""
FARTHEST = 1e9
"""How far from the origin something may be drawn (m)."""
PANELS = 24
"""Configurations on a picture."""
GAP = 4
"""Pixels between panels."""
GHOST = 0.30
"""How opaque ghosts are."""
STEADY = 2.0**26
"""Lengths are rounded to 1/STEADY m (15 nm): the last bits of poses, which differ among machines, do not count."""
COLOURS = ((0.88, 0.87, 0.84), (0.29, 0.33, 0.39), (0.93, 0.52, 0.16), (0.36, 0.55, 0.72))
"""Of links, in turn, where a model says no colour at all."""
AXES = ((0.84, 0.16, 0.16), (0.13, 0.58, 0.24), (0.14, 0.36, 0.85))
INK, PAPER = (0.13, 0.16, 0.21), (1.0, 1.0, 1.0)


def picture(
    robot: Robot,
    q: Any,
    path: str | Path,
    *,
    size: Sequence[int] = (900, 600),
    camera: Camera | Sequence[float] | None = None,
    purpose: Literal["visual", "collision"] = "visual",
    frames: str | Iterable[str] = (),
    captions: str | Iterable[str] = (),
    ghosts: bool = False,
    ground: float | None = None,
    colours: int = 256,
    roots: Iterable[str | Path] = (),
) -> Path:
    """A picture of a robot as a PNG file, in one configuration or in several: a strip of panels, or ghosts.

    What cannot be drawn, such as a mesh that is not found, is left out with a warning that names it. A robot without
    shapes is drawn as a skeleton: capsules between its joints.

    Args:
        robot: the robot.
        q: a configuration, or several.
        path: of the file, a .png.
        size: width and height of the whole picture, in pixels.
        camera: the direction (x, y, z) from which one looks, as far away as everything is in view; or a Camera.
        purpose: shapes to look at, or those to collide with.
        frames: names of frames to draw, x red, y green, z blue.
        captions: words below each panel, or below the picture.
        ghosts: all configurations on one picture, the last one solid, instead of panels.
        ground: height of the floor (m); at 0, or below the robot where it does not stand there, if nothing is said.
        colours: of the file at most, from 8 to 256; fewer make it smaller.
        roots: folders that are packages of meshes, or hold some.

    >>> import motionc as mc
    >>> robot = mc.load("planar2")
    >>> from tempfile import mkdtemp
    >>> mc.view.picture(robot, [0.3, 0.9], f"{mkdtemp()}/arm.png", size=(90, 60)).name
    'arm.png'
    """
    checked.instance("picture: robot", robot, Robot, "give a Robot, such as mc.load(…)")
    given = np.asarray(robot.configuration(q))
    instants = given[None] if given.ndim == 1 else given
    if given.ndim > 2 or not 1 <= len(instants) <= PANELS:
        raise Error(f"picture: q has shape {given.shape}; give one configuration, or 1 to {PANELS} of them in rows")
    file = checked.path("picture: path", path, "give the path of a .png file")
    if file.suffix.lower() != ".png":
        raise checked.refusal("picture: path", str(file), "pictures are PNG files; give a name that ends in .png")
    whole_width, wide, high = _size(size, len(instants), ghosts=checked.flag("picture: ghosts", ghosts))
    named = checked.names("picture: frames", frames, "give names of frames")
    words = checked.names("picture: captions", captions, "give words for each panel")
    if words and len(words) != (1 if ghosts else len(instants)):
        raise Error(f"picture: captions has {len(words)} entries; give one for each panel")
    floor = (
        None
        if ground is None
        else checked.number(
            "picture: ground", ground, "give a height in metres, up to 1e9", fits=lambda z: abs(z) <= FARTHEST
        )
    )
    few = checked.whole("picture: colours", colours, 8)
    if few > 256:
        raise checked.refusal("picture: colours", colours, "give a whole number from 8 to 256")

    drawn_of = _coloured(drawing(robot, purpose, roots))
    scenes = _placed(drawn_of, instants)
    everything = np.concatenate([scene.corners.reshape(-1, 3) for scene in scenes])
    if not np.all(np.abs(bounds(everything)) <= FARTHEST):
        raise Error(f"picture: q puts {robot.name} farther than {FARTHEST:g} m away; give one nearer to the origin")
    axes = _frames(robot, named, instants)
    floor = ground_below(*bounds(everything)) if floor is None else floor
    view = _view(camera, everything, wide, high)
    if ghosts:
        panels = [_panel(scenes, view, wide, high, floor, axes[-1], named)]
    else:
        panels = [_panel([s], view, wide, high, floor, a, named) for s, a in zip(scenes, axes, strict=True)]
    for panel, caption in zip(panels, words, strict=False):
        _caption(panel, caption)
    gap = np.ones((high, GAP, 3))
    whole = np.concatenate([part for panel in panels for part in (gap, panel)][1:], axis=1)[:, :whole_width]
    if drawn_of.left_out:
        notices.warn(f"{robot.name}: left out of the picture: {_listed(drawn_of.left_out)}")
    return write_file(file, png(eight_bits(whole), few))


# ---------------------------------------------------------------- what there is


def _coloured(shapes: Drawing) -> Drawing:
    """The drawing; a skeleton where there is nothing, and colours for links where the model has none."""
    if not any(len(piece.triangles) for piece in shapes.pieces):
        return replace(shapes, pieces=skeleton(shapes.robot))
    if any(piece.rgba != GREY or piece.texture is not None for piece in shapes.pieces):
        return shapes
    colour = {link: (*COLOURS[k % len(COLOURS)], 1.0) for k, link in enumerate(shapes.links)}
    return replace(shapes, pieces=tuple(replace(piece, rgba=colour[piece.link]) for piece in shapes.pieces))


def _placed(shapes: Drawing, instants: Array) -> list[Faces]:
    """Its triangles in the world, at every instant."""
    own = [
        faces(_steady(piece.vertices), piece.triangles, piece.rgba, piece.uv, piece.texture) for piece in shapes.pieces
    ]
    number = {link: k for k, link in enumerate(shapes.links)}
    scenes = list[Faces]()
    for poses in (_steady(shapes.place(q)) for q in instants):
        pairs = zip(shapes.pieces, own, strict=True)
        scenes.append(Faces.together(each.placed(poses[number[piece.link]]) for piece, each in pairs))
    return scenes


def _steady(lengths: Any) -> Array:
    return np.rint(np.asarray(lengths, float) * STEADY) / STEADY


def _frames(robot: Robot, names: tuple[str, ...], instants: Array) -> list[Array]:
    """Poses of frames at every instant."""
    if not names:
        return [np.zeros((0, 4, 4))] * len(instants)
    where = forward_kinematics(robot, list(names))
    return [_steady(where(q)) for q in instants]


# ---------------------------------------------------------------- what is seen


def _size(size: Any, count: int, *, ghosts: bool) -> tuple[int, int, int]:
    """How wide the picture is, how wide a panel, how high both."""
    wanted = f"give width and height, whole numbers from 16 to {LARGEST}"
    both = checked.several("picture: size", size, wanted)
    if len(both) != 2:
        raise checked.refusal("picture: size", size, wanted)
    wide, high = (checked.whole("picture: size", each, 16, wanted) for each in both)
    panel = wide if ghosts else -((GAP * (count - 1) - wide) // count)
    if max(wide, high) > LARGEST or panel < 16:
        raise checked.refusal("picture: size", size, f"{wanted}; a panel is 16 wide at least")
    return wide, panel, high


def _view(camera: Any, points: Array, wide: int, high: int) -> View:
    if isinstance(camera, Camera):
        return looking(camera, wide, high)
    wanted = "give the direction x, y, z from which one looks, or a Camera"
    direction = FROM if camera is None else checked.numbers("picture: camera", camera, wanted, (3,))
    if not np.any(direction):
        raise checked.refusal("picture: camera", camera, wanted)
    return framing(points, tuple(map(float, direction)), wide, high)


def _panel(
    scenes: Sequence[Faces], view: View, wide: int, high: int, floor: float, axes: Array, names: tuple[str, ...]
) -> Array:
    """One panel: the last scene solid, those before it as ghosts, frames on top."""
    last = scenes[-1]
    opaque = last.colours[:, 3] >= 0.999
    layers = [(last.of(np.flatnonzero(opaque)), 1.0), (last.of(np.flatnonzero(~opaque)), 1.0)]
    layers[1:1] = [(ghost, GHOST) for ghost in scenes[:-1]]
    panel = painted(layers, view, wide, high, floor)
    low, high_corner = bounds(last.corners)
    long = 0.12 * float((high_corner - low).max())
    for pose, name in zip(axes, names, strict=True):
        _draw_frame(panel, view, pose, name, long)
    return panel


def _draw_frame(panel: Array, view: View, pose: Array, name: str, long: float) -> None:
    """Three axes, the farthest first, and the frame's name beside its origin."""
    tips = pose[:3, 3] + long * pose[:3, :3].T
    x, y, _ = at = view.corners(pose[:3, 3])
    ends = view.corners(tips)
    if not np.isfinite([*at, *ends.reshape(-1)]).all():
        return
    fine = max(1.2, min(panel.shape[:2]) / 450)
    for k in sorted(range(3), key=lambda k: float(ends[k, 2])):
        line = (float(x), float(y), float(ends[k, 0]), float(ends[k, 1]))
        drawn(panel, [line], 2.0 * fine, PAPER, 0.75)
        drawn(panel, [line], 1.1 * fine, AXES[k])
    _write(panel, name, float(x) + 7 * fine, float(y) + 6 * fine, 1.25 * fine)


def _caption(panel: Array, words: str) -> None:
    high, wide, _ = panel.shape
    dot = max(0.9, min(2.0, min(high, wide) / 260, 0.9 * wide / max(width(words, 1.0), 1.0)))
    _write(panel, words, (wide - width(words, dot)) / 2, high - 14 * dot, dot)


def _write(panel: Array, words: str, x: float, y: float, dot: float) -> None:
    high, wide, _ = panel.shape
    x = max(2 * dot, min(x, wide - width(words, dot) - 3 * dot))
    letters = strokes(words, x, max(2 * dot, min(y, high - 10 * dot)), dot)
    drawn(panel, letters, 1.6 * dot, PAPER, 0.8)
    drawn(panel, letters, 0.42 * dot, INK)


def _listed(sentences: Sequence[str]) -> str:
    rest = len(sentences) - 3
    return "; ".join(sentences[:3]) + (f"; and {rest} more" if rest > 0 else "")
