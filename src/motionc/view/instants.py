"""The robot in a run: how it stood at the start, half-way and at the end, beside each other; and a replay of it all."""

import warnings
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from motionc.errors import Error
from motionc.view.pictures import picture
from motionc.view.replays import replay_page
from motionc.view.story import Story

FARTHEST = 1e4
"""rad, m: beyond which a robot that diverged is no picture."""
SIZE = (1140, 380)
"""Pixels of the strip."""
COLOURS = 96
"""Of the file: shades of a few colours need no more."""


def instants(about: Story) -> tuple[bytes, str, list[str]] | None:
    """A strip as PNG, what it shows, and what it leaves out; None where no configuration of a robot is known."""
    q = about.configurations
    if about.robot is None or q is None:
        return None
    known = np.flatnonzero(np.all(np.abs(q.values) < FARTHEST, axis=1))
    if not known.size:
        return None
    rows = known[np.unique([0, known.size // 2, known.size - 1])]
    times = [f"{q.times[row]:.3g} s" for row in rows]
    with TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        file = Path(folder) / "instants.png"
        try:
            picture(about.robot, np.asarray(q.values[rows], float), file, size=SIZE, captions=times, colours=COLOURS)
        except Error as error:
            return b"", "", [f"No picture: {error}."]
        return file.read_bytes(), f"{about.robot.name} at {', '.join(times)}", [str(one.message) for one in heard]


def replayed(about: Story, wanted: bool | None) -> str | None:
    """The page of a replay; where nobody says, if viser is installed. None where nothing moves, or numbers ended."""
    if wanted is False or (wanted is None and find_spec("viser") is None):
        return None
    q = about.configurations
    if about.robot is None or q is None or len(q.times) < 2 or about.diverged is not None:
        return None
    return replay_page(about.recording, robot=about.robot)
