"""How well were tubes kept? How far from their axes frames were, with the walls beside them, and what is checked."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from motionc.simulate.tubes import Course
from motionc.view.charts import Chart, Line, Panel, charted
from motionc.view.stripes import Stripe
from motionc.view.verdicts import Check

Array = np.ndarray[Any, np.dtype[Any]]
MM = 1e3


def tube_charts(courses: Sequence[Course]) -> list[Chart]:
    """The chart of all tubes, a panel for each of their directions; none where there are none."""
    panels = [panel for course in courses for panel in _panels(course)]
    return [charted("tubes", "Tubes", panels)] if panels else []


def _panels(course: Course) -> Iterator[Panel]:
    """Along Y and Z, or from the axis (mm), while the tube holds."""
    tube, across = course.tube, course.across
    if tube.round:
        yield _panel(course, tube.called, np.linalg.norm(across, axis=1), 0.0, tube.width)
        return
    for axis, values, width in zip("YZ", across.T, tube.width, strict=True):
        yield _panel(course, f"{tube.called}, {axis}", values, -width, width)


def _panel(course: Course, title: str, values: Array, low: float, high: float) -> Panel:
    holds = course.holds
    line = Line("", course.times, MM * np.where(holds, values, np.nan))
    if not np.isfinite(high):
        return Panel(title, "mm", (line,))
    changes = np.flatnonzero(np.diff(holds, prepend=~holds[0]))
    lower, upper = (np.where(holds[changes], MM * edge, np.nan) for edge in (low, high))
    walls = Stripe("inside", 0, course.times[changes], lower, upper, judged=False)
    return Panel(title, "mm", (line,), stripes=(walls,))


def of_tubes(courses: Sequence[Course]) -> Iterator[Check]:
    """Whether each tube was kept since it was entered."""
    for course in courses:
        name, entry = f"{course.tube.frame} stays in {course.tube.called}", course.entry
        if entry is None:
            yield Check(name, False, beside="it never was inside" if course.holds.any() else "the tube never held")
            continue
        rows = np.flatnonzero(course.holds)
        farthest = float(course.beyond[rows[rows >= entry]].max())
        beside = f"inside from {course.times[entry]:.3g} s on"
        if course.left.any():
            beside += f", left at {course.times[np.argmax(course.left)]:.3g} s"
        yield Check(f"{name}: beyond its walls", MM * farthest, 0.0, unit="mm", beside=beside)
