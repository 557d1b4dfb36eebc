"""How many random states, trees or rows a test tries: a third of what it names, and all of it in `make test-long`.

What is tried first is the same in both, so a long run finds more of what a short one may find, and nothing else.
"""

import os

LONG = os.environ.get("MOTIONC_TESTS", "") == "long"


def trials(number: int) -> int:
    """That many, or a third."""
    return number if LONG else -(-number // 3)
