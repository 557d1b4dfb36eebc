"""A report of a run: one page of HTML with everything in it, or its plots as files.

Summary, checks with their verdicts, what judges say, pictures, timeline, plots, replay. The same run gives the same
bytes: no file says when it was made.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from motionc import checked
from motionc.errors import Error
from motionc.view import page
from motionc.view.charts import Chart, charts, timeline
from motionc.view.instants import instants, replayed
from motionc.view.plotting import Drawable, drawn
from motionc.view.story import Story, story
from motionc.view.task_charts import control_graphs, told_of, ways
from motionc.view.tube_charts import of_tubes, tube_charts
from motionc.view.verdicts import Check, of_limits, understood
from motionc.writing import write_file, write_files

FORMS = ("svg", "png")


@dataclass(frozen=True)
class Table:
    """A table in a report: a heading, names of columns, rows of words, a sentence below it.

    Args:
        title: its heading.
        head: names of columns.
        rows: of words, one a column.
        numbers: which columns are numbers, and stand to the right.
        note: a sentence below it.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[int] = ()
    note: str = ""


def report(
    what: Any,
    path: str | Path,
    *,
    checks: Sequence[Any] = (),
    lane: int = 0,
    said: Mapping[str, str] | None = None,
    tables: Sequence[Table] = (),
    pictures: bool = True,
    replay: bool | None = None,
) -> Path:
    """Write a report of a run or a recording: one HTML file that needs nothing beside it; the path.

    Args:
        what: what a closed loop returned, or a Recording.
        path: a .html file.
        checks: ("no slip", True), (name, value, limit), or Check(…), beside those that limits and bands ask for.
        lane: which of many lanes.
        said: more rows of the summary.
        tables: of whatever else is to be told, each under its heading.
        pictures: whether the robot is shown at the start, half-way and at the end.
        replay: whether the run can be played in the page; unless said, where viser is installed.

    >>> import motionc as mc
    >>> plant = mc.simulate.Plant(mc.load("planar2"))
    >>> run = mc.simulate.closed(plant)(plant.start([0.3, 0.1]), tau=[0.0, 0.0], seconds=0.1)
    >>> from tempfile import mkdtemp
    >>> page = mc.view.report(run, f"{mkdtemp()}/swing.html", checks=[("it moved", True)], pictures=False, replay=False)
    >>> page.name
    'swing.html'
    """
    file = checked.path("report: path", path, "give a file, such as 'run.html'")
    if file.suffix.lower() not in (".html", ".htm"):
        raise checked.refusal("report: path", str(file), "give a name that ends in .html")
    about, asked = story(what, lane), understood(checks)
    more = checked.instance("report: said", {} if said is None else said, Mapping, "give {name: words}")
    rows = {str(name): str(value) for name, value in more.items()}
    wanted = "give a list of mc.view.Table(…)"
    several = checked.several("report: tables", tables, wanted, Table)
    beside = [checked.instance("report: tables", one, Table, wanted) for one in several]
    shown, played = checked.flag("report: pictures", pictures), replay
    if played is not None:
        played = checked.flag("report: replay", played)
    parts = [*(_pictured(about) if shown else ()), *_replayed(about, played)]
    return write_file(file, _page(about, asked, rows, beside, parts))


def plots(what: Any, folder: str | Path, *, form: str = "svg", lane: int = 0) -> list[Path]:
    """Write the plots of a report as files, one a chart: positions.svg, velocities.svg …; their paths.

    Args:
        what: what a closed loop returned, or a Recording.
        folder: where to.
        form: "svg" or "png".
        lane: which of many lanes.
    """
    place = checked.path("plots: folder", folder, "give a folder")
    kind, about = checked.one_of("plots: form", form, FORMS), story(what, lane)
    files = {place / f"{each.key}.{kind}": _drawn(about, each, kind) for each in _charts(about)}
    if not files:
        raise Error("plots: nothing was recorded, so nothing can be plotted; log something: closed(…, log=['q'])")
    return write_files(files)


# ---------------------------------------------------------------- the page


def _page(about: Story, asked: list[Check], said: Mapping[str, str], beside: Sequence[Table], seen: list[str]) -> str:
    plotted = _charts(about)
    verdicts = [*asked, *_own(about, [chart for chart in plotted if isinstance(chart, Chart)])]
    passed = sum(check.passed for check in verdicts)
    badge = f"{passed} of {len(verdicts)} checks passed"
    lead = f'<p class="lead">{page.words(_lead(about))}</p>\n<p>{page.verdict(passed == len(verdicts), badge)}</p>'
    told = (page.section(one.title, page.table(one.head, one.rows, one.numbers), one.note) for one in beside)
    parts = [*seen, *_front(about, verdicts, said), *told, *_plotted(about, plotted)]
    return page.page(f"{about.title}: report of a run", lead, parts)


def _lead(about: Story) -> str:
    start, end = about.span
    if about.diverged is not None:
        return f"{end - start:.4g} s recorded; numbers stopped being finite after {about.diverged:.4g} s."
    return f"{end - start:.4g} s recorded; all numbers stayed finite."


def _front(about: Story, verdicts: list[Check], said: Mapping[str, str]) -> Iterator[str]:
    yield page.section("Checks", page.checks(map(_row, verdicts)))
    yield page.section("Summary", page.pairs([*about.summary(), *said.items()]))
    if about.judgements:
        yield page.section("What came of it", _judged(about))
    if about.notes:
        yield page.section("Notes", "\n".join(f"<p>{page.words(note)}</p>" for note in about.notes))


def _pictured(about: Story) -> Iterator[str]:
    shown = instants(about)
    if shown is not None:
        png, what, left_out = shown
        yield page.section("The robot", page.picture(png, what) if png else "", " ".join(left_out))


def _replayed(about: Story, wanted: bool | None) -> Iterator[str]:
    html = replayed(about, wanted)
    if html is not None:
        yield page.section("Replay", page.framed(html, f"replay of {about.title}"))


def _plotted(about: Story, plotted: list[Drawable]) -> Iterator[str]:
    for chart in plotted:
        yield page.section(chart.title, page.drawing(_drawn(about, chart, "svg")), chart.note)


def _own(about: Story, plotted: list[Chart]) -> Iterator[Check]:
    """What is checked without being asked for."""
    yield Check("all numbers stay finite", about.diverged is None)
    yield from of_tubes(about.courses)
    yield from of_limits(plotted)


def _row(check: Check) -> tuple[str, str, str, bool, str]:
    if check.limit is None:
        return check.name, "yes" if check.value else "no", "", check.passed, check.beside
    unit = f" {check.unit}" if check.unit else ""
    sign = "≤" if check.at == "most" else "≥"
    return check.name, f"{number(check.value)}{unit}", f"{sign} {number(check.limit)}{unit}", check.passed, check.beside


def _judged(about: Story) -> str:
    many = any(one.others for one in about.judgements)
    head = ["", "this lane" if many else "", *(("median", "largest") if many else ()), "", ""]
    rows = [
        [one.words, number(one.value), *map(number, one.others or ()), one.unit, one.beside] for one in about.judgements
    ]
    return page.table(head, rows, numbers=range(1, 4 if many else 2))


def number(value: float) -> str:
    """Four figures, with a true minus.

    >>> number(-0.00123456), number(1234567.0), number(0.0)
    ('−0.001235', '1.235e+06', '0')
    """
    return f"{value:.4g}".replace("-", "−", 1) if not abs(value) < 1e-9 else "0"


# ---------------------------------------------------------------- plots


def _charts(about: Story) -> list[Drawable]:
    """In the order of a page."""
    told = about.recording
    when, graphs = timeline(told), control_graphs(told)
    tubes, way = tube_charts(about.courses), ways(about.courses)
    others = charts(told, about.robot, about.derived, told_of(told) if graphs else frozenset())
    return [*([when] if when else []), *way, *tubes, *graphs, *others]


def _drawn(about: Story, chart: Drawable, form: Any) -> bytes:
    marks = [mark.time for mark in about.recording.marks]
    return drawn(chart, about.span, [*marks, *([] if about.diverged is None else [about.diverged])], form)
