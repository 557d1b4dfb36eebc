"""In which order are rows of a symmetric matrix eliminated, so that few entries are filled that were empty?

Along a tree, each row only meets those on its way to the root, and the last first fills none. Where joints follow
others branches meet, and how many entries are filled depends on the order: least degree first (Tinney and Walker 1967),
of equals the one that waits for fewest, so that what an inverse fills is little, too.
"""

from collections.abc import Sequence

Meetings = list[set[int]]
"""Which other rows each row meets."""


def elimination_order(filled: Sequence[Sequence[bool]], *, inverse: bool = False) -> list[int] | None:
    """Where rows are to stand, if the last is eliminated first; None where they are best left as they are."""
    size = len(filled)
    met = [{j for j in range(size) if j != i and (filled[i][j] or filled[j][i])} for i in range(size)]
    found = _by_degree(met)
    cost = _cost_of_inverse if inverse else _cost_of_factor
    return found if cost(met, found) < cost(met, list(range(size))) else None


def _by_degree(met: Meetings) -> list[int]:
    """Of the rows that are left, one that meets fewest is eliminated next; of these, one that waits for fewest."""
    rest, order = [set(each) for each in met], list[int]()
    left, waits = set(range(len(met))), [0] * len(met)
    while left:
        k = min(left, key=lambda row: (len(rest[row]), waits[row], -row))
        for j in rest[k]:
            waits[j] = max(waits[j], waits[k] + 1)
        _eliminate(rest, k)
        left.remove(k)
        order.append(k)
    return order[::-1]


def _eliminate(rest: Meetings, k: int) -> None:
    """All that met it meet each other."""
    for i in rest[k]:
        rest[i] |= rest[k]
        rest[i] -= {i, k}


def _columns(met: Meetings, order: list[int]) -> dict[int, set[int]]:
    """Of each row, those it meets that are eliminated after it: the entries of L."""
    rest, columns = [set(each) for each in met], dict[int, set[int]]()
    for k in reversed(order):
        columns[k] = set(rest[k])
        _eliminate(rest, k)
    return columns


def _cost_of_factor(met: Meetings, order: list[int]) -> int:
    """Multiplications of L and D."""
    return sum(_work(len(each)) for each in _columns(met, order).values())


def _cost_of_inverse(met: Meetings, order: list[int]) -> int:
    """The same with those of N = L⁻¹, which each row has with all it waits for, and of N D⁻¹ Nᵀ."""
    columns, place = _columns(met, order), {k: at for at, k in enumerate(order)}
    before: dict[int, set[int]] = {}
    for k in order:
        last = max(columns[k], key=lambda j: place[j], default=None)
        before[k] = {k} if last is None else {k} | before[last]
    squares = sum(len(each) * len(each) // 2 for each in before.values())
    products = sum(len(before[a] & before[b]) for at, a in enumerate(order) for b in order[: at + 1])
    return sum(_work(len(each)) for each in columns.values()) + squares + products


def _work(degree: int) -> int:
    return degree + degree * (degree + 1) // 2
