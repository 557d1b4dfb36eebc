"""Six numbers as other programs exchange them, and which three come first: nobody can tell that from the numbers."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from motionc.errors import Error
from motionc.geometry.coordinates import UNKNOWN, Coordinates, Relation, above
from motionc.geometry.meaning import is_kind, refuse

Order = Literal["angular first", "linear first"]


@dataclass(frozen=True, slots=True, eq=False)
class SixVector(Relation):
    """The numbers of a twist, acceleration or wrench in one order: ours is angular first, Pinocchio's linear first.

    Two of different order do not mix; `in_order` brings one into the other's.
    """

    values: Coordinates
    order: Order

    def __post_init__(self) -> None:
        Relation.__post_init__(self)
        if self.order not in get_args(Order):
            raise Error(f"order is {self.order!r}; say 'angular first' or 'linear first'")
        if isinstance(self.values, list | tuple | np.ndarray):
            array = np.asarray(self.values, float)
            if array.size != 6:
                raise Error(f"a six-vector has 6 numbers, not {array.size}")
            object.__setattr__(self, "values", array.reshape(6, 1))

    def __str__(self) -> str:
        return f"SixVector({self.order})"

    @property
    def angular(self) -> Coordinates:
        return self._half("angular first")

    @property
    def linear(self) -> Coordinates:
        return self._half("linear first")

    def _half(self, in_front: Order) -> Coordinates:
        return self.values[:3, :] if self.order == in_front else self.values[3:, :]

    def in_order(self, order: Order) -> "SixVector":
        """The same numbers in this order."""
        return join(self.angular, self.linear, order)

    def __add__(self, other: Any) -> "SixVector":
        return SixVector(self.values + other.values if self._mixes(other, "+") else UNKNOWN, self.order)

    def __sub__(self, other: Any) -> "SixVector":
        return SixVector(self.values - other.values if self._mixes(other, "-") else UNKNOWN, self.order)

    def _mixes(self, other: Any, operation: str) -> bool:
        if not is_kind(other, SixVector, lambda: f"{self} {operation} {other}"):
            return False
        if other.order != self.order:
            refuse(
                f"{self} {operation} {other}",
                f"one is {self.order}, the other {other.order}",
                remedy=f"bring the second into the order of the first: in_order({self.order!r})",
            )
        return True


def join(angular: Coordinates, linear: Coordinates, order: Order) -> SixVector:
    """Both halves in this order."""
    return SixVector(above(angular, linear) if order == "angular first" else above(linear, angular), order)
