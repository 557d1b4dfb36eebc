"""A replay: a run as one page of HTML that plays it, with nothing beside it: no server, no network."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from motionc import checked
from motionc.model.robot import Robot
from motionc.view.drawings import drawing
from motionc.view.figure import Figure
from motionc.view.guard import close, opened
from motionc.view.scene import Forces, extent, set_scene
from motionc.view.track import Track, track
from motionc.view.tube_marks import TubeMarks
from motionc.writing import write_file

RATE = 30.0
"""Configurations a second."""
GRID = 2.0**-16
"""Of which positions (m) and quaternions are multiples: short in a file, and nobody sees it."""


def replay(
    run: Any,
    path: str | Path,
    *,
    rate: float = RATE,
    purpose: Literal["visual", "collision"] = "visual",
    roots: Iterable[str | Path] = (),
    robot: Robot | None = None,
) -> Path:
    """Write a run as one page of HTML that plays it in any browser, from a file, without a network.

    Args:
        run: a Run, or a Recording.
        path: of the page, such as "run.html".
        rate: configurations a second that it keeps.
        purpose: shapes to look at, or those to collide with.
        roots: folders that are packages of meshes, or hold some.
        robot: to draw in place of the recording's own, which has no meshes.
    """
    place = checked.path("replay: path", path, "give a path such as 'run.html'")
    page = replay_page(run, rate=rate, purpose=purpose, roots=roots, robot=robot)
    return write_file(place, page.encode())


def replay_page(
    run: Any,
    *,
    rate: float = RATE,
    purpose: Literal["visual", "collision"] = "visual",
    roots: Iterable[str | Path] = (),
    robot: Robot | None = None,
) -> str:
    """The page of a replay, as text."""
    often = checked.number("replay: rate", rate, "give configurations a second, > 0", fits=lambda value: value > 0)
    shown = run if isinstance(run, Track) else track(run, robot=robot)
    looks = drawing(shown.robot, purpose, roots)
    server, _ = opened("127.0.0.1", 0)
    try:
        figure = Figure(server.scene, looks, grid=GRID)
        size = set_scene(server, *extent(figure, shown.q[0]))
        forces = Forces(server.scene, shown, size) if shown.forces is not None else None
        tubes = TubeMarks(server.scene, shown.courses)
        film = server.get_scene_serializer()
        times = np.arange(0.0, shown.seconds + 0.5 / often, 1 / often)
        for time in times:
            k = shown.index(float(time))
            figure.place(shown.q[k])
            tubes.show(k)
            if forces:
                forces.show(k)
            film.insert_sleep(1 / often)
        return film.as_html()
    finally:
        close(server)
