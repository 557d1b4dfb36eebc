"""C for batches: the same straight-line program on vectors, one state a lane.

    void <name>_batch(long count, const T *const *inputs, const long *…, T *const *outputs, const long *…);

One pointer and two strides a port, so that (N, n) arrays, (n, N) arrays and one value for all states are one call.
The vectors are GCC's and Clang's; `lanes.h`, with which every file starts, chooses their width and holds what is done
to them. Threads are the caller's: a call works on one stretch of states and shares nothing.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources

from motionc.program.instructions import FREE, TURN
from motionc.program.kernels.tree import TREE
from motionc.program.passes import together
from motionc.program.passes.turns import angles_of, run_at, with_runs_of_turns
from motionc.program.port import Precision
from motionc.program.program import Program, Table, call_data
from motionc.program.sizes import LANES, LANES_WRITTEN_OUT, Cut
from motionc.program.split import Part, in_functions, slots
from motionc.program.written_out import written_out
from motionc.targets.c import REAL, Sources, guarded, identifier, number, said
from motionc.targets.copies import Arrays, taken
from motionc.targets.kernels.text import kernel_name
from motionc.targets.kernels_c import for_lanes
from motionc.targets.lanes_entry import MANY, documentation, entry, offsets, signature
from motionc.targets.library import functions, needed
from motionc.targets.naming import wrapped
from motionc.targets.reading import what_is_where
from motionc.targets.self_test import self_test
from motionc.targets.statements import Statements
from motionc.targets.target import Files, Trial

USED = {array: re.compile(rf"\b{array}\[|\({array} \+ ") for array in ("x", "y", "live")}
"""How a part uses its arrays."""
FUNCTION = r"^(?:/\*(?:[^*]|\*(?!/))*\*/\n)?APART (?:lanes|void) (?P<name>\w+)\("
"""Where a function of `lanes_functions.h` starts, with what is said of it, and its name."""


def emit(program: Program, name: str, precision: Precision = "double", *, size: Cut = LANES) -> str:
    """The computation as one C file with the entry `<name>_batch`, in functions of this size."""
    return sources(program, name, precision, size).together


def sources(program: Program, name: str, precision: Precision, size: Cut = LANES) -> Sources:
    """The same as a header that declares the entry, and a source."""
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
            *entry(program, printed, name, precision, len(cut)),
        ]
    )
    declared = guarded(name, [*documentation(program, printed, name, precision), f"{signature(name, precision)};"])
    return Sources(declared, f'#include "{name}.h"\n\n{header(precision, body)}\n{body}', name)


def arranged(program: Program) -> Program:
    """The program with what belongs together side by side, and sines and cosines in runs: one call computes a run.
    Kernels along a tree are written out, unless that would be too much.
    """
    return together(with_runs_of_turns(written_out(program, TREE, LANES_WRITTEN_OUT), 1))


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
    large = f"#define MANY {MANY} /* numbers from which on a port may be more than caches keep */"
    text = ["#include <math.h>", "", f"#define SINGLE {int(precision == 'single')}", large, "", *always]
    return "\n".join([*text, *([heading("functions")] if called else []), *(f"{function}\n" for function in called)])


def files(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> Files:
    """A header and a source; built with -DSELF_TEST the source is a program that checks itself."""
    written = sources(program, name, precision)
    call = _call(program, written.name, len(trials)).replace("REAL", REAL[precision])
    test = self_test(program, written.name, precision, trials, call, number)
    return {f"{written.name}.h": written.header, f"{written.name}.c": written.source + test}


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


# ---------------------------------------------------------------- the program


class Printed(Statements):
    """A program's statements: value i is `t<i>`, inputs stand in x, outputs go to y, in live what crosses parts and
    behind it all sines and cosines.
    """

    def __init__(self, program: Program, precision: Precision, cut: tuple[Part, ...]) -> None:
        super().__init__(program, "lanes", lambda spelling: spelling.lanes, REAL[precision])
        self.inputs = offsets(program.inputs)
        self.arrays, self.given = Arrays(program, cut, "live"), 0
        # where kernels write what outputs want, where other values go, and where each element of the outputs is found
        starts = self._starts(program)
        self.outputs: dict[int, int] = {}
        self.places = [place for values in program.results for place in self._placed(values, starts)]
        # runs of sines and cosines by their first, where each of them is, and how many values `live` holds
        self.runs: dict[int, range] = {}
        self.turned: dict[int, int] = {}
        self.held = slots(cut)
        self._lay_turns(program)

    def _lay_turns(self, program: Program) -> None:
        """Places of all sines and cosines, behind what crosses parts: those of a run side by side."""
        for i in turns_of(program):
            if i not in self.turned:
                self.runs[i] = run_at(self.steps, i)
                angles = angles_of(self.steps, self.runs[i])
                for k in self.runs[i]:
                    cosine = len(angles) * (self.steps[k].op == "cos")
                    self.turned[k] = self.held + cosine + angles.index(self.steps[k].args[0])
                self.held += 2 * len(angles)

    def _starts(self, program: Program) -> dict[int, int]:
        """Calls whose results stand in y as they are, and where: at least half of what is not 0 goes out."""
        starts = dict[int, int]()
        picked = {value for values in program.results for value in values if self.steps[value].op == "pick"}
        for call, count in Counter(self.steps[value].args[0] for value in sorted(picked)).items():
            kernel = call_data(self.steps[call])
            if 2 * count >= kernel.outputs - len(kernel.zeros):
                self.arrays.put(call, "y", self.given)
                starts[call] = self.given
                self.given += kernel.outputs
        return starts

    def _placed(self, values: Sequence[int], starts: Mapping[int, int]) -> Iterator[int]:
        """Where each of these stands; what no kernel writes there is written once, even if it stands in several."""
        stretch = self.arrays.whole(values)
        for k, value in enumerate(values):
            step = self.steps[value]
            if stretch and stretch.call in starts:
                yield starts[stretch.call] + stretch.first + k
            elif step.op == "pick" and step.args[0] in starts:
                yield starts[step.args[0]] + int(step.data)  # type: ignore[call-overload]
            else:
                if value not in self.outputs:
                    self.outputs[value] = self.given
                    self.given += 1
                yield self.outputs[value]

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
        known, declared = set[int](), list[str]()

        def name(value: int) -> str:
            step = self.steps[value]
            if value not in known and (step.op == "pick" or value in part.needs):
                known.add(value)
                picked = step.op == "pick"
                kept = self.arrays.entry(step.args[0], step.data) if picked else f"live[{part.needs[value]}]"  # type: ignore[arg-type]
                declared.append(f"const lanes {self.name(value)} = {kept};")
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
            if i in self.outputs:
                after.append(f"y[{self.outputs[i]}] = {name(i)};")
            yield from declared
            yield from after
            declared.clear()

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
