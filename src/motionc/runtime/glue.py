"""The shortest way from Python to a kernel: a builtin function made from generated C, without any Python header.

The glue reads NumPy arrays in place when they are just right (the computation's type, C order, the right shape) and
leaves everything else to a slower Python function, which converts or names what is wrong. What it needs of CPython and
NumPy arrives as pointers, and it is tried on a sample before anybody relies on it.
"""

import ctypes
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from motionc.sweeps.solver import Port

HEAD = """
#include <stddef.h>

/* the beginnings of a Python object and of a NumPy array, as every release since 1.7 lays them out */
typedef struct { ptrdiff_t references; void *type; } Object;
typedef struct {
    Object head;
    char *data;
    int axes;
    ptrdiff_t *shape, *strides;
    Object *base, *kind;
    int flags;
} Array;

static struct {
    Object *(*new_array)(void *, int, const ptrdiff_t *, int, const ptrdiff_t *, void *, int, int, void *);
    Object *(*call)(Object *, Object *const *, size_t, Object *);
    Object *(*new_tuple)(ptrdiff_t);
    int (*set_item)(Object *, ptrdiff_t, Object *);
    Object *(*new_float)(double);
    void (*release)(Object *);
    Object *(*get_item)(Object *, ptrdiff_t);
    void *array_type, *kind;
} python;

void motionc_connect(void **pointers);
void motionc_connect(void **pointers)
{
    for (size_t k = 0; k < sizeof python / sizeof(void *); ++k) ((void **)&python)[k] = pointers[k];
}

static int fits(const Object *object, int axes, const ptrdiff_t *shape)
{
    const Array *array = (const Array *)object;
    if (object->type != python.array_type || array->axes != axes) return 0;
    if (array->kind != python.kind || (array->flags & 0x101) != 0x101) return 0;
    for (int k = 0; k < axes; ++k)
        if (array->shape[k] != shape[k]) return 0;
    return 1;
}
"""

SIGNATURE = "Object *motionc_call(Object *self, Object *const *given, ptrdiff_t count, Object *names)"

POINTERS = 9
NEW_ARRAY = 93  # PyArray_New in NumPy's table of functions
FASTCALL_WITH_KEYWORDS = 0x0082


def supported() -> bool:
    """Whether this Python lays out its objects as the glue expects: CPython with its lock, 64 bits, not Windows."""
    free_threaded = not getattr(sys, "_is_gil_enabled", lambda: True)() or "t" in getattr(sys, "abiflags", "")
    return (
        sys.implementation.name == "cpython" and sys.maxsize > 2**32 and sys.platform != "win32" and not free_threaded
    )


def emit(name: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...], dtype: np.dtype[Any]) -> str:
    """C for a builtin function around the kernel `name`."""
    real = {8: "double", 4: "float"}[dtype.itemsize]
    lines = [HEAD]
    for kind, ports in (("in", inputs), ("out", outputs)):
        for k, port in enumerate(ports):
            shape = ", ".join(map(str, port.shape)) or "1"
            lines.append(f"static const ptrdiff_t shape_{kind}{k}[] = {{{shape}}};")
    conditions = "".join(f"\n        || !fits(given[{k}], {len(p.shape)}, shape_in{k})" for k, p in enumerate(inputs))
    lines += [
        "",
        f"{SIGNATURE};",
        SIGNATURE,
        "{",
        f"    if (names || count != {len(inputs)}{conditions})",
        "        return python.call(python.get_item(self, 0), given, (size_t)count, names);",
    ]
    for k, port in enumerate(outputs):
        if port.shape:
            about = f"{len(port.shape)}, shape_out{k}, {dtype.num}"
            lines.append(f"    Object *out{k} = python.new_array(python.array_type, {about}, NULL, NULL, 0, 0, NULL);")
        else:
            lines.append(f"    {real} value{k} = 0;")
    made = [k for k, port in enumerate(outputs) if port.shape]
    release = " ".join(f"if (out{k}) python.release(out{k});" for k in made)
    if made:
        lines.append(f"    if ({' || '.join(f'!out{k}' for k in made)}) {{ {release} return NULL; }}")
    arguments = [f"(const {real} *)((Array *)given[{k}])->data" for k in range(len(inputs))]
    arguments += [f"({real} *)((Array *)out{k})->data" if p.shape else f"&value{k}" for k, p in enumerate(outputs)]
    lines.append(f"    {name}({(',' + chr(10) + ' ' * 8).join(arguments)});")
    for k, port in enumerate(outputs):
        if not port.shape:
            lines += [f"    Object *out{k} = python.new_float(value{k});", f"    if (!out{k}) return NULL;"]
    if len(outputs) == 1:
        lines.append("    return out0;")
    else:
        lines += [f"    Object *all = python.new_tuple({len(outputs)});", "    if (!all) return NULL;"]
        lines += [f"    python.set_item(all, {k}, out{k});" for k in range(len(outputs))]
        lines += [
            "    Object *const items[] = {all};",
            "    Object *result = python.call(python.get_item(self, 1), items, 1, NULL);",
            "    python.release(all);",
            "    return result;",
        ]
    return "\n".join([*lines, "}", ""])


def builtin(
    library: Path, dtype: np.dtype[Any], slow: Callable[..., Any], record: Callable[[Any], Any]
) -> Callable[..., Any]:
    """The builtin function of a library. `slow` takes over what the glue does not read; `record` wraps several outputs.

    What is particular to this function hangs on it: two computations may well share one library.
    """
    loaded = ctypes.CDLL(str(library))
    pointers = (ctypes.c_void_p * POINTERS)(*_interface(), id(np.ndarray), id(dtype))
    loaded.motionc_connect(pointers)
    address = ctypes.cast(loaded.motionc_call, ctypes.c_void_p).value
    definition = _Method(b"call", address, FASTCALL_WITH_KEYWORDS, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(ctypes.addressof(definition), (slow, record, definition, loaded), None)


def works(
    call: Callable[..., Any],
    inputs: tuple[Port, ...],
    outputs: tuple[Port, ...],
    dtype: np.dtype[Any],
    enter: Callable[[Any, Any], None],
) -> bool:
    """Whether the builtin function gives what the flat entry gives, on one sample."""
    sample = [np.linspace(0.1, 0.9, port.size, dtype=dtype).reshape(port.shape) for port in inputs]
    x = np.concatenate([np.empty(0, dtype), *(value.ravel() for value in sample)])
    y = np.empty(sum(port.size for port in outputs), dtype)
    enter(x, y)
    found = call(*sample)
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


def _interface() -> list[int | None]:
    """Addresses of the functions the glue calls."""
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
    capsule = import_module("numpy._core._multiarray_umath")._ARRAY_API
    table = ctypes.cast(api.PyCapsule_GetPointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    names = (
        "PyObject_Vectorcall",
        "PyTuple_New",
        "PyTuple_SetItem",
        "PyFloat_FromDouble",
        "Py_DecRef",
        "PyTuple_GetItem",
    )
    return [table[NEW_ARRAY], *(ctypes.cast(getattr(api, name), ctypes.c_void_p).value for name in names)]
