"""Maxima's text read back and computed here, for machines without Maxima: the part of the language that we emit.

Definitions `f(x) := …$`, assignments `x: …$`, `block`, lists, matrices and their products, `if`, comparisons,
arithmetic, functions of a scalar, and calls of our kernels, which run as program/kernels/ defines them. There are no
loops.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.program.kernels import KERNELS, Call

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z%_][\w%]*)|(?P<sign>:=|<=|>=|[-+*/^.,:;$()\[\]<>=#]))"
)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
PREFIX = "motionc_"

# ---------------------------------------------------------------- what can be computed

Scope = dict[str, Any]
Node = Callable[[Scope], Any]

BINARY: Mapping[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "or": (1, lambda a, b: a or b),
    "and": (2, lambda a, b: a and b),
    **{sign: (3, test) for sign, test in {"<": operator.lt, "<=": operator.le, ">": operator.gt}.items()},
    ">=": (3, operator.ge),
    "=": (3, operator.eq),
    "+": (4, operator.add),
    "-": (4, operator.sub),
    "*": (5, operator.mul),
    "/": (5, operator.truediv),
    ".": (6, np.dot),
    "^": (8, operator.pow),
}
UNARY = 7


def _identity(size: float) -> Any:
    return np.eye(int(size))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in ("sqrt", "sin", "cos", "tan", "asin", "atan2", "exp", "log")},
    "abs": abs,
    "floor": math.floor,
    "float": float,
    "min": min,
    "max": max,
    "signum": np.sign,
    "equal": operator.eq,
    "notequal": operator.ne,
    "invert": np.linalg.inv,
    "matrix": lambda *rows: np.array(rows, float),
    "transpose": np.transpose,
    "ident": _identity,
}
CONSTANTS = {"%pi": math.pi, "%e": math.e, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class _Function:
    parameters: tuple[str, ...]
    body: Node


class Session:
    """What texts have defined so far: functions to call and values to look up, by name."""

    def __init__(self, text: str = "") -> None:
        self.names: Scope = dict(CONSTANTS)
        if text:
            self.read(text)

    def read(self, text: str) -> None:
        """Carry out one statement after the other; the kernels' own text is passed over."""
        for statement in re.split(r"[$;]", COMMENT.sub(" ", text)):
            if statement.strip() and not statement.strip().startswith(PREFIX):
                _said(lambda text=statement: _Reader(text).statement()(self.names))

    def __call__(self, name: str, *arguments: Any) -> Any:
        """A function on numbers and (nested lists of) numbers, as arrays."""
        given = [np.asarray(x, float) if np.ndim(x) else float(x) for x in arguments]
        return _said(lambda: _called(self.names, name, given))

    def value(self, expression: str, **given: float) -> Any:
        """An expression where these names have these values."""
        return _said(lambda: _Reader(expression).whole()(self.names | given))


def _said(compute: Callable[[], Any]) -> Any:
    """What is wrong with a text, as an Error."""
    try:
        return compute()
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as wrong:
        raise Error(f"Maxima text cannot be computed: {wrong}") from wrong


# ---------------------------------------------------------------- reading


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.kind, self.token = "", ""
        self.advance()

    def advance(self) -> str:
        """The next token; returns the one before it."""
        before, found = self.token, TOKEN.match(self.text, self.at)
        if found is not None:
            self.at, self.kind, self.token = found.end(), str(found.lastgroup), found[str(found.lastgroup)]
        elif self.text[self.at :].strip():
            self.refuse(f"{self.text[self.at :].strip()[0]!r} is nothing we read")
        else:
            self.kind, self.token = "end", ""
        return before

    def refuse(self, what: str) -> None:
        line = self.text.count("\n", 0, self.at) + 1
        raise Error(f"Maxima text, line {line} of the statement {self.text.strip()[:40]!r}: {what}")

    def expect(self, token: str) -> None:
        if self.token != token:
            self.refuse(f"{token!r} expected, not {self.token or 'the end'!r}")
        self.advance()

    def met(self, token: str) -> bool:
        """Whether this is next; then we are behind it."""
        if self.token != token:
            return False
        self.advance()
        return True

    def whole(self) -> Node:
        node = self.expression()
        if self.kind != "end":
            self.refuse(f"{self.token!r} after the end of an expression")
        return node

    def statement(self) -> Node:
        """A definition, an assignment or an expression."""
        start = self.at, self.kind, self.token
        if self.kind == "name":
            name = self.advance()
            if self.met("("):
                parameters = self.listed(")", self.parameter)
                if self.met(":="):
                    function = _Function(tuple(str(one) for one in parameters), self.whole())
                    return lambda scope: scope.update({name: function})
        self.at, self.kind, self.token = start
        node = self.step()
        if self.kind != "end":
            self.refuse(f"{self.token!r} after the end of a statement")
        return node

    def parameter(self) -> str | None:
        return self.advance() if self.kind == "name" else _skipped(self.expression())

    def listed(self, end: str, read: Callable[[], Any]) -> list[Any]:
        """What stands between commas up to the end."""
        found = list[Any]()
        while self.token != end:
            found.append(read())
            if self.token not in (",", end):
                self.refuse(f"',' or {end!r} expected, not {self.token or 'the end'!r}")
            if self.token == ",":
                self.advance()
        self.advance()
        return found

    def step(self) -> Node:
        """An assignment, or an expression."""
        if self.kind == "name":
            start = self.at, self.kind, self.token
            name = self.advance()
            if self.token == ":":
                self.advance()
                node = self.expression()
                return lambda scope: scope.__setitem__(name, node(scope))
            self.at, self.kind, self.token = start
        return self.expression()

    def expression(self, least: int = 0) -> Node:
        node = self.operand()
        while self.token in BINARY and BINARY[self.token][0] > least:
            level, compute = BINARY[self.advance()]
            other = self.expression(level if compute is not operator.pow else level - 1)
            node = _binary(compute, node, other)
        return node

    def operand(self) -> Node:
        if self.token in ("-", "+"):
            sign, inner = self.advance(), self.expression(UNARY)
            return inner if sign == "+" else lambda scope: -inner(scope)
        if self.token == "not":
            self.advance()
            inner = self.expression(2)
            return lambda scope: not inner(scope)
        if self.token == "if":
            return self.conditional()
        if self.kind == "number":
            number = float(self.advance())
            return lambda scope: number
        if self.token == "(":
            self.advance()
            inner = self.expression()
            self.expect(")")
            return self.subscripts(inner)
        if self.token == "[":
            self.advance()
            items = self.listed("]", self.expression)
            return self.subscripts(lambda scope: _vector([item(scope) for item in items]))
        if self.kind != "name":
            self.refuse(f"{self.token or 'the end'!r} where an expression begins")
        name = self.advance()
        if self.token == "(":
            self.advance()
            if name == "block":
                return self.block()
            arguments = self.listed(")", self.expression)
            return self.subscripts(lambda scope: _called(scope, name, [argument(scope) for argument in arguments]))
        return self.subscripts(lambda scope: _looked_up(scope, name))

    def conditional(self) -> Node:
        self.expect("if")
        test = self.expression()
        self.expect("then")
        yes = self.expression()
        self.expect("else")
        no = self.expression()
        return lambda scope: yes(scope) if test(scope) else no(scope)

    def block(self) -> Node:
        """Local names, then steps; the last is the value."""
        self.expect("[")
        self.listed("]", self.parameter)
        self.expect(",")
        steps = self.listed(")", self.step)

        def run(scope: Scope) -> Any:
            value = None
            for step in steps:
                value = step(scope)
            return value

        return run

    def subscripts(self, node: Node) -> Node:
        """x[1][2], counted from 1; x[1, 2] of a matrix."""
        while self.token == "[":
            self.advance()
            places = self.listed("]", self.expression)
            node = _subscript(node, places)
        return node


def _skipped(node: Node) -> None:
    """An argument that is no parameter: what looked like a definition is a call."""
    return None


def _binary(compute: Callable[[Any, Any], Any], left: Node, right: Node) -> Node:
    return lambda scope: compute(left(scope), right(scope))


def _subscript(node: Node, places: list[Node]) -> Node:
    def pick(scope: Scope) -> Any:
        value = node(scope)
        for place in places:
            at = int(place(scope))
            if at < 1:
                raise IndexError(f"there is no entry {at}; Maxima counts from 1")
            value = value[at - 1]
        return value

    return pick


def _vector(items: list[Any]) -> Any:
    """A list of numbers or of equal arrays is an array; any other stays a list."""
    shapes = {np.shape(item) for item in items}
    return np.array(items) if len(shapes) < 2 and not any(isinstance(item, list) for item in items) else items


def _looked_up(scope: Scope, name: str) -> Any:
    if name not in scope:
        raise Error(f"Maxima text: {name!r} has no value here")
    return scope[name]


def _called(scope: Scope, name: str, arguments: list[Any]) -> Any:
    kernel = name.removeprefix(PREFIX)
    if name.startswith(PREFIX) and kernel in KERNELS:
        return kernel_of(kernel, *arguments)
    function = scope.get(name)
    if isinstance(function, _Function):
        if len(arguments) != len(function.parameters):
            raise Error(f"Maxima text: {name} takes {len(function.parameters)} arguments, not {len(arguments)}")
        return function.body(scope | dict(zip(function.parameters, arguments, strict=True)))
    if name not in FUNCTIONS:
        raise Error(f"Maxima text: {name!r} is no function we know; we know {', '.join(sorted(FUNCTIONS))}")
    return FUNCTIONS[name](*arguments)


def kernel_of(name: str, values: Any, rows: Any, how: float, most: float = 0, weights: Any = ()) -> Any:
    """A kernel on its numbers, told what emitted texts tell it."""
    kernel, rows = KERNELS[name], tuple(int(row) for row in rows)
    columns = 1 if kernel.square or kernel.along else len(values) // sum(rows)
    told = {"most": int(most), "weights": tuple(float(weight) for weight in weights), "columns": columns}
    call = Call(name, rows, float(how), **told)
    if kernel.along is not None:
        tried = (Call(name, (m,), None, rows, int(how)) for m in range(1, len(values) + 1))
        fitting = [call for call in tried if call.inputs == len(values)]
        if not fitting:
            raise Error(f"Maxima text: {name} with {int(how)} columns never takes {len(values)} numbers")
        (call,) = fitting
    return np.array(call.run([float(value) for value in values]))
