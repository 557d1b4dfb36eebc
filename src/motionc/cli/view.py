"""`motionc view`: a robot, or a recording, in a browser."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from motionc import view
from motionc.cli.computations import constraints_said
from motionc.model import Robot
from motionc.model.quotes import visible
from motionc.simulate.recording import Recording

RECORDINGS = (".mcap",)

Shown = Annotated[str, typer.Argument(help="a .urdf file, the name of a robot that comes along, or a .mcap recording")]
Recordings = Annotated[
    list[Path], typer.Option("--recording", help="of that robot, to play; more of them are ghosts; may be repeated")
]
Host = Annotated[str, typer.Option(help="address to listen on; others than this machine's own ask for a token")]
PortNumber = Annotated[int, typer.Option("--port", help="first port to try", min=0, max=65535)]
Open = Annotated[bool, typer.Option("--open/--no-open", help="whether to open a browser here")]
FramesShown = Annotated[list[str], typer.Option("--frame", help="a frame to show; may be repeated")]
Directions = Annotated[
    list[str], typer.Option("--constraint", help="'FRAME: ROWS', whose directions to show; may be repeated")
]


def is_recording(source: str) -> bool:
    """Whether a file is a recording, by its ending."""
    return Path(source).suffix.lower() in RECORDINGS


def view_robot(
    robot: Robot | None,
    recordings: list[Path],
    root: list[Path],
    frame: list[str],
    constraint: list[str],
    *,
    collision: bool,
    host: str,
    port: int,
    browser: bool,
    console: Console,
) -> None:
    """Show a robot, or what recordings are about, until Ctrl-C."""
    runs = [Recording.open(path) for path in recordings]
    for run in runs:
        for note in run.notes:
            Console(stderr=True, soft_wrap=True).print(visible(note), style="yellow", markup=False)
    viewer = view.show(
        robot or runs[0],
        runs if robot else runs[1:],
        host=host,
        port=port,
        open_browser=browser,
        purpose="collision" if collision else "visual",
        roots=root,
        frames=frame,
        constraints=constraints_said(constraint),
    )
    with viewer, suppress(KeyboardInterrupt):
        for sentence in viewer.left_out:
            Console(stderr=True, soft_wrap=True).print(visible(f"left out: {sentence}"), style="yellow", markup=False)
        console.print(f"{visible(viewer.robot.name)}: {viewer.url}   (Ctrl-C ends it)", markup=False)
        viewer.wait()
