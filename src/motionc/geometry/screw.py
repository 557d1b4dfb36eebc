"""What all six-vectors share: a body, a body it is relative to, a point, the axes of its numbers. Angular first."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from motionc.geometry.coordinates import Coordinates, cross
from motionc.geometry.entities import Body, Frame, Point
from motionc.geometry.meaning import refuse
from motionc.geometry.pose import Orientation, Position, check_frame

MEANING = ("of", "wrt", "point", "as_seen_by")

REPAIR = {
    "point": "change_point with a Position of {theirs} wrt {ours}, or the other way round",
    "as_seen_by": "change_frame with an Orientation of {theirs} wrt {ours}, or the other way round",
    "of": "these belong to different bodies: compose along the joint between them, or take the right one",
    "wrt": "compose with what relates {theirs} to {ours}, or take both with respect to the same body",
}


@dataclass(frozen=True, slots=True, eq=False)
class Screw:
    """A six-vector of one body relative to another: at a point, as seen by a frame. One column or several."""

    of: Body
    wrt: Body
    point: Point
    as_seen_by: Frame
    angular: Coordinates = None
    linear: Coordinates = None

    # the name under which Listing 2.6 complains about it
    part: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.described(type(self).__name__)

    def described(self, name: str) -> str:
        """`name(point|of,wrt,[axes])`, the notation of Table 2.2."""
        return f"{name}({self.point.name}.{self.point.body}|{self.of},{self.wrt},{self.as_seen_by})"

    def change_frame(self, orientation: Orientation) -> Self:
        """The same thing in other axes: R on both parts."""
        if self.as_seen_by != orientation.of:
            check_frame(_Named(self.described(self.part or type(self).__name__), self.as_seen_by), orientation)
        turn = orientation.apply
        return replace(self, as_seen_by=orientation.wrt, angular=turn(self.angular), linear=turn(self.linear))

    def inverse(self) -> Self:
        """The other body's view: `of` and `wrt` exchanged, numbers negated."""
        minus = (None, None) if self.angular is None or self.linear is None else (-self.angular, -self.linear)
        return replace(self, of=self.wrt, wrt=self.of, angular=minus[0], linear=minus[1])

    def __add__(self, other: "Screw") -> Self:
        self.expect(other, "+")
        return self.shifted(other.angular, other.linear)

    def __sub__(self, other: "Screw") -> Self:
        self.expect(other, "-")
        if other.angular is None or other.linear is None:
            return self.shifted(None, None)
        return self.shifted(-other.angular, -other.linear)

    def shifted(self, angular: Coordinates, linear: Coordinates) -> Self:
        """The same meaning with these numbers added; None where either side has none."""
        if self.angular is None or self.linear is None or angular is None or linear is None:
            return replace(self, angular=None, linear=None)
        return replace(self, angular=self.angular + angular, linear=self.linear + linear)

    def expect(
        self, other: object, operation: str, kind: type | None = None, fields: tuple[str, ...] = MEANING
    ) -> None:
        """Refuse unless the other side is of the right kind and agrees with this one in the named fields."""
        kind = kind or type(self)
        if not isinstance(other, kind):
            refuse(
                f"{self} {operation} {other}",
                f"{type(other).__name__} is not {_article(kind.__name__)}",
                remedy=f"bring it to {_article(kind.__name__)} first; {type(other).__name__} means something else",
            )
            return
        for name in fields:
            ours, theirs = getattr(self, name), getattr(other, name)
            if ours != theirs:
                refuse(
                    f"{self} {operation} {other}",
                    f"{name} of {self} != {name} of {other}: {ours} != {theirs}",
                    remedy=REPAIR[name].format(ours=ours, theirs=theirs),
                )

    def expect_position(self, position: Position) -> None:
        """Refuse a change of point that does not start at this point or is written in other axes."""
        name = self.described(self.part or type(self).__name__)
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


@dataclass(frozen=True, slots=True)
class _Named:
    """A relation under the name of the part that does not fit."""

    name: str
    as_seen_by: Frame

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Motion(Screw):
    """A six-vector that changes with the point as velocities do: v' = v + ω × r."""

    def change_point(self, position: Position) -> Self:
        """The same motion at another point, `position.of`."""
        self.expect_position(position)
        return replace(self, point=position.of, linear=field_at(self.linear, self.angular, position.xyz))


@dataclass(frozen=True, slots=True, eq=False)
class Force(Screw):
    """A six-vector that changes with the point as moments do: n' = n - r × f."""

    def change_point(self, position: Position) -> Self:
        """The same force reduced to another point, `position.of`."""
        self.expect_position(position)
        return replace(self, point=position.of, angular=field_at(self.angular, self.linear, position.xyz))


def check_chain(first: Screw, second: Screw, kind: type[Screw]) -> None:
    """Refuse to compose two relations that do not meet in one body, at one point, in one set of axes."""
    first.expect(second, ".compose", kind, ("point", "as_seen_by"))
    if second.wrt != first.of:
        refuse(
            f"{first}.compose({second})",
            f"inner body {first.of} != {second.wrt}",
            remedy=f"the second must be of some body wrt {first.of}: use its inverse() or another one",
        )


def field_at(value: Coordinates, turn: Coordinates, r: Coordinates) -> Coordinates:
    """value + turn × r, the change of a field over a distance r."""
    return None if value is None or turn is None or r is None else value - cross(r, turn)


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"
