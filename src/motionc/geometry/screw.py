"""What all six-vectors share: a body, a body it is relative to, a point, the axes of its numbers. Angular first."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from motionc.geometry.coordinates import UNKNOWN, Coordinates, Relation, cross
from motionc.geometry.entities import Body, Frame, Point
from motionc.geometry.meaning import REPAIR, is_kind, refuse
from motionc.geometry.pose import Orientation, Position, check_frame
from motionc.geometry.six import Order, SixVector, join

MEANING = ("of", "wrt", "point", "as_seen_by")


@dataclass(frozen=True, slots=True, eq=False)
class Screw(Relation):
    """A six-vector of one body relative to another: at a point, as seen by a frame. One column or several."""

    coordinates: ClassVar[tuple[str, ...]] = ("angular", "linear")

    of: Body
    wrt: Body
    point: Point
    as_seen_by: Frame
    angular: Coordinates = UNKNOWN
    linear: Coordinates = UNKNOWN

    # the name under which Listing 2.6 complains about it, and the fields two must share to be added
    part: ClassVar[str] = ""
    meaning: ClassVar[tuple[str, ...]] = MEANING

    def __str__(self) -> str:
        return self.described(type(self).__name__)

    def described(self, name: str) -> str:
        """`name(point|of,wrt,[axes])`, the notation of Table 2.2."""
        return f"{name}({self.point.name}.{self.point.body}|{self.of},{self.wrt},{self.as_seen_by})"

    def change_frame(self, orientation: Orientation) -> Self:
        """The same thing in other axes: R on both parts."""
        if not check_frame(_Part(self, self.as_seen_by), orientation):
            return self
        turn = orientation.apply
        return replace(self, as_seen_by=orientation.wrt, angular=turn(self.angular), linear=turn(self.linear))

    def six(self, order: Order = "angular first") -> SixVector:
        """The numbers alone, in an order that stays with them."""
        return join(self.angular, self.linear, order)

    def with_six(self, numbers: SixVector) -> Self:
        """The same meaning with these numbers, whichever half stands first in them."""
        if not is_kind(
            numbers, SixVector, lambda: f"{self}.with_six({numbers})", "say in which order: SixVector(values, …)"
        ):
            return self
        return replace(self, angular=numbers.angular, linear=numbers.linear)

    def inverse(self) -> Self:
        """The other body's view: `of` and `wrt` exchanged, numbers negated."""
        return replace(self, of=self.wrt, wrt=self.of, angular=-self.angular, linear=-self.linear)

    def __add__(self, other: "Screw") -> Self:
        return self.shifted(other.angular, other.linear) if self.expect(other, "+") else self

    def __sub__(self, other: "Screw") -> Self:
        if not self.expect(other, "-"):
            return self
        return self.shifted(-other.angular, -other.linear)

    def shifted(self, angular: Coordinates, linear: Coordinates) -> Self:
        """The same meaning with these numbers added."""
        return replace(self, angular=self.angular + angular, linear=self.linear + linear)

    def expect(self, other: Any, operation: str, kind: type | None = None, fields: tuple[str, ...] = ()) -> bool:
        """Refuse unless the other side is of the right kind and agrees in the named fields; False for a wrong kind."""
        if not is_kind(other, kind or type(self), lambda: f"{self} {operation} {other}"):
            return False
        reasons, remedies = list[str](), list[str]()
        for name in fields or self.meaning:
            ours, theirs = getattr(self, name), getattr(other, name)
            if ours != theirs:
                reasons.append(f"{name} of {self} != {name} of {other}: {ours} != {theirs}")
                remedies.append(REPAIR.get(name, "take both of the same {ours}").format(ours=ours, theirs=theirs))
        if reasons:
            refuse(f"{self} {operation} {other}", *reasons, remedy="; ".join(remedies))
        return True

    def expect_position(self, position: Any) -> bool:
        """Refuse a change of point that does not start at this point or is written in other axes."""
        name = _Part(self, self.as_seen_by)
        if not is_kind(position, Position, lambda: f"{name}.change_point({position})"):
            return False
        if position.wrt != self.point:
            refuse(
                f"{name}.change_point({position})",
                f"reference point of {name} != reference point of {position}",
                remedy=f"use a Position wrt {self.point}"
                + (": the inverse() fits" if position.of == self.point else ""),
            )
        if position.as_seen_by != self.as_seen_by:
            refuse(
                f"{name}.change_point({position})",
                f"Coordinate Frame of {name} != coordinate frame of {position}",
                remedy=f"change_frame the position into {self.as_seen_by}, or the vector into {position.as_seen_by}",
            )
        return True


@dataclass(frozen=True, slots=True)
class _Part:
    """A screw under the name of the part that does not fit."""

    screw: Screw
    as_seen_by: Frame

    def __str__(self) -> str:
        return self.screw.described(self.screw.part or type(self.screw).__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Motion(Screw):
    """A six-vector that changes with the point as velocities do: v' = v + ω × r."""

    def change_point(self, position: Position) -> Self:
        """The same motion at another point, `position.of`."""
        if not self.expect_position(position):
            return self
        linear = field_at(self.linear, self.angular, position.xyz)
        return replace(self, point=position.of, angular=self.angular, linear=linear)


@dataclass(frozen=True, slots=True, eq=False)
class Force(Screw):
    """A six-vector that changes with the point as moments do: n' = n - r × f."""

    def change_point(self, position: Position) -> Self:
        """The same force reduced to another point, `position.of`."""
        if not self.expect_position(position):
            return self
        angular = field_at(self.angular, self.linear, position.xyz)
        return replace(self, point=position.of, angular=angular, linear=self.linear)


def check_chain(first: Screw, second: Any, kind: type[Screw]) -> bool:
    """Refuse to compose two relations that do not meet in one body, at one point, in one set of axes."""
    if not first.expect(second, ".compose", kind, ("point", "as_seen_by")):
        return False
    if second.wrt != first.of:
        refuse(
            f"{first}.compose({second})",
            f"inner body {first.of} != {second.wrt}",
            remedy=f"the second must be of some body wrt {first.of}: use its inverse() or another one",
        )
    return True


def field_at(value: Coordinates, turn: Coordinates, r: Coordinates) -> Coordinates:
    """value + turn × r, the change of a field over a distance r."""
    return value - cross(r, turn)
