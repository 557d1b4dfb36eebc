"""What does a task press with? Forces and moments along axes of a force frame, each within a tolerance, as data.

    z            a force along Z, with which a surface is come to (`approach`) and followed
    ax, ay, az   moments; nulled, they lay a tool flat on what it touches (`align`)

Moments are those at the force frame's origin, the bottom of a tool: friction has no arm there, and is not taken for
tilt. (specs/lazy-control.md §2.9, §2.10.)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from motionc import checked
from motionc.control.abag import Abag
from motionc.control.monitors import Elapsed, Monitor, Threshold
from motionc.control.safety import Bounds
from motionc.errors import Error
from motionc.tasks.directions import Task, move_of, stops_of
from motionc.tasks.specification import Align, Approach, Contact, Force, Hold, Moment, Path

WRENCH_ROWS = {"ax": 0, "ay": 1, "az": 2, "x": 3, "y": 4, "z": 5}
"""Directions of a force frame, and the entry of a wrench (n; f) along each."""
FORCE = Abag(filter=0.8, ignore=0.03, bias_step=1e-4, panic=0.6, gain_step=6e-4)
MOMENT = Abag(filter=0.8, ignore=0.02, bias_step=2e-5, panic=0.35, gain_step=2.5e-3, gain_range=(0.0, 0.6))
"""Controllers where nobody says otherwise; a tool is not to be turned by all that motors can at once, or an arm is soon
where its wrist is singular, and turning and pressing hold each other up."""
MOST_FORCE, MOST_MOMENT = 129.0, 80.0
"""Largest commands (N, N m): what friction of joints takes of them along Jᵀ must be less."""
DAMPING_FORCE, DAMPING_MOMENT = 5000.0, 120.0
"""Dampers along and about the axes (N s/m, N m s): a tool comes to rest on what it touches, and does not bounce."""
BACK, SETTLED, LOST = 0.5, 1.5, 0.05
"""Of a contact's force, below which it is lost; of tolerances, beyond which a tool is aligned no more; for how long (s)
a contact must be lost before it is come to anew."""


@dataclass(frozen=True)
class Forces:
    """What a task asks of forces: bands by direction, the frame whose axes they are along, what comes before."""

    frame: str = ""
    bands: Mapping[str, Force | Moment] = field(default_factory=dict[str, Force | Moment], hash=False)
    approach: Approach | None = None
    align: Align | None = None
    tangential: tuple[float, ...] = ()

    @staticmethod
    def of(task: Task) -> "Forces":
        """Those of a task; of one that asks for none, nothing."""
        move = move_of(task)
        if isinstance(move, Hold):
            return Forces()
        bands = {axis: band for axis in WRENCH_ROWS if isinstance(band := getattr(move, axis), Force | Moment)}
        if not bands:
            return Forces()
        for override in task.overrides if isinstance(task, Path) else ():
            for axis in bands:
                if override.changes.get(axis, bands[axis]) != bands[axis]:
                    raise Error(
                        f"lazy: task: section {override.section} asks for another force of {axis} than the others, and "
                        "a cycle presses alike in all sections; make them phases"
                    )
        return Forces(move.force_frame, bands, move.approach, move.align, felt_limits(task))

    def __bool__(self) -> bool:
        return bool(self.bands)

    @property
    def renews(self) -> bool:
        """Whether errors change what they mean: from a speed to a force, from no motion to a tube."""
        return bool(self.approach or self.align)

    # ---------------------------------------------------------------- controllers

    def controllers(self, given: Mapping[str, Abag]) -> dict[str, Abag]:
        """An Abag for each direction."""
        usual = {axis: FORCE if isinstance(band, Force) else MOMENT for axis, band in self.bands.items()}
        for axis, law in given.items():
            checked.instance(f"lazy: controllers: {axis}", law, Abag, "give an Abag(…)")
        return {axis: replace({**usual, **given}[axis], row=axis) for axis in self.bands}

    def maximum(self, given: Mapping[str, float]) -> dict[str, float]:
        """The largest command of each direction (N, N m)."""
        return self._numbers("maximum", given, MOST_FORCE, MOST_MOMENT, "N, N m")

    def damping(self, given: Mapping[str, float]) -> dict[str, float]:
        """The damper of each direction (N s/m, N m s)."""
        return self._numbers("damping", given, DAMPING_FORCE, DAMPING_MOMENT, "N s/m, N m s")

    def _numbers(
        self, what: str, given: Mapping[str, float], force: float, moment: float, unit: str
    ) -> dict[str, float]:
        usual = {axis: force if isinstance(band, Force) else moment for axis, band in self.bands.items()}
        return {
            axis: checked.number(
                f"lazy: {what}: {axis}",
                {**usual, **given}[axis],
                f"give a number > 0 ({unit})",
                fits=lambda most: most > 0,
            )
            for axis in self.bands
        }

    # ---------------------------------------------------------------- monitors

    def monitors(self, dt: float, noise: float) -> list[Monitor]:
        """What a machine hears of them, where the force sensor has such noise (standard deviation, N)."""
        found = list[Monitor]()
        if self.approach:
            enter = self.approach.contact
            found.append(
                Threshold(
                    "contact_z", "pressed", "above", enter, BACK * enter, otherwise="no_contact", sigma=noise, unit="N"
                )
            )
        if self.align:
            found.append(Threshold("align_done", "misaligned", "below", 1.0, SETTLED, held=self.align.held, dt=dt))
            found.append(Elapsed("align_error", self.align.timeout, dt))
        if self.tangential:
            found.append(Bounds("contact_x_y", "wrench", self.tangential, sigma=noise, unit="N m, N"))
        return found


def felt_limits(task: Task) -> tuple[float, ...]:
    """The largest forces that a task may feel, by entries of a wrench (n; f); nothing where none is said."""
    limits: list[Any] = [float("inf")] * 6
    for stop in stops_of(task, Contact):
        for axis in stop.along:
            limits[WRENCH_ROWS[axis]] = min(limits[WRENCH_ROWS[axis]], stop.force)
    return tuple(limits) if min(limits) < float("inf") else ()
