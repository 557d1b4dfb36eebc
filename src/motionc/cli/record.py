"""`motionc record`: what a recording holds, whether it is whole, and a whole one of what a crash has left."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from motionc.cli.options import AsJson
from motionc.model.quotes import visible
from motionc.simulate.recorded_check import faults
from motionc.simulate.recording import Recording


class Act(StrEnum):
    """What is done with a recording."""

    info = "info"
    check = "check"
    recover = "recover"


Acts = Annotated[
    Act, typer.Argument(help="info: what it holds; check: whether it is whole; recover: write a whole one of the rest")
]
File = Annotated[Path, typer.Argument(help="a recording (.mcap)")]
Recovered = Annotated[
    Path | None, typer.Option("-o", "--out", help="where recover writes; <name>.recovered.mcap beside it unless said")
]


def record(act: Acts, file: File, out: Recovered = None, as_json: AsJson = False) -> None:
    """Look at a recording, check it, or make a whole one of what a crash has left. Exit code 1 where it has faults."""
    console = Console(soft_wrap=True)
    if act is Act.check:
        found = faults(file)
        if as_json:
            typer.echo(json.dumps({"file": str(file), "faults": found}, indent=2, ensure_ascii=False))
        for fault in [] if as_json else found or ["whole, and it makes sense"]:
            console.print(Text(f"{visible(str(file))}: {visible(fault)}", style="red" if found else "green"))
        raise typer.Exit(1 if found else 0)
    recording = Recording.open(file)
    written = None
    if act is Act.recover:
        written = recording.save(out or file.with_name(f"{file.stem}.recovered.mcap"))
    if as_json:
        said = _object(recording) | ({"written": str(written)} if written else {})
        typer.echo(json.dumps(said, indent=2, ensure_ascii=False))
        return
    console.print(_told(recording, file))
    if written:
        console.print(Text(f"written: {visible(str(written))}", style="green"))


def _told(recording: Recording, file: Path) -> RenderableType:
    model = recording.model
    head = Text(visible(str(file)), style="bold").append(f": {recording.seconds:g} s")
    head.append("" if model is None else f" of {visible(model.name)}")
    about = [f"dt {recording.dt:g} s, seed {recording.seed}, lane {recording.lane}"]
    about += [", ".join(f"{visible(name)} {visible(one)}" for name, one in recording.versions.items())]
    about += [f"task: {visible(recording.task)}"] if recording.task else []
    table = Table(box=None, pad_edge=False)
    for column, side in (("signal", "left"), ("rows", "right"), ("of", "left"), ("unit", "left"), ("", "left")):
        table.add_column(column, justify=side, no_wrap=column != "")  # pyright: ignore[reportArgumentType]
    for one in recording.signals.values():
        shape = "×".join(map(str, one.shape)) or "1"
        cells = visible(one.name), str(len(one.times)), shape, visible(one.unit), visible(one.meaning)
        table.add_row(*(Text(cell) for cell in cells))
    marks = [f"{mark.time:g} s: {visible(mark.name)}" for mark in recording.marks]
    for mode in recording.modes:
        entered = zip(mode.times, mode.names, strict=True)
        marks += [f"{time:g} s: {visible(mode.machine)} {visible(name)}" for time, name in entered]
    notes = Text("\n".join(map(visible, recording.notes)), style="yellow")
    return Group(head, Text("\n".join(about), style="dim"), table, Text("\n".join(marks)), notes)


def _object(recording: Recording) -> dict[str, Any]:
    return {
        "robot": None if recording.model is None else recording.model.name,
        "seconds": recording.seconds,
        "dt": recording.dt,
        "seed": recording.seed,
        "lane": recording.lane,
        "versions": dict(recording.versions),
        "task": recording.task,
        "signals": [
            {
                "name": one.name,
                "rows": len(one.times),
                "shape": list(one.shape),
                "unit": one.unit,
                "labels": list(one.labels),
                "meaning": one.meaning,
                "relation": one.relation,
            }
            for one in recording.signals.values()
        ],
        "marks": [[mark.time, mark.name] for mark in recording.marks],
        "modes": {mode.machine: list(zip(mode.times, mode.names, strict=True)) for mode in recording.modes},
        "notes": list(recording.notes),
    }
