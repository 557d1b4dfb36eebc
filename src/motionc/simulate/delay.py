"""What arrives some cycles late: a delay line as state, newest entries first."""

from collections.abc import Sequence
from typing import Any


def arriving(now: Sequence[Any], before: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """What arrives, and what is on its way then; `before` is what was, as many of `now` as there are cycles of delay.

    >>> arriving([3, 4], [1, 2, -1, -2])
    ([-1, -2], [3, 4, 1, 2])
    """
    line = [*now, *before]
    return line[len(before) :], line[: len(before)]


def begun_or(begun: Any, before: Sequence[Any], first: Sequence[Any]) -> list[Any]:
    """A line as it is, or full of something else where nothing has begun yet; that is as often in it as fits."""
    return [begun.select(entry, first[k % len(first)]) for k, entry in enumerate(before)]
