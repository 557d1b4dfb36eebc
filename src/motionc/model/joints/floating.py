"""A free body: position and a quaternion in q; its twist, as it sees it itself, in v."""

from collections.abc import Iterator, Sequence

import numpy as np

from motionc.geometry.coordinates import Matrix, above, cross
from motionc.geometry.exponential import straightened
from motionc.geometry.factors import Factors, Rotation
from motionc.geometry.lie import Array
from motionc.model.joints import turning
from motionc.model.joints.joint_type import JointType, Part, Step, register


class Floating(JointType):
    """It moves any way, and nothing drives it."""

    rates = ("rx", "ry", "rz", "x", "y", "z")
    meaning = "angular, then linear, as seen by its child"
    reads = frozenset()
    driven = False
    roams = True

    @property
    def coordinates(self) -> tuple[str, ...]:
        return ("x", "y", "z", *turning.QUATERNION)

    @property
    def bounds(self) -> tuple[int | None, ...]:
        return (None,) * 7

    def neutral(self) -> Array:
        return np.array((0.0, 0.0, 0.0, *turning.UPRIGHT))

    def nowhere(self, q: Array) -> str:
        return turning.no_turn(q[..., 3:])

    def draw(self, rng: np.random.Generator, lower: Array, upper: Array, size: tuple[int, ...] = ()) -> Array:
        turn, place = turning.drawn(rng, size), rng.uniform(-1, 1, (*size, 3))
        return np.concatenate([place, turn], axis=-1)

    def advance(self, q: Matrix, step: Matrix) -> Matrix:
        turn, w = q[3:, :], step[:3, :]
        new = turning.turned_on(turn, w)
        return above(q[:3, :] + turning.turned(turn, straightened(w, step[3:, :])), new)

    def change(self, q: Matrix, rates: Matrix) -> Matrix:
        turned = turning.turning(q[3:, :], rates[:3, :])
        return above(turning.turned(q[3:, :], rates[3:, :]), turned)

    def difference(self, start: Matrix, end: Matrix) -> Matrix:
        w = turning.turn_between(start[3:, :], end[3:, :])
        way = turning.turned(turning.conjugate(start[3:, :]), end[:3, :] - start[:3, :])
        return above(w, turning.bent(w, way))

    def resting(self, rates: Matrix, seconds: float) -> Matrix:
        w, v = rates[:3, :], rates[3:, :]
        return above(w, v + cross(w, v) * seconds)

    def go_on(self, q: Matrix, rates: Matrix, seconds: float) -> tuple[Matrix, Matrix]:
        turn, w, v = q[3:, :], rates[:3, :], rates[3:, :]
        back = turning.conjugate(turning.exponential(w * seconds))
        place = q[:3, :] + turning.turned(turn, v * seconds)
        return above(place, turning.turned_on(turn, w * seconds)), above(w, turning.turned(back, v))

    def seen_from(self, here: Matrix, there: Matrix, rates: Matrix) -> Matrix:
        turn = turning.product(turning.conjugate(here[3:, :]), there[3:, :])
        return above(turning.turned(turn, rates[:3, :]), turning.turned(turn, rates[3:, :]))

    def normalised(self, q: Matrix) -> Matrix:
        return above(q[:3, :], turning.normalised(q[3:, :]))

    def pose(self, part: Part, q: Matrix) -> tuple[Factors, Matrix]:
        return (Rotation(turning.rotation(q[3:, :])),), q[:3, :]

    def directions(self, part: Part, q: Matrix) -> Array:
        return np.eye(6)

    def travel(self, part: Part, most: float) -> float:
        return 0.0

    def steps(self, part: Part, q: Sequence[str]) -> Iterator[Step]:
        yield from ((f"T{axis}", amount, 0.0) for axis, amount in zip("xyz", q[:3], strict=True))
        yield from turning.turns(q[3:])


FLOATING = register(Floating("floating"))
