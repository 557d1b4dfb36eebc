"""What is said besides answers: warnings that point at the user's line, and a log of what was built.

The log is `logging.getLogger("motionc")`, silent unless somebody listens.
"""

import logging
import sys
import warnings

LOG = logging.getLogger("motionc")
LOG.addHandler(logging.NullHandler())

OURS = ("motionc", "functools", "contextlib")
"""Modules between a user's line and what is said: this package, and what makes its cached properties and contexts."""


def warn(sentence: str, kind: type[Warning] = RuntimeWarning) -> None:
    """Warn, at the line outside of this package that led here."""
    frame, level = sys._getframe(1), 2  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).split(".", 1)[0] in OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, kind, stacklevel=level)
