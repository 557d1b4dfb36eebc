"""Commands that let a robot move, and show it: run, view, picture."""

from pathlib import Path

import typer
from rich.console import Console

from motionc.cli import run_task
from motionc.cli.experiments import experiment_of, weighing_of
from motionc.cli.options import AsJson
from motionc.cli.picture import Collision, Frames, Out, Set, Size, View, configuration, direction, pixels
from motionc.cli.run import Count, Doings, Engine, Kept, Reported, Seconds, Seed, Whose, run_robot
from motionc.cli.run_weigh import run_weigh
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
from motionc.view.pictures import picture as draw_picture

console = Console(soft_wrap=True)


def run(
    source: run_task.Source,
    do: Doings = None,
    robot: run_task.Whom = "",
    plant: Whose = None,
    plants: run_task.Plants = None,
    seconds: Seconds = None,
    count: Count = None,
    seed: Seed = None,
    show: run_task.Shown = False,
    report: Reported = None,
    out: Kept = None,
    floating: Floating = None,
    fixed: Fixed = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """Try a task, or let a robot fall, hold its posture, be pushed or swing (--do), and say what came of it."""
    of_a_robot = {"--count": count, "--floating": floating, "--fixed": fixed or None}
    of_a_task = {"--robot": robot or None, "--plants": plants, "--view": show or None}
    for option, value in (of_a_robot if do is None else of_a_task).items():
        if value is not None:
            what = "a task, which" if do is None else "--do, a robot, which"
            raise typer.BadParameter(f"{option} is said of {what} has no such thing; leave it out")
    if do is None:
        asked = run_task.Asked(plant, plants, seed, seconds, show, report, out, as_json)
        weighing = weighing_of(source, robot)
        if weighing is not None:
            raise typer.Exit(run_weigh(weighing, asked, console))
        raise typer.Exit(run_task.run_task(experiment_of(source, robot), asked, console))
    moving, whose = loaded(source, floating, fixed), plant or Engine.motionc
    how = (do, whose, seconds, count or 1, seed or 0, as_json, console)
    raise typer.Exit(run_robot(moving, *how, report=report, out=out))


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
