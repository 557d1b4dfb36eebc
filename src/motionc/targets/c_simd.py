"""C for batches: the same straight-line program on vectors, one state a lane.

    void <name>_batch(long count, const T *const *inputs, const long *…, T *const *outputs, const long *…);

One pointer and two strides a port, so that (N, n) arrays, (n, N) arrays and one value for all states are one call.
The vectors are GCC's and Clang's; `lanes.h`, with which every file starts, chooses their width and holds what is done
to them. Threads are the caller's: a call works on one stretch of states and shares nothing.
"""

import re
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import accumulate, pairwise

from motionc.program.instructions import FREE
from motionc.program.passes import together
from motionc.program.port import Port, Precision
from motionc.program.program import Program, Table, call_data
from motionc.program.sizes import LANES, Cut
from motionc.program.split import Part, in_functions, slots
from motionc.targets.c import REAL, comment, identifier, number, said
from motionc.targets.kernels_c import for_lanes
from motionc.targets.library import functions, needed
from motionc.targets.reading import what_is_where
from motionc.targets.self_test import self_test
from motionc.targets.statements import Statements
from motionc.targets.target import Files, Trial

USED = {array: re.compile(rf"\b{array}\[|\({array} \+ ") for array in ("x", "y", "live")}
"""How a part uses its arrays."""
AHEAD = 150
"""Instructions by which sines and cosines come early: about what a processor looks ahead, and what they take."""

SENT = 64
"""Numbers of an output from which on it may be more than caches keep."""
TILE, HELD = 8, 4096
"""Blocks of states that are computed before a large output is written, and vectors that these may take."""

FUNCTION = r"^(?:/\*(?:[^*]|\*(?!/))*\*/\n)?APART lanes (?P<name>\w+)\("
"""Where a function of `lanes_functions.h` starts, with what is said of it, and its name."""


def emit(program: Program, name: str, precision: Precision = "double", *, size: Cut = LANES) -> str:
    """The computation as one C file with the entry `<name>_batch`, in functions of this size."""
    name = f"{identifier(name)}_batch"
    program = together(program, AHEAD)
    cut = in_functions(program, size)
    kernels = for_lanes((call_data(step) for _, step in program.calls()), precision)
    printed = Printed(program, precision)
    body = "\n".join(
        [
            *([heading("kernels")] if kernels else []),
            *kernels,
            heading("the program"),
            *said(what_is_where(program)),
            *(line for k, part in enumerate(cut) for line in printed.function(k, part)),
            heading("the entry"),
            *_documentation(program, precision),
            *_entry(program, printed, name, precision, cut),
        ]
    )
    return f"{header(precision, body)}\n{body}"


def header(precision: Precision, body: str) -> str:
    """What stands before a text for lanes: `lanes.h`, and of the functions it leaves out those that the text calls."""
    lanes, more = (
        resources.files("motionc.targets").joinpath(file).read_text(encoding="utf-8")
        for file in ("lanes.h", "lanes_functions.h")
    )
    called = needed(body, functions(more, FUNCTION), r"/\*(?:[^*]|\*(?!/))*\*/")
    text = ["#include <math.h>", "", f"#define SINGLE {int(precision == 'single')}", "", lanes]
    return "\n".join([*text, *([heading("functions")] if called else []), *(f"{function}\n" for function in called)])


def files(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> Files:
    """One source; built with -DSELF_TEST it is a program that checks itself."""
    text, name = emit(program, name, precision), f"{identifier(name)}_batch"
    call = _call(program, name, len(trials)).replace("REAL", REAL[precision])
    return {f"{name}.c": text + self_test(program, name, precision, trials, call, number)}


def _call(program: Program, name: str, states: int) -> str:
    """The call that computes all states of a self-test at once."""
    lines = list[str]()
    for letter, ports in (("x", program.inputs), ("y", program.outputs)):
        # no array is empty in C
        names = ", ".join(f"self_test_{letter}{k}" for k in range(len(ports))) or "0"
        sizes = ", ".join(f"{port.size}" for port in ports) or "0"
        ones = ", ".join("1" for _ in ports) or "0"
        const = "const " * (letter == "x")
        lines.append(f"    {const}REAL *const self_test_{letter}[] = {{{names}}};")
        lines.append(
            f"    const long self_test_{letter}_state[] = {{{sizes}}}, self_test_{letter}_element[] = {{{ones}}};"
        )
    arguments = [f"self_test_{letter}{stride}" for letter in "xy" for stride in ("", "_state", "_element")]
    lines.append(f"    {name}({states}, {', '.join(arguments)});")
    return "\n".join(lines)


def heading(title: str) -> str:
    return f"/* {'-' * 64} {title} */\n"


def _offsets(ports: tuple[Port, ...]) -> list[int]:
    """Where each port's elements start when all ports stand behind each other, and where the last ends."""
    return list(accumulate((port.size for port in ports), initial=0))


# ---------------------------------------------------------------- the program


class Printed(Statements):
    """A program's statements: value i is `t<i>`, inputs stand in x, outputs go to y, what crosses parts in live."""

    def __init__(self, program: Program, precision: Precision) -> None:
        super().__init__(program, "lanes", lambda spelling: spelling.lanes, REAL[precision])
        self.inputs = _offsets(program.inputs)
        # where values go, each once, and in which place each element of the outputs is found
        self.outputs: dict[int, int] = {}
        self.places = [self.outputs.setdefault(value, len(self.outputs)) for port in program.results for value in port]
        self.given = len(self.outputs)

    def function(self, index: int, part: Part, name: str = "part") -> Iterator[str]:
        body = [f"    {line}" for line in self._statements(part)]
        text = "\n".join(body)
        yield f"APART void {name}_{index}(const lanes *restrict x, lanes *restrict y, lanes *restrict live)"
        yield "{"
        yield from (f"    (void){array};" for array in ("x", "y", "live") if not USED[array].search(text))
        yield from body
        yield "}\n"

    def _statements(self, part: Part) -> Iterator[str]:
        """Values are taken over when first needed, and handed on as soon as they are there."""
        taken = set[int]()
        for i in part.steps:
            for arg in self.steps[i].args:
                if arg in part.needs and arg not in taken:
                    taken.add(arg)
                    yield f"const lanes {self.name(arg)} = live[{part.needs[arg]}];"
            if self.steps[i].op not in FREE:
                yield from self.statement(i, self.steps[i])
            if i in part.gives:
                yield f"live[{part.gives[i]}] = {self.name(i)};"
            if i in self.outputs:
                yield f"y[{self.outputs[i]}] = {self.name(i)};"

    def looked_up(self, table: Table, index: str) -> str:
        first = self.inputs[table.port] + table.offset
        return f"entry(x + {first}, {table.stride}, {table.length}, {index})"

    def name(self, value: int) -> str:
        step = self.steps[value]
        match step.op, step.data:
            case "input", (int(port), int(element)):
                return f"x[{self.inputs[port] + element}]"
            case "const", float(constant):
                return f"splat({number(constant, self.real)})"
            case _:
                return super().name(value)


# ---------------------------------------------------------------- the entry


def _documentation(program: Program, precision: Precision) -> Iterator[str]:
    yield "/*"
    yield f" * {comment(program.equation)}"
    yield f" * for `count` states, in {precision} precision. A port is an address and two strides, counted in numbers:"
    yield " * from one state to the next (0: one value for all) and from one element, row-major, to the next."
    for title, ports in (("inputs", program.inputs), ("outputs", program.outputs)):
        yield f" * {title}:"
        for k, port in enumerate(ports):
            shape = "".join(f"[{size}]" for size in port.shape) or "[1]"
            yield f" *   {k}: {comment(f'{port.name} {shape}, {port.unit}: {port.meaning}')}"
    yield " */"


def _entry(program: Program, printed: Printed, name: str, precision: Precision, cut: tuple[Part, ...]) -> Iterator[str]:
    real = REAL[precision]
    indent = ",\n" + " " * (len(name) + 6)
    parameters = ["long count"]
    for direction, pointer in (("input", f"const {real} *const *"), ("output", f"{real} *const *")):
        parameters += [f"{pointer}{direction}s"]
        parameters += [f"const long *{direction}_{kind}_stride" for kind in ("state", "element")]
    signature = f"void {name}({indent.join(parameters)})"
    yield f"{signature};"
    yield signature
    yield "{"
    inputs, places = _offsets(program.inputs), _split(printed.places, program.outputs)
    large = [k for k, port in enumerate(program.outputs) if port.size >= SENT]
    tile = max(1, min(TILE, HELD // max(printed.given, 1))) if large else 1
    yield from (f"    static const int at_{k}[] = {{{', '.join(map(str, places[k]))}}};" for k in _tables(places))
    for array, size in (("x", inputs[-1]), ("y", printed.given * tile), ("live", slots(cut))):
        yield f"    lanes {array}[{max(size, 1)}];"
    if not large:
        yield "    for (long first = 0; first < count; first += LANES) {"
        yield "        const int valid = count - first < LANES ? (int)(count - first) : LANES;"
        yield from _gathers(program.inputs, inputs, "        ", "first")
        yield from (f"        part_{k}(x, y, live);" for k in range(len(cut)))
        yield from _scatters(program.outputs, places, "scatter(y", "", ", valid);")
        yield "    }"
    else:
        yield f"    lanes rows[{max(program.outputs[k].size for k in large)}];"
        # several blocks at a time, where elements of a large port lie far apart: more of each goes out together
        strides = {k: f"output_state_stride[{k}], output_element_stride[{k}], count" for k in large}
        wide = " | ".join(f"is_wide({program.outputs[k].size}, {strides[k]})" for k in large)
        yield f"    const int blocks = {wide} ? {tile} : 1;"
        yield "    for (long first = 0; first < count; first += blocks * LANES) {"
        yield "        const long states = count - first < blocks * LANES ? count - first : blocks * LANES;"
        yield "        for (int b = 0; b * LANES < states; ++b) {"
        yield "            const int valid = states - b * LANES < LANES ? (int)(states - b * LANES) : LANES;"
        yield from _gathers(program.inputs, inputs, "            ", "(first + b * LANES)")
        yield from (f"            part_{k}(x, y + b * {printed.given}, live);" for k in range(len(cut)))
        yield "        }"
        yield from _scatters(program.outputs, places, "send(y", f", {printed.given}", ", states, {large}, rows);")
        yield "    }"
        yield from ("#ifdef STREAM", "    __sync_synchronize();", "#endif")
    yield "}"
    yield ""


def _gathers(ports: tuple[Port, ...], offsets: list[int], indent: str, first: str) -> Iterator[str]:
    for k, port in enumerate(ports):
        state, element = (f"input_{kind}_stride[{k}]" for kind in ("state", "element"))
        place = f"inputs[{k}] + {first} * {state}"
        yield f"{indent}gather(x + {offsets[k]}, {port.size}, {place}, {state}, {element}, valid);"


def _scatters(ports: tuple[Port, ...], places: list[list[int]], call: str, apart: str, end: str) -> Iterator[str]:
    tables = _tables(places)
    for k, port in enumerate(ports):
        state, element = (f"output_{kind}_stride[{k}]" for kind in ("state", "element"))
        start = "" if k in tables or not places[k] else f" + {places[k][0]}"
        table = f"at_{k}" if k in tables else "0"
        behind = end.format(large=f"is_large({port.size}, {state}, {element}, count)")
        place = f"outputs[{k}] + first * {state}"
        yield f"        {call}{start}{apart}, {table}, {port.size}, {place}, {state}, {element}{behind}"


def _split(places: list[int], ports: tuple[Port, ...]) -> list[list[int]]:
    """Where the elements of each port are."""
    offsets = _offsets(ports)
    return [places[start:end] for start, end in pairwise(offsets)]


def _tables(places: list[list[int]]) -> list[int]:
    """Ports whose elements do not lie side by side."""
    return [k for k, at in enumerate(places) if at and at != list(range(at[0], at[0] + len(at)))]
