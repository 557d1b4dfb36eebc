"""What acts: Wrench, its articulated and apparent relatives, Momentum; and energies.

A Wrench is physical: pairing it with a joint's directions gives what a motor must make. An ArticulatedWrench is what
a body with free joints beyond it feels; an ApparentWrench is that, felt by the parent through one more joint.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from motionc.geometry.coordinates import UNKNOWN, Coordinates, Relation, cross
from motionc.geometry.entities import ENVIRONMENT, INERTIA, Body
from motionc.geometry.meaning import is_kind, refuse
from motionc.geometry.motion import OWN, Twist, check_inertial
from motionc.geometry.screw import Force, Screw


@dataclass(frozen=True, slots=True, eq=False)
class Wrench(Force):
    """A wrench, moment and force (n; f), acting on body `of`, exerted by body `wrt`, reduced to `point`."""

    part: ClassVar[str] = "Force"

    def without(self, given: "Wrench") -> "Wrench":
        """What is left of a net wrench for others to make once `given` acts on the same body."""
        return self.shifted(*_negated(given)) if self.expect(given, ".without", Wrench, OWN) else self

    def exerted_by(self, body: Body) -> "Wrench":
        """Say who makes what is left of a net wrench."""
        if self.wrt != INERTIA:
            refuse(
                f"{self}.exerted_by({body})",
                f"it is exerted by {self.wrt} already",
                remedy="only the net wrench a motion requires can be assigned to a maker",
            )
        return Wrench(self.of, body, self.point, self.as_seen_by, self.angular, self.linear)

    def to_be_made(self) -> "Wrench":
        """What motors must make in the environment's place."""
        if self.wrt != ENVIRONMENT:
            refuse(
                f"{self}.to_be_made()",
                f"it is exerted by {self.wrt}, not by the environment",
                remedy="only what acts from outside can be demanded of motors instead",
            )
        return Wrench(self.of, INERTIA, self.point, self.as_seen_by, self.angular, self.linear)

    def articulated(self) -> "ArticulatedWrench":
        """The start of an articulated bias: a body with nothing beyond it feels exactly what acts on it."""
        if self.wrt != INERTIA:
            refuse(
                f"{self}.articulated()",
                f"it is exerted by {self.wrt}, not required by the body's own motion",
                remedy="start from the rate of the body's momentum, without() what acts from outside",
            )
        return ArticulatedWrench(self.of, self.wrt, self.point, self.as_seen_by, self.angular, self.linear)


@dataclass(frozen=True, slots=True, eq=False)
class ApparentWrench(Force):
    """What body `wrt` (the parent) feels of body `of` through the free joint between them."""


@dataclass(frozen=True, slots=True, eq=False)
class ArticulatedWrench(Force):
    """What body `of` requires when the joints beyond it are free to give way."""

    def __add__(self, other: Screw) -> Self:
        if isinstance(other, ApparentWrench):
            check_arrival(self, other)
        elif not self.expect(other, "+"):
            return self
        return self.shifted(other.angular, other.linear)

    def relieved(self, by: Force) -> "ArticulatedWrench":
        """What is left to require once the environment helps: F^A - A λ."""
        if self.expect(by, ".relieved", ArticulatedWrench, ("of", "point", "as_seen_by")) and by.wrt != ENVIRONMENT:
            refuse(
                f"{self}.relieved({by})",
                f"it is exerted by {by.wrt}, not from outside",
                remedy="only what acts from outside relieves a body: constraint forces along their articulated basis",
            )
        return self.shifted(*_negated(by))

    def held_by(self, parent: Body) -> ApparentWrench:
        """What a parent feels through a joint whose acceleration is prescribed: everything."""
        return ApparentWrench(self.of, parent, self.point, self.as_seen_by, self.angular, self.linear)


@dataclass(frozen=True, slots=True, eq=False)
class Momentum(Force):
    """Angular and linear momentum of body `of` with respect to `wrt`, about `point`."""

    def rate(self, twist: Twist) -> Wrench:
        """V ×* p: the wrench that turning axes alone require, (ω × h + v × p; ω × p)."""
        if self.expect(twist, ".rate", Twist):
            check_inertial(twist, "rate")
        angular = cross(twist.angular, self.angular) + cross(twist.linear, self.linear)
        linear = cross(twist.angular, self.linear)
        return Wrench(self.of, INERTIA, self.point, self.as_seen_by, angular, linear)

    def together(self, other: "Momentum") -> "Momentum":
        """Of two bodies; the result is named after the first."""
        same = ("wrt", "point", "as_seen_by")
        return self.shifted(other.angular, other.linear) if self.expect(other, ".together", Momentum, same) else self

    def energy(self, twist: Twist) -> "KineticEnergy":
        """½ Vᵀ H V of the body whose momentum this is."""
        self.expect(twist, ".energy", Twist)
        value = 0.5 * (self.angular.T @ twist.angular + self.linear.T @ twist.linear)
        return KineticEnergy(self.of, self.wrt, value)


@dataclass(frozen=True, slots=True, eq=False)
class Energy(Relation):
    """Energy of body `of` with respect to `wrt`, and of whatever was added to it, (1, 1)."""

    coordinates: ClassVar[tuple[str, ...]] = ("value",)

    of: Body
    wrt: Body
    value: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.of},{self.wrt})"

    def __add__(self, other: Self) -> Self:
        """Of two bodies; the result is named after the first."""
        if is_kind(other, type(self), lambda: f"{self} + {other}") and other.wrt != self.wrt:
            refuse(f"{self} + {other}", f"wrt differ: {self.wrt} != {other.wrt}", remedy="take both wrt the same body")
        return replace(self, value=self.value + other.value)


@dataclass(frozen=True, slots=True, eq=False)
class KineticEnergy(Energy):
    """Kinetic energy ½ Vᵀ H V."""


@dataclass(frozen=True, slots=True, eq=False)
class PotentialEnergy(Energy):
    """Potential energy -m gᵀ c, zero with the centre of mass at the origin of `wrt`."""


def check_arrival(articulated: object, apparent: object) -> None:
    """Refuse to add to a body what another body feels, or what is not yet brought to this body's point and axes."""
    ours, theirs = getattr(articulated, "of"), getattr(apparent, "wrt")  # noqa: B009
    if ours != theirs:
        refuse(
            f"{articulated} + {apparent}",
            f"felt by {theirs}, added to {ours}",
            remedy="add it to the body at the near end of the joint it was projected through",
        )
    for name, repair in (("point", "change_point"), ("as_seen_by", "change_frame")):
        mine, other = getattr(articulated, name), getattr(apparent, name)
        if mine != other:
            refuse(
                f"{articulated} + {apparent}",
                f"{name} of {articulated} != {name} of {apparent}: {mine} != {other}",
                remedy=f"{repair} the apparent one from {other} to {mine} first",
            )


def _negated(force: Force) -> tuple[Coordinates, Coordinates]:
    return -force.angular, -force.linear
