"""Joints that turn about an axis: between limits (revolute), or on and on (continuous)."""

from collections.abc import Iterator, Sequence

import numpy as np

from motionc.geometry.coordinates import Matrix
from motionc.geometry.factors import Factors
from motionc.geometry.lie import Array
from motionc.model.joints.joint_type import NOWHERE, JointType, Part, Step, register


class Revolute(JointType):
    """It turns about its axis."""

    coaxial = True

    def pose(self, part: Part, q: Matrix) -> tuple[Factors, Matrix]:
        return (part.turn(q),), NOWHERE

    def directions(self, part: Part, q: Matrix) -> Array:
        return np.vstack([part.axis.reshape(3, 1), NOWHERE])

    def travel(self, part: Part, most: float) -> float:
        return 0.0

    def steps(self, part: Part, q: Sequence[str]) -> Iterator[Step]:
        yield "Rz", q[0], 1.0


REVOLUTE, CONTINUOUS = register(Revolute("revolute")), register(Revolute("continuous"))
