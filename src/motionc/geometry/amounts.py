"""Numbers with a unit, SI inside: how long something lasts, and how much is allowed or asked along each row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from motionc.errors import Error
from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    Relation,
    column,
    is_known,
    is_symbolic,
    known_or_unknown,
)
from motionc.geometry.labels import Labels, places
from motionc.geometry.meaning import refuse
from motionc.geometry.symbols import Symbols
from motionc.geometry.units import UNITS, Quantity, unit
from motionc.real import real_numbers


@dataclass(frozen=True, slots=True, eq=False)
class Duration(Relation):
    """A duration in seconds, (1, 1): what makes a displacement of a velocity."""

    coordinates: ClassVar[tuple[str, ...]] = ("seconds",)

    seconds: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return "Duration"

    @staticmethod
    def of(value: Any, unit: str) -> "Duration":
        """So many of a unit of time: `Duration.of(2.5, "s")`, `Duration.of(20, "ms")`."""
        subject = f"Duration.of(…, {unit!r})"
        return Duration(_column(1, value, subject) * _factor(unit, Quantity.TIME, subject))


@dataclass(frozen=True, slots=True, eq=False)
class RowAmounts(Relation):
    """Amounts along rows, (m, 1), and the quantity that each is of: tolerances, maxima."""

    rows: Labels
    quantities: tuple[Quantity, ...]
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        told = (f"{row} {quantity.value}" for row, quantity in zip(self.rows, self.quantities, strict=True))
        return f"RowAmounts({', '.join(told)})"

    @staticmethod
    def of(rows: Labels, values: Any, units: str | Sequence[str]) -> "RowAmounts":
        """One number for each row or one for all, in one unit or one a row: `of(("x", "rz"), [0.01, 2], ["m", "deg"])`.

        Symbols are given as a column (m, 1), what is unknown as None.
        """
        names = (units,) * len(rows) if isinstance(units, str) else tuple(units)
        subject = f"RowAmounts.of({', '.join(rows)}; {', '.join(names)})"
        if len(names) != len(rows):
            refuse(
                subject,
                f"{len(rows)} rows have {len(names)} units",
                remedy="give one unit for all rows, or one for each of them",
            )
        given = [unit(name) for name in names]
        quantities = tuple(each.quantity for each in given)
        return RowAmounts(rows, quantities, _column(len(rows), values, subject) * column([u.factor for u in given]))

    def select(self, rows: Labels) -> "RowAmounts":
        """Those of some of the rows."""
        keep = places(self, self.rows, rows)
        return RowAmounts(rows, tuple(self.quantities[k] for k in keep), self.values[keep, :])


def _column(count: int, values: Any, subject: str) -> Coordinates:
    """So many numbers, one below the other; one counts for all."""
    values = known_or_unknown(values)
    if not is_known(values):
        return UNKNOWN
    given = Symbols.of(values) if is_symbolic(values) else _numbers(values, subject)
    if given.shape not in ((1, 1), (count, 1)):
        refuse(
            subject,
            f"{count} numbers are asked for, {' × '.join(map(str, given.shape))} are given",
            remedy=f"give one for all, or {count} of them, one below the other",
        )
    return given if given.shape[0] == count else given[[0] * count, :]


def _numbers(values: Any, subject: str) -> Coordinates:
    """A column of numbers, refused where they are none."""
    try:
        found = column(real_numbers(values))
    except (TypeError, ValueError):
        found = column([np.nan])
    if np.isnan(found).any():
        raise Error(f"{subject} needs real numbers, not {type(values).__name__}; give one, or one for each row")
    return found


def _factor(name: str, wanted: Quantity, subject: str) -> float:
    """The factor to SI of the unit of that name, refused where it is one of another quantity."""
    found = unit(name)
    if found.quantity is not wanted:
        known = ", ".join(each.symbol for each in UNITS if each.quantity is wanted)
        reason = f"{name} is a unit of {found.quantity.value}, not of {wanted.value}"
        refuse(subject, reason, remedy=f"give it in {known}")
    return found.factor
