"""What a rule asks of a value: numbers, so many of them, finite; a rigid pose; names that differ."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from motionc.model.chain import HERE, LARGEST, Array, Attachment
from motionc.real import real_numbers


def is_pose(frame: Attachment) -> bool:
    if frame.pose is HERE:
        return True
    pose = array(frame.pose)
    if pose.shape != (4, 4):
        return False
    (a, b, c, x), (d, e, f, y), (g, h, i, z), last = pose.tolist()  # plain floats: a file may have 100,000 of these
    rows = (a * a + b * b + c * c, d * d + e * e + f * f, g * g + h * h + i * i)
    mixed = (a * d + b * e + c * f, a * g + b * h + c * i, d * g + e * h + f * i)
    volume = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return (
        max(map(abs, (rows[0] - 1.0, rows[1] - 1.0, rows[2] - 1.0, *mixed))) < 1e-6
        and volume > 0
        and max(abs(x), abs(y), abs(z)) < LARGEST
        and (last == [0.0, 0.0, 0.0, 1.0] or np.allclose(last, HERE[3], rtol=0, atol=1e-8))
    )


def array(values: Any) -> Array:
    """An array of floats, empty where the values are no numbers."""
    try:
        return np.asarray(real_numbers(values), float)
    except (TypeError, ValueError, OverflowError):
        return np.zeros(0)


def floats(values: Any, count: int) -> tuple[float, ...] | None:
    """So many plain floats, None where the values are something else."""
    try:
        given = tuple(values)
        if any(isinstance(value, str | bytes | bool | np.bool_) for value in given):
            return None
        floats = tuple(map(float, given))
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None
    return floats if len(floats) == count else None


def are_finite(values: tuple[Any, Any]) -> bool:
    two = floats(values, 2)
    return two is not None and all(abs(value) < LARGEST for value in two)


def repeated(names: Iterable[str]) -> list[tuple[str, int]]:
    """The names that occur more than once, and how often."""
    listed = list(names)
    if len(set(listed)) == len(listed):
        return []
    return [(name, count) for name, count in Counter(listed).items() if count > 1]
