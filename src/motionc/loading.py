"""From a name or a file to a robot, and to everything there is to say about it."""

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from motionc.errors import Error
from motionc.formats import Document, ReadError, read_urdf
from motionc.model import Finding, Findings, Place, Robot, Severity
from motionc.model.robot import suggestion
from motionc.robots import robot_file, robot_names


def load(
    source: str | Path,
    *,
    floating: bool = False,
    fixed: Iterable[str] | Mapping[str, float] = (),
    mimic: Literal["follow", "independent"] = "follow",
) -> Robot:
    """A robot by name, or from a file (.urdf).

    Args:
        source: a shipped robot's name or a path.
        floating: whether the root link moves freely.
        fixed: joints to hold, by name (at 0) or {name: value in rad or m}.
        mimic: "follow" lets mimic joints follow their leaders, "independent" frees them.

    >>> load("lwr4").nv
    7
    """
    document = read(source)
    return Robot(document.chain, floating=floating, fixed=fixed, mimic=mimic, findings=document.findings)


def check(source: str | Path) -> Findings:
    """Every finding about a robot: rule, place, message, remedy. A file that cannot be read is a finding too.

    >>> check("planar2").ok
    True
    """
    try:
        return read(source).findings
    except ReadError as error:
        return Findings((Finding("Read", Severity.ERROR, error.place, error.message, error.remedy, error.quote),))


def read(source: str | Path) -> Document:
    """The model in a file with the fate of every element, whether it is valid or not."""
    path = robot_file(source) if isinstance(source, str) else None
    path = Path(source) if path is None else path
    if not path.is_file():
        raise ReadError(
            Place("robot", str(source)),
            "there is no such file, and no robot of that name comes along",
            f"give a path to a .urdf file, or one of {', '.join(robot_names())}{_near(str(source))}",
        )
    if path.suffix not in (".urdf", ".xml"):
        raise Error(f"{path}: files ending in {path.suffix or 'nothing'} are not read; give a .urdf file")
    with _collector_at_rest():
        return read_urdf(path)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """A large file becomes millions of small objects that all stay: looking for garbage among them doubles the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _near(name: str) -> str:
    said = suggestion(name, robot_names())
    return said if "did you mean" in said else ""
