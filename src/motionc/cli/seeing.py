"""Commands that let a robot move, and show it: run, view, picture."""

from pathlib import Path

import typer
from rich.console import Console

from motionc.cli.options import AsJson
from motionc.cli.picture import Collision, Frames, Out, Set, Size, View, configuration, direction, pixels
from motionc.cli.run import Count, Doings, Engine, Kept, Plants, Reported, Seconds, Seed, run_robot
from motionc.cli.sources import Fixed, Floating, Roots, Source, heard, loaded
from motionc.cli.view import (
    Directions,
    FramesShown,
    Host,
    Open,
    PortNumber,
    Recordings,
    Shown,
    is_recording,
    view_robot,
)
from motionc.view.picture import picture as draw_picture

console = Console(soft_wrap=True)


def run(
    source: Source,
    do: Doings,
    plant: Plants = Engine.motionc,
    seconds: Seconds = None,
    count: Count = 1,
    seed: Seed = 0,
    report: Reported = None,
    out: Kept = None,
    floating: Floating = None,
    fixed: Fixed = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """Let a robot fall, hold its posture, be pushed or swing, and say what came of it; Ctrl-C ends it early."""
    robot = loaded(source, floating, fixed)
    raise typer.Exit(run_robot(robot, do, plant, seconds, count, seed, as_json, console, report=report, out=out))


def view(
    source: Shown,
    recording: Recordings = [],  # noqa: B006
    collision: Collision = False,
    frame: FramesShown = [],  # noqa: B006
    constraint: Directions = [],  # noqa: B006
    root: Roots = [],  # noqa: B006
    host: Host = "127.0.0.1",
    port: PortNumber = 8080,
    browser: Open = True,
    floating: Floating = None,
    fixed: Fixed = [],  # noqa: B006
) -> None:
    """Show a robot, or a recording, in a browser: sliders, a frame to drag, links to click, time to play."""
    robot = None if is_recording(source) else loaded(source, floating, fixed)
    recordings = [Path(source), *recording] if robot is None else recording
    view_robot(
        robot,
        recordings,
        root,
        frame,
        constraint,
        collision=collision,
        host=host,
        port=port,
        browser=browser,
        console=console,
    )


def picture(
    source: Source,
    out: Out,
    setting: Set = [],  # noqa: B006
    camera: View = "",
    size: Size = "900x600",
    frame: Frames = [],  # noqa: B006
    collision: Collision = False,
    floating: Floating = None,
    fixed: Fixed = [],  # noqa: B006
    root: Roots = [],  # noqa: B006
) -> None:
    """Draw a robot as a PNG file, without a browser; what could not be drawn is said."""
    robot = loaded(source, floating, fixed)
    q, towards, shape = configuration(robot, setting), direction(camera), pixels(size)
    purpose = "collision" if collision else "visual"
    with heard():
        draw_picture(robot, q, out, size=shape, camera=towards, purpose=purpose, frames=frame, roots=root)
    console.print(out, markup=False, highlight=False)
