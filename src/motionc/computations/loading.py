"""From a name or a file to a robot, to everything there is to say about it, and to another file."""

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from motionc.collector import collector_off
from motionc.errors import Error, suggestion
from motionc.formats import (
    Document,
    ReadError,
    dh_chain,
    expand,
    parse_xml,
    read_dh,
    read_mjcf,
    read_urdf,
    to_dot,
    to_mjcf,
    to_urdf,
)
from motionc.model import Finding, Findings, ModelWarning, Place, Robot, Severity
from motionc.robots import robot_file, robot_names, shipped_robot
from motionc.writing import write_file

READ = (".urdf", ".xml", ".xacro", ".dh.csv")
WRITERS = {".urdf": to_urdf, ".xml": to_mjcf, ".dot": to_dot}


def load(
    source: str | Path,
    *,
    floating: bool | None = None,
    fixed: Iterable[str] | Mapping[str, float] = (),
    mimic: Literal["follow", "independent"] = "follow",
    roots: Iterable[str | Path] = (),
    arguments: Mapping[str, str] | None = None,
) -> Robot:
    """A robot by name, or from a file (.urdf, .xacro, .dh.csv, or .xml: URDF and MJCF).

    A file with errors is refused (ModelError); of one with warnings one line says so (ModelWarning), and
    `robot.findings` holds them.

    Args:
        source: a shipped robot's name or a path.
        floating: whether the root link moves freely; unless said, as `robots()` has it, and for a file not.
        fixed: joints to hold, by name (at 0) or {name: value in rad or m}.
        mimic: "follow" lets mimic joints follow their leaders, "independent" frees them.
        roots: folders beside the file's own from which it may read others.
        arguments: values for the arguments of a .xacro file.

    >>> load("lwr4").nv
    7
    """
    document = read(source, roots=roots, arguments=arguments)
    floating = floats(source) if floating is None else floating
    robot = Robot(document.chain, floating=floating, fixed=fixed, mimic=mimic, findings=document.findings)
    if document.findings.warnings:
        said = f"{source} has {document.findings.summary}: see print(robot.findings), or `motionc check {source}`"
        warnings.warn(said, ModelWarning, stacklevel=2)
    return robot


def floats(source: str | Path) -> bool:
    """Whether a robot's base floats when nothing is said: HyQ's does, that of a file does not."""
    robot = shipped_robot(source) if isinstance(source, str) else None
    return robot is not None and robot.floating


def from_dh(
    rows: Iterable[Mapping[str, Any]], convention: Literal["standard", "modified"] = "standard", *, name: str = "arm"
) -> Robot:
    """An arm from a table of Denavit–Hartenberg parameters; `motionc.formats.dh_chain` says what a row may hold.

    >>> from_dh([{"a": 0.4}, {"a": 0.4, "lower": -2, "upper": 2}]).joint_names
    ('joint_1', 'joint_2')
    """
    return Robot(dh_chain(rows, convention, name))


def check(
    source: str | Path, *, roots: Iterable[str | Path] = (), arguments: Mapping[str, str] | None = None
) -> Findings:
    """Every finding about a robot: rule, place, message, remedy. A file that cannot be read is a finding too.

    Args:
        source: a shipped robot's name or a path.
        roots: folders beside the file's own from which it may read others.
        arguments: values for the arguments of a .xacro file.

    >>> check("planar2").ok
    True
    """
    try:
        return read(source, roots=roots, arguments=arguments).findings
    except ReadError as error:
        return Findings((Finding("Read", Severity.ERROR, error.place, error.message, error.remedy, error.quote),))


def read(
    source: str | Path, *, roots: Iterable[str | Path] = (), arguments: Mapping[str, str] | None = None
) -> Document:
    """The model in a file with the fate of every element, whether it is valid or not.

    A file may name others in its own folder and in `roots`. The root element of an .xml file says which format it is.
    """
    path = robot_file(source) if isinstance(source, str) else None
    path = Path(source) if path is None else path
    if not path.is_file():
        raise ReadError(
            Place("robot", str(source)),
            "there is no such file, and no robot of that name comes along",
            f"give a path to a file ({', '.join(READ)}), or one of {', '.join(robot_names())}{_near(str(source))}",
        )
    with collector_off():
        if path.name.endswith(".dh.csv"):
            return read_dh(path)
        if path.suffix == ".xacro":
            return read_urdf(expand(path, arguments, roots), str(path))
        if path.suffix == ".xml" and parse_xml(path).tag == "mujoco":
            return read_mjcf(path, roots=roots)
        if path.suffix in (".urdf", ".xml"):
            return read_urdf(path)
    raise Error(f"{path}: files ending in {path.suffix or 'nothing'} are not read; give one of {', '.join(READ)}")


def convert(source: str | Path, target: str | Path, *, roots: Iterable[str | Path] = ()) -> Document:
    """Write a model in another format, which the target's ending names: .urdf, .xml (MJCF), or .dot.

    A model that breaks a rule is not written; a file that was there is renewed whole, or stays as it was.
    """
    path = Path(target)
    if path.suffix not in WRITERS:
        said = path.suffix or "nothing"
        raise Error(f"{path}: files ending in {said} are not written; name one ending in {', '.join(WRITERS)}")
    document = read(source, roots=roots)
    write_file(path, WRITERS[path.suffix](Robot(document.chain, findings=document.findings)))
    return document


def _near(name: str) -> str:
    said = suggestion(name.lower(), robot_names())
    return said if "did you mean" in said else ""
