"""Words of control say the same of floats, arrays, symbols and arrays of symbols, and nothing of what is unknown."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from motionc.geometry import control_words as words
from motionc.geometry.coordinates import UNKNOWN, at_least, at_most, select
from motionc.geometry.symbols import Symbols
from symbols import Page

ROWS = np.array([[-2.0, -0.5, 0.0, 0.5, 1.0, np.nan], [0.5, -0.5, 1.0, 0.5, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0, 1.0, 0.0]])
MEANT: dict[Callable[..., Any], Callable[..., Any]] = {
    words.sign: lambda a: 1.0 if a > 0 else -1.0 if a < 0 else 0.0,
    words.magnitude: lambda a: abs(a),
    words.within: lambda a, low, high: low if a < low else high if a > high else a,
    words.dead_zone: lambda a, width: 0.0 if abs(a) <= width else a,
    words.step: lambda a, threshold: float(a >= threshold),
    words.equal: lambda a, b: float(a == b),
    words.not_equal: lambda a, b: float(a != b),
    words.hysteresis: lambda was, a, b, c: float(
        (a >= (c if was else b)) if b >= c else (a <= (c if was else b)),
    ),
    words.both: lambda a, b: float(bool(a) and bool(b)),
    words.either: lambda a, b: float(bool(a) or bool(b)),
    words.opposite: lambda a: float(not a),
    select: lambda a, b, c: b if a else c,
    at_least: lambda a, b: max(a, b),
    at_most: lambda a, b: min(a, b),
}
FLAGS = ROWS > 0.25
ARGUMENTS: dict[Callable[..., Any], tuple[Any, ...]] = {
    words.hysteresis: (FLAGS[2] * 1.0, ROWS[0], ROWS[1], np.array([1.0, -1.0, 0.5, 0.0, 0.0, 0.0])),
    words.both: (FLAGS[0] * 1.0, FLAGS[2] * 1.0),
    words.either: (FLAGS[0] * 1.0, FLAGS[2] * 1.0),
    words.opposite: (FLAGS[0] * 1.0,),
    select: (FLAGS[0] * 1.0, ROWS[1], ROWS[2]),
    at_least: (ROWS[2], ROWS[1]),
    at_most: (ROWS[2], ROWS[1]),
}


@pytest.mark.parametrize("word", MEANT, ids=lambda word: word.__name__)
def test_a_word_is_the_same_in_every_reading(word: Callable[..., Any]) -> None:
    count = MEANT[word].__code__.co_argcount
    given = ARGUMENTS.get(word) or tuple(ROWS[:count])
    expected = [MEANT[word](*entries) for entries in zip(*given, strict=True)]
    # numbers: all at once, one by one, and by what Python itself has
    assert np.array_equal(word(*given), expected, equal_nan=True)
    for entries, wanted in zip(zip(*(row.tolist() for row in given), strict=True), expected, strict=True):
        found = word(*entries)
        assert np.ndim(found) == 0
        assert np.array_equal(found, wanted, equal_nan=True)
    # symbols: as a matrix, in an array, and with numbers among them
    page = Page()
    symbols = [page.symbols(6, 1) for _ in given]
    arrays = [np.array(matrix.flat, object) for matrix in symbols]
    mixed = [given[0].reshape(6, 1), *symbols[1:]] if count > 1 else symbols
    matrices = [word(*symbols), Symbols([[x] for x in word(*arrays)]), word(*mixed)]
    for found in page.evaluated(matrices, *[row.reshape(6, 1) for row in given]):
        assert np.array_equal(found[:, 0], expected, equal_nan=True)
    assert word(*given[:-1], UNKNOWN) is UNKNOWN


def test_a_flag_with_two_thresholds_does_not_flicker_between_them() -> None:
    flag, seen = 0.0, list[float]()
    for value in (0.9, 0.97, 1.0, 0.97, 0.95, 0.94, 0.97):
        flag = words.hysteresis(flag, value, 1.0, 0.95)
        seen.append(flag)
    assert seen == [0, 0, 1, 1, 1, 0, 0]


def test_thresholds_that_are_numbers_take_two_instructions() -> None:
    page = Page()
    (flag,), (value,) = page.symbols(2, 1).rows
    steps, _ = page.writer.needed([[words.hysteresis(flag, value, 1.0, 0.95)]])
    assert [step.op for step in steps if step.op not in ("const", "input")] == ["select", "less_equal"]


def test_comparisons_of_numbers_are_flags_too() -> None:
    inside = np.array([0.5, 2.0]) < 1.0
    assert words.both(inside, inside).tolist() == [1.0, 0.0]
    assert words.either(inside, False).tolist() == [1.0, 0.0]
    assert words.opposite(inside).tolist() == [0.0, 1.0]
