"""What URDF defines, what of it is mapped into the model, and what is carried along as it stands."""

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace

from motionc.formats.document import Fate, Outcome
from motionc.formats.xml_tree import Element, quoted, to_xml
from motionc.formats.xml_values import warning
from motionc.model.chain import Carried, JointType
from motionc.model.findings import Finding


@dataclass(frozen=True, slots=True)
class Kind:
    """What an element may hold (anything, if it is opaque), which attributes are idle, and why it plays no part."""

    attributes: tuple[str, ...]
    children: dict[str, "Kind"]
    unused: str = ""
    opaque: bool = False
    idle: tuple[str, ...] = ()
    many: bool = False


def _kind(attributes: str = "", unused: str = "", idle: str = "", many: bool = False, **children: Kind) -> Kind:
    return Kind(tuple(attributes.split()), children, unused, False, tuple(idle.split()), many)


def _opaque(unused: str) -> Kind:
    return Kind((), {}, unused, opaque=True)


_ORIGIN = _kind("xyz rpy quat_xyzw")
MATERIAL = _kind("name", color=_kind("rgba"), texture=_kind("filename"))
_ROUND = _kind("radius length")
GEOMETRY = _kind(
    box=_kind("size"), cylinder=_ROUND, capsule=_ROUND, sphere=_kind("radius"), mesh=_kind("filename scale")
)
MOMENTS = "ixx ixy ixz iyy iyz izz"
INERTIAL = _kind(origin=_ORIGIN, mass=_kind("value"), inertia=_kind(MOMENTS))
LINK = _kind(
    "name type",
    idle="type",
    inertial=INERTIAL,
    visual=_kind("name", many=True, origin=_ORIGIN, geometry=GEOMETRY, material=MATERIAL),
    collision=_kind("name", many=True, origin=_ORIGIN, geometry=GEOMETRY, material=MATERIAL),
    contact=_opaque("contact parameters of a simulator (Bullet)"),
)
JOINT = _kind(
    "name type",
    parent=_kind("link"),
    child=_kind("link"),
    origin=_ORIGIN,
    axis=_kind("xyz"),
    limit=_kind("lower upper effort velocity acceleration deceleration jerk", idle="acceleration deceleration jerk"),
    dynamics=_kind("damping friction rotor_inertia"),
    mimic=_kind("joint multiplier offset"),
    safety_controller=_kind("soft_lower_limit soft_upper_limit k_position k_velocity", "setting of a controller"),
    calibration=_kind("rising falling reference_position", "setting of a driver"),
)
_STILL = {
    tag: replace(JOINT.children[tag], unused="a fixed or floating joint has none")
    for tag in ("axis", "limit", "dynamics")
}
_WITHOUT_AXIS = replace(JOINT, children=JOINT.children | _STILL)
_UNBOUNDED = replace(
    JOINT,
    children=JOINT.children
    | {"limit": replace(JOINT.children["limit"], idle=(*JOINT.children["limit"].idle, "lower", "upper"))},
)
ROBOT = _kind(
    "name version",
    idle="version",
    link=LINK,
    joint=JOINT,
    material=MATERIAL,
    transmission=_opaque("wiring of actuators to joints; it holds no inertia"),
    sensor=_opaque("a sensor"),
    gazebo=_opaque("for the simulator Gazebo"),
    mujoco=_opaque("for the simulator MuJoCo"),
    ros2_control=_opaque("for ROS 2 control"),
)
TYPES: dict[str, JointType] = {
    "revolute": JointType.REVOLUTE,
    "continuous": JointType.CONTINUOUS,
    "prismatic": JointType.PRISMATIC,
    "fixed": JointType.FIXED,
    "floating": JointType.FLOATING,
    "planar": JointType.PLANAR,
}
"""URDF's words for joint types."""

BOUNDED = (JointType.REVOLUTE, JointType.PRISMATIC)
"""Those whose <limit> says lower and upper."""
_SPELLING = "correct the spelling, or remove it; known here: "


def fates(robot: Element, notes: list[Finding], refused: Container[int]) -> Iterator[Fate]:
    """The fate of every element, in document order; what URDF does not define is noted too (Ur1, Ur2, Ur6).

    refused: elements, by their identity, that are defined but cannot be read.
    """
    pending: list[tuple[Element, Kind | None, Fate]] = [(robot, ROBOT, Fate(robot.place, Outcome.USED))]
    while pending:
        element, kind, fate = pending.pop()
        yield fate
        if kind and not kind.opaque:
            notes.extend(_strangers(element, kind))
        for child in reversed(element.children):
            child_kind = _kind_of(child, kind)
            if kind is not None and child_kind is None:
                its_fate = Fate(child.place, Outcome.UNKNOWN, f"URDF defines no <{child.tag[:60]}> here")
            elif id(child) in refused:
                its_fate = Fate(child.place, Outcome.KEPT, "it cannot be read")
            elif fate.outcome is not Outcome.USED:
                its_fate = Fate(child.place, fate.outcome, fate.reason)
            elif child_kind is not None and child_kind.unused:
                its_fate = Fate(child.place, Outcome.KEPT, child_kind.unused)
            else:
                its_fate = Fate(child.place, Outcome.USED)
            pending.append((child, child_kind, its_fate))


def _kind_of(child: Element, parent: Kind | None) -> Kind | None:
    if parent is None or parent.opaque:
        return parent
    kind = parent.children.get(child.tag)
    return joint_kind(child) if kind is JOINT else kind


def joint_kind(joint: Element) -> Kind:
    """What a joint of its type may hold."""
    said = joint.attributes.get("type")
    if said in ("fixed", "floating"):
        return _WITHOUT_AXIS
    return _UNBOUNDED if said in ("continuous", "planar") else JOINT


def _strangers(element: Element, kind: Kind) -> Iterator[Finding]:
    """What stands in a known element and should not: elements (Ur1), attributes (Ur2), text (Ur6)."""
    for child in element.children:
        if child.tag not in kind.children:
            message = (
                f"URDF defines no <{child.tag[:60]}> in <{element.tag}>; it and all inside it is kept as it stands"
            )
            yield warning("Ur1", child, message, _SPELLING + (", ".join(kind.children) or "none"))
    for attribute, value in element.attributes.items():
        if attribute not in kind.attributes and attribute.split(":")[0] != "xmlns":
            said = f"{attribute[:60]} = {quoted(value)}"
            message = f"URDF defines no attribute {said} of <{element.tag}>; it is kept as it stands"
            yield warning("Ur2", element, message, _SPELLING + (", ".join(kind.attributes) or "none"), attribute)
    if words := element.text.strip():
        message = f"<{element.tag}> holds the text {quoted(words)}, which is ignored"
        yield warning("Ur6", element, message, "put it into an attribute, where URDF has its values, or a comment")


def carried(
    owner: Element, kind: Kind, refused: Container[int] = (), owners: Container[str] = ()
) -> tuple[Carried, ...]:
    """What of an element has no place in the model: elements, by their text, and attributes, by their value.

    refused: elements, by their identity, that are defined but cannot be read.
    owners: children that carry their own.
    """
    found, pending = list[Carried](), [("", owner, kind)]
    while pending:
        path, element, its = pending.pop()
        for name, value in element.attributes.items():
            if name not in its.attributes or name in its.idle:
                found.append(Carried(path, name, value, element.place))
        counts = Counter[str]()
        for child in element.children:
            child_kind = its.children.get(child.tag)
            if element is owner and child.tag in owners:
                continue
            if child_kind is None or child_kind.unused or id(child) in refused:
                found.append(Carried(path, "", to_xml(child), child.place))
                continue
            pending.append((f"{path}/{child.tag}[{counts[child.tag]}]", child, child_kind))
            counts[child.tag] += 1
    return tuple(found)


def parts(parent: Element, kind: Kind) -> dict[str, Element]:
    """The children that URDF defines, by tag; of each that is mapped there is one."""
    found: dict[str, Element] = {}
    for child in parent.children:
        if child.tag in kind.children:
            first = found.setdefault(child.tag, child)
            if first is not child and not (kind.children[child.tag].unused or kind.children[child.tag].many):
                message = f"a second <{child.tag}>; the first is in line {first.place.line}"
                raise child.error(message, "keep one of the two")
    return found
