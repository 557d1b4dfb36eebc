"""A robot as URDF: what was read comes back as it was; what URDF cannot say is refused by name."""

import re
from collections.abc import Iterator
from math import isinf
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.formats.urdf_schema import BOUNDED, TYPES
from motionc.formats.xml_tree import in_quotes
from motionc.geometry.lie import rpy_from_rotation
from motionc.model.chain import (
    Array,
    Attachment,
    Carried,
    Joint,
    KinematicChain,
    Limits,
    Role,
    Segment,
)
from motionc.model.robot import Robot
from motionc.model.shapes import Box, Capsule, Cylinder, Geometry, Material, Mesh, Shape, Sphere

STEP = re.compile(r"/(?P<tag>[^/\[\]]+)\[(?P<index>\d+)\]")
HOME = np.eye(4)


class Node:
    """An element being written; `raw` is text that stands in it as it is."""

    def __init__(self, tag: str, **attributes: Any) -> None:
        self.tag, self.children, self.raw = tag, list[Node](), list[str]()
        self.attributes = {name: _text(value) for name, value in attributes.items() if value is not None}

    def add(self, tag: str, **attributes: Any) -> "Node":
        self.children.append(Node(tag, **attributes))
        return self.children[-1]

    def lines(self, indent: str = "") -> Iterator[str]:
        start = f"{indent}<{self.tag}" + "".join(f" {name}={in_quotes(text)}" for name, text in self.attributes.items())
        if not (self.children or self.raw):
            yield f"{start}/>"
            return
        yield f"{start}>"
        for child in self.children:
            yield from child.lines(indent + "  ")
        yield from (f"{indent}  {text}" for text in self.raw)
        yield f"{indent}</{self.tag}>"


def to_urdf(model: Robot | KinematicChain) -> str:
    """A robot, with every joint it has in its file, as URDF text; whether its base floats, URDF does not say.

    A URDF link has its frame where its joint is. Where a chain has them apart, a link without mass stands at the joint,
    named `<link>@<joint>`; feature frames become links without mass. Comments of a file that was read are not kept.
    """
    checked.instance("to_urdf: model", model, (Robot, KinematicChain), "give a Robot or a KinematicChain")
    chain = model.chain if isinstance(model, Robot) else model
    for joint in chain.joints:
        if joint.type not in TYPES:
            raise Error(
                f"{joint.place}: URDF has no {joint.type} joints; write MJCF, or put simpler joints in the place of "
                f"{joint.name}"
            )
    robot = Node("robot", name=chain.name)
    for material in chain.materials:
        _material(robot, material)
    known = {material.name: material for material in chain.materials}
    for segment in chain.segments:
        _link(robot, segment, known)
    for joint in chain.joints:
        _joint(robot, joint)
    for segment in chain.segments:
        _features(robot, segment)
    _carry(robot, chain.carried)
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', *robot.lines(), ""])


# ---------------------------------------------------------------- links


def _link(robot: Node, segment: Segment, known: dict[str, Material]) -> None:
    link, node = segment.link, robot.add("link", name=segment.name)
    if link.mass is not None:
        inertial = node.add("inertial")
        at = next((frame for frame in link.frames if frame.role is Role.INERTIA), None)
        _origin(inertial, HOME if at is None else at.pose)
        inertial.add("mass", value=link.mass)
        m = np.asarray(link.inertia, float)
        inertial.add("inertia", ixx=m[0, 0], ixy=m[0, 1], ixz=m[0, 2], iyy=m[1, 1], iyz=m[1, 2], izz=m[2, 2])
    for shape in link.shapes:
        _shape(node, shape, known)
    _carry(node, link.carried)


def _shape(link: Node, shape: Shape, known: dict[str, Material]) -> None:
    node = link.add(shape.purpose, name=shape.name or None)
    _origin(node, shape.pose)
    tag, attributes = _geometry(shape.geometry)
    node.add("geometry").add(tag, **attributes)
    if shape.material is not None:
        own = shape.material
        _material(node, Material(own.name) if known.get(own.name) == own else own)


def _geometry(geometry: Geometry) -> tuple[str, dict[str, Any]]:
    match geometry:
        case Box(size):
            return "box", {"size": size}
        case Sphere(radius):
            return "sphere", {"radius": radius}
        case Cylinder(radius, length):
            return "cylinder", {"radius": radius, "length": length}
        case Capsule(radius, length):
            return "capsule", {"radius": radius, "length": length}
        case Mesh(file, scale):
            return "mesh", {"filename": file, "scale": None if scale == (1.0, 1.0, 1.0) else scale}


def _material(parent: Node, material: Material) -> None:
    node = parent.add("material", name=material.name or None)
    if material.rgba is not None:
        node.add("color", rgba=material.rgba)
    if material.texture:
        node.add("texture", filename=material.texture)


def _features(robot: Node, segment: Segment) -> None:
    """Frames beside the link's own, as links that hang on it."""
    for frame in (*segment.link.frames, *segment.frames):
        if frame.role is Role.FEATURE and frame.name != segment.link.reference:
            robot.add("link", name=frame.name)
            _fixed(robot, f"{segment.name}-{frame.name}", segment.name, frame.name, frame.pose)


# ---------------------------------------------------------------- joints


def _joint(robot: Node, joint: Joint) -> None:
    (parent, reference), (child, target) = joint.reference, joint.target
    away = np.asarray(_frame(child, target).pose, float)
    end = child.name
    if not np.array_equal(away, HOME):
        end = f"{child.name}@{joint.name}"
        robot.add("link", name=end)
        _fixed(robot, f"{child.name}@", end, child.name, np.linalg.inv(away))
    node = robot.add("joint", name=joint.name, type=joint.type)
    _origin(node, _frame(parent, reference).pose)
    node.add("parent", link=parent.name)
    node.add("child", link=end)
    if joint.type.has_axis:
        node.add("axis", xyz=joint.axis)
        _limits(node, joint)
        made = joint.transmission
        if made.damping or made.friction or made.rotor_inertia:
            rotor = made.rotor_inertia or None
            node.add("dynamics", damping=made.damping, friction=made.friction, rotor_inertia=rotor)
    if joint.mimic is not None:
        node.add("mimic", joint=joint.mimic.leader, multiplier=joint.mimic.gain, offset=joint.mimic.offset)
    _carry(node, joint.carried)


def _limits(node: Node, joint: Joint) -> None:
    limits, bounded = joint.limits, joint.type in BOUNDED
    if limits == Limits() and not bounded:
        return
    node.add(
        "limit",
        lower=limits.lower if bounded else None,
        upper=limits.upper if bounded else None,
        effort=limits.effort,
        velocity=limits.velocity,
    )


def _fixed(robot: Node, name: str, parent: str, child: str, pose: Array) -> None:
    node = robot.add("joint", name=name, type="fixed")
    _origin(node, pose)
    node.add("parent", link=parent)
    node.add("child", link=child)


def _frame(segment: Segment, name: str) -> Attachment:
    found = segment.frame(name)
    if found is None:
        raise Error(f"segment {segment.name} has no frame {name}; check the model first")
    return found


# ---------------------------------------------------------------- small things


def _origin(node: Node, pose: Any) -> None:
    pose = np.asarray(pose, float)
    if np.array_equal(pose, HOME):
        return
    turned = not np.array_equal(pose[:3, :3], np.eye(3))
    node.add("origin", xyz=pose[:3, 3], rpy=rpy_from_rotation(pose[:3, :3]) if turned else None)


def _carry(owner: Node, pieces: tuple[Carried, ...]) -> None:
    """Put back what was carried along."""
    known: dict[tuple[int, str], list[Node]] = {}
    for piece in pieces:
        node = owner
        for step in STEP.finditer(piece.path):
            node = _step(node, step["tag"], int(step["index"]), known)
        if piece.attribute:
            node.attributes[piece.attribute] = piece.text
        else:
            node.raw.append(piece.text)


def _step(node: Node, tag: str, index: int, known: dict[tuple[int, str], list[Node]]) -> Node:
    """The child of that tag and number; one that held nothing but this is made again. `known` are children by tag."""
    if (same := known.get((id(node), tag))) is None:
        same = known[id(node), tag] = [child for child in node.children if child.tag == tag]
    while len(same) <= index:
        same.append(node.add(tag))
    return same[index]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple | list | np.ndarray):
        return " ".join(_text(entry) for entry in value)
    number = float(value)
    return ("inf" if number > 0 else "-inf") if isinf(number) else repr(number)
