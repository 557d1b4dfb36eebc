"""Relations in words and numbers, in the layout of Listing 2.5."""

from typing import Any

import numpy as np

from motionc.geometry import Pose
from motionc.geometry.screw import Screw

PARTS = {
    "Twist": ("linearVelocity", "angularVelocity"),
    "SpatialAcceleration": ("linearAcceleration", "angularAcceleration"),
    "ClassicalAcceleration": ("linearAcceleration", "angularAcceleration"),
}


def described(value: Any) -> str:
    """`Twist(point|of,wrt,[axes]) with linearVelocity coordinates:[…] and angularVelocity coordinates: […]`."""
    if isinstance(value, Pose):
        if value.position.xyz is None:
            return str(value)
        return (
            f"{value} with position coordinates:{_numbers(value.position.xyz)} "
            f"and orientation coordinates: {_numbers(value.orientation.matrix)}"
        )
    if isinstance(value, Screw):
        if value.angular is None:
            return str(value)
        linear, angular = PARTS.get(type(value).__name__, ("linear", "angular"))
        return (
            f"{value} with {linear} coordinates:{_numbers(value.linear)} "
            f"and {angular} coordinates: {_numbers(value.angular)}"
        )
    values = getattr(value, "values", None)
    return str(value) if values is None else f"{value} with coordinates:{_numbers(values)}"


def _numbers(values: Any) -> str:
    """A column in one line, a matrix row by row; six digits, as printed in the thesis."""
    table = np.asarray(values, float)
    if table.ndim == 2 and table.shape[1] == 1:
        table = table.T
    rows = [", ".join(f"{number:.6g}" for number in row) for row in np.atleast_2d(table)]
    return f"[{'; '.join(rows)}]"
