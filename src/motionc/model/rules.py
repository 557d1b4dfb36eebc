"""The rules a model must obey: links (Lk), segments (Sg), joints (Jt), chains (Kc), dynamics (Dy). One function a rule.

Checking a thing is checking its parts plus its own rules (specs/motion-stack.md §2.1, §2.3).
"""

import math
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from motionc.model.chain import (
    HERE,
    LARGEST,
    Array,
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Link,
    Mimic,
    Role,
    Segment,
)
from motionc.model.findings import Finding, Findings, Place, Severity

SINGLE = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
LINK_ROLES = (Role.INERTIA, Role.SHAPE, Role.FEATURE)
TREE_DEPTH = "every joint must point outward from the root"


def check_chain(chain: KinematicChain) -> Findings:
    """Every finding of a chain: its segments', its joints', its own."""
    if not chain.joints and chain.base is None:
        place = Place(f"chain {chain.name}")
        return Findings((_error("Kc2", place, "it has neither joints nor a base", "give it one of them"),))
    found = [finding for segment in chain.segments for finding in check_segment(segment)]
    found += [finding for joint in chain.joints for finding in check_joint(joint)]
    for rule in (kc1_frame_used_once, kc2_root_is_no_target, kc3_outward, kc4_tree, kc5_names):
        found += rule(chain)
    if not any(finding.severity is Severity.ERROR for finding in found):
        found += [*kc6_mimic(chain), *dy1_moves_inertia(chain)]
    return Findings() + Findings(tuple(found))


def check_segment(segment: Segment) -> Iterator[Finding]:
    """Sg1: all link rules; then the segment's own."""
    yield from check_link(segment.link)
    yield from sg2_joint_frames_wrt_reference(segment)
    yield from sg3_constant(segment)
    yield from sg4_names(segment)
    yield from sg5_no_inertia_or_shape(segment)


def check_link(link: Link) -> Iterator[Finding]:
    yield from lk1_tagged_and_unique(link)
    yield from lk2_counts(link)
    yield from lk3_wrt_reference(link)
    yield from lk4_inertia(link)


def check_joint(joint: Joint) -> Iterator[Finding]:
    yield from jt1_joint_tag(joint)
    yield from jt2_different_segments(joint)
    yield from jt3_axis(joint)
    yield from jt4_numbers(joint)


def lk1_tagged_and_unique(link: Link) -> Iterator[Finding]:
    """Lk1: every attachment frame has a role and a name of its own."""
    for frame in link.frames:
        if frame.role not in LINK_ROLES:
            said = "no role" if frame.role is None else f"role {frame.role}"
            yield _error(
                "Lk1",
                link.place,
                f"frame {frame.name} of link {link.name} has {said}",
                f"give it one of {', '.join(sorted(LINK_ROLES))}",
            )
    for name, count in _repeated(frame.name for frame in link.frames):
        yield _error("Lk1", link.place, f"{count} frames of link {link.name} are called {name}", "rename all but one")


def lk2_counts(link: Link) -> Iterator[Finding]:
    """Lk2: at most one inertia and one shape frame, at least one feature frame."""
    roles = [frame.role for frame in link.frames]
    for role in (Role.INERTIA, Role.SHAPE):
        if (count := roles.count(role)) > 1:
            yield _error("Lk2", link.place, f"link {link.name} has {count} {role} frames", "keep one")
    if Role.FEATURE not in roles:
        yield _error(
            "Lk2", link.place, f"link {link.name} has no feature frame", "add its reference frame as a feature"
        )


def lk3_wrt_reference(link: Link) -> Iterator[Finding]:
    """Lk3: one feature frame is the reference, and all others are placed with respect to it."""
    reference = link.reference
    for frame in link.frames:
        if frame.pose is HERE and not frame.wrt:
            continue
        if frame.name == reference and _is_pose(frame) and not np.allclose(frame.pose, HERE, atol=1e-12):
            yield _error(
                "Lk3",
                link.place,
                f"the reference frame {frame.name} of link {link.name} is placed away from itself",
                "leave its pose the identity, and place the others with respect to it",
            )
        if frame.name != reference and frame.wrt not in ("", reference):
            yield _error(
                "Lk3",
                link.place,
                f"frame {frame.name} of link {link.name} is placed wrt {frame.wrt}, not {reference}",
                f"compose its pose so that it is wrt the reference frame {reference}",
            )
        if not _is_pose(frame):
            yield _error(
                "Lk3",
                link.place,
                f"frame {frame.name} of link {link.name} is not placed by a rigid pose",
                "give a finite 4×4 homogeneous matrix with a rotation in it",
            )


def lk4_inertia(link: Link) -> Iterator[Finding]:
    """Lk4: mass and inertia are those of a body: finite, mass not negative, moments positive and a triangle."""
    if link.mass is None:
        return
    inertia = _array(link.inertia)
    rows: list[Any] = inertia.tolist()
    if not (mass := _floats((link.mass,), 1)) or not 0 <= mass[0] < LARGEST:
        yield _error("Lk4", link.place, f"link {link.name} has mass {link.mass}", "give a finite mass ≥ 0 in kg")
    elif inertia.shape != (3, 3) or not all(abs(moment) < LARGEST for row in rows for moment in row):
        yield _error("Lk4", link.place, f"link {link.name} has no finite 3×3 inertia", "give all six moments in kg m²")
    elif not all(
        math.isclose(rows[i][k], rows[k][i], rel_tol=1e-9, abs_tol=1e-12) for i, k in ((0, 1), (0, 2), (1, 2))
    ):
        yield _error("Lk4", link.place, f"the inertia of link {link.name} is not symmetric", "give ixy = iyx and so on")
    else:
        moments = np.linalg.eigvalsh(inertia)
        slack = 1e-9 * max(1e-12, abs(moments).max())
        if moments[0] < -slack or moments[0] + moments[1] < moments[2] - slack:
            yield Finding(
                "Lk4",
                Severity.WARNING,
                link.place,
                f"no rigid body has the principal moments of link {link.name}: "
                f"{', '.join(f'{m:.4g}' for m in moments)} kg m² (the two smaller must outweigh the largest)",
                "check the products of inertia and their signs; results follow the file as it is",
            )


def sg2_joint_frames_wrt_reference(segment: Segment) -> Iterator[Finding]:
    """Sg2: joint frames are placed with respect to the link's reference frame."""
    reference = segment.link.reference
    for frame in segment.frames:
        if frame.wrt not in ("", reference):
            yield _error(
                "Sg2",
                segment.link.place,
                f"joint frame {frame.name} of segment {segment.name} is placed wrt {frame.wrt}",
                f"place it wrt {reference}",
            )


def sg3_constant(segment: Segment) -> Iterator[Finding]:
    """Sg3: those poses are constant numbers."""
    for frame in segment.frames:
        if callable(frame.pose) or not _is_pose(frame):
            yield _error(
                "Sg3",
                segment.link.place,
                f"frame {frame.name} of segment {segment.name} has no constant pose",
                "give a finite 4×4 matrix; what moves is a joint",
            )


def sg4_names(segment: Segment) -> Iterator[Finding]:
    """Sg4: the frames of a segment have names of their own, other than those of its link."""
    twice = dict(_repeated(frame.name for frame in (*segment.frames, *segment.link.frames)))
    for name in sorted(twice.keys() & {frame.name for frame in segment.frames} if twice else ()):
        message = f"{twice[name]} frames of segment {segment.name} are called {name}"
        yield _error("Sg4", segment.link.place, message, "rename all but one")


def sg5_no_inertia_or_shape(segment: Segment) -> Iterator[Finding]:
    """Sg5: inertia and shape belong to the link, not to the segment."""
    for frame in segment.frames:
        if frame.role not in (Role.JOINT, Role.FEATURE):
            yield _error(
                "Sg5",
                segment.link.place,
                f"frame {frame.name} of segment {segment.name} has role {frame.role}",
                "declare inertia and shape frames on the link",
            )


def jt1_joint_tag(joint: Joint) -> Iterator[Finding]:
    """Jt1: both ends carry the joint role (Sg4: so each segment has at least one)."""
    for segment, name in (joint.reference, joint.target):
        frame = segment.frame(name)
        if frame is None or frame.role is not Role.JOINT:
            said = "does not exist" if frame is None else f"has role {frame.role}"
            yield _error(
                "Jt1",
                joint.place,
                f"frame {name} of segment {segment.name}, an end of joint {joint.name}, {said}",
                f"declare {name} on segment {segment.name} with role joint",
            )


def jt2_different_segments(joint: Joint) -> Iterator[Finding]:
    """Jt2: the two frames lie on different segments."""
    if joint.parent.name == joint.child.name:
        yield _error(
            "Jt2",
            joint.place,
            f"both ends of joint {joint.name} are on segment {joint.child.name}",
            "a joint moves one segment against another",
        )


def jt3_axis(joint: Joint) -> Iterator[Finding]:
    """Jt3: the motion subspace is written in the target frame, as a direction."""
    if joint.type in (JointType.FIXED, JointType.FLOATING):
        return
    axis = _floats(joint.axis, 3)
    if axis is None or not all(abs(x) < LARGEST for x in axis) or math.hypot(*axis) < 1e-9:
        yield _error(
            "Jt3",
            joint.place,
            f"joint {joint.name} has axis {joint.axis}",
            "give a direction in target-frame coordinates, such as (0, 0, 1)",
        )


def jt4_numbers(joint: Joint) -> Iterator[Finding]:
    """Jt4: type, limits and transmission are ones a joint can have."""
    if type(joint.type) is not JointType:
        kinds = ", ".join(JointType)
        yield _error("Jt4", joint.place, f"joint {joint.name} has type {joint.type!r}", f"give it one of {kinds}")
    limits, transmission = joint.limits, joint.transmission
    bounds = _floats((limits.lower, limits.upper, limits.velocity, limits.effort), 4)
    if bounds is None or not (bounds[0] <= bounds[1] and bounds[2] >= 0 and bounds[3] >= 0):
        yield _error(
            "Jt4",
            joint.place,
            f"joint {joint.name} has limits {limits.lower} to {limits.upper}, velocity {limits.velocity}, "
            f"effort {limits.effort}",
            "give lower ≤ upper, and velocity and effort ≥ 0; infinite where there is no limit",
        )
    parts = _floats((transmission.rotor_inertia, transmission.damping, transmission.friction), 3)
    if parts is None or not all(0 <= part < LARGEST for part in parts):
        yield _error(
            "Jt4",
            joint.place,
            f"joint {joint.name} has rotor inertia {transmission.rotor_inertia}, damping {transmission.damping}, "
            f"friction {transmission.friction}",
            "give finite numbers ≥ 0",
        )


def kc1_frame_used_once(chain: KinematicChain) -> Iterator[Finding]:
    """Kc1: a joint frame is used by at most one joint."""
    users: dict[tuple[str, str], str] = {}
    for joint in chain.joints:
        for segment, frame in (joint.reference, joint.target):
            other = users.setdefault((segment.name, frame), joint.name)
            if other != joint.name:
                yield _error(
                    "Kc1",
                    joint.place,
                    f"joints {other} and {joint.name} both use frame {frame} of segment {segment.name}",
                    "give each joint a frame of its own, even at the same place",
                )


def kc2_root_is_no_target(chain: KinematicChain) -> Iterator[Finding]:
    """Kc2: nothing moves the base: the first joint starts at a segment that is no joint's target."""
    if not chain.joints:
        return
    root = chain.joints[0].parent.name
    for joint in chain.joints:
        if joint.child.name == root:
            yield _error(
                "Kc2",
                joint.place,
                f"joint {joint.name} has the base {root} as its target",
                "exchange its reference and target, or put the joint that starts at the true base first",
            )


def kc3_outward(chain: KinematicChain) -> Iterator[Finding]:
    """Kc3: polarities point outward: every segment but the root is the target of exactly one joint."""
    targets = Counter(joint.child.name for joint in chain.joints)
    for joint in chain.joints:
        if targets[joint.child.name] > 1:
            yield _error(
                "Kc3",
                joint.place,
                f"segment {joint.child.name} is the target of several joints, {joint.name} one of them",
                f"{TREE_DEPTH}: exchange reference and target of the one that does not",
            )


def kc4_tree(chain: KinematicChain) -> Iterator[Finding]:
    """Kc4: the joints form one tree: no loop, nothing apart."""
    children: dict[str, list[Joint]] = {}
    for joint in chain.joints:
        children.setdefault(joint.parent.name, []).append(joint)
    root = chain.root.name
    reached, frontier = {root}, [root]
    while frontier:
        for joint in children.get(frontier.pop(), []):
            if joint.child.name not in reached:
                reached.add(joint.child.name)
                frontier.append(joint.child.name)
    for joint in chain.joints:
        if joint.parent.name not in reached:
            yield _error(
                "Kc4",
                joint.place,
                f"joint {joint.name} hangs on segment {joint.parent.name}, which the root {root} does not reach",
                "connect it, or open the loop it is part of; one root, no loops",
            )


def kc5_names(chain: KinematicChain) -> Iterator[Finding]:
    """Kc5: joints, segments and the frames one can ask for have names of their own; only the root may be the world."""
    first = {joint.name: joint for joint in reversed(chain.joints)}
    for name, count in _repeated(joint.name for joint in chain.joints):
        yield _error("Kc5", first[name].place, f"{count} joints are called {name}", "rename all but one")
    known: dict[str, Segment] = {}
    for joint in chain.joints:
        for segment in (joint.parent, joint.child):
            if known.setdefault(segment.name, segment) is not segment:
                yield _error("Kc5", segment.link.place, f"two segments are called {segment.name}", "rename one")
    frames: dict[str, str] = {"world": "the world"} if chain.root.name != "world" else {}
    frames |= {f"joint:{joint.name}": f"joint {joint.name}" for joint in chain.joints}
    for segment in chain.segments:
        reference, own = segment.link.reference, f"link {segment.name}"
        features = (frame.name for frame in segment.link.frames if frame.role is Role.FEATURE)
        for name in (segment.name, *(name for name in features if name != reference)):
            if (other := frames.setdefault(name, own)) != own:
                message = f"a frame of link {segment.name} is called {name}, as is one of {other}"
                yield _error("Kc5", segment.link.place, message, "rename one: frames are asked for by name")


def kc6_mimic(chain: KinematicChain) -> Iterator[Finding]:
    """Kc6: a mimic joint follows a movable one-coordinate joint, and not, in the end, itself."""
    joints = {joint.name: joint for joint in chain.joints}
    followers = {joint.name: joint.mimic for joint in chain.joints if joint.mimic is not None}
    wrong = [name for name, mimic in followers.items() if not _are_finite((mimic.gain, mimic.offset))]
    for name in wrong:
        message = f"joint {name} mimics with {followers[name].gain}, {followers[name].offset}"
        yield _error("Kc6", joints[name].place, message, "give finite numbers")
    if wrong:
        return

    some = ", ".join(sorted(joints)[:8])
    ends = leaders(joints)
    for joint in (joints[name] for name in followers):
        end = ends.get(joint.name)
        if end is None:
            yield Finding(
                "Kc6",
                Severity.NOTE,
                joint.place,
                f"joint {joint.name} is {joint.type} and mimics {followers[joint.name].leader}: it follows nothing",
                "remove the mimic, or give the joint a type that moves",
            )
        elif (leader := end.leader) in ends:
            yield _error("Kc6", joint.place, f"joint {joint.name} mimics itself through {leader}", "break the circle")
        elif leader not in joints:
            yield _error(
                "Kc6",
                joint.place,
                f"joint {joint.name} mimics {leader}, which is no joint here",
                f"name one of: {some}",
            )
        elif joints[leader].type not in (*SINGLE, JointType.FIXED) and leader not in followers:
            yield _error(
                "Kc6",
                joint.place,
                f"joint {joint.name} mimics {leader}, which has several coordinates",
                "follow a revolute, continuous or prismatic joint",
            )
        elif not _are_finite((end.gain, end.offset)):
            yield _error(
                "Kc6",
                joint.place,
                f"from joint to joint, {joint.name} mimics {leader} with {end.gain:g}, {end.offset:g} in the end",
                "give smaller multipliers",
            )


def leaders(joints: Mapping[str, Joint], held: Container[str] = ()) -> dict[str, Mimic]:
    """Whom each mimic joint follows in the end, through chains of mimics, and how; joints that are held follow nobody.

    A circle ends at one of its own joints: at a leader that follows, too.
    """
    ends: dict[str, Mimic] = {}
    for name in joints:
        trail: dict[str, Mimic] = {}
        while name in joints and name not in ends and name not in trail and name not in held:
            joint = joints[name]
            if joint.mimic is None or joint.type not in SINGLE:
                break
            trail[name], name = joint.mimic, joint.mimic.leader
        end = ends.get(name, Mimic(name))
        for follower, step in reversed(trail.items()):
            end = ends[follower] = Mimic(end.leader, step.gain * end.gain, step.gain * end.offset + step.offset)
    return ends


def dy1_moves_inertia(chain: KinematicChain) -> Iterator[Finding]:
    """Dy1: every movable joint moves some inertia (its own rotor's counts)."""
    for joint in idle_joints(chain):
        yield Finding(
            "Dy1",
            Severity.WARNING,
            joint.place,
            f"movable joint {joint.name} moves no inertia",
            "give the links beyond it mass and inertia, fix the joint (fixed=[...]), or give it a rotor "
            "inertia; kinematics and inverse dynamics work as it is, forward dynamics does not",
        )


def idle_joints(chain: KinematicChain) -> list[Joint]:
    """The movable joints beyond which nothing resists."""
    children: dict[str, list[Joint]] = {}
    for joint in chain.joints:
        children.setdefault(joint.parent.name, []).append(joint)
    # inward once: which segments have mass, or moments of inertia, at or beyond them
    outward, stack = list[Joint](), [*children.get(chain.root.name, [])]
    while stack:
        outward.append(joint := stack.pop())
        stack += children.get(joint.child.name, [])
    resisting = {segment.name for segment in chain.segments if _weighs(segment.link)}
    for joint in reversed(outward):
        if joint.child.name in resisting:
            resisting.add(joint.parent.name)
    movable = [joint for joint in chain.joints if joint.type is not JointType.FIXED]
    return [
        joint
        for joint in movable
        if joint.transmission.rotor_inertia <= 0
        and (joint.child.name not in resisting or _gives_way(joint, children, resisting))
    ]


def _weighs(link: Link) -> bool:
    return link.mass is not None and (link.mass > 0 or bool(np.any(np.asarray(link.inertia) != 0)))


def _gives_way(joint: Joint, children: dict[str, list[Joint]], resisting: set[str]) -> bool:
    """Whether what a joint carries rigidly has no inertia about (sliding: along) its axis, nor anything beyond."""
    if joint.type is JointType.FLOATING:
        return False
    slides = joint.type is JointType.PRISMATIC
    axis = np.asarray(joint.axis, float) / math.hypot(*joint.axis)
    stack = [(joint.child, _inverse(_placed(joint.target)))]
    while stack:
        segment, pose = stack.pop()
        link = segment.link
        if link.mass is not None:
            at = next((frame for frame in link.frames if frame.role is Role.INERTIA), None)
            place = pose @ (HERE if at is None else np.asarray(at.pose, float))
            here, (a, b, c), (x, y, z) = axis @ place[:3, :3], axis.tolist(), place[:3, 3].tolist()
            away = (b * z - c * y) ** 2 + (c * x - a * z) ** 2 + (a * y - b * x) ** 2
            about = here @ np.asarray(link.inertia, float) @ here + link.mass * away
            if (link.mass if slides else about) > 1e-15:
                return False
        for below in children.get(segment.name, []):
            if below.type is JointType.FIXED:
                stack.append((below.child, pose @ _placed(below.reference) @ _inverse(_placed(below.target))))
            elif below.child.name in resisting:
                return False
    return True


def _placed(end: tuple[Segment, str]) -> Array:
    frame = end[0].frame(end[1])
    return HERE if frame is None else np.asarray(frame.pose, float)


def _inverse(pose: Array) -> Array:
    return pose if pose is HERE else np.asarray(np.linalg.inv(pose), float)


def _is_pose(frame: Attachment) -> bool:
    if frame.pose is HERE:
        return True
    pose = _array(frame.pose)
    if pose.shape != (4, 4):
        return False
    (a, b, c, x), (d, e, f, y), (g, h, i, z), last = pose.tolist()  # plain floats: a file may have 100,000 of these
    rows = (a * a + b * b + c * c, d * d + e * e + f * f, g * g + h * h + i * i)
    mixed = (a * d + b * e + c * f, a * g + b * h + c * i, d * g + e * h + f * i)
    volume = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return (
        max(map(abs, (rows[0] - 1.0, rows[1] - 1.0, rows[2] - 1.0, *mixed))) < 1e-6
        and volume > 0
        and max(abs(x), abs(y), abs(z)) < LARGEST
        and (last == [0.0, 0.0, 0.0, 1.0] or np.allclose(last, HERE[3], rtol=0, atol=1e-8))
    )


def _array(values: Any) -> Array:
    """An array of floats, empty where the values are no numbers."""
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        return np.zeros(0)


def _floats(values: Any, count: int) -> tuple[float, ...] | None:
    """So many plain floats, None where the values are something else."""
    try:
        floats = tuple(map(float, values))
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None
    return floats if len(floats) == count else None


def _are_finite(values: tuple[Any, Any]) -> bool:
    floats = _floats(values, 2)
    return floats is not None and all(abs(value) < LARGEST for value in floats)


def _repeated(names: Iterable[str]) -> list[tuple[str, int]]:
    """The names that occur more than once, and how often."""
    listed = list(names)
    if len(set(listed)) == len(listed):
        return []
    return [(name, count) for name, count in Counter(listed).items() if count > 1]


def _error(rule: str, place: Place, message: str, remedy: str) -> Finding:
    return Finding(rule, Severity.ERROR, place, message, remedy)
