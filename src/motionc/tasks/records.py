"""How are bands, ends and frames of a task written as keys and values? Parts of the table that documents are read by.

    x: {velocity: 5 cm/s, tolerance: 5 mm/s}       z: {force: 5 N, tolerance: 0.5 N}      orientation: {tube: 3 deg}
    until: [{goal: 3 cm}, {contact: 0.5 N, along: xyz}, {timeout: 9 s}]

Every number has a unit. A direction that is not there, or `free`, is left to nature.
"""

from dataclasses import dataclass
from typing import Any

from motionc.formats.located import Node
from motionc.formats.records import Amount, Choice, Key, Kind, Number, Record, Several, Whole, Words
from motionc.geometry.units import Quantity
from motionc.tasks.bands import (
    SIGNALS,
    Align,
    Angle,
    Approach,
    Contact,
    Force,
    Goal,
    Moment,
    Monitor,
    Orientation,
    Sine,
    Speed,
    Timeout,
    Tube,
)
from motionc.tasks.poses import Rows, printed_pose
from motionc.tasks.sections import Override

LENGTH = Amount(Quantity.LENGTH, positive=True)
VELOCITY = Amount(Quantity.LINEAR_VELOCITY, positive=True)
ANGLE = Amount(Quantity.ANGLE, positive=True)
FORCE = Amount(Quantity.FORCE, positive=True)
TORQUE = Amount(Quantity.TORQUE, positive=True)
TIME = Amount(Quantity.TIME, positive=True)


@dataclass(frozen=True)
class Free:
    """Said to be left to nature."""

    example = "free"

    def takes(self, node: Node) -> bool:
        return node.value == "free"

    def read(self, node: Node) -> None:
        return None

    def has(self, value: Any) -> bool:
        return value is None

    def plain(self, value: Any) -> str:
        return "free"

    @property
    def schema(self) -> dict[str, Any]:
        return {"const": "free"}


@dataclass(frozen=True)
class Zero:
    """Said where a tube is about, which is the axis, and nowhere else."""

    of: Quantity

    def takes(self, node: Node) -> bool:
        return isinstance(node.value, str)

    def read(self, node: Node) -> None:
        if Amount(self.of).read(node):
            raise node.error(f"a tube about {node.words}: it is about the axis", "write 0, and shift the frame instead")

    def has(self, value: Any) -> bool:
        return False

    def plain(self, value: Any) -> Any:
        raise AssertionError(value)

    @property
    def schema(self) -> dict[str, Any]:
        return Amount(self.of).schema


# ---------------------------------------------------------------- bands

SINE = Record(
    "a profile",
    Sine,
    {
        "offset": Key(Amount(Quantity.LINEAR_VELOCITY), needed=True),
        "amplitude": Key(Amount(Quantity.LINEAR_VELOCITY), needed=True),
        "rate": Key(Amount(Quantity.WAVE_NUMBER), needed=True),
    },
)
SPEED = Record(
    "a speed",
    Speed,
    {
        "velocity": Key(Choice("a speed or a profile of speeds", (SINE, VELOCITY)), "value", needed=True),
        "tolerance": Key(VELOCITY, needed=True),
    },
)
TUBE = Record("a tube", Tube, {"tube": Key(LENGTH, "tolerance", needed=True), "position": Key(Zero(Quantity.LENGTH))})
ORIENTATION = Record(
    "a tube of orientation",
    Orientation,
    {"tube": Key(ANGLE, "tolerance", needed=True), "angle": Key(Zero(Quantity.ANGLE))},
)


def _band(name: str, made: type, key: str, of: Quantity) -> Record:
    tolerance = Key(Amount(of, positive=True), needed=True)
    return Record(name, made, {key: Key(Amount(of), "value", needed=True), "tolerance": tolerance})


TURN = _band("an angle", Angle, "angle", Quantity.ANGLE)
PRESS = _band("a force", Force, "force", Quantity.FORCE)
MOMENT = _band("a moment", Moment, "moment", Quantity.TORQUE)

_ASKED: dict[str, tuple[Kind, ...]] = {
    "x": (SPEED,),
    "y": (TUBE, PRESS),
    "z": (TUBE, PRESS),
    "ax": (MOMENT,),
    "ay": (MOMENT,),
    "az": (TURN, MOMENT),
    "orientation": (ORIENTATION,),
}
BANDS = {name: Key(Choice(f"what is asked of {name}", (Free(), *kinds))) for name, kinds in _ASKED.items()}

# ---------------------------------------------------------------- what ends it, comes before it, is watched

GOAL = Record("a goal", Goal, {"goal": Key(LENGTH, "tolerance", needed=True)})
CONTACT = Record("a contact", Contact, {"contact": Key(FORCE, "force", needed=True), "along": Key(Words())})
TIMEOUT = Record("a timeout", Timeout, {"timeout": Key(TIME, "after", needed=True)})
UNTIL = Several(Choice("what ends a task", (GOAL, CONTACT, TIMEOUT)))


@dataclass(frozen=True)
class Watched:
    """A monitor, told by the signal that it watches."""

    signal: str
    of: Quantity

    @property
    def example(self) -> str:
        return self.record.example

    @property
    def teller(self) -> str:
        return self.signal

    @property
    def record(self) -> Record:
        keys = {self.signal: Key(Amount(self.of, positive=True), "above", needed=True), "then": Key(THEN)}
        return Record(f"a monitor of {self.signal}", dict, keys)

    def takes(self, node: Node) -> bool:
        return self.signal in node.entries

    def read(self, node: Node) -> Monitor:
        return Monitor(self.signal, **self.record.read(node))

    def has(self, value: Any) -> bool:
        return isinstance(value, Monitor) and value.signal == self.signal

    def plain(self, value: Monitor) -> dict[str, Any]:
        return self.record.plain({"above": value.above, "then": value.then})

    @property
    def schema(self) -> dict[str, Any]:
        return self.record.schema


THEN = Words(("stop", "tell"))
MONITORS = Several(Choice("what is watched", tuple(Watched(*each) for each in SIGNALS.items())))


def _approach(velocity: float, tolerance: float, contact: float) -> Approach:
    return Approach(Speed(velocity, tolerance), contact)


def _approach_parts(approach: Approach) -> dict[str, Any]:
    speed = approach.speed
    return {"velocity": speed.value, "tolerance": speed.tolerance, "contact": approach.contact}


APPROACH = Record(
    "an approach",
    Approach,
    {
        name: Key(kind, needed=True)
        for name, kind in (("velocity", VELOCITY), ("tolerance", VELOCITY), ("contact", FORCE))
    },
    make=_approach,
    parts=_approach_parts,
)
ALIGN = Record("an alignment", Align, {"held": Key(TIME, needed=True), "timeout": Key(TIME, needed=True)})

# ---------------------------------------------------------------- frames


def _pose_parts(rows: Rows) -> dict[str, Any]:
    return {"at": tuple(row[3] for row in rows[:3]), "rows": tuple(row[:3] for row in rows[:3])}


ROWS = Several(Several(Number(), 3), 3)
POSE = Record(
    "a pose",
    tuple,
    {"at": Key(Several(Amount(Quantity.LENGTH), 3), needed=True), "rows": Key(ROWS)},
    make=printed_pose,
    parts=_pose_parts,
)
_NAMES = {"name": Key(Words(), needed=True), "wrt": Key(Words())}
FRAME = Record("a frame", dict, {**_NAMES, "pose": Key(POSE)})
FRAMES = Record("the frames of a path", dict, {**_NAMES, "poses": Key(Several(POSE))})

# ---------------------------------------------------------------- sections


def _override(goal: float | None = None, **parts: Any) -> Override:
    return Override(**parts, goal=None if goal is None else Goal(goal))


def _override_parts(one: Override) -> dict[str, Any]:
    return {"section": one.section, **one.changes, "goal": one.goal and one.goal.tolerance}


OVERRIDE = Record(
    "a section",
    Override,
    {"section": Key(Whole(1), needed=True), **BANDS, "goal": Key(LENGTH)},
    make=_override,
    parts=_override_parts,
)
