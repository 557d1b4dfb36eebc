"""How did a lazy controller see its task? A control graph for each direction (specs/lazy-control.md §2.15), and the way
of the tool in the world.

    measured, wanted and tolerated  │  the error as its controller saw it
    low-passed signs, bias, gain    │  the command, a share of the largest

They are made of the signals that a cycle tells by name: error, command, filtered_<direction>, bias_…, gain_….
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.simulate.recording import Recording
from motionc.simulate.tubes import Course
from motionc.view.charts import Chart, Line, Panel, completed

Array = np.ndarray[Any, np.dtype[Any]]
SIGNS, STATES = "filtered_", ("filtered", "bias", "gain")
MEASURED = {"x": ("speed", 0), "y": ("position", 1), "z": ("position", 2)}
"""What is shown as measured of a direction: a signal and an entry of it."""
SAID = {"filtered": "signs, low-passed", "bias": "bias", "gain": "gain"}
ELSEWHERE = ("mode", "events", "velocity", "task_frame")
"""What timelines, ways and control graphs show in other words."""
AXES = "XYZ"
VIEWS = ((0, 2), (1, 2), (0, 1))
"""Which axes of the world a way is seen along: XZ, YZ, XY."""


def directions(told: Recording) -> list[str]:
    """The directions that have a controller, in the order of the errors."""
    return [name.removeprefix(SIGNS) for name in told.signals if name.startswith(SIGNS)]


def control_graphs(told: Recording) -> list[Chart]:
    """A chart for each direction; none where nobody tells of a lazy controller."""
    known = {name: one for name, one in told.signals.items() if len(one.times)}
    if not {"error", "command"} <= known.keys():
        return []
    found = list[Chart]()
    for k, row in enumerate(directions(told)):
        if k < known["error"].flat.shape[1]:
            panels = tuple(_panels(told, row, k))
            found.append(Chart(f"direction_{row}", f"Direction {_spelt(row)}", panels, columns=2))
    return found


def told_of(told: Recording) -> frozenset[str]:
    """The signals that need no chart of their own beside control graphs."""
    rows = directions(told)
    own = {f"{state}_{row}" for state in STATES for row in rows}
    edges = {edge for band in told.bands for edge in (band.low, band.high) if isinstance(edge, str)}
    shown = {*ELSEWHERE, "error", "command", *(MEASURED[row][0] for row in rows if row in MEASURED)}
    return frozenset({*own, *edges, *shown}) if rows else frozenset()


def _panels(told: Recording, row: str, k: int) -> Iterator[Panel]:
    signal, entry = MEASURED.get(row, ("", 0))
    if signal in told.signals:
        one = told.signals[signal]
        line = Line("", one.times, np.asarray(one.flat[:, entry], float), entry)
        yield from completed([Panel(f"{_spelt(row)}: {signal}", one.unit, (line,))], one, told)
    error, command = told.signals["error"], told.signals["command"]
    yield Panel(f"{_spelt(row)}: error", "", (Line("", error.times, np.asarray(error.flat[:, k], float)),))
    states = [(SAID[state], told.signals[f"{state}_{row}"]) for state in STATES if f"{state}_{row}" in told.signals]
    lines = tuple(Line(name, one.times, np.asarray(one.flat[:, 0], float)) for name, one in states)
    yield Panel(f"{_spelt(row)}: controller", "1", lines)
    yield Panel(f"{_spelt(row)}: command", "1", (Line("", command.times, np.asarray(command.flat[:, k], float)),))


def _spelt(row: str) -> str:
    """A direction as the formalism writes it: X, aZ."""
    return row[:-1] + row[-1].upper()


# ---------------------------------------------------------------- ways


@dataclass(frozen=True)
class View:
    """What is seen along one axis of the world: the way of a frame, and axes of tubes, (K, 2) each."""

    axes: tuple[str, str]
    way: Array
    tubes: tuple[Array, ...]


@dataclass(frozen=True)
class Ways:
    """The way of a frame through its tubes, seen along the axes of the world."""

    views: tuple[View, ...]
    title: str
    key: str = "way"
    note: str = "A dot where it begins; dashed the axes of its tubes."


def ways(courses: Sequence[Course]) -> list[Ways]:
    """The way of the first frame that has a tube; none where there is no tube."""
    return [_ways(course) for course in courses[:1]]


def _ways(course: Course) -> Ways:
    poses = course.poses[np.flatnonzero(np.any(np.diff(course.poses, axis=0, prepend=np.nan), axis=(1, 2)))]
    ends = poses[:, :3, 3]
    along = poses[0, :3, 0]
    starts = np.concatenate([ends[:1] - along * (along @ (ends[0] - course.path[0])), ends[:-1]])
    views = tuple(
        View(
            (AXES[a], AXES[b]),
            course.path[:, [a, b]],
            tuple(np.array([start, end])[:, [a, b]] for start, end in zip(starts, ends, strict=True)),
        )
        for a, b in VIEWS
    )
    return Ways(views, f"The way of {course.tube.frame} in the world")
