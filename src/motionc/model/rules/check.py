"""Checking a thing is checking its parts plus its own rules (specs/motion-stack.md §2.1, §2.3)."""

from collections.abc import Iterable, Iterator

from motionc.model.chain import Joint, KinematicChain, Link, Segment
from motionc.model.findings import Finding, Findings
from motionc.model.rules.chains import (
    kc1_frame_used_once,
    kc2_root_is_no_target,
    kc3_outward,
    kc4_tree,
    kc5_names,
    kc7_not_parallel,
    kc8_no_open_frame,
)
from motionc.model.rules.couplings import kc6_mimic
from motionc.model.rules.dynamics import dy1_moves_inertia
from motionc.model.rules.joints import (
    jt1_joint_tag,
    jt2_different_segments,
    jt3_axis,
    jt4_numbers,
    jt5_of_its_type,
)
from motionc.model.rules.lengths import lengths, standing_out
from motionc.model.rules.links import (
    lk1_tagged_and_unique,
    lk2_counts,
    lk3_wrt_reference,
    lk4_inertia,
    lk5_inertia_has_a_frame,
)
from motionc.model.rules.magnitudes import (
    mg1_what_moves_weighs,
    mg2_limits_in_radians,
    mg3_offsets,
    mg4_center_of_mass,
    mg5_gyration,
    mg6_joints_can_move,
    mg7_heavier_than_air,
)
from motionc.model.rules.segments import (
    sg2_joint_frames_wrt_reference,
    sg3_constant,
    sg4_names,
    sg5_no_inertia_or_shape,
)


def check_chain(chain: KinematicChain, read: Iterable[Finding] = ()) -> Findings:
    """Every finding of a chain: those of who `read` it, its segments', its joints', its own."""
    if not chain.joints and chain.base is None:
        return Findings(tuple(kc2_root_is_no_target(chain)))
    noted, found = tuple(read), list[Finding]()
    for segment in chain.segments:
        found += check_segment(segment, alone=not chain.joints)
    for joint in chain.joints:
        found += check_joint(joint)
    for rule in (
        kc1_frame_used_once,
        kc2_root_is_no_target,
        kc3_outward,
        kc4_tree,
        kc5_names,
        kc7_not_parallel,
        kc8_no_open_frame,
    ):
        found += rule(chain)
    # these need a sound tree to walk along; Dy1 followers that follow somebody, magnitudes a model that was read whole
    if Findings(tuple(found)).ok:
        found += kc6_mimic(chain)
        if Findings(tuple(found)).ok:
            found += dy1_moves_inertia(chain)
            found += check_magnitudes(chain) if Findings(noted).ok else ()
    return Findings(noted) + Findings(tuple(found))


def check_magnitudes(chain: KinematicChain) -> Iterator[Finding]:
    """What a chain that obeys all other rules could be, and no robot is."""
    for joint in chain.joints:
        yield from mg2_limits_in_radians(joint)
        yield from mg6_joints_can_move(joint)
    yield from mg1_what_moves_weighs(chain)
    ascending = lengths(chain)
    out = standing_out(ascending)
    for rule in (mg3_offsets, mg4_center_of_mass, mg5_gyration):
        yield from sorted(rule(ascending, out), key=lambda finding: (finding.place.file, finding.place.line))
    yield from mg7_heavier_than_air(chain, ascending, out)


def check_segment(segment: Segment, *, alone: bool = False) -> Iterator[Finding]:
    """Sg1: all link rules; then the segment's own. `alone`: no joint needs a place on it."""
    yield from check_link(segment.link)
    yield from sg2_joint_frames_wrt_reference(segment)
    yield from sg3_constant(segment)
    yield from sg4_names(segment, alone=alone)
    yield from sg5_no_inertia_or_shape(segment)


def check_link(link: Link) -> Iterator[Finding]:
    yield from lk1_tagged_and_unique(link)
    yield from lk2_counts(link)
    yield from lk3_wrt_reference(link)
    yield from lk4_inertia(link)
    yield from lk5_inertia_has_a_frame(link)


def check_joint(joint: Joint) -> Iterator[Finding]:
    yield from jt1_joint_tag(joint)
    yield from jt2_different_segments(joint)
    yield from jt3_axis(joint)
    yield from jt4_numbers(joint)
    yield from jt5_of_its_type(joint)
