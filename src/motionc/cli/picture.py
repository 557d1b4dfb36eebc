"""`motionc picture`: a robot in a configuration that is said joint by joint, as a PNG file."""

from math import isfinite, nan
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from motionc.errors import Error, suggestion
from motionc.model import Robot

Set = Annotated[
    list[str], typer.Option("--set", help="'JOINT=VALUE' in rad or m, such as elbow=0.5; others are 0; may be repeated")
]
Out = Annotated[Path, typer.Option("-o", "--out", help="the .png file")]
View = Annotated[str, typer.Option(help="from which direction one looks, such as '1,-1,0.6'")]
Size = Annotated[str, typer.Option(help="in pixels")]
Frames = Annotated[list[str], typer.Option("--frame", help="a frame to draw; may be repeated")]
Collision = Annotated[bool, typer.Option("--collision", help="the shapes to collide with, not those to look at")]


def configuration(robot: Robot, settings: list[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The neutral configuration but for what is set: 'JOINT=VALUE', or 'JOINT.ENTRY=VALUE' where it has several."""
    q, labels = robot.neutral(), list(robot.configurations.labels)
    for said in settings:
        name, equals, value = said.rpartition("=")
        if not equals:
            raise Error(f"--set {said!r}: say JOINT=VALUE, such as {labels[-1] if labels else 'elbow'}=0.5")
        if name not in labels:
            raise Error(f"--set {said!r}: {robot.name} has no coordinate {name!r}{suggestion(name, labels)}")
        q[labels.index(name)] = _number(f"--set {said!r}", value)
    return q


def direction(said: str) -> tuple[float, ...] | None:
    """Numbers between commas; None where nothing is said."""
    return tuple(_number(f"--camera {said!r}", each) for each in said.split(",")) if said else None


def pixels(said: str) -> tuple[int, ...]:
    """Width and height, with an x between them."""
    try:
        return tuple(int(each) for each in said.lower().split("x"))
    except ValueError:
        raise Error(f"--size {said!r}: say WIDTHxHEIGHT in pixels, such as 900x600") from None


def _number(what: str, said: str) -> float:
    try:
        value = float(said)
    except ValueError:
        value = nan
    if not isfinite(value):
        raise Error(f"{what}: {said!r} is no number that is finite")
    return value
