"""How things move: Twist, spatial and classical Acceleration."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from motionc.geometry.coordinates import Coordinates, cross
from motionc.geometry.entities import FREE_FALL, WORLD
from motionc.geometry.meaning import refuse
from motionc.geometry.pose import Position, Velocity
from motionc.geometry.screw import Motion, check_chain, field_at

OWN = ("of", "point", "as_seen_by")


@dataclass(frozen=True, slots=True, eq=False)
class Twist(Motion, Velocity):
    """Velocity of body `of` with respect to body `wrt`: (ω; v), v that of the body's point at `point`."""

    part: ClassVar[str] = "LinearVelocity"

    def compose(self, relative: "Twist") -> "Twist":
        """Twist(b, a) followed by Twist(c, b) is Twist(c, a), at the same point in the same axes."""
        if not check_chain(self, relative, Twist):
            return self
        return replace(self.shifted(relative.angular, relative.linear), of=relative.of)

    def spatial_bias(self, relative: "Twist") -> "SpatialAcceleration":
        """V × V_rel: the spatial acceleration of a joint whose rates are constant; V is the moving body's twist."""
        self._check_carrier(relative, "spatial_bias")
        angular = cross(self.angular, relative.angular)
        linear = cross(self.angular, relative.linear) + cross(self.linear, relative.angular)
        return SpatialAcceleration(relative.of, relative.wrt, self.point, self.as_seen_by, angular, linear)

    def classical_bias(self, relative: "Twist") -> "ClassicalAcceleration":
        """(ω × ω_rel; ω × v_rel + (ω - ω_rel) × v_rel): the same joint's classical acceleration, without v."""
        self._check_carrier(relative, "classical_bias")
        angular = cross(self.angular, relative.angular)
        linear = cross(self.angular, relative.linear) + cross(self.angular - relative.angular, relative.linear)
        return ClassicalAcceleration(relative.of, relative.wrt, self.point, self.as_seen_by, angular, linear)

    def convective(self) -> Coordinates:
        """ω × v, what a classical acceleration has more than a spatial one."""
        return cross(self.angular, self.linear)

    def _check_carrier(self, relative: "Twist", operation: str) -> None:
        self.expect(relative, operation, Twist, OWN)
        check_inertial(self, operation)


@dataclass(frozen=True, slots=True, eq=False)
class DrivenAcceleration(Motion):
    """Driven acceleration S q̈, what a joint's own adds: the same numbers for a spatial and a classical acceleration."""


@dataclass(frozen=True, slots=True, eq=False)
class Acceleration(Motion):
    """Derivative, taken in the inertial frame, of how `of` moves with respect to `wrt`.

    With `wrt=FREE_FALL` it includes gravity's share: a body at rest in the world accelerates upwards.
    """

    part: ClassVar[str] = "LinearAcceleration"

    def compose(self, relative: Self) -> Self:
        """Acceleration(b, a) followed by Acceleration(c, b) is Acceleration(c, a)."""
        if not check_chain(self, relative, type(self)):
            return self
        return replace(self.shifted(relative.angular, relative.linear), of=relative.of)

    def driven(self, by: DrivenAcceleration) -> Self:
        """The acceleration with the joint's own S q̈ added."""
        if not self.expect(by, ".driven", DrivenAcceleration, OWN):
            return self
        return self.shifted(by.angular, by.linear)


@dataclass(frozen=True, slots=True, eq=False)
class SpatialAcceleration(Acceleration):
    """Spatial acceleration, the rate of change of the twist as a field: (ω̇; v̇ at a point fixed in space)."""

    def to_classical(self, twist: Twist) -> "ClassicalAcceleration":
        """Add ω × v, with the body's own twist at the same point."""
        check_own_twist(self, twist, "to_classical", OWN)
        linear = self.linear + twist.convective()
        return ClassicalAcceleration(self.of, self.wrt, self.point, self.as_seen_by, self.angular, linear)


@dataclass(frozen=True, slots=True, eq=False)
class ClassicalAcceleration(Acceleration):
    """Classical acceleration, as of an accelerometer: (ω̇; second derivative of the position of the body's point)."""

    def change_point(self, position: Position, twist: Twist | None = None) -> Self:
        """a' = a + ω̇ × r + ω × (ω × r): needs the body's own twist, of which only ω counts."""
        if not self.expect_position(position):
            return self
        if twist is None:
            refuse(
                f"{self}.change_point({position})",
                "a classical acceleration at another point needs the angular velocity of the body",
                remedy="give the body's twist as second argument, or sweep on spatial accelerations",
            )
            return replace(self, point=position.of)
        check_own_twist(self, twist, "change_point", ("of", "as_seen_by"))
        linear = field_at(self.linear, self.angular, position.xyz)
        linear = linear + cross(twist.angular, cross(twist.angular, position.xyz))
        return replace(self, point=position.of, linear=linear)

    def to_spatial(self, twist: Twist) -> SpatialAcceleration:
        """Take ω × v away, with the body's own twist at the same point."""
        check_own_twist(self, twist, "to_spatial", OWN)
        linear = self.linear - twist.convective()
        return SpatialAcceleration(self.of, self.wrt, self.point, self.as_seen_by, self.angular, linear)

    def observed_from(self, base: "ClassicalAcceleration", carrier: Twist, relative: Twist) -> "ObservedAcceleration":
        """a - a_base - 2 ω_base × v_rel and ω̇ - ω̇_base - ω_base × ω_rel: what an observer on the body of `base` sees.

        `carrier` is that body's own twist, `relative` the twist of this body with respect to it.
        """
        self.expect(base, ".observed_from", ClassicalAcceleration, ("wrt", "point", "as_seen_by"))
        check_own_twist(base, carrier, "observed_from", OWN)
        self.expect(relative, ".observed_from", Twist, OWN)
        if relative.wrt != base.of:
            subject = f"{self}.observed_from({base}, {carrier}, {relative})"
            refuse(subject, f"{relative} is not wrt {base.of}", remedy="compose it with the carrier's inverse first")
        w = carrier.angular
        angular = self.angular - base.angular - cross(w, relative.angular)
        linear = self.linear - base.linear - 2 * cross(w, relative.linear)
        return ObservedAcceleration(self.of, base.of, self.point, self.as_seen_by, angular, linear)


@dataclass(frozen=True, slots=True, eq=False)
class ObservedAcceleration(Motion):
    """Acceleration (ω̇; p̈) of body `of` as seen from body `wrt`: derivatives are taken in `wrt`, which may move."""

    part: ClassVar[str] = "LinearAcceleration"

    def spatial_linear(self, relative: Twist) -> Coordinates:
        """p̈ - ω × v: the linear part of the same as a spatial acceleration."""
        self.expect(relative, ".spatial_linear", Twist)
        return self.linear - relative.convective()


def check_inertial(relation: Motion, operation: str) -> None:
    """Refuse a twist or acceleration that is not measured against an inertial body."""
    if relation.wrt not in (WORLD, FREE_FALL):
        refuse(
            f"{relation}.{operation}",
            f"wrt of {relation} is {relation.wrt}, which may itself be moving",
            remedy="compose it with the motion of that body first, so that it is wrt world (or free_fall)",
        )


def check_own_twist(relation: Acceleration, twist: Twist, operation: str, fields: tuple[str, ...]) -> None:
    """Refuse a twist that is not the accelerating body's own, measured against the world."""
    check_inertial(relation, operation)
    if relation.expect(twist, f".{operation}", Twist, fields):
        check_inertial(twist, operation)
