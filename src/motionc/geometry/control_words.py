"""Words of control, for numbers and symbols alike: signs, bounds, thresholds with two sides, and logic of flags.

A flag is 1 or 0, as comparisons are. All work entry by entry on floats, NumPy arrays, symbols, arrays of symbols, and
on what is unknown; nothing branches, so that a program has every one of them. What is no number stays none where a
number comes out, and is no reason for a flag to be 1.
"""

from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.geometry.coordinates import UNKNOWN, Matrix, at_least, entry_by_entry, is_known, is_symbolic, select
from motionc.geometry.symbols import Symbols, applied, plain


@entry_by_entry
def sign(a: Matrix) -> Matrix:
    """1 where a > 0, -1 where a < 0, else 0.

    >>> sign(-0.3)
    -1.0
    """
    return applied(np.sign, a) if is_symbolic(a) else _flag(a > 0.0) - _flag(a < 0.0)


@entry_by_entry
def magnitude(a: Matrix) -> Matrix:
    """|a|, a without its sign."""
    return applied(np.absolute, a) if is_symbolic(a) else np.absolute(a)


@entry_by_entry
def within(value: Matrix, low: Matrix, high: Matrix) -> Matrix:
    """The value clamped into [low, high]; low where these exclude each other.

    >>> within(np.array([-3.0, 0.5, np.nan]), -1.0, 1.0)
    array([-1. ,  0.5,  nan])
    """
    return select(value < low, low, select(value > high, high, value))


@entry_by_entry
def dead_zone(value: Matrix, width: Matrix) -> Matrix:
    """A dead zone: the value where it is outside ± width, else 0; nothing is taken off what is beyond.

    >>> dead_zone(np.array([0.2, -0.7]), 0.5)
    array([ 0. , -0.7])
    """
    return select(magnitude(value) <= width, 0.0, value)


@entry_by_entry
def step(value: Matrix, threshold: Matrix) -> Matrix:
    """Heaviside's step, a flag: 1 from the threshold on, 0 below it.

    >>> step(np.array([0.9, 1.0]), 1.0)
    array([0., 1.])
    """
    return _flag(value >= threshold)


@entry_by_entry
def hysteresis(previous: Matrix, value: Matrix, enter: Matrix, leave: Matrix) -> Matrix:
    """A flag with two thresholds: 1 from `enter` on, and then as far back as `leave`; between them it stays as it was.

    On is upwards where enter ≥ leave, else downwards.

    >>> [float(hysteresis(was, 0.97, 1.0, 0.95)) for was in (0.0, 1.0)]
    [0.0, 1.0]
    """
    threshold = select(previous, leave, enter)
    return _flag(select(enter >= leave, value >= threshold, value <= threshold))


@entry_by_entry
def equal(a: Matrix, b: Matrix) -> Matrix:
    """A flag: 1 where both are the same number."""
    return applied(np.equal, a, b) if is_symbolic(a, b) else _flag(np.equal(a, b))


@entry_by_entry
def not_equal(a: Matrix, b: Matrix) -> Matrix:
    """A flag: 1 where they are not the same number."""
    return applied(np.not_equal, a, b) if is_symbolic(a, b) else _flag(np.not_equal(a, b))


def entry(table: Any, index: Matrix) -> Any:
    """One entry of a table, a list or array of scalars or of matrices: the index is rounded down and kept within.

    A table of inputs takes one instruction for each number that comes out, however long it is; of anything else there
    are choices between all entries. Below 1, and for what is no number, it is the first.

    >>> [entry([10.0, 20.0, 30.0], index) for index in (-1.0, 1.9, 7.0)]
    [10.0, 20.0, 30.0]
    """
    if not is_known(table, index):
        return UNKNOWN
    rows = [table[k : k + 1, :] for k in range(table.shape[0])] if isinstance(table, Symbols) else list(table)
    shapes = {getattr(row, "shape", ()) for row in rows}
    if len(shapes) != 1:
        raise Error(f"a table has entries of one shape, not of {len(shapes)}; give at least one, all alike")
    (shape,) = shapes
    if isinstance(index, Symbols | np.ndarray):
        index = plain(index)
    if not is_symbolic(index):
        last = len(rows) - 1
        return rows[last if index >= last else int(index) if index >= 1 else 0]
    if not is_known(*rows):
        return UNKNOWN
    if not shape:
        return index.entry(rows)
    found = np.empty(shape, object)
    for place in np.ndindex(shape):
        found[place] = plain(index.entry([row[place] for row in rows]))
    in_arrays = len(shape) != 2 or any(isinstance(row, np.ndarray) and row.dtype == object for row in rows)
    return found if in_arrays else Symbols(found.tolist(), shape[1])


# ---------------------------------------------------------------- logic of flags


@entry_by_entry
def both(a: Matrix, b: Matrix) -> Matrix:
    """Logical and of two flags."""
    return a * _flag(b)


@entry_by_entry
def either(a: Matrix, b: Matrix) -> Matrix:
    """Logical or of two flags.

    >>> either(0.0, np.array([0.0, 1.0]))
    array([0., 1.])
    """
    return at_least(_flag(a), _flag(b))


@entry_by_entry
def opposite(flag: Matrix) -> Matrix:
    """Logical not of a flag."""
    return 1.0 - flag


def _flag(condition: Matrix) -> Matrix:
    """A comparison as the number it is for symbols."""
    return condition if is_symbolic(condition) else condition * 1.0
