"""One signal over time beside the scene, up to now: its entries or one of them, what they follow, where they may be."""

from collections.abc import Sequence
from html import escape
from math import ceil
from typing import Any

import numpy as np

from motionc.tables import short
from motionc.view.stripes import Stripe
from motionc.view.track import Curves, Track

Array = np.ndarray[Any, np.dtype[np.float64]]
POINTS = 600
"""Of a curve; nobody sees more."""
CURVES, STRIPES = 8, 3
"""That are drawn at once."""
EVERY = "all"
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17becf")
TINTS = ("74, 154, 107", "63, 127, 196", "184, 137, 43")
"""Of bands: red, green, blue."""
BARE: dict[str, Any] = {"points": {"show": False}}
NEAR = 2.0
"""An edge is in the picture where it is no farther away than this, in spreads of what is drawn."""


class LivePlot:
    """A signal over time; which one, and which of its entries, is chosen by name."""

    def __init__(self, gui: Any, track: Track) -> None:
        self._track, self._now = track, 0.0
        self._by_label = {short(name): name for name in track.curves}
        self._choice = gui.add_dropdown("plot", tuple(self._by_label))
        self._entry = gui.add_dropdown("of", self._entries())
        data, series, bands = self._drawn()
        self._chart = gui.add_uplot(
            data, series, bands=bands, scales=self._scales(), title=self._title(), legend={"show": False}, aspect=1.5
        )
        self._words = gui.add_html(self._legend())
        self._choice.on_update(self._chosen)
        self._entry.on_update(self._renewed_by)

    @property
    def curves(self) -> Curves:
        """What is plotted."""
        return self._track.curves[self._by_label[self._choice.value]]

    @property
    def entries(self) -> list[int]:
        """Which of its entries."""
        if self._entry.value != EVERY:
            return [self._entries().index(self._entry.value) - 1]
        return list(range(min(self.curves.values.shape[1], CURVES)))

    @property
    def stripes(self) -> list[Stripe]:
        """Tolerances of what is plotted: of one entry, or those that all entries share."""
        own = [[one for one in self.curves.stripes if one.entry == entry] for entry in self.entries]
        return [one for one in own[0] if all(any(_same(one, each) for each in others) for others in own[1:])][:STRIPES]

    def choose(self, name: str, entry: str = EVERY) -> None:
        """Plot this signal, or an entry of it."""
        self._choice.value = short(name)
        self._entry.options = self._entries()
        self._entry.value = short(entry) if short(entry) in self._entries() else EVERY
        self._renew()

    def show(self, now: float) -> None:
        """Curves up to this time."""
        self._now = now
        self._chart.data = self._drawn()[0]

    # ---------------------------------------------------------------- by hand

    def _chosen(self, event: Any) -> None:
        if event.client is not None:
            self.choose(self._by_label[event.target.value])

    def _renewed_by(self, event: Any) -> None:
        if event.client is not None:
            self._renew()

    def _renew(self) -> None:
        data, series, bands = self._drawn()
        self._chart.series, self._chart.bands = series, bands
        self._chart.scales, self._chart.title = self._scales(), self._title()
        self._chart.data = data
        self._words.content = self._legend()

    # ---------------------------------------------------------------- as uPlot takes it

    def _entries(self) -> tuple[str, ...]:
        labels = self.curves.labels
        return (EVERY, *dict.fromkeys(short(label) for label in labels)) if len(labels) > 1 else (EVERY,)

    def _drawn(self) -> tuple[tuple[Array, ...], tuple[dict[str, Any], ...], tuple[dict[str, Any], ...] | None]:
        """Columns, the first is time; how each is drawn; which are edges of bands."""
        curves = self.curves
        times = curves.times - curves.times[0]
        picked = np.unique([*range(0, len(times), max(1, ceil(len(times) / POINTS))), len(times) - 1])
        past = times[picked] <= max(self._now, times[picked[1]])
        columns, series, bands = [times[picked]], list[dict[str, Any]]([{}]), list[dict[str, Any]]()
        for one, tint in zip(self.stripes, TINTS, strict=False):
            bands.append({"series": (len(columns) + 1, len(columns)), "fill": f"rgba({tint}, 0.2)"})
            for edge in one.at(curves.times[picked]):
                columns.append(np.where(np.isfinite(edge), edge, np.nan))
                series.append({"stroke": f"rgba({tint}, 0.9)", "width": 1, **BARE})
        for entry, colour in zip(self.entries, COLOURS, strict=False):
            columns.append(np.where(past, curves.values[picked, entry], np.nan))
            series.append({"stroke": colour, "width": 1.5, **BARE})
            if curves.reference is not None:
                columns.append(curves.reference[picked, entry])
                series.append({"stroke": colour, "dash": (4, 4), "width": 1, **BARE})
        return tuple(map(np.ascontiguousarray, columns)), tuple(series), tuple(bands) or None

    def _scales(self) -> dict[str, Any]:
        curves = self.curves
        shown = curves.values[:, self.entries]
        shown = shown[np.isfinite(shown)]
        low, high = (float(shown.min()), float(shown.max())) if shown.size else (0.0, 0.0)
        spread = max(high - low, 1e-9)
        near = [edge for one in self.stripes for edge in one.edges.tolist()]
        near = [edge for edge in near if low - NEAR * spread <= edge <= high + NEAR * spread]
        low, high = min([low, *near]), max([high, *near])
        room, length = max(high - low, 1e-9) / 20, max(float(curves.times[-1] - curves.times[0]), 1e-3)
        return {
            "x": {"time": False, "range": (0.0, length)},
            "y": {"range": (low - room, high + room)},
        }

    def _title(self) -> str:
        return short(self.curves.name + (f" ({self.curves.unit})" if self.curves.unit else ""))

    def _legend(self) -> str:
        """What colours mean; every word escaped."""
        labels = [(self.curves.labels[entry], COLOURS[k]) for k, entry in enumerate(self.entries)]
        words = [_word(f"background: {colour}", label) for label, colour in labels if len(self.curves.labels) > 1]
        if len(self.curves.labels) > len(labels) > 1:
            words.append(_word("", f"and {len(self.curves.labels) - len(labels)} more: choose one"))
        if self.curves.reference is not None:
            words.append(_word("border-top: 2px dashed #555; height: 0", "wanted"))
        pairs = zip(self.stripes, TINTS, strict=False)
        words += [_word(f"background: rgba({tint}, 0.35)", one.name or "band") for one, tint in pairs]
        return f"<div style='padding: 0 0.8em 0.6em; font-size: 0.75em; line-height: 1.7'>{''.join(words)}</div>"


def _word(style: str, text: str) -> str:
    box = f"<span style='display: inline-block; width: 1.1em; height: 0.7em; margin-right: 0.35em; {style}'></span>"
    return f"<span style='margin-right: 1em; white-space: nowrap'>{box if style else ''}{escape(short(text))}</span> "


def _same(one: Stripe, other: Stripe) -> bool:
    """Whether two tolerances are the same at all times."""
    alike: Sequence[tuple[Array, Array]] = ((one.times, other.times), (one.low, other.low), (one.high, other.high))
    return one.name == other.name and all(np.array_equal(a, b, equal_nan=True) for a, b in alike)
