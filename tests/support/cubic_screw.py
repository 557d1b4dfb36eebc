"""A joint type that nobody in the house knows, in this one file: a screw whose pitch depends on its angle."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from motionc.geometry.coordinates import Matrix, above
from motionc.geometry.factors import Factors
from motionc.model.joints import JointType, Part, Step, joint_type, register

CUBIC = 0.07


class CubicScrew(JointType):
    """It turns by q and slides by x = pitch q + c q³."""

    reads = frozenset(("axis", "limits", "pitch"))
    constant = False

    def pose(self, part: Part, q: Matrix) -> tuple[Factors, Matrix]:
        return (part.turn(q),), part.axis.reshape(3, 1) @ (q * part.pitch + q * q * q * CUBIC)

    def directions(self, part: Part, q: Matrix) -> Matrix:
        axis = part.axis.reshape(3, 1)
        return above(axis, axis @ (part.pitch + q * q * (3 * CUBIC)))

    def directions_rate(self, part: Part, q: Matrix, rates: Matrix) -> Matrix:
        return above(np.zeros((3, 1)), part.axis.reshape(3, 1) @ (q * rates * (6 * CUBIC)))

    def steps(self, part: Part, q: Sequence[str]) -> Iterator[Step]:
        (angle,) = q
        yield "Tz", f"{part.pitch!r}*({angle}) + {CUBIC!r}*({angle})^3", f"{part.pitch!r} + {3 * CUBIC!r}*({angle})^2"
        yield "Rz", angle, 1.0


@contextmanager
def known() -> Generator[JointType]:
    """While it is registered."""
    yield register(CubicScrew("cubic_screw"))
    joint_type._types.pop("cubic_screw")
    del JointType.CUBIC_SCREW
