"""Frames that are given with each call: an input for the pose of each, and the mechanism with them among its own.

A given frame stands wherever a frame of the robot can be named; what moves its body moves it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.geometry import Frame, Pose
from motionc.geometry.coordinates import Coordinates, assemble, is_known, known_or_unknown
from motionc.geometry.factors import GivenRotation
from motionc.model.mechanism import Mechanism
from motionc.program.names import is_word
from motionc.program.port import Port
from motionc.program.relation import Relation
from motionc.program.space import Poses

GivenFrames = Mapping[str, str]
"""By name, the frame with respect to which its pose is given: of the robot, or given before it."""

WANTED = 'write {"T": "world"}: the name of a frame, and of the one its pose is given wrt'


def understood_frames(what: str, given: Any) -> Mapping[str, str]:
    """Names of frames and of those they are given wrt, whatever the robot."""
    frames: Mapping[Any, Any] = checked.instance(what, given, Mapping, WANTED)
    for name, base in frames.items():
        checked.name(what, name, WANTED)
        checked.name(f"{what}: {checked.shown(name)}", base, WANTED)
        if not is_word(name):
            raise Error(f"{what}={checked.shown(name)}: it is an input of that name; take a plain word such as T")
    return frames


def frame_ports(frames: GivenFrames) -> tuple[Port, ...]:
    """An input for each."""
    return tuple(
        Port(
            name,
            (4, 4),
            "m, 1",
            f"homogeneous pose of {name} wrt {base}, given with each call",
            Poses(1),
            Relation("pose", wrt=base),
        )
        for name, base in frames.items()
    )


def refuse_unnamed(what: str, frames: GivenFrames | None, asked: Iterable[Any]) -> None:
    """What is given must matter: each frame is named by something that is asked, or another one is given wrt it."""
    named = {getattr(one, word, one) for one in asked for word in ("frame", "wrt", "as_seen_by")}
    for name in frames or {}:
        if name not in named.union((frames or {}).values()):
            raise Error(f"{what}: given_frames={name!r}: nothing names it; say as_seen_by={name!r}, or leave it out")


def with_frames(
    mechanism: Mechanism, frames: GivenFrames | None, inputs: Mapping[str, Coordinates] | None = None
) -> Mechanism:
    """The mechanism with these frames at the poses in the inputs; somewhere, where there are none.

    Refused where it has a frame of that name, or none that it is given wrt.
    """
    if not frames:
        return mechanism
    known = dict(mechanism.frames)
    for name, base in frames.items():
        if name in known:
            raise Error(f"given_frames={name!r}: there is a frame of that name already; take another one")
        if base not in known:
            raise Error(f"given_frames={name!r}: there is no frame {base!r}{suggestion(base, known)}")
        body, pose = known[base]
        values = known_or_unknown((inputs or {}).get(name))
        factors, place = (None, None) if not is_known(values) else _parts(values)
        known[name] = body, pose.compose(Pose.between(Frame(name, pose.of.body), pose.of, factors, place))
    return replace(mechanism, frames=known)


def _parts(values: Coordinates) -> tuple[Any, Coordinates]:
    """Rotation and position of a homogeneous matrix, row by row in a column."""
    turn = assemble([[values[4 * i + j, 0] for j in range(3)] for i in range(3)])
    return (GivenRotation(turn),), assemble([[values[4 * i + 3, 0]] for i in range(3)])
