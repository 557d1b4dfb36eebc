"""What is a type of joint? How many rates it has, which way they lead, where they take it, and what its numbers mean.

A type is one object, its own name as text, in a registry. All that the house knows of it is said here and in its own
file; nobody else asks which one it is. A new one is a subclass in one file, and `register`.
"""

from abc import ABCMeta
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.geometry.coordinates import Matrix, sin_cos, skew
from motionc.geometry.factors import Factors, PlanarRotation, Rotation
from motionc.geometry.lie import Array

Z = (0.0, 0.0, 1.0)
NOWHERE: Array = np.zeros((3, 1))
TURNS = ("angle", "first", "second", "rx", "ry", "rz")
"""Words for rates that are angular velocities; others are linear."""

Step = tuple[str, str, float | str]
"""One of Tx Ty Tz Rx Ry Rz, by how much in words of q, and how fast with the joint's rate; 0 where that is no number of
one rate alone."""

_types: "dict[str, JointType]" = {}


class Written(Protocol):
    """What a type reads of a joint as it was written down."""

    @property
    def axis(self) -> Any: ...
    @property
    def second_axis(self) -> Any: ...
    @property
    def pitch(self) -> float: ...


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A joint, or one of several it is made of: which of the joint's coordinates it owns, and what they are called."""

    type: "JointType"
    axis: Array
    pitch: float = 0.0
    coordinate: int = 0
    label: str = ""

    @property
    def rates(self) -> tuple[str, ...]:
        """A name for each velocity coordinate, empty for a joint that has only one."""
        return (self.label,) if self.type.single else self.type.rates

    def turn(self, angle: Matrix) -> PlanarRotation | Rotation:
        """The rotation about the axis."""
        sine, cosine = sin_cos(angle)
        if tuple(self.axis) == Z:
            return PlanarRotation(sine, cosine)
        k = skew(self.axis.reshape(3, 1))
        return Rotation(np.eye(3) + k * sine + (k @ k) * (1 - cosine))


class _Registered(ABCMeta):
    """The class of joint types lists those that are registered, as an enumeration does."""

    def __iter__(cls) -> "Iterator[JointType]":
        return iter(tuple(_types.values()))

    def __len__(cls) -> int:
        return len(_types)

    def __contains__(cls, value: object) -> bool:
        return isinstance(value, str) and value in _types


class JointType(str, metaclass=_Registered):
    """How the two frames of a joint may move against each other. `JointType("revolute")` is the registered type.

    A subclass says what is different from a joint whose coordinates are numbers that simply add up.

    >>> JointType("revolute") is JointType.REVOLUTE, JointType.PLANAR.rates
    (True, ('rz', 'x', 'y'))
    """

    REVOLUTE: ClassVar["JointType"]
    CONTINUOUS: ClassVar["JointType"]
    PRISMATIC: ClassVar["JointType"]
    FIXED: ClassVar["JointType"]
    FLOATING: ClassVar["JointType"]
    HELICAL: ClassVar["JointType"]
    UNIVERSAL: ClassVar["JointType"]
    CYLINDRICAL: ClassVar["JointType"]
    PLANAR: ClassVar["JointType"]
    SPHERICAL: ClassVar["JointType"]

    rates: tuple[str, ...] = ("angle",)
    """A word for each entry of v (and a, tau): angles first, then slides."""
    meaning: str = ""
    """What several rates are, and who sees them so."""
    reads: frozenset[str] = frozenset(("axis", "limits"))
    """What it takes of a Joint: of axis, second_axis, pitch, and limits (lower and upper)."""
    constant: bool = True
    """Whether S does not depend on q: then a joint at constant rates accelerates by V × S q̇ alone."""
    coaxial: bool = False
    """Whether all of its motion is about and along its axis: then its frame may stand anywhere on it."""
    driven: bool = True
    """Whether it has motors unless somebody says otherwise."""
    roams: bool = False
    """Whether it carries a base about, which stays where it is while other joints start anew."""

    def __new__(cls, name: str) -> "JointType":
        if cls is not JointType:
            return str.__new__(cls, name)
        if checked.name("JointType: name", name) not in _types:
            raise Error(f"there is no joint type of the name {name!r}{suggestion(name, _types)}")
        return _types[name]

    def __repr__(self) -> str:
        return f"<JointType.{self.name}: {self.value!r}>"

    def __str__(self) -> str:
        return self.value

    def __reduce__(self) -> tuple[Any, ...]:
        return JointType, (self.value,)

    @property
    def name(self) -> str:
        return self.value.upper()

    @property
    def value(self) -> str:
        return str.__str__(self)

    # ---------------------------------------------------------------- coordinates

    @property
    def coordinates(self) -> tuple[str, ...]:
        """A word for each entry of q."""
        return self.rates

    @property
    def bounds(self) -> tuple[int | None, ...]:
        """Which entry of v each entry of q changes with, so that it shares its limits; None where it has none."""
        return tuple(range(self.nv))

    @property
    def nq(self) -> int:
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        return len(self.rates)

    @property
    def moves(self) -> bool:
        return self.nv > 0

    @property
    def single(self) -> bool:
        """Whether it has one coordinate: it can follow, lead, and be held anywhere."""
        return self.nv == 1

    @property
    def has_axis(self) -> bool:
        return "axis" in self.reads

    @property
    def turns(self) -> tuple[bool, ...]:
        """Which rates are angular velocities."""
        return tuple(rate in TURNS for rate in self.rates)

    # ---------------------------------------------------------------- configurations

    def neutral(self) -> Array:
        """The coordinates at which both frames coincide."""
        return np.zeros(self.nq)

    def nowhere(self, q: Array) -> str:
        """Why coordinates, axes of states in front, are no place of the joint; "" where they are one."""
        return ""

    def draw(self, rng: np.random.Generator, lower: Array, upper: Array, size: tuple[int, ...] = ()) -> Array:
        """Coordinates at random within limits in the order of v; ±π or ±1 m where there are none. `size` are axes of
        states in front."""
        low, high = self.ranges(lower, upper)
        drawn = 2 * rng.uniform(low / 2, high / 2, (*size, self.nv))  # halves: their difference is finite
        return drawn[..., [k for k in self.bounds if k is not None]]

    def ranges(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """From where to where it is drawn, in the order of v: its limits; a turn or 2 m where there are none."""
        reach = np.where(self.turns, np.pi, 1.0)
        low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * reach, -reach))
        return low, np.where(np.isfinite(upper), upper, low + 2 * reach)

    def advance(self, q: Matrix, step: Matrix) -> Matrix:
        """The coordinates after moving with rates that are constant for unit time, exactly; columns both, of numbers or
        symbols."""
        return q + step

    def change(self, q: Matrix, rates: Matrix) -> Matrix:
        """q̇ = N(q) v; columns both, of numbers or symbols."""
        return rates

    def difference(self, start: Matrix, end: Matrix) -> Matrix:
        """The rates that lead from one to the other in unit time, the shorter way; columns, of numbers or symbols."""
        return end - start

    def resting(self, rates: Matrix, seconds: float) -> Matrix:
        """Rates that are constant, some time later, as the child's axes see them from where they are now: v + ω × v dt
        of what it sees while it turns; columns both, of numbers or symbols."""
        return rates

    def go_on(self, q: Matrix, rates: Matrix, seconds: float) -> tuple[Matrix, Matrix]:
        """Where `resting` rates lead in some time, points going straight, and the rates as the child then sees them;
        columns, of numbers or symbols."""
        return self.advance(q, rates * seconds), rates

    def seen_from(self, here: Matrix, there: Matrix, rates: Matrix) -> Matrix:
        """Rates of a child that is there, as its axes see them that are here; columns, of numbers or symbols."""
        return rates

    def normalised(self, q: Matrix) -> Matrix:
        """The same place, quaternions of length 1; columns both, of numbers or symbols."""
        return q

    # ---------------------------------------------------------------- motion

    def parts(self, joint: Written) -> tuple[Part, ...]:
        """What a joint is made of, from the reference to the target frame: itself, or several in a row."""
        return (Part(self, unit(joint.axis), joint.pitch if "pitch" in self.reads else 0.0),)

    def pose(self, part: Part, q: Matrix) -> tuple[Factors, Matrix]:
        """Rotation and translation from the target frame to the reference frame."""
        raise self._silent("pose")

    def directions(self, part: Part, q: Matrix) -> Matrix:
        """S in the target frame, (6, nv), angular first. Where it is constant, nobody has to know q."""
        raise self._silent("directions")

    def directions_rate(self, part: Part, q: Matrix, rates: Matrix) -> Matrix:
        """dS/dt in the target frame at these rates, (6, nv), where S is not constant."""
        raise self._silent("directions_rate")

    def travel(self, part: Part, most: float) -> float:
        """How far it takes what it carries at most, where no coordinate is larger than `most`."""
        ends = (self.pose(part, np.full((self.nq, 1), end))[1] for end in (-most, most))
        return max(float(np.linalg.norm(np.asarray(end, float))) for end in ends)

    def steps(self, part: Part, q: Sequence[str]) -> Iterator[Step]:
        """What it does in words of q, its axis being z."""
        raise Error(f"a {self} joint cannot be written as turns and slides; emit the computation instead")

    def _silent(self, what: str) -> Error:
        return Error(f"joint type {self} does not say its {what}; write {type(self).__name__}.{what}")


def register(kind: JointType) -> JointType:
    """Make a joint type known by its name, to everything; two of one name are refused."""
    needed = ("pose", "directions") if kind.constant else ("pose", "directions", "directions_rate")
    made_of_others = type(kind).parts is not JointType.parts
    for what in () if made_of_others else needed:
        if getattr(type(kind), what) is getattr(JointType, what):
            raise kind._silent(what)  # pyright: ignore[reportPrivateUsage]
    if _types.setdefault(kind.value, kind) is not kind:
        raise Error(f"there is a joint type {kind} already; give this one a name of its own")
    setattr(JointType, kind.name, kind)
    return kind


def is_registered(kind: object) -> bool:
    """Whether it is a joint type that is known: not a word for one, and not one that nobody has registered."""
    return isinstance(kind, JointType) and _types.get(kind.value) is kind


def unit(axis: Any) -> Array:
    """The direction of an axis; a zero stays one, rule Jt3 says so."""
    vector = np.asarray(tuple(axis), float)
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector
