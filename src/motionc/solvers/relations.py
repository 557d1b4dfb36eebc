"""What ports of solvers are about: relations of frames, points and axes as data, so that wires can be compared."""

import re
from collections.abc import Sequence
from typing import Any

from motionc.geometry import Pose, Position
from motionc.geometry.screw import Screw
from motionc.program.relation import Relation
from motionc.solvers.target import Target


def of_motion(kind: str, asked: Sequence[Target]) -> Relation:
    """What of frames' motion a port has; words of several frames stand behind each other."""
    return Relation(
        kind,
        _words([one.frame for one in asked]),
        _words([one.wrt for one in asked]),
        _words([_point(one.frame, one.point) for one in asked]),
        _words([one.as_seen_by or one.frame for one in asked]),
    )


def of_wrenches(frames: Sequence[str], axes: Sequence[str]) -> Relation:
    """Wrenches on frames, at their origins, in these axes."""
    return Relation("wrench", ", ".join(frames), "", ", ".join(frames), _words(axes))


def of_rows(kind: str, labels: Sequence[str]) -> Relation:
    """Amounts along rows of tasks."""
    return Relation(f"{kind} along rows", ", ".join(labels))


def of_value(value: Any, frame: str, point: Sequence[float]) -> Relation | None:
    """What a relation of geometry says of itself, at a point of a frame where one was asked for; None of numbers."""
    kind = re.sub(r"(?<!^)(?=[A-Z])", " ", type(value).__name__).lower()
    if isinstance(value, Pose):
        return Relation(kind, value.of.name, value.wrt.name)
    if isinstance(value, Position):
        return Relation(kind, value.of.name, value.wrt.name, as_seen_by=value.as_seen_by.name)
    if isinstance(value, Screw):
        wrt, place = str(getattr(value, "wrt", "")), _point(frame, point) if frame else value.point.name
        return Relation(kind, frame or str(value.of), wrt, place, value.as_seen_by.name)
    return None


def _point(frame: str, point: Sequence[float]) -> str:
    return f"{frame} {tuple(map(float, point))}" if any(point) else frame


def _words(each: Sequence[str]) -> str:
    return each[0] if len({*each}) == 1 else ", ".join(each)
