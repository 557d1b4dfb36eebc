"""A screw: it turns about an axis and slides along it, `pitch` metres in one radian."""

from collections.abc import Iterator, Sequence

import numpy as np

from motionc.geometry.coordinates import Matrix
from motionc.geometry.factors import Factors
from motionc.geometry.lie import Array
from motionc.model.joints.joint_type import NOWHERE, JointType, Part, Step, register


class Helical(JointType):
    """It turns, and slides as it turns."""

    coaxial = True
    reads = frozenset(("axis", "limits", "pitch"))

    def pose(self, part: Part, q: Matrix) -> tuple[Factors, Matrix]:
        return (part.turn(q),), part.pitch * part.axis.reshape(3, 1) @ q if part.pitch else NOWHERE

    def directions(self, part: Part, q: Matrix) -> Array:
        axis = part.axis.reshape(3, 1)
        return np.vstack([axis, part.pitch * axis])

    def travel(self, part: Part, most: float) -> float:
        return abs(part.pitch) * most

    def steps(self, part: Part, q: Sequence[str]) -> Iterator[Step]:
        if part.pitch:
            yield "Tz", f"{part.pitch!r}*({q[0]})", part.pitch
        yield "Rz", q[0], 1.0


HELICAL = register(Helical("helical"))
