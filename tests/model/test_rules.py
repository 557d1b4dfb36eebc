"""The rules of a model: for each one a chain that breaks it, found by name and place, and a way out."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionc.formats.urdf import read_urdf
from motionc.model import (
    Attachment,
    Finding,
    Findings,
    Joint,
    JointType,
    KinematicChain,
    Limits,
    Link,
    Mimic,
    ModelError,
    Place,
    Robot,
    Role,
    Segment,
    Severity,
    Transmission,
    check_chain,
    placed,
    rules,
)
from rows import row

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
    *(
        Broken("Lk3", what, lambda pose=pose: with_link_frame(Attachment("x", Role.FEATURE, pose)), LINK, "rigid pose")
        for what, pose in {
            "a scaled pose": SCALED,
            "a mirror": MIRROR,
            "not a number": np.full((4, 4), np.nan),
            "an infinite place": placed((math.inf, 0, 0)),
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
    Broken("Jt4", "limits crossed", lambda: arm(limits=Limits(1.0, -1.0)), HAND_JOINT, "has limits 1.0 to -1.0"),
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
        "has limits 1.0 to -1.0",
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
    Broken("Kc3", "one hand held by two arms", closed_loop, "joint four", "segment held is the target of"),
    Broken("Kc4", "a loop apart", loop_apart, "joint forth", "which the root base does not reach"),
    Broken(
        "Kc4",
        "a second root",
        lambda: chain(
            joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (segment("c", "out"), "out"), (HAND, "near"))
        ),
        HAND_JOINT,
        "joint two hangs on segment c",
    ),
    Broken("Kc5", "two joints of one name", same_joint_names, HAND_JOINT, "2 joints are called two"),
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
    Broken("Kc6", "itself", lambda: mimics("two"), HAND_JOINT, "joint two mimics itself through two"),
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
]


@row("motion-stack", 5, 6, 7, 8)
@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: f"{broken.rule}: {broken.what}")
def test_a_broken_rule_is_found_by_name_and_place(broken: Broken):
    findings = check_chain(broken.build())
    found = [item for item in findings.of_rule(broken.rule) if item.place.element == broken.place]
    assert found
    finding = found[0]
    assert broken.says in finding.message
    assert finding.severity is broken.severity
    assert finding.remedy
    assert (
        str(finding)
        == f"{broken.place}: {finding.severity} {broken.rule}: {finding.message}\n  remedy: {finding.remedy}"
    )
    assert findings.ok is (broken.severity is not Severity.ERROR)


@row("motion-stack", 5, 6, 7, 8)
@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: f"{broken.rule}: {broken.what}")
def test_a_broken_chain_makes_no_robot_and_the_error_names_the_rule(broken: Broken):
    if broken.severity is not Severity.ERROR:
        assert Robot(broken.build()).findings.of_rule(broken.rule)
        return
    with pytest.raises(
        ModelError, match=rf"robot is not a valid model:\n(.*\n)*{broken.place}: error {broken.rule}: "
    ) as e:
        Robot(broken.build())
    assert e.value.findings.of_rule(broken.rule)


@row("motion-stack", 5, 6, 7, 8)
def test_every_rule_has_a_chain_that_breaks_it():
    functions = {name for name in vars(rules) if re.match(r"[a-z]{2}\d_", name)}
    assert {name[:3] for name in functions} == {broken.rule.lower() for broken in BROKEN}
    assert {"lk", "sg", "jt", "kc", "dy"} == {name[:2] for name in functions}


@pytest.mark.parametrize(
    "broken", [b for b in BROKEN if b.rule in ("Lk1", "Lk4", "Sg5", "Jt3", "Kc1", "Kc6", "Dy1")], ids=lambda b: b.what
)
def test_one_mistake_breaks_one_rule(broken: Broken):
    assert {item.rule for item in check_chain(broken.build())} == {broken.rule}


def test_a_sound_chain_has_no_findings():
    feature = (Attachment("camera", Role.FEATURE, placed((0, 0, 1), (1, 2, 3))), SHAPE)
    assert str(check_chain(arm())) == "no findings"
    assert len(check_chain(with_link_frame(*feature))) == 0
    assert len(check_chain(with_segment_frame(feature[0]))) == 0
    assert len(check_chain(chain(base=BASE))) == 0
    assert len(check_chain(mimics("one", -2.0, 0.3))) == 0


@row("motion-stack", 8)
def test_the_counter_example_of_the_thesis_would_make_the_base_a_child():
    """Each joint is sound by itself; together they are rejected, and exchanging Joint2's ends repairs them."""
    wrong = counter_example()
    assert not any(list(rules.check_joint(each)) for each in wrong.joints)
    assert [str(item.place) for item in check_chain(wrong).of_rule("Kc2")] == ["joint Joint2"]
    first, second = wrong.joints
    repaired = chain(first, replace(second, target=second.reference, reference=second.target))
    assert check_chain(repaired).ok
    assert repaired.root.name == "A"


@row("motion-stack", 8)
def test_a_joint_that_points_inward_is_rejected():
    """Inconsistent polarity: base → arm ← hand."""
    inward = chain(joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (HAND, "near"), (ARM, "far")))
    findings = check_chain(inward)
    assert {item.rule for item in findings} == {"Kc3", "Kc4"}
    assert {str(item.place) for item in findings.of_rule("Kc3")} == {"joint one", "joint two"}


@row("motion-stack", 8)
def test_a_loop_through_the_base_is_rejected():
    loop = chain(joint("one", (BASE, "b1"), (ARM, "near")), joint("two", (ARM, "far"), (BASE, "b2")))
    assert [str(item.place) for item in check_chain(loop).of_rule("Kc2")] == ["joint two"]


@row("motion-stack", 7)
@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC])
def test_an_axis_reads_the_same_in_target_and_reference_coordinates(kind: JointType):
    """Jt3: the frames coincide at q = 0 and the axis does not turn: given in reference coordinates it is right too."""
    axis = np.array([0.48, -0.6, 0.64])
    robot = Robot(chain(joint("one", (BASE, "b1"), (ARM, "near"), type=kind, axis=tuple(axis))))
    moving = robot.as_mechanism(normalise=False).bodies[0].joint
    basis = moving.basis(moving.target.body, moving.reference.of.body)
    for q in (-2.0, 0.0, 0.7):
        seen = basis.change_frame(moving.relative_pose(np.full((1, 1), q)).orientation)
        assert seen.as_seen_by == moving.reference.of
        assert np.allclose(seen.angular + seen.linear, basis.angular + basis.linear, atol=1e-15)
    assert np.allclose((basis.angular + basis.linear).ravel(), axis, atol=1e-15)


def test_a_circle_of_followers_is_found_at_each_of_them():
    circle = chain(
        joint("one", (BASE, "b1"), (ARM, "near"), mimic=Mimic("two")),
        joint("two", (ARM, "far"), (HAND, "near"), mimic=Mimic("one")),
    )
    assert [str(item.place) for item in check_chain(circle).of_rule("Kc6")] == ["joint one", "joint two"]


def test_a_rotor_or_mass_further_out_is_inertia():
    assert not check_chain(massless(transmission=rotor(0.1))).of_rule("Dy1")
    bare = Segment("bare", Link.rigid("bare"), (Attachment("in", Role.JOINT), Attachment("out", Role.JOINT)))
    through = chain(joint("one", (BASE, "b1"), (bare, "in")), joint("two", (bare, "out"), (HAND, "near")))
    assert not check_chain(through).of_rule("Dy1")
    assert not check_chain(massless(type=JointType.FIXED)).of_rule("Dy1")


def test_errors_come_first_and_findings_can_be_added():
    note = Finding("Xx1", Severity.NOTE, Place("x"), "said", "do")
    both = Findings((note,)) + check_chain(counter_example())
    assert [item.severity for item in both] == sorted((item.severity for item in both), key=list(Severity).index)
    assert both.items[-1] is note
    assert len(both) == len(both.errors) + 1
    assert str(Findings()) == "no findings"


# ---------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("text", "rule", "line", "element"),
    [
        ('<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>', "Kc2", 5, "robot/joint[k]"),
        ('<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>', "Kc3", 4, "robot/joint[j]"),
        ('<link name="c"><inertial><mass value="-1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
         '</inertial></link><joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>',
         "Lk4", 5, "robot/link[c]"),
    ],
)  # fmt: skip
def test_a_finding_in_a_file_has_line_and_column(text: str, rule: str, line: int, element: str):
    source = (
        '<robot name="r">\n<link name="a"/>\n<link name="b"/>\n'
        f'<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>\n{text}\n</robot>'
    )
    (finding, *_) = read_urdf(source, "file.urdf").findings.of_rule(rule)
    assert (finding.place.line, finding.place.column) == (line, 1)
    assert str(finding).startswith(f"file.urdf:{line}:1: {element}: error {rule}: ")


def test_a_joint_written_in_python_is_found_by_its_name():
    hand = replace(HAND, frames=())
    findings = check_chain(chain(Joint("two", JointType.REVOLUTE, target=(hand, "near"), reference=(BASE, "b1"))))
    assert findings.errors[0].place.element == "joint two"


# ---------------------------------------------------------------- what no rule notices yet


def point_mass_on_the_axis() -> KinematicChain:
    hand = Segment("hand", Link.rigid("hand", 1.0, (0, 0, 0.5)), (Attachment("near", Role.JOINT),))
    return chain(joint("two", (BASE, "b1"), (hand, "near")))


@pytest.mark.parametrize(
    "build",
    [
        pytest.param(point_mass_on_the_axis, id="a point mass on the axis of its joint (D = 0)"),
        pytest.param(
            lambda: with_segment_frame(Attachment("near", Role.JOINT, placed((1, 0, 0)))),
            id="one name twice on a segment",
        ),
        pytest.param(
            lambda: with_link(frames=(Attachment("hand", Role.FEATURE, placed((1, 0, 0))),)), id="a displaced reference"
        ),
        pytest.param(
            lambda: with_link(inertia=np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]])), id="an asymmetric inertia"
        ),
        pytest.param(lambda: arm(limits=Limits(1.0, -1.0)), id="a lower limit above the upper"),
        pytest.param(lambda: arm(limits=Limits(math.nan, 1.0)), id="a limit that is no number"),
        pytest.param(lambda: arm(transmission=rotor(-1.0)), id="a negative rotor inertia"),
        pytest.param(lambda: arm(transmission=rotor(math.nan)), id="a rotor inertia that is no number"),
        pytest.param(lambda: arm(type="ball"), id="a type that does not exist"),
        pytest.param(lambda: chain(), id="neither joints nor base"),
        pytest.param(lambda: arm(axis=("x", 0, 0)), id="an axis of words"),
        pytest.param(lambda: with_link(mass="heavy"), id="a mass of words"),
    ],
)
def test_what_should_be_noticed(build: Callable[[], KinematicChain]):
    assert len(check_chain(build())) > 0
