"""A robot as sweeps see it: bodies that move, one joint each, frames attached to them.

Normalisation happens here and is invisible outside: links that cannot move against each other become one body, the
frame of each joint with an axis is turned so that the axis is +z and put where on it constants vanish (placing.py), and
constants within 1e-14 of 0 and ±1 are snapped.
The user's frames are unaffected; they become attachments. A joint made of two has a body without mass between them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.geometry import WORLD, WORLD_FRAME, Body, Frame, Orientation, Pose, Position, RigidInertia
from motionc.geometry.factors import Rotation, multiply_out
from motionc.geometry.lie import align_z, pose_inverse
from motionc.model.chain import (
    HERE,
    Array,
    Joint,
    KinematicChain,
    Link,
    Role,
    Segment,
    Transmission,
)
from motionc.model.joints import FIXED, FLOATING, Part
from motionc.model.moving_joint import MovingJoint
from motionc.model.placing import placed

Z = (0.0, 0.0, 1.0)
Snap = Callable[..., Array]
LARGEST_MECHANISM = 2_000
"""Movable joints. A program grows by about 120 instructions and 10 ms a joint, and C compilers take longer still."""


@dataclass(frozen=True, slots=True, eq=False)
class MovingBody:
    """A body, its joint to the parent (-1: the world), its inertia about the joint's target frame."""

    index: int
    parent: int
    body: Body
    frame: Frame
    joint: MovingJoint
    inertia: RigidInertia


@dataclass(frozen=True, slots=True, eq=False)
class Frames(Mapping[str, tuple[int, Pose]]):
    """Every frame by name: (body index, Pose wrt that body's frame). A pose is made when it is asked for."""

    places: Mapping[str, tuple[int, Frame, Frame, Array]]
    normalised: bool

    def __getitem__(self, name: str) -> tuple[int, Pose]:
        index, frame, owner, pose = self.places[name]
        if frame is owner:
            return index, Pose.between(frame, owner)
        return index, Pose.from_matrix(frame, owner, snap(pose) if self.normalised else pose)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True, slots=True, eq=False)
class Mechanism:
    """The moving bodies, parents before children, and every frame by name; whether joints follow others, and whether
    the frames of some have moved along their axes.
    """

    bodies: tuple[MovingBody, ...]
    frames: Mapping[str, tuple[int, Pose]]
    nq: int
    nv: int
    coupled: bool
    moved: bool = False

    def body_frame(self, index: int) -> Frame:
        """The frame in which a body's quantities are written; the world's for -1."""
        return WORLD_FRAME if index < 0 else self.bodies[index].frame

    def path(self, index: int) -> list[int]:
        """The bodies from the root to this one."""
        found: list[int] = []
        while index >= 0:
            found.append(index)
            index = self.bodies[index].parent
        return found[::-1]


@dataclass(frozen=True, slots=True, eq=False)
class CoordinateMap:
    """Which joint owns which entries of q and v, and which follow."""

    q: Mapping[str, slice]
    v: Mapping[str, slice]
    follows: Mapping[str, tuple[str, float, float]]
    locked: Mapping[str, float]
    nq: int
    nv: int


def build_mechanism(
    chain: KinematicChain,
    coordinates: CoordinateMap,
    floating: str,
    order: Iterable[Joint],
    *,
    normalise: bool = True,
    place: bool = True,
    parted: Collection[str] = (),
) -> Mechanism:
    """Turn a chain into moving bodies. `floating` names the joint that frees the base, "" for a fixed one; what is
    beyond joints that are `parted` is a body of its own, though they do not move. Without `place` the frames of joints
    stay where on their axes they are.
    """
    order = tuple(order)
    mechanism = _built(chain, coordinates, floating, order, normalise, parted, {})
    places = placed(mechanism.bodies) if normalise and place else {}
    return _built(chain, coordinates, floating, order, normalise, parted, places) if places else mechanism


def _built(
    chain: KinematicChain,
    coordinates: CoordinateMap,
    floating: str,
    order: Iterable[Joint],
    normalise: bool,
    parted: Collection[str],
    places: Mapping[int, Array],
) -> Mechanism:
    """With the frames of these bodies at other places of their joints' axes."""
    count = len(coordinates.v) + len(coordinates.follows)
    if count > LARGEST_MECHANISM:
        raise Error(
            f"{chain.name} has {count} movable joints, more than the {LARGEST_MECHANISM} that can be computed with; "
            "hold those that need not move (fixed=[…]), or take the part of the robot that matters"
        )
    tidy: Snap = snap if normalise else _as_written
    bodies: list[MovingBody] = []
    # where each segment's reference frame is: body index and 4×4 pose in that body's frame
    home: dict[str, tuple[int, Array]] = {}
    frames: dict[str, tuple[int, Frame, Frame, Array]] = {"world": (-1, WORLD_FRAME, WORLD_FRAME, HERE)}

    def attach(segment: Segment, index: int, pose: Array) -> None:
        """Record a segment's frames and add its inertia to the body it belongs to."""
        home[segment.name] = (index, pose)
        owner = _frame_of(bodies, index)
        for attachment in (*segment.link.frames, *segment.frames):
            if attachment.role is Role.FEATURE:
                name = segment.name if attachment.name == segment.link.reference else attachment.name
                frame = Frame(name, owner.body, attachment.axes)
                frames.setdefault(name, (index, frame, owner, pose @ attachment.pose))
        if index >= 0 and segment.link.mass is not None:
            inertia = link_inertia(segment.link, owner, pose, tidy)
            bodies[index] = replace(bodies[index], inertia=bodies[index].inertia + inertia)

    def add_body(joint: MovingJoint, parent: int) -> int:
        frame = joint.target
        nothing = RigidInertia.about_center_of_mass(frame.body, frame, 0.0, (0, 0, 0), np.zeros((3, 3)))
        bodies.append(MovingBody(len(bodies), parent, frame.body, frame, joint, nothing))
        return len(bodies) - 1

    # the base: part of the world, or a body that floats
    root = chain.root
    if floating:
        frame = Frame(root.link.reference, Body(root.body))
        reference = Pose.between(Frame(f"{floating}:parent", WORLD), WORLD_FRAME)
        part = Part(FLOATING, np.array(Z))
        attach(root, add_body(_joint(floating, part, reference, frame, coordinates, Transmission()), -1), np.eye(4))
    else:
        attach(root, -1, np.eye(4))

    # outward, one joint after the other
    for joint in order:
        index, parent_pose = home[joint.parent.name]
        here = parent_pose @ joint.parent.pose(joint.reference[1])
        target = joint.child.pose(joint.target[1])
        pieces = joint.type.parts(joint)
        if joint.name in coordinates.locked or not joint.type.moves:
            here = here @ held_pose(pieces, coordinates.locked.get(joint.name, 0.0))
            pieces = () if normalise and joint.name not in parted else (Part(FIXED, np.array(Z)),)
        place = _joint_end(joint.reference, _frame_of(bodies, index).body)
        for number, part in enumerate(pieces, start=1):
            turn = np.eye(4)
            if normalise and part.type.has_axis:
                turn[:3, :3], part = align_z(part.axis), replace(part, axis=np.array(Z))
                turn = turn @ places.get(len(bodies), np.eye(4))
            last = number == len(pieces)
            frame = (
                _joint_end(joint.target, Body(joint.child.body), "~" if normalise else "") if last else _between(joint)
            )
            way = Pose.from_matrix(place, _frame_of(bodies, index), tidy(here @ turn))
            index = add_body(_joint(joint.name, part, way, frame, coordinates, joint.transmission), index)
            # what follows is placed in the turned axes of this part
            here, place = pose_inverse(turn), Frame(f"{frame.name}:far", frame.body)
        attach(joint.child, index, here @ pose_inverse(target))
        index, pose = home[joint.child.name]
        owner, name = _frame_of(bodies, index), f"joint:{joint.name}"
        frames.setdefault(name, (index, Frame(name, owner.body), owner, pose @ target))

    coupled = any(body.joint.follows for body in bodies)
    frames_by_name = Frames(frames, normalise)
    return Mechanism(tuple(bodies), frames_by_name, coordinates.nq, coordinates.nv, coupled, moved=bool(places))


def _joint(
    name: str, part: Part, pose: Pose, target: Frame, coordinates: CoordinateMap, transmission: Transmission
) -> MovingJoint:
    """A joint with its place in q and v: its own, or its leader's."""
    if not part.type.moves:
        return MovingJoint(name, part, pose, target, slice(0, 0), slice(0, 0))
    leader, gain, offset = coordinates.follows.get(name, (name, 1.0, 0.0))
    q, v = coordinates.q[leader], coordinates.v[leader]
    if part.label:
        q, v = (slice(all.start + part.coordinate, all.start + part.coordinate + 1) for all in (q, v))
    at_joint = transmission.rotor_inertia, transmission.damping, transmission.friction
    return MovingJoint(name, part, pose, target, q, v, gain, offset, *at_joint, name in coordinates.follows)


def _frame_of(bodies: list[MovingBody], index: int) -> Frame:
    return WORLD_FRAME if index < 0 else bodies[index].frame


def _between(joint: Joint) -> Frame:
    """The frame of the body without mass between the two parts of a joint."""
    return Frame(f"{joint.name}:between", Body(f"<{joint.name}>"))


def _joint_end(end: tuple[Segment, str], body: Body, turned: str = "") -> Frame:
    """The frame at one end of a joint; a turned one is marked."""
    segment, name = end
    attachment = segment.frame(name)
    return Frame(f"{name}{turned}", body, attachment.axes if attachment else "")


def link_inertia(link: Link, owner: Frame, pose: Array, tidy: Snap) -> RigidInertia:
    """A link's inertia about the origin of the body it belongs to, in that body's axes."""
    at = next((frame for frame in link.frames if frame.role is Role.INERTIA), None)
    place = pose @ (np.eye(4) if at is None else np.asarray(at.pose, float))
    own = Frame(f"{link.name}:inertia", owner.body)
    orientation = Orientation(own, owner, (Rotation(tidy(place[:3, :3])),))
    position = Position(owner.origin, own.origin, owner, -place[:3, 3:])
    assert link.mass is not None
    inertia = RigidInertia.about_center_of_mass(owner.body, own, link.mass, (0, 0, 0), link.inertia)
    moved = inertia.change_frame(orientation).change_point(position)
    moments = np.asarray(moved.rotational, float)
    first_moment, rotational = tidy(moved.first_moment, link.mass), tidy(moments, np.abs(moments).max())
    return replace(moved, first_moment=first_moment, rotational=rotational)


def held_pose(pieces: Iterable[Part], value: float) -> Array:
    """The joint's own 4×4 pose at a given value, for joints that are held there; all coordinates at 0 if several."""
    pose = np.eye(4)
    for part in pieces:
        if part.type.single:
            factors, xyz = part.type.pose(part, np.full((1, 1), value))
            step = np.eye(4)
            step[:3, :3], step[:3, 3:] = multiply_out(factors), xyz
            pose = pose @ step
    return pose


def _as_written(values: Any, size: float = 1.0) -> Array:
    return np.asarray(values, float)


def snap(values: Any, size: float = 1.0) -> Array:
    """Numbers within 1e-14 `size` of 0 and ±`size` become them exactly: what rounding left, never what a file says.

    A light finger feels 1e-12 of anything heavier; and its own moments may be of that order.
    """
    values = np.array(values, float)
    for exact in (0.0, size, -size):
        values[np.abs(values - exact) < 1e-14 * size] = exact
    return values
