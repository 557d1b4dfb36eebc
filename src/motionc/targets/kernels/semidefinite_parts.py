"""What the semidefinite solves are made of in C, as text: parts that both forms have, and what is the same in both."""

from typing import NamedTuple

from motionc.targets.kernels.text import FACTOR, SUBSTITUTE


class Parts(NamedTuple):
    """The text of kernels that pivot: what they start with, do for each block of rows, and end with; and what is told
    where rows have weights (`moved`) or only some of them count (`most`).
    """

    start: str
    take: str
    factor: str
    normal: str
    right: str
    answer: str
    least: str
    made_up: str
    inverse: str
    moved: str
    most: str


FACTOR_NORMAL = FACTOR.format(
    matrix="normal", lower="triangle", inverse="pivots", limit="pivots[j] = splat(1) / pivot;"
)
SOLVE_NORMAL = SUBSTITUTE.format(x="w", lower="triangle", inverse="pivots")
