"""Inertia of a body with free joints beyond it: ArticulatedInertia, ApparentInertia through a joint, the Projector.

Three 3×3 blocks, n = I α + H a, f = Hᵀ α + A a, the symmetric ones computed once.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    Matrix,
    Relation,
    diagonal,
    is_known,
    is_nothing,
    is_symbolic,
    masked,
    skew,
    solve_positive_definite,
    symmetric,
    zeros,
)
from motionc.geometry.entities import INERTIA, Body, Frame, Point
from motionc.geometry.factors import conjugate
from motionc.geometry.force import (
    ApparentWrench,
    ArticulatedWrench,
    Wrench,
    check_arrival,
)
from motionc.geometry.joint_inertia import JointInertia
from motionc.geometry.joint_space import JointForce, JointResponse
from motionc.geometry.meaning import is_kind, refuse
from motionc.geometry.motion import (
    OWN,
    Acceleration,
    ClassicalAcceleration,
    SpatialAcceleration,
    check_inertial,
)
from motionc.geometry.motion_basis import MotionBasis
from motionc.geometry.pose import Orientation, Position, check_frame
from motionc.geometry.row_space import JointRows
from motionc.geometry.screw import Motion
from motionc.geometry.wrench_basis import WrenchBasis


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks(Relation):
    """A symmetric 6×6 map from motion to force in three blocks."""

    coordinates: ClassVar[tuple[str, ...]] = ("angular", "mixed", "linear")

    of: Body
    wrt: Body
    point: Point
    as_seen_by: Frame
    angular: Coordinates = UNKNOWN
    mixed: Coordinates = UNKNOWN
    linear: Coordinates = UNKNOWN

    def __str__(self) -> str:
        felt = "" if self.of == self.wrt else f",felt by {self.wrt}"
        return f"{type(self).__name__}({self.of}{felt},{self.point},{self.as_seen_by})"

    def change_frame(self, orientation: Orientation) -> Self:
        """R on both sides of every block."""
        if not check_frame(self, orientation):
            return self
        angular, mixed, linear = (conjugate(orientation.factors, b) for b in (self.angular, self.mixed, self.linear))
        return self._with(orientation.wrt, self.point, symmetric(angular), mixed, symmetric(linear))

    def change_point(self, position: Position) -> Self:
        """H' = H - r× A and I' = I - r× Hᵀ + H' r×, r from the old point to the new."""
        if not check_position(self, position):
            return self
        r = skew(position.xyz)
        mixed = self.mixed - r @ self.linear
        angular = symmetric(self.angular - r @ self.mixed.T + mixed @ r)
        return self._with(self.as_seen_by, position.of, angular, mixed, self.linear)

    def _with(self, frame: Frame, point: Point, angular: Coordinates, mixed: Coordinates, linear: Coordinates) -> Self:
        return type(self)(self.of, self.wrt, point, frame, angular, mixed, linear)

    def _times(self, angular: Coordinates, linear: Coordinates) -> tuple[Coordinates, Coordinates]:
        return self.angular @ angular + self.mixed @ linear, self.mixed.T @ angular + self.linear @ linear


@dataclass(frozen=True, slots=True, eq=False)
class ApparentInertia(_Blocks):
    """What body `wrt` (the parent) feels of the articulated body `of` through the free joint between them."""

    def __matmul__(self, acceleration: Acceleration) -> ApparentWrench:
        check_operand(self, acceleration, Acceleration)
        _check_spatial(self, acceleration)
        return ApparentWrench(
            self.of, self.wrt, self.point, self.as_seen_by, *self._times(acceleration.angular, acceleration.linear)
        )


@dataclass(frozen=True, slots=True, eq=False)
class ArticulatedInertia(_Blocks):
    """Inertia of body `of` with everything that hangs on it by free joints."""

    def __add__(self, apparent: "_Blocks") -> "ArticulatedInertia":
        """What one more child adds, felt through its joint and brought to this body's point and axes."""
        if not isinstance(apparent, ApparentInertia):
            refuse(
                f"{self} + {apparent}",
                f"{type(apparent).__name__} is not an ApparentInertia: a free joint does not pass all of it on",
                remedy="project it through the joint first (H^a = P H^A)",
            )
        check_arrival(self, apparent)
        return self._with(
            self.as_seen_by,
            self.point,
            self.angular + apparent.angular,
            self.mixed + apparent.mixed,
            self.linear + apparent.linear,
        )

    def __matmul__(self, acceleration: Acceleration) -> ArticulatedWrench:
        """H^A Ẍ."""
        check_operand(self, acceleration, Acceleration)
        _check_spatial(self, acceleration)
        return ArticulatedWrench(
            self.of, INERTIA, self.point, self.as_seen_by, *self._times(acceleration.angular, acceleration.linear)
        )

    def along(self, basis: MotionBasis) -> WrenchBasis:
        """H^A S: what it takes to accelerate the body along each direction."""
        check_operand(self, basis, MotionBasis)
        parts = self._times(basis.angular, basis.linear)
        return WrenchBasis(
            self.of, basis.wrt, self.point, self.as_seen_by, *parts, rows=basis.joints, kind=ArticulatedWrench
        )

    def required_wrench(self, acceleration: SpatialAcceleration, bias: ArticulatedWrench) -> Wrench:
        """F = F^A + H^A Ẍ: what it really takes to let the body accelerate so, free joints beyond it giving way."""
        check_operand(self, acceleration, SpatialAcceleration)
        check_inertial(acceleration, "required_wrench")
        acceleration.expect(bias, ".required_wrench", ArticulatedWrench, OWN)
        felt = self @ acceleration
        total = felt.shifted(bias.angular, bias.linear)
        return Wrench(self.of, INERTIA, self.point, self.as_seen_by, total.angular, total.linear)

    def held_by(self, parent: Body) -> ApparentInertia:
        """H^a = H^A: a joint whose acceleration is prescribed does not give way, and passes everything on."""
        blocks = self.angular, self.mixed, self.linear
        return ApparentInertia(self.of, parent, self.point, self.as_seen_by, *blocks)

    def projector(self, basis: MotionBasis, rotor: Matrix = 0.0) -> "Projector":
        """P = 1 - H^A S D⁻¹ Sᵀ with D = Sᵀ H^A S + d."""
        felt = self.along(basis)
        values = symmetric(basis.pair(felt).values + diagonal(rotor, len(basis.joints)))
        return Projector(basis, felt, JointInertia(basis.joints, values), is_nothing(rotor))


@dataclass(frozen=True, slots=True, eq=False)
class Projector:
    """The projector P = 1 - H^A S D⁻¹ Sᵀ: what passes through a free joint from the child to the parent.

    Without rotor inertia Sᵀ P = 0: nothing passes along the joint's own directions. Where those are coordinate axes
    the zeros are written down instead of computed.
    """

    basis: MotionBasis
    felt: WrenchBasis
    inertia: JointInertia
    complete: bool

    def __str__(self) -> str:
        return f"Projector({', '.join(self.basis.joints)})"

    def __matmul__(self, inertia: ArticulatedInertia) -> ApparentInertia:
        """H^a = P H^A."""
        self._check(inertia, ArticulatedInertia)
        n, f = self.felt.angular, self.felt.linear
        solved = self._solve(n.T), self._solve(f.T)
        passing = self._passing()
        angular = symmetric(masked(inertia.angular - n @ solved[0], passing[:3] & passing[:3].T))
        mixed = masked(inertia.mixed - n @ solved[1], passing[:3] & passing[3:].T)
        linear = symmetric(masked(inertia.linear - f @ solved[1], passing[3:] & passing[3:].T))
        return ApparentInertia(inertia.of, self.basis.wrt, inertia.point, inertia.as_seen_by, angular, mixed, linear)

    def basis_of(self, wrenches: WrenchBasis, felt: JointRows | None = None) -> WrenchBasis:
        """A - H^A S D⁻¹ z, column by column: P A for what the joint feels of A itself, z = Sᵀ A.

        Unit forces along the joint, which are in `felt` alone, reach the parent too.
        """
        if not self._check(wrenches, WrenchBasis):
            return wrenches
        if wrenches.kind is not ArticulatedWrench:
            refuse(
                f"{self}.basis_of({wrenches})",
                f"columns are {wrenches.kind.__name__}",
                remedy="start with articulated() at the constrained body; at_parent() after each joint",
            )
            return wrenches
        felt = self.basis.pair(wrenches) if felt is None else felt
        remedy = "bring what the joint feels of each row"
        is_kind(felt, JointRows, lambda: f"{self}.basis_of({wrenches}, {felt})", remedy)
        if felt.joints != self.basis.joints or not set(wrenches.rows) <= set(felt.rows):
            refuse(
                f"{self}.basis_of({wrenches}, {felt})",
                f"{felt} is not what {', '.join(self.basis.joints)} feels of these rows",
                remedy="pair the joint's own directions with these columns, and join what acts along the joint",
            )
        wide, given, passing = wrenches.spread(felt.rows), self._solve(felt.values), self._passing()
        # along the joint itself only what acts there in the joint's own space is left, and it acts back
        own = self.basis.pair(wide).values - felt.values
        angular = masked(wide.angular - self.felt.angular @ given, passing[:3])
        linear = masked(wide.linear - self.felt.linear @ given, passing[3:])
        angular = angular + masked(self.basis.angular @ own, ~passing[:3])
        linear = linear + masked(self.basis.linear @ own, ~passing[3:])
        return replace(wide, wrt=self.basis.wrt, kind=ApparentWrench, angular=angular, linear=linear)

    def wrench(self, bias: ArticulatedWrench, driven: JointForce) -> ApparentWrench:
        """P F^A + H^A S D⁻¹ τ = F^A + H^A S D⁻¹ (τ - Sᵀ F^A): the bias that passes, the motor holding against it."""
        self._check(bias, ArticulatedWrench)
        remedy = "a motor drives the joint: bring its JointForce"
        is_kind(driven, JointForce, lambda: f"{self}.wrench({bias}, {driven})", remedy)
        left = driven - self.basis.pair(bias)
        rate, passing = self._solve(left.values), self._passing()
        held = self.basis.angular @ driven.values, self.basis.linear @ driven.values
        parts = (
            masked(bias.angular + self.felt.angular @ rate, passing[:3]) + masked(held[0], ~passing[:3]),
            masked(bias.linear + self.felt.linear @ rate, passing[3:]) + masked(held[1], ~passing[3:]),
        )
        return ApparentWrench(bias.of, self.basis.wrt, bias.point, bias.as_seen_by, *parts)

    def response(self, motion: MotionBasis) -> JointResponse:
        """D⁻¹ Sᵀ H^A X: how far the joint gives way to each motion of its body."""
        self._check(motion, MotionBasis)
        felt = self.felt.angular.T @ motion.angular + self.felt.linear.T @ motion.linear
        values = self._solve(felt) if motion.joints else zeros(len(self.basis.joints), 0)
        return JointResponse(self.basis.joints, motion.joints, values)

    def gives_way(self, felt: Coordinates, motion: Motion) -> Coordinates:
        """D⁻¹ (f - Sᵀ H^A X): how far the joint gives way to what it feels, its body being moved from before it."""
        self._check(motion, Motion)
        left = felt - self.felt.angular.T @ motion.angular - self.felt.linear.T @ motion.linear
        return self._solve(left)

    def _solve(self, values: Matrix) -> Matrix:
        return solve_positive_definite(self.inertia.values, values)

    def _passing(self) -> np.ndarray:
        """Which of the six axes anything passes along, as a (6, 1) mask: all but those the joint itself moves along."""
        axes = np.ones((6, 1), bool)
        if is_symbolic(self.basis.angular, self.basis.linear) or not is_known(self.basis.angular, self.basis.linear):
            return axes
        directions = np.vstack([self.basis.angular, self.basis.linear])
        if self.complete and np.all(np.isin(directions, (0.0, 1.0))) and np.all(directions.sum(axis=0) == 1.0):
            axes[directions.sum(axis=1) == 1.0] = False
        return axes

    def _check(self, operand: Any, kind: type) -> bool:
        remedy = f"project the {kind.__name__} of the joint's own body"
        if not is_kind(operand, kind, lambda: f"{self} projects {operand}", remedy):
            return False
        return self.basis.expect(operand, " projects", kind, OWN)


def _check_spatial(inertia: _Blocks, acceleration: Acceleration) -> None:
    if isinstance(acceleration, ClassicalAcceleration):
        refuse(
            f"{inertia} @ {acceleration}",
            f"{type(inertia).__name__} maps spatial accelerations; this one is classical",
            remedy="to_spatial with the body's twist",
        )


def check_position(inertia: Any, position: Any) -> bool:
    """Refuse to move an inertia by a position that does not start at its own point, in its own axes."""
    remedy = "give the Position of the new point wrt the old one"
    if not is_kind(position, Position, lambda: f"{inertia}.change_point({position})", remedy):
        return False
    if position.wrt != inertia.point or position.as_seen_by != inertia.as_seen_by:
        refuse(
            f"{inertia}.change_point({position})",
            f"needs a Position wrt {inertia.point} as seen by {inertia.as_seen_by}",
            remedy=f"this one is wrt {position.wrt} as seen by {position.as_seen_by}: inverse() or change_frame first",
        )
    return True


def check_operand(inertia: Any, motion: Any, kind: type) -> None:
    """Refuse to map a motion of another kind, body, point or axes."""
    if not isinstance(motion, kind):
        refuse(
            f"{inertia} @ {motion}",
            f"{type(motion).__name__} is not a {kind.__name__}",
            remedy=f"this inertia maps a {kind.__name__}; convert or take the right relation",
        )
        return
    for name in OWN:
        if getattr(inertia, name) != getattr(motion, name):
            refuse(
                f"{inertia} @ {motion}",
                f"{name} differ: {getattr(inertia, name)} != {getattr(motion, name)}",
                remedy={
                    "of": "an inertia maps the motion of its own body: compose up to that body first",
                    "point": "change_point the motion to the inertia's point",
                    "as_seen_by": "change_frame the motion into the inertia's axes",
                }[name],
            )
