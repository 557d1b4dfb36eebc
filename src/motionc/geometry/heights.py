"""Ground by its heights over a grid: how high it is at a place, and how steep.

    h(x, y) = a + s (b - a) + t (c - a) + s t (a - b - c + d)      bilinear between the four corners of a cell

a, b, c, d at (i, j), (i+1, j), (i, j+1), (i+1, j+1), s and t from 0 to 1 along x and y. Slopes are those of this
surface: across the border of two cells they jump. Outside of the grid the border's height goes on flat.
"""

from dataclasses import dataclass
from typing import ClassVar

from motionc.geometry.control_words import both, entry
from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    Relation,
    above,
    assemble,
    at_least,
    at_most,
    column,
    is_known,
    rounded_down,
    square_root,
)
from motionc.geometry.entities import Body, Frame


@dataclass(frozen=True, slots=True, eq=False)
class Heights(Relation):
    """Heights of body `of` along z over a grid along x and y of `as_seen_by`, a column row by row.

    `shape` is how many there are along x and along y, `spacing` how far they are apart, `origin` where the first is.
    """

    coordinates: ClassVar[tuple[str, ...]] = ("values",)

    of: Body
    as_seen_by: Frame
    shape: tuple[int, int]
    spacing: tuple[float, float]
    origin: tuple[float, float, float]
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"Heights({self.of},{self.as_seen_by})"

    def tangent(self, place: Coordinates) -> "TangentPlane":
        """The plane that touches the surface above or below a place (3, 1)."""
        (i, s, within_x), (j, t, within_y) = (self._cell(place, axis) for axis in (0, 1))
        first, columns = i * self.shape[1] + j, self.shape[1]
        a, b, c, d = self._read(*(first + more for more in (0, columns, 1, columns + 1)))
        along_x, along_y, twist = b - a, c - a, a - b - c + d
        height = self.origin[2] + a + s * along_x + t * along_y + s * t * twist
        slope_x = within_x * (along_x + t * twist) / self.spacing[0]
        slope_y = within_y * (along_y + s * twist) / self.spacing[1]
        steepness = square_root(slope_x * slope_x + slope_y * slope_y + 1.0)
        return TangentPlane(above(place[:2, :], height), above(-slope_x, -slope_y, column((1.0,))) / steepness)

    def _read(self, *indices: Coordinates) -> tuple[Coordinates, ...]:
        if not is_known(self.values, *indices):
            return (UNKNOWN,) * len(indices)
        table = list(self.values.flat)
        return tuple(assemble([[entry(table, index)]]) for index in indices)

    def _cell(self, place: Coordinates, axis: int) -> tuple[Coordinates, Coordinates, Coordinates]:
        """In which cell a place is along an axis, how far in it, and whether it is within the grid."""
        last = self.shape[axis] - 1
        share = (place[axis : axis + 1, :] - self.origin[axis]) / self.spacing[axis]
        inside = both(share >= 0.0, share <= last)
        cell = at_least(at_most(rounded_down(share), last - 1.0), 0.0)
        return cell, at_least(at_most(share - cell, 1.0), 0.0), inside


@dataclass(frozen=True, slots=True, eq=False)
class TangentPlane:
    """A point of a surface and its normal of length 1 there, (3, 1) each."""

    point: Coordinates
    normal: Coordinates
