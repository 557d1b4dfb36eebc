"""What a control law says along rows: a Command, without a unit, until it is scaled at one place into what acts."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from motionc.geometry.amounts import RowAmounts
from motionc.geometry.control_words import within
from motionc.geometry.coordinates import UNKNOWN, Coordinates, Relation, filled, is_known
from motionc.geometry.entities import JOINTS, WORLD, Body
from motionc.geometry.joint_space import JointForce
from motionc.geometry.labels import Labels, expect_alike
from motionc.geometry.meaning import is_kind, refuse
from motionc.geometry.row_space import JointRows, Multipliers, RowAcceleration
from motionc.geometry.screw import Force
from motionc.geometry.units import Quantity
from motionc.geometry.wrench_basis import WrenchBasis

Along = WrenchBasis | JointRows
"""Rows, as unit forces on a body or along joints."""

ACCELERATIONS = {Quantity.LENGTH: Quantity.LINEAR_ACCELERATION, Quantity.ANGLE: Quantity.ANGULAR_ACCELERATION}
FORCES = {Quantity.LENGTH: Quantity.FORCE, Quantity.ANGLE: Quantity.TORQUE}
"""What a row is driven by, by what is measured along it."""


@dataclass(frozen=True, slots=True, eq=False)
class RowSignal(Relation):
    """One number a row, (m, 1), about how the body of these rows moves with respect to `wrt`."""

    along: Along
    wrt: Body
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.of},{self.wrt}; {', '.join(self.rows)})"

    @property
    def rows(self) -> Labels:
        return self.along.rows

    @property
    def of(self) -> Body:
        return self.along.of if isinstance(self.along, WrenchBasis) else JOINTS

    def __add__(self, other: Self) -> Self:
        self._expect(other, "+")
        return replace(self, values=self.values + other.values)

    def __sub__(self, other: Self) -> Self:
        self._expect(other, "-")
        return replace(self, values=self.values - other.values)

    def select(self, rows: Labels) -> Self:
        """Some of the rows."""
        chosen = self.along.select(rows)
        keep = [self.rows.index(row) for row in rows]
        return replace(self, along=chosen, values=self.values[keep, :])

    def _expect(self, other: Any, operation: str) -> None:
        """Refuse what is no such signal along the same rows, or lengths where angles are."""
        expect_alike(self, other, operation, type(self), "rows", "of", "wrt")
        if not isinstance(other, RowSignal):
            return
        for row, *pair in zip(self.rows, measured_in(self.along), measured_in(other.along), strict=False):
            ours, theirs = (quantity and quantity.value for quantity in pair)
            if ours and theirs and ours != theirs:
                refuse(
                    f"{self} {operation} {other}",
                    f"{row} is of {ours} here and of {theirs} there",
                    remedy="lengths and angles do not add: keep rows that shift and rows that turn apart",
                )

    def expect_amounts(self, amounts: Any, subject: Callable[[], str]) -> bool:
        """Refuse what are no amounts along the same rows; False where they are none at all."""
        if not is_kind(amounts, RowAmounts, subject, 'give numbers with a unit: RowAmounts.of(rows, 0.01, "m")'):
            return False
        if amounts.rows != self.rows:
            refuse(
                subject(),
                f"rows differ: {self.rows} != {amounts.rows}",
                remedy="give one amount for each of these rows: select() both",
            )
        return True


@dataclass(frozen=True, slots=True, eq=False)
class Command(RowSignal):
    """A command along rows, a share of the most that may be asked of each: dimensionless until it is scaled."""

    def times(self, factors: Coordinates) -> "Command":
        """Each by a factor without a unit, a number or (m, 1)."""
        return replace(self, values=self.values * factors)

    def within(self, low: Coordinates = -1.0, high: Coordinates = 1.0) -> "Command":
        """Clamped, row by row."""
        return replace(self, values=within(self.values, low, high))

    def scaled(
        self, maximum: RowAmounts, kind: Literal["classical", "spatial"] = "classical"
    ) -> RowAcceleration | Force | JointForce:
        """u ⊙ maximum, where a command gets its physical meaning: in m/s² and rad/s² accelerations asked along the
        rows, in N and N m forces along them, a Wrench on a body or a JointForce of joints.
        """

        def subject() -> str:
            return f"{self}.scaled({maximum})"

        if not self.expect_amounts(maximum, subject):
            return RowAcceleration(self.rows, self.of, self.wrt, kind)
        values = self.values * maximum.values
        if not _driven_by(FORCES, self, maximum):
            if not _driven_by(ACCELERATIONS, self, maximum):
                wanted = " or ".join(_wanted(table, self) for table in (ACCELERATIONS, FORCES))
                refuse(
                    subject(),
                    f"{self} is scaled by {', '.join(quantity.value for quantity in maximum.quantities)}",
                    remedy=f"give {wanted}; rows driven in different ways are scaled apart: select() some of them",
                )
            observed = kind == "spatial" and self.wrt not in (WORLD, JOINTS)
            told = "spatial" if isinstance(self.along, JointRows) else "observed" if observed else kind
            return RowAcceleration(self.rows, self.of, self.wrt, told, values)
        strengths = Multipliers(self.rows, values)
        return self.along.made(strengths) if isinstance(self.along, JointRows) else self.along.times(strengths)


# ---------------------------------------------------------------- what is measured along rows


def measured_in(along: Along) -> tuple[Quantity | None, ...]:
    """What is measured along each row, a length or an angle; None where joints, which turn or slide, or coordinates
    that are unknown do not tell.
    """
    if isinstance(along, JointRows) or not is_known(along.angular, along.linear):
        return (None,) * len(along.rows)
    found = list[Quantity | None]()
    for k, row in enumerate(along.rows):
        turns, shifts = ([row[k] for row in filled(part)] for part in (along.angular, along.linear))
        if any(turns) and any(shifts):
            refuse(
                f"a row {row} of {along}",
                f"{row} adds a length to an angle",
                remedy="take rows that are all of a force or all of a moment, at the point about which it turns",
            )
        found.append(Quantity.ANGLE if any(turns) else Quantity.LENGTH)
    return tuple(found)


def _driven_by(table: dict[Quantity, Quantity], command: Command, maximum: RowAmounts) -> bool:
    """Whether each row is given what drives it."""
    pairs = zip(measured_in(command.along), maximum.quantities, strict=False)
    return all(given in table.values() if row is None else given is table[row] for row, given in pairs)


def _wanted(table: dict[Quantity, Quantity], command: Command) -> str:
    """What would drive the rows."""
    rows = measured_in(command.along)
    found = dict.fromkeys(" or ".join(q.value for q in table.values()) if r is None else table[r].value for r in rows)
    return ", ".join(found)
