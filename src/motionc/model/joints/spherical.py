"""A ball: it turns any way, with a quaternion in q and its angular velocity, as the child sees it, in v."""

from collections.abc import Iterator, Sequence

import numpy as np

from motionc.geometry.coordinates import Matrix
from motionc.geometry.factors import Factors, Rotation
from motionc.geometry.lie import Array
from motionc.model.joints import turning
from motionc.model.joints.joint_type import NOWHERE, JointType, Part, Step, register


class Spherical(JointType):
    """It turns about a point."""

    rates = ("rx", "ry", "rz")
    meaning = "angular, as seen by the child"
    reads = frozenset()

    @property
    def coordinates(self) -> tuple[str, ...]:
        return turning.QUATERNION

    @property
    def bounds(self) -> tuple[int | None, ...]:
        return (None,) * 4

    def neutral(self) -> Array:
        return np.array(turning.UPRIGHT)

    def nowhere(self, q: Array) -> str:
        return turning.no_turn(q)

    def draw(self, rng: np.random.Generator, lower: Array, upper: Array, size: tuple[int, ...] = ()) -> Array:
        return turning.drawn(rng, size)

    def advance(self, q: Matrix, step: Matrix) -> Matrix:
        return turning.turned_on(q, step)

    def change(self, q: Matrix, rates: Matrix) -> Matrix:
        return turning.turning(q, rates)

    def difference(self, start: Matrix, end: Matrix) -> Matrix:
        return turning.turn_between(start, end)

    def seen_from(self, here: Matrix, there: Matrix, rates: Matrix) -> Matrix:
        return turning.turned(turning.product(turning.conjugate(here), there), rates)

    def normalised(self, q: Matrix) -> Matrix:
        return turning.normalised(q)

    def pose(self, part: Part, q: Matrix) -> tuple[Factors, Matrix]:
        return (Rotation(turning.rotation(q)),), NOWHERE

    def directions(self, part: Part, q: Matrix) -> Array:
        return np.eye(6)[:, :3]

    def travel(self, part: Part, most: float) -> float:
        return 0.0

    def steps(self, part: Part, q: Sequence[str]) -> Iterator[Step]:
        yield from turning.turns(q)


SPHERICAL = register(Spherical("spherical"))
