"""A universal joint: two turns in a row with nothing between them, which is exact and keeps S constant."""

from motionc.geometry.lie import align_z
from motionc.model.joints.joint_type import JointType, Part, Written, register, unit
from motionc.model.joints.revolute import CONTINUOUS


class Universal(JointType):
    """It turns about its axis, fixed in the reference frame, then about the second, fixed in the target frame."""

    rates = ("first", "second")
    meaning = "rates of both angles"
    reads = frozenset(("axis", "limits", "second_axis"))

    def parts(self, joint: Written) -> tuple[Part, ...]:
        axis, (first, second) = unit(joint.axis), self.rates
        other = align_z(axis)[:, 1] if joint.second_axis is None else unit(joint.second_axis)
        return Part(CONTINUOUS, axis, label=first), Part(CONTINUOUS, other, coordinate=1, label=second)


UNIVERSAL = register(Universal("universal"))
