"""Checks of a run, each with its verdict: those that somebody asks for, and those that limits and bands ask for."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np

from motionc import checked
from motionc.view.charts import Chart, Panel

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
            yield from _nearest(LIMITED[chart.key], [(one, None, one.low, one.high) for one in limited])
        for name in dict.fromkeys(stripe.name for panel in chart.panels for stripe in panel.stripes):
            found = [(panel, stripe) for panel in chart.panels for stripe in panel.stripes if stripe.name == name]
            edges = [(panel, one.entry, one.low, one.high) for panel, one in found]
            yield from _nearest(f"{chart.title.lower()} within {name or 'the band'}", edges)


def _nearest(name: str, edges: Sequence[tuple[Panel, int | None, float, float]]) -> Iterator[Check]:
    """The one of these with the least room; of an entry of a panel, or of all."""
    found = list[tuple[float, Check]]()
    for panel, entry, low, high in edges:
        lines = [one.values for one in panel.lines if not one.reference and entry in (None, one.entry)]
        values = np.concatenate([np.zeros(0), *lines])
        if not values.size:
            continue
        unit = "" if panel.unit == "1" else panel.unit
        scale = (high - low) / 2 if math.isfinite(high - low) else max(abs(high if high < math.inf else low), CLOSE)
        sides: list[tuple[float, float, Side]] = [
            (float(values.min()), low, "least"),
            (float(values.max()), high, "most"),
        ]
        for value, limit, at in sides:
            if not math.isfinite(limit):
                continue
            room = (limit - value if at == "most" else value - limit) / max(scale, CLOSE)
            value = limit if abs(room) < CLOSE else value
            room = room if math.isfinite(room) else -math.inf
            found.append((room, Check(name, value, limit, unit=unit, at=at, beside=panel.title)))
    if found:
        yield min(found, key=lambda one: one[0])[1]
