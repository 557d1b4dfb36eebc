"""Which unit is a number from outside given in: a closed table of quantities, their units and factors to SI.

Inside motionc everything is SI; this table is consulted where values enter, and nothing computes with units.
Names and symbols are case-sensitive (mN is not MN). A unit belongs to one quantity only: N·m is Torque, Energy is in J.
"""

import math
import re
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionc.errors import Error

__all__ = ["UNITS", "Quantity", "Unit", "amount", "quantity", "shortest", "to_si", "unit"]


class Quantity(Enum):
    """What a number measures; the values are the words of the chain documents (`physicalquantity: "Length"`).

    >>> Quantity("Length")
    <Quantity.LENGTH: 'Length'>
    """

    DIMENSIONLESS = "Dimensionless"
    LENGTH = "Length"
    MASS = "Mass"
    TIME = "Time"
    ANGLE = "Angle"
    LINEAR_VELOCITY = "LinearVelocity"
    ANGULAR_VELOCITY = "AngularVelocity"
    LINEAR_ACCELERATION = "LinearAcceleration"
    ANGULAR_ACCELERATION = "AngularAcceleration"
    FORCE = "Force"
    TORQUE = "Torque"
    INERTIA = "Inertia"
    MOMENTUM = "Momentum"
    ANGULAR_MOMENTUM = "AngularMomentum"
    FREQUENCY = "Frequency"
    WAVE_NUMBER = "WaveNumber"
    STIFFNESS = "Stiffness"
    ROTATIONAL_STIFFNESS = "RotationalStiffness"
    DAMPING = "Damping"
    ROTATIONAL_DAMPING = "RotationalDamping"
    ENERGY = "Energy"
    POWER = "Power"

    @classmethod
    def _missing_(cls, value: object) -> "Quantity":
        raise Error(f"there is no quantity {value!r}; {_suggestion(str(value), [member.value for member in cls])}")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of one quantity: value in SI = factor · value in this unit."""

    name: str
    symbol: str
    quantity: Quantity
    factor: float


_LARGEST = 1e150  # squares of anything below stay finite
_DEGREE, _TURN, _POUND, _GRAVITY = math.pi / 180.0, 2.0 * math.pi, 0.45359237, 9.80665

# the first unit of each quantity is the SI one
_TABLE: dict[Quantity, list[tuple[str, str, float]]] = {
    Quantity.DIMENSIONLESS: [("one", "1", 1.0), ("percent", "%", 1e-2)],
    Quantity.LENGTH: [
        ("meter", "m", 1.0), ("millimeter", "mm", 1e-3), ("centimeter", "cm", 1e-2), ("micrometer", "um", 1e-6),
        ("kilometer", "km", 1e3), ("inch", "in", 0.0254), ("foot", "ft", 0.3048),
    ],
    Quantity.MASS: [
        ("kilogram", "kg", 1.0), ("gram", "g", 1e-3), ("milligram", "mg", 1e-6), ("tonne", "t", 1e3),
        ("pound", "lb", _POUND),
    ],
    Quantity.TIME: [
        ("second", "s", 1.0), ("millisecond", "ms", 1e-3), ("microsecond", "us", 1e-6), ("nanosecond", "ns", 1e-9),
        ("minute", "min", 60.0), ("hour", "h", 3600.0),
    ],
    Quantity.ANGLE: [
        ("radian", "rad", 1.0), ("milliradian", "mrad", 1e-3), ("degree", "deg", _DEGREE), ("turn", "rev", _TURN),
    ],
    Quantity.LINEAR_VELOCITY: [
        ("meter_per_second", "m/s", 1.0), ("millimeter_per_second", "mm/s", 1e-3),
        ("centimeter_per_second", "cm/s", 1e-2), ("kilometer_per_hour", "km/h", 1.0 / 3.6),
    ],
    Quantity.ANGULAR_VELOCITY: [
        ("radian_per_second", "rad/s", 1.0), ("degree_per_second", "deg/s", _DEGREE),
        ("turn_per_minute", "rpm", _TURN / 60.0),
    ],
    Quantity.LINEAR_ACCELERATION: [
        ("meter_per_second_squared", "m/s^2", 1.0), ("millimeter_per_second_squared", "mm/s^2", 1e-3),
        ("standard_gravity", "g0", _GRAVITY),
    ],
    Quantity.ANGULAR_ACCELERATION: [
        ("radian_per_second_squared", "rad/s^2", 1.0), ("degree_per_second_squared", "deg/s^2", _DEGREE),
    ],
    Quantity.FORCE: [
        ("newton", "N", 1.0), ("millinewton", "mN", 1e-3), ("kilonewton", "kN", 1e3),
        ("pound_force", "lbf", _POUND * _GRAVITY),
    ],
    Quantity.TORQUE: [
        ("newton_meter", "Nm", 1.0), ("newton_millimeter", "Nmm", 1e-3), ("newton_centimeter", "Ncm", 1e-2),
        ("millinewton_meter", "mNm", 1e-3), ("kilonewton_meter", "kNm", 1e3),
    ],
    Quantity.INERTIA: [
        ("kilogram_meter_squared", "kg*m^2", 1.0), ("kilogram_millimeter_squared", "kg*mm^2", 1e-6),
        ("kilogram_centimeter_squared", "kg*cm^2", 1e-4), ("gram_centimeter_squared", "g*cm^2", 1e-7),
        ("gram_millimeter_squared", "g*mm^2", 1e-9),
    ],
    Quantity.MOMENTUM: [("kilogram_meter_per_second", "kg*m/s", 1.0), ("newton_second", "Ns", 1.0)],
    Quantity.ANGULAR_MOMENTUM: [
        ("kilogram_meter_squared_per_second", "kg*m^2/s", 1.0), ("newton_meter_second", "Nms", 1.0),
    ],
    Quantity.FREQUENCY: [("hertz", "Hz", 1.0), ("kilohertz", "kHz", 1e3), ("megahertz", "MHz", 1e6)],
    Quantity.WAVE_NUMBER: [("radian_per_meter", "rad/m", 1.0), ("radian_per_centimeter", "rad/cm", 1e2)],
    Quantity.STIFFNESS: [("newton_per_meter", "N/m", 1.0), ("newton_per_millimeter", "N/mm", 1e3)],
    Quantity.ROTATIONAL_STIFFNESS: [
        ("newton_meter_per_radian", "Nm/rad", 1.0), ("newton_meter_per_degree", "Nm/deg", 1.0 / _DEGREE),
    ],
    Quantity.DAMPING: [("newton_second_per_meter", "Ns/m", 1.0), ("newton_second_per_millimeter", "Ns/mm", 1e3)],
    Quantity.ROTATIONAL_DAMPING: [
        ("newton_meter_second_per_radian", "Nms/rad", 1.0), ("newton_meter_second_per_degree", "Nms/deg", 1 / _DEGREE),
    ],
    Quantity.ENERGY: [("joule", "J", 1.0), ("kilojoule", "kJ", 1e3)],
    Quantity.POWER: [("watt", "W", 1.0), ("kilowatt", "kW", 1e3)],
}  # fmt: skip

UNITS = tuple(Unit(*row[:2], quantity, row[2]) for quantity, rows in _TABLE.items() for row in rows)
"""Every unit there is, by quantity, the SI unit of each first."""

_BY_WORD = {word: entry for entry in UNITS for word in (entry.name, entry.symbol)}


def unit(name: str) -> Unit:
    """The unit of that name or symbol, also as ports write them: "m/s²", "N m".

    >>> unit("mm").factor, unit("millimeter").quantity.value, unit("kg m²").symbol
    (0.001, 'Length', 'kg*m^2')
    """
    plain = name.replace("²", "^2")
    known = next(
        (word for word in (name, plain, plain.replace(" ", ""), plain.replace(" ", "*")) if word in _BY_WORD), ""
    )
    if not known:
        raise Error(f"there is no unit {name!r}; {_suggestion(name, list(_BY_WORD))}")
    return _BY_WORD[known]


_unit = unit  # the argument of `to_si` has the same name


@overload
def to_si(value: float, unit: str | Unit, quantity: Quantity) -> float: ...
@overload
def to_si(value: ArrayLike, unit: str | Unit, quantity: Quantity) -> float | NDArray[np.float64]: ...
def to_si(value: ArrayLike, unit: str | Unit, quantity: Quantity) -> float | NDArray[np.float64]:
    """A value of `quantity` given in `unit`, in SI: factor · value. Infinity passes (no limit), NaN does not.

    >>> to_si(250, "mm", Quantity.LENGTH)
    0.25
    >>> to_si([0, 180], "degree", Quantity.ANGLE)
    array([0.        , 3.14159265])
    """
    given = unit if isinstance(unit, Unit) else _unit(unit)
    if given.quantity is not quantity:
        allowed = ", ".join(entry.name for entry in UNITS if entry.quantity is quantity)
        raise Error(f"{quantity.value} cannot be given in {given.name}; use {allowed}")
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.dtype.kind not in "iuf" or np.isnan(array).any():
        raise Error(f"{quantity.value} must be a real number or an array of them, not {value!r}; check where it is set")
    converted = given.factor * array.astype(np.float64)
    return converted if array.ndim else float(converted)


_AMOUNT = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(.*?)\s*", re.DOTALL)
_LONGEST = 200  # letters of a number and its unit


def quantity(text: str, of: Quantity) -> float:
    """A number with its unit as documents write it, in SI; the unit must be one of what is asked for.

    >>> quantity("5 cm", Quantity.LENGTH), quantity("0.5deg", Quantity.ANGLE), quantity("80 %", Quantity.DIMENSIONLESS)
    (0.05, 0.008726646259971648, 0.8)
    """
    si, example = _si(of), amount(0.5, of)
    read = _AMOUNT.fullmatch(text[: _LONGEST + 1])
    if read is None or len(text) > _LONGEST:
        raise Error(f"{text[:60]!r} is no {of.value} with its unit; write a number and its unit, such as {example}")
    if not read[2] and of is not Quantity.DIMENSIONLESS:
        raise Error(f"{read[1]} has no unit; write it, such as {read[1]} {si.symbol}")
    try:
        given = unit(read[2]) if read[2] else si
    except Error as error:
        own = [entry.symbol for entry in UNITS if entry.quantity is of]
        raise Error(f"there is no unit {read[2][:60]!r}; {of.value} is given in {', '.join(own)}") from error
    value = to_si(float(read[1]), given, of)
    if abs(value) >= _LARGEST:
        raise Error(f"{text.strip()!r} is not finite, or too large; check its unit")
    return value


def amount(value: float, of: Quantity) -> str:
    """A number in SI with its unit, as `quantity` reads it back.

    >>> amount(0.05, Quantity.LINEAR_VELOCITY), amount(0.8, Quantity.DIMENSIONLESS)
    ('0.05 m/s', '0.8')
    """
    return shortest(value) if of is Quantity.DIMENSIONLESS else f"{shortest(value)} {_si(of).symbol}"


def shortest(value: float) -> str:
    """A number in as few letters as read back the same.

    >>> shortest(9.0), shortest(0.1 + 0.2)
    ('9', '0.30000000000000004')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _si(of: Quantity) -> Unit:
    return next(entry for entry in UNITS if entry.quantity is of)


def _suggestion(word: str, known: list[str]) -> str:
    near = get_close_matches(word, known, n=4, cutoff=0.6) or get_close_matches(word.lower(), known, n=4, cutoff=0.6)
    return f"did you mean {', '.join(near)}?" if near else f"use one of {', '.join(known)}"
