"""How many random states, trees or rows a test tries: a quarter of what it names, and all of it in `make test-long`.

What is tried first is the same in both, so a long run finds more of what a short one may find, and nothing else.
"""

import os
from collections.abc import Iterable
from typing import TypeVar

from motionc.program.passes import order

Case = TypeVar("Case")
LONG = os.environ.get("MOTIONC_TESTS", "") == "long"
ROUNDS = order.ROUNDS
"""How often users' programs are ordered anew."""


def trials(number: int) -> int:
    """That many, or a quarter."""
    return number if LONG else -(-number // 4)


def some(cases: Iterable[Case], number: int = 1) -> list[Case]:
    """The first so many, where a feature shows on one as on the others; all of them in `make test-long`."""
    return list(cases) if LONG else list(cases)[:number]


def as_written() -> None:
    """From now on no order of instructions is looked for in which fewer values are alive: a compiler that optimises
    nothing makes nothing of it, numbers and counts of operations are the same, and it takes a third of the time.
    """
    order.ROUNDS = 0
