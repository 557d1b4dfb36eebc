"""C99: one pure function a computation, straight-line, no globals, no allocation, no branch on data but for angles
beyond 8·10⁵ rad, rows that depend on each other, and active sets. A long program is printed as several static functions
that hand values on through a local array.

    void <name>(const double *restrict <input> …, double *restrict <output> …);

Matrices are row-major. Kernels become static functions with loops of fixed length. In single precision, float stands
for double throughout.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from motionc.program.instructions import FREE, OPERATIONS
from motionc.program.kernels import KERNELS
from motionc.program.passes.turns import angles_of, run_at
from motionc.program.port import Precision
from motionc.program.program import Instruction, Program, Table, call_data, table_data
from motionc.program.sizes import ONE_STATE
from motionc.program.split import BLOCK, Part, in_functions, slots
from motionc.targets import sines_c
from motionc.targets.c_words import GLOBALS, MACROS, VARIANTS, WORDS
from motionc.targets.copies import SEVERAL, Arrays, is_zero, stretches_of, taken
from motionc.targets.kernels.text import kernel_name
from motionc.targets.kernels_c import NAMES, for_one
from motionc.targets.naming import Names, harmless
from motionc.targets.reading import Reading, what_is_where
from motionc.targets.self_test import one_by_one, self_test
from motionc.targets.stateful import Stateful, carried
from motionc.targets.target import Files, Trial, documentation

Name = Callable[[int], str]

REAL: dict[Precision, str] = {"double": "double", "single": "float"}

RESERVED = frozenset((*WORDS.split(), sines_c.FUNCTION)) | NAMES
OUTERMOST = frozenset(GLOBALS.split())
"""Words of C and C++, and what the compilers we know declare by themselves."""

LOCAL = r"[tk]\d+|w\d*"
"""What we call values inside a function."""

STRETCHES = 128
"""Loops over zeros of one output up to which it is not filled as a whole: each number is written once."""

WORTH = 8
"""Slots of a block from which on it is worth a pointer of its own."""

BEHIND = {"double": "", "float": "f"}
"""What names in the library end in for each type of number."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What C and its relatives spell differently: pointers that nothing else points to, functions that are called from
    outside and those that compilers should leave as they are, and what stands behind each.
    """

    restrict: str
    whole: str
    part: str
    behind: str = ""


C = Dialect("restrict", "void", "APART static void")

STRAIGHT = (
    "#if defined __GNUC__ && !defined __clang__ && defined __OPTIMIZE__",
    "/* what is gathered into vectors out of a straight line costs more than it saves */",
    '#pragma GCC optimize("no-tree-slp-vectorize")',
    "#endif",
    "",
)
APART = ("#if defined(__GNUC__)", "#define APART __attribute__((noinline))", "#else", "#define APART", "#endif", "")


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


def emit(program: Program, name: str, precision: Precision = "double") -> Sources:
    """The computation as C, under this function name."""
    real, held = REAL[precision], stateful(program, name, precision)
    name, program = outermost(name), named(program)
    signature = _signature(program, C.whole, name, real, C)
    declared = [block_comment(program), f"{signature};"]
    declared += ["", *held.struct(), *(f"{one};" for one in held.headings())] if held else []
    header = guarded(name, declared)
    source = "\n".join(
        [
            f'#include "{name}.h"',
            "",
            "#include <math.h>",
            "",
            *STRAIGHT,
            *sines_c.text([program], precision),
            *for_one((call_data(step) for _, step in program.calls()), precision),
            *functions(program, name, real),
            "",
            *(held.functions(number) if held else []),
        ]
    )
    return Sources(header, source, name)


def guarded(name: str, declared: Sequence[str]) -> str:
    """The header `<name>.h` with what it declares, for C and C++."""
    guard = f"{name.upper()}_H"
    return "\n".join(
        [
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#define restrict __restrict",
            "#endif",
            "",
            *declared,
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


def stateful(program: Program, name: str, precision: Precision) -> Stateful | None:
    """What is written beside a function that carries state; None where it carries none."""
    pairs = carried(program)
    return Stateful(named(program), pairs, outermost(name), REAL[precision]) if pairs else None


def files(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> Files:
    """A header and a source; built with -DSELF_TEST the source is a program that checks itself."""
    sources = emit(program, name, precision)
    held = stateful(program, name, precision)
    call = held.test(len(trials)) if held else one_by_one(program, sources.name, len(trials))
    test = self_test(program, sources.name, precision, trials, call, number)
    return {f"{sources.name}.h": sources.header, f"{sources.name}.c": sources.source + test}


def identifier(text: str) -> str:
    """A C identifier that resembles the text: letters, digits and underscores, no leading digit, at most 63 long.

    What C, C++, their libraries or we call something already gets an underscore; what is too long keeps both its ends.
    """
    return _names().identifier(text)


def _names() -> Names:
    return Names(RESERVED, rf"({'|'.join(KERNELS)})[\d_a-f]*|self_test_.*|(?:sines|SINES)_.*|{MACROS}", LOCAL, (28, 25))


def outermost(text: str) -> str:
    """An identifier for a function or a namespace: none that the library's headers declare.

    >>> outermost("size_t"), outermost("sinf"), outermost("lwr4")
    ('size_t_', 'sinf_', 'lwr4')
    """
    name = identifier(text)
    variant = re.fullmatch(rf"(.+?){VARIANTS}", name)
    taken = name in OUTERMOST or (variant is not None and variant[1] in OUTERMOST | RESERVED)
    return f"{name}_" if taken else name


def comment(text: str) -> str:
    """Text that stays inside a block comment: nothing in it can end or nest one, continue a line, or be a control."""
    return re.sub(r"(?<=\*)(?=/)|(?<=/)(?=\*)|(?<=\?)(?=\?)", " ", harmless(text))


def number(value: float, real: str = "double") -> str:
    """A constant that reads back exactly."""
    if real == "float":
        value = float(np.float32(value))
    text = repr(float(value))
    if text in ("inf", "-inf", "nan"):
        return {"inf": "INFINITY", "-inf": "(-INFINITY)", "nan": "NAN"}[text]
    text += "f" * (real == "float")
    return f"({text})" if text.startswith("-") else text


def _signature(program: Program, front: str, name: str, real: str, dialect: Dialect, *more: str) -> str:
    ports = [f"const {real} *{dialect.restrict} {port.name}" for port in program.inputs]
    ports += [f"{real} *{dialect.restrict} {port.name}" for port in program.outputs]
    indent = ",\n" + " " * (len(front) + len(name) + 2)
    return f"{front} {name}({indent.join([*ports, *more])}){dialect.behind}"


def named(program: Program) -> Program:
    """With ports named as C's parameters are, each differently: an output called like an input has `_out` behind it."""
    return _names().ports(program)


def block_comment(program: Program) -> str:
    """What the program computes, as a comment of C."""
    return "\n".join(said(documentation(program)))


def said(lines: Sequence[str]) -> list[str]:
    """Lines as a comment of C; nothing where there are none."""
    return ["/*", *(f" * {comment(line)}".rstrip() for line in lines), " */"] if lines else []


def functions(program: Program, name: str, real: str, dialect: Dialect = C, *, constants: bool = True) -> list[str]:
    """The computation as one function, or as several behind it where one would be long.

    Without `constants` it leaves entries of outputs alone that are always the same.
    """
    program = sines_c.arranged(program)
    cut = in_functions(program, ONE_STATE)
    arrays = Arrays(program, cut, "w")
    for port, values in zip(program.outputs, program.results, strict=True):
        arrays.put_all(values, port.name)
    wanted, filled = places(program, arrays), list[str]()
    if constants:
        filled = _filled(program, real, wanted, arrays)
    else:
        wanted = {value: where for value, where in wanted.items() if program.instructions[value].op != "const"}
    signature = _signature(program, dialect.whole, name, real, dialect)
    names = [port.name for port in (*program.inputs, *program.outputs)]
    reading = Reading(program, (name, "w"))
    where = said(what_is_where(program))
    if len(cut) < 2:
        only = cut[0] if cut else Part(range(0), {}, {})
        lines = body(program, only, real, wanted, reading, arrays)
        return [*where, signature, "{", *_quiet(program, wanted, arrays), *filled, *lines, "}"]
    text = [*where, *(APART if "APART" in dialect.part else ())]
    calls, middles = list[str](), set[int]()
    for k, part in enumerate(cut):
        near = _near(program, part)
        given = ["w", *(f"w{block}" for block in near)]
        work = [f"{real} *{dialect.restrict} {each}" for each in given]
        head = _signature(program, dialect.part, f"{name}_{k}", real, dialect, *work)
        lines = body(program, part, real, wanted, reading, arrays, near=near, last=k == len(cut) - 1)
        text += [head, "{", *(f"    (void){each};" for each in (*names, *given)), *lines, "}", ""]
        blocks = [block * BLOCK + BLOCK // 2 for block in near]
        middles.update(blocks)
        calls.append(f"    {name}_{k}({', '.join((*names, 'w', *(f'w + {each}' for each in blocks)))});")
    # the middle of the last block may lie beyond all that is used of it, and C knows no addresses beyond an array
    size = max(1, slots(cut), *middles)
    return [*text, signature, "{", f"    {real} w[{size}];", *filled, *calls, "}"]


def _near(program: Program, part: Part) -> list[int]:
    """Blocks of slots in which a part reads and writes much: from their middle each slot has a short address, and long
    programs run as fast as their text is read. A kernel is given slots, too, which nothing else may point to.
    """
    steps = program.instructions
    if any(steps[i].op == "call" for i in part.steps):
        return []
    given = [slot for i, slot in part.gives.items() if steps[i].op != "pick"]
    used = Counter(slot // BLOCK for slot in (*part.needs.values(), *given))
    return sorted(block for block, count in used.items() if count >= WORTH)


def _quiet(program: Program, wanted: Mapping[int, list[str]], arrays: Arrays) -> list[str]:
    """Statements that keep compilers from mentioning inputs nothing depends on, and outputs that stay as they are."""
    read = {program.inputs[step.port].name for step in program.instructions if step.port is not None}
    written = {place.partition("[")[0] for where in wanted.values() for place in where} | arrays.written
    unused = {port.name for port in program.inputs} - read
    unused |= {port.name for port in program.outputs} - written
    return [f"    (void){port};" for port in sorted(unused)]


def places(program: Program, arrays: Arrays) -> dict[int, list[str]]:
    """Where values go that are outputs, one by one."""
    wanted: dict[int, list[str]] = {}
    for port, values in zip(program.outputs, program.results, strict=True):
        looped = {k for stretch in arrays.stretches(values) for k in range(stretch.start, stretch.end)}
        for k, value in enumerate(values):
            if port.name not in arrays.written and k not in looped:
                wanted.setdefault(value, []).append(f"{port.name}[{k}]")
    return wanted


def _filled(program: Program, real: str, wanted: dict[int, list[str]], arrays: Arrays) -> list[str]:
    """Loops over stretches of outputs that are exactly zero; their places are no longer wanted. An output with too many
    of them is filled as a whole, before anything else goes there.
    """
    zeros = {value for value in wanted if is_zero(program.instructions[value])}
    text, filled = list[str](), set[str]()
    for port, values in zip(program.outputs, program.results, strict=True):
        if port.name in arrays.written or not SEVERAL <= sum(value in zeros for value in values) >= len(values) / 4:
            continue
        stretches = [each for each in stretches_of([value in zeros for value in values]) if len(each) >= SEVERAL // 2]
        stretches = stretches if len(stretches) <= STRETCHES else [range(len(values))]
        for each in stretches:
            loop = f"for (int t0 = {each.start}; t0 < {each.stop}; ++t0)"
            text.append(f"    {loop} {port.name}[t0] = {number(0.0, real)};")
            filled |= {f"{port.name}[{k}]" for k in each}
    for value in zeros:
        wanted[value] = [place for place in wanted[value] if place not in filled]
    return text


def body(
    program: Program,
    part: Part,
    real: str,
    wanted: Mapping[int, list[str]],
    reading: Reading,
    arrays: Arrays,
    *,
    near: Sequence[int] = (),
    last: bool = True,
) -> list[str]:
    """One statement an instruction; constants stand where they are used, inputs where they are first used, and what
    kernels give too. Blocks of slots that are `near` have pointers of their own.
    """
    steps, text, known = program.instructions, list[str](), set[int]()
    turned = dict[int, str]()

    def at(slot: int) -> str:
        block, place = divmod(slot, BLOCK)
        return f"w{block}[{place - BLOCK // 2}]" if block in near else f"w[{slot}]"

    def name(value: int) -> str:
        step = steps[value]
        if step.op == "const":
            return number(step.data, real)  # type: ignore[arg-type]
        if value not in known:
            known.add(value)
            if step.op == "pick":
                source = arrays.entry(step.args[0], step.data, at)  # type: ignore[arg-type]
            else:
                source = turned.get(value) or (at(part.needs[value]) if value in part.needs else "")
            text.append(f"    const {real} {reading.name(value)} = {source or _expression(step, program, name, real)};")
        return reading.name(value)

    for i in part.steps:
        step = steps[i]
        if step.op in FREE:
            continue
        if step.op == "pick":
            text += [f"    {place} = {name(i)};" for place in wanted.get(i, ())]
            continue
        if step.op == "call":
            text += [f"    /* {comment(heading)} */" for heading in reading.heading(i)]
            before, given = taken(i, step, part, real, arrays, name)
            own = [f"    {real} k{i}[{call_data(step).outputs}];"] if arrays.apart(i) else []
            text += [*before, *own, f"    {kernel_name(call_data(step))}({given}, {arrays.at(i)});"]
            text += _copies(program, i, arrays)
            continue
        if i not in turned and len(angles := angles_of(steps, run := run_at(steps, i))) >= sines_c.LEAST:
            size = max(len(angles), sines_c.SMALLEST)
            places = {angle: k for k, angle in enumerate(angles)}
            turned |= {k: f"k{i}[{places[steps[k].args[0]] + size * (steps[k].op == 'cos')}]" for k in run}
            text += _turned(program, i, angles, size, name, real)
        if i in turned:
            # what only this part needs is named where it is needed
            own = name(i) if i in part.gives or i in wanted else ""
        else:
            text += [f"    /* {comment(heading)} */" for heading in reading.heading(i)]
            expression, own = _expression(step, program, name, real), reading.name(i)
            known.add(i)
            text.append(f"    const {real} {own} = {expression};")
        if i in part.gives:
            text.append(f"    {at(part.gives[i])} = {own};")
        text += [f"    {place} = {own};" for place in wanted.get(i, ())]
    # outputs that are constants or inputs belong to no part
    for value, where in wanted.items():
        if last and steps[value].op in FREE:
            stated = name(value)
            text += [f"    {place} = {stated};" for place in where]
    return text


def _turned(program: Program, i: int, angles: list[int], size: int, name: Name, real: str) -> list[str]:
    """The call that computes a run of sines and cosines; angles that are side by side in a port are read there."""
    read = [program.instructions[angle].data for angle in angles]
    match read[0]:
        case (int(port), int(first)) if read == [(port, first + k) for k in range(size)]:
            source, listed = f"{program.inputs[port].name} + {first}", list[str]()
        case _:
            source, listed = f"a{i}", [f"    const {real} a{i}[{size}] = {{{', '.join(map(name, angles))}}};"]
    return [
        *listed,
        f"    {real} k{i}[{2 * size}];",
        f"    {sines_c.FUNCTION}({source}, {size}, k{i}, k{i} + {size});",
    ]


def _copies(program: Program, call: int, arrays: Arrays) -> list[str]:
    """Loops that copy what a kernel gives to outputs."""
    return [
        arrays.copied(stretch, port.name)
        for port, values in zip(program.outputs, program.results, strict=True)
        if port.name not in arrays.written
        for stretch in arrays.stretches(values)
        if stretch.call == call
    ]


def _expression(step: Instruction, program: Program, name: Name, real: str) -> str:
    args = [name(arg) for arg in step.args]
    if step.op == "input":
        port, element = step.data  # type: ignore[misc]
        return f"{program.inputs[port].name}[{element}]"  # type: ignore[index]
    if step.op == "entry":
        return f"{program.inputs[table_data(step).port].name}[{looked_up(table_data(step), args[0])}]"
    return OPERATIONS[step.op].spelling.c.format(*args, real=real, f=BEHIND[real])


def looked_up(table: Table, index: str) -> str:
    """Which element an entry of a table is, as an expression."""
    last = table.length - 1
    return f"{table.offset} + {table.stride} * ({index} >= {last} ? {last} : {index} >= 1 ? (int){index} : 0)"
