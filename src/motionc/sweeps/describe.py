"""Relations in words and numbers, in the layout of Listing 2.5."""

from typing import Any

import numpy as np

from motionc.geometry import Pose
from motionc.geometry.coordinates import UNKNOWN, is_known
from motionc.geometry.screw import Screw

PARTS = {
    "Twist": ("linearVelocity", "angularVelocity"),
    "SpatialAcceleration": ("linearAcceleration", "angularAcceleration"),
    "ClassicalAcceleration": ("linearAcceleration", "angularAcceleration"),
}


def described(value: Any) -> str:
    """`Twist(point|of,wrt,[axes]) with linearVelocity coordinates:[…] and angularVelocity coordinates: […]`."""
    if isinstance(value, Pose):
        if not is_known(value.position.xyz, value.orientation.matrix):
            return str(value)
        return (
            f"{value} with position coordinates:{_numbers(value.position.xyz)} "
            f"and orientation coordinates: {_numbers(value.orientation.matrix)}"
        )
    if isinstance(value, Screw):
        if not is_known(value.angular, value.linear):
            return str(value)
        linear, angular = PARTS.get(type(value).__name__, ("linear", "angular"))
        return (
            f"{value} with {linear} coordinates:{_numbers(value.linear)} "
            f"and {angular} coordinates: {_numbers(value.angular)}"
        )
    values = getattr(value, "values", UNKNOWN)
    return f"{value} with coordinates:{_numbers(values)}" if is_known(values) else str(value)


def _numbers(values: Any) -> str:
    """A column in one line, a matrix row by row; six digits, as printed in the thesis."""
    table = np.asarray(values, float)
    if table.ndim == 2 and table.shape[1] == 1:
        table = table.T
    rows = [", ".join(f"{number:.6g}" for number in row) for row in np.atleast_2d(table)]
    return f"[{'; '.join(rows)}]"
