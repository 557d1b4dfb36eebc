"""What a robot is made of: attachment frames with roles, links, segments, joints, and the chain they form.

This is the language in which a chain is written in Python (specs/motion-stack.md §2.3, §2.5). Nothing here computes.
Something of another type than it must be is refused at once; what else is wrong with a model, the rules say.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.geometry.lie import Array, rotation_from_rpy
from motionc.model.findings import Place
from motionc.model.joints import JointType
from motionc.model.shapes import Material, Shape
from motionc.model.words import body_line, joint_line, line, numbers

LARGEST = 1e40
"""No number of a model reaches it: the square of a moment of inertia, mass times length squared, stays finite."""

HERE: Array = np.eye(4)
"""The pose of a frame that sits on its reference; one for all, so that 100,000 of them cost nothing."""
HERE.setflags(write=False)


FEATURES = "give {name: pose}"


class Role(StrEnum):
    """What an attachment frame is for."""

    INERTIA = "inertia"
    SHAPE = "shape"
    FEATURE = "feature"
    JOINT = "joint"


def placed(xyz: Iterable[float] = (0, 0, 0), rpy: Iterable[float] = (0, 0, 0)) -> Array:
    """A 4×4 pose from a position in metres and roll, pitch, yaw in radians.

    >>> placed((1, 2, 3))[:3, 3]
    array([1., 2., 3.])
    """
    place = checked.numbers("placed: xyz", _listed(xyz), "give three finite coordinates in metres", (3,))
    turn = checked.numbers("placed: rpy", _listed(rpy), "give roll, pitch and yaw in radians", (3,))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation_from_rpy(*turn), place
    return pose


def _listed(values: Any) -> Any:
    """What comes one by one as a list."""
    return list(values) if isinstance(values, Iterator) else values


@dataclass(frozen=True, slots=True, eq=False)
class Attachment:
    """A frame on a link, placed with respect to another frame of that link; `wrt=""` is the link's reference."""

    name: str
    role: Role | None
    pose: Any = field(default_factory=placed)
    wrt: str = ""
    axes: str = ""

    def __post_init__(self) -> None:
        checked.by_types(self, "Attachment")

    def __repr__(self) -> str:
        return line("Attachment", self.name, self.role or "", f"at {numbers(np.asarray(self.pose)[:3, 3])}")


@dataclass(frozen=True, slots=True)
class Carried:
    """Something of a file that plays no part in the model and goes back into a file as it came.

    path: where below its owner, "" for right there, or such as `/visual[0]/geometry[0]`.
    attribute: its name; "" for an element.
    text: the attribute's value, or the element as XML.
    """

    path: str
    attribute: str
    text: str
    place: Place = field(default_factory=lambda: Place("file"))


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link, a rigid body. `inertia` is about the inertia frame's origin, in its axes; mass None: it has none."""

    name: str
    frames: tuple[Attachment, ...]
    mass: float | None = None
    inertia: Any = None
    place: Place = field(default_factory=lambda: Place(""))
    shapes: tuple[Shape, ...] = ()
    carried: tuple[Carried, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict[str, Place])

    def __post_init__(self) -> None:
        checked.by_types(self, "Link")
        if not self.place.element:
            object.__setattr__(self, "place", Place(f"link {self.name}"))

    def at(self, part: str, attribute: str = "") -> Place:
        """Where a part of it is written (`mass`, `inertia`, `origin` of both), or an attribute there."""
        return _within(self.places.get(part), attribute) or self.place

    def __repr__(self) -> str:
        return body_line("Link", self)

    @property
    def reference(self) -> str:
        """The feature frame all others are placed with respect to: the first one."""
        for frame in self.frames:
            if frame.role is Role.FEATURE:
                return frame.name
        return self.name

    @staticmethod
    def rigid(
        name: str,
        mass: float | None = None,
        com: Iterable[float] = (0, 0, 0),
        inertia: Any = None,
        features: dict[str, Any] | None = None,
        reference: str = "",
    ) -> "Link":
        """A link from the numbers one usually has: mass (kg), centre of mass (m), inertia about it (kg m²)."""
        what = f"Link {checked.name('Link: name', name)}"
        frames = [Attachment(checked.name(f"{what}: reference", reference, empty=True) or name, Role.FEATURE)]
        if mass is not None:
            place = checked.numbers(f"{what}: com", _listed(com), "give three finite coordinates in metres", (3,))
            frames.append(Attachment(f"{name}:inertia", Role.INERTIA, placed(place)))
        poses = {} if features is None else checked.instance(f"{what}: features", features, Mapping, FEATURES)
        frames += [Attachment(key, Role.FEATURE, pose) for key, pose in poses.items()]
        moments = np.zeros((3, 3)) if inertia is None and mass is not None else inertia
        if moments is not None:
            moments = checked.numbers(f"{what}: inertia", moments, "give three moments or a 3×3 matrix", infinite=True)
        if moments is not None and np.ndim(moments) == 1:
            moments = np.diag(moments)
        return Link(name, tuple(frames), mass, moments, Place(f"link {name}"))


@dataclass(frozen=True, eq=False)
class Segment:
    """A link with the frames joints attach to."""

    name: str
    link: Link
    frames: tuple[Attachment, ...] = ()

    def __post_init__(self) -> None:
        checked.by_types(self, "Segment")

    def __repr__(self) -> str:
        return line("Segment", self.name, f"{len(self.frames)} frames")

    @property
    def body(self) -> str:
        """The name under which relations know it: `Segment.Link`, or one name where both are the same."""
        return self.name if self.name == self.link.name else f"{self.name}.{self.link.name}"

    def pose(self, name: str) -> Array:
        """Where the frame of that name is on the link; at its reference where there is none."""
        found = self.frame(name)
        return HERE if found is None else np.asarray(found.pose, float)

    def frame(self, name: str) -> Attachment | None:
        """The frame of that name, the link's or the segment's own."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, Attachment]:
        """The first frame of each name."""
        return {frame.name: frame for frame in reversed((*self.frames, *self.link.frames))}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a joint's coordinate: position (rad or m), velocity, effort; infinite where nothing is said."""

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf

    def __post_init__(self) -> None:
        checked.by_types(self, "Limits")


@dataclass(frozen=True, slots=True)
class Mimic:
    """A mimic joint follows a leader: q = gain · q of the leader + offset."""

    leader: str
    gain: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        checked.by_types(self, "Mimic")


@dataclass(frozen=True, slots=True)
class Transmission:
    """The transmission of a joint: what is dynamic at each of its coordinates.

    Reflected rotor inertia (kg m² or kg) is part of M; the rest belongs to plants.
    """

    rotor_inertia: float = 0.0
    damping: float = 0.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        checked.by_types(self, "Transmission")


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """Leaves some motion free between a frame of one segment (reference, parent side) and one of another (target).

    The axis is written in the target frame; both frames coincide at q = 0.

    Args:
        name: of the joint.
        type: what it leaves free. A universal joint turns about `axis`, fixed in the reference frame, then about
            `second_axis`, fixed in the target frame. A cylindrical one turns about and slides along `axis`. A planar
            one moves in the plane normal to `axis`: its x and y are the first two columns of `geometry.lie.align_z`,
            those of the joint frame for +z. A spherical or floating one has no axis.
        target: segment and frame on the child's side.
        reference: segment and frame on the parent's side.
        axis: a direction, of any length but zero.
        limits: of each coordinate alike, in the order of v; lower and upper mean nothing where q holds a quaternion.
        mimic: whom a joint of one coordinate follows.
        transmission: rotor inertia, damping and friction, of each coordinate alike.
        place: where it is written down.
        second_axis: of a universal joint, as seen at q = 0; the plane's y (see above) unless said otherwise.
        pitch: of a helical joint, the way along the axis in one radian (m/rad).
        coordinate_limits: one Limits for each coordinate of v in the place of `limits`.
        carried: what its file says of it that plays no part here.
        places: where its parts are written (`parent`, `child`, `origin`, `axis`, `limit`, `mimic`), as far as known.

    >>> arm, base = Segment("arm", Link.rigid("arm")), Segment("base", Link.rigid("base"))
    >>> Joint("shoulder", JointType.REVOLUTE, target=(arm, "a"), reference=(base, "b")).axis
    (0.0, 0.0, 1.0)
    """

    name: str
    type: JointType
    target: tuple[Segment, str]
    reference: tuple[Segment, str]
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    limits: Limits = Limits()
    mimic: Mimic | None = None
    transmission: Transmission = Transmission()
    place: Place = field(default_factory=lambda: Place(""))
    second_axis: tuple[float, float, float] | None = None
    pitch: float = 0.0
    coordinate_limits: tuple[Limits, ...] = ()
    carried: tuple[Carried, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict[str, Place])

    def __post_init__(self) -> None:
        said: Any = self.type
        if not isinstance(said, JointType) and said in JointType:
            object.__setattr__(self, "type", JointType(said))
        checked.by_types(self, "Joint")
        if not self.place.element:
            object.__setattr__(self, "place", Place(f"joint {self.name}"))

    def __repr__(self) -> str:
        return joint_line(self)

    @property
    def parent(self) -> Segment:
        return self.reference[0]

    @property
    def child(self) -> Segment:
        return self.target[0]

    def at(self, part: str, attribute: str = "") -> Place:
        """Where a part of it is written, or an attribute there; where the joint is, if that is all that is known."""
        return _within(self.places.get(part), attribute) or self.place


def _within(place: Place | None, attribute: str) -> Place | None:
    return place and replace(place, attribute=attribute)


@dataclass(frozen=True, eq=False)
class KinematicChain:
    """A kinematic chain: joints in order, the first at the root; they carry their segments with them.

    `base` names the root segment where there is no joint to say so (a robot of one link).
    """

    name: str
    joints: tuple[Joint, ...]
    base: Segment | None = None
    materials: tuple[Material, ...] = ()
    carried: tuple[Carried, ...] = ()

    def __post_init__(self) -> None:
        checked.by_types(self, "KinematicChain")

    def __repr__(self) -> str:
        return line("KinematicChain", self.name, f"{len(self.joints)} joints")

    @cached_property
    def root(self) -> Segment:
        """The segment the first joint starts from."""
        if self.joints:
            children = {joint.child.name for joint in self.joints}
            starts = (joint.parent for joint in self.joints if joint.parent.name not in children)
            return next(starts, self.joints[0].parent)
        if self.base is None:
            raise Error(f"chain {self.name} has neither joints nor a base; give it one of them")
        return self.base

    @cached_property
    def depth_first(self) -> tuple[Joint, ...]:
        """Every joint of the tree once, children in the order in which they are listed."""
        children: dict[str, list[Joint]] = {}
        for joint in self.joints:
            children.setdefault(joint.parent.name, []).append(joint)
        order, stack = list[Joint](), children.get(self.root.name, [])[::-1]
        while stack:
            joint = stack.pop()
            order.append(joint)
            stack += children.get(joint.child.name, [])[::-1]
        return tuple(order)

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """Every segment once, root first, then in the order of the joints."""
        found = {self.root.name: self.root}
        for joint in self.joints:
            found.setdefault(joint.parent.name, joint.parent)
            found.setdefault(joint.child.name, joint.child)
        return tuple(found.values())
