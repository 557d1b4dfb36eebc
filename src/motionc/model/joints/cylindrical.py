"""A cylindrical joint: a turn about an axis and a slide along it, in a row with nothing between them."""

from motionc.model.joints.joint_type import JointType, Part, Written, register, unit
from motionc.model.joints.prismatic import PRISMATIC
from motionc.model.joints.revolute import CONTINUOUS


class Cylindrical(JointType):
    """It turns about its axis and slides along it, one without the other."""

    rates = ("angle", "slide")
    meaning = "rates of angle and slide"

    def parts(self, joint: Written) -> tuple[Part, ...]:
        axis, (angle, slide) = unit(joint.axis), self.rates
        return Part(CONTINUOUS, axis, label=angle), Part(PRISMATIC, axis, coordinate=1, label=slide)


CYLINDRICAL = register(Cylindrical("cylindrical"))
