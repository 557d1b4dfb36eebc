"""How does a URDF file describe a robot: read into the model, with the fate of every element of the file.

What cannot be mapped raises a ReadError; what can be mapped but is doubtful becomes a finding: those of the model's
rules and the reader's own, Ur1 to Ur10. Meshes are named, never opened; what simulators, drivers and controllers want
to know is carried along as it stands, and so is what URDF does not define.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from motionc.errors import suggestion
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
from motionc.model.findings import Finding, Place, Severity
from motionc.model.rules import check_chain
from motionc.model.shapes import Material, Shape, inertia_matrix

TURN = 6.3
"""rad: one turn, however roughly it is rounded."""


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
    return Document(chain, found, check_chain(chain, notes))


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
        origin = pieces[joint].get("origin")
        frames[parent].append(Attachment(f"{joint}:parent", Role.JOINT, pose(origin)))
        notes.extend(_degrees(origin))
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
                message = f"a material named {quoted(own.name)} is there already"
                raise element.error(message, "rename one of the two", "name")
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
                notes.extend(_degrees(parts(child, LINK.children[child.tag]).get("origin")))
            except ReadError as broken:
                notes.refuse(child, broken)
    frames, mass, inertia = [Attachment(name, Role.FEATURE, HERE)], None, None
    places = dict[str, Place]()
    inertial = parts(element, LINK).get("inertial")
    if inertial is not None:
        pieces = parts(inertial, INERTIAL)
        for tag in ("mass", "inertia"):
            if tag not in pieces:
                message = f"the <inertial> of link {quoted(name)} has no <{tag}>"
                notes.append(error("Ur4", inertial, message, f"add the <{tag}>, or remove the <inertial>"))
        places = {tag: piece.place for tag, piece in pieces.items()}
        frame = Attachment(f"{name}:inertia", Role.INERTIA, pose(pieces.get("origin")))
        notes.extend(_degrees(pieces.get("origin")))
        if "mass" in pieces and "inertia" in pieces:
            frames.append(frame)
            mass = number(pieces["mass"], "value")
            moments = (number(pieces["inertia"], moment) for moment in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
            inertia = inertia_matrix(*moments, products="tensor")
    rest = carried(element, LINK, notes.refused)
    return Link(name, tuple(frames), mass, inertia, element.place, tuple(shapes), rest, places)


def _joint(
    element: Element, pieces: dict[str, Element], parent: Segment, child: Segment, notes: list[Finding]
) -> Joint:
    name, type = element.attributes["name"], _type(element)
    axis, limits, transmission = (1.0, 0.0, 0.0), Limits(), Transmission()
    if type.has_axis:
        axis, limits = _axis(pieces.get("axis"), notes), _limits(element, pieces.get("limit"), type, notes)
        if (dynamics := pieces.get("dynamics")) is not None:
            numbers = (number(dynamics, what, 0.0) for what in ("rotor_inertia", "damping", "friction"))
            transmission = Transmission(*numbers)
    target, reference = (child, f"{name}:child"), (parent, f"{name}:parent")
    mimic, rest = _mimic(pieces.get("mimic")), carried(element, joint_kind(element))
    said = axis, limits, mimic, transmission, element.place
    places = {tag: piece.place for tag, piece in pieces.items()}
    return Joint(name, type, target, reference, *said, carried=rest, places=places)


def _degrees(origin: Element | None) -> Iterator[Finding]:
    """Ur10: angles of an origin beyond a whole turn."""
    if origin is None:
        return
    angles = numbers(origin, "rpy", 3, (0.0, 0.0, 0.0))
    if max(map(abs, angles)) > TURN:
        message = f"rpy = {quoted(origin.attributes['rpy'])} turns more than once around, which looks like degrees"
        radians = " ".join(f"{math.radians(angle):.6g}" for angle in angles)
        yield warning("Ur10", origin, message, f"if so, give {radians}: angles are in rad", "rpy")


def _type(joint: Element) -> JointType:
    said = required(joint, "type")
    if said not in TYPES:
        raise joint.error(f"URDF has no joint type {quoted(said)}", f"use one of: {', '.join(TYPES)}", "type")
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
        notes.append(note("Ur8", element, message, "give a vector of length 1", "xyz"))
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
    if not bounded and ("lower" in element.attributes or "upper" in element.attributes):
        message = f"a {type} joint has no position limits: lower = {lower:g}, upper = {upper:g} are not used"
        first = "lower" if "lower" in element.attributes else "upper"
        notes.append(note("Ur8", element, message, "remove them, or make the joint revolute or prismatic", first))
    for attribute in ("acceleration", "deceleration", "jerk"):  # URDF 1.2
        if attribute in element.attributes:
            message = (
                f"limits of {attribute} have no place in the model: {quoted(element.attributes[attribute])} is not used"
            )
            notes.append(note("Ur8", element, message, "bound it where the motion is planned", attribute))
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
        notes.append(warning("Ur5", limit, message, f"give {attribute} as a number ≥ 0", attribute))
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
            remedy = f"correct the name, or add the link{suggestion(link, links)}"
            raise parts[tag].error(f"there is no link {quoted(link)}", remedy, "link")
    return parts["parent"].attributes["link"], parts["child"].attributes["link"]
