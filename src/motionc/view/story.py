"""What a report is about: a recording, its robot, and, where it was made here just now, the run with its plant.

What follows from them is computed here: gaps, energy, what judges say, what happened by the clock.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from motionc import checked
from motionc.computations import energy as energy_of
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.simulate import judges
from motionc.simulate.recording import Recording
from motionc.simulate.runs import Run
from motionc.simulate.signals import Signal, calm_rows
from motionc.simulate.tubes import Course, courses
from motionc.sweeps.problem import STANDARD_GRAVITY
from motionc.tables import few, short
from motionc.view.charts import span

Array = np.ndarray[Any, np.dtype[Any]]
WANTED = "give what a closed loop returned, or a mc.simulate.Recording"
MM = 1e3
MOST = 30
"""Signals that a summary lists."""

JUDGED = {
    "deepest": ("deepest in what it touches", "mm", MM),
    "depth_at_rest": ("in what it touches at the end", "mm", MM),
    "creep": ("contacts creep at the end", "mm/s", MM),
    "weight_carried": ("contacts carry of the weight", "%", 100.0),
    "speed_at_end": ("fastest coordinate at the end", "rad/s, m/s", 1.0),
    "energy_change": ("energy change", "J", 1.0),
    "largest_force": ("largest motor force", "N m, N", 1.0),
}
"""What judges say: in words, its unit, and how many of it are one of SI."""


@dataclass(frozen=True)
class Judgement:
    """A number of this run in words; of many lanes also the median and the largest."""

    words: str
    value: float
    unit: str
    others: tuple[float, float] | None = None
    beside: str = ""


@dataclass(frozen=True)
class Story:
    """A recording, and the run it is of, if that is at hand."""

    recording: Recording
    run: Run | None = None
    lane: int = 0

    @cached_property
    def robot(self) -> Robot | None:
        """The robot, where it is known and can be read."""
        if self.run is not None:
            return self.run.plant.robot
        try:
            return self.recording.robot()
        except Error:
            return None

    @property
    def configurations(self) -> Signal | None:
        """q, where it was recorded and is that of the robot."""
        q = self.recording.signals.get("q")
        fits = q is not None and self.robot is not None and q.values.shape[1:] == (self.robot.nq,) and len(q.times)
        return q if fits else None

    @cached_property
    def span(self) -> tuple[float, float]:
        return span(self.recording)

    @cached_property
    def diverged(self) -> float | None:
        """When numbers stopped being numbers (s); None where they never did."""
        if self.run is not None and not bool(self._own(self.run.finite)):
            return float(self._own(self.run.turns)) * self.recording.dt
        broken = [
            float(one.times[np.argmax(wrong)])
            for one in self.recording.signals.values()
            if np.any(wrong := ~np.all(np.abs(one.values.reshape(len(one.times), -1)) < inf, axis=1))
        ]
        return min(broken, default=None)

    def _own(self, values: Any) -> Any:
        """Of this lane."""
        return np.asarray(values)[self.lane] if self.run is not None and self.run.many else values

    # ---------------------------------------------------------------- what follows

    @cached_property
    def courses(self) -> list[Course]:
        """How frames went through the tubes that were declared."""
        return [] if self.robot is None else courses(self.recording, self.robot)

    @cached_property
    def derived(self) -> list[Signal]:
        """Gaps and energy, where what they need was recorded and they were not."""
        return [*self._gaps(), *self._energy()]

    def _gaps(self) -> Iterator[Signal]:
        signals = self.recording.signals
        if self.run is None or not self.run.plant.contacts or "q" not in signals or "gap" in signals:
            return
        q = signals["q"]
        fine = calm_rows(q.values)
        if fine.any():
            found = self.run.plant.gaps(np.asarray(q.values, float)[fine]) * MM
            gaps = np.full((len(q.times), found.shape[1]), np.nan)
            gaps[fine] = found
            names = self.contacts if len(self.contacts) == found.shape[1] else ()
            yield Signal("gap", q.times, gaps, "mm", names, "from what contacts may touch")

    def _energy(self) -> Iterator[Signal]:
        robot, signals = self.robot, self.recording.signals
        if robot is None or not {"q", "v"} <= signals.keys() or "energy" in signals:
            return
        q, v = signals["q"], signals["v"]
        sizes = q.values.shape[1:], v.values.shape[1:]
        if sizes != ((robot.nq,), (robot.nv,)) or not np.array_equal(q.times, v.times):
            return
        gravity = STANDARD_GRAVITY if self.run is None else self.run.plant.gravity
        fine, rows = calm_rows(q.values) & calm_rows(v.values), np.full((len(q.times), 3), np.nan)
        if fine.any():
            parts = energy_of(robot, gravity=gravity).batch(q.values[fine].astype(float), v.values[fine].astype(float))
            rows[fine] = np.stack([parts.kinetic, parts.potential, parts.kinetic + parts.potential], axis=-1)
            rows[:, 1:] -= rows[np.argmax(fine), 1]
        yield Signal("energy", q.times, rows, "J", ("kinetic", "potential", "both"), "potential is 0 at the start")

    @property
    def contacts(self) -> tuple[str, ...]:
        """How contacts are called."""
        return tuple(one.name or one.frame for one in self.run.plant.contacts) if self.run is not None else ()

    @cached_property
    def judgements(self) -> list[Judgement]:
        """What judges say of the run; nothing where it diverged or is not at hand."""
        if self.run is None or self.diverged is not None or not self.recording.signals:
            return []
        with np.errstate(all="ignore"):
            said = judges.judged(self.run)
        return [self._judged(name, said[name]) for name in JUDGED if name in said]

    def _judged(self, name: str, values: Any) -> Judgement:
        (words, unit, each), beside = JUDGED[name], ""
        lanes = np.asarray(values, float)
        if name == "largest_force" and self.robot is not None:
            beside = str(self.robot.limits.names[int(np.argmax(self._own(lanes)))])
            lanes = lanes.max(axis=-1)
        lanes = lanes * each
        others = (float(np.nanmedian(lanes)), float(np.nanmax(lanes))) if lanes.ndim else None
        return Judgement(words, float(self._own(lanes)), unit, others, beside)

    # ---------------------------------------------------------------- in words

    @property
    def notes(self) -> list[str]:
        """What is wrong with a file, what is to be feared of gains."""
        return [*self.recording.notes, *(self.run.notes if self.run is not None else ())]

    @property
    def title(self) -> str:
        return self.robot.name if self.robot is not None else "a recording"

    def summary(self) -> Iterator[tuple[str, str]]:
        """Robot, plant, how long, which versions: names and what they are."""
        told, (start, end) = self.recording, self.span
        if self.robot is not None:
            mass = sum(link.mass or 0.0 for link in self.robot.links)
            base = "floating" if self.robot.floating else "fixed to the world"
            count = len(self.robot.joint_names)
            yield "robot", f"{self.robot.name}: {count} joints, {self.robot.nv} coordinates, {mass:.4g} kg, {base}"
        if self.run is not None:
            yield "plant", self._plant(self.run.plant)
        if told.dt:
            yield "time step", f"{told.dt * MM:.6g} ms"
        yield "recorded", f"{end - start:.6g} s, from {start:.6g} to {end:.6g} s"
        logged = [f"{short(one.name)} ({_rows(len(one.times))})" for one in told.signals.values()]
        yield "signals", ", ".join(logged[:MOST]) + f" and {len(logged) - MOST} more" * (len(logged) > MOST)
        if self.run is not None and self.run.many:
            yield "lane", f"{self.lane} of {len(np.asarray(self.run.finite))}, counted from 0"
        yield "seed", str(told.seed)
        if told.task:
            yield "task", str(told.task)
        for name, version in told.versions.items():
            yield f"version of {name}", str(version)

    def _plant(self, plant: Any) -> str:
        parts = [f"{type(plant).__name__}, {plant.method.replace('_', '-')} steps"]
        parts.append(f"{len(plant.contacts)} contacts ({few(dict.fromkeys(self.contacts))})" if plant.contacts else "")
        parts.append(f"friction {plant.friction}" if plant.friction != "none" else "")
        parts.append("stops at limits" if plant.limits else "")
        sensors = few(type(one).__name__ for one in plant.sensors)
        parts.append(f"sensors {sensors}" if sensors else "")
        return ", ".join(part for part in parts if part)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def story(what: Any, lane: int = 0) -> Story:
    """A run or a recording as what a report is about."""
    number = checked.whole("report: lane", lane, 0, "say which lane, counted from 0")
    if not isinstance(what, Recording):
        checked.instance("report: what", what, Run, WANTED)
    lanes = len(np.asarray(what.finite)) if isinstance(what, Run) and what.many else 1
    if number >= lanes:
        raise Error(f"report: lane={number}; the run has {lanes}, counted from 0")
    return Story(what) if isinstance(what, Recording) else Story(Recording.of(what, number), what, number)
