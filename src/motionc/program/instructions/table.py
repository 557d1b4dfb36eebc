"""The instructions that compute: what each means, folds and differentiates to, and is called in each language.

This table is the only place that says so. A record is complete or cannot be made, so that an instruction which some
language lacks does not exist. The others (program.py) move numbers and compute nothing: const, input, entry, call,
pick.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from motionc.program.instructions.identities import (
    simpler_choice,
    simpler_difference,
    simpler_negative,
    simpler_product,
    simpler_quotient,
    simpler_sum,
)
from motionc.program.instructions.operation import Choice, Operation, Values
from motionc.program.instructions.spelling import Spelling, comparison, extreme, function, infix, turned

# ---------------------------------------------------------------- meanings that Python has no word for


def _lesser(a: float, b: float) -> float:
    """As C's fmin: of a number and a NaN, the number."""
    return a if a < b or b != b else b


def _larger(a: float, b: float) -> float:
    return a if a > b or b != b else b


def _floor(a: float) -> float:
    return float(math.floor(a))


def _sign(a: Any) -> Any:
    """0 for a NaN, which is neither more nor less than 0."""
    return (a > 0.0) * 1.0 - (a < 0.0) * 1.0


def _flag(test: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: test(a, b) * 1.0


def _select(condition: float, yes: float, no: float) -> float:
    return yes if condition else no


def _select_entries(condition: Any, yes: Any, no: Any) -> Any:
    return np.where(np.not_equal(condition, 0.0), yes, no)


# ---------------------------------------------------------------- derivatives


def _one(_: Values, __: Any) -> float:
    return 1.0


def _minus_one(_: Values, __: Any) -> float:
    return -1.0


def _inverse_square(x: Values) -> Any:
    """1 / (a² + b²), 0 at the origin."""
    square = x[0] * x[0] + x[1] * x[1]
    return square.select(1.0 / square, 0.0)


def _first_is_less(x: Values) -> Any:
    return x[0].less(x[1])


# ---------------------------------------------------------------- the table

_TABLE = (
    Operation(
        "add",
        2,
        "a + b",
        operator.add,
        np.add,
        (_one, _one),
        infix("+"),
        linear=(0, 1),
        commutative=True,
        simpler=simpler_sum,
    ),
    Operation(
        "sub",
        2,
        "a - b",
        operator.sub,
        np.subtract,
        (_one, _minus_one),
        infix("-"),
        linear=(0, 1),
        simpler=simpler_difference,
        picky=True,
    ),
    Operation(
        "mul",
        2,
        "a b",
        operator.mul,
        np.multiply,
        (lambda x, _: x[1], lambda x, _: x[0]),
        infix("*", matlab=".*"),
        linear=(0, 1),
        commutative=True,
        simpler=simpler_product,
    ),
    Operation(
        "div",
        2,
        "a / b",
        operator.truediv,
        np.divide,
        (lambda x, _: 1.0 / x[1], lambda x, y: -y * (1.0 / x[1])),
        infix("/", matlab="./"),
        linear=(0,),
        simpler=simpler_quotient,
    ),
    Operation(
        "neg",
        1,
        "-a",
        operator.neg,
        np.negative,
        (_minus_one,),
        Spelling(*["-{0}"] * 7),
        linear=(0,),
        simpler=simpler_negative,
        picky=True,
    ),
    Operation(
        "sqrt",
        1,
        "the square root of a; at 0 it counts as flat",
        math.sqrt,
        np.sqrt,
        (lambda _, y: y.select(0.5 / y, 0.0),),
        function("sqrt", matlab="sqrt_or_nan"),
    ),
    Operation(
        "sin",
        1,
        "the sine of a, in radians",
        math.sin,
        np.sin,
        (lambda x, _: x[0].cos(),),
        turned("sin"),
    ),
    Operation(
        "cos",
        1,
        "the cosine of a, in radians",
        math.cos,
        np.cos,
        (lambda x, _: -x[0].sin(),),
        turned("cos"),
    ),
    Operation(
        "atan2",
        2,
        "the angle of the vector (b, a), in [-π, π]; at the origin it counts as flat",
        math.atan2,
        np.arctan2,
        (lambda x, _: x[1] * _inverse_square(x), lambda x, _: -x[0] * _inverse_square(x)),
        function("atan2", "({0}, {1})", numpy="arctan2"),
    ),
    Operation(
        "exp",
        1,
        "e to the power of a",
        math.exp,
        np.exp,
        (lambda _, y: y,),
        function("exp"),
    ),
    Operation(
        "log",
        1,
        "the natural logarithm of a",
        math.log,
        np.log,
        (lambda x, _: 1.0 / x[0],),
        function("log", matlab="log_or_nan"),
    ),
    Operation(
        "min",
        2,
        "the lesser of a and b; of a number and a NaN, the number",
        _lesser,
        np.fmin,
        Choice(_first_is_less, 0, 1),
        extreme("min", "lesser"),
        commutative=True,
    ),
    Operation(
        "max",
        2,
        "the larger of a and b; of a number and a NaN, the number",
        _larger,
        np.fmax,
        Choice(_first_is_less, 1, 0),
        extreme("max", "larger"),
        commutative=True,
    ),
    Operation(
        "abs",
        1,
        "a without its sign; at 0 it counts as flat",
        abs,
        np.abs,
        (lambda x, _: x[0].sign(),),
        Spelling(
            c="fabs{f}({0})",
            lanes="magnitude({0})",
            cuda="magnitude({0})",
            matlab="abs({0})",
            maxima="abs({0})",
            python="abs({0})",
            numpy="np.abs({0})",
        ),
    ),
    Operation(
        "floor",
        1,
        "the largest whole number that is not above a",
        _floor,
        np.floor,
        None,
        function("floor", maxima="float(floor({0}))"),
    ),
    Operation(
        "sign",
        1,
        "1 where a > 0, -1 where a < 0, else 0",
        _sign,
        _sign,
        None,
        Spelling(
            c="({real})(({0} > 0) - ({0} < 0))",
            lanes="sign({0})",
            cuda="sign({0})",
            matlab="double({0} > 0) - double({0} < 0)",
            maxima="signum({0})",
            python="float({0} > 0.0) - float({0} < 0.0)",
            numpy="np.where({0} > 0.0, 1.0, 0.0) - np.where({0} < 0.0, 1.0, 0.0)",
        ),
    ),
    Operation(
        "less",
        2,
        "1 where a < b, else 0",
        _flag(operator.lt),
        _flag(np.less),
        None,
        comparison("less", "<"),
    ),
    Operation(
        "less_equal",
        2,
        "1 where a ≤ b, else 0",
        _flag(operator.le),
        _flag(np.less_equal),
        None,
        comparison("less_equal", "<="),
    ),
    Operation(
        "equal",
        2,
        "1 where a = b, else 0",
        _flag(operator.eq),
        _flag(np.equal),
        None,
        comparison("equal", "==", maxima="equal({0}, {1})"),
        commutative=True,
    ),
    Operation(
        "not_equal",
        2,
        "1 where a ≠ b, else 0",
        _flag(operator.ne),
        _flag(np.not_equal),
        None,
        comparison("not_equal", "!=", matlab="~=", maxima="notequal({0}, {1})"),
        commutative=True,
    ),
    Operation(
        "select",
        3,
        "b where a is not 0, else c; both are computed",
        _select,
        _select_entries,
        Choice(lambda x: x[0], 1, 2),
        Spelling(
            c="{0} != 0 ? {1} : {2}",
            lanes="choose({0}, {1}, {2})",
            cuda="choose({0}, {1}, {2})",
            matlab="chosen({0}, {1}, {2})",
            maxima="if notequal({0}, 0) then {1} else {2}",
            python="{1} if {0} else {2}",
            numpy="np.where({0} != 0.0, {1}, {2})",
        ),
        linear=(1, 2),
        simpler=simpler_choice,
        picky=True,
    ),
)

OPERATIONS = {operation.name: operation for operation in _TABLE}
"""Every instruction that computes, by its name."""

FREE = frozenset(("const", "input"))
"""What can be stated anew wherever it is needed."""

TURN = frozenset(("sin", "cos"))
"""What is computed for little more than one of them where both are wanted of one angle."""
