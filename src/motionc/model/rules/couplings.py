"""The rule of mimic joints, Kc6, and whom each of them follows in the end."""

from collections.abc import Container, Iterator, Mapping

from motionc.errors import suggestion
from motionc.model.chain import Joint, KinematicChain, Mimic
from motionc.model.findings import Finding
from motionc.model.joints import JointType
from motionc.model.rules.values import are_finite


def kc6_mimic(chain: KinematicChain) -> Iterator[Finding]:
    """Kc6: a mimic joint follows a movable one-coordinate joint, and not, in the end, itself."""
    joints = {joint.name: joint for joint in chain.joints}
    followers = {joint.name: joint.mimic for joint in chain.joints if joint.mimic is not None}
    wrong = [name for name, mimic in followers.items() if not are_finite((mimic.gain, mimic.offset))]
    for name in wrong:
        message = f"joint {name} mimics with {followers[name].gain}, {followers[name].offset}"
        yield Finding.error("Kc6", joints[name].place, message, "give finite numbers")
    if wrong:
        return

    single = [kind for kind in JointType if kind.single]
    ends = leaders(joints)
    for circle in circles(joints):
        way = " → ".join((*circle, circle[0]))
        message = f"joints mimic one another in a circle: {way}" if circle[1:] else f"joint {circle[0]} mimics itself"
        yield Finding.error("Kc6", joints[circle[0]].at("mimic", "joint"), message, "let one lead: remove its mimic")
    for joint in (joints[name] for name in followers):
        end = ends.get(joint.name)
        if joint.type.nv > 1:
            yield Finding.error(
                "Kc6",
                joint.place,
                f"joint {joint.name} is {joint.type} and mimics {followers[joint.name].leader}, but has several "
                "coordinates",
                f"remove the mimic, or make the joint one of {', '.join(single)}",
            )
        elif end is None:
            yield Finding.note(
                "Kc6",
                joint.place,
                f"joint {joint.name} is {joint.type} and mimics {followers[joint.name].leader}: it follows nothing",
                "remove the mimic, or give the joint a type that moves",
            )
        elif (leader := end.leader) in ends:
            continue  # into a circle, of which it may be a part
        elif leader not in joints:
            yield Finding.error(
                "Kc6",
                joint.at("mimic", "joint"),
                f"joint {joint.name} mimics {leader}, which is no joint here",
                f"name a joint that moves{suggestion(leader, sorted(joints))}",
            )
        elif joints[leader].type.nv > 1 and leader not in followers:
            yield Finding.error(
                "Kc6",
                joint.place,
                f"joint {joint.name} mimics {leader}, which has several coordinates",
                f"follow one of these: {', '.join(single)}",
            )
        elif not are_finite((end.gain, end.offset)):
            yield Finding.error(
                "Kc6",
                joint.place,
                f"from joint to joint, {joint.name} mimics {leader} with {end.gain:g}, {end.offset:g} in the end",
                "give smaller multipliers",
            )


def followers(
    joints: Mapping[str, Joint], held: Mapping[str, float] | None = None
) -> tuple[dict[str, tuple[str, float, float]], dict[str, float]]:
    """Mimic joints by name: (leader, gain, offset); and all that are held, those that follow a held joint too."""
    follows, still = dict[str, tuple[str, float, float]](), dict(held or {})
    for name, end in leaders(joints, still).items():
        if end.leader in still or not joints[end.leader].type.single:
            still[name] = end.gain * still.get(end.leader, 0.0) + end.offset
        else:
            follows[name] = (end.leader, end.gain, end.offset)
    return follows, still


def circles(joints: Mapping[str, Joint]) -> Iterator[list[str]]:
    """Mimic joints that follow one another back to themselves: each circle once, from its first joint on."""
    seen = set[str]()
    for first in joints:
        trail: list[str] = []
        name: str | None = first
        while name is not None and name in joints and name not in seen:
            seen.add(name)
            trail.append(name)
            mimic = joints[name].mimic if joints[name].type.single else None
            name = None if mimic is None else mimic.leader
        if name in trail:
            yield trail[trail.index(name) :]


def leaders(joints: Mapping[str, Joint], held: Container[str] = ()) -> dict[str, Mimic]:
    """Whom each mimic joint follows in the end, through chains of mimics, and how; joints that are held follow nobody.

    A circle ends at one of its own joints: at a leader that follows, too.
    """
    ends: dict[str, Mimic] = {}
    for name in joints:
        trail: dict[str, Mimic] = {}
        while name in joints and name not in ends and name not in trail and name not in held:
            joint = joints[name]
            if joint.mimic is None or not joint.type.single:
                break
            trail[name], name = joint.mimic, joint.mimic.leader
        end = ends.get(name, Mimic(name))
        for follower, step in reversed(trail.items()):
            end = ends[follower] = Mimic(end.leader, step.gain * end.gain, step.gain * end.offset + step.offset)
    return ends
