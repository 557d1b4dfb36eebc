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


@dataclass(frozen=True, slots=True, eq=False)
class JointVelocity(JointVector):
    """Joint velocities q̇."""

    def during(self, seconds: Coordinates) -> JointDisplacement:
        """What they cover in this time while they are constant."""
        return JointDisplacement(self.joints, self.values * seconds)


@dataclass(frozen=True, slots=True, eq=False)
class JointAcceleration(JointVector):
    """Joint accelerations q̈."""


@dataclass(frozen=True, slots=True, eq=False)
class JointCoordinates(JointVector):
    """q of joints, of whose rates `joints` are the names: with a quaternion there is one entry more."""


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
