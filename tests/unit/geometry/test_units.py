"""The table of units: what converts, and what is refused with a sentence one can act on."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionc.errors import Error
from motionc.geometry.units import UNITS, Quantity, Unit, amount, quantity, to_si, unit


def test_length_in_radian_is_refused_and_millimeters_convert():
    with pytest.raises(Error, match=r"^Length cannot be given in radian; use meter, millimeter, "):
        to_si(1.0, "radian", Quantity("Length"))
    assert to_si(250.0, "millimeter", Quantity.LENGTH) == to_si(0.25, "meter", Quantity.LENGTH) == 0.25
    assert np.array_equal(to_si(np.array([1.0, 20.0]), "mm", Quantity.LENGTH), [0.001, 0.02])


@given(st.sampled_from(UNITS), st.sampled_from(Quantity), st.floats(-1e6, 1e6))
def test_a_unit_converts_its_own_quantity_and_no_other(given_in: Unit, quantity: Quantity, value: float):
    if given_in.quantity is quantity:
        assert to_si(value, given_in, quantity) == given_in.factor * value
        assert to_si(value, given_in.symbol, quantity) == to_si(value, given_in.name, quantity)
    else:
        with pytest.raises(Error, match=f"^{quantity.value} cannot be given in {given_in.name}; use "):
            to_si(value, given_in, quantity)


@given(st.sampled_from(UNITS), st.lists(st.floats(-1e6, 1e6)))
def test_arrays_convert_like_their_elements_and_are_not_changed(given_in: Unit, values: list[float]):
    array = np.array(values)
    converted = to_si(array, given_in, given_in.quantity)
    assert isinstance(converted, np.ndarray)
    assert converted.tolist() == [to_si(value, given_in, given_in.quantity) for value in values]
    assert array.tolist() == values


def test_every_quantity_has_its_si_unit_first():
    firsts = {quantity: next(entry for entry in UNITS if entry.quantity is quantity) for quantity in Quantity}
    assert all(entry.factor == 1.0 for entry in firsts.values())


def test_names_and_symbols_are_unique():
    words = [word for entry in UNITS for word in (entry.name, entry.symbol)]
    assert len(words) == len(set(words))
    assert all(unit(entry.name) is unit(entry.symbol) is entry for entry in UNITS)


@pytest.mark.parametrize(
    ("value", "symbol", "expected"),
    [
        (180.0, "deg", math.pi),
        (60.0, "rpm", 2.0 * math.pi),
        (36.0, "km/h", 10.0),
        (12.0, "in", 0.3048),
        (1.0, "lbf", 4.4482216152605),
        (1.0, "g*cm^2", unit("g").factor * unit("cm").factor ** 2),
        (1.0, "kg*mm^2", unit("mm").factor ** 2),
        (1.0, "g*mm^2", unit("g").factor * unit("mm").factor ** 2),
        (1.0, "N/mm", 1.0 / unit("mm").factor),
        (math.pi, "Nm/deg", 180.0),
    ],
)
def test_factors_are_those_of_the_definitions(value: float, symbol: str, expected: float):
    assert math.isclose(to_si(value, symbol, unit(symbol).quantity), expected, rel_tol=1e-15)


@pytest.mark.parametrize(("word", "near"), [("metre", "meter"), ("milimeter", "millimeter"), ("Meter", "meter")])
def test_unknown_unit_names_its_neighbours(word: str, near: str):
    with pytest.raises(Error, match=rf"no unit '{word}'; did you mean .*\b{near}\b"):
        unit(word)


def test_unknown_words_without_neighbours_list_what_there_is():
    with pytest.raises(Error, match=r"no unit 'qqqq'; use one of one, .*meter"):
        unit("qqqq")
    with pytest.raises(Error, match=r"no quantity 'Lenght'; did you mean .*Length"):
        Quantity("Lenght")


@pytest.mark.parametrize("value", [math.nan, "3", [1.0, math.nan], 1j, True, None, [[1.0], [1.0, 2.0]]])
def test_what_is_no_number_is_refused(value: object):
    with pytest.raises(Error, match="Mass must be a real number"):
        to_si(value, "kg", Quantity.MASS)  # pyright: ignore[reportCallIssue, reportArgumentType]


def test_no_limit_stays_no_limit():
    assert to_si(math.inf, "deg/s", Quantity.ANGULAR_VELOCITY) == math.inf


@pytest.mark.parametrize(
    ("text", "of", "expected"),
    [
        ("5 cm", Quantity.LENGTH, 0.05),
        ("0.5deg", Quantity.ANGLE, math.pi / 360),
        (" -1.5e-1  N ", Quantity.FORCE, -0.15),
        ("2 N m", Quantity.TORQUE, 2.0),
        ("9.81 m/s²", Quantity.LINEAR_ACCELERATION, 9.81),
        ("80 %", Quantity.DIMENSIONLESS, 0.8),
        ("3", Quantity.DIMENSIONLESS, 3.0),
        ("5 rad/m", Quantity.WAVE_NUMBER, 5.0),
    ],
)
def test_a_number_with_its_unit_is_read_in_si(text: str, of: Quantity, expected: float):
    assert quantity(text, of) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("5", r"^5 has no unit; write it, such as 5 m$"),
        ("5 N", r"^Length cannot be given in newton; use meter"),
        ("5 parsec", r"^there is no unit 'parsec'; Length is given in m, mm, cm"),
        ("m 5", r"^'m 5' is no Length with its unit; write a number and its unit, such as 0.5 m$"),
        ("1,5 m", r"^there is no unit ',5 m'"),
        ("nan m", r"^'nan m' is no Length"),
        ("inf m", r"^'inf m' is no Length"),
        ("1e999 m", r"^'1e999 m' is not finite, or too large"),
        ("-1e999 m", r"^'-1e999 m' is not finite, or too large"),
        ("1" * 500 + " m", r"is no Length with its unit"),
        ("", r"^'' is no Length"),
    ],
)
def test_what_is_no_number_with_its_unit_is_refused(text: str, words: str):
    with pytest.raises(Error, match=words):
        quantity(text, Quantity.LENGTH)


@given(st.sampled_from(Quantity), st.floats(-1e12, 1e12))
def test_an_amount_reads_back_as_the_same_number(of: Quantity, value: float):
    assert quantity(amount(value, of), of) == value
