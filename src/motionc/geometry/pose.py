"""Where things are: Position, Orientation, Pose. `Pose(of=b, wrt=a)` maps coordinates of b into a, p_a = R p_b + t."""

from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from motionc.errors import Error
from motionc.geometry.amounts import Duration
from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    Relation,
    Unknown,
    above,
    beside,
    column,
    is_known,
    known_or_unknown,
)
from motionc.geometry.entities import Body, Frame, Point
from motionc.geometry.exponential import rotation_exponential, straightened
from motionc.geometry.factors import (
    Factors,
    GivenRotation,
    Rotation,
    apply,
    completed,
    join,
    multiply_out,
    transpose,
)
from motionc.geometry.meaning import REPAIR, article, is_kind, refuse, step_between

R = TypeVar("R")


@dataclass(frozen=True, slots=True, eq=False)
class Position(Relation):
    """Where point `of` is with respect to point `wrt`, written in the axes of `as_seen_by`."""

    coordinates: ClassVar[tuple[str, ...]] = ("xyz",)

    of: Point
    wrt: Point
    as_seen_by: Frame
    xyz: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"Position({self.of},{self.wrt},{self.as_seen_by})"

    def inverse(self) -> "Position":
        """Seen the other way round: same axes, opposite numbers."""
        return Position(self.wrt, self.of, self.as_seen_by, -self.xyz)

    def __add__(self, other: object) -> "Position":
        """Refused: what follows a position is composed with it, and a velocity takes a time."""
        return not_added(self, other)

    def compose(self, other: "Position") -> "Position":
        """Position(b, a) followed by Position(c, b) is Position(c, a)."""
        if not is_kind(other, Position, lambda: f"{self}.compose({other})"):
            return self
        if other.wrt != self.of:
            refuse(
                f"{self}.compose({other})",
                f"inner point {self.of} != {other.wrt}",
                remedy=f"the second position must start at {self.of}: use its inverse() or another one",
            )
        if other.as_seen_by != self.as_seen_by:
            refuse(
                f"{self}.compose({other})",
                f"coordinate frame {self.as_seen_by} != {other.as_seen_by}",
                remedy=f"change_frame with an Orientation of {other.as_seen_by} wrt {self.as_seen_by}",
            )
        return Position(other.of, self.wrt, self.as_seen_by, self.xyz + other.xyz)

    def change_frame(self, orientation: "Orientation") -> "Position":
        """The same position in other axes, R p."""
        if not check_frame(self, orientation):
            return self
        return Position(self.of, self.wrt, orientation.wrt, orientation.apply(self.xyz))


@dataclass(frozen=True, slots=True, eq=False)
class Orientation(Relation):
    """How frame `of` is turned with respect to frame `wrt`: R maps coordinates of `of` into `wrt`."""

    coordinates: ClassVar[tuple[str, ...]] = ("factors",)

    of: Frame
    wrt: Frame
    factors: Any = UNKNOWN  # Factors, where they are known

    def __str__(self) -> str:
        return f"Orientation({self.of}|{self.of.body},{self.wrt}|{self.wrt.body},{self.wrt})"

    @property
    def matrix(self) -> Coordinates:
        """The rotation multiplied out, (3, 3)."""
        return multiply_out(self.factors)

    def inverse(self) -> "Orientation":
        return Orientation(self.wrt, self.of, transpose(self.factors))

    def compose(self, other: "Orientation") -> "Orientation":
        """Orientation(b, a) followed by Orientation(c, b) is Orientation(c, a)."""
        if not is_kind(other, Orientation, lambda: f"{self}.compose({other})"):
            return self
        if other.wrt != self.of:
            refuse(
                f"{self}.compose({other})",
                f"inner frame {self.of} != {other.wrt}",
                remedy=f"the second orientation must be wrt {self.of}: use its inverse() or another one",
            )
        return Orientation(other.of, self.wrt, join(self.factors, other.factors))

    def completed(self) -> "Orientation":
        """The same rotation, a row of it from the two others: shorter where nothing else needs that row."""
        return Orientation(self.of, self.wrt, completed(self.factors))

    @property
    def given(self) -> bool:
        """Whether it is given with a call."""
        return is_known(self.factors) and any(isinstance(factor, GivenRotation) for factor in self.factors)

    def apply(self, columns: Coordinates) -> Coordinates:
        """R x on bare columns; for relations, whose change_frame checks what this cannot."""
        return apply(self.factors, columns)


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Where frame `of` is and how it is turned with respect to frame `wrt`."""

    orientation: Orientation
    position: Position

    def __post_init__(self) -> None:
        position, orientation = self.position, self.orientation

        def subject() -> str:
            return f"Pose({orientation},{position})"

        if not (is_kind(orientation, Orientation, subject) and is_kind(position, Position, subject)):
            return
        ends = (position.of, position.wrt, position.as_seen_by)
        if ends != (orientation.of.origin, orientation.wrt.origin, orientation.wrt):
            refuse(
                subject(),
                f"{position} is not of {orientation.of.origin} wrt {orientation.wrt.origin} seen by {orientation.wrt}",
                remedy="give position and orientation of the same two frames, the position as seen by the reference",
            )

    @staticmethod
    def between(of: Frame, wrt: Frame, factors: Factors | Unknown | None = (), xyz: Any = (0.0, 0.0, 0.0)) -> "Pose":
        """A pose from bare coordinates; `xyz=None, factors=None` for one that is known by name only."""
        place = column(known_or_unknown(xyz))
        return Pose(Orientation(of, wrt, factors), Position(of.origin, wrt.origin, wrt, place))

    @staticmethod
    def from_matrix(of: Frame, wrt: Frame, matrix: Any) -> "Pose":
        """A pose from a 4×4 homogeneous matrix."""
        matrix = np.asarray(matrix, float)
        if matrix.shape != (4, 4) or not np.abs(matrix[:3, :3] @ matrix[:3, :3].T - np.eye(3)).max() < 1e-6:
            raise Error(f"the pose of {of} wrt {wrt} is no rigid motion; give a 4×4 matrix with a rotation in it")
        return Pose.between(of, wrt, (Rotation(matrix[:3, :3]),), matrix[:3, 3])

    @property
    def of(self) -> Frame:
        return self.orientation.of

    @property
    def wrt(self) -> Frame:
        return self.orientation.wrt

    @property
    def matrix(self) -> Coordinates:
        """The homogeneous matrix, (4, 4)."""
        return above(beside(self.orientation.matrix, self.position.xyz), np.array([[0.0, 0.0, 0.0, 1.0]]))

    def __str__(self) -> str:
        of, wrt = self.of, self.wrt
        return f"Pose(({of.name}.{of.body},{of})|{of.body},({wrt.name}.{wrt.body},{wrt})|{wrt.body},{wrt})"

    def inverse(self) -> "Pose":
        """Pose(of=a, wrt=b): Rᵀ and -Rᵀ t."""
        back = self.orientation.inverse()
        return Pose(back, self.position.inverse().change_frame(back))

    def compose(self, other: "Pose") -> "Pose":
        """Pose(b, a) followed by Pose(c, b) is Pose(c, a)."""
        if not is_kind(other, Pose, lambda: f"{self}.compose({other})"):
            return self
        if other.wrt != self.of:
            refuse(
                f"{self}.compose({other})",
                f"inner frame {self.of} of body {self.of.body} != {other.wrt} of body {other.wrt.body}",
                remedy=f"the second pose must be wrt {self.of}: use its inverse() or another one",
            )
            other = Pose.between(other.of, self.of, other.orientation.factors, other.position.xyz)
        turned = other.position.change_frame(self.orientation)
        return Pose(self.orientation.compose(other.orientation), self.position.compose(turned))

    def __add__(self, other: object) -> "Pose":
        """Refused: what follows a pose is composed with it, and a velocity takes a time."""
        return not_added(self, other)

    def after(self, twist: "Velocity", duration: Duration) -> "Pose":
        """exp(V t) X: where the frame is after a time in which its body keeps moving along one screw.

        The twist is of the frame's body with respect to the reference's, at the frame's origin, in either's axes.
        """
        if not self._keeps(twist, duration):
            return self
        turn, way = twist.angular * duration.seconds, twist.linear * duration.seconds
        if twist.as_seen_by == self.of:
            turn, way = self.orientation.apply(turn), self.orientation.apply(way)
        factors = join((Rotation(rotation_exponential(turn)),), self.orientation.factors)
        return Pose.between(self.of, self.wrt, factors, self.position.xyz + straightened(turn, way))

    def _keeps(self, twist: Any, duration: Any) -> bool:
        """Refuse what is no twist of these two frames, and no duration; False where it is of another kind."""

        def subject() -> str:
            return f"{self}.after({twist}, {duration})"

        if not is_kind(twist, Velocity, subject) or not is_kind(duration, Duration, subject):
            return False
        reasons, remedies = list[str](), list[str]()
        for name, ours in (("of", self.of.body), ("wrt", self.wrt.body), ("point", self.of.origin)):
            theirs = getattr(twist, name)
            if theirs != ours:
                reasons.append(f"{name} of {twist} is {theirs}, not {ours}")
                remedies.append(REPAIR[name].format(ours=ours, theirs=theirs))
        if twist.as_seen_by not in (self.of, self.wrt):
            reasons.append(f"as_seen_by of {twist} is {twist.as_seen_by}, neither {self.of} nor {self.wrt}")
            remedies.append(REPAIR["as_seen_by"].format(ours=self.wrt, theirs=twist.as_seen_by))
        if reasons:
            refuse(subject(), *reasons, remedy="; ".join(remedies))
        return True

    def multiplied_out(self) -> "Pose":
        """The same with its rotation as one matrix: shorter where many things are turned by it."""
        turn, matrix = self.orientation, self.orientation.matrix
        return Pose(Orientation(turn.of, turn.wrt, (Rotation(matrix),)), self.position)


class Velocity:
    """How a body moves now, (ω; v) at a point: what a Twist is to a pose, which knows none."""

    __slots__ = ()

    of: Body
    wrt: Body
    point: Point
    as_seen_by: Frame
    angular: Coordinates
    linear: Coordinates


def not_added(place: R, other: object) -> R:
    """Refuse to add anything to where something is."""
    given, own = type(other).__name__, type(place).__name__
    remedy = step_between(given, own) or f"compose() it with {article(own)} that starts where this one ends"
    refuse(f"{place} + {other}", f"{article(own)} and {article(given)} do not add", remedy=remedy)
    return place


def check_frame(relation: Any, orientation: Any) -> bool:
    """Refuse to turn a relation by an orientation that does not start at the relation's own axes."""

    def subject() -> str:
        return f"{relation}.change_frame({orientation})"

    if not is_kind(orientation, Orientation, subject, "use an Orientation of the axes it is seen by"):
        return False
    if relation.as_seen_by != orientation.of:
        refuse(
            subject(),
            f"Coordinate Frame of {relation} != orientation frame of {orientation}",
            remedy=f"use an Orientation of {relation.as_seen_by}; this one is of {orientation.of} "
            f"wrt {orientation.wrt}" + (": its inverse() fits" if orientation.wrt == relation.as_seen_by else ""),
        )
    return True
