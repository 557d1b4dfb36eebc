"""Forces in several directions at once: WrenchBasis, what constraints pull along; MomentumBasis, what rates carry."""

from dataclasses import dataclass, replace
from typing import ClassVar

from motionc.geometry.coordinates import Coordinates, beside, cross, zeros
from motionc.geometry.entities import ENVIRONMENT, FREE_FALL, INERTIA, WORLD, Body, Frame
from motionc.geometry.force import ApparentWrench, ArticulatedWrench, Wrench
from motionc.geometry.labels import Labels, places, spread_columns, union
from motionc.geometry.meaning import is_kind, refuse
from motionc.geometry.motion import (
    OWN,
    Acceleration,
    ClassicalAcceleration,
    SpatialAcceleration,
    Twist,
    check_inertial,
)
from motionc.geometry.row_space import Multipliers, RowAcceleration, RowVelocity
from motionc.geometry.screw import MEANING, Force, Motion


@dataclass(frozen=True, slots=True, eq=False)
class WrenchBasis(Force):
    """One unit wrench a column, one column a row of the constraint; `kind` says what the columns are.

    Wrench: on the body itself. ArticulatedWrench: as a body nearer to the root feels them through free joints.
    ApparentWrench: just projected through a joint, on the way to the parent.
    """

    meaning: ClassVar[tuple[str, ...]] = (*MEANING, "rows", "kind")

    rows: Labels = ()
    kind: type[Wrench] | type[ArticulatedWrench] | type[ApparentWrench] = Wrench

    def __str__(self) -> str:
        return self.described(f"WrenchBasis<{self.kind.__name__}>")

    @classmethod
    def none(cls, body: Body, frame: Frame) -> "WrenchBasis":
        """No column yet of what a body will feel."""
        empty = zeros(3, 0)
        return cls(body, ENVIRONMENT, frame.origin, frame, empty, empty, kind=ArticulatedWrench)

    def articulated(self) -> "WrenchBasis":
        """The start of the inward journey, at the constrained body."""
        if self.kind is not Wrench:
            refuse(f"{self}.articulated()", f"columns are {self.kind.__name__} already", remedy="leave it as it is")
        return replace(self, kind=ArticulatedWrench)

    def at_parent(self) -> "WrenchBasis":
        """Arrived: what the parent felt through the joint is now its own articulated basis."""
        if self.kind is not ApparentWrench:
            refuse(
                f"{self}.at_parent()",
                f"columns are {self.kind.__name__}: not projected through the joint to {self.wrt}",
                remedy="project it with the joint's Projector first",
            )
        return replace(self, of=self.wrt, wrt=ENVIRONMENT, kind=ArticulatedWrench)

    def held_by(self, parent: Body) -> "WrenchBasis":
        """What a parent feels through a joint whose acceleration is prescribed: everything."""
        if self.kind is not ArticulatedWrench:
            refuse(
                f"{self}.held_by({parent})",
                f"columns are {self.kind.__name__}",
                remedy="start with articulated() at the constrained body; at_parent() after each joint",
            )
        return replace(self, wrt=parent, kind=ApparentWrench)

    def reaction_on(self, body: Body) -> "WrenchBasis":
        """What acts back on another body, at the same place."""
        if self.kind is not Wrench:
            refuse(
                f"{self}.reaction_on({body})",
                f"columns are {self.kind.__name__}",
                remedy="action and reaction are wrenches: take the reaction before it is articulated()",
            )
        return replace(self, of=body, angular=-self.angular, linear=-self.linear)

    def to_be_made(self) -> "WrenchBasis":
        """What motors must make in the environment's place, column by column."""
        if self.wrt != ENVIRONMENT:
            refuse(
                f"{self}.to_be_made()",
                f"it is exerted by {self.wrt}, not by the environment",
                remedy="only what acts from outside can be demanded of motors instead",
            )
        return replace(self, wrt=INERTIA)

    def handed_down(self) -> "WrenchBasis":
        """What a parent gives to its child through the joint between them, it needs itself."""
        if self.kind is not Wrench:
            refuse(
                f"{self}.handed_down()",
                f"columns are {self.kind.__name__}: a free joint does not pass them on rigidly",
                remedy="project them with the joint's Projector, then at_parent()",
            )
        return replace(self, of=self.wrt, wrt=INERTIA)

    def needed_by(self, body: Body) -> "WrenchBasis":
        """What a body nearer to the root needs for it, while no joint between the two gives way."""
        if self.kind is not Wrench or self.wrt != INERTIA:
            refuse(
                f"{self}.needed_by({body})",
                f"columns are {self.kind.__name__}, exerted by {self.wrt}",
                remedy="only what is to be made, by whomever, is needed further down: take to_be_made() of wrenches",
            )
        return replace(self, of=body)

    def exerted_by(self, body: Body) -> "WrenchBasis":
        """Say who makes what was handed down."""
        if self.wrt != INERTIA:
            refuse(
                f"{self}.exerted_by({body})",
                f"it is exerted by {self.wrt} already",
                remedy="only what was handed_down() can be assigned to a maker",
            )
        return replace(self, wrt=body)

    def times(self, multipliers: Multipliers) -> Wrench | ArticulatedWrench | ApparentWrench:
        """The columns at these strengths, summed."""
        if is_kind(multipliers, Multipliers, lambda: f"{self}.times({multipliers})") and multipliers.rows != self.rows:
            refuse(
                f"{self}.times({multipliers})",
                f"rows differ: {self.rows} != {multipliers.rows}",
                remedy="take columns and multipliers of the same rows: select() both",
            )
        parts = self.angular @ multipliers.values, self.linear @ multipliers.values
        return self.kind(self.of, self.wrt, self.point, self.as_seen_by, *parts)

    def pair(self, acceleration: Acceleration) -> RowAcceleration:
        """Aᵀ Ẍ: the acceleration along each row."""
        self.expect(acceleration, ".pair", Acceleration, OWN)
        kind = "classical" if isinstance(acceleration, ClassicalAcceleration) else "spatial"
        if kind == "classical" and self.kind is not Wrench:
            refuse(
                f"{self}.pair({acceleration})",
                "a classical acceleration at a body the constraint only reaches through joints",
                remedy="pair spatial accelerations on the way, and convert at the constrained body",
            )
        values = paired(self, acceleration)
        return RowAcceleration(self.rows, acceleration.of, acceleration.wrt, kind, values)

    def along(self, acceleration: SpatialAcceleration) -> RowAcceleration:
        """How any body accelerates at this place, measured along the rows."""
        self.expect(acceleration, ".along", SpatialAcceleration, ("point", "as_seen_by"))
        return RowAcceleration(self.rows, acceleration.of, acceleration.wrt, "spatial", paired(self, acceleration))

    def velocity(self, twist: Twist) -> RowVelocity:
        """Aᵀ V: the velocity along each row."""
        self.expect(twist, ".velocity", Twist, MEANING)
        return RowVelocity(self.rows, paired(self, twist))

    def to_spatial(self, wanted: RowAcceleration, twist: Twist) -> RowAcceleration:
        """Aᵀ(a_classical) → Aᵀ(a_spatial): take Aᵀ(0; ω × v) away, at this basis' point.

        `twist` is wrt the same body. Where that moves, derivatives are still taken in it: "observed".
        """
        self._check_conversion(wanted, twist, "classical", "to_spatial")
        shift = self._convective(twist)
        values = wanted.values - shift
        kind = "spatial" if wanted.wrt in (WORLD, FREE_FALL) else "observed"
        return replace(wanted, kind=kind, values=values)

    def to_classical(self, reached: RowAcceleration, twist: Twist) -> RowAcceleration:
        """Aᵀ(a_spatial) → Aᵀ(a_classical): add Aᵀ(0; ω × v), at this basis' point."""
        self._check_conversion(reached, twist, "spatial", "to_classical")
        shift = self._convective(twist)
        values = reached.values + shift
        return replace(reached, kind="classical", values=values)

    def transported(self, observed: RowAcceleration, carrier: Twist, relative: Twist) -> RowAcceleration:
        """+ Aᵀ (V_o × V_rel): derivatives taken in the inertial frame, not on the observer's body, which moves."""
        self._check_conversion(observed, relative, "observed", "transported")
        self.expect(carrier, ".transported", Twist, ("point", "as_seen_by"))
        check_inertial(carrier, "transported")
        if carrier.of != observed.wrt:
            refuse(
                f"{self}.transported({observed}, {carrier}, {relative})",
                f"{carrier} is not of {observed.wrt}",
                remedy="give the observer's own twist",
            )
        turn = cross(carrier.angular, relative.angular)
        shift = cross(carrier.angular, relative.linear) + cross(carrier.linear, relative.angular)
        values = observed.values + self.angular.T @ turn + self.linear.T @ shift
        return replace(observed, kind="spatial", values=values)

    def joined(self, other: "WrenchBasis") -> "WrenchBasis":
        """What acts on the same body from several sides; of a row that acts from both, the sum."""
        self.expect(other, ".joined", WrenchBasis, (*MEANING, "kind"))
        rows = union(self.rows, other.rows)
        mine, theirs = self.spread(rows), other.spread(rows)
        return replace(mine, angular=mine.angular + theirs.angular, linear=mine.linear + theirs.linear)

    def closing(self, other: "WrenchBasis", between: Labels) -> "WrenchBasis":
        """The same where nothing gives way: of a row `between` two bodies that comes from both sides, action and
        reaction end here."""
        met = set(self.rows) & set(other.rows) & set(between)
        mine, theirs = (side.select(tuple(row for row in side.rows if row not in met)) for side in (self, other))
        return mine.joined(theirs)

    def spread(self, rows: Labels) -> "WrenchBasis":
        """The same columns among those of other rows, which are zero."""
        parts = spread_columns(self.angular, self.rows, rows), spread_columns(self.linear, self.rows, rows)
        return replace(self, rows=rows, angular=parts[0], linear=parts[1])

    def beside(self, other: "WrenchBasis") -> "WrenchBasis":
        """More columns on the same body."""
        self.expect(other, ".beside", WrenchBasis, (*MEANING, "kind"))
        parts = beside(self.angular, other.angular), beside(self.linear, other.linear)
        return replace(self, rows=self.rows + other.rows, angular=parts[0], linear=parts[1])

    def select(self, rows: Labels) -> "WrenchBasis":
        """The columns of some of the rows."""
        keep = places(self, self.rows, rows)
        return replace(self, rows=rows, angular=self.angular[:, keep], linear=self.linear[:, keep])

    def _convective(self, twist: Twist) -> Coordinates:
        return self.linear.T @ twist.convective()

    def _check_conversion(self, rows: RowAcceleration, twist: Twist, kind: str, operation: str) -> None:
        self.expect(twist, f".{operation}", Twist, OWN)
        against = WORLD if rows.wrt == FREE_FALL else rows.wrt
        if (rows.rows, rows.of, rows.kind) != (self.rows, self.of, kind) or twist.wrt != against:
            refuse(
                f"{self}.{operation}({rows}, {twist})",
                f"needs {kind} accelerations of {self.of} along the same rows and its twist wrt {against}",
                remedy=f"give the {kind} ones; these are {rows.kind}, of {rows.of}, twist wrt {twist.wrt}",
            )


@dataclass(frozen=True, slots=True, eq=False)
class MomentumBasis(Force):
    """The momentum a body has, with all that hangs on it, for unit rates of the joints named in `joints`."""

    meaning: ClassVar[tuple[str, ...]] = (*MEANING, "joints")

    joints: Labels = ()


def paired(left: Force | Motion, right: Force | Motion) -> Coordinates:
    """The six-dimensional pairing of a force and a motion, columns against columns."""
    return left.angular.T @ right.angular + left.linear.T @ right.linear
