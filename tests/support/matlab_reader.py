"""MATLAB's text read back and computed here, for machines without Octave: the function of a file that we emit.

All of a file is checked for its structure: brackets, and an `end` for each block. The first function is computed, line
by line, states side by side; helpers it calls are NumPy's here, and kernels run as program/kernels/ defines them.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from maxima_reader import kernel_of
from motionc.errors import Error
from motionc.program.kernels import KERNELS
from motionc.targets.kernels import text_of

Array = np.ndarray
OPENING, CLOSING = "([{", ")]}"
BLOCKS = r"\b(function|if|for|while|switch|end)\b"
INDEX = re.compile(r"\b(?P<name>\w+)\((?P<row>\d+), :\)")
ROW = re.compile(r"\[(?P<numbers>[\w.+\- ]*)\]")
SAID = re.compile(r"(?<![\w)\]}'])'[^'\n]*'|%.*")
"""Strings and comments; a quote behind a value is a transpose."""
SIGNS = {".*": "*", "./": "/", "~=": "!=", "{": "[", "}": "]"}


def computed(text: str, *inputs: Any) -> list[Array]:
    """The outputs of a file's first function for inputs of one state, each with its own shape."""
    function = checked(text)[0]
    head, *lines = _statements(function)
    found = re.fullmatch(r"function \[(?P<outputs>[\w, ]*)\] = \w+\((?P<inputs>[\w, ]*)\)", head)
    if found is None:
        raise Error(f"MATLAB text: {head!r} is no heading of a function we emit")
    scope = dict(HELPERS) | dict(zip(found["inputs"].split(", "), map(np.asarray, inputs), strict=True))
    for line in lines:
        target, _, value = line.removesuffix(";").partition(" = ")
        names = re.findall(r"\w+", target)
        result = _value(value, scope)
        scope.update(zip(names, result if len(names) > 1 else [result], strict=True))
    return [scope[name] for name in found["outputs"].split(", ")]


def checked(text: str) -> list[str]:
    """The functions of a file, each with its `end`, all brackets closed; a sentence where that is not so."""
    plain = SAID.sub("", text)
    open_ones = list[str]()
    for sign in re.sub(rf"[^{re.escape(OPENING + CLOSING)}]", "", plain):
        if sign in OPENING:
            open_ones.append(sign)
        elif not open_ones or OPENING.index(open_ones.pop()) != CLOSING.index(sign):
            raise Error(f"MATLAB text: a {sign!r} that closes nothing")
    if open_ones:
        raise Error(f"MATLAB text: {open_ones[-1]!r} is never closed")
    starts, depth, functions = 0, 0, list[str]()
    for line in text.splitlines(keepends=True):
        if line.startswith("function "):
            functions.append("")
        if functions:
            functions[-1] += line
        # what ends an index is no end of a block
        bare = SAID.sub("", line)
        while bare != (bare := re.sub(r"[({][^(){}]*[)}]", "", bare)):
            pass
        words = re.findall(BLOCKS, bare)
        starts += words.count("function")
        depth += len(words) - 2 * words.count("end")
        if depth < 0 or (line.startswith("function ") and depth != 1):
            raise Error(f"MATLAB text: {line.strip()!r} where {'nothing is open' if depth < 0 else 'a block is open'}")
    if depth or not starts:
        raise Error("MATLAB text: there is no function" if not starts else "MATLAB text: an end is missing")
    return functions


def _statements(function: str) -> list[str]:
    """Without comments and the last end, lines joined that go on."""
    lines = re.sub(r" \.\.\.\n\s*", " ", re.sub(r"^ *%.*\n", "", function, flags=re.MULTILINE)).splitlines()
    statements = [line.strip() for line in lines if line.strip()]
    if not all(line.endswith(";") for line in statements[1:-1]) or statements[-1] != "end":
        raise Error("MATLAB text: a statement without its semicolon, or a function without its end")
    return statements[:-1]


def _value(expression: str, scope: Mapping[str, Any]) -> Any:
    """The same in Python's words."""
    text = INDEX.sub(lambda found: f"{found['name']}[{int(found['row']) - 1}]", expression)
    text = ROW.sub(lambda found: f"[{', '.join(found['numbers'].split())}]", text)
    text = re.sub(r"@\((\w+)\)", r"lambda \1:", text)
    for matlab, python in SIGNS.items():
        text = text.replace(matlab, python)
    try:
        return eval(compile(ast.parse(text, mode="eval"), "matlab", "eval"), {"__builtins__": {}, **scope})
    except (SyntaxError, NameError, TypeError, LookupError) as wrong:
        raise Error(f"MATLAB text: {expression[:60]!r} cannot be computed: {wrong}") from wrong


# ---------------------------------------------------------------- what emitted functions are written in


def _stacked(states: int, values: Sequence[Any]) -> Array:
    return np.array([np.broadcast_to(value, states) for value in values], float).reshape(len(values), states)


def _each_state(kernel: Callable[[Array], Array], outputs: int, states: int, values: Sequence[Any]) -> Array:
    given = _stacked(states, values)
    return np.array([kernel(given[:, state]) for state in range(states)]).T.reshape(outputs, states)


def _looked_up(table: Array, offset: int, stride: int, count: int, index: Any) -> Array:
    rows = offset + stride * np.floor(np.fmin(np.fmax(index, 0), count - 1)).astype(int)
    return np.take_along_axis(table, np.broadcast_to(rows, (1, table.shape[1])), 0)[0]


def _kernel(name: str) -> Callable[..., Array]:
    return lambda values, rows, *how: kernel_of(name, values, rows, *how)


HELPERS: Mapping[str, Any] = {
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "abs")},
    **{text_of(name).name: _kernel(name) for name in KERNELS},
    "asin": np.arcsin,
    "atan2": np.arctan2,
    "max": np.maximum,
    "min": np.minimum,
    "double": lambda x: np.asarray(x, float),
    "single": lambda x: np.asarray(x, np.float32),
    "sqrt_or_nan": np.sqrt,
    "log_or_nan": np.log,
    "looked_up": _looked_up,
    "chosen": lambda condition, yes, no: np.where(np.asarray(condition) != 0, yes, no),
    "entries": lambda name, x, sizes: (np.reshape(x, (int(np.prod(sizes, dtype=int)), 1)).astype(float), 1),
    "common": lambda counts: max([1, *counts]),
    "stacked": _stacked,
    "each_state": _each_state,
    "shaped": lambda x, sizes: x.reshape(sizes),
    "Inf": np.inf,
    "NaN": np.nan,
}
