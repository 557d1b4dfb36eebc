"""Our reader of Maxima's text: what it computes is what Python computes, and what it cannot read it says."""

import math

import numpy as np
import pytest

import motionc as mc
from maxima_reader import Session
from rows import row

X, Y = 0.3, -1.7
EXPRESSIONS = {
    "1.234E-6*x - y": 1.234e-6 * X - Y,
    "-x^2 + 2*-y": -(X**2) + 2 * -Y,
    "2^3^0.5": 2 ** (3**0.5),
    "x - y - 1": X - Y - 1,
    "x/y/2": X / Y / 2,
    "sin(x + y)*cos(-x + y) - 0.35*sin(x)": math.sin(X + Y) * math.cos(Y - X) - 0.35 * math.sin(X),
    "if x < y then 1.0 else if x >= 0.3 and not y > 0 then 2.0 else 3.0": 2.0,
    "atan2(y, x) + abs(y)*signum(y) + max(x, y, 2)": math.atan2(Y, X) + Y + 2,
    "[1, [2, 3], x][3]": X,
    "(matrix([1, 2], [3, 4]) . [x, y])[2]": 3 * X + 4 * Y,
    "invert(matrix([2, 0], [0, 4]))[2, 2] + %pi": 0.25 + math.pi,
    "block([a, b], a: x + 1, b: a*a, b - a)": (X + 1) ** 2 - (X + 1),
}


@row("robcogen", 36)
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_has_the_value_python_gives_it(text: str) -> None:
    assert Session().value(text, x=X, y=Y) == pytest.approx(EXPRESSIONS[text], rel=1e-15)


def test_functions_see_their_own_names_and_comments_are_passed_over() -> None:
    session = Session("/* a; b$ */ f(x) := block([t], t: 2*x, t + c)$ c: 5; g(x, y) := f(y) . x$")
    assert session("f", 1.5) == 8
    assert np.array_equal(session("g", np.eye(2), 0.5), 6 * np.eye(2))
    with pytest.raises(mc.Error, match="f takes 1 arguments, not 2"):
        session("f", 1, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "2*": "'the end' where an expression begins",
        "f(1": r"',' or '\)' expected",
        "x y": "'y' after the end",
        "2 ! 3": "'!' is nothing we read",
        "z + 1": "'z' has no value",
        "system(x)": "'system' is no function we know",
        "1/0": "division by zero",
        "[1, 2][3]": "out of bounds",
        "[1, 2][0]": "counts from 1",
        "(" * 9999: "recursion",
    }.items(),
)
def test_what_cannot_be_read_gets_a_sentence(text: str, said: str) -> None:
    with pytest.raises(mc.Error, match=said):
        Session().value(text, x=X, y=Y)
