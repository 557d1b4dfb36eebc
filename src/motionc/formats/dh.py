"""How does a table of Denavit–Hartenberg parameters describe an arm: rows in Python, or a .dh.csv file.

Standard (distal) and modified (proximal, Craig's) tables. Link i carries frame i of the table; the axis of joint i is
+z of frame i-1 in the standard convention, of frame i in the modified one. What is wrong is named by row and column.
"""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from motionc.formats.dh_table import CONVENTIONS, MOMENTS, Row, table
from motionc.formats.document import Document, Fate, Outcome
from motionc.formats.quoting import quoting
from motionc.formats.small_text import text_of
from motionc.formats.xml_tree import ReadError
from motionc.geometry.lie import rotation_about
from motionc.model.chain import (
    Array,
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Limits,
    Link,
    Role,
    Segment,
    Transmission,
    placed,
)
from motionc.model.findings import Place
from motionc.model.rules import check_chain

__all__ = ["CONVENTIONS", "dh_chain", "read_dh"]


def dh_chain(rows: Iterable[Mapping[str, Any]], convention: str = "standard", name: str = "arm") -> KinematicChain:
    """A chain from a table, one mapping a row; lengths in m, angles in rad (numbers, or texts such as "-pi/2").

    Standard:  T(i-1, i) = Rz(θ) Tz(d) Tx(a) Rx(α), with a and α of link i;
    modified:  T(i-1, i) = Rx(α) Tx(a) Rz(θ) Tz(d), with a and α of link i-1, as Craig's tables have them.

    Args:
        rows: entries `a`, `alpha`, `d`, `theta`, `offset`, 0 unless given; `type`: "R" (if nothing is said: θ = theta +
            offset + q), "P" (d = d + offset + q) or "F" (nothing moves); `lower`, `upper`, `velocity`, `effort`;
            `mass`, `com` (or `cx`, `cy`, `cz`), `inertia` about it (3, 6 or 3×3 numbers, or `ixx` … `izz`), as seen by
            frame i; `rotor_inertia`, `damping`, `friction`; names `joint` (joint_i) and `link` (link_i).
        convention: "standard" or "modified".
        name: of the chain.

    >>> chain = dh_chain([{"a": 0.5}, {"a": 0.3, "type": "P"}])
    >>> [joint.name for joint in chain.joints], [segment.name for segment in chain.segments]
    (['joint_1', 'joint_2'], ['base', 'link_1', 'link_2'])
    """
    if convention not in CONVENTIONS:
        raise ReadError(Place("table"), f"convention {convention!r} is unknown", f"say one of {', '.join(CONVENTIONS)}")
    table = [Row.of(row, number) for number, row in enumerate(rows, start=1)]
    return _chain(table, convention, name)


def read_dh(source: Path | str | bytes, name_hint: str = "") -> Document:
    """Read a .dh.csv file (a Path) or its text (str or bytes): settings, a header, a row for each joint.

    Settings are lines `convention: standard`, `name: …`, `angles: degree`; # opens a comment. The columns are the
    entries of `dh_chain`, numbers all.

    >>> table = "convention: modified\\na, alpha, d, type\\n0, 0, 0.3, R\\n0, -pi/2, 0, R\\n"
    >>> len(read_dh(table).chain.joints)
    2
    """
    return quoting(source, name_hint, lambda: _read(source, name_hint))


def _read(source: Path | str | bytes, name_hint: str) -> Document:
    file = str(source) if isinstance(source, Path) else name_hint or "<text>"
    settings, rows = table(text_of(source, file, "table"), file)
    name = settings.get("name") or (Path(file).name.removesuffix(".dh.csv") if isinstance(source, Path) else "arm")
    chain = _chain(rows, settings.get("convention", "standard"), name)
    fates = tuple(Fate(row.place, Outcome.USED) for row in rows)
    return Document(chain, fates, check_chain(chain))


def _chain(rows: list[Row], convention: str, name: str) -> KinematicChain:
    """Links and joints in the order of the table; the base is frame 0."""
    if not rows:
        raise ReadError(Place("table"), "the table has no rows", "give one for each joint")
    names = ["base", *(row.name("link", f"link_{number}") for number, row in enumerate(rows, start=1))]
    joints = [row.name("joint", f"joint_{number}") for number, row in enumerate(rows, start=1)]
    frames: list[list[Attachment]] = [[] for _ in names]
    for number, row in enumerate(rows):
        before, after = _frames(row, convention)
        frames[number].append(Attachment(f"{joints[number]}:parent", Role.JOINT, before))
        frames[number + 1].append(Attachment(f"{joints[number]}:child", Role.JOINT, after))
    links = [Link.rigid("base"), *(_link(row, link) for row, link in zip(rows, names[1:], strict=True))]
    segments = [Segment(names[number], link, tuple(frames[number])) for number, link in enumerate(links)]
    made = [_joint(row, joints[i], segments[i], segments[i + 1]) for i, row in enumerate(rows)]
    return KinematicChain(name, tuple(made))


def _frames(row: Row, convention: str) -> tuple[Array, Array]:
    """Where the joint sits on the link before it, and on its own: before · J(q) · after⁻¹ = T(i-1, i)."""
    slide, turn = placed((0, 0, row.number("d"))), _turned((0, 0, 1), row.number("theta"))
    if row.type is JointType.PRISMATIC:
        slide = placed((0, 0, row.number("d") + row.number("offset")))
    elif row.type is JointType.REVOLUTE:
        turn = _turned((0, 0, 1), row.number("theta") + row.number("offset"))
    a, alpha = row.number("a"), row.number("alpha")
    if convention == "modified":
        return _turned((1, 0, 0), alpha) @ placed((a, 0, 0)) @ turn @ slide, np.eye(4)
    return turn @ slide, _turned((1, 0, 0), -alpha) @ placed((-a, 0, 0))


def _joint(row: Row, name: str, parent: Segment, child: Segment) -> Joint:
    type, limits = row.type, Limits()
    if type.moves:
        lower, upper = row.number("lower", -math.inf), row.number("upper", math.inf)
        if lower > upper:
            raise row.error("lower", f"lower = {lower:g} is above upper = {upper:g}", "exchange them")
        limits = Limits(lower, upper, _positive(row, "velocity", math.inf), _positive(row, "effort", math.inf))
    if type is JointType.REVOLUTE and limits.lower == -math.inf and limits.upper == math.inf:
        type = JointType.CONTINUOUS
    dynamics = Transmission(*(_positive(row, key, 0.0) for key in ("rotor_inertia", "damping", "friction")))
    target, reference = (child, f"{name}:child"), (parent, f"{name}:parent")
    return Joint(name, type, target, reference, limits=limits, transmission=dynamics, place=row.place)


def _link(row: Row, name: str) -> Link:
    given = [key for key in ("mass", "cx", "cy", "cz", *MOMENTS) if row.entries.get(key) not in (None, "")]
    if not given:
        return Link(name, (Attachment(name, Role.FEATURE),), place=row.place)
    if "mass" not in given:
        raise row.error(given[0], f"{given[0]} is given, and no mass", "give the mass too")
    xx, xy, xz, yy, yz, zz = (row.number(key) for key in MOMENTS)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    center = Attachment(f"{name}:inertia", Role.INERTIA, placed(row.number(key) for key in ("cx", "cy", "cz")))
    return Link(name, (Attachment(name, Role.FEATURE), center), _positive(row, "mass", 0.0), inertia, row.place)


def _positive(row: Row, key: str, default: float) -> float:
    value = row.number(key, default)
    if value < 0:
        raise row.error(key, f"{key} = {value:g} is negative", "give a number ≥ 0")
    return value


def _turned(axis: tuple[int, int, int], angle: float) -> Array:
    pose = np.eye(4)
    pose[:3, :3] = rotation_about(axis, angle)
    return pose
