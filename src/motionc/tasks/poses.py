"""Where is a task frame, where a task says so itself? Poses as data: rows of numbers that compare and hash."""

from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.geometry.lie import nearest_rotation

Rows = tuple[tuple[float, ...], ...]
"""A homogeneous matrix [R p; 0 1], row by row."""

EXACT = 1e-6
"""By how much RᵀR of a rotation may miss the identity."""
MEANT = 0.1
"""By how much it may miss where a rotation was printed with few digits, and its nearest one is meant."""
WANTED = "give a pose, a 4×4 homogeneous matrix [R p; 0 1]"


def pose_rows(what: str, value: Any) -> Rows:
    """A pose as rows; one sentence where it is none."""
    matrix = checked.numbers(what, value, WANTED, (4, 4))
    if not np.array_equal(matrix[3], (0.0, 0.0, 0.0, 1.0)):
        raise Error(f"{what}: the last row is {matrix[3].tolist()}; {WANTED}")
    rotation = matrix[:3, :3]
    if missed(rotation) > EXACT or np.linalg.det(rotation) < 0:
        raise Error(
            f"{what}: the upper left is no rotation (RᵀR misses the identity by {missed(rotation):.2g}, "
            f"determinant {np.linalg.det(rotation):.3g}); motionc.geometry.lie.nearest_rotation gives one"
        )
    return tuple(tuple(map(float, row)) for row in matrix + 0.0)


def printed_pose(at: tuple[float, ...], rows: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))) -> Rows:
    """The pose of a position (m) and the rows of a rotation as somebody printed them: the nearest rotation is meant."""
    rotation = np.array(rows)
    if missed(rotation) > MEANT or np.linalg.det(rotation) < 0:
        raise Error(
            f"the rows are no rotation, nor near one: RᵀR misses the identity by {missed(rotation):.2g}, the "
            f"determinant is {np.linalg.det(rotation):.3g}; check digits and signs"
        )
    if missed(rotation) > EXACT:
        rotation = nearest_rotation(rotation)
    return pose_rows("pose", np.vstack([np.column_stack([rotation, at]), (0.0, 0.0, 0.0, 1.0)]))


def missed(rotation: Any) -> float:
    """By how much RᵀR misses the identity.

    >>> round(missed([[1, 0, 0], [0, 1, 0], [0, 0, 1.1]]), 2)
    0.21
    """
    given = np.asarray(rotation, float)
    return float(np.abs(given.T @ given - np.eye(3)).max())
