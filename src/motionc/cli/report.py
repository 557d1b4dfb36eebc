"""`motionc report`: a recording as one page of HTML, its plots as files where they are wanted."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from motionc import view
from motionc.cli.options import AsJson
from motionc.simulate import Recording


class Form(StrEnum):
    """What plots are written as."""

    svg = "svg"
    png = "png"


Recorded = Annotated[Path, typer.Argument(help="a recording, such as `motionc run … --out x.mcap` writes")]
Out = Annotated[Path, typer.Option("--out", "-o", help="the .html file to write")]
Plots = Annotated[Path | None, typer.Option(help="a folder for the plots, one file each")]
Forms = Annotated[Form, typer.Option(help="what these are written as")]


def report(recording: Recorded, out: Out, plots: Plots = None, form: Forms = Form.svg, as_json: AsJson = False) -> None:
    """Write a report of a recording: one HTML file with checks, pictures and plots; plots also as files."""
    kept = Recording.open(recording)
    page = view.report(kept, out)
    files = [] if plots is None else view.plots(kept, plots, form=form.value)
    if as_json:
        written = {"report": str(page), "bytes": page.stat().st_size, "plots": list(map(str, files))}
        typer.echo(json.dumps(written, indent=2, ensure_ascii=False))
        return
    console = Console(soft_wrap=True)
    console.print(f"{page}: {page.stat().st_size / 1e3:.0f} kB", markup=False, highlight=False)
    for file in files:
        console.print(str(file), markup=False, highlight=False)
