"""From glue in C to a builtin function of this Python: where to find what it needs, and whether it works.

Bundles carry this file along as it is: it knows NumPy and nothing else of ours.
"""

import ctypes
import math
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

NEW_ARRAY, SET_BASE = 93, 282  # PyArray_New and PyArray_SetBaseObject in NumPy's table of functions
FUNCTIONS = (
    "PyObject_Vectorcall",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyFloat_FromDouble",
    "PyLong_FromDouble",
    "Py_DecRef",
    "PyTuple_GetItem",
)
"""What the glue of a call calls of Python."""
FASTCALL_WITH_KEYWORDS = 0x0082


def supported() -> bool:
    """Whether this Python lays out its objects as the glue expects: CPython with its lock, 64 bits, not Windows."""
    free_threaded = not getattr(sys, "_is_gil_enabled", lambda: True)() or "t" in getattr(sys, "abiflags", "")
    return (
        sys.implementation.name == "cpython" and sys.maxsize > 2**32 and sys.platform != "win32" and not free_threaded
    )


class Shaped(Protocol):
    """A port, as far as it matters here."""

    @property
    def shape(self) -> tuple[int, ...]: ...


def builtin(
    library: ctypes.CDLL,
    dtype: np.dtype[Any],
    slow: Callable[..., Any],
    record: Callable[[Any], Any],
    *,
    guarded: bool = False,
) -> Callable[..., Any]:
    """The builtin function of a library. `slow` takes over what the glue does not read; `record` wraps several outputs.
    Guarded, it leaves answers that are not finite to `slow`, too.

    What is particular to this function hangs on it: two computations may well share one library.
    """
    known = (np.ndarray, dtype, float, np.float64)
    connect(library, *interface([NEW_ARRAY], FUNCTIONS), *map(id, known))
    entry = library.motionc_guarded if guarded else library.motionc_call
    return function("call", "", entry, (slow, record, library))


def function(name: str, words: str, entry: Any, particulars: tuple[Any, ...]) -> Callable[..., Any]:
    """A builtin function of this name, whose first argument in C are its particulars; `words` is what help says."""
    definition = _Method(name.encode(), address(entry), FASTCALL_WITH_KEYWORDS, words.encode() or None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    kept = type(particulars)((*particulars, definition))
    return make(ctypes.addressof(definition), kept, None)


def connect(library: ctypes.CDLL, *pointers: int | None) -> None:
    """Hand over what the glue in a library needs of Python and NumPy, in the order in which it is listed there."""
    library.motionc_connect((ctypes.c_void_p * len(pointers))(*pointers))


def address(entry: Any) -> int | None:
    """Where a function of a library is."""
    return ctypes.cast(entry, ctypes.c_void_p).value


def works(
    call: Callable[..., Any],
    inputs: Sequence[Shaped],
    outputs: Sequence[Shaped],
    dtype: np.dtype[Any],
    enter: Callable[[Any, Any], None],
) -> bool:
    """Whether the builtin function gives what the flat entry gives, on one sample; single numbers are Python's."""
    sample = [np.linspace(0.1, 0.9, _size(port), dtype=dtype).reshape(port.shape) for port in inputs]
    x = np.concatenate([np.empty(0, dtype), *(value.ravel() for value in sample)])
    y = np.empty(sum(map(_size, outputs)), dtype)
    enter(x, y)
    found = call(*(value if value.shape else float(value) for value in sample))
    values = (found,) if len(outputs) == 1 else tuple(found)
    return np.array_equal(np.concatenate([np.ravel(value) for value in values]), y, equal_nan=True)


class _Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def interface(numpy: Sequence[int], names: Sequence[str]) -> list[int | None]:
    """Addresses of functions that glue calls: NumPy's by their numbers, Python's by their names."""
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
    capsule = import_module("numpy._core._multiarray_umath")._ARRAY_API
    table = ctypes.cast(api.PyCapsule_GetPointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    return [*(table[number] for number in numpy), *(address(getattr(api, name)) for name in names)]


def _size(port: Shaped) -> int:
    return math.prod(port.shape)
