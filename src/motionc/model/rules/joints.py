"""The rules of a joint, Jt1 to Jt5: its two ends, its axis, its numbers."""

import math
from collections.abc import Iterator

import numpy as np

from motionc.model.chain import LARGEST, Joint, Role
from motionc.model.findings import Finding
from motionc.model.joints import JointType, is_registered, unit
from motionc.model.rules.values import floats


def jt1_joint_tag(joint: Joint) -> Iterator[Finding]:
    """Jt1: both ends carry the joint role (Sg4: so each segment has at least one)."""
    for segment, name in (joint.reference, joint.target):
        frame = segment.frame(name)
        if frame is None or frame.role is not Role.JOINT:
            said = "does not exist" if frame is None else f"has role {frame.role}"
            yield Finding.error(
                "Jt1",
                joint.place,
                f"frame {name} of segment {segment.name}, an end of joint {joint.name}, {said}",
                f"declare {name} on segment {segment.name} with role joint",
            )


def jt2_different_segments(joint: Joint) -> Iterator[Finding]:
    """Jt2: the two frames lie on different segments."""
    if joint.parent.name == joint.child.name:
        yield Finding.error(
            "Jt2",
            joint.place,
            f"both ends of joint {joint.name} are on segment {joint.child.name}",
            "a joint moves one segment against another",
        )


def jt3_axis(joint: Joint) -> Iterator[Finding]:
    """Jt3: the motion subspace is written in the target frame, as a direction."""
    if not is_registered(joint.type) or not joint.type.has_axis:
        return
    second = joint.second_axis if "second_axis" in joint.type.reads else None
    bad = False
    for name, given in [("axis", joint.axis), ("second axis", second)][: 1 if second is None else 2]:
        axis = floats(given, 3)
        if axis is None or not all(abs(x) < LARGEST for x in axis) or math.hypot(*axis) < 1e-9:
            bad = True
            yield Finding.error(
                "Jt3",
                joint.at("axis", "xyz"),
                f"joint {joint.name} has {name} {given}",
                "give a direction in target-frame coordinates, such as (0, 0, 1)",
            )
    if second is not None and not bad and np.linalg.norm(np.cross(unit(joint.axis), unit(second))) < 1e-6:
        yield Finding.error(
            "Jt3",
            joint.place,
            f"joint {joint.name} turns twice about one axis, {joint.axis} and {second}",
            "give two different axes, or make it revolute",
        )


def jt4_numbers(joint: Joint) -> Iterator[Finding]:
    """Jt4: type, limits and transmission are ones a joint can have."""
    if not is_registered(joint.type):
        kinds = ", ".join(JointType)
        yield Finding.error(
            "Jt4", joint.place, f"joint {joint.name} has type {joint.type!r}", f"give it one of {kinds}"
        )
    for limits in (joint.limits, *joint.coordinate_limits):
        bounds = floats((limits.lower, limits.upper, limits.velocity, limits.effort), 4)
        if bounds and bounds[0] > bounds[1]:
            yield Finding.error(
                "Jt4",
                joint.at("limit", "lower"),
                f"joint {joint.name} has limits that are crossed: lower = {limits.lower:g} is above "
                f"upper = {limits.upper:g}",
                "exchange lower and upper",
            )
        elif bounds is None or not (bounds[0] <= bounds[1] and bounds[2] >= 0 and bounds[3] >= 0):
            yield Finding.error(
                "Jt4",
                joint.place,
                f"joint {joint.name} has limits {limits.lower} to {limits.upper}, velocity {limits.velocity}, "
                f"effort {limits.effort}",
                "give lower ≤ upper, and velocity and effort ≥ 0; infinite where there is no limit",
            )
    pitch = floats((joint.pitch,), 1)
    if pitch is None or not abs(pitch[0]) < LARGEST:
        yield Finding.error(
            "Jt4", joint.place, f"joint {joint.name} has pitch {joint.pitch}", "give a finite number in m/rad"
        )
    transmission = joint.transmission
    numbers = floats((transmission.rotor_inertia, transmission.damping, transmission.friction), 3)
    if numbers is None or not all(0 <= number < LARGEST for number in numbers):
        yield Finding.error(
            "Jt4",
            joint.place,
            f"joint {joint.name} has rotor inertia {transmission.rotor_inertia}, damping {transmission.damping}, "
            f"friction {transmission.friction}",
            "give finite numbers ≥ 0",
        )


def jt5_of_its_type(joint: Joint) -> Iterator[Finding]:
    """Jt5: nothing is said that a joint of this type does not have."""
    if not is_registered(joint.type):
        return
    size, given = joint.type.nv, len(joint.coordinate_limits)
    if given not in (0, size):
        yield Finding.error(
            "Jt5",
            joint.place,
            f"joint {joint.name} has limits of {given} coordinates, but a {joint.type} joint has {size}",
            f"give one each, in the order of v: {', '.join(joint.type.rates) or 'none'}",
        )
    unused = {
        "pitch": joint.pitch != 0 and "pitch" not in joint.type.reads,
        "second axis": joint.second_axis is not None and "second_axis" not in joint.type.reads,
        "lower and upper limits": "limits" not in joint.type.reads
        and any((one.lower, one.upper) != (-np.inf, np.inf) for one in (joint.limits, *joint.coordinate_limits)),
    }
    for what in (name for name, said in unused.items() if said):
        yield Finding.note(
            "Jt5",
            joint.place,
            f"joint {joint.name} is {joint.type} and has {what}, which mean nothing there",
            "remove them, or give the joint the type that was meant",
        )
