"""C99: one pure function a computation, straight-line, no globals, no allocation, no branch on data. A long
program is printed as several static functions that hand values on through a local array.

    void <name>(const double *restrict <input> …, double *restrict <output> …);

Matrices are row-major. Kernels become static functions with loops of fixed length.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from motionc.program.program import Instruction, Program, call_data
from motionc.program.split import FREE, Part, parts, slots, together
from motionc.sweeps.kernels import KERNELS, RANK_TOLERANCE
from motionc.sweeps.solver import Port

Name = Callable[[int], str]

PART = 1500
"""Instructions a function may have before a program is printed as several: compilers slow down faster than it grows."""

WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main
alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class co_await co_return co_yield
compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false friend
mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast
requires static_assert static_cast template this thread_local throw true try typeid typename typeof using virtual
wchar_t xor xor_eq
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 expm1 fabs fdim
floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan finite j0 j1 jn ldexp lgamma llrint llround log log10
log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round scalb
scalbln scalbn significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn abs labs abort exit malloc free
APART HUGE_VAL INFINITY NAN linux unix
"""
RESERVED = frozenset(WORDS.split())
"""Words of C and C++, and what the compilers we know declare by themselves."""

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
COMPARE = {"less": "<", "less_equal": "<=", "equal": "==", "not_equal": "!="}
CALLS = {name: name for name in ("sqrt", "sin", "cos", "atan2", "exp", "log")} | {
    "min": "fmin",
    "max": "fmax",
    "abs": "fabs",
}


@dataclass(frozen=True, slots=True)
class Sources:
    """The text of a header and a source file."""

    header: str
    source: str
    name: str

    @property
    def together(self) -> str:
        """Both in one file."""
        return self.source.replace(f'#include "{self.name}.h"\n', self.header, 1)


def emit(program: Program, name: str) -> Sources:
    """The computation as C, under this function name."""
    name = identifier(name)
    signature = _signature(program, name)
    guard = f"{name.upper()}_H"
    header = "\n".join(
        [
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#define restrict __restrict",
            "#endif",
            "",
            _documentation(program),
            f"{signature};",
            "",
            "#ifdef __cplusplus",
            "#undef restrict",
            "}",
            "#endif",
            "",
            "#endif",
            "",
        ]
    )
    kernels = sorted({call_data(step) for _, step in program.calls()})
    source = "\n".join(
        [
            f'#include "{name}.h"',
            "",
            "#include <math.h>",
            "",
            *(_kernel(kernel, size) for kernel, size in kernels),
            *_functions(program, name, signature),
            "",
        ]
    )
    return Sources(header, source, name)


def identifier(text: str) -> str:
    """A C identifier that resembles the text: letters, digits and underscores, no leading digit, at most 63 long.

    What C, C++, their libraries or we call something already gets an underscore; what is too long keeps both its ends.
    """
    plain = re.sub(r"[^0-9A-Za-z_]+", "_", text).strip("_") or "unnamed"
    taken = plain in RESERVED or plain.rpartition("_")[0] in KERNELS
    plain = f"r{plain}" if plain[0].isdigit() else f"{plain}_" if taken else plain
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]
    return plain if len(plain) <= 63 else f"{plain[:28]}_{digest}_{plain[-25:]}"


def comment(text: str) -> str:
    """Text that stays inside a block comment: nothing in it can end or nest one, continue a line, or be a control."""
    visible = "".join(ch if ch.isprintable() else "?" for ch in text).replace("\\", "/")
    return re.sub(r"(?<=\*)(?=/)|(?<=/)(?=\*)|(?<=\?)(?=\?)", " ", visible)


def number(value: float) -> str:
    """A constant that reads back exactly."""
    text = repr(float(value))
    if text in ("inf", "-inf", "nan"):
        return {"inf": "INFINITY", "-inf": "(-INFINITY)", "nan": "NAN"}[text]
    return f"({text})" if text.startswith("-") else text


def _signature(program: Program, name: str) -> str:
    ports = [f"const double *restrict {port.name}" for port in program.inputs]
    ports += [f"double *restrict {_out(program, port)}" for port in program.outputs]
    indent = ",\n" + " " * (len(name) + 6)
    return f"void {name}({indent.join(ports)})"


def _out(program: Program, port: Port) -> str:
    """An output's parameter name; it differs from the port's where an input already has that one."""
    return f"{port.name}_out" if port.name in {other.name for other in program.inputs} else port.name


def _documentation(program: Program) -> str:
    count = program.operations
    lines = [program.equation, ""]
    for title, ports in (("inputs", program.inputs), ("outputs", program.outputs)):
        lines.append(f"{title}:")
        lines += [
            f"  {_out(program, p) if title == 'outputs' else p.name} {_shape(p)}, {p.unit}: {p.meaning}" for p in ports
        ]
    lines.append(f"{sum(count.values())} operations: " + ", ".join(f"{n} {op}" for op, n in sorted(count.items())))
    return "/*\n" + "\n".join(f" * {comment(line)}".rstrip() for line in lines) + "\n */"


def _shape(port: Port) -> str:
    return f"[{']['.join(map(str, port.shape))}]" if port.shape else "[1]"


def _functions(program: Program, name: str, signature: str) -> list[str]:
    """The computation as one function, or as several behind it where one would be long."""
    program = together(program)
    cut = parts(program, PART)
    unused = {port.name for port in program.inputs} - {_port(program, step).name for step in program.instructions}
    quiet = [f"    (void){port};" for port in sorted(unused)]
    if len(cut) == 1:
        return [signature, "{", *quiet, *_body(program, cut[0], last=True), "}"]
    names = [*(port.name for port in program.inputs), *(_out(program, port) for port in program.outputs)]
    text = ["#if defined(__GNUC__)", "#define APART __attribute__((noinline))", "#else", "#define APART", "#endif", ""]
    for k, part in enumerate(cut):
        head = signature.replace(f"void {name}(", f"APART static void {name}_{k}(")[:-1] + ", double *restrict w)"
        body = _body(program, part, last=k == len(cut) - 1)
        text += [head, "{", *(f"    (void){port};" for port in (*names, "w")), *body, "}", ""]
    calls = [f"    {name}_{k}({', '.join((*names, 'w'))});" for k in range(len(cut))]
    return [*text, signature, "{", f"    double w[{max(1, slots(cut))}];", *calls, "}"]


def _body(program: Program, part: Part, *, last: bool) -> list[str]:
    """One statement an instruction; constants stand where they are used, inputs where they are first used."""
    steps, text, known = program.instructions, list[str](), set[int]()
    wanted: dict[int, list[str]] = {}
    for port, values in zip(program.outputs, program.results, strict=True):
        for k, value in enumerate(values):
            wanted.setdefault(value, []).append(f"{_out(program, port)}[{k}]")

    def name(value: int) -> str:
        step = steps[value]
        if step.op == "const":
            return number(step.data)  # type: ignore[arg-type]
        if value not in known:
            known.add(value)
            source = f"w[{part.needs[value]}]" if value in part.needs else _expression(step, program, name)
            text.append(f"    const double t{value} = {source};")
        return f"t{value}"

    for i in part.steps:
        step = steps[i]
        if step.op in FREE:
            continue
        if step.op == "call":
            arguments = [name(arg) for arg in step.args]
            text += _call(i, step, arguments)
            continue
        expression = _expression(step, program, name)
        known.add(i)
        text.append(f"    const double t{i} = {expression};")
        if i in part.gives:
            text.append(f"    w[{part.gives[i]}] = t{i};")
        text += [f"    {place} = t{i};" for place in wanted.get(i, ())]
    # outputs that are constants or inputs belong to no part
    for value, places in wanted.items():
        if last and steps[value].op in FREE:
            stated = name(value)
            text += [f"    {place} = {stated};" for place in places]
    return text


def _port(program: Program, step: Instruction) -> Port:
    """The port an input instruction reads; the first for all others."""
    match step.data:
        case (int(port), int()) if step.op == "input":
            return program.inputs[port]
        case _:
            return _NO_PORT


_NO_PORT = Port("", (), "", "")


def _expression(step: Instruction, program: Program, name: Name) -> str:
    if step.op == "pick":
        return f"k{step.args[0]}[{step.data}]"
    args = [name(arg) for arg in step.args]
    if step.op == "input":
        port, element = step.data  # type: ignore[misc]
        return f"{program.inputs[port].name}[{element}]"  # type: ignore[index]
    if step.op in INFIX:
        return f"{args[0]} {INFIX[step.op]} {args[1]}"
    if step.op in COMPARE:
        return f"(double)({args[0]} {COMPARE[step.op]} {args[1]})"
    if step.op == "neg":
        return f"-{args[0]}"
    if step.op == "select":
        return f"{args[0]} != 0.0 ? {args[1]} : {args[2]}"
    if step.op == "sign":
        return f"(double)(({args[0]} > 0.0) - ({args[0]} < 0.0))"
    return f"{CALLS[step.op]}({', '.join(args)})"


def _call(i: int, step: Instruction, arguments: list[str]) -> list[str]:
    kernel, m = call_data(step)
    values = ", ".join(arguments)
    outputs = sum(KERNELS[kernel].sizes(m))
    return [
        f"    const double a{i}[{m * m + m}] = {{{values}}};",
        f"    double k{i}[{outputs}];",
        f"    {kernel}_{m}(a{i}, a{i} + {m * m}, k{i});",
    ]


FACTOR = """\
    for (int j = 0; j < M; ++j) {{
        {number} pivot = {matrix}[j * M + j];
        for (int k = 0; k < j; ++k) pivot -= {lower}[j * M + k] * scaled[j * M + k];
        {limit}
        for (int i = j + 1; i < M; ++i) {{
            {number} rest = {matrix}[j * M + i];
            for (int k = 0; k < j; ++k) rest -= scaled[i * M + k] * {lower}[j * M + k];
            scaled[i * M + j] = rest;
            {lower}[i * M + j] = rest * {inverse}[j];
        }}
    }}
"""

SUBSTITUTE = """\
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < i; ++k) {x}[i] -= {lower}[i * M + k] * {x}[k];
    for (int i = M - 1; i >= 0; --i) {{
        {x}[i] *= {inverse}[i];
        for (int k = i + 1; k < M; ++k) {x}[i] -= {lower}[k * M + i] * {x}[k];
    }}
"""

LDLT_SOLVE = (
    """\
    double lower[M * M], scaled[M * M], inverse[M];
"""
    + FACTOR.format(
        number="double",
        matrix="a",
        lower="lower",
        inverse="inverse",
        limit=f"inverse[j] = 1.0 / fmax(pivot, {RANK_TOLERANCE!r} * a[j * M + j]);",
    )
    + """\
    for (int i = 0; i < M; ++i) x[i] = r[i];
"""
    + SUBSTITUTE.format(x="x", lower="lower", inverse="inverse")
)

SEMIDEFINITE = (
    f"""\
    int order[M];
    double lower[M * M], scaled[M * M], inverse[M], kept[M], rest[M], share[M], rank = 0.0;
    for (int i = 0; i < M; ++i) {{
        order[i] = i;
        rest[i] = a[i * M + i];
        share[i] = 1.0 / (rest[i] > 0.0 ? rest[i] : 1.0);
    }}
    for (int j = 0; j < M; ++j) {{
        int at = j;
        double best = rest[order[j]] * share[order[j]];
        for (int i = j + 1; i < M; ++i) {{
            const double other = rest[order[i]] * share[order[i]];
            at = other > best ? i : at;
            best = other > best ? other : best;
        }}
        const int row = order[at];
        order[at] = order[j];
        order[j] = row;
        for (int k = 0; k < j; ++k) {{
            const double low = lower[at * M + k], high = scaled[at * M + k];
            lower[at * M + k] = lower[j * M + k];
            lower[j * M + k] = low;
            scaled[at * M + k] = scaled[j * M + k];
            scaled[j * M + k] = high;
        }}
        kept[j] = (double)(best > {RANK_TOLERANCE!r});
        inverse[j] = kept[j] / (kept[j] != 0.0 ? rest[row] : 1.0);
        rank += kept[j];
        for (int i = j + 1; i < M; ++i) {{
            double value = a[row * M + order[i]];
            for (int k = 0; k < j; ++k) value -= scaled[i * M + k] * lower[j * M + k];
            scaled[i * M + j] = value;
            lower[i * M + j] = value * inverse[j];
            rest[order[i]] -= lower[i * M + j] * value;
        }}
    }}
    double normal[M * M], triangle[M * M], pivots[M], direct[M], w[M];
    for (int j = 0; j < M; ++j)
        for (int i = 0; i <= j; ++i) {{
            double total = i < j ? lower[j * M + i] * kept[j] : 1.0;
            for (int k = j + 1; k < M; ++k) total += lower[k * M + i] * lower[k * M + j];
            normal[i * M + j] = total;
        }}
"""
    + FACTOR.format(
        number="double", matrix="normal", lower="triangle", inverse="pivots", limit="pivots[j] = 1.0 / pivot;"
    )
    + """\
    for (int i = 0; i < M; ++i) {
        direct[i] = w[i] = r[order[i]];
        for (int k = 0; k < i; ++k) direct[i] -= lower[i * M + k] * direct[k];
        for (int k = i + 1; k < M; ++k) w[i] += lower[k * M + i] * r[order[k]];
    }
"""
    + SUBSTITUTE.format(x="w", lower="triangle", inverse="pivots")
    + """\
    for (int i = 0; i < M; ++i) direct[i] = w[i] = (rank > M - 0.5 ? direct[i] : w[i]) * inverse[i];
    for (int i = M - 1; i >= 0; --i)
        for (int k = i + 1; k < M; ++k) direct[i] -= lower[k * M + i] * direct[k];
"""
)

RANGE_SOLVE = (
    SEMIDEFINITE
    + """\
    for (int i = 0; i < M; ++i) x[order[i]] = direct[i];
    x[M] = rank;
"""
)

TRUNCATED_SOLVE = (
    SEMIDEFINITE
    + SUBSTITUTE.format(x="w", lower="triangle", inverse="pivots")
    + """\
    for (int i = 0; i < M; ++i) {
        double least = w[i];
        for (int k = 0; k < i; ++k) least += lower[i * M + k] * w[k];
        x[order[i]] = rank > M - 0.5 ? direct[i] : least;
    }
    x[M] = rank;
"""
)

KERNEL_BODIES = {"ldlt_solve": LDLT_SOLVE, "truncated_solve": TRUNCATED_SOLVE, "range_solve": RANGE_SOLVE}


def _kernel(kernel: str, size: int) -> str:
    return "\n".join(
        [
            f"/* {comment(KERNELS[kernel].meaning)}; {size} rows */",
            f"static void {kernel}_{size}(const double *restrict a, const double *restrict r, double *restrict x)",
            "{",
            f"    enum {{ M = {size} }};",
            KERNEL_BODIES[kernel] + "}",
            "",
        ]
    )
