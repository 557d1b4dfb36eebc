"""What functions give, in numbers longer than doubles: the witness of their last places."""

from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, np.dtype[Any]]


def needed() -> None:
    """Skip a test where no numbers are longer than doubles."""
    if np.finfo(np.longdouble).nmant < 60:
        pytest.skip("no numbers here are longer than doubles")


def box_muller(uniform: Array) -> Array:
    """Pairs of normal numbers from pairs of uniform ones, (N, 2)."""
    needed()
    u, t = np.asarray(uniform, np.longdouble).T
    radius = np.sqrt(-2 * np.log1p(-u))
    # quarter turns are exact, so that what is near 0 is too
    quarter = np.rint(4 * t)
    angle = (4 * t - quarter) * (2 * np.arctan(np.longdouble(1)))
    sides = np.array([np.cos(angle), -np.sin(angle), -np.cos(angle), np.sin(angle)])
    which, each = quarter.astype(int) % 4, np.arange(len(t))
    return np.stack([radius * sides[which, each], radius * sides[(which + 3) % 4, each]], axis=1)
