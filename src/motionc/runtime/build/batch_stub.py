"""Which C stands around the lanes of a computation: the loop over all states, and a builtin function for Python.

The text, batch_states.c and batch_stub.c, is the same for all computations and built once a machine; what it needs of
CPython and NumPy arrives as pointers, what it needs to know of a computation as numbers. Without a Python that lays out
its objects as expected there is no builtin function, but the same loop.
"""

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from motionc.program.port import Port
from motionc.runtime.build import call_stub, compiler, python_abi
from motionc.runtime.build.cache import fetch, key
from motionc.runtime.build.loading import loaded

Array = np.ndarray[Any, np.dtype[Any]]

AXES = 8
"""Of a port, at most, as batch_stub.c has them."""
FEW, SHORT = 1 / 4, 100
"""Up to this part of the lanes states are computed one by one, for a block takes as long as 1.3 to 3.6 of them; of a
program of so few instructions twice as many, for there it is what surrounds a block that takes long.
"""
APART = 200_000
"""Instructions, over all states, from which on other threads go on meanwhile: some ten microseconds."""

FUNCTIONS = (
    "PyObject_Vectorcall",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyTuple_GetItem",
    "PyTuple_Size",
    "PyLong_AsLongAndOverflow",
    "Py_IncRef",
    "Py_DecRef",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
)
WORDS = tuple(map(sys.intern, ("axis", "threads", "out")))
"""What may be said by name; Python keeps one object of each."""
SIGNATURE = "batch(*inputs, axis=0, threads=None, out=None, **named)"


class Head(NamedTuple):
    """What is told of a computation before its ports, as batch_stub.c explains."""

    many: int
    one: int
    lanes: int
    few: int
    most: int
    apart: int
    bytes: int
    inputs: int
    outputs: int


@cache
def library(tool: compiler.Compiler) -> ctypes.CDLL:
    """The C around batches, from the build cache or built now."""

    def build(path: Path) -> None:
        compiler.compile_library(tool, text(), path, instructions=1, label="batches")

    path = fetch(key("batches", text(), compiler.fingerprint(tool, 1)), ".so", build)
    return loaded(path, "motionc_connect", "motionc_states", "motionc_many")


def text() -> str:
    """What is compiled."""
    files = [resources.files("motionc.runtime.build").joinpath(name) for name in ("batch_states.c", "batch_stub.c")]
    states, stub = (file.read_text(encoding="utf-8") for file in files)
    return f"{states}\n{call_stub.OBJECTS}\n{stub}"


def fits(inputs: Sequence[Port], outputs: Sequence[Port]) -> bool:
    """Whether there are ports to read and write, of no more axes than the C knows."""
    return bool(inputs and outputs) and all(len(port.shape) <= AXES for port in (*inputs, *outputs))


def described(
    many: Any,
    one: Any,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    dtype: np.dtype[Any],
    *,
    lanes: int,
    size: int,
    most: int,
) -> Array:
    """A computation as batch_stub.c reads it: `many` states through its loop in lanes, or `one` alone."""
    number = np.dtype(np.int64)
    head = Head(
        many=python_abi.address(many) or 0,
        one=python_abi.address(one) or 0,
        lanes=lanes,
        few=max(int(lanes * (FEW if size > SHORT else 2 * FEW)), 1),
        most=most,
        apart=APART // max(size, 1),
        bytes=dtype.itemsize,
        inputs=len(inputs),
        outputs=len(outputs),
    )
    words = [*head]
    for port, whole in [*((port, False) for port in inputs), *((port, port.space.whole) for port in outputs)]:
        kind = number if whole else dtype
        shape = (*port.shape, *(0,) * (AXES - len(port.shape)))
        words += [id(kind), kind.num, kind.itemsize, whole, len(port.shape), port.size, *shape]
    return np.array(words, np.int64)


def states(stub: ctypes.CDLL, told: Array) -> Callable[..., None]:
    """The loop over states, which is told how many, and of inputs and outputs addresses and two strides each."""
    entry = stub.motionc_states
    entry.argtypes, entry.restype = (ctypes.c_void_p, ctypes.c_long, *(ctypes.c_void_p,) * 6), None
    return partial(entry, told.ctypes)  # which keeps what it tells of


class Particulars(tuple[Any, ...]):
    """What a builtin batch has of its own. It is pickled as the method that it stands for, which comes first here."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _whose, (self[0],)


def _whose(slow: Any) -> Any:
    return slow.__self__


def builtin(
    stub: ctypes.CDLL, told: Array, slow: Callable[..., Any], records: tuple[Any, Any], words: str = ""
) -> Callable[..., Any]:
    """The builtin function of a computation. `slow` takes over what it does not read; `records` are those of several
    outputs, with the states first and last; `words` are those of help.
    """
    functions = python_abi.interface((python_abi.NEW_ARRAY, python_abi.SET_BASE), FUNCTIONS)
    known = (np.ndarray, float, np.float64, int, tuple, None, 0, -1, *WORDS)
    python_abi.connect(stub, *functions, *map(id, known))
    return python_abi.function(
        "batch", f"{SIGNATURE}\n--\n\n{words}", stub.motionc_many, Particulars((slow, *records, told, stub))
    )
