"""A joint that moves in the plane normal to its axis: x, y, θ in q; angular first in v, as the child sees it."""

from collections.abc import Iterator, Sequence

import numpy as np

from motionc.geometry.coordinates import Matrix, above, arc_tangent, sin_cos
from motionc.geometry.exponential import straightened
from motionc.geometry.factors import Factors
from motionc.geometry.lie import Array, align_z
from motionc.model.joints.joint_type import NOWHERE, JointType, Part, Step, register
from motionc.model.joints.turning import bent


class Planar(JointType):
    """It slides in a plane and turns in it."""

    rates = ("rz", "x", "y")
    meaning = "angular, then linear in the plane, as seen by the child"
    roams = True

    @property
    def coordinates(self) -> tuple[str, ...]:
        return ("x", "y", "rz")

    @property
    def bounds(self) -> tuple[int | None, ...]:
        return (1, 2, 0)

    def advance(self, q: Matrix, step: Matrix) -> Matrix:
        w, still = step[:1, :], np.zeros((1, 1))
        sine, cosine = sin_cos(q[2:, :])
        gone = straightened(above(still, still, w), above(step[1:, :], still))
        x, y = gone[:1, :], gone[1:2, :]
        return q + above(cosine * x - sine * y, sine * x + cosine * y, w)

    def change(self, q: Matrix, rates: Matrix) -> Matrix:
        return above(_turned(q[2:, :], rates[1:, :]), rates[:1, :])

    def resting(self, rates: Matrix, seconds: float) -> Matrix:
        w, x, y = rates[:1, :], rates[1:2, :], rates[2:, :]
        return above(w, x - w * y * seconds, y + w * x * seconds)

    def go_on(self, q: Matrix, rates: Matrix, seconds: float) -> tuple[Matrix, Matrix]:
        w = rates[:1, :]
        return q + self.change(q, rates) * seconds, above(w, _turned(-w * seconds, rates[1:, :]))

    def difference(self, start: Matrix, end: Matrix) -> Matrix:
        sine, cosine = sin_cos(start[2:, :])
        x, y = end[:1, :] - start[:1, :], end[1:2, :] - start[1:2, :]
        turn, still = arc_tangent(*sin_cos(end[2:, :] - start[2:, :])), np.zeros((1, 1))
        way = above(cosine * x + sine * y, cosine * y - sine * x, still)
        return above(turn, bent(above(still, still, turn), way)[:2, :])

    def seen_from(self, here: Matrix, there: Matrix, rates: Matrix) -> Matrix:
        return above(rates[:1, :], _turned(there[2:, :] - here[2:, :], rates[1:, :]))

    def pose(self, part: Part, q: Matrix) -> tuple[Factors, Matrix]:
        return (part.turn(q[2:, :]),), align_z(part.axis)[:, :2] @ q[:2, :]

    def directions(self, part: Part, q: Matrix) -> Array:
        x_y = align_z(part.axis)[:, :2]
        return np.block([[part.axis.reshape(3, 1), np.zeros((3, 2))], [NOWHERE, x_y]])

    def travel(self, part: Part, most: float) -> float:
        return 2 * most

    def steps(self, part: Part, q: Sequence[str]) -> Iterator[Step]:
        yield from ((kind, amount, 0.0) for kind, amount in zip(("Tx", "Ty", "Rz"), q, strict=True))


def _turned(angle: Matrix, way: Matrix) -> Matrix:
    """A vector of the plane, turned by an angle."""
    (sine, cosine), x, y = sin_cos(angle), way[:1, :], way[1:, :]
    return above(cosine * x - sine * y, sine * x + cosine * y)


PLANAR = register(Planar("planar"))
