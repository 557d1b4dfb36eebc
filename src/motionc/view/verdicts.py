"""Checks of a run, each with its verdict: those that somebody asks for, and those that limits and bands ask for."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np

from motionc import checked
from motionc.view.charts import Chart, Panel
from motionc.view.stripes import Stripe

Array = np.ndarray[Any, np.dtype[np.float64]]
Side = Literal["most", "least"]
ASKED = 'give ("no slip", True), ("creep", 0.1, 1.0), or mc.view.Check("creep", 0.1, 1.0, unit="mm/s")'


@dataclass(frozen=True)
class Check:
    """A check with its verdict: yes or no, or a number that is at most, or at least, its limit.

    >>> Check("feet creep", 0.2, 1.0, unit="mm/s").passed, Check("stands", False).passed
    (True, False)

    Args:
        name: what is checked.
        value: yes or no, or a number; one that is not finite never passes.
        limit: of the number.
        unit: of both.
        at: whether the limit is what the number is at "most", or at "least".
        beside: what else is to be said, such as which joint it was.
    """

    name: str
    value: Any
    limit: float | None = None
    _: KW_ONLY
    unit: str = ""
    at: Side = "most"
    beside: str = ""

    def __post_init__(self) -> None:
        keep = object.__setattr__
        what = f"Check {checked.name('Check: name', self.name, 'say what is checked')}"
        for word in ("unit", "beside"):
            checked.name(f"{what}: {word}", getattr(self, word), "give words", empty=True)
        checked.one_of(f"{what}: at", self.at, ("most", "least"))
        if isinstance(self.value, bool | np.bool_):
            keep(self, "value", bool(self.value))
            if self.limit is not None:
                raise checked.refusal(f"{what}: limit", self.limit, "yes and no have none; give a number as value")
            return
        if self.limit is None:
            raise checked.refusal(f"{what}: value", self.value, "give True or False, or a number and its limit")
        keep(self, "value", _number(f"{what}: value", self.value))
        keep(self, "limit", checked.number(f"{what}: limit", self.limit, "give a finite number"))

    @property
    def passed(self) -> bool:
        if self.limit is None:
            return bool(self.value)
        if not math.isfinite(self.value):
            return False
        return self.value <= self.limit if self.at == "most" else self.value >= self.limit


def _number(what: str, value: Any) -> float:
    """Any number, also one that is not finite."""
    if isinstance(value, float | np.floating) and not math.isfinite(value):
        return float(value)
    return checked.number(what, value, "give a number")


def understood(checks: Any) -> list[Check]:
    """What somebody asked for: checks, or pairs and triples that mean them."""
    return [_understood(one) for one in checked.several("report: checks", checks, ASKED, Check)]


def _understood(one: Any) -> Check:
    if isinstance(one, Check):
        return one
    if not isinstance(one, tuple | list) or len(one) not in (2, 3):
        raise checked.refusal("report: checks", one, ASKED)
    return Check(*one)


# ---------------------------------------------------------------- what limits and bands ask


LIMITED = {
    "positions": "positions within limits",
    "velocities": "velocities within limits",
    "motor_forces": "motor forces within limits",
    "joint_forces": "joint forces within limits",
}
"""Charts whose panels have limits, and what that asks."""
CLOSE = 1e-6
"""Share of a range by which a stop may give way."""


def of_limits(charts: list[Chart]) -> Iterator[Check]:
    """For each chart with limits, and for each band, the line that comes nearest to its limit or is farthest beyond."""
    for chart in charts:
        if chart.key in LIMITED:
            limited = [panel for panel in chart.panels if panel.limited]
            walls = [(one, _always(one.low, one.high, line.entry)) for one in limited for line in one.lines]
            yield from _kept(LIMITED[chart.key], walls)
        for name in dict.fromkeys(one.name for panel in chart.panels for one in panel.stripes if one.judged):
            found = [(panel, stripe) for panel in chart.panels for stripe in panel.stripes if stripe.name == name]
            yield from _kept(f"{chart.title.lower()} within {name or 'the band'}", found)


def _always(low: float, high: float, entry: int) -> Stripe:
    return Stripe("", entry, np.zeros(1), np.array([low]), np.array([high]))


def _kept(name: str, walls: Sequence[tuple[Panel, Stripe]]) -> Iterator[Check]:
    """Of tolerances of one name the one with the least room; of those that need not always hold, the least share."""
    found = list[tuple[float, Check]]()
    for panel, stripe in walls:
        for line in panel.lines:
            if line.reference or line.entry != stripe.entry or not len(line.times):
                continue
            low, high = stripe.at(line.times)
            holds = ~(np.isnan(low) & np.isnan(high))
            if holds.any():
                values, low, high = line.values[holds], low[holds], high[holds]
                rule = _often if stripe.share < 1 else _nearest
                found.append(rule(name, panel, values, low, high, stripe.share))
    if found:
        yield min(found, key=lambda one: one[0])[1]


def _often(name: str, panel: Panel, values: Array, low: Array, high: Array, share: float) -> tuple[float, Check]:
    """How much of the time values are inside, and the check of that."""
    inside = float(np.mean((values >= low) & (values <= high)))
    check = Check(f"{name}, share of the time", inside, share, at="least", beside=panel.title)
    return inside - share, check


def _nearest(name: str, panel: Panel, values: Array, low: Array, high: Array, _: float) -> tuple[float, Check]:
    """The least room to an edge, as a share of the width there, and the check of that."""
    found = list[tuple[float, Check]]()
    sides: tuple[tuple[Array, Side], ...] = ((low, "least"), (high, "most"))
    for edge, at in sides:
        rows = np.isfinite(edge)
        if not rows.any():
            continue
        other = (high if at == "least" else low)[rows]
        value, limit = values[rows], edge[rows]
        width = np.where(np.isfinite(other), np.abs(other - limit) / 2, np.maximum(np.abs(limit), CLOSE))
        room = (limit - value if at == "most" else value - limit) / np.maximum(width, CLOSE)
        room = np.where(np.isfinite(room), room, -math.inf)
        worst = int(np.argmin(room))
        nearest = limit[worst] if abs(room[worst]) < CLOSE else value[worst]
        unit = "" if panel.unit == "1" else panel.unit
        check = Check(name, float(nearest), float(limit[worst]), unit=unit, at=at, beside=panel.title)
        found.append((float(room[worst]), check))
    return min(found, key=lambda one: one[0], default=(math.inf, Check(name, True, beside=panel.title)))
