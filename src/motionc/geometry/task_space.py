"""How bodies and joints give way to forces along rows, one unit force a row, and what rows weigh for it.

Under forces it is accelerations, under impulses jumps of velocities: the same numbers for both.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from motionc.geometry.articulated import Projector
from motionc.geometry.coordinates import UNKNOWN, Coordinates, Relation, assemble, solve_positive_definite
from motionc.geometry.entities import JOINTS, Body
from motionc.geometry.joint_inertia import JointInertia
from motionc.geometry.joint_space import JointForce, JointResponse
from motionc.geometry.labels import Labels, spread_columns, union
from motionc.geometry.labels import expect_alike as expect
from motionc.geometry.meaning import refuse
from motionc.geometry.motion import OWN
from motionc.geometry.motion_basis import MotionBasis
from motionc.geometry.row_space import Coupling, JointRows, Multipliers, RowAcceleration, RowStack
from motionc.geometry.screw import MEANING, Motion


@dataclass(frozen=True, slots=True, eq=False)
class RowSway(Motion):
    """How body `of` gives way to a unit force along each row, nothing else acting: one column a row."""

    meaning: ClassVar[tuple[str, ...]] = (*MEANING, "rows")

    rows: Labels = ()

    def beyond(self, directions: MotionBasis) -> "RowSway":
        """The same of the body beyond a joint that does not give way."""
        return replace(self, of=carried(self, directions))

    def driven(self, directions: MotionBasis, more: "JointSway") -> "RowSway":
        """With what the body's own joint gives way, S y."""
        self.expect(directions, ".driven", MotionBasis, OWN)
        expect(directions, more, ".driven", JointSway, "joints")
        return self.spread(more.rows).shifted(directions.angular @ more.values, directions.linear @ more.values)

    def spread(self, rows: Labels) -> "RowSway":
        """The same columns among those of other rows, which are zero."""
        parts = spread_columns(self.angular, self.rows, rows), spread_columns(self.linear, self.rows, rows)
        return replace(self, rows=rows, angular=parts[0], linear=parts[1])


@dataclass(frozen=True, slots=True, eq=False)
class JointSway(Relation):
    """How joints give way to a unit force along each row, (joint coordinates × rows); of all joints it is M⁻¹ Jᵀ."""

    joints: Labels
    rows: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"JointSway({', '.join(self.joints)}; {', '.join(self.rows)})"

    @classmethod
    def of_joint(cls, projector: Projector, felt: JointRows, moved: RowSway) -> "JointSway":
        """D⁻¹ (z - Sᵀ H^A X): of one joint, whose body is moved by those before it."""
        expect(projector.basis, felt, ".of_joint", JointRows, "joints")
        rows = union(moved.rows, felt.rows)
        wide = spread_columns(felt.values, felt.rows, rows)
        values = projector.gives_way(wide, moved.spread(rows))
        return cls(felt.joints, rows, values)

    @classmethod
    def of_all(cls, system: JointInertia, felt: JointRows) -> "JointSway":
        """M⁻¹ Jᵀ: of all joints together."""
        expect(system, felt, ".of_all", JointRows, "joints")
        return cls(felt.joints, felt.rows, solve_positive_definite(system.values, felt.values))

    def along(self, force: JointForce) -> RowAcceleration:
        """J M⁻¹ τ: how rows accelerate under joint forces, as far as joints do under forces along rows."""
        expect(self, force, ".along", JointForce, "joints")
        values = self.values.T @ force.values
        return RowAcceleration(self.rows, JOINTS, JOINTS, "spatial", values)


@dataclass(frozen=True, slots=True, eq=False)
class OperationalInertia(Relation):
    """Operational-space inertia Λ = (J M⁻¹ Jᵀ)⁺: the forces along rows that unit accelerations along them take."""

    rows: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"OperationalInertia({', '.join(self.rows)})"

    @classmethod
    def of(cls, coupling: Coupling, kernel: object, call: Callable[..., Any]) -> tuple[Any, ...]:
        """The pseudo-inverse of the coupling, its rank, and its condition."""
        m = len(coupling.rows)
        flat, *report = call(kernel, coupling.values)
        values = assemble([[flat[m * i + j, 0] for j in range(m)] for i in range(m)])
        return cls(coupling.rows, values), *report

    def times(self, acceleration: RowStack) -> Multipliers:
        """Λ ẍ: the forces along rows for these accelerations along them."""
        expect(self, acceleration, ".times", RowStack, "rows")
        values = self.values @ acceleration.values
        return Multipliers(self.rows, values)

    def consistent_inverse(self, sway: JointSway) -> JointResponse:
        """J̄ = M⁻¹ Jᵀ Λ: how joints accelerate for unit accelerations along rows, least in ½ aᵀ M a."""
        expect(self, sway, ".consistent_inverse", JointSway, "rows")
        values = sway.values @ self.values
        return JointResponse(sway.joints, self.rows, values)


def carried(motion: Motion, directions: MotionBasis) -> Body:
    """The body beyond a joint, which moves as the one before it while the joint does not give way."""
    motion.expect(directions, ".beyond", MotionBasis, ("point", "as_seen_by"))
    if directions.wrt != motion.of:
        refuse(
            f"{motion}.beyond({directions})",
            f"the joint hangs on {directions.wrt}, not on {motion.of}",
            remedy="take the joint between this body and the next",
        )
    return directions.of
