"""What a command is about: a robot by its file or name, and how it is loaded."""

import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from motionc.computations.loading import load
from motionc.model import Robot
from motionc.model.quotes import visible

Source = Annotated[str, typer.Argument(help="a .urdf file, or the name of a robot that comes along")]
Sources = Annotated[list[str], typer.Argument(help=".urdf or .task files, or names of what comes along")]
RobotOrTask = Annotated[str, typer.Argument(help="a .urdf or .task file, or the name of what comes along")]
ForRobot = Annotated[str, typer.Option("--robot", help="the robot that a task is meant for, by file or name")]
Floating = Annotated[
    bool | None,
    typer.Option("--floating/--fixed-base", help="whether the root link moves freely; else as `motionc robots` says"),
]
Roots = Annotated[
    list[Path], typer.Option("--root", help="a folder from which the file may read others; may be repeated")
]
Fixed = Annotated[list[str], typer.Option("--fixed", help="a joint to hold at 0; may be repeated")]


def loaded(source: str, floating: bool | None, fixed: list[str]) -> Robot:
    """The robot; that its file has findings is a line beside what was asked for."""
    with heard():
        return load(source, floating=floating, fixed=fixed)


@contextmanager
def heard() -> Generator[None]:
    """Warnings as lines beside what was asked for."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield
    for each in heard:
        Console(stderr=True, soft_wrap=True).print(visible(str(each.message)), style="yellow", markup=False)
