"""Does a task contradict itself? Rules that every specification is held to when it is made, whatever the robot."""

from typing import Any

from motionc import checked
from motionc.errors import Error
from motionc.tasks.bands import (
    Align,
    Angle,
    Approach,
    Contact,
    Force,
    Goal,
    Moment,
    Orientation,
    Speed,
    Tube,
)

Part = str | tuple[str | int, ...]
"""A part of a task by its name, or an entry of a list, such as ("until", 0)."""


class Contradiction(Error):
    """Parts of a task that contradict each other: `about` names them, first the one to change."""

    def __init__(self, kind: str, about: tuple[Part, ...], sentence: str) -> None:
        self.kind, self.about, self.sentence = kind, about, sentence
        super().__init__(kind, about, sentence)

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"


BANDS: dict[str, tuple[type, ...]] = {
    "x": (Speed,),
    "y": (Tube, Force),
    "z": (Tube, Force),
    "ax": (Moment,),
    "ay": (Moment,),
    "az": (Angle, Moment),
    "orientation": (Orientation,),
}
"""What may be asked along and about each axis."""


def are_bands(one: Any) -> None:
    """What is asked of a direction is something that can be asked of it."""
    for direction, kinds in BANDS.items():
        band = getattr(one, direction)
        if band is not None:
            wanted = f"give a {' or a '.join(f'{kind.__name__}(…)' for kind in kinds)}, or None for nothing"
            checked.instance(f"{type(one).__name__}: {direction}", band, kinds, wanted)


def listed(what: str, value: Any, kinds: tuple[type, ...]) -> tuple[Any, ...]:
    """A list of what ends a task, or of what is watched."""
    wanted = f"give a list of {', '.join(f'{kind.__name__}(…)' for kind in kinds)}"
    entries = checked.several(what, value, wanted, *kinds)
    for entry in entries:
        checked.instance(what, entry, kinds, wanted)
    return entries


def agree(move: Any) -> None:
    """Directions do not contradict each other, and at least one has something asked of it."""
    asked = [name for name in BANDS if getattr(move, name) is not None]
    if not asked:
        sentence = "nothing is asked in any direction; say at least one, such as a speed along x"
        raise Contradiction("Move", ("move",), sentence)
    turns = [name for name in ("ax", "ay", "az") if name in asked]
    if "orientation" in asked and turns:
        raise Contradiction(
            "Move",
            (turns[0], "orientation"),
            f"{turns[0]} and orientation contradict each other: one tube holds all three turns, and "
            f"{turns[0]} asks for a {type(getattr(move, turns[0])).__name__} besides; leave one of them out",
        )


def surface(move: Any) -> None:
    """Forces have a frame, and what comes before a surface is followed has a force and moments to follow it by."""
    forces = [name for name in ("y", "z") if isinstance(getattr(move, name), Force)]
    moments = [name for name in ("ax", "ay", "az") if isinstance(getattr(move, name), Moment)]
    if (forces or moments) and not move.force_frame:
        named = (forces + moments)[0]
        band = type(getattr(move, named)).__name__
        raise Contradiction(
            "Move",
            (named,),
            f"{named} asks for a {band}, and no force frame says along whose axes; "
            "name a frame of the robot, such as the bottom of its pad",
        )
    if move.approach is not None:
        checked.instance("Move: approach", move.approach, Approach, "give an Approach(…)")
        if "z" not in forces:
            sentence = "an approach ends in a force along z, and none is asked; ask for one, or leave the approach out"
            raise Contradiction("Move", ("approach",), sentence)
    if move.align is not None:
        checked.instance("Move: align", move.align, Align, "give an Align(…)")
        if not moments or not move.approach:
            sentence = "a tool is aligned by its moments after an approach; ask for both, or leave align out"
            raise Contradiction("Move", ("align",), sentence)


def ends(task: Any) -> None:
    """What ends a task can come to pass, and is said once; so is what is watched."""
    kind, axes = type(task).__name__, ""
    for k, stop in enumerate(task.until):
        if isinstance(stop, Contact):
            if twice := [axis for axis in stop.along if axis in axes]:
                sentence = f"a second contact along {twice[0]}; keep one of them"
                raise Contradiction(kind, (("until", k),), sentence)
            axes += stop.along
            _contact(task, kind, stop, k)
        elif any(type(stop) is type(before) for before in task.until[:k]):
            raise Contradiction(kind, (("until", k),), f"a second {type(stop).__name__.lower()}; keep one of them")
        elif isinstance(stop, Goal):
            _goal(task, kind, stop, k)
    for k, one in enumerate(task.monitors):
        if any((one.signal, one.then) == (before.signal, before.then) for before in task.monitors[:k]):
            sentence = f"a second monitor of {one.signal} that {'stops' if one.then == 'stop' else 'tells'}"
            raise Contradiction(kind, (("monitors", k),), f"{sentence}; keep one of them")


def _contact(task: Any, kind: str, contact: Contact, k: int) -> None:
    """A force that is asked for does not end the task."""
    for axis in contact.along:
        band = getattr(task, axis, None)
        if isinstance(band, Force) and contact.force <= abs(band.value) + band.tolerance:
            raise Contradiction(
                kind,
                (("until", k), axis),
                f"a contact of {contact.force:g} N along {axis} ends it while {band.value:g} ± {band.tolerance:g} N "
                f"are asked there; leave {axis} out of the contact, or let it be more",
            )


def _goal(task: Any, kind: str, goal: Goal, k: int) -> None:
    """A goal is come to: something moves along X, and is still moving there."""
    speed = getattr(task, "x", None)
    if speed is None:
        raise Contradiction(kind, (("until", k),), "a goal, and nothing moves along X; end it by a timeout")
    if speed.at(goal.tolerance) <= 0:
        raise Contradiction(
            kind,
            ("x", ("until", k)),
            f"x asks for {speed.at(goal.tolerance):.3g} m/s where {goal.tolerance:g} m are left: it comes to rest "
            "before its goal; give the profile an offset, or the goal more tolerance",
        )
