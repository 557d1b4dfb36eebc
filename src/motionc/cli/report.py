"""`motionc report`: a recording as one page of HTML, its plots as files where they are wanted."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from motionc import view
from motionc.simulate import Recording


class Form(StrEnum):
    """What plots are written as."""

    svg = "svg"
    png = "png"


Recorded = Annotated[Path, typer.Argument(help="a recording, such as `motionc run … --out x.mcap` writes")]
Out = Annotated[Path, typer.Option("--out", "-o", help="the .html file to write")]
Plots = Annotated[Path | None, typer.Option(help="a folder for the plots, one file each")]
Forms = Annotated[Form, typer.Option(help="what these are written as")]


def reported(source: Path, out: Path, plots: Path | None, form: Form) -> dict[str, Any]:
    """Write the report of a recording, and its plots; what was written, by name."""
    recording = Recording.open(source)
    page = view.report(recording, out)
    files = [] if plots is None else view.plots(recording, plots, form=form.value)
    return {"report": str(page), "bytes": page.stat().st_size, "plots": list(map(str, files))}
