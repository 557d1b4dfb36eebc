"""What joints have, one value a coordinate, kept apart by what it means; M⁻¹ and factors that map between them.

A JointForce is what a motor makes. A JointBias is what a joint feels beside it: the two subtract, but one never
stands for the other (erratum E5).
"""

from dataclasses import dataclass, replace
from typing import Self

from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    Relation,
    above,
    square_root,
    zeros,
)
from motionc.geometry.labels import Labels, expect_alike, places
from motionc.geometry.meaning import refuse


@dataclass(frozen=True, slots=True, eq=False)
class JointVector(Relation):
    """One value for each of the named joint coordinates, (k, 1)."""

    joints: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.joints)})"

    def __add__(self, other: Self) -> Self:
        expect_alike(self, other, "+", type(self), "joints")
        return replace(self, values=self.values + other.values)

    def among(self, joints: Labels) -> Self:
        """The values of some of the joints."""
        keep = places(self, self.joints, joints)
        return replace(self, joints=joints, values=self.values[keep, :])

    def spread(self, joints: Labels) -> Self:
        """With the others of these joints at zero."""
        others = tuple(joint for joint in joints if joint not in self.joints)
        return self.merge(replace(self, joints=others, values=zeros(len(others), 1)), joints)

    def times(self, number: float) -> Self:
        """So many times as much."""
        return replace(self, values=self.values * number)

    def merge(self, other: Self, joints: Labels) -> Self:
        """All of these joints, in this order, each from the one side that has it."""
        both = self.joints + other.joints
        if sorted(both) != sorted(joints):
            refuse(
                f"{self}.merge({other})",
                f"they are not each of {', '.join(joints)} once",
                remedy="take the joints apart first: among() one part, among() the other",
            )
        values = above(self.values, other.values)
        return replace(self, joints=both, values=values).among(joints)


@dataclass(frozen=True, slots=True, eq=False)
class JointDisplacement(JointVector):
    """How far joints go along their rates: what a constant velocity covers in some time."""

    def share(self, part: Coordinates) -> "JointDisplacement":
        """A part of the way."""
        return JointDisplacement(self.joints, self.values * part)

    def without(self, covered: "JointDisplacement") -> "JointDisplacement":
        """What is left of it."""
        expect_alike(self, covered, ".without", JointDisplacement, "joints")
        return JointDisplacement(self.joints, self.values - covered.values)

    def spring(self, stiffness: Coordinates) -> "JointForce":
        """k Δ: what springs make that want to be there."""
        return JointForce(self.joints, self.values * stiffness)


@dataclass(frozen=True, slots=True, eq=False)
class JointAcceleration(JointVector):
    """Joint accelerations q̈."""


@dataclass(frozen=True, slots=True, eq=False)
class CoordinateRate(JointVector):
    """q̇ = N(q) v, how fast each entry of q changes; `joints` are the names of the rates v."""


@dataclass(frozen=True, slots=True, eq=False)
class JointCoordinates(JointVector):
    """q of joints, of whose rates `joints` are the names: with a quaternion there is one entry more."""

    def after(self, rate: CoordinateRate, seconds: float) -> "JointCoordinates":
        """q + q̇ dt, entry by entry: a quaternion changes its length."""
        expect_alike(self, rate, ".after", CoordinateRate, "joints")
        return JointCoordinates(self.joints, self.values + rate.values * seconds)


@dataclass(frozen=True, slots=True, eq=False)
class JointBias(JointVector):
    """What a joint feels, along its free directions, of everything but its motor. No motor makes it."""

    def __sub__(self, other: "JointBias") -> "JointBias":
        expect_alike(self, other, "-", JointBias, "joints")
        return JointBias(self.joints, self.values - other.values)


@dataclass(frozen=True, slots=True, eq=False)
class JointForce(JointVector):
    """Joint force, what a motor makes along a joint: torque or force."""

    def __sub__(self, bias: JointBias) -> JointBias:
        """What is left to accelerate the joint."""
        expect_alike(self, bias, "-", JointBias, "joints")
        return JointBias(self.joints, self.values - bias.values)


@dataclass(frozen=True, slots=True, eq=False)
class JointRates(JointVector):
    """Rates of joints, whoever sees them, and what resists them."""

    def during(self, seconds: Coordinates) -> JointDisplacement:
        """What they cover in this time while they are constant."""
        return JointDisplacement(self.joints, self.values * seconds)

    def friction(self, damping: Coordinates, friction: Coordinates, smoothing: float) -> JointForce:
        """What resists: τ_f = -(d q̇ + c q̇/√(q̇² + ε²)), linear damping d and Coulomb friction c, smooth below ε."""
        return self.damper(self.resistance(damping, friction, smoothing).values)

    def damper(self, damping: Coordinates) -> JointForce:
        """-d q̇."""
        return JointForce(self.joints, -(self.values * damping))

    def resistance(self, damping: Coordinates, friction: Coordinates, smoothing: float) -> "JointDamping":
        """-τ_f/q̇ = d + c/√(q̇² + ε²), the damping that resists as much."""
        return JointDamping(self.joints, damping + friction * self._sharpness(smoothing))

    def effective_damping(self, damping: Coordinates, friction: Coordinates, smoothing: float) -> "JointDamping":
        """-∂τ_f/∂q̇ = d + c ε²/√(q̇² + ε²)³."""
        sharpness = self._sharpness(smoothing)
        steep = friction * (smoothing**2 * (sharpness * sharpness * sharpness))
        return JointDamping(self.joints, damping + steep)

    def _sharpness(self, smoothing: float) -> Coordinates:
        return 1.0 / square_root(self.values * self.values + smoothing**2)


@dataclass(frozen=True, slots=True, eq=False)
class JointVelocity(JointRates):
    """Joint velocities q̇."""

    def after(self, acceleration: JointAcceleration, seconds: float) -> "JointVelocity":
        """v + a dt, component by component: those that a turning child sees stay in its axes."""
        expect_alike(self, acceleration, ".after", JointAcceleration, "joints")
        return JointVelocity(self.joints, self.values + acceleration.values * seconds)

    def without(self, other: "JointVelocity") -> "JointVelocity":
        """How much faster joints are than they would be with other rates."""
        expect_alike(self, other, ".without", JointVelocity, "joints")
        return JointVelocity(self.joints, self.values - other.values)


@dataclass(frozen=True, slots=True, eq=False)
class RestingVelocity(JointRates):
    """Joint velocities some time later, as the child's axes see them from where they are now: these do not turn on."""

    def kicked(self, acceleration: JointAcceleration, seconds: float) -> "RestingVelocity":
        """With accelerations that were constant all that time, as the same axes see them."""
        expect_alike(self, acceleration, ".kicked", JointAcceleration, "joints")
        return RestingVelocity(self.joints, self.values + acceleration.values * seconds)

    def struck(self, jump: JointVelocity) -> "RestingVelocity":
        """After a blow, as the same axes see it."""
        expect_alike(self, jump, ".struck", JointVelocity, "joints")
        return RestingVelocity(self.joints, self.values + jump.values)

    def in_place(self) -> JointVelocity:
        """Of joints that have not moved yet: what their axes see there."""
        return JointVelocity(self.joints, self.values)


@dataclass(frozen=True, slots=True, eq=False)
class JointDamping(JointVector):
    """Damping: by how much each coordinate is resisted per unit of its own rate."""


@dataclass(frozen=True, slots=True, eq=False)
class RotorInertia(JointVector):
    """Inertia that a joint alone feels, coordinate by coordinate: the diagonal of a JointInertia."""


@dataclass(frozen=True, slots=True, eq=False)
class JointFactor(Relation):
    """The factor L of the mass matrix, Lᵀ L = M."""

    joints: Labels
    values: Coordinates = UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class JointMobility(Relation):
    """The inverse of the mass matrix, M⁻¹: how every joint accelerates under each motor's unit force."""

    joints: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"JointMobility({', '.join(self.joints)})"


@dataclass(frozen=True, slots=True, eq=False)
class JointResponse(Relation):
    """Joint responses: how free joints give way to unit accelerations of the joints or rows in `to`, (joints × to)."""

    joints: Labels
    to: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"JointResponse({', '.join(self.joints)}; {', '.join(self.to)})"
