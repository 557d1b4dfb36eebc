"""How do rows of a tree hang together? Ways, chains and ends, from the row before each on its way to the root."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from motionc.program.kernels import Call


def way(parents: Sequence[int], k: int) -> list[int]:
    """The rows before row k, from the root on.

    >>> way((-1, 0, 1, 0), 2)
    [0, 1]
    """
    rows = list[int]()
    while parents[k] >= 0:
        k = parents[k]
        rows.insert(0, k)
    return rows


def starts(parents: Sequence[int]) -> list[int]:
    """Where what a row has on its way, and on its diagonal, starts, where all rows have that alone.

    >>> starts((-1, 0, 1, 0))
    [0, 1, 3, 6]
    """
    return list(accumulate((len(way(parents, k)) + 1 for k in range(len(parents) - 1)), initial=0))


def stretches(rows: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Where some rows are one after the other: from which up to which, and at which place of all that is.

    >>> list(stretches([0, 1, 5, 6, 7]))
    [(0, 2, 0), (5, 8, 2)]
    """
    start = 0
    for k in range(1, len(rows) + 1):
        if k == len(rows) or rows[k] != rows[k - 1] + 1:
            yield rows[start], rows[k - 1] + 1, start
            start = k


def chains(parents: Sequence[int]) -> list[range]:
    """Rows one after the other, each hanging on the one before it, up to where several hang on one.

    >>> chains((-1, 0, 1, 0))
    [range(0, 1), range(1, 3), range(3, 4)]
    """
    starts = [k for k in range(1, len(parents)) if parents[k] != k - 1 or list(parents).count(k - 1) > 1]
    return [range(start, end) for start, end in zip([0, *starts], [*starts, len(parents)], strict=True)]


def beyond(parents: Sequence[int]) -> list[list[int]]:
    """Of each row, those beyond it; rows of another branch may stand between them.

    >>> beyond((-1, 0, 1, 0, 1))
    [[1, 2, 3, 4], [2, 4], [], [], []]
    """
    ways = [way(parents, k) for k in range(len(parents))]
    return [[k for k, before in enumerate(ways) if i in before] for i in range(len(parents))]


def inward(parents: Sequence[int]) -> list[int]:
    """All rows, each behind those beyond it; those of different branches, which do not wait for each other, in turns.

    >>> inward((-1, 0, 1, 0, 3))
    [4, 2, 3, 1, 0]
    """
    height = [0] * len(parents)
    for k in reversed(range(len(parents))):
        if parents[k] >= 0:
            height[parents[k]] = max(height[parents[k]], height[k] + 1)
    return sorted(range(len(parents)), key=lambda k: (height[k], -k))


def filled(call: Call) -> list[list[bool]]:
    """Of each row of a solve, in which columns it is not empty when it has taken up all that is beyond it."""
    columns = range(call.columns)
    full = [[not call.empty >> k * call.columns + c & 1 for c in columns] for k in range(call.size)]
    for k in reversed(range(call.size)):
        if (before := call.pattern[k]) >= 0:
            full[before] = [own or other for own, other in zip(full[before], full[k], strict=True)]
    return full


def next_set(flags: Sequence[bool]) -> list[int]:
    """From each place on, and behind the last, the next whose flag is set; behind the last where there is none.

    >>> next_set([False, True, False])
    [1, 1, 3, 3]
    """
    places = [len(flags)]
    for k in reversed(range(len(flags))):
        places.insert(0, k if flags[k] else places[0])
    return places


def listed(numbers: Iterable[int]) -> str:
    """Numbers with commas."""
    return ", ".join(map(str, numbers))


def text(lines: Iterable[str]) -> str:
    """Lines of the body of a function."""
    return "".join(f"    {line}\n" for line in lines)
