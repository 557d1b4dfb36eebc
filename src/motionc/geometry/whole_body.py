"""All bodies at once: motions they make as if they were one, along which momentum is measured, A_G = Σ Uᵀ H J.

A row of momentum pulls at every body by H U: at this body's share of it, whatever joints are between.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from motionc.geometry.entities import ENVIRONMENT, WORLD, Body
from motionc.geometry.force import Wrench
from motionc.geometry.inertia import RigidInertia
from motionc.geometry.labels import Labels
from motionc.geometry.row_space import RowAcceleration
from motionc.geometry.screw import MEANING, Motion
from motionc.geometry.wrench_basis import WrenchBasis, paired


@dataclass(frozen=True, slots=True, eq=False)
class UnitMotions(Motion):
    """Motions of body `of` at unit rate, one a column, as if all bodies were one rigid body: U."""

    meaning: ClassVar[tuple[str, ...]] = (*MEANING, "rows")

    rows: Labels = ()

    def of_body(self, body: Body) -> "UnitMotions":
        """The same motion of another body, at the same point: nothing moves within what is rigid."""
        return replace(self, of=body)

    def pull(self, inertia: RigidInertia) -> WrenchBasis:
        """H U: the wrenches on a body that make all bodies accelerate along U, one column a row."""
        self.expect(inertia, ".pull", RigidInertia, ("of", "point", "as_seen_by"))
        columns = inertia.columns(self.angular, self.linear)
        return WrenchBasis(self.of, ENVIRONMENT, self.point, self.as_seen_by, *columns, rows=self.rows)

    def required(self, wrench: Wrench) -> RowAcceleration:
        """Uᵀ F: what a body requires, along each row; of one that does not accelerate, what its turning takes."""
        self.expect(wrench, ".required", Wrench, ("of", "point", "as_seen_by"))
        return RowAcceleration(self.rows, self.of, WORLD, "spatial", paired(self, wrench))
