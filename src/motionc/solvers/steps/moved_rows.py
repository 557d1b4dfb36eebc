"""Kernels that rank rows, asked without those that nothing moves: of a planar arm held by six rows three are left."""

from typing import Any

from motionc.geometry.coordinates import Coordinates, assemble, filled, is_known, zeros
from motionc.program.kernels import Kernel
from motionc.sweeps.problem import Problem


def of_moved_rows(problem: Problem) -> Any:
    """How the problem calls kernels, rows left out that are empty whatever the state: their answer is 0."""

    def call(kernel: Kernel, matrix: Coordinates, right: Coordinates) -> tuple[Any, ...]:
        rows = matrix.shape[0] if is_known(matrix, right) else 0
        moved = [k for k, row in enumerate(filled(matrix)) if any(row)] if rows else []
        if not kernel.orders or len(moved) == rows:
            return problem.call(kernel, matrix, right)
        if not moved:
            return zeros(rows, 1), zeros(1, 1), zeros(1, 1) + 1.0
        answer, *report = problem.call(kernel.among(moved), matrix[moved, :][:, moved], right[moved, :])
        place = {row: k for k, row in enumerate(moved)}
        return assemble([[answer[place[k], 0] if k in place else 0.0] for k in range(rows)]), *report

    return call
