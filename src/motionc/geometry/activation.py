"""How far rows hold, and how much a miss of each counts: factors along rows, numbers or symbols.

activation   (H Λ H + (1 - H²) diag Λ) λ = H r,  forces H λ:  at 1 the row holds, at 0 it is dropped, smooth between
weights      W Λ W λ = W r,  forces W λ:  of what cannot all be had, Σ w² residual² is least
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

from motionc.geometry.coordinates import UNKNOWN, Coordinates, Matrix, Relation, absorbing, assemble, symmetric
from motionc.geometry.labels import Labels, expect_alike, places
from motionc.geometry.row_space import Coupling, JointRows, Multipliers, RowStack

Along = TypeVar("Along", RowStack, Multipliers)


@dataclass(frozen=True, slots=True, eq=False)
class RowFactors(Relation):
    """A factor for each row: given with a call, or else nothing is multiplied by it."""

    alone: ClassVar[bool]
    """Whether what a row does to itself has the factor, too."""

    rows: Labels
    values: Coordinates = UNKNOWN
    given: bool = True

    def __str__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.rows)})"

    def select(self, rows: Labels) -> Self:
        """The factors of some of the rows."""
        return replace(self, rows=rows, values=self.values[places(self, self.rows, rows), :])

    def coupling(self, coupling: Coupling) -> Coupling:
        """Λ with the factors on both sides."""
        expect_alike(self, coupling, ".coupling", Coupling, "rows")
        return Coupling(coupling.rows, self._both_sides(coupling.values)) if self.given else coupling

    def of(self, along: Along) -> Along:
        """What is missing along the rows, or forces along them, with the factors."""
        expect_alike(self, along, ".of", type(along), "rows")
        return replace(along, values=self.values * along.values) if self.given else along

    def _both_sides(self, matrix: Coordinates) -> Coordinates:
        return _scaled(matrix, self.values, self.alone)


class Activation(RowFactors):
    """Activation h of each row: 1, it holds; 0, it is dropped, exactly; between, it holds the less the nearer to 0.

    Rows feel each other as far as both hold; alone each is what it is.
    """

    __slots__ = ()
    alone = False

    def reach(self, felt: JointRows) -> JointRows:
        """Jᵀ H: what joints feel of unit forces, as far as rows hold."""
        expect_alike(self, felt, ".reach", JointRows, "rows")
        return replace(felt, values=_columns(felt.values, self.values)) if self.given and felt.rows else felt


class RowWeights(RowFactors):
    """Weight w of each row: where not all can be had, how much a miss counts, by its square."""

    __slots__ = ()
    alone = True


@absorbing
def _columns(matrix: Matrix, factors: Matrix) -> Matrix:
    """Each column by its factor."""
    rows, columns = matrix.shape
    return assemble([[matrix[i, k] * factors[k, 0] for k in range(columns)] for i in range(rows)])


@absorbing
def _scaled(matrix: Matrix, factors: Matrix, diagonal: bool) -> Matrix:
    """Factors on both sides of a symmetric matrix, on its diagonal where that is meant."""
    size = matrix.shape[0]
    entries: list[list[Any]] = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i, size):
            scaled = diagonal or i != j
            entries[i][j] = matrix[i, j] * (factors[i, 0] * factors[j, 0]) if scaled else matrix[i, j]
    return symmetric(assemble(entries))
