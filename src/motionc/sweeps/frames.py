"""Frames of a robot by name: where they are attached, and who looks at whom."""

from dataclasses import dataclass, field
from typing import Any

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.geometry import WORLD_FRAME, Frame, Pose
from motionc.geometry.meaning import as_meant
from motionc.model.mechanism import Mechanism


@dataclass(frozen=True, slots=True, eq=False)
class Attached:
    """A frame somewhere on the robot: the body it is fixed to (-1: the world) and its pose wrt that body's frame."""

    body: int = -1
    pose: Pose = field(default_factory=lambda: Pose.between(WORLD_FRAME, WORLD_FRAME))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A frame that is observed, the frame whose body observes it, and the frame in whose axes that is written."""

    of: Attached
    wrt: Attached
    axes: Attached


class Views(tuple[View, ...]):
    """All frames that are observed, in order."""


def attached(mechanism: Mechanism, name: str, what: str, point: Any = (0.0, 0.0, 0.0)) -> Attached:
    """A frame by name, or a point of it, on the mechanism."""
    if name not in mechanism.frames:
        raise Error(f"{what}: there is no frame {name!r}{suggestion(name, mechanism.frames)}")
    body, pose = mechanism.frames[name]
    as_meant(pose.of, f"frame {name!r}", name=name)
    offset = checked.numbers(f"{what}: point", point, "give three finite coordinates in metres", (3,))
    if offset.any():
        pose = pose.compose(Pose.between(Frame(f"{name}+point", pose.of.body), pose.of, (), offset))
    return Attached(body, pose)
