"""From a name or a file to a robot, to everything there is to say about it, and to another file."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeGuard

from motionc import checked, formats
from motionc.collector import collector_off
from motionc.errors import Error, suggestion
from motionc.formats import Document, NoSuchFile, ReadError, parse_xml, read_urdf
from motionc.model import Finding, Findings, ModelWarning, Place, Robot, Severity
from motionc.notices import warn
from motionc.robots import robot_file, robot_names, shipped_robot
from motionc.writing import write_file

FOLDERS = "give a folder, or a list of folders"
READ = (".urdf", ".xml", ".xacro", ".dh.csv")
WRITERS = {".urdf": "to_urdf", ".xml": "to_mjcf", ".dot": "to_dot"}
"""Functions of `formats`, by the endings of what they write."""


def load(
    source: str | Path,
    *,
    floating: bool | None = None,
    fixed: Iterable[str] | Mapping[str, float] = (),
    mimic: Literal["follow", "independent"] = "follow",
    roots: Iterable[str | Path] = (),
    arguments: Mapping[str, str] | None = None,
) -> Robot:
    """A robot by name, or from a file (.urdf, .xacro, .dh.csv, or .xml: URDF and MJCF) or its text.

    A file with errors is refused (ModelError); of one with warnings one line says so (ModelWarning), and
    `robot.findings` holds them.

    Args:
        source: a shipped robot's name, a path, or URDF or MJCF text, which starts with "<".
        floating: whether the root link moves freely; unless said, as `robots()` has it, and for a file not.
        fixed: joints to hold, by name (at 0) or {name: value in rad or m}.
        mimic: "follow" lets mimic joints follow their leaders, "independent" frees them.
        roots: folders beside the file's own from which it may read others.
        arguments: values for the arguments of a .xacro file.

    >>> load("lwr4").nv
    7
    """
    document = read(source, roots=roots, arguments=arguments)
    floating = floats(source) if floating is None else checked.flag("load: floating", floating)
    robot = Robot(document.chain, floating=floating, fixed=fixed, mimic=mimic, findings=document.findings)
    robot.source = _named(source) if not roots and arguments is None else ""
    if document.findings.warnings:
        how = "" if _is_text(source) else f", or `motionc check {source}`"
        said = f"{robot.name if _is_text(source) else source} has {document.findings.summary}"
        warn(f"{said}: see print(robot.findings){how}", ModelWarning)
    return robot


def _named(source: str | Path) -> str:
    """The name under which a robot is found again: of one that comes along, or of a file that is all there is to it."""
    shipped = shipped_robot(source) if isinstance(source, str) else None
    if shipped is not None:
        return shipped.name
    return "" if _is_text(source) or Path(source).suffix == ".xacro" else Path(source).name


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
    checked.one_of("from_dh: convention", convention, formats.CONVENTIONS)
    checked.name("from_dh: name", name)
    table = checked.several("from_dh: rows", rows, 'give a list of rows, each such as {"a": 0.4}')
    return Robot(formats.dh_chain(table, convention, name))


def check(
    source: str | Path, *, roots: Iterable[str | Path] = (), arguments: Mapping[str, str] | None = None
) -> Findings:
    """Every finding about a robot: rule, place, message, remedy. A file that cannot be read is a finding too.

    Args:
        source: a shipped robot's name, a path, or URDF or MJCF text, which starts with "<".
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
    """The model in a file or text with the fate of every element, whether it is valid or not.

    A file may name others in its own folder and in `roots`. The root element of .xml and of a text says what it is.
    """
    wanted = "give a robot's name, a path, or the text of a file, which starts with <"
    checked.instance("source", source, (str, Path), wanted)
    roots = [checked.path("roots", folder, FOLDERS) for folder in checked.several("roots", roots, FOLDERS, str, Path)]
    checked.instance("arguments", {} if arguments is None else arguments, Mapping, 'give {"name": "value"}')
    if _is_text(source):
        with collector_off():
            return formats.read_mjcf(source, roots=roots) if parse_xml(source).tag == "mujoco" else read_urdf(source)
    path = robot_file(source) if isinstance(source, str) else None
    path = checked.path("source", source, wanted) if path is None else path
    if not _is_file(path):
        said = (
            "it is a folder" if os.path.isdir(path) else "there is no such file, and no robot of that name comes along"
        )
        raise NoSuchFile(
            Place("robot", checked.shown(source).strip("'")),
            said,
            f"give a path to a file ({', '.join(READ)}), or one of {', '.join(robot_names())}{_near(str(source))}",
        )
    with collector_off():
        if path.name.endswith(".dh.csv"):
            return formats.read_dh(path)
        if path.suffix == ".xacro":
            return read_urdf(formats.expand(path, arguments, roots), str(path))
        if path.suffix == ".xml" and parse_xml(path).tag == "mujoco":
            return formats.read_mjcf(path, roots=roots)
        if path.suffix in (".urdf", ".xml"):
            return read_urdf(path)
    raise Error(f"{path}: files ending in {path.suffix or 'nothing'} are not read; give one of {', '.join(READ)}")


def convert(source: str | Path, target: str | Path, *, roots: Iterable[str | Path] = ()) -> Document:
    """Write a model in another format, which the target's ending names: .urdf, .xml (MJCF), or .dot.

    A model that breaks a rule is not written; a file that was there is renewed whole, or stays as it was.
    """
    path = checked.path("convert: target", target)
    if path.suffix not in WRITERS:
        said = path.suffix or "nothing"
        raise Error(f"{path}: files ending in {said} are not written; name one ending in {', '.join(WRITERS)}")
    document = read(source, roots=roots)
    write = getattr(formats, WRITERS[path.suffix])
    write_file(path, write(Robot(document.chain, findings=document.findings)))
    return document


def _is_text(source: str | Path) -> TypeGuard[str]:
    """Whether it is the text of a file itself."""
    return isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<")


def _is_file(path: Path) -> bool:
    """Whether it is one; a name that no file can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _near(name: str) -> str:
    said = suggestion(name.lower(), robot_names())
    return said if "did you mean" in said else ""
