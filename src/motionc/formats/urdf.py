"""How does a URDF file describe a robot: read into the model, with the fate of every element of the file.

What cannot be mapped raises a ReadError; what can be mapped but is doubtful becomes a finding: those of the model's
rules and the reader's own, Ur1 to Ur8. Meshes, materials and what simulators add are named as unused, never read.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from motionc.formats.xml_tree import Element, ReadError, parse_xml, quoted
from motionc.geometry.lie import rotation_from_quaternion, rotation_from_rpy
from motionc.model.chain import (
    HERE,
    LARGEST,
    Array,
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Limits,
    Link,
    Mimic,
    Role,
    Segment,
    Transmission,
)
from motionc.model.findings import Finding, Findings, Place, Severity
from motionc.model.rules import check_chain

__all__ = ["Document", "Fate", "Outcome", "ReadError", "read_urdf"]


class Outcome(StrEnum):
    """What became of an element."""

    USED = "used"  # mapped into the model
    UNUSED = "unused"  # understood, but plays no part in kinematics and dynamics
    UNKNOWN = "unknown"  # not defined by URDF


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one element of a file, and why where it was not used."""

    place: Place
    outcome: Outcome
    reason: str = ""

    @property
    def element(self) -> str:
        """The path of the element, such as `robot/joint[panda_joint1]/limit`."""
        return self.place.element

    def __str__(self) -> str:
        return f"{self.place}: {self.outcome}" + (f" ({self.reason})" if self.reason else "")


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A file that was read: its chain, the fate of every element in document order, and all findings."""

    chain: KinematicChain
    fates: tuple[Fate, ...]
    findings: Findings


def read_urdf(source: Path | str | bytes, name_hint: str = "") -> Document:
    """Read a URDF file (a Path) or URDF text (str or bytes; `name_hint` is what messages call it).

    >>> document = read_urdf("<robot name='block'><link name='block'/></robot>")
    >>> document.chain.root.name, document.findings.ok, len(document.fates)
    ('block', True, 2)
    """
    robot = parse_xml(source, name_hint)
    if robot.tag != "robot":
        raise robot.error(f"the root element is <{robot.tag[:60]}>, not <robot>", "give a URDF file")
    for child in robot.children:
        if child.tag.startswith("xacro:"):
            raise child.error(f"<{child.tag[:60]}> is a macro, not URDF", "expand it: xacro in.xacro > out.urdf")

    notes: list[Finding] = []
    chain = _chain(robot, notes)
    fates = tuple(_fates(robot, notes))
    return Document(chain, fates, check_chain(chain) + Findings(tuple(notes)))


# ---------------------------------------------------------------- what URDF defines, and what we do not use


@dataclass(frozen=True, slots=True)
class _Kind:
    """What an element may hold (anything, if it is opaque), and why it plays no part, if so (`unused`)."""

    attributes: tuple[str, ...]
    children: dict[str, "_Kind"]
    unused: str = ""
    opaque: bool = False


def _kind(attributes: str = "", unused: str = "", **children: _Kind) -> _Kind:
    return _Kind(tuple(attributes.split()), children, unused)


def _opaque(unused: str) -> _Kind:
    return _Kind((), {}, unused, opaque=True)


_ORIGIN = _kind("xyz rpy quat_xyzw")
_MATERIAL = _kind("name", "appearance", color=_kind("rgba"), texture=_kind("filename"))
_ROUND = _kind("radius length")
_GEOMETRY = _kind(
    box=_kind("size"), cylinder=_ROUND, capsule=_ROUND, sphere=_kind("radius"), mesh=_kind("filename scale")
)
_MOMENTS = "ixx ixy ixz iyy iyz izz"
_INERTIAL = _kind(origin=_ORIGIN, mass=_kind("value"), inertia=_kind(_MOMENTS))
_LINK = _kind(
    "name type",
    inertial=_INERTIAL,
    visual=_kind("name", "appearance", origin=_ORIGIN, geometry=_GEOMETRY, material=_MATERIAL),
    collision=_kind("name", "shape for contact", origin=_ORIGIN, geometry=_GEOMETRY, material=_MATERIAL),
    contact=_opaque("contact parameters of a simulator (Bullet)"),
)
_JOINT = _kind(
    "name type",
    parent=_kind("link"),
    child=_kind("link"),
    origin=_ORIGIN,
    axis=_kind("xyz"),
    limit=_kind("lower upper effort velocity acceleration deceleration jerk"),
    dynamics=_kind("damping friction"),
    mimic=_kind("joint multiplier offset"),
    safety_controller=_kind("soft_lower_limit soft_upper_limit k_position k_velocity", "setting of a controller"),
    calibration=_kind("rising falling reference_position", "setting of a driver"),
)
_STILL = {
    tag: replace(_JOINT.children[tag], unused="a fixed or floating joint has none")
    for tag in ("axis", "limit", "dynamics")
}
_WITHOUT_AXIS = replace(_JOINT, children=_JOINT.children | _STILL)
_ROBOT = _kind(
    "name version",
    link=_LINK,
    joint=_JOINT,
    material=_MATERIAL,
    transmission=_opaque("wiring of actuators to joints; it holds no inertia"),
    sensor=_opaque("a sensor"),
    gazebo=_opaque("for the simulator Gazebo"),
    mujoco=_opaque("for the simulator MuJoCo"),
    ros2_control=_opaque("for ROS 2 control"),
)
_SPELLING = "correct the spelling, or remove it; known here: "


def _fates(robot: Element, notes: list[Finding]) -> Iterator[Fate]:
    """The fate of every element, in document order; what URDF does not define is noted too (Ur1, Ur2, Ur6)."""
    pending: list[tuple[Element, _Kind | None, Fate]] = [(robot, _ROBOT, Fate(robot.place, Outcome.USED))]
    while pending:
        element, kind, fate = pending.pop()
        yield fate
        if kind and not kind.opaque:
            notes.extend(_strangers(element, kind))
        for child in reversed(element.children):
            child_kind = _kind_of(child, kind)
            if kind is not None and child_kind is None:
                its_fate = Fate(child.place, Outcome.UNKNOWN, f"URDF defines no <{child.tag[:60]}> here")
            elif fate.outcome is not Outcome.USED:
                its_fate = Fate(child.place, fate.outcome, fate.reason)
            elif child_kind is not None and child_kind.unused:
                its_fate = Fate(child.place, Outcome.UNUSED, child_kind.unused)
            else:
                its_fate = Fate(child.place, Outcome.USED)
            pending.append((child, child_kind, its_fate))


def _kind_of(child: Element, parent: _Kind | None) -> _Kind | None:
    if parent is None or parent.opaque:
        return parent
    kind = parent.children.get(child.tag)
    return _WITHOUT_AXIS if kind is _JOINT and child.attributes.get("type") in ("fixed", "floating") else kind


def _strangers(element: Element, kind: _Kind) -> Iterator[Finding]:
    """What stands in a known element and should not: elements (Ur1), attributes (Ur2), text (Ur6)."""
    for child in element.children:
        if child.tag not in kind.children:
            message = f"URDF defines no <{child.tag[:60]}> in <{element.tag}>; it and all inside it is ignored"
            yield _warning("Ur1", child, message, _SPELLING + (", ".join(kind.children) or "none"))
    for attribute, value in element.attributes.items():
        if attribute not in kind.attributes and attribute.split(":")[0] != "xmlns":
            message = f"URDF defines no attribute {attribute[:60]} = {quoted(value)} of <{element.tag}>; it is ignored"
            yield _warning("Ur2", element, message, _SPELLING + (", ".join(kind.attributes) or "none"))
    if words := element.text.strip():
        message = f"<{element.tag}> holds the text {quoted(words)}, which is ignored"
        yield _warning("Ur6", element, message, "put it into an attribute, where URDF has its values, or a comment")


# ---------------------------------------------------------------- from elements to the model


def _chain(robot: Element, notes: list[Finding]) -> KinematicChain:
    name = _name(robot)
    link_elements, joint_elements = _by_name(robot.all("link")), _by_name(robot.all("joint"))
    if not link_elements:
        raise robot.error("the robot has no links", "add at least one <link name=…/>")

    # a segment holds the frames of all its joints, so these come first
    frames: dict[str, list[Attachment]] = {link: [] for link in link_elements}
    parts = {joint: _parts(element, _JOINT) for joint, element in joint_elements.items()}
    ends = {joint: _ends(element, parts[joint], link_elements) for joint, element in joint_elements.items()}
    for joint, (parent, child) in ends.items():
        frames[parent].append(Attachment(f"{joint}:parent", Role.JOINT, _pose(parts[joint].get("origin"))))
        frames[child].append(Attachment(f"{joint}:child", Role.JOINT, HERE))
    segments = {
        link: Segment(link, _link(link, element, notes), tuple(frames[link])) for link, element in link_elements.items()
    }

    joints = [
        _joint(joint_elements[joint], parts[joint], segments[parent], segments[child], notes)
        for joint, (parent, child) in ends.items()
    ]
    base = None if joints else next(iter(segments.values()))
    for link, segment in segments.items():
        if not segment.frames and segment is not base:
            message = f"link {quoted(link)} hangs on no joint"
            notes.append(_error("Ur7", link_elements[link], message, "connect it to the robot, or remove it"))
    return KinematicChain(name, tuple(_depth_first(segments, joints)), base)


def _depth_first(segments: dict[str, Segment], joints: list[Joint]) -> Iterator[Joint]:
    """Every joint once, depth-first from the root, children in the order of their elements; the unreached come last."""
    below: dict[str, list[Joint]] = {}
    for joint in joints:
        below.setdefault(joint.parent.name, []).append(joint)
    targets = {joint.child.name for joint in joints}
    roots = [name for name in segments if name not in targets]
    entered: set[str] = set()
    for start in (*roots, *segments):
        pending = [] if start in entered else below.get(start, [])[::-1]
        entered.add(start)
        while pending:
            yield (joint := pending.pop())
            if joint.child.name not in entered:
                entered.add(joint.child.name)
                pending += reversed(below.get(joint.child.name, []))


def _link(name: str, element: Element, notes: list[Finding]) -> Link:
    reference = Attachment(name, Role.FEATURE, HERE)
    inertial = _parts(element, _LINK).get("inertial")
    if inertial is None:
        return Link(name, (reference,), place=element.place)

    parts = _parts(inertial, _INERTIAL)
    for tag in ("mass", "inertia"):
        if tag not in parts:
            message = f"the <inertial> of link {quoted(name)} has no <{tag}>"
            notes.append(_error("Ur4", inertial, message, f"add the <{tag}>, or remove the <inertial>"))
    frame = Attachment(f"{name}:inertia", Role.INERTIA, _pose(parts.get("origin")))
    if "mass" not in parts or "inertia" not in parts:
        return Link(name, (reference,), place=element.place)
    mass = _number(parts["mass"], "value")
    xx, xy, xz, yy, yz, zz = (_number(parts["inertia"], moment) for moment in _MOMENTS.split())
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Link(name, (reference, frame), mass, inertia, element.place)


def _joint(element: Element, parts: dict[str, Element], parent: Segment, child: Segment, notes: list[Finding]) -> Joint:
    name, type = element.attributes["name"], _type(element)
    axis, limits, transmission = (1.0, 0.0, 0.0), Limits(), Transmission()
    if type not in (JointType.FIXED, JointType.FLOATING):
        axis, limits = _axis(parts.get("axis"), notes), _limits(element, parts.get("limit"), type, notes)
        if (dynamics := parts.get("dynamics")) is not None:
            damping, friction = _number(dynamics, "damping", 0.0), _number(dynamics, "friction", 0.0)
            transmission = Transmission(damping=damping, friction=friction)
    target, reference = (child, f"{name}:child"), (parent, f"{name}:parent")
    mimic = _mimic(parts.get("mimic"))
    return Joint(name, type, target, reference, axis, limits, mimic, transmission, element.place)


def _type(joint: Element) -> JointType:
    said = _required(joint, "type")
    if said == "planar":
        raise joint.error(
            "planar joints are not supported in this version",
            "write it as two prismatic joints and a continuous one, with links without <inertial> between them",
        )
    try:
        return JointType(said)
    except ValueError:
        remedy = f"use one of: {', '.join(JointType)}"
        raise joint.error(f"no joint type is called {quoted(said)}", remedy) from None


def _axis(element: Element | None, notes: list[Finding]) -> tuple[float, float, float]:
    if element is None:
        return (1.0, 0.0, 0.0)
    x, y, z = _numbers(element, "xyz", 3)
    largest = max(abs(x), abs(y), abs(z))
    if not largest:
        return (0.0, 0.0, 0.0)  # rule Jt3 says what to do
    length = math.hypot(x / largest, y / largest, z / largest)
    if abs(length * largest - 1.0) > 1e-3:
        message = f"the axis has the length {length * largest:.6g}; its direction alone is used"
        notes.append(_note("Ur8", element, message, "give a vector of length 1"))
    return (x / largest / length, y / largest / length, z / largest / length)


def _limits(joint: Element, element: Element | None, type: JointType, notes: list[Finding]) -> Limits:
    """Position, velocity and effort; infinite where URDF asks for one and the file has none (Ur3)."""
    if element is None:
        if type is not JointType.CONTINUOUS:
            notes.append(_warning("Ur3", joint, f"the {type} joint has no <limit>; nothing bounds it", "add a <limit>"))
        return Limits()

    lower, upper = (_number(element, side, 0.0, infinite=True) for side in ("lower", "upper"))
    if lower > upper and type is not JointType.CONTINUOUS:
        notes.append(_error("Ur5", element, f"lower = {lower:g} is above upper = {upper:g}", "exchange them"))
    says_position = "lower" in element.attributes or "upper" in element.attributes
    if type is not JointType.CONTINUOUS and not says_position:
        message = "the <limit> says neither lower nor upper: both are 0, and the joint cannot move"
        notes.append(_warning("Ur3", element, message, "add lower and upper"))
    if type is JointType.CONTINUOUS and says_position:
        message = f"a continuous joint has no position limits: lower = {lower:g}, upper = {upper:g} are not used"
        notes.append(_note("Ur8", element, message, "remove them, or make the joint revolute"))
    for attribute in ("acceleration", "deceleration", "jerk"):  # URDF 1.2
        if attribute in element.attributes:
            message = (
                f"limits of {attribute} have no place in the model: {quoted(element.attributes[attribute])} is not used"
            )
            notes.append(_note("Ur8", element, message, "bound it where the motion is planned"))
    if type is JointType.CONTINUOUS:
        lower, upper = -math.inf, math.inf
    return Limits(lower, upper, _bound(element, "velocity", notes), _bound(element, "effort", notes))


def _bound(limit: Element, attribute: str, notes: list[Finding]) -> float:
    if attribute not in limit.attributes:
        message = f"the <limit> says no {attribute}; nothing bounds it"
        notes.append(_warning("Ur3", limit, message, f"add {attribute}"))
        return math.inf
    value = _number(limit, attribute, infinite=True)
    if value < 0:
        message = f"{attribute} = {value:g} is negative; it is taken for no bound"
        notes.append(_warning("Ur5", limit, message, f"give {attribute} as a number ≥ 0"))
        return math.inf
    return value


def _mimic(element: Element | None) -> Mimic | None:
    if element is None:
        return None
    return Mimic(_name(element, "joint"), _number(element, "multiplier", 1.0), _number(element, "offset", 0.0))


def _pose(origin: Element | None) -> Array:
    if origin is None:
        return HERE
    xyz, rpy = _numbers(origin, "xyz", 3, (0.0, 0.0, 0.0)), _numbers(origin, "rpy", 3, (0.0, 0.0, 0.0))
    pose = HERE.copy()
    pose[:3, 3] = xyz
    if any(rpy):
        pose[:3, :3] = rotation_from_rpy(*rpy)
    if "quat_xyzw" in origin.attributes:  # URDF 1.1
        x, y, z, w = _numbers(origin, "quat_xyzw", 4)
        if "rpy" in origin.attributes:
            raise origin.error("the <origin> has both rpy and quat_xyzw", "keep one of them")
        if not any((x, y, z, w)):
            raise origin.error("quat_xyzw of length zero is no rotation", "for no rotation give 0 0 0 1")
        pose[:3, :3] = rotation_from_quaternion((w, x, y, z))
    return pose


# ---------------------------------------------------------------- from attributes to names and numbers

_WORD = re.compile(r"[^ \t\r\n]+")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LONGEST_NAME = 1000  # characters; messages repeat names
_LONGEST_NUMBER = 400  # characters, spaces included
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)


def _by_name(elements: list[Element]) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in elements:
        first = found.setdefault(name := _name(element), element)
        if first is not element:
            message = f"a {element.tag} named {quoted(name)} stands in line {first.place.line} already"
            raise element.error(message, "rename one of the two")
    return found


def _parts(parent: Element, kind: _Kind) -> dict[str, Element]:
    """The children that URDF defines, by tag; of each that is mapped there is one."""
    found: dict[str, Element] = {}
    for child in parent.children:
        if child.tag in kind.children:
            first = found.setdefault(child.tag, child)
            if first is not child and not kind.children[child.tag].unused:
                message = f"a second <{child.tag}>; the first is in line {first.place.line}"
                raise child.error(message, "keep one of the two")
    return found


def _ends(joint: Element, parts: dict[str, Element], links: dict[str, Element]) -> tuple[str, str]:
    """The names of the links a joint connects: parent, child."""
    for tag in ("parent", "child"):
        if tag not in parts:
            raise joint.error(f"the joint has no <{tag}>", f'add <{tag} link="…"/>')
        if (link := _required(parts[tag], "link")) not in links:
            raise parts[tag].error(f"there is no link {quoted(link)}", "correct the name, or add the link")
    return parts["parent"].attributes["link"], parts["child"].attributes["link"]


def _required(element: Element, attribute: str) -> str:
    if attribute not in element.attributes:
        raise element.error(f"<{element.tag}> has no {attribute}", f'add {attribute}="…"')
    if not (text := element.attributes[attribute]).strip():
        raise element.error(f"the {attribute} of <{element.tag}> is empty: {quoted(text)}", "give one")
    return text


def _name(element: Element, attribute: str = "name") -> str:
    """A name, of the element itself or of another."""
    if len(name := _required(element, attribute)) > _LONGEST_NAME:
        message = f"the {attribute} {quoted(name)} has {len(name)} characters, more than {_LONGEST_NAME}"
        raise element.error(message, "give a shorter one")
    return name


def _number(element: Element, attribute: str, default: float | None = None, infinite: bool = False) -> float:
    return _numbers(element, attribute, 1, None if default is None else (default,), infinite)[0]


def _numbers(
    element: Element, attribute: str, count: int, default: tuple[float, ...] | None = None, infinite: bool = False
) -> tuple[float, ...]:
    """So many numbers of an attribute; where it is absent, the default, and an error where there is none."""
    if default is not None and attribute not in element.attributes:
        return default
    text = _required(element, attribute)
    if len(text) > _LONGEST_NUMBER * count:
        raise element.error(f"{attribute} = {quoted(text)} has {len(text)} characters", f"give {count} numbers")
    words = _WORD.findall(text)
    if len(words) != count:
        said = f"{attribute} = {quoted(text)} holds {len(words)} numbers, not {count}"
        raise element.error(said, "separate numbers by spaces")
    return tuple([_parsed(word, element, attribute, infinite) for word in words])


def _parsed(word: str, element: Element, attribute: str, infinite: bool) -> float:
    if infinite and _INFINITE.fullmatch(word):
        return float(word)
    if not _FLOAT.fullmatch(word):
        message = f"{attribute} = {quoted(element.attributes[attribute])}: {quoted(word)} is not a number"
        raise element.error(message, "write a finite number with a decimal point, such as -1.5 or 2e-3")
    value = float(word)
    if not infinite and abs(value) >= LARGEST:
        message = f"{attribute} = {quoted(element.attributes[attribute])}: {quoted(word)} is too large"
        raise element.error(message, "check its unit; lengths are in m, angles in rad, masses in kg")
    return value


def _error(rule: str, element: Element, message: str, remedy: str) -> Finding:
    return Finding(rule, Severity.ERROR, element.place, message, remedy)


def _warning(rule: str, element: Element, message: str, remedy: str) -> Finding:
    return Finding(rule, Severity.WARNING, element.place, message, remedy)


def _note(rule: str, element: Element, message: str, remedy: str) -> Finding:
    return Finding(rule, Severity.NOTE, element.place, message, remedy)
