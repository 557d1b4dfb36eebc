"""How is a robot written down for MuJoCo: as MJCF text, with every digit, or as an MjSpec to build on.

A link is a body, a joint one or more MuJoCo joints at the same place, a follower an equality constraint, a feature
frame a site; every joint of one coordinate gets a motor. What MJCF has no word for (names of welds, speed limits, a
root other than the world) stands in <custom> texts, which read_mjcf reads back. Simple shapes become geoms: those to
look at in group 2, without contact, those to collide with in group 3; neighbours do not collide (mjcf_contact.py).
Meshes are written where they are asked for and found, since MuJoCo opens them.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.formats.mjcf import import_mujoco
from motionc.formats.mjcf_attributes import SMALLEST, coupling, features, geom, inertial, placed, words
from motionc.formats.mjcf_contact import kept_apart
from motionc.formats.mjcf_joints import UNBOUNDED
from motionc.formats.mjcf_meshes import MeshAssets
from motionc.formats.mjcf_text import ANNOTATION
from motionc.formats.xml_tree import in_quotes
from motionc.geometry.lie import align_z, pose_inverse
from motionc.model.chain import Array, Joint, JointType, KinematicChain, Limits, Segment
from motionc.model.mechanism import held_pose
from motionc.model.robot import ROOT_JOINT, Robot
from motionc.model.shapes import Mesh

__all__ = ["to_mjcf", "to_mjspec"]

DEEPEST = 496  # bodies in each other; tinyxml2 stops at 500 elements
LARGEST_FREEDOM = 6  # coordinates of one body, as MuJoCo has it


def to_mjspec(model: Robot | KinematicChain, *, balance: bool = False, meshes: bool = False) -> Any:
    """A robot as a `mujoco.MjSpec`, to add shapes, actuators, a scene; `.compile()` makes the MjModel.

    >>> from motionc.formats import read_urdf
    >>> spec = to_mjspec(read_urdf("<robot name='stone'><link name='stone'/></robot>").chain)
    >>> [body.name for body in spec.bodies]
    ['world', 'stone']
    """
    return import_mujoco().MjSpec.from_string(to_mjcf(model, balance=balance, meshes=meshes))


def to_mjcf(model: Robot | KinematicChain, *, balance: bool = False, meshes: bool = False) -> str:
    """A robot as MJCF text. Joints that are held are welded where they are held.

    Args:
        model: a robot, or a chain of joints that stands on the ground.
        balance: lets MuJoCo replace principal moments that no rigid body has by their mean; otherwise they are refused.
        meshes: whether meshes are written too, those of kinds MuJoCo reads (STL, OBJ) that are found on this machine,
            by their full paths.

    >>> from motionc.formats import read_urdf
    >>> print(to_mjcf(read_urdf("<robot name='stone'><link name='stone'/></robot>").chain))
    <mujoco model="stone">
      <compiler angle="radian" autolimits="true"/>
      <worldbody>
        <body name="stone">
        </body>
      </worldbody>
      <custom>
        <text name="motionc:root" data="stone"/>
      </custom>
    </mujoco>
    """
    checked.instance("to_mjcf: model", model, (Robot, KinematicChain), "give a Robot or a KinematicChain")
    checked.flag("to_mjcf: balance", balance)
    checked.flag("to_mjcf: meshes", meshes)
    robot = model if isinstance(model, Robot) else Robot(model)
    return _Writer(robot, balance, MeshAssets(robot) if meshes else None).text()


@dataclass(frozen=True, slots=True, eq=False)
class _Motion:
    """One MuJoCo joint: its kind, its axis and place in the frame of the body, limits and what is dynamic at it."""

    name: str
    kind: str
    joint: Joint
    axis: Array
    at: Array
    limits: Limits

    def seen_from(self, pose: Array) -> "_Motion":
        """The same in another frame; `pose` is that of the present one in it."""
        return replace(self, axis=pose[:3, :3] @ self.axis, at=pose[:3, :3] @ self.at + pose[:3, 3])


class _Writer:
    """Walks the tree once, outward, and writes an element a line."""

    def __init__(self, robot: Robot, balance: bool, meshes: MeshAssets | None) -> None:
        self.meshes = meshes
        self.robot, self.balance, self.lines, self.motions = robot, balance, list[str](), list[_Motion]()
        self.annotations: dict[str, str] = {}
        self.written: set[str] = set()  # segments that are bodies
        self.couplings: list[tuple[str, str, float, float]] = []  # follower, leader, gain, offset
        self.below: dict[str, list[Joint]] = {segment.name: [] for segment in robot.segments}
        for joint in robot.joints:
            self.below[joint.parent.name].append(joint)

    def text(self) -> str:
        self._line(0, "mujoco", {"model": self.robot.name}, ">")
        balanced = {"balanceinertia": "true"} if self.balance else {}
        shaped = any(segment.link.shapes for segment in self.robot.segments)
        weighed = {"inertiafromgeom": "false"} if shaped else {}
        self._line(1, "compiler", {"angle": "radian", "autolimits": "true"} | balanced | weighed)
        self._section("asset", [("mesh", row) for row in self.meshes.rows()] if self.meshes else [])
        self._line(1, "worldbody", end=">")
        self._tree()
        self._line(1, "/worldbody", end=">")
        self._section("equality", [("joint", coupling(*each)) for each in self.couplings])
        apart = kept_apart(self.robot, self.written, self._place, self._moves)
        self._section("contact", [("exclude", {"body1": one, "body2": other}) for one, other in apart])
        self._section("actuator", [("motor", motor) for motor in self._motors()])
        texts = [{"name": ANNOTATION + key, "data": said} for key, said in self.annotations.items()]
        self._section("custom", [("text", text) for text in texts])
        self._line(0, "/mujoco", end=">")
        return "\n".join(self.lines)

    def _section(self, tag: str, parts: list[tuple[str, dict[str, str]]]) -> None:
        if parts:
            self._line(1, tag, end=">")
            for part, attributes in parts:
                self._line(2, part, attributes)
            self._line(1, f"/{tag}", end=">")

    def _line(self, depth: int, tag: str, attributes: Mapping[str, str] = {}, end: str = "/>") -> None:
        said = "".join(f" {key}={in_quotes(value)}" for key, value in attributes.items())
        self.lines.append(f"{'  ' * depth}<{tag}{said}{end}")

    # ---------------------------------------------------------------- bodies

    def _tree(self) -> None:
        """Outward; the end of each body waits below its parts."""
        root, depth = self.robot.chain.root, 2
        pending: list[Joint | str] = []
        if root.name == "world":
            self._geoms(root, depth)
            self._sites(root, depth)
            pending += self.below[root.name][::-1]
        else:
            floats = self.robot.floating
            if floats and not self._resists(root):
                raise _idle(root, ROOT_JOINT)
            self._open(root, np.eye(4), [], depth, ROOT_JOINT if floats else "")
            if not floats:
                self.annotations["root"] = root.name
            pending = ["/body", *self.below[root.name][::-1]]
            depth += 1
        while pending:
            top = pending.pop()
            if isinstance(top, str):
                depth -= 1
                self._line(depth, top, end=">")
                continue
            child = self._hang(top, depth)
            pending += ["/body", *self.below[child.name][::-1]]
            depth += 1

    def _hang(self, joint: Joint, depth: int) -> Segment:
        """Open the body a joint moves; joints before it that move massless links act on it too, one after another."""
        pose, motions = np.eye(4), list[_Motion]()
        while True:
            own, place = self._motions(joint), self._place(joint)
            pose = pose @ place
            motions = [motion.seen_from(pose_inverse(place)) for motion in motions] + own
            if sum(3 if motion.kind == "ball" else 1 for motion in motions) > LARGEST_FREEDOM:
                said = (
                    f"links without inertia before {joint.child.name} leave it more than {LARGEST_FREEDOM} coordinates"
                )
                raise Error(f"{said}, which MuJoCo does not take; give some of them mass and inertia")
            if own and not self._resists(joint.child):
                further = self.below[joint.child.name]
                if len(further) != 1 or not self._moves(further[0]) or list(features(joint.child)):
                    raise _idle(joint.child, joint.name)
                joint = further[0]
                continue
            free = self._flies(joint) and len(motions) == len(own)
            self._open(joint.child, pose, [] if free else motions, depth, joint.name if free else "")
            if not motions:
                self.annotations[f"joint/{joint.child.name}"] = joint.name
            return joint.child

    def _open(self, segment: Segment, pose: Array, motions: list[_Motion], depth: int, free: str) -> None:
        if depth - 1 > DEEPEST:
            said = (
                f"link {segment.name} hangs on {depth - 2} others, one on the other, and MuJoCo reads {DEEPEST} at most"
            )
            raise Error(f"{said}; write URDF instead")
        self._line(depth, "body", {"name": segment.name} | placed(pose), ">")
        self.written.add(segment.name)
        if free:
            self._line(depth + 1, "freejoint", {"name": free})
        for motion in motions:
            self._line(depth + 1, "joint", self._joint(motion))
            self.motions.append(motion)
        if segment.link.mass is not None:
            self._line(depth + 1, "inertial", inertial(segment.link, self.balance))
        self._geoms(segment, depth + 1)
        self._sites(segment, depth + 1)

    def _geoms(self, segment: Segment, depth: int) -> None:
        for shape in segment.link.shapes:
            mesh = self.meshes.of.get(id(shape), "") if self.meshes else ""
            if mesh or not isinstance(shape.geometry, Mesh):
                self._line(depth, "geom", geom(shape, mesh) | placed(np.asarray(shape.pose, float)))

    def _sites(self, segment: Segment, depth: int) -> None:
        for name, pose in features(segment):
            self._line(depth, "site", {"name": name} | placed(pose))

    def _resists(self, segment: Segment) -> bool:
        """Whether a link, or one welded to it, has the mass and the moments that MuJoCo asks of what moves."""
        pending = [segment]
        while pending:
            link = (segment := pending.pop()).link
            if link.mass is not None and link.mass >= SMALLEST:
                return True
            pending += [joint.child for joint in self.below[segment.name] if not self._moves(joint)]
        return False

    # ---------------------------------------------------------------- joints

    def _moves(self, joint: Joint) -> bool:
        return joint.type.moves and joint.name not in self.robot.held

    def _flies(self, joint: Joint) -> bool:
        """Whether MuJoCo's free joint has the same coordinates: the pose of the link in the world."""
        plain = all(
            np.array_equal(segment.pose(frame), np.eye(4)) for segment, frame in (joint.reference, joint.target)
        )
        return joint.type is JointType.FLOATING and self._moves(joint) and plain and joint.parent.name == "world"

    def _place(self, joint: Joint) -> Array:
        """The pose of the child's frame in the parent's where the joint is at 0, or held."""
        held = held_pose(joint.type.parts(joint), self.robot.held.get(joint.name, 0.0))
        return joint.parent.pose(joint.reference[1]) @ held @ pose_inverse(joint.child.pose(joint.target[1]))

    def _motions(self, joint: Joint) -> list[_Motion]:
        """A joint as MuJoCo joints, one after another, in the frame of the child."""
        if not self._moves(joint):
            return []
        name, limits = joint.name, joint.coordinate_limits or (joint.limits,) * 6
        x, y, z = align_z(joint.axis).T
        match joint.type:
            case JointType.REVOLUTE | JointType.CONTINUOUS:
                found = [(name, "hinge", z, limits[0])]
            case JointType.PRISMATIC:
                found = [(name, "slide", z, limits[0])]
            case JointType.HELICAL:
                found = [(name, "hinge", z, limits[0]), (f"{name}/slide", "slide", z, Limits())]
                self.couplings.append((f"{name}/slide", name, joint.pitch, 0.0))
            case JointType.UNIVERSAL:
                second = y if joint.second_axis is None else np.array(joint.second_axis, float)
                found = [(f"{name}/first", "hinge", z, limits[0]), (f"{name}/second", "hinge", second, limits[1])]
            case JointType.CYLINDRICAL:
                found = [(f"{name}/angle", "hinge", z, limits[0]), (f"{name}/slide", "slide", z, limits[1])]
            case JointType.PLANAR:
                self._refuse_rotor(joint)
                found = [(f"{name}/x", "slide", x, limits[1]), (f"{name}/y", "slide", y, limits[2])]
                found.append((f"{name}/angle", "hinge", z, limits[0]))
            case JointType.SPHERICAL:
                found = [(name, "ball", z, Limits())]
            case JointType.FLOATING:
                self._refuse_rotor(joint)
                found = [(f"{name}/{axis}", "slide", np.eye(3)[i], Limits()) for i, axis in enumerate("xyz")]
                found.append((f"{name}/turn", "ball", z, Limits()))
            case _:
                raise Error(
                    f"{joint.place}: MJCF has no {joint.type} joints; put simpler joints in the place of {name}, or "
                    "hold it: fixed=[…]"
                )
        if joint.name in self.robot.followers:
            leader, gain, offset = self.robot.followers[joint.name]
            self.couplings.append((joint.name, leader, gain, offset))
        target = joint.child.pose(joint.target[1])
        return [_Motion(of, kind, joint, axis, np.zeros(3), own).seen_from(target) for of, kind, axis, own in found]

    def _refuse_rotor(self, joint: Joint) -> None:
        if joint.transmission.rotor_inertia:
            raise Error(
                f"MuJoCo has no rotor that turns with {joint.type} joint {joint.name}; set its rotor inertia to 0"
            )

    def _joint(self, motion: _Motion) -> dict[str, str]:
        said = {"name": motion.name, "type": motion.kind, "pos": words(motion.at)}
        limits, transmission = motion.limits, motion.joint.transmission
        if motion.kind != "ball":
            said["axis"] = words(motion.axis)
            self._range(motion, said)
        if limits.velocity < math.inf:
            self.annotations[f"velocity/{motion.name}"] = repr(float(limits.velocity))
        dynamic = {
            "armature": transmission.rotor_inertia,
            "damping": transmission.damping,
            "frictionloss": transmission.friction,
        }
        rides_along = motion.joint.type is JointType.HELICAL and motion.kind == "slide"
        return said | {key: words([value]) for key, value in dynamic.items() if value and not rides_along}

    def _range(self, motion: _Motion, said: dict[str, str]) -> None:
        """Bounds of position; where MuJoCo cannot hold them, in words of our own."""
        lower, upper = motion.limits.lower, motion.limits.upper
        if lower < upper and (lower > -math.inf or upper < math.inf):
            said["range"] = words([max(lower, -UNBOUNDED), min(upper, UNBOUNDED)])
        elif lower == upper or motion.joint.type is JointType.REVOLUTE:
            self.annotations[f"range/{motion.name}"] = f"{lower!r} {upper!r}"

    def _motors(self) -> Iterator[dict[str, str]]:
        """One for each joint of one coordinate that follows none: its control is the force or torque."""
        followers = {follower for follower, *_ in self.couplings}
        for motion in self.motions:
            if motion.kind == "ball" or motion.name in followers:
                continue
            bound, effort = {}, motion.limits.effort
            if 0 < effort < math.inf:
                bound = {"ctrlrange": words([-effort, effort])}
            elif effort == 0:
                self.annotations[f"effort/{motion.name}"] = "0"
            yield {"name": motion.name, "joint": motion.name} | bound


def _idle(segment: Segment, joint: str) -> Error:
    said = f"link {segment.name} moves and has no inertia, which MuJoCo does not take"
    return Error(f"{said}; give it mass and inertia, or do without joint {joint}")
