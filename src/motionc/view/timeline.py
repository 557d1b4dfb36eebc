"""Time in the viewer: play, pause, scrub, marks, modes, and plots that grow as time passes."""

from collections.abc import Callable, Sequence
from html import escape
from math import ceil
from threading import Event, Lock, Thread
from time import perf_counter
from typing import Any

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.tables import short
from motionc.view.charts import Lap
from motionc.view.live_plot import EVERY, LivePlot
from motionc.view.track import Track

RATE = 30
"""Configurations a second, while it plays."""
PLOTTED = 5
"""Of which every so manieth also draws the plot."""
SPEEDS = {"¼ ×": 0.25, "1 ×": 1.0, "4 ×": 4.0}
TINTS = ("#9ec5e8", "#f3c58b", "#a8d5b5", "#d3b5e0", "#e8a9a9", "#a6d8dc", "#cfc6b4", "#b7bdeb")
"""Of what is on."""
INSIDE = "overflow: hidden; white-space: nowrap; box-sizing: border-box; padding-left: 0.2em"
MOST, NEAR = 20, 0.25
"""Marks of the slider; how near to each other no two have names, as a share of its length."""


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
        self._begun = 0  # how often somebody said play
        seconds = max(track.seconds, 1e-3)
        marks = apart(track.marks, float(track.times[0]), seconds)
        self._button = gui.add_button("play")
        self._speed = gui.add_dropdown("speed", tuple(SPEEDS), initial_value="1 ×")
        self._slider = gui.add_slider(
            "time", min=0.0, max=ceil(seconds * 1000) / 1000, step=0.001, initial_value=0.0, marks=marks or None
        )
        self._bars = [gui.add_html(bar(row, track, 0.0)) for row in track.rows]
        self._plot = LivePlot(gui, track) if track.curves else None
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
        self._begun += 1
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

    def plot(self, name: str, entry: str = EVERY) -> None:
        """Plot a signal, or one of its entries, by name."""
        if self._plot is None or name not in self.track.curves:
            raise Error(f"there is no signal {checked.shown(name)} to plot{suggestion(str(name), self.track.curves)}")
        self._plot.choose(name, entry)

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
            for shown, row in zip(self._bars, self.track.rows, strict=True):
                content = bar(row, self.track, self.time)
                if shown.content != content:
                    shown.content = content

    def _run(self) -> None:
        while not self._end.is_set():
            self._playing.wait()
            begin, start, turn = perf_counter(), self.time, 0
            speed, begun = SPEEDS[self._speed.value], self._begun
            while self._playing.is_set() and not self._end.is_set():
                if SPEEDS[self._speed.value] != speed or self._begun != begun:
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


def apart(marks: Sequence[tuple[float, str]], start: float, seconds: float) -> tuple[Any, ...]:
    """Marks of a slider, since its start; those too near to the last name have none."""
    found, free = list[Any](), -1.0
    for time, name in marks[:MOST]:
        at = round(min(max(time - start, 0.0), seconds), 3)
        found.append((at, short(name, 12)) if at > free else at)
        free = at + NEAR * seconds if at > free else free
    return tuple(found)


def bar(row: tuple[str, Sequence[Lap]], track: Track, now: float) -> str:
    """What was on when, as a bar over time, and what is on now; every word escaped."""
    name, laps = row
    start, whole = float(track.times[0]), max(track.seconds, 1e-3)
    names, parts, on = list(dict.fromkeys(lap.name for lap in laps)), list[str](), ""
    for lap in laps:
        begin, end = (min(max(time - start, 0.0), whole) for time in (lap.start, lap.end))
        place = f"left: {100 * begin / whole:.2f}%; width: {100 * (end - begin) / whole:.2f}%"
        look = f"position: absolute; {place}; background: {TINTS[names.index(lap.name) % len(TINTS)]}; {INSIDE}"
        words = escape(short(lap.name, 16)) if name else "&nbsp;"
        parts.append(f"<div style='{look}' title='{escape(lap.name, quote=True)}'>{words}</div>")
        on = lap.name if lap.start <= now + start < lap.end or (lap is laps[-1] and end == whole <= now) else on
    said = f"<b>{escape(short(on) or 'none')}</b>" if name else "<b>on</b>" if on else "off"
    head = f"{escape(short(name or names[0]))}: {said}"
    boxes = f"<div style='position: relative; height: 1.5em; background: #f1f3f5'>{''.join(parts)}</div>"
    return f"<div style='padding: 0 0.8em 0.5em; font-size: 0.75em'>{head}{boxes}</div>"
