"""Charts as SVG and PNG, by matplotlib: small multiples over one axis of time, the same bytes every time.

Nothing of a user's own settings counts, names are never read as formulas, and no file says when it was made.
"""

import io
import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import ceil, isfinite
from typing import Any, Literal

import numpy as np

from motionc.errors import Error
from motionc.tables import short
from motionc.view import timeline_plots, way_plots
from motionc.view.charts import Chart, Line, Panel, Timeline
from motionc.view.task_charts import Ways

Array = np.ndarray[Any, np.dtype[np.float64]]
Form = Literal["svg", "png"]
Drawable = Chart | Timeline | Ways

WIDTH = 9.6
"""Inches of a chart; all lengths below too."""
COLUMNS, HEIGHT, WIDE = 3, 1.5, 2.0
"""Panels side by side, at most; how high one is, of fewer."""
HEAD, FOOT, LEGEND = 0.27, 0.42, 0.24
"""Room above panels, below, and for a legend."""
POINTS, FEWEST, DENSEST = 9_000, 60, 200
"""Of a chart; at least, and at most, in how many pieces of time a line is told by its least and its most."""
LONGEST = 26
"""Letters of a panel's title."""
MOST_WORDS = 9
"""Of a legend."""
SMALLEST, SHARE = 1e-6, 1e-4
"""Half the range of an axis at least: in its unit, and as a share of what limits allow."""
FINEST = 0.04
"""The range of an axis as a share of the widest in its chart, at least."""
INK, GREY, RED = "#1c2733", "#5c6975", "#c8442f"
BANDS = ("#4a9a6b", "#3f7fc4", "#b8892b", "#8a5fb0")
AIM: dict[str, Any] = {"color": INK, "linewidth": 0.9, "linestyle": (0, (4, 2.5))}
LINES = ("#1f5fa8", "#d9822b", "#3c8d5a", "#8a4fa3", "#b23a48", "#2a9aa3", "#7a6a4f", "#5a6acf")
SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "path.simplify": True,
    "path.simplify_threshold": 0.4,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Helvetica", "Arial"],
    "font.size": 8.0,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": "#a8b2ba",
    "axes.labelcolor": GREY,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.titlepad": 5.0,
    "axes.unicode_minus": True,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.limits": (-5, 6),
    "grid.color": "#eceff1",
    "grid.linewidth": 0.6,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}


def drawn(chart: Drawable, span: tuple[float, float], marks: Sequence[float] = (), form: Form = "svg") -> bytes:
    """A chart as a file's bytes: over this span of time (s), with a fine line at each mark."""
    with _settings(chart.key) as figure_of:
        if isinstance(chart, Timeline):
            figure = timeline_plots.laid_out(figure_of, chart, _opened(*span))
        elif isinstance(chart, Ways):
            figure = way_plots.laid_out(figure_of, chart)
        else:
            figure = _panels(figure_of, chart, span, marks)
        file = io.BytesIO()
        nobody = dict.fromkeys(("Date", "Creator", "Format", "Type")) if form == "svg" else {"Software": None}
        figure.savefig(file, format=form, dpi=160, metadata=nobody)
    return file.getvalue()


@contextmanager
def _settings(key: str) -> Generator[Any]:
    """matplotlib's Figure under our settings alone."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise Error('plots are drawn by matplotlib, which is not installed; pip install "motionc[report]"') from None
    with mpl.rc_context():
        mpl.rcdefaults()
        for name, value in {**SETTINGS, "svg.hashsalt": f"motionc {key}"}.items():
            mpl.rcParams[name] = value  # pyright: ignore[reportArgumentType]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # letters that no font here has: who reads an SVG may have one
            yield Figure


# ---------------------------------------------------------------- panels


def _panels(figure_of: Any, chart: Chart, span: tuple[float, float], marks: Sequence[float]) -> Any:
    columns = min(chart.columns, len(chart.panels))
    rows, height = ceil(len(chart.panels) / columns), HEIGHT if columns == COLUMNS else WIDE
    colours, tints, legend = _colours(chart), _tints(chart), _legend(chart)
    room = LEGEND if legend else 0.0
    whole = rows * height + FOOT + room
    figure = figure_of(figsize=(WIDTH, whole))
    lines = sum(len(panel.lines) for panel in chart.panels)
    pieces = int(np.clip(POINTS // (2 * max(lines, 1)), FEWEST, DENSEST * COLUMNS // columns))
    places = figure.subplots(rows, columns, sharex=True, squeeze=False)
    ranges = _ranges(chart.panels)
    for k, axes in enumerate(places.flat):
        if k >= len(chart.panels):
            axes.set_visible(False)
            continue
        _panel(axes, chart.panels[k], ranges[k], span, marks, colours, tints, pieces)
        if k + columns >= len(chart.panels):
            axes.set_xlabel("time (s)", fontsize=7.5, labelpad=2)
            axes.tick_params(labelbottom=True)
    figure.subplots_adjust(0.065, FOOT / whole, 0.98, 1 - (HEAD + room) / whole, wspace=0.27, hspace=0.5)
    if legend:
        names, handles = list(legend), list(legend.values())
        figure.legend(handles, names, loc="upper right", ncols=len(names), borderaxespad=0.2, columnspacing=1.4)
    return figure


def _panel(
    axes: Any,
    panel: Panel,
    shown: tuple[float, float],
    span: tuple[float, float],
    marks: Sequence[float],
    colours: Mapping[str, str],
    tints: Mapping[str, str],
    pieces: int,
) -> None:
    low, high = shown
    axes.set_xlim(*_opened(*span))
    axes.set_ylim(low, high)
    # limits, bands, marks, then lines above them
    for stripe in panel.stripes:
        tint = tints[stripe.name]
        times = np.append(stripe.times, max(span[1], stripe.times[-1]))
        held = np.repeat(times, 2)[1:-1]  # from each time to the next: a step that is alone has a width, too
        walls = (np.repeat(np.clip(edge, low, high), 2) for edge in (stripe.low, stripe.high))
        axes.fill_between(held, *walls, color=tint, alpha=0.16, linewidth=0, zorder=1)
    for edge, beyond in ((panel.low, low), (panel.high, high)):
        if low < edge < high:
            axes.axhspan(min(edge, beyond), max(edge, beyond), color=RED, alpha=0.10, linewidth=0, zorder=0.9)
            axes.axhline(edge, color=RED, linewidth=0.7, zorder=1.1)
    for mark in marks:
        axes.axvline(mark, color=GREY, linewidth=0.7, linestyle=(0, (1, 2)), zorder=1.2)
    for line in panel.lines:
        style = AIM if line.reference else {"color": colours[line.name]}
        axes.plot(*envelope(line, pieces), zorder=3 if line.reference else 2.5, **style)
    axes.set_title(short(panel.title, LONGEST), fontweight="bold")
    beside = _beside(panel, low, high)
    axes.text(1, 1.045, beside, transform=axes.transAxes, ha="right", va="bottom", fontsize=7, color=GREY)
    axes.locator_params(axis="y", nbins=4)
    axes.locator_params(axis="x", nbins=6)


def _colours(chart: Chart) -> dict[str, str]:
    """A colour for each word in a chart."""
    found = dict.fromkeys(line.name for panel in chart.panels for line in panel.lines if not line.reference)
    return {name: LINES[k % len(LINES)] for k, name in enumerate(found)}


def _tints(chart: Chart) -> dict[str, str]:
    """A colour for each name of a band."""
    found = dict.fromkeys(stripe.name for panel in chart.panels for stripe in panel.stripes)
    return {name: BANDS[k % len(BANDS)] for k, name in enumerate(found)}


def _beside(panel: Panel, low: float, high: float) -> str:
    """Unit, and limits that are out of sight."""
    unit = "" if panel.unit == "1" else short(panel.unit, LONGEST)
    far = [edge for edge in (panel.low, panel.high) if isfinite(edge) and not low < edge < high]
    if not far:
        return unit
    said = f"±{panel.high:.3g}" if -panel.low == panel.high else " to ".join(f"{edge:.3g}" for edge in far)
    return f"limit{'s' * (len(far) > 1)} {said} {unit}".replace("-", "−").strip()


def _ranges(panels: Sequence[Panel]) -> list[tuple[float, float]]:
    """What each axis shows; none is finer than a share of the widest of its unit: noise is no motion."""
    widest = dict[str, float]()
    for panel in panels:
        seen = panel.finite
        widest[panel.unit] = max(widest.get(panel.unit, 0.0), float(np.ptp(seen)) / 2 if seen.size else 0.0)
    return [_range(panel, FINEST * widest[panel.unit]) for panel in panels]


def _range(panel: Panel, least: float) -> tuple[float, float]:
    """All values, and a limit or band that is not much farther away than they spread."""
    seen = panel.finite
    if not seen.size:
        return -1.0, 1.0
    low, high = float(seen.min()), float(seen.max())
    middle = (low + high) / 2
    allowed = panel.high - panel.low
    least = max(least, SMALLEST, SMALLEST * abs(middle), SHARE * allowed if isfinite(allowed) else 0.0)
    half = max((high - low) / 2, least)
    near = [edge for edge in (panel.low, panel.high) if abs(edge - middle) <= 3 * half]
    near += [float(edge) for one in panel.stripes for edge in one.edges if abs(edge - middle) <= 6 * half]
    low, high = min([middle - half, *near]), max([middle + half, *near])
    return low - 0.08 * (high - low), high + 0.08 * (high - low)


def _opened(start: float, end: float) -> tuple[float, float]:
    """A span that is not empty."""
    return (start, end) if end > start else (start - 0.5, start + 0.5)


def envelope(line: Line, pieces: int) -> tuple[Array, Array]:
    """A line by its least and its most in each of so many pieces of time: peaks stay, bytes do not grow.

    >>> times = np.arange(10_000.0)
    >>> t, x = envelope(Line("", times, np.where(times == 5000, 7.0, 0.0)), 100)
    >>> len(t), float(x.max())
    (102, 7.0)
    """
    times, values = np.asarray(line.times, float), line.drawn
    if len(times) <= 2 * pieces:
        return times, values
    edges = np.linspace(0, len(times), pieces + 1).astype(int)
    kept = list[int]()
    for start, end in pairwise(edges):
        piece = values[start:end]
        known = np.flatnonzero(np.isfinite(piece))
        if known.size:
            kept += sorted({start + int(known[np.argmin(piece[known])]), start + int(known[np.argmax(piece[known])])})
        if known.size < end - start:  # a gap stays one
            kept.append(start + int(np.flatnonzero(~np.isfinite(piece))[0]))
    order = np.unique([0, *kept, len(times) - 1])
    return times[order], values[order]


def _legend(chart: Chart) -> dict[str, Any]:
    """What colours mean, once for all panels: words of entries, references, bands, limits."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    found: dict[str, Any] = {
        short(name, LONGEST): Line2D([], [], color=c) for name, c in _colours(chart).items() if name
    }
    tints = _tints(chart)
    for panel, (low, high) in zip(chart.panels, _ranges(chart.panels), strict=True):
        for line in panel.lines:
            if line.reference:
                found.setdefault(short(line.name, LONGEST), Line2D([], [], **AIM))
        for stripe in panel.stripes:
            found.setdefault(
                short(stripe.name, LONGEST) or "band", Patch(color=tints[stripe.name], alpha=0.25, linewidth=0)
            )
        if low < panel.low < high or low < panel.high < high:
            found.setdefault("beyond limits", Patch(color=RED, alpha=0.2, linewidth=0))
    return dict(list(found.items())[:MOST_WORDS])
