"""Where a matrix may differ from zero, and how its values become a matrix again."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.program.program import Program

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Sparsity:
    """Rows and columns of the entries that are computed, column by column, rows ascending: the order CSC wants.

    >>> pattern = Sparsity.of(np.array([[True, False], [True, True]]))
    >>> pattern.rows.tolist(), pattern.columns.tolist(), pattern.starts.tolist()
    ([0, 1, 1], [0, 0, 1], [0, 2, 3])
    >>> pattern.dense([1.0, 2.0, 3.0]).tolist()
    [[1.0, 0.0], [2.0, 3.0]]
    """

    shape: tuple[int, int]
    rows: Array
    columns: Array

    @staticmethod
    def of(nonzero: Array) -> "Sparsity":
        """That of a matrix of truths."""
        columns, rows = np.nonzero(nonzero.T)
        return Sparsity((nonzero.shape[0], nonzero.shape[1]), rows, columns)

    @property
    def starts(self) -> Array:
        """Where each column starts among the values, and where the last one ends (CSC's indptr)."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.columns, minlength=self.shape[1]))])

    def dense(self, values: Any) -> Array:
        """The whole matrix; of a batch (N, values) all of them."""
        values = np.asarray(values)
        out = np.zeros((*values.shape[:-1], *self.shape), values.dtype)
        out[..., self.rows, self.columns] = values
        return out

    def csc(self, values: Any) -> Any:
        """The matrix as SciPy's `csc_array`."""
        try:
            from scipy.sparse import csc_array
        except ImportError:
            raise Error(
                "a csc_array is SciPy's, which is not installed: pip install scipy, or take .dense(…)"
            ) from None
        return csc_array((np.asarray(values), self.rows, self.starts), shape=self.shape)


def nonzero(program: Program) -> tuple[Array, ...]:
    """Of each output, its last axis as columns, which entries are not the constant 0."""
    steps, found = program.instructions, list[Array]()
    for port, values in zip(program.outputs, program.results, strict=True):
        known = np.array([steps[value][::2] != ("const", 0.0) for value in values], bool)
        found.append(known.reshape(-1, port.shape[-1] if port.shape else 1))
    return tuple(found)
