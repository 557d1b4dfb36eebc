"""A report in the terminal."""

from itertools import groupby

from rich.table import Table

from motionc.benchmark.report import SCALAR, Report


def timing_table(report: Report) -> Table:
    """One line a contender: microseconds, how many times our C, worst relative error, or why there is none."""
    title = f"{report.robot}, nv {report.nv}: one core, the least of {report.rounds} rounds"
    table = Table(title=title, caption=report.note or None, title_justify="left", caption_justify="left")
    table.add_column("")
    for heading in ("µs", f"÷ {SCALAR}", "error"):
        table.add_column(heading, justify="right")
    for question, lines in groupby(report.timings, lambda timing: timing.question):
        size = report.operations.get(question)
        table.add_row(f"[bold]{question}[/bold]" + (f"  {size} operations" if size else ""))
        for line in lines:
            ratio = report.ratio(question, line.contender)
            error = "" if line.error is None else f"{line.error:.0e}"
            if line.microseconds is None:
                table.add_row(f"  {line.contender}", "—", "—", error, style="dim")
                table.add_row(f"    {line.note}", style="red" if line.disagrees else "dim")
            else:
                shown = "" if ratio is None else f"{ratio:.2f}"
                table.add_row(f"  {line.contender}", f"{line.microseconds:.3f}", shown, error)
        table.add_section()
    return table
