"""How many random states, trees or rows a test tries: a quarter of what it names, and all of it in `make test-long`.

What is tried first is the same in both, so a long run finds more of what a short one may find, and nothing else.
"""

import os
from collections.abc import Iterable
from typing import TypeVar

Case = TypeVar("Case")
LONG = os.environ.get("MOTIONC_TESTS", "") == "long"


def trials(number: int) -> int:
    """That many, or a quarter."""
    return number if LONG else -(-number // 4)


def some(cases: Iterable[Case], number: int = 1) -> list[Case]:
    """The first so many, where a feature shows on one as on the others; all of them in `make test-long`."""
    return list(cases) if LONG else list(cases)[:number]
