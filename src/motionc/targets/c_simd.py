"""C for batches: the same straight-line program on vectors, one state a lane.

    void <name>_batch(long count, const T *const *inputs, const long *…, T *const *outputs, const long *…);

One pointer and two strides a port, so that (N, n) arrays, (n, N) arrays and one value for all states are one call.
The vectors are GCC's and Clang's; `lanes.h`, with which every file starts, chooses their width and holds what is done
to them. Threads are the caller's: a call works on one stretch of states and shares nothing.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from itertools import accumulate, pairwise

from motionc.program.instructions import FREE, TURN
from motionc.program.passes import together
from motionc.program.passes.turns import angles_of, run_at, with_runs_of_turns
from motionc.program.port import Port, Precision
from motionc.program.program import Program, Table, call_data
from motionc.program.sizes import LANES, Cut
from motionc.program.split import Part, in_functions, slots
from motionc.targets.c import REAL, comment, identifier, number, said
from motionc.targets.copies import Arrays, stretches_of, taken
from motionc.targets.kernels.text import kernel_name
from motionc.targets.kernels_c import for_lanes
from motionc.targets.library import functions, needed
from motionc.targets.naming import wrapped
from motionc.targets.reading import what_is_where
from motionc.targets.self_test import self_test
from motionc.targets.statements import Statements
from motionc.targets.target import Files, Trial

USED = {array: re.compile(rf"\b{array}\[|\({array} \+ ") for array in ("x", "y", "live")}
"""How a part uses its arrays."""
PAGE = 4096
"""Bytes after which addresses look alike to a processor that has many writes waiting."""
TILE, NEARBY, HELD = 16, 4096, 16384
"""Blocks of states that go through a part of the program before the next part, vectors that these may take, and that half
as many blocks may: of the widest vectors; of others as many more as they are narrower.
"""
KEPT = 16384
"""Vectors of outputs that blocks may keep which go through the whole program one after the other."""
MANY, FEW = 64, 3
"""Numbers of an output that are better written at once, block by block, where the parts are so few that their code
stays at hand anyway, and rows are short.
"""
NEAR = 8
"""Numbers of an input up to which it takes longer to pass over them than to read them."""

FUNCTION = r"^(?:/\*(?:[^*]|\*(?!/))*\*/\n)?APART (?:lanes|void) (?P<name>\w+)\("
"""Where a function of `lanes_functions.h` starts, with what is said of it, and its name."""


def emit(program: Program, name: str, precision: Precision = "double", *, size: Cut = LANES) -> str:
    """The computation as one C file with the entry `<name>_batch`, in functions of this size."""
    name = f"{identifier(name)}_batch"
    program = arranged(program)
    cut = in_functions(program, size, turns_of(program))
    kernels = for_lanes((call_data(step) for _, step in program.calls()), precision)
    printed = Printed(program, precision, cut)
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


def arranged(program: Program) -> Program:
    """The program with what belongs together side by side, and sines and cosines in runs: one call computes a run."""
    return together(with_runs_of_turns(program, 1))


def turns_of(program: Program) -> list[int]:
    """All sines and cosines of a program, in its order."""
    return [i for i, step in enumerate(program.instructions) if step.op in TURN]


def header(precision: Precision, body: str) -> str:
    """What stands before a text for lanes: `lanes.h`, and of the functions it leaves out those that the text calls."""
    *always, more = (
        resources.files("motionc.targets").joinpath(file).read_text(encoding="utf-8")
        for file in ("vectors.h", "lanes.h", "turn.h", "lanes_functions.h")
    )
    called = needed(body, functions(more, FUNCTION), r"/\*(?:[^*]|\*(?!/))*\*/")
    text = ["#include <math.h>", "", f"#define SINGLE {int(precision == 'single')}", "", *always]
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
    """A program's statements: value i is `t<i>`, inputs stand in x, outputs go to y, in live what crosses parts and
    behind it all sines and cosines.
    """

    def __init__(self, program: Program, precision: Precision, cut: tuple[Part, ...]) -> None:
        super().__init__(program, "lanes", lambda spelling: spelling.lanes, REAL[precision])
        self.inputs = _offsets(program.inputs)
        # where values go, each once, and in which place each element of the outputs is found
        self.outputs: dict[int, int] = {}
        self.places = [self.outputs.setdefault(value, len(self.outputs)) for port in program.results for value in port]
        self.given = len(self.outputs)
        self.arrays, self.in_place = Arrays(program, cut, "live"), set[int]()
        for values in filter(None, program.results):
            start = self.outputs[values[0]]
            side_by_side = all(self.outputs[value] == start + k for k, value in enumerate(values))
            if side_by_side and self.arrays.put(values, "y", start):
                self.in_place |= set(values)
        # runs of sines and cosines by their first, where each of them is, and how many values `live` holds
        self.runs: dict[int, range] = {}
        self.turned: dict[int, int] = {}
        self.held = slots(cut)
        for i in turns_of(program):
            if i not in self.turned:
                self.runs[i] = run_at(self.steps, i)
                angles = angles_of(self.steps, self.runs[i])
                for k in self.runs[i]:
                    cosine = len(angles) * (self.steps[k].op == "cos")
                    self.turned[k] = self.held + cosine + angles.index(self.steps[k].args[0])
                self.held += 2 * len(angles)

    def function(self, index: int, part: Part, name: str = "part") -> Iterator[str]:
        body = [f"    {line}" for line in self._statements(part)]
        text = "\n".join(body)
        yield f"APART void {name}_{index}(const lanes *restrict x, lanes *restrict y, lanes *restrict live)"
        yield "{"
        yield from (f"    (void){array};" for array in ("x", "y", "live") if not USED[array].search(text))
        yield from body
        yield "}\n"

    def _statements(self, part: Part) -> Iterator[str]:
        """Values are taken over when first needed, what kernels give too, and handed on as soon as they are there."""
        known, said = set[int](), list[str]()

        def name(value: int) -> str:
            step = self.steps[value]
            if value not in known and (step.op == "pick" or value in part.needs):
                known.add(value)
                picked = step.op == "pick"
                kept = self.arrays.entry(step.args[0], step.data) if picked else f"live[{part.needs[value]}]"  # type: ignore[arg-type]
                said.append(f"const lanes {self.name(value)} = {kept};")
            return self.name(value)

        for i in part.steps:
            step, after = self.steps[i], list[str]()
            if step.op == "call":
                before, given = taken(i, step, part, "lanes", self.arrays, name)
                own = [f"lanes k{i}[{call_data(step).outputs}];"] if self.arrays.apart(i) else []
                after = [*own, f"{kernel_name(call_data(step))}({given}, {self.arrays.at(i)});"]
                after = [*(line.strip() for line in before), *after]
            elif i in self.runs:
                after = [*self._run(self.runs[i], name)]
            elif step.op not in FREE and step.op != "pick" and i not in self.turned:
                for arg in step.args:
                    name(arg)
                after = [*self.statement(i, step)]
                if i in part.gives:
                    after.append(f"live[{part.gives[i]}] = {self.name(i)};")
            if i in self.outputs and i not in self.in_place:
                after.append(f"y[{self.outputs[i]}] = {name(i)};")
            yield from said
            yield from after
            said.clear()

    def _run(self, run: range, name: Callable[[int], str]) -> Iterator[str]:
        """The call that computes a run of sines and cosines; angles that are side by side in x are read there."""
        angles = [name(angle) for angle in angles_of(self.steps, run)]
        size, first = len(angles), run.start
        place = self.turned[first] - size * (self.steps[first].op == "cos")
        start = re.fullmatch(r"x\[(\d+)\]", angles[0])
        if start and angles == [f"x[{int(start[1]) + k}]" for k in range(size)]:
            source = f"x + {start[1]}"
        else:
            source = f"a{first}"
            yield f"const lanes a{first}[] = {{{', '.join(angles)}}};"
        yield f"turns({source}, {size}, live + {place}, live + {place + size});"
        called = {self.turned[k]: super(Printed, self).name(k) for k in run}
        named = [f"live[{at}] {word}" for at, word in sorted(called.items()) if not re.fullmatch(r"t\d+", word)]
        yield from (f"/* {line} */" for line in (wrapped(named, ", ", "", 108) if named else ()))

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
            case _ if value in self.turned:
                return f"live[{self.turned[value]}]"
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
    x, y, live = inputs[-1], printed.given, printed.held
    block = max(x + y + live, 1)
    tile = TILE if TILE * block <= NEARBY else max(1, min(TILE // 2, HELD // block))
    yield from (f"    static const int at_{k}[] = {{{', '.join(map(str, places[k]))}}};" for k in _tables(places))
    large = [k for k, port in enumerate(program.outputs) if port.size >= MANY]
    wide = " | ".join(f"(output_state_stride[{k}] == 1)" for k in large)
    if tile == 1 and large:
        # what a block has is more than is at hand anyway: several blocks keep their outputs alone
        kept = max(1, min(TILE, KEPT // y))
        yield f"    enum {{ BLOCKS = {kept}, APART_Y = {y}, LIVE = {x} }};"
        yield f"    lanes work[{max(x + live, 1)}] __attribute__((aligned({PAGE})));"
        yield f"    lanes kept[BLOCKS * APART_Y] __attribute__((aligned({PAGE})));"
        yield f"    const int most = {wide} ? BLOCKS : 1;"
        loop, apart, sent = _block_by_block(program, inputs, len(cut)), "APART_Y", "kept"
    else:
        # what a block has lies side by side; several blocks go through a part before the next: its code stays at hand,
        # and more of each row is moved at once
        places_of = f"Y = {x}, LIVE = {x + y}, ALL = {max(x + y + live, 1)}"
        yield f"    enum {{ BLOCKS = {tile} * 64 / VECTOR_BYTES, {places_of} }};"
        yield f"    lanes work[BLOCKS * ALL] __attribute__((aligned({PAGE})));"
        yield f"    const int most = {f'{wide} ? BLOCKS : 1' if large and len(cut) <= FEW else 'BLOCKS'};"
        loop, apart, sent = _part_by_part(program, inputs, len(cut)), "ALL", "work + Y"
    yield "    for (long first = 0; first < count; first += most * LANES) {"
    yield "        const long left = count - first;"
    yield "        const int blocks = left < most * LANES ? (int)((left + LANES - 1) / LANES) : most;"
    yield from (f"        {line}" for line in loop)
    tables = _tables(places)
    for k, port in enumerate(program.outputs):
        start = sent if k in tables or not places[k] or not places[k][0] else f"{sent} + {places[k][0]}"
        table = f"at_{k}" if k in tables else "0"
        yield f"        send({start}, {apart}, {table}, {port.size}, {_place('output', k)}, blocks, left, count);"
    yield "    }"
    if large:
        yield from ("#ifdef STREAM", "    __sync_synchronize();", "#endif")
    yield "}"
    yield ""


def _part_by_part(program: Program, inputs: list[int], parts: int) -> Iterator[str]:
    """All blocks through a part of the program before the next."""
    read = _read(program)
    for k, some in read:
        yield f"take(work + {inputs[k] + some.start}, ALL, {len(some)}, {_element(k, some.start)}, blocks, left);"
    for k in range(parts):
        yield "for (int b = 0; b < blocks; ++b) {"
        for j in dict.fromkeys(j for j, _ in read if k == 0):
            yield f"    fetch({program.inputs[j].size}, {_place('input', j)}, (BLOCKS + b) * LANES, left);"
        yield f"    part_{k}(work + b * ALL, work + b * ALL + Y, work + b * ALL + LIVE);"
        yield "}"


def _block_by_block(program: Program, inputs: list[int], parts: int) -> Iterator[str]:
    """A block through the whole program before the next."""
    yield "for (int b = 0; b < blocks; ++b) {"
    read = _read(program)
    for k, some in read:
        place = _element(k, some.start, "b * LANES")
        yield f"    take(work + {inputs[k] + some.start}, 0, {len(some)}, {place}, 1, left - b * LANES);"
    for k in dict.fromkeys(k for k, _ in read):
        yield f"    fetch({program.inputs[k].size}, {_place('input', k)}, (b + 1) * LANES, left);"
    yield from (f"    part_{k}(work, kept + b * APART_Y, work + LIVE);" for k in range(parts))
    yield "}"


def _read(program: Program) -> list[tuple[int, range]]:
    """Stretches of inputs that are read, by port; what is between two that are near comes along."""
    flags = [[False] * port.size for port in program.inputs]
    for step in program.instructions:
        match step.data:
            case Table(port) as table:
                for element in table.elements:
                    flags[port][element] = True
            case (int(port), int(element)):
                flags[port][element] = True
            case _:
                pass
    found = list[tuple[int, range]]()
    for k, read in enumerate(flags):
        for some in stretches_of(read):
            before, last = found[-1] if found else (-1, some)
            if before == k and some.start - last.stop < NEAR:
                found[-1] = k, range(last.start, some.stop)
            else:
                found.append((k, some))
    return found


def _element(k: int, element: int, more: str = "") -> str:
    """The same as `_place` of an element of an input."""
    place = _place("input", k, more)
    return place.replace(",", f" + {element} * input_element_stride[{k}],", 1) if element else place


def _place(direction: str, k: int, more: str = "") -> str:
    """Where the first state of a port is, or one so many later, and its strides."""
    state, element = (f"{direction}_{kind}_stride[{k}]" for kind in ("state", "element"))
    first = f"(first + {more})" if more else "first"
    return f"{direction}s[{k}] + {first} * {state}, {state}, {element}"


def _split(places: list[int], ports: tuple[Port, ...]) -> list[list[int]]:
    """Where the elements of each port are."""
    offsets = _offsets(ports)
    return [places[start:end] for start, end in pairwise(offsets)]


def _tables(places: list[list[int]]) -> list[int]:
    """Ports whose elements do not lie side by side."""
    return [k for k, at in enumerate(places) if at and at != list(range(at[0], at[0] + len(at)))]
