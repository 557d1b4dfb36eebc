"""What a program follows from, as one short text: the robot, what is asked of it, and the code that answers.

Equal identities give equal programs, so what was built once need not even be traced again. All of it is data; nothing
is asked of a function. Solvers that somebody else composed hold functions, and have no identity before they are traced.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from motionc.code_digest import loaded_sources
from motionc.model.chain import Joint
from motionc.model.robot import Robot

_robots: "WeakKeyDictionary[Robot, bytes]" = WeakKeyDictionary()


def identity(robot: Robot, options: Any) -> str | None:
    """The sha256 of robot, options and loaded code; None where only the traced program tells.

    That is so of solvers somebody composed, of options of types that are not ours, and where our files are no longer
    those this process has loaded.
    """
    code = loaded_sources()
    if options.own or code is None:
        return None
    digest = hashlib.sha256()
    try:
        for part in (code, robot_identity(robot), options):
            _feed(digest, part)
    except Unidentified:
        return None
    return digest.hexdigest()


class Unidentified(Exception):
    """A value of a type that is not ours: what it does is known once it is traced."""


def robot_identity(robot: Robot) -> bytes:
    """The digest of everything a solver may read off a robot."""
    if robot not in _robots:
        digest = hashlib.sha256()
        joints = tuple(_written(joint) for joint in robot.joints)
        maps = (dict(robot.q_index), dict(robot.v_index), dict(robot.followers), dict(robot.held))
        for part in (robot.name, robot.mechanism, robot.links, joints, maps, robot.limits):
            _feed(digest, part)
        _robots[robot] = digest.digest()
    return _robots[robot]


def _written(joint: Joint) -> tuple[Any, ...]:
    """A joint as it was written down; its ends by their names and where it sits on them."""
    ends = [(segment.name, frame, segment.pose(frame)) for segment, frame in (joint.reference, joint.target)]
    inner = {field.name: getattr(joint, field.name) for field in fields(joint) if field.name not in UNREAD}
    return joint.name, joint.parent.name, joint.child.name, ends, inner


UNREAD = ("parent", "child", "reference", "target", "place", "places", "carried")
"""What of a joint is said otherwise, or concerns files alone."""


# ---------------------------------------------------------------- data


def _feed(digest: Any, value: Any) -> None:
    """Add a value, its type and its shape, so that different values never look alike."""
    kind = type(value)
    if kind not in PLAIN and kind.__module__.partition(".")[0] != "motionc":
        raise Unidentified(kind.__name__)
    digest.update(kind.__qualname__.encode() + b"(")
    if isinstance(value, np.ndarray):
        digest.update(repr((value.shape, value.dtype.str)).encode() + np.ascontiguousarray(value).tobytes())
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            digest.update(field.name.encode() + b"=")
            _feed(digest, getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _feed(digest, key)
            _feed(digest, item)
    elif isinstance(value, tuple | list | frozenset | set):
        for item in sorted(value, key=repr) if isinstance(value, frozenset | set) else value:
            _feed(digest, item)
    elif value is None or isinstance(value, str | bytes | int | float | Enum | slice):
        data = value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    else:
        raise Unidentified(kind.__name__)
    digest.update(b")")


PLAIN = (type(None), bool, int, float, str, bytes, slice, tuple, list, dict, frozenset, set, np.ndarray)
