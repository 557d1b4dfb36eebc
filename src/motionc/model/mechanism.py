"""A robot as sweeps see it: bodies that move, one joint each, frames attached to them.

Normalisation happens here and is invisible outside: links that cannot move against each other become one body, each
one-coordinate joint's frame is turned so that its axis is +z, and constants within 1e-12 of 0 and ±1 are snapped.
The user's frames are unaffected; they become attachments.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.geometry import WORLD, WORLD_FRAME, Body, Frame, MotionBasis, Orientation, Pose, Position, RigidInertia
from motionc.geometry.coordinates import Coordinates, Matrix, sin_cos, skew
from motionc.geometry.factors import PlanarRotation, Rotation
from motionc.geometry.lie import align_z, rotation_about
from motionc.model.chain import HERE, Array, Joint, JointType, KinematicChain, Link, Role, Segment

LARGEST_MECHANISM = 2_000
"""Movable joints. A program grows by about 120 instructions and 10 ms a joint, and C compilers take longer still."""

Z = (0.0, 0.0, 1.0)
AXES = ("rx", "ry", "rz", "x", "y", "z")


@dataclass(frozen=True, slots=True, eq=False)
class MovingJoint:
    """What moves a body against its parent, and where its coordinates are in q and v.

    A follower reads its leader's: q = gain · q[leader] + offset. `target` coincides with `reference` at q = 0.
    """

    name: str
    type: JointType
    axis: Array
    reference: Pose
    target: Frame
    q: slice
    v: slice
    gain: float = 1.0
    offset: float = 0.0
    rotor: float = 0.0

    @property
    def labels(self) -> tuple[str, ...]:
        """One name for each velocity coordinate."""
        if self.type is JointType.FIXED:
            return ()
        return tuple(f"{self.name}.{axis}" for axis in AXES) if self.type is JointType.FLOATING else (self.name,)

    def relative_pose(self, q: Coordinates) -> Pose:
        """Pose of the target frame wrt the reference frame."""
        reference, target = self.reference.of, self.target
        if self.type is JointType.FIXED:
            return Pose.between(target, reference)
        if q is None:
            return Pose.between(target, reference, None, None)
        if self.type is JointType.FLOATING:
            return Pose.between(target, reference, (Rotation(_quaternion_matrix(q[3:7, :])),), q[:3, :])
        if self.type is JointType.PRISMATIC:
            return Pose.between(target, reference, (), self.axis.reshape(3, 1) @ q)
        sine, cosine = sin_cos(q)
        if tuple(self.axis) == Z:
            return Pose.between(target, reference, (PlanarRotation(sine, cosine),))
        k = skew(self.axis.reshape(3, 1))
        return Pose.between(target, reference, (Rotation(np.eye(3) + k * sine + (k @ k) * (1 - cosine)),))

    def basis(self, of: Body, wrt: Body) -> MotionBasis:
        """The motion subspace S, written in the target frame."""
        angular, linear = np.zeros((3, 0)), np.zeros((3, 0))
        if self.type is JointType.FLOATING:
            angular, linear = np.eye(3, 6), np.eye(3, 6, 3)
        elif self.type is JointType.PRISMATIC:
            angular, linear = np.zeros((3, 1)), self.axis.reshape(3, 1)
        elif self.type is not JointType.FIXED:
            angular, linear = self.axis.reshape(3, 1), np.zeros((3, 1))
        return MotionBasis(of, wrt, self.target.origin, self.target, angular, linear, joints=self.labels)


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
        return index, Pose.from_matrix(frame, owner, _snap(pose) if self.normalised else pose)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True, slots=True, eq=False)
class Mechanism:
    """The moving bodies, parents before children, and every frame by name."""

    bodies: tuple[MovingBody, ...]
    frames: Frames
    nq: int
    nv: int
    coupled: bool

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
    chain: KinematicChain, coordinates: CoordinateMap, floating: str, order: Iterable[Joint], *, normalise: bool = True
) -> Mechanism:
    """Turn a chain into moving bodies. `floating` names the joint that frees the base, "" for a fixed one."""
    count = len(coordinates.v) + len(coordinates.follows)
    if count > LARGEST_MECHANISM:
        raise Error(
            f"{chain.name} has {count} movable joints, more than the {LARGEST_MECHANISM} that can be computed with; "
            "hold those that need not move (fixed=[…]), or take the part of the robot that matters"
        )
    snap: Callable[[Any], Array] = _snap if normalise else np.asarray
    bodies: list[MovingBody] = []
    # where each segment's reference frame is: body index and 4×4 pose in that body's frame
    home: dict[str, tuple[int, Array]] = {}
    frames: dict[str, tuple[int, Frame, Frame, Array]] = {"world": (-1, WORLD_FRAME, WORLD_FRAME, HERE)}

    def attach(segment: Segment, index: int, pose: Array) -> None:
        """Record a segment's frames and add its inertia to the body it belongs to."""
        home[segment.name] = (index, pose)
        owner = WORLD_FRAME if index < 0 else bodies[index].frame
        for attachment in (*segment.link.frames, *segment.frames):
            if attachment.role is Role.FEATURE:
                name = segment.name if attachment.name == segment.link.reference else attachment.name
                frame = Frame(name, owner.body, attachment.axes)
                frames.setdefault(name, (index, frame, owner, pose @ attachment.pose))
        if index >= 0 and segment.link.mass is not None:
            inertia = _link_inertia(segment.link, owner, pose, snap)
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
        joint = _joint(floating, JointType.FLOATING, np.array(Z), reference, frame, coordinates, 0.0)
        attach(root, add_body(joint, -1), np.eye(4))
    else:
        attach(root, -1, np.eye(4))

    # outward, one joint after the other
    for joint in order:
        index, parent_pose = home[joint.parent.name]
        reference = parent_pose @ _frame_pose(joint.reference)
        target = _frame_pose(joint.target)
        locked = joint.name in coordinates.locked or joint.type is JointType.FIXED
        if locked and normalise:
            moved = reference @ _joint_pose(joint, coordinates.locked.get(joint.name, 0.0)) @ _inverse(target)
            attach(joint.child, index, moved)
        else:
            align, axis, kind = np.eye(4), _unit(joint.axis), joint.type
            if locked:
                reference, kind = (
                    reference @ _joint_pose(joint, coordinates.locked.get(joint.name, 0.0)),
                    JointType.FIXED,
                )
            elif normalise and kind is not JointType.FLOATING:
                align[:3, :3], axis = align_z(axis), np.array(Z)
            parent_frame = WORLD_FRAME if index < 0 else bodies[index].frame
            place = _joint_end(joint.reference, parent_frame.body)
            frame = _joint_end(joint.target, Body(joint.child.body), "~" if normalise else "")
            pose = Pose.from_matrix(place, parent_frame, snap(reference @ align))
            moving = _joint(joint.name, kind, axis, pose, frame, coordinates, joint.transmission.rotor_inertia)
            attach(joint.child, add_body(moving, index), _inverse(target @ align))
        index, pose = home[joint.child.name]
        owner = WORLD_FRAME if index < 0 else bodies[index].frame
        name = f"joint:{joint.name}"
        frames.setdefault(name, (index, Frame(name, owner.body), owner, pose @ _frame_pose(joint.target)))

    coupled = any(body.joint.name in coordinates.follows for body in bodies)
    return Mechanism(tuple(bodies), Frames(frames, normalise), coordinates.nq, coordinates.nv, coupled)


def _joint(
    name: str, kind: JointType, axis: Array, pose: Pose, target: Frame, coordinates: CoordinateMap, rotor: float
) -> MovingJoint:
    """A joint with its place in q and v: its own, or its leader's."""
    if kind is JointType.FIXED:
        return MovingJoint(name, kind, axis, pose, target, slice(0, 0), slice(0, 0))
    leader, gain, offset = coordinates.follows.get(name, (name, 1.0, 0.0))
    return MovingJoint(
        name, kind, axis, pose, target, coordinates.q[leader], coordinates.v[leader], gain, offset, rotor
    )


def _joint_end(end: tuple[Segment, str], body: Body, turned: str = "") -> Frame:
    """The frame at one end of a joint; a turned one is marked."""
    segment, name = end
    attachment = segment.frame(name)
    return Frame(f"{name}{turned}", body, attachment.axes if attachment else "")


def _link_inertia(link: Link, owner: Frame, pose: Array, snap: Callable[[Any], Array]) -> RigidInertia:
    """A link's inertia about the origin of the body it belongs to, in that body's axes."""
    at = next((frame for frame in link.frames if frame.role is Role.INERTIA), None)
    place = pose @ (np.eye(4) if at is None else np.asarray(at.pose, float))
    own = Frame(f"{link.name}:inertia", owner.body)
    orientation = Orientation(own, owner, (Rotation(snap(place[:3, :3])),))
    position = Position(owner.origin, own.origin, owner, -place[:3, 3:])
    assert link.mass is not None
    inertia = RigidInertia.about_center_of_mass(owner.body, own, link.mass, (0, 0, 0), link.inertia)
    moved = inertia.change_frame(orientation).change_point(position)
    return replace(moved, first_moment=snap(moved.first_moment), rotational=snap(moved.rotational))


def _frame_pose(end: tuple[Segment, str]) -> Array:
    frame = end[0].frame(end[1])
    return np.eye(4) if frame is None else np.asarray(frame.pose, float)


def _joint_pose(joint: Joint, value: float) -> Array:
    """The joint's own 4×4 pose at a given value, for joints that are held there."""
    pose = np.eye(4)
    if joint.type is JointType.PRISMATIC:
        pose[:3, 3] = _unit(joint.axis) * value
    elif joint.type not in (JointType.FIXED, JointType.FLOATING):
        pose[:3, :3] = rotation_about(joint.axis, value)
    return pose


def _inverse(pose: Array) -> Array:
    """The pose seen the other way round."""
    back = np.eye(4)
    back[:3, :3], back[:3, 3] = pose[:3, :3].T, -pose[:3, :3].T @ pose[:3, 3]
    return back


def _quaternion_matrix(q: Matrix) -> Matrix:
    """Rotation of a quaternion (w, x, y, z) of any length: 1 + 2/|q|² (w [u]× + [u]×²)."""
    w, u = q[:1, :], q[1:, :]
    k = skew(u)
    return np.eye(3) + (k * w + k @ k) * (2 / (q.T @ q))


def _unit(axis: Iterable[float]) -> Array:
    vector = np.asarray(tuple(axis), float)
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector


def _snap(values: Any) -> Array:
    """Numbers within 1e-12 of 0 and ±1 become them exactly."""
    values = np.array(values, float)
    for exact in (0.0, 1.0, -1.0):
        values[np.abs(values - exact) < 1e-12] = exact
    return values
