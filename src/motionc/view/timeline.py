"""Time in the viewer: play, pause, scrub, marks, and plots that grow as time passes."""

from collections.abc import Callable
from math import ceil
from threading import Event, Lock, Thread
from time import perf_counter
from typing import Any

import numpy as np

from motionc.tables import short
from motionc.view.track import CURVES, Curves, Track

Array = np.ndarray[Any, np.dtype[np.float64]]
RATE = 30
"""Configurations a second, while it plays."""
PLOTTED = 5
"""Of which every so manieth also draws the plot."""
POINTS = 600
"""Of a curve; nobody sees more."""
SPEEDS = {"¼ ×": 0.25, "1 ×": 1.0, "4 ×": 4.0}
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17becf")
BAND = "rgba(120, 120, 120, 0.25)"


class Timeline:
    """What a user does with time; `shown` is called with the number of the configuration to show.

    Args:
        gui: of a viser server.
        track: what is played.
        shown: called with the number of a configuration.
    """

    def __init__(self, gui: Any, track: Track, shown: Callable[[int], None]) -> None:
        self.track, self._shown, self._lock = track, shown, Lock()
        self._k, self._end, self._playing = 0, Event(), Event()
        seconds = max(track.seconds, 1e-3)
        marks = tuple((round(time - float(track.times[0]), 3), short(name, 12)) for time, name in track.marks[:20])
        self._button = gui.add_button("play")
        self._speed = gui.add_dropdown("speed", tuple(SPEEDS), initial_value="1 ×")
        self._slider = gui.add_slider(
            "time", min=0.0, max=ceil(seconds * 1000) / 1000, step=0.001, initial_value=0.0, marks=marks or None
        )
        self._plot = Plot(gui, track) if track.curves else None
        self._button.on_click(self._pressed)
        self._slider.on_update(self._scrubbed)
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def time(self) -> float:
        """Seconds since the first configuration."""
        return float(self.track.times[self._k] - self.track.times[0])

    @property
    def playing(self) -> bool:
        return self._playing.is_set()

    def play(self) -> None:
        """Go on from here; from the start where it has ended."""
        if self._k >= len(self.track.times) - 1:
            self.scrub(0.0)
        self._button.label = "pause"
        self._playing.set()

    def pause(self) -> None:
        self._playing.clear()
        self._button.label = "play"

    def scrub(self, time: float) -> None:
        """Show the configuration nearest to a time, and stand still there."""
        self.pause()
        self._show(self.track.index(time))
        if self._plot:
            self._plot.show(self.time)

    def close(self) -> None:
        self._end.set()
        self._playing.set()
        self._thread.join(2)

    def _pressed(self, _: Any) -> None:
        if self.playing:
            self.pause()
        else:
            self.play()

    def _scrubbed(self, event: Any) -> None:
        if event.client is not None:
            self.scrub(float(event.target.value))

    def _show(self, k: int) -> None:
        with self._lock:
            self._k = k
            self._shown(k)
            self._slider.value = round(self.time, 3)

    def _run(self) -> None:
        while not self._end.is_set():
            self._playing.wait()
            begin, start, turn = perf_counter(), self.time, 0
            speed = SPEEDS[self._speed.value]
            while self._playing.is_set() and not self._end.is_set():
                if SPEEDS[self._speed.value] != speed:
                    break
                now = start + speed * (perf_counter() - begin)
                self._show(self.track.index(min(now, self.track.seconds)))
                turn += 1
                if self._plot and turn % PLOTTED == 0:
                    self._plot.show(self.time)
                if now >= self.track.seconds:
                    self.pause()
                    if self._plot:
                        self._plot.show(self.time)
                self._end.wait(1 / RATE)


class Plot:
    """One signal over time, up to now, with its bands; which one is chosen by name."""

    def __init__(self, gui: Any, track: Track) -> None:
        self._track, self._now = track, 0.0
        names = tuple(track.curves)
        self._by_label = {short(name): name for name in names}
        self._choice = gui.add_dropdown("plot", tuple(self._by_label))
        self._chart = gui.add_uplot(*self._data(track.curves[names[0]]), **self._frame(track.curves[names[0]]))
        self._choice.on_update(self._chosen)

    def _chosen(self, event: Any) -> None:
        if event.client is not None:
            self.choose(self._by_label[event.target.value])

    def choose(self, name: str) -> None:
        """Plot this signal."""
        self._choice.value = short(name)
        curves = self._track.curves[name]
        frame = self._frame(curves)
        data, series = self._data(curves)
        self._chart.series, self._chart.bands = series, frame["bands"]
        self._chart.scales, self._chart.title = frame["scales"], frame["title"]
        self._chart.data = data
        self.show(self._now)

    def show(self, now: float) -> None:
        """Curves up to this time."""
        self._now = now
        curves = self._track.curves[self._by_label[self._choice.value]]
        self._chart.data, _ = self._data(curves)

    def _data(self, curves: Curves) -> tuple[tuple[Array, ...], tuple[dict[str, Any], ...]]:
        """What uPlot takes: columns, the first is time, and how each is drawn."""
        times = curves.times - curves.times[0]
        every = max(1, ceil(len(times) / POINTS))
        until = max(2, int(np.searchsorted(times, self._now, side="right")))
        picked = np.arange(0, until, every)
        columns, series = [times[picked]], list[dict[str, Any]]([{"label": "s"}])
        for k in range(min(curves.values.shape[1], CURVES)):
            colour = COLOURS[k % len(COLOURS)]
            columns.append(curves.values[picked, k])
            series.append({"label": short(curves.labels[k], 16), "stroke": colour, "width": 1.5})
            if curves.reference is not None:
                columns.append(curves.reference[picked, k])
                series.append({"label": f"{short(curves.labels[k], 12)}, wanted", "stroke": colour, "dash": (4, 4)})
        for low, high, name in curves.bands:
            for end in (high, low):
                columns.append(np.full(len(picked), end))
                series.append({"label": short(name, 16), "stroke": BAND, "width": 1})
        return tuple(map(np.ascontiguousarray, columns)), tuple(series)

    def _frame(self, curves: Curves) -> dict[str, Any]:
        shown = curves.values[:, :CURVES]
        shown = shown[np.isfinite(shown)]
        low, high = (float(shown.min()), float(shown.max())) if shown.size else (0.0, 0.0)
        room = max(high - low, 1e-9) / 20
        first = 1 + min(curves.values.shape[1], CURVES) * (1 if curves.reference is None else 2)
        bands = tuple({"series": (first + 2 * k, first + 2 * k + 1), "fill": BAND} for k in range(len(curves.bands)))
        length = max(float(curves.times[-1] - curves.times[0]), 1e-3)
        return {
            "title": short(curves.name + (f" ({curves.unit})" if curves.unit else "")),
            "scales": {
                "x": {"time": False, "auto": False, "min": 0.0, "max": length},
                "y": {"auto": False, "min": low - room, "max": high + room},
            },
            "bands": bands or None,
            "aspect": 1.4,
        }
