"""The rules of magnitudes, Mg1 to Mg7: what a robot could be in principle, and no robot is.

Degrees for radians, millimetres for metres, figures left out or left at zero. All are warnings: results follow the
file.
"""

import math
from collections.abc import Iterator

from motionc.model.chain import Joint, KinematicChain, Limits, Link
from motionc.model.findings import Finding
from motionc.model.rules.lengths import APART, FEWEST, Kind, Length, extent

TURNS = 4
"""Turns that a joint with limits may make either way; more look like degrees."""
MARKS = 10.0
"""How many times as long as all lengths of the robot a radius of gyration is that a shape of its link bears out."""
DEGREES = 3 * 360.0
"""Beyond this, a limit is taken for somebody's infinity."""
THINNEST = 1e-4
"""kg/m³: mass over the cubes of all links' lengths; arms of every size have about 1 to 1000, air has 1.2."""


def mg1_what_moves_weighs(chain: KinematicChain) -> Iterator[Finding]:
    """Mg1: a link that joints move, that has a shape and carries what has mass, has mass, or is welded to what has."""
    body = {chain.root.name: chain.root.name}  # the first link of all that are welded together
    for joint in chain.depth_first:
        body[joint.child.name] = joint.child.name if joint.type.moves else body[joint.parent.name]
    mass, shapes = dict.fromkeys(body.values(), 0.0), dict[str, Link]()
    for segment in chain.segments:
        own = body[segment.name]
        mass[own] += segment.link.mass or 0.0
        if segment.link.shapes:
            shapes.setdefault(own, segment.link)
    carries = dict(mass)
    for joint in reversed(chain.depth_first):
        if joint.type.moves:
            carries[body[joint.parent.name]] += carries[joint.child.name]
    for own, link in shapes.items():
        if own != body[chain.root.name] and not mass[own] and carries[own]:
            yield Finding.warning(
                "Mg1",
                link.place,
                f"link {link.name} moves, has a shape and carries other links, but has no mass",
                "add its mass and inertia (in URDF an <inertial>); dynamics takes it for weightless",
            )


def mg2_limits_in_radians(joint: Joint) -> Iterator[Finding]:
    """Mg2: limits of angles are in radians: no more than four turns either way, unless they are whole turns."""
    if "limits" not in joint.type.reads or "pitch" in joint.type.reads:  # a screw turns as often as it has to
        return
    for limits, is_angle in _by_coordinate(joint):
        bounds = limits.lower, limits.upper
        if is_angle and any(map(_looks_like_degrees, bounds)):
            lower, upper = (f"{math.radians(bound):.6g}" for bound in bounds)
            yield Finding.warning(
                "Mg2",
                joint.at("limit", "lower"),
                f"joint {joint.name} has lower = {limits.lower:g} and upper = {limits.upper:g} rad, up to "
                f"{max(map(abs, bounds)) / math.tau:.3g} turns: these look like degrees",
                f"if so, give lower = {lower} and upper = {upper}: angles are in rad; a joint that turns without end "
                "is continuous",
            )


def mg3_offsets(ascending: list[Length], out: list[Length]) -> Iterator[Finding]:
    """Mg3: no joint sits thirty times as far out as the other lengths of the robot go."""
    yield from _far_out("Mg3", Kind.OFFSET, "joint {} sits {} m away from the frame of its link", ascending, out)


def mg4_center_of_mass(ascending: list[Length], out: list[Length]) -> Iterator[Finding]:
    """Mg4: no centre of mass lies thirty times as far out as the other lengths of the robot go."""
    said = "the centre of mass of link {} is {} m away from its frame"
    yield from _far_out("Mg4", Kind.CENTER, said, ascending, out)


def mg5_gyration(ascending: list[Length], out: list[Length]) -> Iterator[Finding]:
    """Mg5: no radius of gyration is thirty times as long as the link's shapes reach, or as any length of the robot."""
    usual = [each.value for each in ascending if each not in out and each.kind is not Kind.GYRATION]
    largest = usual[-1] if len(usual) >= FEWEST else 0.0
    for length in ascending:
        if length.kind is not Kind.GYRATION or not isinstance(link := length.owner, Link):
            continue
        # what has no shape is measured by the robot; a shape that only marks a place is smaller than what it stands for
        own = extent(link)
        bound = max(APART * own, MARKS * largest) if own else APART * largest
        if 0 < bound < length.value:
            moment = length.value**2 * (link.mass or 0.0)
            said = f"its shapes reach {own:.3g} m" if own else f"no length of the robot is above {largest:.3g} m"
            yield Finding.warning(
                "Mg5",
                link.at("inertia"),
                f"link {link.name} has a moment of inertia of {moment:.4g} kg m² on {link.mass:.4g} kg, as if its mass "
                f"sat {length.value:.3g} m from its centre, and {said}",
                "if the moments are in kg mm², divide them by 1e6, in g mm² by 1e9: they are in kg m²; or correct the "
                "mass, which is in kg",
            )


def mg6_joints_can_move(joint: Joint) -> Iterator[Finding]:
    """Mg6: a movable joint that follows no other may move: upper is above lower, velocity above 0."""
    if not joint.type.moves or joint.mimic is not None:
        return
    for limits, _ in _by_coordinate(joint):
        still = ["velocity = 0"] * bool(limits.velocity == 0)
        still += ["effort = 0"] * bool(limits.velocity == limits.effort == 0)
        still += [f"lower = upper = {limits.lower:g}"] * bool(limits.lower == limits.upper)
        if still:
            yield Finding.warning(
                "Mg6",
                joint.at("limit", still[0].split()[0]),
                f"joint {joint.name} is {joint.type} and may not move: {', '.join(still)}",
                "give the limits it has (what a file leaves out, or an exporter does not know, is often 0), or make "
                "the joint fixed",
            )


def mg7_heavier_than_air(chain: KinematicChain, ascending: list[Length], out: list[Length]) -> Iterator[Finding]:
    """Mg7: a robot is not lighter by far than air: its mass over the cubes of its links' lengths."""
    mass = sum(segment.link.mass or 0.0 for segment in chain.segments)
    offsets = [each.value for each in ascending if each.kind is Kind.OFFSET]
    if not out and len(offsets) >= FEWEST and 0 < mass < THINNEST * sum(offset**3 for offset in offsets):
        yield Finding.warning(
            "Mg7",
            chain.root.link.place,
            f"the robot weighs {mass:.4g} kg and has joints up to {offsets[-1]:.4g} m apart: it is lighter than air",
            "if lengths are in millimetres, divide all of them by 1000: they are in m; or correct the masses, which "
            "are in kg",
        )


def _far_out(rule: str, kind: Kind, said: str, ascending: list[Length], out: list[Length]) -> Iterator[Finding]:
    """Places of a kind among the lengths that stand out, which look like millimetres."""
    usual = max((each.value for each in ascending if each not in out), default=0.0)
    for length in out:
        if length.kind is kind:
            yield Finding.warning(
                rule,
                length.owner.at("origin", "xyz"),
                f"{said.format(length.owner.name, f'{length.value:.4g}')}, and no other length of the robot is above "
                f"{usual:.3g} m",
                f"if that is in millimetres, divide it by 1000 to {length.value / 1000:.4g}: lengths are in m",
            )


def _by_coordinate(joint: Joint) -> Iterator[tuple[Limits, bool]]:
    """The limits of each coordinate, and whether it is an angle; those for all are given once."""
    if joint.coordinate_limits:
        yield from zip(joint.coordinate_limits, joint.type.turns, strict=False)
    else:
        yield joint.limits, all(joint.type.turns)


def _looks_like_degrees(angle: float) -> bool:
    turns = abs(angle) / math.tau
    return TURNS < turns <= DEGREES / math.tau and not math.isclose(turns, round(turns), rel_tol=1e-4)
