"""How a joint moves: its pose as a function of q, and the directions S it leaves free, constant in its target frame.

A universal or cylindrical joint is two joints of one coordinate with nothing between them: that is exact, keeps S
constant, and each turns about or slides along +z once it is normalised.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from motionc.geometry import Body, Frame, MotionBasis, Pose
from motionc.geometry.coordinates import Coordinates, Matrix, sin_cos, skew
from motionc.geometry.factors import Factors, PlanarRotation, Rotation
from motionc.geometry.lie import align_z
from motionc.model.chain import RATES, SINGLE, TURNING_FREELY, Array, Joint, JointType

Z = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A joint, or one of the two it is made of: which of the joint's coordinates it owns, and what they are called."""

    type: JointType
    axis: Array
    pitch: float = 0.0
    coordinate: int = 0
    label: str = ""

    @property
    def rates(self) -> tuple[str, ...]:
        """A name for each velocity coordinate, empty for a joint that has only one."""
        return (self.label,) if self.type in SINGLE else RATES[self.type]

    @property
    def directions(self) -> Array:
        """S in the target frame, (6, nv)."""
        turns, axis = np.zeros((3, 1)), self.axis.reshape(3, 1)
        if self.type in TURNING_FREELY:
            return np.eye(6)[:, : len(self.rates)]
        if self.type is JointType.FIXED:
            return np.zeros((6, 0))
        if self.type is JointType.PLANAR:
            x_y = align_z(self.axis)[:, :2]
            return np.block([[axis, np.zeros((3, 2))], [turns, x_y]])
        if self.type is JointType.PRISMATIC:
            return np.vstack([turns, axis])
        return np.vstack([axis, self.pitch * axis])

    def pose(self, q: Matrix) -> tuple[Factors, Matrix]:
        """Rotation and translation from the target frame to the reference frame."""
        nowhere = np.zeros((3, 1))
        if self.type is JointType.FIXED:
            return (), nowhere
        if self.type is JointType.FLOATING:
            return (Rotation(_quaternion_matrix(q[3:, :])),), q[:3, :]
        if self.type is JointType.SPHERICAL:
            return (Rotation(_quaternion_matrix(q)),), nowhere
        if self.type is JointType.PRISMATIC:
            return (), self.axis.reshape(3, 1) @ q
        if self.type is JointType.PLANAR:
            return (self._turn(q[2:, :]),), align_z(self.axis)[:, :2] @ q[:2, :]
        return (self._turn(q),), self.pitch * self.axis.reshape(3, 1) @ q if self.pitch else nowhere

    def _turn(self, angle: Matrix) -> PlanarRotation | Rotation:
        sine, cosine = sin_cos(angle)
        if tuple(self.axis) == Z:
            return PlanarRotation(sine, cosine)
        k = skew(self.axis.reshape(3, 1))
        return Rotation(np.eye(3) + k * sine + (k @ k) * (1 - cosine))


def parts(joint: Joint) -> tuple[Part, ...]:
    """What a joint is made of, from the reference to the target frame."""
    axis, turn = unit(joint.axis), JointType.CONTINUOUS
    labels = RATES[joint.type]
    if joint.type is JointType.UNIVERSAL:
        second = align_z(axis)[:, 1] if joint.second_axis is None else unit(joint.second_axis)
        return Part(turn, axis, label=labels[0]), Part(turn, second, coordinate=1, label=labels[1])
    if joint.type is JointType.CYLINDRICAL:
        slide = Part(JointType.PRISMATIC, axis, coordinate=1, label=labels[1])
        return Part(turn, axis, label=labels[0]), slide
    return (Part(joint.type, axis, joint.pitch if joint.type is JointType.HELICAL else 0.0),)


@dataclass(frozen=True, slots=True, eq=False)
class MovingJoint:
    """What moves a body against its parent, and where its coordinates are in q and v.

    A follower reads its leader's: q = gain · q[leader] + offset. `target` coincides with `reference` at q = 0.
    """

    name: str
    part: Part
    reference: Pose
    target: Frame
    q: slice
    v: slice
    gain: float = 1.0
    offset: float = 0.0
    rotor: Matrix = 0.0
    follows: bool = False

    @property
    def type(self) -> JointType:
        return self.part.type

    @property
    def axis(self) -> Array:
        return self.part.axis

    @property
    def labels(self) -> tuple[str, ...]:
        """One name for each velocity coordinate."""
        return tuple(f"{self.name}.{rate}" if rate else self.name for rate in self.part.rates)

    def relative_pose(self, q: Coordinates) -> Pose:
        """Pose of the target frame wrt the reference frame."""
        return Pose.between(self.target, self.reference.of, *self.part.pose(q))

    def basis(self, of: Body, wrt: Body) -> MotionBasis:
        """The motion subspace S, written in the target frame."""
        S = self.part.directions
        return MotionBasis(of, wrt, self.target.origin, self.target, S[:3], S[3:], joints=self.labels)


def unit(axis: Iterable[float]) -> Array:
    """The direction of an axis; a zero stays one, rule Jt3 says so."""
    vector = np.asarray(tuple(axis), float)
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector


def _quaternion_matrix(q: Matrix) -> Matrix:
    """Rotation of a quaternion (w, x, y, z) of any length: 1 + 2/|q|² (w [u]× + [u]×²)."""
    w, u = q[:1, :], q[1:, :]
    k = skew(u)
    return np.eye(3) + (k * w + k @ k) * (2 / (q.T @ q))
