"""A joint that slides along an axis."""

from collections.abc import Iterator, Sequence

import numpy as np

from motionc.geometry.coordinates import Matrix
from motionc.geometry.factors import Factors
from motionc.geometry.lie import Array
from motionc.model.joints.joint_type import NOWHERE, JointType, Part, Step, register


class Prismatic(JointType):
    """It slides along its axis."""

    coaxial = True
    rates = ("slide",)

    def pose(self, part: Part, q: Matrix) -> tuple[Factors, Matrix]:
        return (), part.axis.reshape(3, 1) @ q

    def directions(self, part: Part, q: Matrix) -> Array:
        return np.vstack([NOWHERE, part.axis.reshape(3, 1)])

    def travel(self, part: Part, most: float) -> float:
        return most

    def steps(self, part: Part, q: Sequence[str]) -> Iterator[Step]:
        yield "Tz", q[0], 1.0


PRISMATIC = register(Prismatic("prismatic"))
