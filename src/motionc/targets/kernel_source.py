"""The definition of a kernel as text: the functions of program/kernels/ it is written in, word for word, nothing else.

So the loops are written once. Scalars are floats here: what only counts operations stays behind.
"""

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from motionc.program import kernels
from motionc.program.kernels import KERNELS, Call, scalars
from motionc.targets.assignments import policy

SCALARS = {
    "select": "def select(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:\n    return yes if condition else no",
    "greater": "def greater(a: Scalar, b: Scalar) -> Scalar:\n    return 1.0 if a > b else 0.0",
    "choose": "choose = select",
    "holds": "def holds(condition: Scalar, _: bool) -> bool:\n    return bool(condition)",
    "maximum": "maximum = max",
    "minimum": "minimum = min",
    "absolute": "absolute = abs",
    "root": 'def root(a: Scalar) -> Scalar:\n    return a**0.5 if a >= 0.0 else float("nan")',
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


def known() -> dict[str, str]:
    """Everything that definitions may name: types, constants and scalars, then functions and classes as they stand."""
    homes = {of.__module__ for kernel in KERNELS.values() for of in _functions(kernel.along or kernel.define)}
    return _of_modules(
        (*dict.fromkeys((scalars.__name__, *(file for home in sorted(homes) for file in _files(home)))),)
    )


def _files(module: str) -> Iterator[str]:
    """A file of kernels, after those whose functions and classes it reads."""
    for value in vars(sys.modules[module]).values():
        other = getattr(value, "__module__", None)
        if inspect.isclass(value) and other and other != module and other.startswith(kernels.__name__):
            yield from _files(other)
    yield module


@cache
def _of_modules(modules: tuple[str, ...]) -> dict[str, str]:
    told = {**TYPES, **SCALARS}
    sources, names = dict(told), {module: vars(sys.modules[module]) for module in modules}
    for own in names.values():
        sources |= {name: f"{name} = {value!r}" for name, value in own.items() if isinstance(value, float | int)}
    for module, own in names.items():
        for name, value in own.items():
            here = (inspect.isfunction(value) or inspect.isclass(value)) and value.__module__ == module
            if here and name not in told and value is not scalars.Tally:
                assert name not in sources, f"two kernels are written in a function {name}; one file holds all of them"
                sources[name] = _source(value)
    return sources


def _functions(define: Any) -> Iterator[Any]:
    """What a definition is made of: a function, and those it was given."""
    if isinstance(define, partial):
        yield from (one for part in (define.func, *define.keywords.values()) for one in _functions(part))
    elif callable(define):
        yield define


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
