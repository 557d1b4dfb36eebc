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
    inward, lost = _inward(chain), iter(_lost(chain))
    for child, joints in _several(chain).items():
        names, wrong = [joint.name for joint in joints], [joint for joint in joints if joint.name in inward]
        message = f"{child} is the child (target) of {len(names)} joints, {', '.join(names[:-1])} and {names[-1]}"
        if wrong:
            remedy = (
                f"exchange parent and child of {wrong[0].name}: no joint leads to its parent {wrong[0].parent.name}, "
                "so they look swapped"
            )
        elif meant := next(lost, None):
            remedy = f"correct the child of one of them; no joint leads to {meant}, which may have been meant"
        else:
            remedy = "keep the one that leads to it from the root; open a loop, and close it by a constraint"
        yield Finding.error("Kc3", (wrong or joints[1:])[0].at("child", "link"), message, remedy)


def kc4_tree(chain: KinematicChain) -> Iterator[Finding]:
    """Kc4: the joints form one tree: no loop, nothing apart."""
    below: dict[str, list[str]] = {}
    for joint in chain.joints:
        below.setdefault(joint.parent.name, []).append(joint.child.name)
    root, inward, lost = chain.root.name, _inward(chain), _lost(chain)
    reached = _reached(root, below)

    # a joint with a wrong child leaves one segment without a joint to it: Kc3 or Jt2 told it
    selves = {joint.child.name for joint in chain.joints if joint.parent.name == joint.child.name}
    wrong = sum(inward.isdisjoint(joint.name for joint in joints) for joints in _several(chain).values())
    told = {*selves, *lost[: wrong + len(selves)], *(j.parent.name for j in chain.joints if j.name in inward)}

    targets = {joint.child.name for joint in chain.joints}
    for joint in sorted(chain.joints, key=lambda joint: joint.parent.name in targets):  # loops come last
        top = joint.parent.name
        if top in reached:
            continue
        apart = _reached(top, below)
        reached |= apart
        if top in told:
            continue
        hanging = sum(len(below.get(each, ())) for each in apart)
        more = f", nor {hanging - 1} more that hang on it" if hanging > 1 else ""
        yield Finding.error(
            "Kc4",
            joint.at("parent", "link"),
            f"joint {joint.name} hangs on {top}, which the root {root} does not reach{more}",
            "open the loop it is part of, and close it by a constraint"
            if top in targets
            else f"add a joint whose child is {top}, or correct the parent; one root, no loops",
        )


def _reached(start: str, below: dict[str, list[str]]) -> set[str]:
    """What hangs on a segment, itself included."""
    reached, frontier = {start}, [start]
    while frontier:
        for child in below.get(frontier.pop(), []):
            if child not in reached:
                reached.add(child)
                frontier.append(child)
    return reached


def _several(chain: KinematicChain) -> dict[str, list[Joint]]:
    """The joints to each segment that several parents have as a child; what Jt2 and Kc7 tell is left out."""
    leading: dict[str, list[Joint]] = {}
    for joint in chain.joints:
        if joint.parent.name != joint.child.name:
            leading.setdefault(joint.child.name, []).append(joint)
    return {child: joints for child, joints in leading.items() if len({joint.parent.name for joint in joints}) > 1}


def _lost(chain: KinematicChain) -> list[str]:
    """Segments but the root to which no joint leads, and from which none leads inward."""
    inward, targets = _inward(chain), {joint.child.name for joint in chain.joints}
    swapped = {joint.parent.name for joint in chain.joints if joint.name in inward}
    parents = dict.fromkeys(joint.parent.name for joint in chain.joints)
    return [name for name in parents if name not in targets and name not in swapped and name != chain.root.name]


def _inward(chain: KinematicChain) -> set[str]:
    """Joints that point towards the root: to a child that another joint moves, from a parent that none does."""
    targets = Counter(joint.child.name for joint in chain.joints)
    return {
        joint.name
        for joint in chain.joints
        if targets[joint.child.name] == 2 and not targets[joint.parent.name] and joint.parent.name != chain.root.name
    }


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
