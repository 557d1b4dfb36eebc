"""How heavy are joints? D of one joint, the mass matrix of all: forces to accelerations and back."""

from dataclasses import dataclass

from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    Relation,
    inverse_quadratic,
    invert_positive_definite,
    root_positive_definite,
    solve_positive_definite,
)
from motionc.geometry.joint_space import JointAcceleration, JointBias, JointFactor, JointForce, JointMobility
from motionc.geometry.labels import Labels, expect_alike, places
from motionc.geometry.row_space import Coupling, JointRows


@dataclass(frozen=True, slots=True, eq=False)
class JointInertia(Relation):
    """Inertia along joints, D = Sᵀ H S + d: what a motor feels of the articulated body beyond it and of its rotor.

    Of all joints together it is the mass matrix: what each motor feels of every joint's acceleration.
    """

    joints: Labels
    values: Coordinates = UNKNOWN

    def __str__(self) -> str:
        return f"JointInertia({', '.join(self.joints)})"

    def solve(self, bias: JointBias) -> JointAcceleration:
        """q̈ = D⁻¹ (what is left of the motor's force after everything the joint feels)."""
        expect_alike(self, bias, ".solve", JointBias, "joints")
        return JointAcceleration(self.joints, solve_positive_definite(self.values, bias.values))

    def yields(self, felt: JointRows) -> Coupling:
        """zᵀ D⁻¹ z: how far unit constraint forces move this joint, along each row."""
        expect_alike(self, felt, ".yields", JointRows, "joints")
        return Coupling(felt.rows, inverse_quadratic(self.values, felt.values))

    def times(self, rate: JointAcceleration) -> JointForce:
        """M q̈: what motors make to accelerate the joints, on top of what they make anyway."""
        expect_alike(self, rate, ".times", JointAcceleration, "joints")
        return JointForce(self.joints, self.values @ rate.values)

    def among(self, joints: Labels) -> "JointInertia":
        """What some of the joints feel of each other."""
        keep = places(self, self.joints, joints)
        return JointInertia(joints, self.values[keep, :][:, keep])

    def inverse(self) -> "JointMobility":
        """M⁻¹."""
        return JointMobility(self.joints, invert_positive_definite(self.values))

    def root(self) -> "JointFactor":
        """L, lower triangular, with Lᵀ L = M; along a tree it is empty wherever M is."""
        return JointFactor(self.joints, root_positive_definite(self.values))
