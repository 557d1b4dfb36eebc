"""The instructions that compute: what each means, folds and differentiates to, and is called in each language.

This table is the only place that says so. A record is complete or cannot be made, so that an instruction which some
language lacks does not exist. The others (program.py) move numbers and compute nothing: const, input, call, pick.
"""

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

Values = Sequence[Any]


class Numbers(Protocol):
    """Values by number, as identities see them: which are constant, which are another one negated, and new ones."""

    constants: list[float | None]
    negated: list[int | None]

    def constant(self, value: float) -> int: ...

    def value(self, op: str, args: tuple[int, ...]) -> int: ...

    def difference(self, value: int) -> tuple[int, int] | None: ...


@dataclass(frozen=True, slots=True)
class Spelling:
    """An instruction on {0}, {1}, {2} in every language, as an expression.

    C and CUDA have {real}, the type of a number, and {f}, what their library's names end in for it. Words that lanes.h,
    device.cuh, kernels.m and kernels.mac define may be used. C++ has the spelling of C.
    """

    c: str
    lanes: str
    cuda: str
    matlab: str
    maxima: str
    python: str
    """Python on floats; `math` has every instruction by its own name, and `float` makes what numbers are there."""
    numpy: str


Partial = Callable[[Values, Any], Any]
"""How a result changes with one argument: a value, from those of all arguments and of the result."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One argument is handed on where a condition is not 0, else another."""

    condition: Callable[[Values], Any]
    yes: int
    no: int


Derivative = tuple[Partial, ...] | Choice | None
"""A partial derivative for each argument, or which argument changes the result, or None: it does not change."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An instruction that computes.

    `compute` takes Python's floats and raises where they do; `numpy` takes NumPy's numbers and arrays, and goes on.
    `linear` lists arguments in which it is linear while the others stand still. `simpler` gives the number of an equal
    value that costs less, or None; it is asked where an argument is constant or negated, and always if `picky`.
    """

    name: str
    arguments: int
    meaning: str
    compute: Callable[..., Any]
    numpy: Callable[..., Any]
    derivative: Derivative
    spelling: Spelling
    linear: tuple[int, ...] = ()
    commutative: bool = False
    simpler: Callable[..., int | None] | None = None
    picky: bool = False

    def fold(self, constants: Sequence[Any]) -> float | None:
        """The number that it always is; None where Python has none, and languages have an infinity or NaN."""
        try:
            return float(self.compute(*constants))
        except (ArithmeticError, ValueError):
            return None


# ---------------------------------------------------------------- identities


def _sum(numbers: Numbers, a: int, b: int) -> int | None:
    if numbers.constants[a] == 0:
        return b
    if numbers.constants[b] == 0:
        return a
    if (x := numbers.negated[b]) is not None:
        return numbers.value("sub", (a, x))
    if (x := numbers.negated[a]) is not None:
        return numbers.value("sub", (b, x))
    return None


def _difference(numbers: Numbers, a: int, b: int) -> int | None:
    if numbers.constants[b] == 0:
        return a
    if numbers.constants[a] == 0:
        return numbers.value("neg", (b,))
    if a == b:
        return numbers.constant(0.0)
    if (x := numbers.negated[b]) is not None:
        return numbers.value("add", (a, x))
    if (x := numbers.negated[a]) is not None:
        return numbers.value("neg", (numbers.value("add", (x, b)),))
    return None


def _product(numbers: Numbers, a: int, b: int) -> int | None:
    if numbers.constants[b] is not None:
        a, b = b, a
    factor = numbers.constants[a]
    if factor == 0:
        return numbers.constant(0.0)
    if factor == 1:
        return b
    if factor is not None and factor < 0:
        return numbers.value("neg", (numbers.value("mul", (numbers.constant(-factor), b)),))
    if (x := numbers.negated[a]) is not None:
        return numbers.value("neg", (numbers.value("mul", (x, b)),))
    if (x := numbers.negated[b]) is not None:
        return numbers.value("neg", (numbers.value("mul", (a, x)),))
    return None


def _quotient(numbers: Numbers, a: int, b: int) -> int | None:
    if numbers.constants[b] == 1:
        return a
    return numbers.constant(0.0) if numbers.constants[a] == 0 else None


def _negative(numbers: Numbers, a: int) -> int | None:
    if (x := numbers.negated[a]) is not None:
        return x
    sides = numbers.difference(a)
    return None if sides is None else numbers.value("sub", (sides[1], sides[0]))


def _chosen(numbers: Numbers, condition: int, yes: int, no: int) -> int | None:
    known = numbers.constants[condition]
    if known is not None:
        return yes if known else no
    return yes if yes == no else None


# ---------------------------------------------------------------- meanings that Python has no word for


def _lesser(a: float, b: float) -> float:
    """As C's fmin: of a number and a NaN, the number."""
    return a if a < b or b != b else b


def _larger(a: float, b: float) -> float:
    return a if a > b or b != b else b


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


# ---------------------------------------------------------------- spellings that several share


def _infix(sign: str, matlab: str = "") -> Spelling:
    text, of_arrays = (f"{{0}} {each} {{1}}" for each in (sign, matlab or sign))
    return Spelling(text, text, text, of_arrays, text, text, text)


def _comparison(name: str, sign: str, matlab: str = "", maxima: str = "") -> Spelling:
    test = f"{{0}} {sign} {{1}}"
    return Spelling(
        c=f"({{real}})({test})",
        lanes=f"{name}({{0}}, {{1}})",
        cuda=f"{name}({{0}}, {{1}})",
        matlab=f"double({{0}} {matlab or sign} {{1}})",
        maxima=f"if {maxima or test} then 1.0 else 0.0",
        python=f"float({test})",
        numpy=f"np.where({test}, 1.0, 0.0)",
    )


def _function(name: str, arguments: str = "({0})", *, matlab: str = "", numpy: str = "") -> Spelling:
    """What every library has."""
    return Spelling(
        c=f"{name}{{f}}{arguments}",
        lanes=f"{name}_lanes{arguments}",
        cuda=f"{name}{{f}}{arguments}",
        matlab=f"{matlab or name}{arguments}",
        maxima=f"{name}{arguments}",
        python=f"math.{name}{arguments}",
        numpy=f"np.{numpy or name}{arguments}",
    )


def _turned(name: str) -> Spelling:
    """Lanes and GPUs compute sine and cosine together: a statement that says where both go."""
    both, one = "turn({0}, &{sine}, &{cosine});", f"{name}({{0}})"
    return Spelling(f"{name}{{f}}({{0}})", both, both, one, one, f"math.{one}", f"np.{one}")


def _extreme(name: str, word: str) -> Spelling:
    pair = f"{name}({{0}}, {{1}})"
    return Spelling(
        c=f"f{name}{{f}}({{0}}, {{1}})",
        lanes=f"{word}({{0}}, {{1}})",
        cuda=f"{word}({{0}}, {{1}})",
        matlab=pair,
        maxima=pair,
        python=f"math.{pair}",
        numpy=f"np.f{pair}",
    )


# ---------------------------------------------------------------- the table

_TABLE = (
    Operation(
        "add",
        2,
        "a + b",
        operator.add,
        np.add,
        (_one, _one),
        _infix("+"),
        linear=(0, 1),
        commutative=True,
        simpler=_sum,
    ),
    Operation(
        "sub",
        2,
        "a - b",
        operator.sub,
        np.subtract,
        (_one, _minus_one),
        _infix("-"),
        linear=(0, 1),
        simpler=_difference,
        picky=True,
    ),
    Operation(
        "mul",
        2,
        "a b",
        operator.mul,
        np.multiply,
        (lambda x, _: x[1], lambda x, _: x[0]),
        _infix("*", matlab=".*"),
        linear=(0, 1),
        commutative=True,
        simpler=_product,
    ),
    Operation(
        "div",
        2,
        "a / b",
        operator.truediv,
        np.divide,
        (lambda x, _: 1.0 / x[1], lambda x, y: -y * (1.0 / x[1])),
        _infix("/", matlab="./"),
        linear=(0,),
        simpler=_quotient,
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
        simpler=_negative,
        picky=True,
    ),
    Operation(
        "sqrt",
        1,
        "the square root of a; at 0 it counts as flat",
        math.sqrt,
        np.sqrt,
        (lambda _, y: y.select(0.5 / y, 0.0),),
        _function("sqrt", matlab="sqrt_or_nan"),
    ),
    Operation(
        "sin",
        1,
        "the sine of a, in radians",
        math.sin,
        np.sin,
        (lambda x, _: x[0].cos(),),
        _turned("sin"),
    ),
    Operation(
        "cos",
        1,
        "the cosine of a, in radians",
        math.cos,
        np.cos,
        (lambda x, _: -x[0].sin(),),
        _turned("cos"),
    ),
    Operation(
        "atan2",
        2,
        "the angle of the vector (b, a), in [-π, π]; at the origin it counts as flat",
        math.atan2,
        np.arctan2,
        (lambda x, _: x[1] * _inverse_square(x), lambda x, _: -x[0] * _inverse_square(x)),
        _function("atan2", "({0}, {1})", numpy="arctan2"),
    ),
    Operation(
        "exp",
        1,
        "e to the power of a",
        math.exp,
        np.exp,
        (lambda _, y: y,),
        _function("exp"),
    ),
    Operation(
        "log",
        1,
        "the natural logarithm of a",
        math.log,
        np.log,
        (lambda x, _: 1.0 / x[0],),
        _function("log", matlab="log_or_nan"),
    ),
    Operation(
        "min",
        2,
        "the lesser of a and b; of a number and a NaN, the number",
        _lesser,
        np.fmin,
        Choice(_first_is_less, 0, 1),
        _extreme("min", "lesser"),
        commutative=True,
    ),
    Operation(
        "max",
        2,
        "the larger of a and b; of a number and a NaN, the number",
        _larger,
        np.fmax,
        Choice(_first_is_less, 1, 0),
        _extreme("max", "larger"),
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
        _comparison("less", "<"),
    ),
    Operation(
        "less_equal",
        2,
        "1 where a ≤ b, else 0",
        _flag(operator.le),
        _flag(np.less_equal),
        None,
        _comparison("less_equal", "<="),
    ),
    Operation(
        "equal",
        2,
        "1 where a = b, else 0",
        _flag(operator.eq),
        _flag(np.equal),
        None,
        _comparison("equal", "==", maxima="equal({0}, {1})"),
        commutative=True,
    ),
    Operation(
        "not_equal",
        2,
        "1 where a ≠ b, else 0",
        _flag(operator.ne),
        _flag(np.not_equal),
        None,
        _comparison("not_equal", "!=", matlab="~=", maxima="notequal({0}, {1})"),
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
        simpler=_chosen,
        picky=True,
    ),
)

OPERATIONS = {operation.name: operation for operation in _TABLE}
"""Every instruction that computes, by its name."""

FREE = frozenset(("const", "input"))
"""What can be stated anew wherever it is needed."""

TURN = frozenset(("sin", "cos"))
"""What is computed for little more than one of them where both are wanted of one angle."""
