"""Chains that break the rules, at least one for each: where it is found, what the message says, how bad it is."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np

from motionc.model import (
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Limits,
    Link,
    Mimic,
    Place,
    Role,
    Segment,
    Severity,
    Transmission,
    placed,
)
from motionc.model.shapes import Box, MassProperties, Shape, inertia_matrix

BALL: dict[str, Any] = {"mass": 1.0, "com": (0.1, 0, 0), "inertia": (0.1, 0.1, 0.1)}


def segment(name: str, *frames: str, **changes: Any) -> Segment:
    """A massive segment with joint frames of these names; changes go to its link."""
    link = replace(Link.rigid(name, **BALL), **changes)
    return Segment(name, link, tuple(Attachment(frame, Role.JOINT) for frame in frames))


def joint(name: str, reference: tuple[Segment, str], target: tuple[Segment, str], **changes: Any) -> Joint:
    kind = changes.pop("type", JointType.REVOLUTE)
    return Joint(name, kind, target, reference, place=Place(f"joint {name}"), **changes)


BASE, ARM, HAND = segment("base", "b1", "b2", "b3"), segment("arm", "near", "far"), segment("hand", "near", "far")


def chain(*joints: Joint, base: Segment | None = None) -> KinematicChain:
    """A chain of these joints; base, arm and hand have only those frames in it that are used (rule Kc8)."""
    used = {end for joint in joints for end in (joint.reference, joint.target)}

    def trimmed(each: Segment) -> Segment:
        return replace(each, frames=tuple(frame for frame in each.frames if (each, frame.name) in used))

    kept = {id(each): trimmed(each) for each in (BASE, ARM, HAND)}
    ends = [tuple((kept.get(id(each), each), name) for each, name in (j.reference, j.target)) for j in joints]
    joints = tuple(replace(j, reference=end[0], target=end[1]) for j, end in zip(joints, ends, strict=True))
    return KinematicChain("robot", joints, kept.get(id(base), base))


def arm(**changes: Any) -> KinematicChain:
    """Base, arm, hand; changes go to the second joint."""
    return chain(joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (ARM, "far"), (HAND, "near"), **changes))


def with_link(**changes: Any) -> KinematicChain:
    """The hand's link, changed."""
    return chain(joint("two", (BASE, "b1"), (segment("hand", "near", **changes), "near")))


def with_link_frame(*frames: Attachment) -> KinematicChain:
    """More frames on the hand's link."""
    return with_link(frames=(*Link.rigid("hand", **BALL).frames, *frames))


def with_segment_frame(*frames: Attachment) -> KinematicChain:
    """More frames on the hand itself."""
    hand = segment("hand", "near")
    return chain(joint("two", (BASE, "b1"), (replace(hand, frames=hand.frames + frames), "near")))


def mimics(leader: str, gain: float = 1.0, offset: float = 0.0, **changes: Any) -> KinematicChain:
    return arm(mimic=Mimic(leader, gain, offset), **changes)


def rotor(value: float) -> Transmission:
    return Transmission(rotor_inertia=value)


def long_arm(scale: float = 1.0, mass: float = 1.0, offset: float = 0.3, **hand: Any) -> KinematicChain:
    """Base, three links of 0.3 m and a hand, `mass` each: `offset` is where the hand sits, changes go to its link."""
    ball: dict[str, Any] = {"mass": mass, "com": (0.1 * scale, 0, 0), "inertia": (0.01 * mass * scale**2,) * 3}
    links = [Link.rigid(name, **ball) for name in ("base", "one", "two", "three")]
    links.append(Link.rigid("hand", **ball | hand))
    offsets = (0.3, 0.3, 0.3, offset)
    ends = [
        (Attachment("in", Role.JOINT), Attachment("out", Role.JOINT, placed((scale * way, 0, 0))))
        for way in (*offsets, 0)
    ]
    frames = [ends[0][1:], *ends[1:-1], ends[-1][:1]]
    segments = [Segment(link.name, link, each) for link, each in zip(links, frames, strict=True)]
    return KinematicChain("robot", tuple(joint(b.name, (a, "out"), (b, "in")) for a, b in pairwise(segments)))


def weightless() -> KinematicChain:
    """An arm one sees, without mass, and a hand on it."""
    bare = replace(Link.rigid("arm"), shapes=(Shape(Box((0.3, 0.1, 0.1))),))
    held = Segment("arm", bare, (Attachment("near", Role.JOINT), Attachment("far", Role.JOINT)))
    return chain(joint("one", (BASE, "b1"), (held, "near")), joint("two", (held, "far"), (HAND, "near")))


@dataclass(frozen=True)
class Broken:
    """A chain that breaks one rule: where it is found, what the message says, how bad it is."""

    rule: str
    what: str
    build: Callable[[], KinematicChain]
    place: str
    says: str
    severity: Severity = Severity.ERROR


SCALED = 2 * np.eye(4)
MIRROR = np.diag([1.0, 1.0, -1.0, 1.0])
LINK, HAND_JOINT = "link hand", "joint two"


def loop_apart() -> KinematicChain:
    c, d = segment("c", "in", "out"), segment("d", "in", "out")
    return chain(
        joint("one", (BASE, "b1"), (ARM, "near")),
        joint("forth", (c, "out"), (d, "in")),
        joint("back", (d, "out"), (c, "in")),
    )


def closed_loop() -> KinematicChain:
    """Two arms on one base that hold the same hand."""
    other, held = segment("other", "near", "far"), segment("held", "left", "right")
    return chain(
        joint("one", (BASE, "b1"), (ARM, "near")),
        joint("two", (BASE, "b2"), (other, "near")),
        joint("three", (ARM, "far"), (held, "left")),
        joint("four", (other, "far"), (held, "right")),
    )


def counter_example() -> KinematicChain:
    """Spec §2.3 (L1096–1104): Joint1 is the root with polarity {j0}|A; Joint2 is between E and A, {j3}|A its target."""
    a, c, e = segment("A", "j0", "j3"), segment("C", "j1"), segment("E", "j2")
    return chain(joint("Joint1", (a, "j0"), (c, "j1")), joint("Joint2", (e, "j2"), (a, "j3")))


def same_joint_names() -> KinematicChain:
    return chain(joint("two", (BASE, "b1"), (ARM, "near")), joint("two", (ARM, "far"), (HAND, "near")))


def joint_used_twice() -> KinematicChain:
    first, second = arm().joints
    return KinematicChain("robot", (first, second, second))


def same_segment_names() -> KinematicChain:
    twin = segment("hand", "near")
    return chain(joint("one", (BASE, "b1"), (HAND, "near")), joint("two", (BASE, "b2"), (twin, "near")))


def two_end_at(frame: str) -> KinematicChain:
    return chain(joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (ARM, frame), (HAND, "near")))


def massless(**changes: Any) -> KinematicChain:
    hand = Segment("hand", Link.rigid("hand"), (Attachment("near", Role.JOINT),))
    return chain(joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (ARM, "far"), (hand, "near"), **changes))


def feature_end() -> KinematicChain:
    hand = replace(HAND, frames=(Attachment("near", Role.FEATURE),))
    return chain(joint("two", (BASE, "b1"), (hand, "near")))


def two_tools() -> KinematicChain:
    """Two hands, each with a feature frame of the same name: which one does the name address?"""
    tool = Attachment("tool", Role.FEATURE, placed((0, 0, 0.1)))
    hands = [segment(name, "near", frames=(*Link.rigid(name, **BALL).frames, tool)) for name in ("left", "right")]
    return chain(joint("one", (BASE, "b1"), (hands[0], "near")), joint("two", (BASE, "b2"), (hands[1], "near")))


def lf_hip(sign: float) -> Segment:
    """HyQ's hip (specs/robcogen.md §2.2): moments of inertia about the link's origin, brought to the centre of mass.

    A sign of -1 takes the products for entries of the matrix, which they are not.
    """
    mass, com = 2.93, np.array([0.04263, 0.0, 0.16931])
    products = (sign * 0.000036, sign * 0.022734, sign * 0.000051)
    about_origin = inertia_matrix(0.134705, 0.144171, 0.011033, *products, products="moments")
    hip = MassProperties.seen_from(np.eye(4), mass, com, about_origin)
    return Segment("LF_hip", Link.rigid("LF_hip", mass, com, hip.inertia), (Attachment("near", Role.JOINT),))


def with_inertia_at(wrt: str) -> KinematicChain:
    reference, at = Link.rigid("hand", **BALL).frames
    return with_link(frames=(reference, replace(at, wrt=wrt)))


INERTIA_FRAME, SHAPE = Attachment("heavy", Role.INERTIA), Attachment("hull", Role.SHAPE)
BROKEN = [
    # links
    Broken("Lk1", "no role", lambda: with_link_frame(Attachment("x", None)), LINK, "frame x of link hand has no role"),
    Broken("Lk1", "a joint frame", lambda: with_link_frame(Attachment("x", Role.JOINT)), LINK, "has role joint"),
    Broken(
        "Lk1",
        "one name twice",
        lambda: with_link_frame(Attachment("x", Role.FEATURE), Attachment("x", Role.FEATURE)),
        LINK,
        "2 frames of link hand are called x",
    ),
    Broken("Lk2", "two inertia frames", lambda: with_link_frame(INERTIA_FRAME), LINK, "2 inertia frames"),
    Broken(
        "Lk2", "two shapes", lambda: with_link_frame(SHAPE, replace(SHAPE, name="skin")), LINK, "has 2 shape frames"
    ),
    Broken("Lk2", "no feature frame", lambda: with_link(frames=(INERTIA_FRAME,)), LINK, "has no feature frame"),
    Broken(
        "Lk3",
        "a frame on a frame",
        lambda: with_link_frame(Attachment("x", Role.FEATURE), Attachment("y", Role.FEATURE, wrt="x")),
        LINK,
        "frame y of link hand is placed wrt x, not hand",
    ),
    Broken(
        "Lk3",
        "an inertia frame on a frame that is not there",
        lambda: with_inertia_at("nowhere"),
        LINK,
        "frame hand:inertia of link hand is placed wrt nowhere, which is no frame of it",
    ),
    Broken(
        "Lk3",
        "a reference frame away from itself",
        lambda: with_link(frames=(Attachment("hand", Role.FEATURE, placed((1, 0, 0))), INERTIA_FRAME)),
        LINK,
        "the reference frame hand of link hand is placed away from itself",
    ),
    *(
        Broken("Lk3", what, lambda pose=pose: with_link_frame(Attachment("x", Role.FEATURE, pose)), LINK, "rigid pose")
        for what, pose in {
            "a scaled pose": SCALED,
            "a mirror": MIRROR,
            "not a number": np.full((4, 4), np.nan),
            "an infinite place": np.diag([1.0, 1.0, 1.0, math.inf]),
            "three by three": np.eye(3),
            "words": "here",
        }.items()
    ),
    Broken("Lk4", "negative mass", lambda: with_link(mass=-1.0), LINK, "has mass -1.0"),
    Broken("Lk4", "mass that is no number", lambda: with_link(mass=math.nan), LINK, "has mass nan"),
    Broken("Lk4", "no inertia", lambda: with_link(inertia=None), LINK, "no finite 3×3 inertia"),
    Broken(
        "Lk4", "infinite inertia", lambda: with_link(inertia=np.full((3, 3), np.inf)), LINK, "no finite 3×3 inertia"
    ),
    Broken(
        "Lk4",
        "no triangle",
        lambda: with_link(inertia=np.diag([1.0, 1.0, 3.0])),
        LINK,
        "no rigid body has the principal moments of link hand: 1, 1, 3",
        Severity.WARNING,
    ),
    Broken(
        "Lk4",
        "a negative moment",
        lambda: with_link(inertia=np.diag([-1.0, 2.0, 2.0])),
        LINK,
        "-1, 2, 2",
        Severity.WARNING,
    ),
    Broken(
        "Lk4",
        "HyQ's hip with the products' signs exchanged",
        lambda: chain(joint("LF_HAA", (BASE, "b1"), (lf_hip(-1), "near"))),
        "link LF_hip",
        "the principal moments of link LF_hip: -0.0211, ",
        Severity.WARNING,
    ),
    Broken(
        "Lk4",
        "an asymmetric inertia",
        lambda: with_link(inertia=np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]])),
        LINK,
        "the inertia of link hand is not symmetric",
    ),
    Broken(
        "Lk5",
        "mass without a frame",
        lambda: with_link(frames=(Attachment("hand", Role.FEATURE),)),
        LINK,
        "link hand has mass, but no inertia frame",
    ),
    Broken(
        "Lk5",
        "inertia without mass",
        lambda: with_link(mass=None),
        LINK,
        "link hand has moments of inertia, but no mass",
    ),
    Broken(
        "Lk5",
        "a frame without mass",
        lambda: with_link(mass=None, inertia=None),
        LINK,
        "link hand has an inertia frame, but neither mass",
        Severity.NOTE,
    ),
    # segments
    Broken(
        "Sg2",
        "a joint frame wrt another frame",
        lambda: with_segment_frame(Attachment("x", Role.JOINT, wrt="tool")),
        LINK,
        "joint frame x of segment hand is placed wrt tool",
    ),
    *(
        Broken(
            "Sg3", what, lambda pose=pose: with_segment_frame(Attachment("x", Role.JOINT, pose)), LINK, "no constant"
        )
        for what, pose in {
            "a pose of time": lambda t: placed((t, 0, 0)),
            "a pose of symbols": ca.SX.sym("x", 4, 4),
            "a scaled pose": SCALED,
            "not a number": np.full((4, 4), np.nan),
            "no pose": None,
        }.items()
    ),
    Broken("Sg4", "no joint frame", feature_end, LINK, "segment hand has no joint frame"),
    Broken(
        "Sg4", "one name twice", lambda: with_segment_frame(Attachment("hand", Role.FEATURE)), LINK, "are called hand"
    ),
    Broken("Sg5", "inertia on a segment", lambda: with_segment_frame(INERTIA_FRAME), LINK, "has role inertia"),
    Broken("Sg5", "shape on a segment", lambda: with_segment_frame(SHAPE), LINK, "frame hull of segment hand has role"),
    Broken("Sg5", "no role on a segment", lambda: with_segment_frame(Attachment("x", None)), LINK, "has role None"),
    # joints
    Broken(
        "Jt1",
        "an end that is a feature",
        feature_end,
        HAND_JOINT,
        "frame near of segment hand, an end of joint two, has",
    ),
    Broken("Jt1", "an end that is not there", lambda: two_end_at("elbow"), HAND_JOINT, "frame elbow of segment arm"),
    Broken(
        "Jt2",
        "both ends on one segment",
        lambda: chain(joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (HAND, "near"), (HAND, "far"))),
        HAND_JOINT,
        "both ends of joint two are on segment hand",
    ),
    Broken("Jt3", "no direction", lambda: arm(axis=(0, 0, 0)), HAND_JOINT, "joint two has axis (0, 0, 0)"),
    Broken("Jt3", "none", lambda: arm(axis=None), HAND_JOINT, "joint two has axis None"),
    Broken("Jt3", "not a number", lambda: arm(axis=(0, math.nan, 1)), HAND_JOINT, "has axis (0, nan, 1)"),
    Broken("Jt4", "limits crossed", lambda: arm(limits=Limits(1.0, -1.0)), HAND_JOINT, "lower = 1 is above upper = -1"),
    Broken("Jt4", "no such type", lambda: arm(type="ball"), HAND_JOINT, "has type 'ball'"),
    Broken("Jt3", "two numbers", lambda: arm(axis=(0, 1), type=JointType.PRISMATIC), HAND_JOINT, "has axis (0, 1)"),
    Broken(
        "Jt3",
        "a second axis of no length",
        lambda: arm(type=JointType.UNIVERSAL, second_axis=(0, 0, 0)),
        HAND_JOINT,
        "joint two has second axis (0, 0, 0)",
    ),
    Broken(
        "Jt3",
        "one axis twice",
        lambda: arm(type=JointType.UNIVERSAL, axis=(0, 1, 1), second_axis=(0, -2, -2)),
        HAND_JOINT,
        "joint two turns twice about one axis",
    ),
    Broken("Jt4", "no pitch", lambda: arm(type=JointType.HELICAL, pitch=math.nan), HAND_JOINT, "has pitch nan"),
    Broken(
        "Jt4",
        "limits of a coordinate crossed",
        lambda: arm(type=JointType.CYLINDRICAL, coordinate_limits=(Limits(), Limits(1.0, -1.0))),
        HAND_JOINT,
        "lower = 1 is above upper = -1",
    ),
    Broken(
        "Jt5",
        "limits of too many coordinates",
        lambda: arm(type=JointType.UNIVERSAL, coordinate_limits=(Limits(),) * 3),
        HAND_JOINT,
        "joint two has limits of 3 coordinates, but a universal joint has 2",
    ),
    *(
        Broken("Jt5", what, lambda said=said: arm(**said), HAND_JOINT, f"and has {what}", Severity.NOTE)
        for what, said in {
            "pitch": {"pitch": 0.1},
            "second axis": {"type": JointType.CYLINDRICAL, "second_axis": (1, 0, 0)},
            "lower and upper limits": {"type": JointType.SPHERICAL, "limits": Limits(-1, 1)},
        }.items()
    ),
    # chains
    Broken(
        "Kc1",
        "one frame for two joints",
        lambda: chain(joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (BASE, "b1"), (HAND, "near"))),
        HAND_JOINT,
        "joints one and two both use frame b1 of segment base",
    ),
    Broken(
        "Kc2",
        "the thesis' counter-example",
        counter_example,
        "joint Joint2",
        "joint Joint2 has the base A as its target",
    ),
    Broken(
        "Kc2",
        "a base that is not the root",
        lambda: chain(joint("one", (BASE, "b1"), (ARM, "near")), base=segment("table")),
        "link table",
        "the base is said to be table, but the joints start at base",
    ),
    Broken("Kc2", "neither joints nor base", lambda: chain(), "chain robot", "it has neither joints nor a base"),
    Broken(
        "Kc3",
        "one hand held by two arms",
        closed_loop,
        "joint four",
        "held is the child (target) of 2 joints",
    ),
    Broken("Kc4", "a loop apart", loop_apart, "joint forth", "which the root base does not reach"),
    Broken(
        "Kc4",
        "a second root",
        lambda: chain(
            joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (segment("c", "out"), "out"), (HAND, "near"))
        ),
        HAND_JOINT,
        "joint two hangs on c",
    ),
    Broken("Kc5", "two joints of one name", same_joint_names, HAND_JOINT, "2 joints are called two"),
    Broken("Kc5", "one joint used twice", joint_used_twice, HAND_JOINT, "2 joints are called two"),
    Broken("Kc5", "two segments of one name", same_segment_names, LINK, "two segments are called hand"),
    Broken("Kc5", "two frames of one name", two_tools, "link right", "a frame of link right is called tool"),
    Broken(
        "Kc5",
        "a moving link called world",
        lambda: chain(joint("two", (BASE, "b1"), (segment("world", "near"), "near"))),
        "link world",
        "a frame of link world is called world, as is one of the world",
    ),
    Broken(
        "Kc6", "no such leader", lambda: mimics("three"), HAND_JOINT, "joint two mimics three, which is no joint here"
    ),
    Broken("Kc6", "itself", lambda: mimics("two"), HAND_JOINT, "joint two mimics itself"),
    Broken("Kc6", "not a number", lambda: mimics("one", math.nan), HAND_JOINT, "joint two mimics with nan"),
    Broken(
        "Kc6", "an infinite offset", lambda: mimics("one", 1.0, math.inf), HAND_JOINT, "joint two mimics with 1.0, inf"
    ),
    Broken(
        "Kc6",
        "a leader that floats",
        lambda: chain(
            joint("one", (BASE, "b1"), (ARM, "near"), type=JointType.FLOATING),
            joint("two", (ARM, "far"), (HAND, "near"), mimic=Mimic("one")),
        ),
        HAND_JOINT,
        "which has several coordinates",
    ),
    Broken(
        "Kc6",
        "a fixed joint that follows",
        lambda: mimics("one", type=JointType.FIXED),
        HAND_JOINT,
        "joint two is fixed and mimics one: it follows nothing",
        Severity.NOTE,
    ),
    *(
        Broken(
            "Kc6",
            f"a {type} joint that follows",
            lambda type=type: mimics("one", type=type),
            HAND_JOINT,
            f"joint two is {type} and mimics one, but has several coordinates",
        )
        for type in (JointType.FLOATING, JointType.UNIVERSAL, JointType.PLANAR, JointType.SPHERICAL)
    ),
    Broken(
        "Kc6",
        "a leader in the plane",
        lambda: chain(
            joint("one", (BASE, "b1"), (ARM, "near"), type=JointType.PLANAR),
            joint("two", (ARM, "far"), (HAND, "near"), mimic=Mimic("one")),
        ),
        HAND_JOINT,
        "which has several coordinates",
    ),
    Broken(
        "Kc7",
        "two joints in parallel",
        lambda: chain(joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (BASE, "b2"), (ARM, "far"))),
        HAND_JOINT,
        "joints one and two both connect segment arm to base",
    ),
    Broken(
        "Kc8",
        "a joint frame without a joint",
        lambda: with_segment_frame(Attachment("flange", Role.JOINT)),
        LINK,
        "joint frame flange of segment hand is used by no joint",
        Severity.NOTE,
    ),
    # dynamics
    *(
        Broken(
            "Dy1",
            f"a point on a {type} joint",
            lambda type=type: chain(
                joint("two", (BASE, "b1"), (segment("hand", "near", inertia=np.zeros((3, 3))), "near"), type=type)
            ),
            HAND_JOINT,
            "movable joint two moves no inertia",
            Severity.WARNING,
        )
        for type in (JointType.SPHERICAL, JointType.FLOATING)
    ),
    Broken("Dy1", "nothing beyond", massless, HAND_JOINT, "movable joint two moves no inertia", Severity.WARNING),
    Broken(
        "Dy1",
        "moments of inertia, but no mass, on a slide",
        lambda: chain(
            joint("two", (BASE, "b1"), (segment("hand", "near", mass=0.0), "near"), type=JointType.PRISMATIC)
        ),
        HAND_JOINT,
        "movable joint two moves no inertia",
        Severity.WARNING,
    ),
    *(
        Broken(
            "Dy2",
            f"a joint with {what}",
            lambda what=what: chain(
                joint("two", (BASE, "b1"), (segment("hand", "near"), "near"), transmission=Transmission(**{what: 0.1}))
            ),
            HAND_JOINT,
            "which dynamics leave out unless they are asked with friction=True",
            Severity.NOTE,
        )
        for what in ("damping", "friction")
    ),
    # magnitudes
    Broken("Mg1", "an arm without mass", weightless, "link arm", "link arm moves, has a shape", Severity.WARNING),
    Broken(
        "Mg2",
        "degrees",
        lambda: arm(limits=Limits(-170.0, 170.0)),
        HAND_JOINT,
        "joint two has lower = -170 and upper = 170 rad, up to 27.1 turns: these look like degrees",
        Severity.WARNING,
    ),
    Broken(
        "Mg2",
        "degrees of one coordinate of two",
        lambda: arm(type=JointType.UNIVERSAL, coordinate_limits=(Limits(-1.0, 1.0), Limits(0.0, 90.0))),
        HAND_JOINT,
        "upper = 90 rad",
        Severity.WARNING,
    ),
    Broken(
        "Mg3",
        "one length in millimetres",
        lambda: long_arm(offset=300.0),
        "joint hand",
        "joint hand sits 300 m away from the frame of its link",
        Severity.WARNING,
    ),
    Broken(
        "Mg4",
        "a centre of mass in millimetres",
        lambda: long_arm(com=(0.0, 100.0, 0.0)),
        LINK,
        "the centre of mass of link hand is 100 m away from its frame",
        Severity.WARNING,
    ),
    Broken(
        "Mg5",
        "moments in kg mm²",
        lambda: long_arm(inertia=(1e4, 1e4, 1e4)),
        LINK,
        "link hand has a moment of inertia of 1e+04 kg m² on 1 kg, as if its mass sat 100 m from its centre",
        Severity.WARNING,
    ),
    Broken(
        "Mg6",
        "limits at zero",
        lambda: arm(limits=Limits(-1.0, 1.0, 0.0, 0.0)),
        HAND_JOINT,
        "joint two is revolute and may not move: velocity = 0, effort = 0",
        Severity.WARNING,
    ),
    Broken(
        "Mg6",
        "no room",
        lambda: arm(type=JointType.PRISMATIC, limits=Limits(0.0, 0.0)),
        HAND_JOINT,
        "joint two is prismatic and may not move: lower = upper = 0",
        Severity.WARNING,
    ),
    Broken(
        "Mg7",
        "all lengths in millimetres",
        lambda: long_arm(scale=1000.0),
        "link base",
        "the robot weighs 5 kg and has joints up to 300 m apart: it is lighter than air",
        Severity.WARNING,
    ),
]
