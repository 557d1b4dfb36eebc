"""Products and solves along a tree, whose rows hang together as links do: what is always 0 is never touched.

    tree_pairs      P_ij = a_i · b_j where j is beyond i, P_ji = c_i · d_j where j is i, beside it or beyond it, else 0
    tree_symmetric  P_ij = P_ji = a_i · b_j where j is i or beyond it, else 0
    tree_factor     A = Lᵀ D L, the last row eliminated first; L has no entry where A has none, and none is given
    tree_solve      X with Lᵀ D L X + R = 0

They multiply, add and divide alone, so they change as their own definition does, instruction by instruction. Rows stand
in an order in which all that is beyond a row follows it.
"""

from motionc.program.kernels.kernel import Kernel, Rule, by_its_pattern, register, written_out
from motionc.program.kernels.scalars import Rows, Scalar


def _tree_pairs(left: Rows, right: list[Scalar], pattern: tuple[int, ...], _: int) -> list[Scalar]:
    """Of columns of `left`, a_i above c_i, and of `right`, b_j above d_j: P_ij = a_i · b_j for all j from the second up
    to the third number of row i in the pattern, P_ji = c_i · d_j from the first on, else 0. Its last number says how
    long a_i is.
    """
    m, cut = len(left[0]), pattern[-1]
    answer: list[Scalar] = [0.0] * (m * m)
    for i in range(m):
        first, beyond, end = pattern[3 * i : 3 * i + 3]
        column = [row[i] for row in left]
        for j in range(beyond, end):
            answer[i * m + j] = _product(column[:cut], right[j : cut * m : m])
        for j in range(first, end):
            answer[j * m + i] = _product(column[cut:], right[cut * m + j :: m])
    return answer


def _tree_symmetric(left: Rows, right: list[Scalar], pattern: tuple[int, ...], _: int) -> list[Scalar]:
    """P_ij = P_ji = a_i · b_j for all j from i up to the number of row i in the pattern, else 0."""
    m = len(left[0])
    answer: list[Scalar] = [0.0] * (m * m)
    for i in range(m):
        column = [row[i] for row in left]
        for j in range(i, pattern[i]):
            answer[i * m + j] = answer[j * m + i] = _product(column, right[j::m])
    return answer


def _product(row: list[Scalar], column: list[Scalar]) -> Scalar:
    """Their inner product."""
    total = row[0] * column[0]
    for one, other in zip(row[1:], column[1:], strict=True):
        total = total + one * other
    return total


def _tree_factor(matrix: Rows, _: list[Scalar], parent: tuple[int, ...], __: int) -> list[Scalar]:
    """L and, on its diagonal, 1/D, with A = Lᵀ D L, the last row eliminated first: L has an entry only where a row
    meets one before it on its way to the root. Those are given, row by row, from the root on. The lower half is read.
    """
    m, rest = len(matrix), [list(row) for row in matrix]
    answer: Rows = [[] for _ in range(m)]
    for k in reversed(range(m)):
        inverse = 1.0 / rest[k][k]
        for i in _way(parent, k):
            lower = rest[k][i] * inverse
            answer[k].insert(0, lower)
            for j in (i, *_way(parent, i)):
                rest[i][j] = rest[i][j] - lower * rest[k][j]
        answer[k].append(inverse)
    return [value for row in answer for value in row]


def _tree_solve(factor: Rows, right: list[Scalar], parent: tuple[int, ...], columns: int) -> list[Scalar]:
    """X with Lᵀ D L X + R = 0, from what tree_factor gives; R and X row by row."""
    m, entries = len(parent), iter(factor[0])
    x = [right[k * columns : (k + 1) * columns] for k in range(m)]
    # L, by row and column
    lower: dict[tuple[int, int], Scalar] = {}
    for k in range(m):
        for i in (*reversed(_way(parent, k)), k):
            lower[k, i] = next(entries)
    for k in reversed(range(m)):
        for i in _way(parent, k):
            x[i] = [_taken_off(own, lower[k, i], other) for own, other in zip(x[i], x[k], strict=True)]
    for k in range(m):
        inverse = 0.0 - lower[k, k]
        x[k] = [own * inverse for own in x[k]]
        for i in _way(parent, k):
            x[k] = [own - lower[k, i] * other for own, other in zip(x[k], x[i], strict=True)]
    return [value for row in x for value in row]


def _taken_off(own: Scalar, factor: Scalar, other: Scalar) -> Scalar:
    """own - factor · other, where that is more than nothing."""
    return own if other.__class__ is float and other == 0.0 else own - factor * other


def _way(parent: tuple[int, ...], k: int) -> list[int]:
    """The rows before row k on its way to the root. It stands here too, for definitions are emitted as they are."""
    way: list[int] = []
    while parent[k] >= 0:
        k = parent[k]
        way.append(k)
    return way


TREE_PAIRS = register(
    Kernel(
        "tree_pairs",
        "Aᵀ B where a column of A meets one of B that is beyond it, Dᵀ C where it is the other way round, else 0",
        by_its_pattern,
        lambda m: (m * m,),
        Rule(written_out),
        along=_tree_pairs,
        square=False,
        across=True,
    )
)
TREE_SYMMETRIC = register(
    Kernel(
        "tree_symmetric",
        "Aᵀ B where a column of A meets one of B that is beyond it, and its mirror image, else 0",
        by_its_pattern,
        lambda m: (m * m,),
        Rule(written_out),
        along=_tree_symmetric,
        square=False,
        across=True,
    )
)
TREE_FACTOR = register(
    Kernel(
        "tree_factor",
        "L and, on its diagonal, 1/D with A = Lᵀ D L along a tree",
        by_its_pattern,
        lambda m: (m * m,),
        Rule(written_out),
        right=0,
        along=_tree_factor,
        gives_ways=True,
    )
)
TREE_SOLVE = register(
    Kernel(
        "tree_solve",
        "X with Lᵀ D L X + R = 0 along a tree, 1/D on the diagonal of L",
        by_its_pattern,
        lambda m: (m,),
        Rule(written_out),
        along=_tree_solve,
        takes_ways=True,
        sparse=True,
    )
)

TREE = frozenset(kernel.name for kernel in (TREE_PAIRS, TREE_SYMMETRIC, TREE_FACTOR, TREE_SOLVE))
"""Those above."""
