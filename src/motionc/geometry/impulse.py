"""What a blow does: impulses along rows, what joints feel of them, and how velocities jump.

Velocities along rows are of their own kind: an impulse answers them as a force answers accelerations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from motionc.geometry.articulated import Projector
from motionc.geometry.coordinates import UNKNOWN, Coordinates, Relation, above, solve_positive_definite
from motionc.geometry.entities import Body
from motionc.geometry.joint_inertia import JointInertia
from motionc.geometry.joint_space import JointVector, JointVelocity
from motionc.geometry.labels import Labels, places
from motionc.geometry.labels import expect_alike as expect
from motionc.geometry.meaning import refuse
from motionc.geometry.motion import OWN, Twist
from motionc.geometry.motion_basis import MotionBasis
from motionc.geometry.row_space import Coupling, JointRows, RowVelocity
from motionc.geometry.screw import Motion
from motionc.geometry.task_space import carried
from motionc.geometry.wrench_basis import WrenchBasis


@dataclass(frozen=True, slots=True, eq=False)
class RowTwist(Relation):
    """Velocity of body `of` with respect to `wrt` along each constraint row."""

    rows: Labels
    of: Body
    wrt: Body
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"RowTwist({self.of},{self.wrt}; {', '.join(self.rows)})"

    @classmethod
    def of_body(cls, rows: WrenchBasis, twist: Twist) -> "RowTwist":
        """Aᵀ V: how the body on which the rows act moves along them."""
        rows.expect(twist, ".of_body", Twist, OWN)
        return cls.at_place(rows, twist)

    @classmethod
    def at_place(cls, rows: WrenchBasis, twist: Twist) -> "RowTwist":
        """How any body moves at this place, measured along the rows."""
        rows.expect(twist, ".at_place", Twist, ("point", "as_seen_by"))
        values = rows.angular.T @ twist.angular + rows.linear.T @ twist.linear
        return cls(rows.rows, twist.of, twist.wrt, values)

    def compose(self, relative: "RowTwist") -> "RowTwist":
        """Along the rows, b wrt a followed by c wrt b is c wrt a."""
        expect(self, relative, ".compose", RowTwist, "rows")
        if relative.wrt != self.of:
            refuse(
                f"{self}.compose({relative})",
                f"inner body {self.of} != {relative.wrt}",
                remedy=f"the second must be of some body wrt {self.of}",
            )
        values = self.values + relative.values
        return replace(self, of=relative.of, values=values)

    def inverse(self) -> "RowTwist":
        """The other body's view."""
        return replace(self, of=self.wrt, wrt=self.of, values=-self.values)


@dataclass(frozen=True, slots=True, eq=False)
class Impulses(Relation):
    """Strength of the impulse along each row: physical, on the constrained body."""

    rows: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"Impulses({', '.join(self.rows)})"

    @classmethod
    def balance(
        cls,
        coupling: Coupling,
        jump: RowVelocity,
        kernel: object,
        call: Callable[..., Any],
        order: Sequence[int],
        weights: Sequence[float],
    ) -> tuple[Any, ...]:
        """f with Λ⁻¹ f = the jump of velocities asked along the rows, and whatever else the kernel reports."""
        expect(coupling, jump, ".balance", RowVelocity, "rows")
        strength, *report = coupling.solve(jump.values, kernel, call, order, weights)
        return cls(coupling.rows, strength), *report

    @classmethod
    def hold_off(
        cls,
        coupling: Coupling,
        approach: RowVelocity,
        before: "Impulses",
        sides: Sequence[Coordinates],
        kernel: object,
        call: Callable[..., Any],
    ) -> tuple["Impulses", Coordinates]:
        """f within cones and bounds that leave no row approaching, starting from those `before`; and what is left.

        `sides` are normals, bounds (μ of contacts) and compliances, one column each.
        """
        expect(coupling, approach, ".hold_off", RowVelocity, "rows")
        expect(coupling, before, ".hold_off", Impulses, "rows")
        strength, left = call(kernel, coupling.values, above(approach.values, before.values, *sides))
        return cls(coupling.rows, strength), left

    def select(self, rows: Labels) -> "Impulses":
        """Those along some of the rows."""
        keep = places(self, self.rows, rows)
        return Impulses(rows, self.values[keep, :])

    def jump(self, coupling: Coupling) -> RowVelocity:
        """Λ⁻¹ f: by how much velocities along the rows jump."""
        expect(self, coupling, ".jump", Coupling, "rows")
        return RowVelocity(self.rows, coupling.values @ self.values)

    def work(self, before: RowVelocity, after: RowVelocity) -> Coordinates:
        """½ fᵀ (u⁻ + u⁺): by how much kinetic energy changes."""
        for twists in (before, after):
            expect(self, twists, ".work", RowVelocity, "rows")
        return 0.5 * (self.values.T @ (before.values + after.values))


@dataclass(frozen=True, slots=True, eq=False)
class TwistJump(Motion):
    """By how much the twist of body `of` with respect to `wrt` jumps."""

    def beyond(self, directions: MotionBasis) -> "TwistJump":
        """The same of the body beyond a joint that does not give way."""
        return replace(self, of=carried(self, directions))

    def driven(self, directions: MotionBasis, jump: JointVelocity) -> "TwistJump":
        """With the jump of the body's own joint, S Δq̇."""
        self.expect(directions, ".driven", MotionBasis, OWN)
        own = directions.times(jump)
        return self.shifted(own.angular, own.linear)


@dataclass(frozen=True, slots=True, eq=False)
class JointImpulse(JointVector):
    """What a joint feels, along its free directions, of impulses."""

    @classmethod
    def of(cls, felt: JointRows, impulses: Impulses) -> "JointImpulse":
        """z f."""
        expect(felt, impulses, ".of", Impulses, "rows")
        values = felt.values @ impulses.values
        return cls(felt.joints, values)

    def through(self, projector: Projector, moved: TwistJump) -> JointVelocity:
        """D⁻¹ (z f - Sᵀ H^A ΔV): how the rates of one joint jump, whose body is moved by those before it."""
        expect(self, projector.inertia, ".through", JointInertia, "joints")
        return JointVelocity(self.joints, projector.gives_way(self.values, moved))

    def through_all(self, system: JointInertia) -> JointVelocity:
        """M⁻¹ Jᵀ f: of all joints together."""
        expect(self, system, ".through_all", JointInertia, "joints")
        return JointVelocity(self.joints, solve_positive_definite(system.values, self.values))
