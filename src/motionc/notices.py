"""What is said besides answers: warnings that point at the user's line, and a log of what was built.

The log is `logging.getLogger("motionc")`, silent unless somebody listens.
"""

import functools
import logging
import sys
import warnings
from pathlib import Path

LOG = logging.getLogger("motionc")
LOG.addHandler(logging.NullHandler())

OURS = (str(Path(__file__).parent), functools.__file__)
"""Files between a user's line and what is said: this package, and what makes its cached properties."""


def warn(sentence: str) -> None:
    """Warn, at the line outside of this package that led here."""
    frame, level = sys._getframe(1), 2  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, RuntimeWarning, stacklevel=level)
