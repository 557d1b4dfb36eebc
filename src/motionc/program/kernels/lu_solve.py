"""lu_solve: a square system that need not be symmetric, for several right sides, by LU with partial pivoting.

    X = A⁻¹ R     dX = A⁻¹ (dR - dA X)     and back, through A⁻ᵀ

The largest entry of what is left of a column becomes its pivot: rows change places by `select`, one after the other, so
that the steps do not depend on the numbers. Where nothing is left of a column, its unknown is 0, and its row left out:
the answer is finite, and `rank`, which counts pivots, says that it need not be a solution. Rows that depend on each
other up to rounding have pivots, and large answers; what judges rank is `truncated_solve`.
"""

from collections.abc import Sequence

import numpy as np

from motionc.errors import Error
from motionc.program.kernels.kernel import Call, Kernel, Rule, Site, Writer, register
from motionc.program.kernels.scalars import Policy, Rows, Scalar, absolute, greater, select

MOST = 64
"""Rows up to which it is a kernel."""
NOT_ZERO = 1e-300
"""What a pivot must be more than, however small its column was."""
USUAL = 1e-30
"""And this share of the largest entry that its column had."""


def _lu(matrix: Rows, right: list[Scalar], policy: Policy) -> tuple[list[Scalar], ...]:
    m, columns = len(matrix), len(right) // len(matrix)
    rows = [[*matrix[i], *right[i * columns : (i + 1) * columns]] for i in range(m)]
    bounds: list[Scalar] = []
    for j in range(m):
        largest: Scalar = NOT_ZERO / policy.tolerance
        for i in range(m):
            size = absolute(matrix[i][j])
            largest = select(greater(size, largest), size, largest)
        bounds.append(policy.tolerance * largest)

    # to an upper triangle, the largest entry of each column first
    inverse: list[Scalar] = []
    rank: Scalar = 0.0
    for j in range(m):
        for i in range(j + 1, m):
            better = greater(absolute(rows[i][j]), absolute(rows[j][j]))
            for c in range(j, m + columns):
                one, other = rows[j][c], rows[i][c]
                rows[j][c], rows[i][c] = select(better, other, one), select(better, one, other)
        gone = greater(bounds[j], absolute(rows[j][j]))
        counts = select(gone, 0.0, 1.0)
        inverse.append(counts / select(gone, 1.0, rows[j][j]))
        rank = rank + counts
        for i in range(j + 1, m):
            share = rows[i][j] * inverse[j]
            for c in range(j + 1, m + columns):
                rows[i][c] = rows[i][c] - share * rows[j][c]

    # and back
    for j in reversed(range(m)):
        for c in range(m, m + columns):
            value = rows[j][c]
            for k in range(j + 1, m):
                value = value - rows[j][k] * rows[k][c]
            rows[j][c] = value * inverse[j]
    return [value for row in rows for value in row[m:]], [rank]


def _lu_change(site: Site, changes: list[Scalar]) -> Sequence[Scalar]:
    m, columns = site.call.size, site.call.columns
    dA, dR = (np.array(part, object) for part in (changes[: m * m], changes[m * m :]))
    X = np.array(site.found[:-1], object).reshape(m, columns)
    moved = dR.reshape(m, columns) - dA.reshape(m, m) @ X
    return [*site.writer.call(site.call, site.given[: m * m], moved)[:-1], 0.0]


def _through_the_transpose(writer: Writer, call: Call, matrix: list[Scalar], bars: list[Scalar]) -> list[Scalar]:
    """The same solve with Aᵀ."""
    transposed = np.array(matrix, object).reshape(call.size, call.size).T
    return [*writer.call(call, transposed, bars[:-1])[:-1]]


LU_SOLVE = register(
    Kernel(
        "lu_solve",
        "X = A⁻¹ R by LU with partial pivoting, and how many pivots are not 0",
        _lu,
        lambda m: (m, 1),
        Rule(_lu_change, transpose=_through_the_transpose),
        usual=USUAL,
    )
)


def lu_solve(m: int, columns: int = 1) -> Call:
    """Its call for m rows and so many right sides, R and X row by row."""
    if not 1 <= m <= MOST or columns < 1:
        raise Error(f"lu_solve of {m} rows and {columns} right sides: it takes 1 to {MOST} rows and at least one side")
    return LU_SOLVE.on_tree((), columns).call(m)
