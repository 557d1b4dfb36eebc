"""ldlt_solve: a symmetric positive definite system, by LDLᵀ.

    x = A⁻¹ r     dx = A⁻¹ (dr - dA x)

Pivots are clamped from below, so that rows that depend on each other give large answers and no infinite ones.
"""

from collections.abc import Sequence

import numpy as np

from motionc.program.kernels.kernel import Call, Kernel, Rule, Site, Writer, register
from motionc.program.kernels.scalars import Policy, Rows, Scalar, factor, maximum, substitute


def _ldlt(matrix: Rows, right: list[Scalar], policy: Policy) -> tuple[list[Scalar], ...]:
    def clamp(pivot: Scalar, diagonal: Scalar) -> Scalar:
        return 1.0 / maximum(pivot, policy.tolerance * diagonal)

    lower, inverse = factor(matrix, clamp)
    return (substitute(lower, inverse, right),)


def _ldlt_change(site: Site, changes: list[Scalar]) -> Sequence[Scalar]:
    (A, _), (dA, dr) = site.split(site.given), site.split(changes)
    return site.writer.call(site.call, A, dr - dA @ np.array(site.found, object))


def _same_again(writer: Writer, call: Call, matrix: list[Scalar], bars: list[Scalar]) -> list[Scalar]:
    """A⁻¹ is symmetric."""
    return [*writer.call(call, matrix, bars)]


LDLT_SOLVE = register(
    Kernel(
        "ldlt_solve",
        "x = A⁻¹ r by LDLᵀ, pivots clamped from below",
        _ldlt,
        lambda m: (m,),
        Rule(_ldlt_change, transpose=_same_again),
    )
)
