"""Timelines as plots, by matplotlib: a row for what was on when, one for marks."""

from typing import Any

from motionc.tables import short
from motionc.view.charts import Timeline

WIDTH, ROW, HEAD = 9.6, 0.36, 0.26
"""Inches of a timeline, of a row, of a legend above them."""
LETTER = 0.008
"""How wide a letter is, as a share of a timeline."""
LONGEST = 26
"""Letters of a name."""
CROWDED = 8
"""Laps of a row beyond which names that do not fit are told above it."""
LINES = ("#1f5fa8", "#d9822b", "#3c8d5a", "#8a4fa3", "#b23a48", "#2a9aa3", "#7a6a4f", "#5a6acf")
MARK = "#c8442f"


def laid_out(figure_of: Any, chart: Timeline, span: tuple[float, float]) -> Any:
    """The figure."""
    rows, untold = len(chart.rows) + bool(chart.marks), _untold(chart, span)
    room = HEAD if untold else 0.0
    figure = figure_of(figsize=(WIDTH, 0.55 + ROW * rows + 0.1 + room))
    axes = figure.subplots()
    whole = figure.get_size_inches()[1]
    figure.subplots_adjust(left=0.065, right=0.98, bottom=0.42 / whole, top=1 - (0.08 + room) / whole)
    start, end = span
    share = LETTER * (end - start)
    colours = _colours(chart)
    for row, (_, laps) in enumerate(chart.rows):
        for lap in laps:
            first, last, colour = max(lap.start, start), min(lap.end, end), colours[lap.name]
            axes.barh(row, last - first, left=first, height=0.66, color=colour, alpha=0.22, linewidth=0)
            axes.plot([first, first], [row - 0.33, row + 0.33], color=colour, linewidth=1.4)
            # inside where it fits, else behind it, or before it at the end of the row; or above a crowd
            said = short(lap.name, LONGEST)
            inside, late = last - first > len(said) * share, last + len(said) * share > end
            if not inside and len(laps) > CROWDED:
                continue
            at = first if inside else first if late else last
            side = "right" if late and not inside else "left"
            axes.text(at + (-share if side == "right" else share), row, said, va="center", ha=side, fontsize=7.5)
    free = start - 1.0
    for time, name in sorted(chart.marks):
        axes.plot([time], [len(chart.rows)], marker="D", markersize=3.6, color=MARK, linewidth=0)
        said = short(name, LONGEST)
        if time > free:
            axes.text(time + share, len(chart.rows), said, va="center", fontsize=7.5)
            free = time + (len(said) + 2) * share
    axes.set_xlim(start, end)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.set_yticks(range(rows), [short(name, 16) for name, _ in chart.rows] + ["marks"] * bool(chart.marks))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("time (s)", fontsize=7.5, labelpad=2)
    if untold:
        _legend(figure, {short(name, LONGEST): colours[name] for name in untold})
    return figure


def _colours(chart: Timeline) -> dict[str, str]:
    """A colour for each name."""
    names = dict.fromkeys(lap.name for _, laps in chart.rows for lap in laps)
    return {name: LINES[k % len(LINES)] for k, name in enumerate(names)}


def _untold(chart: Timeline, span: tuple[float, float]) -> list[str]:
    """Names in crowded rows that some lap is too short for."""
    share = LETTER * (span[1] - span[0])
    crowds = [laps for _, laps in chart.rows if len(laps) > CROWDED]
    tight = (
        lap.name for laps in crowds for lap in laps if lap.end - lap.start <= len(short(lap.name, LONGEST)) * share
    )
    return list(dict.fromkeys(tight))


def _legend(figure: Any, colours: dict[str, str]) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(color=colour, alpha=0.35, linewidth=0) for colour in colours.values()]
    figure.legend(handles, list(colours), loc="upper right", ncols=len(colours), borderaxespad=0.2, columnspacing=1.4)
