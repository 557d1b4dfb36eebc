"""What is plotted of a run: charts of small panels, as data. How they are drawn is plotting.py's matter.

A joint is a panel; of one with several coordinates, those of one unit are. Limits, references and bands go where the
signal is that they are about.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from motionc.model.robot import Robot
from motionc.simulate.declarations import Band
from motionc.simulate.recording import Recording
from motionc.simulate.signals import HUGE, Signal
from motionc.view.stripes import Stripe, stripe

Array = np.ndarray[Any, np.dtype[np.float64]]

MOST_PANELS = 48
"""Of a chart; what is left out is counted."""
MOST_LINES = 8
"""Of a panel about which nothing is known but its numbers."""
END = "end of "
"""How a mark begins that ends what another one began."""


@dataclass(frozen=True)
class Line:
    """Numbers over time (s), an entry of a signal; a reference is what they should be."""

    name: str
    times: Array
    values: Array
    entry: int = 0
    reference: bool = False

    @property
    def drawn(self) -> Array:
        """Values without what nobody can draw: NaN instead."""
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(self.values) < HUGE, self.values, np.nan)


@dataclass(frozen=True)
class Panel:
    """Lines of one unit, the limits of what they show, tolerance bands; `several` where it is part of a joint."""

    title: str
    unit: str
    lines: tuple[Line, ...]
    low: float = -inf
    high: float = inf
    stripes: tuple[Stripe, ...] = ()
    several: bool = False

    @property
    def limited(self) -> bool:
        """Whether there are limits at all."""
        return self.low > -inf or self.high < inf

    @property
    def finite(self) -> Array:
        """All values that can be drawn."""
        drawn = [line.drawn for line in self.lines]
        return np.concatenate([np.zeros(0), *(each[np.isfinite(each)] for each in drawn)])


@dataclass(frozen=True)
class Chart:
    """Panels about one thing: a key for its file, a heading, a sentence below it; so many beside each other."""

    key: str
    title: str
    panels: tuple[Panel, ...]
    note: str = ""
    columns: int = 3


@dataclass(frozen=True)
class Lap:
    """A name for a time: a mode, a push."""

    name: str
    start: float
    end: float


@dataclass(frozen=True)
class Timeline:
    """Rows of laps by name, and marks, each at its time."""

    rows: tuple[tuple[str, tuple[Lap, ...]], ...]
    marks: tuple[tuple[float, str], ...]
    key: str = "timeline"
    title: str = "Timeline"
    note: str = ""


def charts(
    told: Recording, robot: Robot | None, derived: Sequence[Signal] = (), shown: frozenset[str] = frozenset()
) -> list[Chart]:
    """All charts of a recording, the known ones first; `derived` are signals that were computed from others, `shown`
    those that are drawn elsewhere.
    """
    signals = {name: one for name, one in told.signals.items() if len(one.times)} | {one.name: one for one in derived}
    aims = {each.signal for each in told.references if each.of in signals}
    made = list[Chart]()
    for name, (key, title, panels) in KNOWN.items():
        if name in signals:
            found = completed(panels(signals[name], robot), signals[name], told)
            several = [panel for panel in found if panel.several]
            joints = dict.fromkeys(panel.title.partition(":")[0] for panel in several)
            named = f"{title}: {', '.join(joints)}" if len(joints) == 1 else f"{title}: joints of several coordinates"
            made.append(charted(f"{key}_several", named, several))
            made.append(charted(key, title, [panel for panel in found if not panel.several]))
    rest = [one for name, one in signals.items() if name not in {*aims, *KNOWN, *DRAWN, *shown}]
    made.append(charted("signals", "Other signals", [p for one in rest for p in completed(_plain(one), one, told)]))
    return [chart for chart in made if chart.panels]


def charted(key: str, title: str, panels: Sequence[Panel]) -> Chart:
    """A chart of as many panels as anybody looks at."""
    left = len(panels) - MOST_PANELS
    note = f"The first {MOST_PANELS} of {len(panels)}; the other {left} are not drawn." if left > 0 else ""
    return Chart(key, title, tuple(panels[:MOST_PANELS]), note)


def span(told: Recording) -> tuple[float, float]:
    """From when to when something was recorded (s); from 0 where it began with the first step."""
    ends = [(one.times[0], one.times[-1]) for one in told.signals.values() if len(one.times)]
    start, end = (float(min(a for a, _ in ends)), float(max(b for _, b in ends))) if ends else (0.0, 0.0)
    return (0.0 if start <= 0.05 * end else start), end


# ---------------------------------------------------------------- what was on when


def timeline(told: Recording) -> Timeline | None:
    """Modes, what marks begin and end, and other marks; nothing where there is none of them."""
    end = span(told)[1]
    rows = [(mode.machine, tuple(_laps(mode.times, mode.names, end))) for mode in told.modes]
    laps, alone, waiting = dict[str, list[Lap]](), list[tuple[float, str]](), sorted(told.marks, key=lambda m: m.time)
    while waiting:
        mark = waiting.pop(0)
        close = next((one for one in waiting if one.name == END + mark.name), None)
        if close is None:
            alone.append((mark.time, mark.name))
        else:
            waiting.remove(close)
            laps.setdefault(mark.name, []).append(Lap(mark.name, mark.time, close.time))
    rows += [("", tuple(several)) for several in laps.values()]
    return Timeline(tuple(rows), tuple(alone)) if rows or alone else None


def _laps(times: Sequence[float], names: Sequence[str], end: float) -> Iterator[Lap]:
    first = [k for k, name in enumerate(names) if k == 0 or names[k - 1] != name]
    for k, after in zip(first, [*first[1:], None], strict=True):
        yield Lap(names[k], float(times[k]), end if after is None else float(times[after]))


# ---------------------------------------------------------------- what should have been


def completed(panels: Sequence[Panel], signal: Signal, told: Recording) -> list[Panel]:
    """Panels of a signal, with its references and bands."""
    aims = [told.signals[one.signal] for one in told.references if one.of == signal.name and one.signal in told.signals]
    bands = [band for band in told.bands if band.signal == signal.name]
    return [
        replace(
            panel,
            lines=(*panel.lines, *(line for aim in aims for line in _aims(panel, aim))),
            stripes=(*panel.stripes, *(stripe for band in bands for stripe in _stripes(panel, band, told))),
        )
        for panel in panels
    ]


def _aims(panel: Panel, aim: Signal) -> Iterator[Line]:
    """What a panel's lines should be; the last of it holds to their end."""
    rows = np.asarray(aim.values, float).reshape(len(aim.times), -1)
    for line in panel.lines:
        if len(rows) and line.entry < rows.shape[1]:
            end = max(line.times[-1], aim.times[-1])
            values = rows[:, line.entry]
            yield Line(aim.name, np.append(aim.times, end), np.append(values, values[-1]), line.entry, reference=True)


def _stripes(panel: Panel, band: Band, told: Recording) -> Iterator[Stripe]:
    """A band where a panel shows what it is about; limits of the robot are the panel's own."""
    for line in panel.lines:
        found = stripe(band, line.entry, told)
        if found is not None and not (np.all(found.low == panel.low) and np.all(found.high == panel.high)):
            yield found


# ---------------------------------------------------------------- panels of signals


def _positions(signal: Signal, robot: Robot | None) -> list[Panel]:
    if robot is None or signal.values.shape[1:] != (robot.nq,):
        return _plain(signal)
    found = list[Panel]()
    for name, space in zip(robot.joint_names, robot.spaces(), strict=True):
        kind = space.type
        units = [_unit(kind, *one) for one in zip(kind.coordinates, kind.bounds, strict=True)]
        for unit in dict.fromkeys(units):
            entries = [k for k, one in enumerate(units) if one == unit]
            bound = kind.bounds[entries[0]] if len(entries) == 1 else None
            limits = (-inf, inf)
            if bound is not None:
                at = space.v.start + bound
                limits = float(robot.limits.lower[at]), float(robot.limits.upper[at])
            found.append(_joint(signal, name, kind.coordinates, entries, space.q.start, unit, limits))
    return found


def _unit(kind: Any, word: str, bound: int | None) -> str:
    """Of a coordinate: quaternions have none."""
    if word in ("qx", "qy", "qz", "qw"):
        return "1"
    return "rad" if bound is not None and kind.turns[bound] else "m"


def _rates(units: tuple[str, str], limit: str) -> Any:
    """Panels of what has an entry for each entry of v: units of those that turn and of those that slide."""

    def panels(signal: Signal, robot: Robot | None) -> list[Panel]:
        if robot is None or signal.values.shape[1:] != (robot.nv,):
            return _plain(signal)
        most = np.asarray(getattr(robot.limits, limit), float)
        most, found = np.where(most > 0, most, inf), list[Panel]()
        for name, space in zip(robot.joint_names, robot.spaces(), strict=True):
            for turning, unit in zip((True, False), units, strict=True):
                entries = [k for k, turns in enumerate(space.type.turns) if turns is turning]
                rows = signal.values[:, [space.v.start + k for k in entries]]
                if not entries or (len(entries) > 1 and limit == "effort" and not np.any(rows)):
                    continue  # a base has no motor
                least = float(min(most[space.v.start + k] for k in entries))
                limits = (-least, least)
                found.append(_joint(signal, name, space.type.rates, entries, space.v.start, unit, limits))
        return found

    return panels


def _joint(
    signal: Signal,
    name: str,
    words: Sequence[str],
    entries: Sequence[int],
    start: int,
    unit: str,
    limits: tuple[float, float],
) -> Panel:
    """Some entries of a joint, which have words where the joint has several."""
    own = [words[k] for k in entries] if len(words) > 1 else [""]
    lines = (
        Line(word, signal.times, np.asarray(signal.values[:, start + k], float), start + k)
        for word, k in zip(own, entries, strict=True)
    )
    title = f"{name}: {', '.join(own)}" if len(words) > 1 else name
    return Panel(title, unit, tuple(lines), *limits, several=len(words) > 1)


def _forces(signal: Signal, _: Robot | None) -> list[Panel]:
    """A contact each: world axes."""
    if signal.values.ndim != 3 or signal.values.shape[2] != 3:
        return _plain(signal)
    rows, labels = signal.values.reshape(len(signal.times), -1), _labels(signal)
    found = list[Panel]()
    for k in range(0, rows.shape[1], 3):
        lines = [Line(a, signal.times, np.asarray(rows[:, k + i], float), k + i) for i, a in enumerate("xyz")]
        found.append(Panel(labels[k].removesuffix("x").rstrip(" .,:"), signal.unit, tuple(lines)))
    return found


def _plain(signal: Signal, _: Robot | None = None) -> list[Panel]:
    """Any signal: a panel for a number, for few of them, or for each."""
    rows, labels = np.asarray(signal.values, float).reshape(len(signal.times), -1), _labels(signal)
    lines = [Line(label, signal.times, rows[:, k], k) for k, label in enumerate(labels)]
    if len(lines) == 1:
        return [Panel(signal.name, signal.unit, (replace(lines[0], name=""),))]
    if len(lines) <= MOST_LINES and signal.name not in BY_ENTRY:
        return [Panel(signal.name, signal.unit, tuple(lines))]
    return [Panel(f"{signal.name}: {line.name}", signal.unit, (replace(line, name=""),)) for line in lines]


def _labels(signal: Signal) -> list[str]:
    shape = signal.values.shape[1:]
    count = int(np.prod(shape, dtype=int))
    labels = [str(label) for label in signal.labels]
    return labels if len(labels) == count else [",".join(map(str, place)) for place in np.ndindex(*shape)]


KNOWN: dict[str, tuple[str, str, Any]] = {
    "q": ("positions", "Joint positions", _positions),
    "v": ("velocities", "Joint velocities", _rates(("rad/s", "m/s"), "velocity")),
    "motor_force": ("motor_forces", "Motor forces", _rates(("N m", "N"), "effort")),
    "tau": ("joint_forces", "Joint forces", _rates(("N m", "N"), "effort")),
    "contact_force": ("contact_forces", "Contact forces", _forces),
    "gap": ("gaps", "Gaps", _plain),
    "energy": ("energy", "Energy", _plain),
}
"""Signal → key and heading of its chart, and what makes its panels, in the order of a report."""
DRAWN = ("contact_point",)
"""Signals that are drawn in the scene, and that nobody reads as lines."""
BY_ENTRY = ("q", "v", "motor_force", "tau", "contact_force")
"""Signals whose entries are drawn apart, however few they are."""
