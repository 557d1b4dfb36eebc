"""How are numbers of joints, laws and plants written as keys and values? Parts of the table experiments are read by.

start: 2.967 1.023 -0.131 1.612 0.221 0.177 0.015 rad       one unit for a row of numbers
coulomb: {joint_1: 2 Nm}                                     or a number each joint
vary: {mass: 10 %, noise: [0, 2]}                            a share to both sides, or two factors
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import wraps
from typing import Any, get_args

from motionc.control.abag import Abag
from motionc.control.rest import LimitSprings, Rest
from motionc.errors import Error
from motionc.formats.located import Node
from motionc.formats.records import Amount, Choice, Key, Kind, Number, Record, Several, Whole, Words, located
from motionc.geometry.units import UNITS, Quantity, quantity, unit
from motionc.simulate.control_numbers import Control
from motionc.simulate.pads import Ground as Shape
from motionc.simulate.pads import Pad
from motionc.simulate.rig import Ground, Rig
from motionc.tasks.guarding import MONITORS


@dataclass(frozen=True)
class Row:
    """A row of numbers with one unit, written behind the last: of a count, where one is told.

    Args:
        of: what they may measure; the first is how they are written.
        count: how many there are.
    """

    of: tuple[Quantity, ...]
    _: KW_ONLY
    count: int | None = None

    def takes(self, node: Node) -> bool:
        return isinstance(node.value, str)

    def read(self, node: Node) -> tuple[float, ...]:
        words = node.words.replace(",", " ").split()
        split = next((k for k, word in enumerate(words) if not _is_number(word)), len(words))
        numbers, symbol = words[:split], " ".join(words[split:])
        if not numbers:
            raise node.error("numbers are wanted", f"write such as {self._example}")
        if not symbol:
            raise node.error(f"{node.words!r} has no unit", f"write it behind the last number: {node.words} {self._si}")
        if self.count is not None and len(numbers) != self.count:
            raise node.error(f"{len(numbers)} numbers where {self.count} are wanted", f"write such as {self._example}")
        with located(node):
            measured = unit(symbol).quantity
            of = measured if measured in self.of else self.of[0]
            return tuple(quantity(f"{number} {symbol}", of) for number in numbers)

    def has(self, value: Any) -> bool:
        return isinstance(value, tuple)

    def plain(self, value: Sequence[float]) -> str:
        return f"{' '.join(f'{one!r}' for one in value)} {self._si}"

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "description": f"{self.of[0].value}: numbers and a unit, such as {self._example}"}

    @property
    def _si(self) -> str:
        return next(one.symbol for one in UNITS if one.quantity is self.of[0])

    @property
    def _example(self) -> str:
        return f"{' '.join(['0.1'] * (self.count or 3))} {self._si}"


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return word[-1].isdigit() or word[-1] == "."


@dataclass(frozen=True)
class ByName:
    """A mapping whose keys are names that others know, and what stands under each."""

    name: str
    kind: Kind

    def takes(self, node: Node) -> bool:
        return isinstance(node.value, dict)

    def read(self, node: Node) -> dict[str, Any]:
        if not isinstance(node.value, dict):
            raise node.error(f"{self.name} by name is wanted", "write NAME: … lines")
        return {key: self.kind.read(entry) for key, entry in node.value.items()}

    def has(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def plain(self, value: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self.kind.plain(one) for key, one in value.items()}

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self.kind.schema, "description": f"{self.name}, by name"}


@dataclass(frozen=True)
class Flag:
    """Yes or no."""

    def takes(self, node: Node) -> bool:
        return isinstance(node.value, str)

    def read(self, node: Node) -> bool:
        if node.value not in ("true", "false"):
            raise node.error("yes or no is wanted", "write true or false")
        return node.value == "true"

    def has(self, value: Any) -> bool:
        return isinstance(value, bool)

    def plain(self, value: bool) -> bool:
        return value

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class OfJoints:
    """A number for all joints, one each in a row, or by joint."""

    of: tuple[Quantity, ...]

    def takes(self, node: Node) -> bool:
        return isinstance(node.value, str | dict)

    def read(self, node: Node) -> Any:
        if isinstance(node.value, dict):
            return {key: Row(self.of, count=1).read(entry)[0] for key, entry in node.value.items()}
        first, *others = Row(self.of).read(node)
        return (first, *others) if others else first

    def has(self, value: Any) -> bool:
        return isinstance(value, float | tuple | Mapping)

    def plain(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {joint: Row(self.of).plain((one,)) for joint, one in value.items()}
        return Row(self.of).plain(value if isinstance(value, tuple) else (value,))

    @property
    def schema(self) -> dict[str, Any]:
        each = Row(self.of).schema
        return {"anyOf": [each, {"type": "object", "additionalProperties": each}]}


def pinned(make: Callable[..., Any]) -> Callable[..., Any]:
    """What makes a value of parts; what it refuses is about the part that the sentence names, "Rig: vary: …"."""

    @wraps(make)
    def made(**parts: Any) -> Any:
        try:
            return make(**parts)
        except Error as error:
            named = re.match(r"\w+: (\w+)", str(error))
            error.about = (named[1],) if named else ()  # pyright: ignore[reportAttributeAccessIssue]
            raise

    return made


# ---------------------------------------------------------------- controllers

ANGLES = (Quantity.ANGLE, Quantity.LENGTH)
DAMPING = (Quantity.ROTATIONAL_DAMPING, Quantity.DAMPING)
SHARE = Amount(Quantity.DIMENSIONLESS, positive=True)
MOST = Row((Quantity.LINEAR_ACCELERATION, Quantity.ANGULAR_ACCELERATION, Quantity.FORCE, Quantity.TORQUE), count=1)


@dataclass(frozen=True)
class Law:
    """An ABAG controller of a direction, its largest command, and a damper beside it, where they are said."""

    controller: Abag
    maximum: float | None = None
    damping: float | None = None


@pinned
def law(maximum: tuple[float, ...] | None = None, damping: tuple[float, ...] | None = None, **shares: Any) -> Law:
    """A law of what a file says."""
    most, damper = (None if one is None else one[0] for one in (maximum, damping))
    return Law(Abag(**shares), most, damper)


LAW = Record(
    "a law",
    Law,
    {
        **{name: Key(SHARE, needed=True) for name in ("filter", "ignore", "bias_step", "panic", "gain_step")},
        "maximum": Key(MOST),
        "damping": Key(Row((Quantity.DAMPING, Quantity.ANGULAR_MOMENTUM), count=1)),
    },
    make=law,
)


def rest(policy: str = "", posture: Mapping[str, Any] | None = None, **parts: Any) -> Rest:
    """A rest policy of what a file says."""
    if policy and posture:
        raise Error("both a policy and a posture; say one of them")
    places = {joint: place for joint, (place,) in (posture or {}).items()}
    return Rest(places or policy or "float", **parts)


SPRINGS = Record(
    "springs before limits of joints",
    LimitSprings,
    {"margin": Key(Amount(Quantity.ANGLE, positive=True)), "share": Key(SHARE)},
)
REST = Record(
    "what joints do beside the task",
    Rest,
    {
        "policy": Key(Words(("float", "fall"))),
        "posture": Key(ByName("places of joints", Row(ANGLES, count=1))),
        "damping": Key(OfJoints(DAMPING)),
        "stiffness": Key(OfJoints((Quantity.ROTATIONAL_STIFFNESS, Quantity.STIFFNESS))),
        "springs": Key(SPRINGS),
    },
    make=rest,
)
CONTROL: dict[str, Key] = {
    "rate": Key(Amount(Quantity.FREQUENCY, positive=True)),
    "horizon": Key(Amount(Quantity.TIME, positive=True)),
    "delay": Key(Whole(0)),
    "laws": Key(ByName("laws of directions", LAW)),
    "rest": Key(Choice("what joints do beside the task", (Words(("float", "fall")), REST))),
    "monitors": Key(Choice("what else stops it", (Words(("all", "none")), Several(Words(MONITORS))))),
}


@pinned
def control(laws: Mapping[str, Law] | None = None, **parts: Any) -> Control:
    """Numbers of a controller of what a file says: of each law the controller, its largest command and its damper."""
    said = laws or {}
    controllers = {row: one.controller for row, one in said.items()}
    most = {row: one.maximum for row, one in said.items() if one.maximum is not None}
    dampers = {row: one.damping for row, one in said.items() if one.damping is not None}
    return Control(**parts, controllers=controllers, maximum=most, damping=dampers)


# ---------------------------------------------------------------- plants

FACTORS = Choice("a share or two factors", (SHARE, Several(Number(), 2)))
NOISE = Record(
    "noise",
    dict,
    {
        "position": Key(OfJoints(ANGLES), "position_noise"),
        "velocity": Key(OfJoints((Quantity.ANGULAR_VELOCITY, Quantity.LINEAR_VELOCITY)), "velocity_noise"),
        "force": Key(Amount(Quantity.FORCE, positive=True), "force_noise"),
        "moment": Key(Amount(Quantity.TORQUE, positive=True), "moment_noise"),
    },
)
PAD = Record(
    "a pad",
    Pad,
    {
        "on": Key(Words(), needed=True),
        "size": Key(Amount(Quantity.LENGTH, positive=True)),
        "stiffness": Key(Amount(Quantity.STIFFNESS, positive=True)),
        "friction": Key(SHARE),
        "name": Key(Words()),
    },
)
GROUND = Record(
    "what is wiped",
    Ground,
    {
        "shape": Key(Words(get_args(Shape)), needed=True),
        "angle": Key(Amount(Quantity.ANGLE)),
        "radius": Key(Amount(Quantity.LENGTH, positive=True)),
    },
)
RIG: dict[str, Key] = {
    "engine": Key(Words(("motionc", "mujoco"))),
    "substeps": Key(Whole(1)),
    "delay": Key(Whole(0)),
    "friction": Key(Words(("smooth", "stiction", "none")), "resistance"),
    "viscous": Key(OfJoints(DAMPING)),
    "coulomb": Key(OfJoints((Quantity.TORQUE, Quantity.FORCE))),
    "noise": Key(NOISE),
    "limits": Key(Flag()),
    "pad": Key(PAD),
    "ground": Key(GROUND),
    "vary": Key(ByName("what differs", FACTORS)),
    "precision": Key(Words(("double", "single"))),
}


@pinned
def rig(noise: Mapping[str, Any] | None = None, **parts: Any) -> Rig:
    """A rig of what a file says."""
    return Rig(**parts, **(noise or {}))
