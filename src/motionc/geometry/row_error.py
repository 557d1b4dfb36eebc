"""What is missing along rows: lengths along some, angles along others, which never mix."""

from dataclasses import dataclass, replace
from typing import Any

from motionc.geometry.amounts import Duration, RowAmounts
from motionc.geometry.command import Command, RowSignal, measured_in
from motionc.geometry.control_words import dead_zone, sign
from motionc.geometry.entities import JOINTS
from motionc.geometry.impulse import RowTwist
from motionc.geometry.joint_space import JointDisplacement
from motionc.geometry.labels import expect_alike
from motionc.geometry.meaning import is_kind, refuse
from motionc.geometry.row_space import JointRows
from motionc.geometry.units import Quantity

MEASURED = (Quantity.LENGTH, Quantity.ANGLE)


@dataclass(frozen=True, slots=True, eq=False)
class RowError(RowSignal):
    """How far a body is, along each row, from where it should be with respect to `wrt`: in metres or radians."""

    def __post_init__(self) -> None:
        RowSignal.__post_init__(self)
        measured_in(self.along)

    @classmethod
    def of_joints(cls, missing: JointDisplacement, rows: JointRows) -> "RowError":
        """Cᵀ Δq: what joints miss along rows of theirs."""
        expect_alike(rows, missing, ".of_joints", JointDisplacement, "joints")
        return cls(rows, JOINTS, rows.values.T @ missing.values)

    def beyond(self, tolerances: RowAmounts) -> "RowError":
        """The error where it is larger than what is tolerated, else 0: a dead zone, row by row."""
        return replace(self, values=dead_zone(self.values, self._amounts(tolerances, ".beyond")))

    def after(self, rate: RowTwist, duration: Duration) -> "RowError":
        """e - ẏ t: what will be missing after a time in which the body goes on as it does."""

        def subject() -> str:
            return f"{self}.after({rate}, {duration})"

        expect_alike(self, rate, ".after", RowTwist, "rows", "of", "wrt")
        if not (is_kind(rate, RowTwist, subject) and is_kind(duration, Duration, subject)):
            return self
        return replace(self, values=self.values - rate.values * duration.seconds[0, 0])

    def sign(self) -> Command:
        """Which way to go along each row: 1, -1 or 0."""
        return Command(self.along, self.wrt, sign(self.values))

    def per(self, reach: RowAmounts) -> Command:
        """e / reach: 1 where as much is missing as the command reaches for."""
        return Command(self.along, self.wrt, self.values / self._amounts(reach, ".per"))

    def _amounts(self, amounts: Any, operation: str) -> Any:
        """Amounts of what is measured along these rows."""

        def subject() -> str:
            return f"{self}{operation}({amounts})"

        if not self.expect_amounts(amounts, subject):
            return 1.0
        for row, ours, theirs in zip(self.rows, measured_in(self.along), amounts.quantities, strict=False):
            if theirs is not ours and (ours is not None or theirs not in MEASURED):
                wanted = "Length or Angle" if ours is None else ours.value
                refuse(
                    subject(),
                    f"{row} misses a {wanted}, but is given {theirs.value}",
                    remedy="give lengths in m where rows shift and angles in rad where they turn; one unit a row",
                )
        return amounts.values
