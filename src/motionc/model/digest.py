"""Which robot is it? A digest of all that a computation may read off it, the same in all versions, on all machines.

What is as it would be without a word is left out, numbers count to twelve digits; what concerns files alone (places,
shapes, what is carried along) plays no part.
"""

import hashlib
import json
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np

from motionc.model.chain import Joint
from motionc.model.joints import JointType
from motionc.model.robot import Robot

UNREAD = frozenset(("place", "places", "carried", "shapes", "materials"))


def robot_digest(robot: Robot) -> str:
    """The sha256 of name, links, joints, frames, limits, and how it was loaded: floating, held, following."""
    held = sorted((name, _said(value)) for name, value in robot.held.items())
    about = [robot.name, robot.floating, robot.mimic, held]
    written = [about, [_said(segment) for segment in robot.segments], [_joint(joint) for joint in robot.joints]]
    return hashlib.sha256(json.dumps(written, separators=(",", ":")).encode()).hexdigest()


def _joint(joint: Joint) -> Any:
    ends = [[segment.name, frame] for segment, frame in (joint.reference, joint.target)]
    inner = {
        field.name: _said(value)
        for field in fields(joint)
        if field.name not in (*UNREAD, "target", "reference") and _told(field, value := getattr(joint, field.name))
    }
    return [ends, inner]


def _told(field: Any, value: Any) -> bool:
    """Whether a field is not as it would be without a word."""
    if isinstance(value, np.ndarray):
        return True
    return field.default is MISSING or type(value) is not type(field.default) or value != field.default


def _said(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, JointType):
        return str(value)
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return f"{value + 0.0:.12g}"
    if isinstance(value, tuple | list):
        return [_said(entry) for entry in value]
    if is_dataclass(value) and not isinstance(value, type):
        named = [field for field in fields(value) if field.name not in UNREAD]
        return {field.name: _said(each) for field in named if _told(field, each := getattr(value, field.name))}
    return str(value)
