"""What is missing between two poses of one frame: how far to go, and about which axis to turn how much.

The turn is the logarithm of a rotation, read off its quaternion so that nothing is lost at any angle up to π.
"""

from dataclasses import dataclass, replace

from motionc.geometry.coordinates import (
    Matrix,
    absorbing,
    arc_tangent,
    assemble,
    at_least,
    cross,
    elements,
    select,
    sin_cos,
    square_root,
    zeros,
)
from motionc.geometry.entities import Body
from motionc.geometry.force import Wrench
from motionc.geometry.meaning import refuse
from motionc.geometry.motion import OWN, Twist
from motionc.geometry.pose import Pose
from motionc.geometry.row_error import RowError
from motionc.geometry.screw import MEANING, Motion
from motionc.geometry.wrench_basis import WrenchBasis, paired

SMALL = 1e-8
"""Squares of angles below which the first terms of a series are exact."""


@dataclass(frozen=True, slots=True, eq=False)
class Displacement(Motion):
    """Displacement (φ; Δ) of a frame to where it should be: Δ between the origins, the turn by |φ| ≤ π about φ."""

    @staticmethod
    def between(now: Pose, goal: Pose) -> "Displacement":
        """From one pose to the other; both must be of the same frame with respect to the same frame."""
        for name, ours, theirs in (("of", now.of, goal.of), ("wrt", now.wrt, goal.wrt)):
            if ours != theirs:
                refuse(
                    f"Displacement.between({now}, {goal})",
                    f"{name} differ: {ours} != {theirs}",
                    remedy="compose one of them, so that both say where one frame is with respect to another",
                )
        turn = rotation_vector(goal.orientation.matrix @ now.orientation.matrix.T)
        shift = goal.position.xyz - now.position.xyz
        return Displacement(now.of.body, now.wrt.body, now.of.origin, now.wrt, turn, shift)

    def along(self, rows: WrenchBasis) -> RowError:
        """Aᵀ (φ; Δ): what is missing along each row, metres along those that shift, radians along those that turn."""
        self.expect(rows, ".along", WrenchBasis, OWN)
        if rows.kind is not Wrench:
            refuse(
                f"{self}.along({rows})",
                f"columns are {rows.kind.__name__}",
                remedy="take the rows where the constrained body is, before they are articulated()",
            )
        return RowError(rows, self.wrt, paired(rows, self))

    def in_unit_time(self) -> Twist:
        """The twist that would cover it: the origin going straight, the body turning about one axis."""
        return Twist(self.of, self.wrt, self.point, self.as_seen_by, self.angular, self.linear)

    def covered(self, rows: WrenchBasis) -> WrenchBasis:
        """How fast it shrinks along rows in axes that rest, for each motion of the body.

        The angle of a turn by φ changes with ω as (1 - φ×/2 + c φ×φ×) says, along each row; positions go straight.
        """
        self.expect(rows, ".covered", WrenchBasis, MEANING)
        across = cross(self.angular, rows.angular)
        turned = rows.angular - 0.5 * across + _curvature(self.angular) * cross(self.angular, across)
        return replace(rows, angular=turned)

    def swept(self, rows: WrenchBasis, axes: Body) -> WrenchBasis:
        """How fast it shrinks along rows for each motion of the body their axes are fixed to: (φ × n + Δ × f; 0)."""
        self.expect(rows, ".swept", WrenchBasis, MEANING)
        moment = cross(self.angular, rows.angular) + cross(self.linear, rows.linear)
        return replace(rows, of=axes, angular=moment, linear=zeros(3, len(rows.rows)))


@absorbing
def rotation_vector(R: Matrix) -> Matrix:
    """φ with exp(φ×) = R, |φ| ≤ π; at π one of the two.

    The four columns below are 4w, 4x, 4y and 4z times the quaternion; the longest loses nothing to cancellation.
    """
    (a, b, c), (d, e, f), (g, h, i) = elements(R)
    columns = (
        [1 + a + e + i, h - f, c - g, d - b],
        [h - f, 1 + a - e - i, b + d, c + g],
        [c - g, b + d, 1 - a + e - i, f + h],
        [d - b, c + g, f + h, 1 - a - e + i],
    )
    best = columns[0]
    largest = best[0]
    for k in (1, 2, 3):
        longer = columns[k][k] > largest
        best = [select(longer, theirs, ours) for ours, theirs in zip(best, columns[k], strict=True)]
        largest = select(longer, columns[k][k], largest)
    w, *v = best
    length = square_root(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    angle = 2 * arc_tangent(length, at_least(w, -w))
    scale = select(w < 0, -angle, angle) / select(length > 0, length, 1.0)
    return assemble([[x * scale] for x in v])


def _curvature(phi: Matrix) -> Matrix:
    """c = (1 - θ/2 cot θ/2) / θ², 1/12 at 0."""
    square = phi.T @ phi
    small = square < SMALL
    theta = square_root(select(small, 1.0, square))
    sine, cosine = sin_cos(theta / 2)
    return select(small, 1 / 12, (1 - theta / 2 * cosine / sine) / (theta * theta))
