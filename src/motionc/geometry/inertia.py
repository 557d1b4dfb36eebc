"""Inertia of a rigid body: mass, first moment m c and rotational inertia about the point.

What hangs on a body by free joints is in articulated.py.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from motionc.geometry.articulated import ArticulatedInertia, check_operand, check_position
from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    Relation,
    cross,
    skew,
    symmetric,
)
from motionc.geometry.entities import FREE_FALL, INERTIA, Body, Frame, Point
from motionc.geometry.factors import conjugate
from motionc.geometry.force import (
    Momentum,
    PotentialEnergy,
    Wrench,
)
from motionc.geometry.meaning import is_kind, refuse
from motionc.geometry.motion import (
    OWN,
    ClassicalAcceleration,
    SpatialAcceleration,
    Twist,
    check_inertial,
    check_own_twist,
)
from motionc.geometry.motion_basis import MotionBasis
from motionc.geometry.pose import Orientation, Position, check_frame
from motionc.geometry.wrench_basis import MomentumBasis, WrenchBasis


@dataclass(frozen=True, slots=True, eq=False)
class RigidInertia(Relation):
    """Inertia of one rigid body about a point, as seen by a frame."""

    coordinates: ClassVar[tuple[str, ...]] = ("mass", "first_moment", "rotational")

    of: Body
    point: Point
    as_seen_by: Frame
    mass: Coordinates = UNKNOWN
    first_moment: Coordinates = UNKNOWN
    rotational: Coordinates = UNKNOWN

    @staticmethod
    def about_center_of_mass(of: Body, frame: Frame, mass: float, com: Any, rotational: Any) -> "RigidInertia":
        """From mass, centre of mass in `frame` and inertia about it; the result is about the frame's origin."""
        com, rotational = np.asarray(com, float).reshape(3, 1), np.asarray(rotational, float)
        about_origin = rotational - mass * skew(com) @ skew(com)
        return RigidInertia(of, frame.origin, frame, np.full((1, 1), float(mass)), mass * com, about_origin)

    def __str__(self) -> str:
        return f"RigidInertia({self.of},{self.point},{self.as_seen_by})"

    def change_frame(self, orientation: Orientation) -> "RigidInertia":
        if not check_frame(self, orientation):
            return self
        rotational = symmetric(conjugate(orientation.factors, self.rotational))
        moment = orientation.apply(self.first_moment)
        return replace(self, as_seen_by=orientation.wrt, first_moment=moment, rotational=rotational)

    def change_point(self, position: Position) -> "RigidInertia":
        """Parallel axes, between any two points: the centre of mass need not be one of them."""
        if not check_position(self, position):
            return self
        r = position.xyz
        moment = self.first_moment - r * self.mass
        rotational = symmetric(self.rotational + skew(r) @ skew(self.first_moment) + skew(moment) @ skew(r))
        return replace(self, point=position.of, first_moment=moment, rotational=rotational)

    def __add__(self, other: "RigidInertia") -> "RigidInertia":
        """Two bodies rigidly joined; the result is named after the first."""
        if not is_kind(other, RigidInertia, lambda: f"{self} + {other}"):
            return self
        _check_same_place(self, other)
        return replace(
            self,
            mass=self.mass + other.mass,
            first_moment=self.first_moment + other.first_moment,
            rotational=self.rotational + other.rotational,
        )

    def __matmul__(self, twist: Twist) -> Momentum:
        """H V, the momentum."""
        check_operand(self, twist, Twist)
        angular = self.rotational @ twist.angular + cross(self.first_moment, twist.linear)
        linear = twist.linear * self.mass - cross(self.first_moment, twist.angular)
        return Momentum(self.of, twist.wrt, self.point, self.as_seen_by, angular, linear)

    def required_wrench(self, acceleration: ClassicalAcceleration, twist: Twist) -> Wrench:
        """Newton and Euler about any point: f = m a + α × mc + ω × (ω × mc), n = I α + ω × I ω + mc × a."""
        check_operand(self, acceleration, ClassicalAcceleration)
        check_inertial(acceleration, "required_wrench")
        check_own_twist(acceleration, twist, "required_wrench", OWN)
        alpha, a, w, mc = acceleration.angular, acceleration.linear, twist.angular, self.first_moment
        angular = self.rotational @ alpha + cross(w, self.rotational @ w) + cross(mc, a)
        linear = a * self.mass - cross(mc, alpha) + cross(w, -cross(mc, w))
        return Wrench(self.of, INERTIA, self.point, self.as_seen_by, angular, linear)

    def carried_wrench(self, acceleration: SpatialAcceleration) -> Wrench:
        """H Ẍ: what it takes more to let the body accelerate so in addition, however it moves."""
        check_operand(self, acceleration, SpatialAcceleration)
        parts = self.columns(acceleration.angular, acceleration.linear)
        return Wrench(self.of, INERTIA, self.point, self.as_seen_by, *parts)

    def along(self, basis: MotionBasis) -> WrenchBasis:
        """H S: what it takes to accelerate the rigid body along each direction."""
        parts = self._columns(basis)
        return WrenchBasis(self.of, basis.wrt, self.point, self.as_seen_by, *parts, rows=basis.joints)

    def momenta(self, basis: MotionBasis) -> MomentumBasis:
        """H S: the momentum of the rigid body that moves along each direction."""
        parts = self._columns(basis)
        return MomentumBasis(self.of, basis.wrt, self.point, self.as_seen_by, *parts, joints=basis.joints)

    def _columns(self, basis: MotionBasis) -> tuple[Coordinates, Coordinates]:
        check_operand(self, basis, MotionBasis)
        return self.columns(basis.angular, basis.linear)

    def columns(self, angular: Coordinates, linear: Coordinates) -> tuple[Coordinates, Coordinates]:
        """H times motions of the body at its point, in its axes, one a column."""
        return (
            self.rotational @ angular + cross(self.first_moment, linear),
            linear * self.mass - cross(self.first_moment, angular),
        )

    def share_of(self, whole: "RigidInertia") -> "RigidInertia":
        """Per unit of the whole's mass: of the mass 1, what is this body's."""
        is_kind(whole, RigidInertia, lambda: f"{self}.share_of({whole})")
        mass, moment, rotational = (part / whole.mass for part in (self.mass, self.first_moment, self.rotational))
        return replace(self, mass=mass, first_moment=moment, rotational=rotational)

    def center_of_mass(self) -> Position:
        """Where it is with respect to the point; there must be some mass."""
        center = Point("center_of_mass", self.of)
        return Position(center, self.point, self.as_seen_by, self.first_moment / self.mass)

    def potential(self, free_fall: ClassicalAcceleration) -> PotentialEnergy:
        """-gᵀ m c: the work against gravity since the centre of mass was at the point."""
        is_kind(free_fall, ClassicalAcceleration, lambda: f"{self}.potential({free_fall})")
        if (free_fall.of, free_fall.wrt) != (FREE_FALL, self.point.body):
            reason = f"it is not how a freely falling body accelerates wrt {self.point.body}"
            remedy = "give the acceleration of free fall, before it is inverted"
            refuse(f"{self}.potential({free_fall})", reason, remedy=remedy)
        free_fall.expect(self, ".potential", RigidInertia, ("point", "as_seen_by"))
        value = -free_fall.linear.T @ self.first_moment
        return PotentialEnergy(self.of, free_fall.wrt, value)

    def articulated(self) -> "ArticulatedInertia":
        """The start of an articulated inertia: a body with nothing beyond it is rigid."""
        blocks = (self.rotational, skew(self.first_moment), np.eye(3) * self.mass)
        return ArticulatedInertia(self.of, self.of, self.point, self.as_seen_by, *blocks)


def _check_same_place(ours: RigidInertia, theirs: RigidInertia) -> None:
    for name, repair in (("point", "change_point"), ("as_seen_by", "change_frame")):
        if getattr(ours, name) != getattr(theirs, name):
            refuse(
                f"{ours} + {theirs}",
                f"{name} differ: {getattr(ours, name)} != {getattr(theirs, name)}",
                remedy=f"{repair} one of them first",
            )
