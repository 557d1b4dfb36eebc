"""What counts as an error, where areas are asked for and not points? Tubes, bands of a speed, one angle for all turns.

    tube          e where |e| > σ, else 0: inside, no place is better than another
    orientation   φ where |φ| > σ, else 0, all three of it: one angle is judged
    angle         α - atan2(f_y, f_x), between -π and π: where an axis f points, seen from above
    speed         v - ẋ, measured, where it is more than is tolerated; v of the remaining distance under a profile

(specs/lazy-control.md §2.10.) Controllers that read signs alone need the zero. On numbers and values alike.
"""

from collections.abc import Sequence
from typing import Any

from motionc.geometry.control_words import dead_zone
from motionc.geometry.coordinates import arc_tangent, select, sin_cos


def beyond_tube(missing: Any, tolerance: Any) -> Any:
    """What is missing where it is more than is tolerated, else 0.

    >>> [float(beyond_tube(missing, 0.01)) for missing in (0.02, -0.005)]
    [0.02, 0.0]
    """
    return dead_zone(missing, tolerance)


def beyond_angle(turn: Sequence[Any], tolerance: Any) -> list[Any]:
    """A rotation vector where its angle is more than is tolerated, else 0 in all directions.

    >>> [[float(each) for each in beyond_angle(turn, 0.1)] for turn in ([0.3, 0.0, 0.01], [0.06, 0.0, 0.06])]
    [[0.3, 0.0, 0.01], [0.0, 0.0, 0.0]]
    """
    inside = square(turn) <= tolerance * tolerance
    return [select(inside, 0.0, each) for each in turn]


def missing_angle(facing: Sequence[Any], angle: Any) -> Any:
    """What an axis that points along (f_x, f_y) lacks of an angle about z, the shorter way.

    >>> round(float(missing_angle([-1.0, 0.1], -3.0)), 6)
    0.241261
    """
    (x, y), (sine, cosine) = facing, sin_cos(angle)
    return arc_tangent(x * sine - y * cosine, x * cosine + y * sine)


def square(vector: Sequence[Any]) -> Any:
    """The sum of squares."""
    first, *others = (each * each for each in vector)
    return sum(others, first)
