"""C++17: the C of `c.py` as a header alone, in the robot's namespace, with overloads for std::array and Eigen.

    void <robot>::<computation>(const std::array<double, n> &<input> …, std::array<double, m> &<output> …) noexcept;

No globals, no allocation, no state. Eigen is used where the compiler finds it, unless MOTIONC_NO_EIGEN is defined.
"""

from collections.abc import Mapping, Sequence

from motionc.program.loop import Loop
from motionc.program.port import Port, Precision
from motionc.program.program import Program, call_data
from motionc.targets import sines_c
from motionc.targets.c import REAL, Dialect, block_comment, functions, identifier, named, number, outermost
from motionc.targets.c import STRAIGHT as C_STRAIGHT
from motionc.targets.cmake import ONE_BY_ONE
from motionc.targets.kernels_c import for_one
from motionc.targets.self_test import one_by_one, self_test
from motionc.targets.stateful import Stateful, carried
from motionc.targets.target import Files, Trial

CPP = Dialect("__restrict", "inline void", "template <int = 0> [[gnu::noinline]] void", " noexcept")
SPELLING = {"restrict": "__restrict", "static void": "inline void", "static inline": "inline"}

QUIET = (
    "#if defined(__GNUC__) && !defined(__clang__)",
    "/* loops that are never entered read nothing */",
    "#pragma GCC diagnostic push",
    '#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"',
    "#endif",
    "",
)
LOUD = ("#if defined(__GNUC__) && !defined(__clang__)", "#pragma GCC diagnostic pop", "#endif", "")

STRAIGHT = (C_STRAIGHT[0], "#pragma GCC push_options", *C_STRAIGHT[1:])
BENT = (C_STRAIGHT[0], "#pragma GCC pop_options", "#endif", "")
"""The same options as in C, for our own functions alone."""

EIGEN = "#if !defined(MOTIONC_NO_EIGEN) && __has_include(<Eigen/Core>)"

LARGEST_ON_STACK = 2**17
"""Bytes of a matrix that Eigen takes on the stack."""


def files(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> Files:
    """A header, its self-test, and a CMakeLists.txt for all headers of a folder."""
    stem = identifier(name)
    space, function = spaces(program, name)
    held = _stateful(program, name, precision)
    call = one_by_one(program, f"{space}::{function}", len(trials))
    call = held.test(len(trials), f"{space}::") if held else call
    test = self_test(program, stem, precision, trials, call, number)
    return {
        f"{stem}.hpp": emit(program, name, precision),
        f"{stem}_test.cpp": f'#define SELF_TEST\n#include "{stem}.hpp"\n{test}',
        "CMakeLists.txt": ONE_BY_ONE,
    }


def spaces(program: Program | Loop, name: str) -> tuple[str, str]:
    """Namespace and function: the robot's name and the computation's, which `name` is made of unless it is a prefix."""
    return outermost(name.removesuffix(f"_{program.name}")), identifier(program.name)


def emit(program: Program, name: str, precision: Precision = "double") -> str:
    """The header."""
    space, function = spaces(program, name)
    held = _stateful(program, name, precision)
    program, real, guard = named(program), REAL[precision], f"{identifier(name).upper()}_HPP"
    detail = f"{function}_detail"
    return "\n".join(
        [
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            "#include <math.h>",
            "",
            "#include <array>",
            "",
            EIGEN,
            "#include <Eigen/Core>",
            "#endif",
            "",
            f"namespace {space} {{",
            "",
            f"namespace {detail} {{",
            "",
            *code({"compute": program}, precision),
            f"}}  // namespace {detail}",
            "",
            block_comment(program),
            *_overload(program, function, detail, f"const {real} *", f"{real} *", ""),
            "",
            "/* The same for arrays, matrices row by row. */",
            *_overload(program, function, detail, f"const std::array<{real}, {{0}}> &", f"std::array<{real}, {{0}}> &"),
            *_eigen(program, function, detail, real),
            "",
            *([*held.struct(), *held.functions(number)] if held else []),
            f"}}  // namespace {space}",
            "",
            "#endif",
            "",
        ]
    )


def _stateful(program: Program, name: str, precision: Precision) -> Stateful | None:
    """What is written beside a function that carries state; None where it carries none."""
    pairs, function = carried(program), spaces(program, name)[1]
    if not pairs:
        return None
    words = {"front": CPP.whole, "behind": CPP.behind, "call": f"{function}_detail::compute"}
    return Stateful(named(program), pairs, function, REAL[precision], **words)


def code(
    programs: Mapping[str, Program], precision: Precision, *, constants: bool = True, comments: bool = False
) -> list[str]:
    """Programs as functions on pointers, by name, the kernels they call before them, with comments if wanted."""
    calls = [call_data(step) for program in programs.values() for _, step in program.calls()]
    text = [*STRAIGHT, *sines_c.text(programs.values(), precision, front="inline", behind=CPP.behind)]
    text += [*QUIET, *for_one(calls, precision, SPELLING), *LOUD] if calls else []
    for name, program in programs.items():
        program = named(program)
        text += [block_comment(program)] if comments else []
        text += [*functions(program, name, REAL[precision], CPP, constants=constants), ""]
    return [*text, *BENT]


def _overload(program: Program, function: str, detail: str, given: str, found: str, data: str = ".data()") -> list[str]:
    """A function of the same ports in other types."""
    ports = [f"{given.format(port.size)}{port.name}" for port in program.inputs]
    ports += [f"{found.format(port.size)}{port.name}" for port in program.outputs]
    arguments = ", ".join(f"{port.name}{data}" for port in (*program.inputs, *program.outputs))
    indent = ",\n" + " " * (len(function) + 13)
    return [f"inline void {function}({indent.join(ports)}) noexcept", "{", f"    {detail}::compute({arguments});", "}"]


# ---------------------------------------------------------------- Eigen


def _eigen(program: Program, function: str, detail: str, real: str) -> list[str]:
    """The overload for Eigen; matrices as Eigen keeps them, copied on the stack to row by row and back."""
    if any(8 * port.size > LARGEST_ON_STACK for port in (*program.inputs, *program.outputs)):
        return []
    ports, before, arguments, after = list[str](), list[str](), list[str](), list[str]()
    for port in program.inputs:
        ports.append(f"const Eigen::Ref<const {eigen_type(port, real)}> &{port.name}")
        if _is_vector(port):
            arguments.append(f"{port.name}.data()")
        else:
            before.append(f"    const {eigen_type(port, real, rows=True)} {port.name}_rows = {port.name};")
            arguments.append(f"{port.name}_rows.data()")
    for port in program.outputs:
        ports.append(f"Eigen::Ref<{eigen_type(port, real)}> {port.name}")
        if _is_vector(port):
            arguments.append(f"{port.name}.data()")
        else:
            before.append(f"    {eigen_type(port, real, rows=True)} {port.name}_rows;")
            arguments.append(f"{port.name}_rows.data()")
            after.append(f"    {port.name} = {port.name}_rows;")
    indent = ",\n" + " " * (len(function) + 13)
    return [
        "",
        EIGEN,
        "/* The same for Eigen, sizes known to the compiler. */",
        f"inline void {function}({indent.join(ports)}) noexcept",
        "{",
        *before,
        f"    {detail}::compute({', '.join(arguments)});",
        *after,
        "}",
        "#endif",
    ]


def eigen_type(port: Port, real: str, *, rows: bool = False) -> str:
    """The matrix of a port; what has more than two sizes stands one matrix below the other."""
    columns = port.shape[-1] if len(port.shape) > 1 else 1
    order = ", Eigen::RowMajor" if rows and not _is_vector(port) else ""
    return f"Eigen::Matrix<{real}, {port.size // columns if columns else 0}, {columns}{order}>"


def _is_vector(port: Port) -> bool:
    return len(port.shape) < 2 or 1 in (port.shape[-1], port.size // max(1, port.shape[-1]))
