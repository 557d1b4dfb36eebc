"""From a name or a file to a robot, and to everything there is to say about it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from motionc.errors import Error
from motionc.formats import Document, ReadError, dh_chain, parse_xml, read_dh, read_mjcf, read_urdf
from motionc.model import Finding, Findings, Place, Robot, Severity
from motionc.model.robot import suggestion
from motionc.robots import robot_file, robot_names


def load(
    source: str | Path,
    *,
    floating: bool = False,
    fixed: Iterable[str] | Mapping[str, float] = (),
    mimic: Literal["follow", "independent"] = "follow",
    roots: Iterable[str | Path] = (),
) -> Robot:
    """A robot by name, or from a file (.urdf, .dh.csv, or .xml: URDF and MJCF).

    Args:
        source: a shipped robot's name or a path.
        floating: whether the root link moves freely.
        fixed: joints to hold, by name (at 0) or {name: value in rad or m}.
        mimic: "follow" lets mimic joints follow their leaders, "independent" frees them.
        roots: folders beside the file's own from which it may read others.

    >>> load("lwr4").nv
    7
    """
    document = read(source, roots=roots)
    return Robot(document.chain, floating=floating, fixed=fixed, mimic=mimic, findings=document.findings)


def from_dh(
    rows: Iterable[Mapping[str, Any]], convention: Literal["standard", "modified"] = "standard", *, name: str = "arm"
) -> Robot:
    """An arm from a table of Denavit–Hartenberg parameters; `motionc.formats.dh_chain` says what a row may hold.

    >>> from_dh([{"a": 0.4}, {"a": 0.4, "lower": -2, "upper": 2}]).joint_names
    ('joint_1', 'joint_2')
    """
    return Robot(dh_chain(rows, convention, name))


def check(source: str | Path) -> Findings:
    """Every finding about a robot: rule, place, message, remedy. A file that cannot be read is a finding too.

    >>> check("planar2").ok
    True
    """
    try:
        return read(source).findings
    except ReadError as error:
        return Findings((Finding("Read", Severity.ERROR, error.place, error.message, error.remedy),))


def read(source: str | Path, *, roots: Iterable[str | Path] = ()) -> Document:
    """The model in a file with the fate of every element, whether it is valid or not.

    A file may name others in its own folder and in `roots`. The root element of an .xml file says which format it is.
    """
    path = robot_file(source) if isinstance(source, str) else None
    path = Path(source) if path is None else path
    if not path.is_file():
        raise ReadError(
            Place("robot", str(source)),
            "there is no such file, and no robot of that name comes along",
            f"give a path to a .urdf file, or one of {', '.join(robot_names())}{_near(str(source))}",
        )
    if path.name.endswith(".dh.csv"):
        return read_dh(path)
    if path.suffix == ".xml" and parse_xml(path).tag == "mujoco":
        return read_mjcf(path, roots=roots)
    if path.suffix not in (".urdf", ".xml"):
        raise Error(
            f"{path}: files ending in {path.suffix or 'nothing'} are not read; give a .urdf, .xml or .dh.csv file"
        )
    return read_urdf(path)


def _near(name: str) -> str:
    said = suggestion(name, robot_names())
    return said if "did you mean" in said else ""
