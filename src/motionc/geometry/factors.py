"""A rotation as a product of factors, each applied in the cheapest way it allows.

A joint's orientation is a constant rotation followed by a planar one; multiplying them out would cost more than
applying one after the other, and would hide the zeros of both.
"""

from dataclasses import dataclass

import numpy as np

from motionc.geometry.coordinates import Matrix, above, absorbing, assemble, cross, elements, is_symbolic


@dataclass(frozen=True, slots=True, eq=False)
class Rotation:
    """A general rotation matrix, of numbers or symbols."""

    matrix: Matrix

    def transpose(self) -> "Rotation":
        return Rotation(self.matrix.T)

    def conjugate(self, a: Matrix) -> Matrix:
        """R a Rᵀ."""
        return self.matrix @ a @ self.matrix.T

    def completed(self) -> "Rotation":
        """The same, its second row the third times the first, whatever that took: nine operations."""
        if not is_symbolic(self.matrix):
            return self
        x, _, z = (self.matrix[row : row + 1, :] for row in range(3))
        return Rotation(above(x, cross(z.T, x.T).T, z))


class GivenRotation(Rotation):
    """A rotation that is given with a call, whatever it is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class PlanarRotation:
    """A rotation about z by an angle of which sine and cosine are known."""

    sine: Matrix
    cosine: Matrix

    @property
    def matrix(self) -> Matrix:
        s, c = self.sine[0, 0], self.cosine[0, 0]
        return assemble([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def transpose(self) -> "PlanarRotation":
        return PlanarRotation(-self.sine, self.cosine)

    def conjugate(self, a: Matrix) -> Matrix:
        """R a Rᵀ with twelve operations for the upper left block instead of twenty-four.

        With e = a₀₀ - a₁₁ and p = a₀₁ + a₁₀ the block changes by ∓(s²e + sc p) on the diagonal and by
        sc e - s²p off it: the antisymmetric part and the trace do not turn.
        """
        m = elements(a)
        s, c = self.sine[0, 0], self.cosine[0, 0]
        ss, sc = s * s, s * c
        e, p = m[0][0] - m[1][1], m[0][1] + m[1][0]
        x, y = ss * e + sc * p, sc * e - ss * p
        return assemble(
            [
                [m[0][0] - x, m[0][1] + y, c * m[0][2] - s * m[1][2]],
                [m[1][0] + y, m[1][1] + x, s * m[0][2] + c * m[1][2]],
                [c * m[2][0] - s * m[2][1], s * m[2][0] + c * m[2][1], m[2][2]],
            ]
        )

    def completed(self) -> "PlanarRotation":
        return self


Factor = Rotation | PlanarRotation
Factors = tuple[Factor, ...]


@absorbing
def apply(factors: Factors, columns: Matrix) -> Matrix:
    """R x, rightmost factor first."""
    for factor in reversed(factors):
        columns = factor.matrix @ columns
    return columns


@absorbing
def conjugate(factors: Factors, a: Matrix) -> Matrix:
    """R a Rᵀ, rightmost factor first."""
    for factor in reversed(factors):
        a = factor.conjugate(a)
    return a


@absorbing
def transpose(factors: Factors) -> Factors:
    """The factors of Rᵀ."""
    return tuple(factor.transpose() for factor in reversed(factors))


@absorbing
def multiply_out(factors: Factors) -> Matrix:
    """The rotation matrix, left to right so that a parent's matrix is used as it stands."""
    if not factors:
        return np.eye(3)
    matrix = factors[0].matrix
    for factor in factors[1:]:
        matrix = matrix @ factor.matrix
    return matrix


@absorbing
def completed(factors: Factors) -> Factors:
    """The same factors, a row of the first from the others: shorter where nothing else needs that row."""
    return (factors[0].completed(), *factors[1:]) if factors else factors


@absorbing
def join(left: Factors, right: Factors) -> Factors:
    """The factors of a product: a long left side is multiplied out, and constants that meet become one."""
    if len(left) > 2:
        left = (Rotation(multiply_out(left)),)
    if left and right and _is_constant(left[-1]) and _is_constant(right[0]):
        return (*left[:-1], Rotation(left[-1].matrix @ right[0].matrix), *right[1:])
    return (*left, *right)


def _is_constant(factor: Factor) -> bool:
    return isinstance(factor, Rotation) and not is_symbolic(factor.matrix)
