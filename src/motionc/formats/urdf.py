"""How does a URDF file describe a robot: read into the model, with the fate of every element of the file.

What cannot be mapped raises a ReadError; what can be mapped but is doubtful becomes a finding: those of the model's
rules and the reader's own, Ur1 to Ur9. Meshes are named, never opened; what simulators, drivers and controllers want
to know is carried along as it stands, and so is what URDF does not define.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from motionc.formats.document import Document
from motionc.formats.quoting import quoting
from motionc.formats.urdf_schema import (
    BOUNDED,
    INERTIAL,
    JOINT,
    LINK,
    ROBOT,
    TYPES,
    carried,
    fates,
    joint_kind,
    parts,
)
from motionc.formats.urdf_shapes import material, shape
from motionc.formats.xml_tree import Element, ReadError, parse_xml, quoted
from motionc.formats.xml_values import by_name, error, name_of, note, number, numbers, pose, required, warning
from motionc.model.chain import (
    HERE,
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
from motionc.model.findings import Finding, Findings, Severity
from motionc.model.rules import check_chain
from motionc.model.shapes import Material, Shape, inertia_matrix


def read_urdf(source: Path | str | bytes, name_hint: str = "") -> Document:
    """Read a URDF file (a Path) or URDF text (str or bytes; `name_hint` is what messages call it).

    >>> document = read_urdf("<robot name='block'><link name='block'/></robot>")
    >>> document.chain.root.name, document.findings.ok, len(document.fates)
    ('block', True, 2)
    """
    return quoting(source, name_hint, lambda: _read(source, name_hint))


def _read(source: Path | str | bytes, name_hint: str) -> Document:
    robot = parse_xml(source, name_hint)
    if robot.tag != "robot":
        raise robot.error(f"the root element is <{robot.tag[:60]}>, not <robot>", "give a URDF file")
    for child in robot.children:
        if child.tag.startswith("xacro:"):
            raise child.error(f"<{child.tag[:60]}> is a macro, not URDF", "expand it: xacro in.xacro > out.urdf")

    notes = _Remarks()
    chain = _chain(robot, notes)
    found = tuple(fates(robot, notes, notes.refused))
    return Document(chain, found, check_chain(chain) + Findings(tuple(notes)))


class _Remarks(list[Finding]):
    """What reading notices: findings, and which elements, by their identity, are kept because they cannot be read."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: set[int] = set()

    def refuse(self, element: Element, broken: ReadError) -> None:
        message = f"the <{element.tag}> cannot be read and is kept as it stands: {broken.message}"
        self.append(Finding("Ur9", Severity.WARNING, broken.place, message, broken.remedy))
        self.refused.add(id(element))


# ---------------------------------------------------------------- from elements to the model


def _chain(robot: Element, notes: _Remarks) -> KinematicChain:
    name = name_of(robot)
    links, joints = by_name(robot.all("link")), by_name(robot.all("joint"))
    if not links:
        raise robot.error("the robot has no links", "add at least one <link name=…/>")
    materials = _materials(robot, notes)

    # a segment holds the frames of all its joints, so these come first
    frames: dict[str, list[Attachment]] = {link: [] for link in links}
    pieces = {joint: parts(element, JOINT) for joint, element in joints.items()}
    ends = {joint: _ends(element, pieces[joint], links) for joint, element in joints.items()}
    for joint, (_, child) in ends.items():
        frames[child].append(Attachment(f"{joint}:child", Role.JOINT, HERE))
    for joint, (parent, _) in ends.items():
        frames[parent].append(Attachment(f"{joint}:parent", Role.JOINT, pose(pieces[joint].get("origin"))))
    segments = {
        link: Segment(link, _link(link, element, materials, notes), tuple(frames[link]))
        for link, element in links.items()
    }

    moving = [
        _joint(joints[joint], pieces[joint], segments[parent], segments[child], notes)
        for joint, (parent, child) in ends.items()
    ]
    base = None if moving else next(iter(segments.values()))
    for link, segment in segments.items():
        if not segment.frames and segment is not base:
            message = f"link {quoted(link)} hangs on no joint"
            notes.append(error("Ur7", links[link], message, "connect it to the robot, or remove it"))
    order = tuple(_depth_first(segments, moving))
    rest = carried(robot, ROBOT, notes.refused, owners=("link", "joint"))
    return KinematicChain(name, order, base, tuple(materials.values()), rest)


def _materials(robot: Element, notes: _Remarks) -> dict[str, Material]:
    """The robot's own materials by name."""
    found = dict[str, Material]()
    for element in robot.all("material"):
        try:
            own = material(element)
            if own.name in found:
                raise element.error(f"a material named {quoted(own.name)} is there already", "rename one of the two")
            found[own.name] = own
        except ReadError as broken:
            notes.refuse(element, broken)
    return found


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


def _link(name: str, element: Element, materials: Mapping[str, Material], notes: _Remarks) -> Link:
    shapes = list[Shape]()
    for child in element.children:
        if child.tag in ("visual", "collision"):
            try:
                shapes.append(shape(child, materials))
            except ReadError as broken:
                notes.refuse(child, broken)
    frames, mass, inertia = [Attachment(name, Role.FEATURE, HERE)], None, None
    inertial = parts(element, LINK).get("inertial")
    if inertial is not None:
        pieces = parts(inertial, INERTIAL)
        for tag in ("mass", "inertia"):
            if tag not in pieces:
                message = f"the <inertial> of link {quoted(name)} has no <{tag}>"
                notes.append(error("Ur4", inertial, message, f"add the <{tag}>, or remove the <inertial>"))
        frame = Attachment(f"{name}:inertia", Role.INERTIA, pose(pieces.get("origin")))
        if "mass" in pieces and "inertia" in pieces:
            frames.append(frame)
            mass = number(pieces["mass"], "value")
            moments = (number(pieces["inertia"], moment) for moment in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
            inertia = inertia_matrix(*moments, products="tensor")
    rest = carried(element, LINK, notes.refused)
    return Link(name, tuple(frames), mass, inertia, element.place, tuple(shapes), rest)


def _joint(
    element: Element, pieces: dict[str, Element], parent: Segment, child: Segment, notes: list[Finding]
) -> Joint:
    name, type = element.attributes["name"], _type(element)
    axis, limits, transmission = (1.0, 0.0, 0.0), Limits(), Transmission()
    if type.has_axis:
        axis = _axis(pieces.get("axis"), notes)
    if type.moves:
        limits = _limits(element, pieces.get("limit"), type, notes)
        if (dynamics := pieces.get("dynamics")) is not None:
            numbers = (number(dynamics, what, 0.0) for what in ("rotor_inertia", "damping", "friction"))
            transmission = Transmission(*numbers)
    target, reference = (child, f"{name}:child"), (parent, f"{name}:parent")
    mimic, rest = _mimic(pieces.get("mimic")), carried(element, joint_kind(element))
    return Joint(name, type, target, reference, axis, limits, mimic, transmission, element.place, carried=rest)


def _type(joint: Element) -> JointType:
    said = required(joint, "type")
    if said not in TYPES:
        raise joint.error(f"URDF has no joint type {quoted(said)}", f"use one of: {', '.join(TYPES)}")
    return TYPES[said]


def _axis(element: Element | None, notes: list[Finding]) -> tuple[float, float, float]:
    if element is None:
        return (1.0, 0.0, 0.0)
    x, y, z = numbers(element, "xyz", 3)
    largest = max(abs(x), abs(y), abs(z))
    if not largest:
        return (0.0, 0.0, 0.0)  # rule Jt3 says what to do
    length = math.hypot(x / largest, y / largest, z / largest)
    if abs(length * largest - 1.0) > 1e-3:
        message = f"the axis has the length {length * largest:.6g}; its direction alone is used"
        notes.append(note("Ur8", element, message, "give a vector of length 1"))
    if abs(length * largest - 1.0) < 1e-15:  # as long as it can be: leave it as it is written
        return (x, y, z)
    return (x / largest / length, y / largest / length, z / largest / length)


def _limits(joint: Element, element: Element | None, type: JointType, notes: list[Finding]) -> Limits:
    """Position, velocity and effort; infinite where URDF asks for one and the file has none (Ur3)."""
    bounded = type in BOUNDED
    if element is None:
        if bounded:
            notes.append(warning("Ur3", joint, f"the {type} joint has no <limit>; nothing bounds it", "add a <limit>"))
        return Limits()

    lower, upper = (number(element, side, 0.0, infinite=True) for side in ("lower", "upper"))
    if lower > upper and bounded:
        notes.append(error("Ur5", element, f"lower = {lower:g} is above upper = {upper:g}", "exchange them"))
    says_position = "lower" in element.attributes or "upper" in element.attributes
    if bounded and not says_position:
        message = "the <limit> says neither lower nor upper: both are 0, and the joint cannot move"
        notes.append(warning("Ur3", element, message, "add lower and upper"))
    if not bounded and says_position:
        message = f"a {type} joint has no position limits: lower = {lower:g}, upper = {upper:g} are not used"
        notes.append(note("Ur8", element, message, "remove them, or make the joint revolute or prismatic"))
    for attribute in ("acceleration", "deceleration", "jerk"):  # URDF 1.2
        if attribute in element.attributes:
            message = (
                f"limits of {attribute} have no place in the model: {quoted(element.attributes[attribute])} is not used"
            )
            notes.append(note("Ur8", element, message, "bound it where the motion is planned"))
    if not bounded:
        lower, upper = -math.inf, math.inf
    return Limits(lower, upper, _bound(element, "velocity", notes), _bound(element, "effort", notes))


def _bound(limit: Element, attribute: str, notes: list[Finding]) -> float:
    if attribute not in limit.attributes:
        message = f"the <limit> says no {attribute}; nothing bounds it"
        notes.append(warning("Ur3", limit, message, f"add {attribute}"))
        return math.inf
    value = number(limit, attribute, infinite=True)
    if value < 0:
        message = f"{attribute} = {value:g} is negative; it is taken for no bound"
        notes.append(warning("Ur5", limit, message, f"give {attribute} as a number ≥ 0"))
        return math.inf
    return value


def _mimic(element: Element | None) -> Mimic | None:
    if element is None:
        return None
    return Mimic(name_of(element, "joint"), number(element, "multiplier", 1.0), number(element, "offset", 0.0))


def _ends(joint: Element, parts: dict[str, Element], links: dict[str, Element]) -> tuple[str, str]:
    """The names of the links a joint connects: parent, child."""
    for tag in ("parent", "child"):
        if tag not in parts:
            raise joint.error(f"the joint has no <{tag}>", f'add <{tag} link="…"/>')
        if (link := required(parts[tag], "link")) not in links:
            raise parts[tag].error(f"there is no link {quoted(link)}", "correct the name, or add the link")
    return parts["parent"].attributes["link"], parts["child"].attributes["link"]
