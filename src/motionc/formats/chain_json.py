"""A kinematic chain as JSON: joints of every type there is, and every digit; for files of our own.

Segments stand once, and joints name them by number. What it was read from (places, what is carried along) is left out.
Nothing is made of the text but records of a model, which check themselves.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.model.chain import Attachment, Joint, KinematicChain, Limits, Link, Mimic, Role, Segment, Transmission
from motionc.model.shapes import Box, Capsule, Cylinder, Material, Mesh, Shape, Sphere
from motionc.plain import plain, restored

KINDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        *(Attachment, Limits, Link, Mimic, Segment, Transmission),
        *(Box, Capsule, Cylinder, Material, Mesh, Shape, Sphere),
    )
}
UNSAID = ("place", "places", "carried")


def to_json(chain: KinematicChain) -> str:
    """A chain as text; `read_json` reads it."""
    segments = list(dict.fromkeys(segment for joint in chain.joints for segment in (joint.parent, joint.child)))
    segments += [] if chain.base is None or chain.base in segments else [chain.base]
    joints = [
        {one.name: _end(segments, getattr(joint, one.name)) for one in fields(Joint) if one.name not in UNSAID}
        for joint in chain.joints
    ]
    data = {
        "name": chain.name,
        "segments": [_without(plain(segment)) for segment in segments],
        "joints": joints,
        "base": None if chain.base is None else segments.index(chain.base),
        "materials": [_without(plain(material)) for material in chain.materials],
    }
    return json.dumps(data)


def _end(segments: list[Segment], value: Any) -> Any:
    """A field of a joint; its ends by the number of their segment."""
    if isinstance(value, tuple) and value and isinstance(value[0], Segment):
        return [segments.index(value[0]), value[1]]
    return _without(plain(value))


def _without(data: Any) -> Any:
    """The same without what files alone are about."""
    if isinstance(data, Mapping):
        return {key: _without(value) for key, value in data.items() if key not in UNSAID}
    return [_without(entry) for entry in data] if isinstance(data, list) else data


def read_json(text: str) -> KinematicChain:
    """The chain of such a text; one sentence where it is none."""
    try:
        data = json.loads(text)
        segments = [_numbers(restored(one, KINDS)) for one in data["segments"]]
        joints = [_joint(segments, dict(one)) for one in data["joints"]]
        base = None if data["base"] is None else segments[data["base"]]
        return KinematicChain(data["name"], tuple(joints), base, restored(data["materials"], KINDS))
    except (Error, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise Error(f"it is no kinematic chain as JSON ({error})") from None


def _joint(segments: list[Segment], given: dict[str, Any]) -> Joint:
    ends: dict[str, Any] = {side: (segments[given[side][0]], str(given[side][1])) for side in ("target", "reference")}
    known = {one.name for one in fields(Joint) if one.name not in UNSAID}
    for name in given.keys() - known:
        raise Error(f"Joint has no {name!r}")
    said: dict[str, Any] = {name: restored(value, KINDS) for name, value in given.items()}
    return Joint(**said | ends)


def _numbers(segment: Any) -> Segment:
    """A segment whose poses and inertia are arrays."""
    if not isinstance(segment, Segment):
        raise Error("a segment is none")
    link = segment.link
    frames, own = (tuple(_placed(one) for one in several) for several in (link.frames, segment.frames))
    shapes = tuple(_placed(one) for one in link.shapes)
    inertia = None if link.inertia is None else np.array(link.inertia, float)
    return replace(segment, link=replace(link, frames=frames, inertia=inertia, shapes=shapes), frames=own)


def _placed(one: Any) -> Any:
    pose = np.array(one.pose, float)
    if pose.shape != (4, 4):
        raise Error(f"a pose has shape {pose.shape}")
    if isinstance(one, Attachment) and one.role is not None:
        return replace(one, pose=pose, role=Role(one.role))
    return replace(one, pose=pose)
