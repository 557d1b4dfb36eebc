"""The definition of a kernel as text: the functions of sweeps/ that it is written in, word for word, and nothing else.

So the loops are written once. Scalars are floats here: what only counts operations stays behind.
"""

import ast
import inspect
import textwrap
from functools import cache, partial
from types import ModuleType
from typing import Any

from motionc.program import box, kernels, scalars
from motionc.program.kernels import KERNELS, Call
from motionc.targets.assignments import policy

HOME = (scalars, box, kernels)

SCALARS = {
    "select": "def select(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:\n    return yes if condition else no",
    "greater": "def greater(a: Scalar, b: Scalar) -> Scalar:\n    return 1.0 if a > b else 0.0",
    "choose": "choose = select",
    "maximum": "maximum = max",
    "minimum": "minimum = min",
    "absolute": "absolute = abs",
    "root": "def root(a: Scalar) -> Scalar:\n    return a**0.5",
}
"""What scalars.py says of floats and counters, for floats alone."""

TYPES = {
    "Scalar": "Scalar = Any",
    "Rows": "Rows = list[list[Scalar]]",
    "Solve": "Solve = Callable[..., tuple[list[Scalar], ...]]",
}
IMPORTS = {
    "collections.abc": ("Callable", "Iterator"),
    "dataclasses": ("dataclass",),
    "functools": ("partial",),
    "itertools": ("accumulate",),
    "typing": ("Any", "NamedTuple"),
}


def kernel_text(call: Call) -> str:
    """The call as an expression on `rows` and `right`: the kernel's definition with all that it was told."""
    kernel, told = KERNELS[call.kernel], policy(call)
    if kernel.along is None:
        return f"{_expression(kernel.define)}(rows, right, {told!r})"
    return f"[{_expression(kernel.along)}(rows, right, {', '.join(map(repr, told))})]"


def definitions(texts: list[str]) -> list[str]:
    """What these texts need, in an order in which it can stand."""
    found, asked = set[str](), [*texts]
    sources = known()
    while asked:
        for name in _names(asked.pop()):
            if name in sources and name not in found:
                found.add(name)
                asked.append(sources[name])
    return [source for name, source in sources.items() if name in found]


def imports(texts: list[str]) -> list[str]:
    """What they need of Python's own library."""
    used = {name for text in texts for name in _names(text)}
    asked = {module: [name for name in names if name in used] for module, names in IMPORTS.items()}
    return [f"from {module} import {', '.join(names)}" for module, names in asked.items() if names]


@cache
def known() -> dict[str, str]:
    """Everything that definitions may name: types, constants and scalars, then functions and classes as they stand."""
    sources = {**TYPES, **SCALARS}
    for module in HOME:
        own = vars(module)
        sources |= {name: f"{name} = {value!r}" for name, value in own.items() if isinstance(value, float | int)}
    for module in HOME:
        sources |= {name: _source(value) for name, value in vars(module).items() if _belongs(value, module, sources)}
    return sources


def _belongs(value: Any, module: ModuleType, known: dict[str, str]) -> bool:
    """Whether it is a function or class of this module that is not told in another way."""
    here = (inspect.isfunction(value) or inspect.isclass(value)) and value.__module__ == module.__name__
    return here and value.__name__ not in known and value not in (kernels.Kernel, kernels.Call, scalars.Tally)


def _source(value: Any) -> str:
    return textwrap.dedent(inspect.getsource(value)).strip()


def _expression(define: Any) -> str:
    """A function by name; a partial one with what it was given."""
    if isinstance(define, partial):
        given = [f"{name}={_expression(value)}" for name, value in define.keywords.items()]
        return f"partial({', '.join([_expression(define.func), *given])})"
    return define.__name__ if callable(define) else repr(define)


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
