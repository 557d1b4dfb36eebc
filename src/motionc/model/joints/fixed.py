"""A fixed joint: two frames that are one."""

import numpy as np

from motionc.geometry.coordinates import Matrix
from motionc.geometry.factors import Factors
from motionc.geometry.lie import Array
from motionc.model.joints.joint_type import NOWHERE, JointType, Part, register


class Fixed(JointType):
    """It does not move."""

    rates = ()
    reads = frozenset(("limits",))

    def pose(self, part: Part, q: Matrix) -> tuple[Factors, Matrix]:
        return (), NOWHERE

    def directions(self, part: Part, q: Matrix) -> Array:
        return np.zeros((6, 0))

    def travel(self, part: Part, most: float) -> float:
        return 0.0

    def steps(self, part: Part, q: object):
        return iter(())


FIXED = register(Fixed("fixed"))
