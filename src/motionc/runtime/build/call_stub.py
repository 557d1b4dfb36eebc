"""Which C stands around a kernel so that Python can call it: an entry behind two pointers, and a builtin function.

The builtin function is the shortest way there is, and needs no Python header: it reads NumPy arrays in place when they
are just right (the computation's type, C order, the right shape), takes Python's floats where one number is wanted, and
leaves everything else to a slower function of Python, which converts or names what is wrong. What it needs of CPython
and NumPy arrives as pointers (`connect`), which python_abi.py hands over.
"""

from typing import Any

import numpy as np

from motionc.program.port import Port
from motionc.program.program import Program

OBJECTS = """
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
"""
HEAD = """static struct {
    Object *(*new_array)(void *, int, const ptrdiff_t *, int, const ptrdiff_t *, void *, int, int, void *);
    Object *(*call)(Object *, Object *const *, size_t, Object *);
    Object *(*new_tuple)(ptrdiff_t);
    int (*set_item)(Object *, ptrdiff_t, Object *);
    Object *(*new_float)(double);
    Object *(*new_int)(double);
    void (*release)(Object *);
    Object *(*get_item)(Object *, ptrdiff_t);
    void *array_type, *kind, *float_type, *double_type;
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

SQUARES = {"double": (4e-150, 1e150), "float": (4e-18, 1e18)}
"""Between which the square of a quaternion is that the square of a product of two neither vanishes nor overflows."""

SIGNATURE = "Object *motionc_call(Object *self, Object *const *given, ptrdiff_t count, Object *names)"


def emit(name: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...], dtype: np.dtype[Any]) -> str:
    """C for a builtin function around the kernel `name`."""
    real = {8: "double", 4: "float"}[dtype.itemsize]
    scalars = [k for k, port in enumerate(inputs) if not port.shape]
    lines = [OBJECTS, HEAD, *(_number(real) if scalars else ())]
    for kind, ports in (("in", inputs), ("out", outputs)):
        for k, port in enumerate(ports):
            shape = ", ".join(map(str, port.shape)) or "1"
            lines.append(f"static const ptrdiff_t shape_{kind}{k}[] = {{{shape}}};")
    conditions = "".join(f"\n        || !{_fitting(k, port)}" for k, port in enumerate(inputs))
    lines += [
        "",
        f"{SIGNATURE};",
        SIGNATURE,
        "{",
        *(f"    {real} number{k} = 0;" for k in scalars),
        f"    if (names || count != {len(inputs)}{conditions})",
        "        return python.call(python.get_item(self, 0), given, (size_t)count, names);",
    ]
    for k, port in enumerate(outputs):
        if port.shape:
            kind = np.dtype(np.int64) if port.space.whole else dtype
            about = f"{len(port.shape)}, shape_out{k}, {kind.num}"
            lines.append(f"    Object *out{k} = python.new_array(python.array_type, {about}, NULL, NULL, 0, 0, NULL);")
        else:
            lines.append(f"    {real} value{k} = 0;")
    made = [k for k, port in enumerate(outputs) if port.shape]
    release = " ".join(f"if (out{k}) python.release(out{k});" for k in made)
    if made:
        lines.append(f"    if ({' || '.join(f'!out{k}' for k in made)}) {{ {release} return NULL; }}")
    arguments = [
        f"(const {real} *)((Array *)given[{k}])->data" if p.shape else f"&number{k}" for k, p in enumerate(inputs)
    ]
    arguments += [_written_to(k, port, real) for k, port in enumerate(outputs)]
    lines += [f"    {real} counts{k}[{max(p.size, 1)}];" for k, p in enumerate(outputs) if p.shape and p.space.whole]
    lines.append(f"    {name}({(',' + chr(10) + ' ' * 8).join(arguments)});")
    for k, port in enumerate(outputs):
        if not port.shape:
            made = f"new_int({_counted(f'value{k}')})" if port.space.whole else f"new_float(value{k})"
            lines += [f"    Object *out{k} = python.{made};", f"    if (!out{k}) return NULL;"]
        elif port.space.whole:
            entry = f"((long long *)((Array *)out{k})->data)[i] = {_counted(f'counts{k}[i]')};"
            lines.append(f"    for (int i = 0; i < {port.size}; ++i) {entry}")
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
    lines += ["}", ""]
    if len(outputs) == 1 and outputs[0].shape:
        lines += _guarded(inputs, outputs[0], real)
    return "\n".join(lines)


def _guarded(inputs: tuple[Port, ...], output: Port, real: str) -> list[str]:
    """The same, but an answer that is not finite, or from a quaternion so long or short that squares of products do not
    fit, is left to the slower function, as everything else that is wrong."""
    signature = SIGNATURE.replace("motionc_call", "motionc_guarded")
    least, most = SQUARES[real]
    starts = [(k, start) for k, port in enumerate(inputs) for start in port.space.quaternions]
    turns = [f"is_turn(given[{k}], shape_in{k}, {start})" for k, start in starts]
    is_turn = [
        "static int is_turn(const Object *object, const ptrdiff_t *shape, int start)",
        "{",
        "    if (!fits(object, 1, shape)) return 1; /* then the slower function has read it */",
        f"    const {real} *q = (const {real} *)((const Array *)object)->data + start;",
        f"    const {real} square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];",
        f"    return square >= ({real}){least} && square <= ({real}){most};",
        "}",
        "",
    ]
    return [
        *(is_turn if turns else ()),
        f"{signature};",
        signature,
        "{",
        "    Object *out0 = motionc_call(self, given, count, names);",
        f"    if (!out0 || names || count != {len(inputs)}) return out0;",
        f"    if (!fits(out0, {len(output.shape)}, shape_out0)) return out0;",
        f"    const {real} *values = (const {real} *)((Array *)out0)->data;",
        f"    {real} nothing = 0;",
        f"    for (int k = 0; k < {output.size}; ++k) nothing += values[k] - values[k];",
        f"    if ({' && '.join(['nothing == 0', *turns])}) return out0;",
        "    python.release(out0);",
        "    return python.call(python.get_item(self, 0), given, (size_t)count, names);",
        "}",
        "",
    ]


def _number(real: str) -> list[str]:
    """One number: a float of Python, a double of NumPy, or an array without axes."""
    return [
        "typedef struct { Object head; double value; } Float;",
        "",
        f"static int is_number(const Object *object, {real} *value)",
        "{",
        "    if (object->type == python.float_type || object->type == python.double_type) {",
        f"        *value = ({real})((const Float *)object)->value;",
        "        return 1;",
        "    }",
        "    if (!fits(object, 0, NULL)) return 0;",
        f"    *value = *(const {real} *)((const Array *)object)->data;",
        "    return 1;",
        "}",
        "",
    ]


def _fitting(k: int, port: Port) -> str:
    return f"fits(given[{k}], {len(port.shape)}, shape_in{k})" if port.shape else f"is_number(given[{k}], &number{k})"


def _written_to(k: int, port: Port, real: str) -> str:
    """Where the kernel writes an output: counts aside, they become integers."""
    if not port.shape:
        return f"&value{k}"
    return f"counts{k}" if port.space.whole else f"({real} *)((Array *)out{k})->data"


def _counted(value: str) -> str:
    """A count as a whole number; where nothing could be counted, none."""
    return f"({value} == {value} ? (long long){value} : 0)"


def entry(program: Program, name: str, real: str) -> str:
    """The kernel behind one pair of pointers, whatever its ports are."""
    head = f"void motionc_entry(const {real} *x, {real} *y)"
    arguments = [f"{base} + {start}" for base, _, start in _places(program)]
    return f"\n{head};\n{head}\n{{\n    {name}({', '.join(arguments)});\n}}\n"


def entry_for_many(program: Program, name: str, real: str) -> str:
    """The same for many states in a row."""
    head = f"void motionc_many(long count, const {real} *x, {real} *y)"
    arguments = [f"{base} + {step} * k + {start}" for base, step, start in _places(program)]
    body = f"    for (long k = 0; k < count; ++k) {name}({', '.join(arguments)});"
    return f"\n{head};\n{head}\n{{\n{body}\n}}\n"


def _places(program: Program) -> list[tuple[str, int, int]]:
    """Of every port: the pointer it is behind, how many numbers a state has there, and where its own begin."""
    places: list[tuple[str, int, int]] = []
    for base, ports in (("x", program.inputs), ("y", program.outputs)):
        sizes = [port.size for port in ports]
        places += [(base, sum(sizes), sum(sizes[:k])) for k in range(len(sizes))]
    return places
