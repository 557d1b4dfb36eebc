"""The rules of a chain, Kc1 to Kc8 but for mimics: how joints connect segments, and what everything is called."""

from collections import Counter
from collections.abc import Iterator

from motionc.model.chain import Joint, KinematicChain, Role
from motionc.model.findings import Finding, Place
from motionc.model.rules.values import repeated


def kc1_frame_used_once(chain: KinematicChain) -> Iterator[Finding]:
    """Kc1: a joint frame is used by at most one joint."""
    users: dict[tuple[str, str], str] = {}
    for joint in chain.joints:
        for segment, frame in (joint.reference, joint.target):
            other = users.setdefault((segment.name, frame), joint.name)
            if other != joint.name:
                yield Finding.error(
                    "Kc1",
                    joint.place,
                    f"joints {other} and {joint.name} both use frame {frame} of segment {segment.name}",
                    "give each joint a frame of its own, even at the same place",
                )


def kc2_root_is_no_target(chain: KinematicChain) -> Iterator[Finding]:
    """Kc2: there is one base, and nothing moves it: the first joint starts at a segment that is no joint's target."""
    if not chain.joints:
        if chain.base is None:
            place = Place(f"chain {chain.name}")
            yield Finding.error("Kc2", place, "it has neither joints nor a base", "give it one of them")
        return
    if chain.base is not None and chain.base.name != chain.root.name:
        yield Finding.error(
            "Kc2",
            chain.base.link.place,
            f"the base is said to be {chain.base.name}, but the joints start at {chain.root.name}",
            f"leave base out, or connect {chain.root.name} to it",
        )
    root = chain.joints[0].parent.name
    for joint in chain.joints:
        if joint.child.name == root:
            yield Finding.error(
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
            yield Finding.error(
                "Kc3",
                joint.place,
                f"segment {joint.child.name} is the target of several joints, {joint.name} one of them",
                "every joint must point outward from the root: exchange reference and target of the one that does not",
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
            yield Finding.error(
                "Kc4",
                joint.place,
                f"joint {joint.name} hangs on segment {joint.parent.name}, which the root {root} does not reach",
                "connect it, or open the loop it is part of; one root, no loops",
            )


def kc5_names(chain: KinematicChain) -> Iterator[Finding]:
    """Kc5: joints, segments and the frames one can ask for have names of their own; only the root may be the world."""
    first = {joint.name: joint for joint in reversed(chain.joints)}
    for name, count in repeated(joint.name for joint in chain.joints):
        yield Finding.error("Kc5", first[name].place, f"{count} joints are called {name}", "rename all but one")
    known = {} if chain.base is None else {chain.base.name: chain.base}
    for joint in chain.joints:
        for segment in (joint.parent, joint.child):
            if known.setdefault(segment.name, segment) is not segment:
                yield Finding.error("Kc5", segment.link.place, f"two segments are called {segment.name}", "rename one")
    frames: dict[str, str] = {"world": "the world"} if chain.root.name != "world" else {}
    frames |= {f"joint:{joint.name}": f"joint {joint.name}" for joint in chain.joints}
    for segment in chain.segments:
        reference, own = segment.link.reference, f"link {segment.name}"
        features = (frame.name for frame in segment.link.frames if frame.role is Role.FEATURE)
        for name in (segment.name, *(name for name in features if name != reference)):
            if (other := frames.setdefault(name, own)) != own:
                message = f"a frame of link {segment.name} is called {name}, as is one of {other}"
                yield Finding.error("Kc5", segment.link.place, message, "rename one: frames are asked for by name")


def kc7_not_parallel(chain: KinematicChain) -> Iterator[Finding]:
    """Kc7: from one segment to another leads one joint at most, through whichever frames."""
    between: dict[tuple[str, str], Joint] = {}
    for joint in chain.joints:
        ends = joint.parent.name, joint.child.name
        first = between.setdefault(ends, joint)
        if first is not joint and ends[0] != ends[1]:
            yield Finding.error(
                "Kc7",
                joint.place,
                f"joints {first.name} and {joint.name} both connect segment {ends[1]} to {ends[0]}",
                "keep one; what moves in several ways is one joint of another type, or has a segment in between",
            )


def kc8_no_open_frame(chain: KinematicChain) -> Iterator[Finding]:
    """Kc8: every joint frame is an end of some joint."""
    used = {(segment.name, frame) for joint in chain.joints for segment, frame in (joint.reference, joint.target)}
    for segment in chain.segments:
        for frame in segment.frames:
            if frame.role is Role.JOINT and (segment.name, frame.name) not in used:
                yield Finding.note(
                    "Kc8",
                    segment.link.place,
                    f"joint frame {frame.name} of segment {segment.name} is used by no joint",
                    "connect a joint to it, remove it, or make it a feature, which can be asked for by name",
                )
