"""What is taken for numbers, and what counts are given back as.

Bundles carry this file along as it is: it knows NumPy and nothing else of ours.
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

LONGEST = 10_000_000
"""Entries of a list of Python's; an array has as many as it likes."""


def real_numbers(value: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """An array of real numbers of any type; TypeError or ValueError where that would lose something."""
    if is_masked_array(value) and np.ma.is_masked(value):
        raise TypeError("masked entries")
    if isinstance(value, Sequence) and _is_long(value):
        raise ValueError("too long a list to be read entry by entry")
    array = np.asarray(value)
    if array.dtype.kind == "O":
        entries = array.ravel().tolist()
        if any(isinstance(entry, str | bytes) for entry in entries):
            raise TypeError("words")
        try:
            array = np.array([float(entry) for entry in entries]).reshape(array.shape)
        except OverflowError:
            raise ValueError("too large for a float") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{array.dtype} is no real number")
    return array


def is_masked_array(value: Any) -> bool:
    """Whether it is a masked array. NumPy loads those when they are first asked for: before that there are none."""
    return "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray)


def _is_long(value: Sequence[Any]) -> bool:
    try:
        return len(value) > LONGEST
    except OverflowError:
        return True


def whole_numbers(value: Any) -> Any:
    """Counts as integers; where nothing could be counted, none.

    >>> whole_numbers(np.array([-1.0, 2.0, np.nan])).tolist(), isinstance(whole_numbers(np.array(3.0)), np.int64)
    ([-1, 2, 0], True)
    """
    with np.errstate(invalid="ignore"):
        counts = np.asarray(value).astype(np.int64)
    # what is not finite becomes the least integer there is
    return np.where(counts == np.iinfo(np.int64).min, 0, counts)[()]
