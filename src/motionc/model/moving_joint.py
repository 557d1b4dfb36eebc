"""How a joint moves a body against its parent: its pose as a function of q, and the directions S it leaves free.

S is written in the joint's target frame. Of most types it is constant there; of the others it changes with q, and a
joint at constant rates accelerates by that too.
"""

from dataclasses import dataclass
from functools import lru_cache

from motionc.geometry import Body, Frame, MotionBasis, MotionBasisRate, Pose
from motionc.geometry.coordinates import UNKNOWN, Coordinates, Matrix
from motionc.model.chain import Array
from motionc.model.joints import JointType, Part


@lru_cache(4096)
def _labels(joint: str, rates: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{joint}.{rate}" if rate else joint for rate in rates)


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
    damping: Matrix = 0.0
    friction: Matrix = 0.0
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
        return _labels(self.name, self.part.rates)

    def relative_pose(self, q: Coordinates) -> Pose:
        """Pose of the target frame wrt the reference frame."""
        return Pose.between(self.target, self.reference.of, *self.type.pose(self.part, q))

    def basis(self, of: Body, wrt: Body, q: Coordinates = UNKNOWN) -> MotionBasis:
        """The motion subspace S, written in the target frame; q matters where the type says that S is not constant."""
        S = self.type.directions(self.part, q)
        return MotionBasis(of, wrt, self.target.origin, self.target, S[:3, :], S[3:, :], joints=self.labels)

    def basis_rate(self, of: Body, wrt: Body, q: Coordinates, v: Coordinates) -> MotionBasisRate:
        """How S changes in the target frame at these rates, where it is not constant."""
        S = self.type.directions_rate(self.part, q, v)
        return MotionBasisRate(of, wrt, self.target.origin, self.target, S[:3, :], S[3:, :], joints=self.labels)
