"""Generated code, one state at a time and in lanes: no allocation, no undefined behaviour, no branch on data, the same
bytes in every process. The text is checked, and what a compiler makes of it."""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import motionc as mc
from instructions import ARGUMENTS
from motionc.program import Instruction, Program
from motionc.program.kernels import KERNELS
from motionc.program.kernels.box_solve import box_solve
from motionc.program.kernels.cone_solve import cone_solve
from motionc.program.sizes import Cut
from motionc.sweeps import Port
from motionc.targets import TARGETS, c, c_simd, lanes_entry
from mutants import tree
from rows import row
from trials import LONG, some

CC = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(CC is None, reason="no C compiler on this machine")
needs_binutils = pytest.mark.skipif(not (CC and shutil.which("objdump") and shutil.which("nm")), reason="no binutils")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="malloc is interposed as Linux has it")
FLAGS = ("-std=gnu99", "-w", "-fno-math-errno", "-march=native")
# unoptimised: every access is still there, and long programs are instrumented in seconds
SANITISED = ("-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

TEXTS: dict[str, Callable[[Program], str]] = {
    "one, double": lambda program: c.emit(program, "program").together,
    "one, single": lambda program: c.emit(program, "program", "single").together,
    "lanes, double": lambda program: c_simd.emit(program, "program", size=Cut(400, 400)),
    "lanes, single": lambda program: c_simd.emit(program, "program", "single", size=Cut(400, 400)),
}
MOST_LANES = {"one, double": 0, "one, single": 0, "lanes, double": 8, "lanes, single": 16}
"""How many states a vector holds at most."""
CHECKED_TEXTS = [
    *(("planar2 constrained", target) for target in TEXTS),
    *(("everything", target) for target in TEXTS if LONG or target == "lanes, single"),
]
each_target = pytest.mark.parametrize("target", TEXTS)


# ---------------------------------------------------------------- programs


@cache
def program(name: str) -> Program:
    """Dynamics of a robot, as `<robot> <kind>`, or every instruction and every kernel there is."""
    if name == "everything":
        return everything()
    if name == "widths":
        return widths()
    robot, kind = name.split()
    loaded = tree(True) if robot == "floating" else mc.load(robot)
    frame = {"planar2": "tip", "lwr4": "link_7"}.get(robot, "tool")
    make: dict[str, Callable[[], mc.Computation]] = {
        "inverse": lambda: mc.inverse_dynamics(loaded),
        "forward": lambda: mc.forward_dynamics(loaded),
        "jacobian": lambda: mc.jacobian(loaded, frame),
        "constrained": lambda: mc.constrained_dynamics(
            loaded, [mc.Constraint(frame, "x" if robot == "planar2" else "xyz rx")]
        ),
    }
    return make[kind]().program


def everything() -> Program:
    ports = Port("x", (3,), "1", "numbers"), Port("a", (6, 6), "1", "matrix"), Port("r", (6,), "1", "right side")
    steps = [Instruction("input", (), (port, k)) for port, size in ((0, 3), (1, 36), (2, 6)) for k in range(size)]
    results = list[int]()
    for op, arguments in ARGUMENTS.items():
        results.append(len(steps))
        steps.append(Instruction(op, tuple(range(arguments))))
    for kernel in KERNELS:
        motors, rows = ((1, 1, 1, 2), (1, 0, 1), (2, 1, 1)), ((1, 2, 3), (6,), (1,), (2,), (3,), (2, 1))
        for blocks in some(motors) if kernel == "box_solve" else some(rows, 2):
            m, call = sum(blocks), len(steps)
            solve = KERNELS[kernel].with_policy(blocks, None if m < 6 else 1e-9).call(m)
            if kernel == "box_solve":
                solve = box_solve(blocks).call(m)
            if kernel == "cone_solve":
                solve = cone_solve({3: ("cone",), 6: ("cone", "box", "one_sided", "box")}.get(m, ("box",) * m), 2)
            elif KERNELS[kernel].along:
                patterns = {
                    "tree_pairs": (*(k for i in range(m) for k in (i, i + 1, m)), 1),
                    "tree_symmetric": (m,) * m,
                }
                pattern = patterns.get(kernel, tuple(range(-1, m - 1)))
                wide = {"tree_factor": 1, "tree_pairs": m + 1}.get(kernel, m)
                solve = KERNELS[kernel].on_tree(pattern, wide).call(m)
            width = solve.matrix // m
            matrix = [3 + 6 * i + k % 6 for i in range(m) for k in range(width)]
            right = [39 + k % 6 for k in range(solve.inputs - m * width)]
            steps.append(Instruction("call", (*matrix, *right), solve))
            for k in range(solve.outputs):
                results.append(len(steps))
                steps.append(Instruction("pick", (call,), k))
    out = Port("y", (len(results),), "1", "out")
    return Program("everything", "y = f(x, a, r)", ports, (out,), tuple(steps), (tuple(results),))


def widths() -> Program:
    """Ports of fewer numbers than a vector has, of a few more, and one that is large."""
    sizes = 3, 5, 9, 20
    inputs = tuple(Port(f"x{size}", (size,), "1", "numbers") for size in sizes)
    steps = [Instruction("input", (), (port, k)) for port, size in enumerate(sizes) for k in range(size)]
    results, first = list[tuple[int, ...]](), 0
    for size in sizes:
        results.append(tuple(range(len(steps), len(steps) + size)))
        steps += [Instruction("add", (first + k, first + k)) for k in range(size)]
        first += size
    results.append(tuple(range(len(steps), len(steps) + 81)))
    steps += [Instruction("mul", (8 + k // 9, 8 + k % 9)) for k in range(81)]
    outputs = *(Port(f"y{size}", (size,), "1", "twice") for size in sizes), Port("z", (9, 9), "1", "products")
    return Program("widths", "y = 2 x, z = x x^T", inputs, outputs, tuple(steps), tuple(results))


@pytest.fixture(autouse=True)
def kernels_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those along a tree, too, however short they are."""
    monkeypatch.setattr(c_simd, "LANES_WRITTEN_OUT", 0)


@cache
def written(name: str, target: str) -> str:
    return TEXTS[target](program(name))


def built(folder: Path, text: str, *flags: str) -> Path:
    """The program that this C is."""
    source, made = folder / "driver.c", folder / "driver"
    source.write_text(text, encoding="utf-8")
    command = [str(CC), *FLAGS, *flags, "-o", str(made), str(source), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "sanitize" in " ".join(flags) and ("cannot find" in done.stderr or "unsupported" in done.stderr):
        pytest.skip("this compiler has no sanitisers")
    assert not done.returncode, done.stderr
    return made


def run(driver: Path) -> str:
    done = subprocess.run([str(driver)], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


# ---------------------------------------------------------------- a driver: ports in every layout, allocated exactly

DRIVER = """
#include <stdio.h>
#include <stdlib.h>

enum {{ INPUTS = {inputs}, OUTPUTS = {outputs}, PORTS = INPUTS + OUTPUTS, LAYOUTS = 7 }};
static const long sizes[PORTS] = {{{sizes}}};

typedef struct {{ {real} *start, *data; long state, element; }} Ends;

/*
 * rows, columns, gaps between all numbers, last state first, one value for all states, one number for everything,
 * windows of which each begins within the one before
 */
static Ends port(long n, long size, int layout, int shift)
{{
    const long strides[LAYOUTS][2] = {{{{size, 1}}, {{1, n}}, {{3 * size, 2}}, {{-size, 1}}, {{0, 1}}, {{0, 0}},
                                      {{2, 1}}}};
    const long state = strides[layout][0], element = strides[layout][1], far = n ? (n - 1) * state : 0;
    const long low = far < 0 ? far : 0, high = (far > 0 ? far : 0) + (size - 1) * element;
    {real} *start = malloc((high - low + 1 + shift) * sizeof *start);
    return (Ends){{start, start + shift - low, state, element}};
}}

static {real} value(int kind, unsigned *seed)
{{
    *seed = *seed * 1664525u + 1013904223u;
    const {real} some = ({real})(*seed >> 8) / (1 << 22) - 2;
    const {real} values[] = {{some, 0, NAN, INFINITY, some * ({real})1e30}};
    return values[kind];
}}

static void fill(Ends port, long n, long size, int kind, unsigned *seed)
{{
    for (long i = 0; i < n; ++i)
        for (long k = 0; k < size; ++k) port.data[i * port.state + k * port.element] = value(kind, seed);
}}
"""

ONE_MAIN = """
int main(void)
{{
    unsigned seed = 1;
    for (int kind = 0; kind < 5; ++kind) {{
        Ends p[PORTS];
        for (int k = 0; k < PORTS; ++k) {{
            p[k] = port(1, sizes[k], 0, 0);
            if (k < INPUTS) fill(p[k], 1, sizes[k], kind, &seed);
        }}
        program({arguments});
        for (int k = 0; k < PORTS; ++k) free(p[k].start);
    }}
    return 0;
}}
"""

BATCH_MAIN = """
int main(void)
{{
    unsigned seed = 1;
    static const long counts[] = {{{counts}}};
    for (unsigned long which = 0; which < sizeof counts / sizeof *counts; ++which)
        for (int turn = 0; turn < LAYOUTS; ++turn)
            for (int kind = 0; kind < 5; ++kind) {{
                const long n = counts[which];
                Ends p[PORTS];
                {real} *data[PORTS];
                long state[PORTS], element[PORTS];
                for (int k = 0; k < PORTS; ++k) {{
                    /* outputs cannot share one place */
                    p[k] = port(n, sizes[k], k < INPUTS ? (turn + k) % LAYOUTS : (turn + k) % 4, kind % 2);
                    if (k < INPUTS) fill(p[k], n, sizes[k], kind, &seed);
                    data[k] = p[k].data, state[k] = p[k].state, element[k] = p[k].element;
                }}
                program_batch(n, (const {real} *const *)data, state, element,
                              data + INPUTS, state + INPUTS, element + INPUTS);
                for (int k = 0; k < PORTS; ++k) free(p[k].start);
            }}
    return 0;
}}
"""


def counts(lanes: int) -> list[int]:
    """Numbers of states: up to two full vectors and one more; in a short run none, one, and around full ones."""
    every = range(2 * lanes + 2)
    return [n for n in every if LONG or n < 2 or (n + 1) % max(lanes, 1) < 3]


def driver(asked: Program, target: str, main: str = "") -> str:
    """The generated text and a main that calls it in every way."""
    ports = (*asked.inputs, *asked.outputs)
    words = {
        "inputs": len(asked.inputs),
        "outputs": len(asked.outputs),
        "sizes": ", ".join(str(port.size) for port in ports),
        "real": "float" if "single" in target else "double",
        "arguments": ", ".join(f"p[{k}].data" for k in range(len(ports))),
        "counts": ", ".join(map(str, counts(MOST_LANES[target]))),
    }
    main = main or (BATCH_MAIN if MOST_LANES[target] else ONE_MAIN)
    return TEXTS[target](asked) + (DRIVER + main).format(**words)


@needs_compiler
@pytest.mark.parametrize(("name", "target"), CHECKED_TEXTS)
def test_address_and_undefined_behaviour_sanitisers_have_nothing_to_say(name: str, target: str, tmp_path: Path) -> None:
    text = driver(program(name), target)
    run(built(tmp_path, text, *SANITISED))


@needs_compiler
@pytest.mark.parametrize("held", [lanes_entry.HELD, 1], ids=["side by side", "outputs kept apart"])
@pytest.mark.parametrize("target", [target for target in TEXTS if MOST_LANES[target]])
def test_ports_of_any_width_are_read_and_written_alone(
    target: str, held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What vectors have more than a port is not read behind its last state either."""
    monkeypatch.setattr(lanes_entry, "HELD", held)
    monkeypatch.setattr(lanes_entry, "NEARBY", min(held, lanes_entry.NEARBY))
    text = driver(program("widths"), target)
    assert ("lanes kept[" in text) == (held == 1)
    run(built(tmp_path, text, *SANITISED))


@needs_compiler
@each_target
def test_the_sanitisers_would_see_one_number_too_few(target: str, tmp_path: Path) -> None:
    text = driver(program("planar2 inverse"), target).replace("sizes[PORTS] = {2,", "sizes[PORTS] = {1,")
    spoilt = built(tmp_path, text, *SANITISED)
    done = subprocess.run([str(spoilt)], capture_output=True, text=True, check=False)
    assert "heap-buffer-overflow" in done.stderr


# ---------------------------------------------------------------- allocations, counted

COUNTING = """
#include <stddef.h>
#include <string.h>

/* every way to the heap, for this program and the libraries it calls; nothing is given back. Compilers know what malloc
   does not change: without volatile nothing would ever be counted */
static volatile long allocations;
static char heap[1 << 20] __attribute__((aligned(64)));
static size_t used;

static void *taken(size_t alignment, size_t size)
{
    ++allocations;
    used = (used + alignment - 1) / alignment * alignment;
    void *found = heap + used;
    used += size;
    return used <= sizeof heap ? found : NULL;
}
void *malloc(size_t size) { return taken(16, size); }
void *calloc(size_t count, size_t size) { return memset(taken(16, count * size), 0, count * size); }
void *realloc(void *old, size_t size) { return old ? memmove(taken(16, size), old, size) : taken(16, size); }
void *aligned_alloc(size_t alignment, size_t size) { return taken(alignment, size); }
void *memalign(size_t alignment, size_t size) { return taken(alignment, size); }
int posix_memalign(void **to, size_t alignment, size_t size) { return !(*to = taken(alignment, size)); }
void free(void *old) { (void)old; }
"""

COUNT_MAIN = """
int main(void)
{{
    unsigned seed = 1;
    enum {{ STATES = %d }};
    Ends p[PORTS];
    {real} *data[PORTS];
    long state[PORTS], element[PORTS];
    for (int k = 0; k < PORTS; ++k) {{
        p[k] = port(STATES, sizes[k], 0, 0);
        fill(p[k], STATES, sizes[k], 0, &seed);
        data[k] = p[k].data, state[k] = p[k].state, element[k] = p[k].element;
    }}
    const long before = allocations;
    for (long call = 0; call < 1000000; ++call) {{
        data[0][call %% STATES] = value(0, &seed);
        %s
    }}
    const long after = allocations;
    printf("%%ld in a million calls, %%ld before, ", after - before, before);
    printf("%%g\\n", (double)data[INPUTS][0]);
    return 0;
}}
"""
ONE_CALL = "program({arguments});"
BATCH_CALL = (
    "program_batch(STATES, (const {real} *const *)data, state, element, data + INPUTS, state + INPUTS, "
    "element + INPUTS);"
)


@row("robcogen", 38)
@row("itasc", 8)
@needs_compiler
@on_linux
@each_target
@pytest.mark.parametrize("kind", ["inverse", "forward", "constrained"])
def test_a_million_calls_allocate_nothing(kind: str, target: str, tmp_path: Path) -> None:
    # a full vector and a remainder
    asked, lanes = program(f"planar2 {kind}"), MOST_LANES[target]
    main = COUNT_MAIN % (lanes + 1, BATCH_CALL if lanes else ONE_CALL)
    said = run(built(tmp_path, COUNTING + driver(asked, target, main), "-O2"))
    # what the driver itself allocated was counted
    ports = len(asked.inputs) + len(asked.outputs)
    assert re.match(rf"0 in a million calls, {ports} before, -?\d", said), said


# ---------------------------------------------------------------- what a compiler makes of it

LIBRARY = {name + end for name in ("sin", "cos", "sqrt", "atan2", "exp", "log", "fmin", "fmax") for end in ("", "f")}
LIBRARY |= {"sincos", "sincosf", "memcpy", "memset", "memmove", "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_"}
JUMP = {"x86_64": r"\tj(?!mp)\w+", "aarch64": r"\t(b\.\w+|cbn?z|tbn?z)"}.get(platform.machine(), "")


def compiled(folder: Path, text: str) -> Path:
    """An object file, made with the flags of the runtime."""
    source = folder / "program.c"
    source.write_text(text, encoding="utf-8")
    # some distributions watch the stack of their own accord: that jump is none of ours
    flags = (*FLAGS, "-O2", "-ffp-contract=fast", "-fPIC", "-fno-stack-protector", "-c")
    subprocess.run([str(CC), *flags, source.name, "-o", "program.o"], cwd=folder, check=True, capture_output=True)
    return folder / "program.o"


def said_by(*command: str | Path) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def jumps(made: Path) -> dict[str, int]:
    """Conditional jumps of every function of an object file."""
    counts, name = dict[str, int](), ""
    for line in said_by("objdump", "-d", "--no-show-raw-insn", made).splitlines():
        if head := re.fullmatch(r"[0-9a-f]+ <(.*)>:", line):
            name = head[1]
        elif name:
            counts[name] = counts.get(name, 0) + bool(re.search(JUMP, line))
    return counts


@needs_binutils
@pytest.mark.parametrize(("name", "target"), CHECKED_TEXTS)
def test_an_object_file_needs_mathematics_and_keeps_nothing(name: str, target: str, tmp_path: Path) -> None:
    made = compiled(tmp_path, written(name, target))
    symbols = [line.split()[-2:] for line in said_by("nm", made).splitlines()]
    assert {name for kind, name in symbols if kind == "U"} <= LIBRARY
    # code and constants: no data that could be written
    assert {kind for kind, _ in symbols} <= set("UTtRr")


@needs_binutils
@pytest.mark.skipif(not JUMP, reason="this machine's jumps are unknown here")
@each_target
@pytest.mark.parametrize("name", some(["lwr4 forward", "floating inverse", "lwr4 inverse", "lwr4 jacobian"], 2))
def test_a_program_without_kernels_has_no_conditional_jump(name: str, target: str, tmp_path: Path) -> None:
    asked = program(name)
    assert not list(asked.calls())
    counts = jumps(compiled(tmp_path, TEXTS[target](asked)))
    # how states are fetched and put back depends on how they lie; turns are a loop over angles
    ours = {name: count for name, count in counts.items() if re.match(r"program(_\d+)?$|part_|turn(?!s)", name)}
    assert len(ours) >= (2 if MOST_LANES[target] else 1)
    assert not any(ours.values()), ours


@needs_binutils
@pytest.mark.skipif(not JUMP, reason="this machine's jumps are unknown here")
def test_a_branch_on_data_would_be_a_conditional_jump(tmp_path: Path) -> None:
    text = TEXTS["one, double"](program("lwr4 inverse"))
    spoilt, times = re.subn(r"(tau\[0\] = )(t\d+);", r"\1q[0] > 0.0 ? sin(\2) : \2;", text)
    assert times == 1
    assert jumps(compiled(tmp_path, spoilt))["program"] > 0
    # and fixed loops are there, counted too
    assert sum(jumps(compiled(tmp_path, TEXTS["one, double"](program("planar2 constrained")))).values()) > 0


# ---------------------------------------------------------------- the text

LAYOUT = ("size", "state", "element", "full", "beside", "packed", "whole", "lines", "blocks", "states", "left")
AHEAD = ("at", "share", "end", "wide", "written", *(f"ahead_{k}" for k in range(30)))
PAST = ("last", "rest", "over", "fills", "joined", "own", "rows", "width", "large", "line", "LINE", "FULL")
STREAMED = (*PAST, "__UINTPTR_TYPE__")
COUNTS = frozenset(("count", "first", "valid", "LANES", "VECTOR_BYTES", "all", "here", *LAYOUT, *AHEAD, *STREAMED))
"""What lanes may decide by: how many states there are, how they lie, and whether none of them needs a step."""
PURE = frozenset(("at", "splat", "spot"))
"""Calls that may stand in a choice: they have no choice of their own but by place."""


def branches(text: str, counts: frozenset[str] = frozenset()) -> list[str]:
    """Whatever in a C text could go another way for other data: ifs, loops without fixed ends, choices between calls.

    counts: names that are no data.
    """
    code = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL).replace("\\\n", " ")
    code = re.sub(r"^\s*#\s*define\s+\w+(\([^)]*\))?", " ", code, flags=re.MULTILINE)  # what it stands for is code
    code = re.sub(r"^\s*#.*$", " ", code, flags=re.MULTILINE)
    loops = set(re.findall(r"\bfor \((?:int|long) (\w+) =", code))
    sizes = set(re.findall(r"(\w+) =", " ".join(re.findall(r"\benum \{(.*?)\}", code))))
    tables = set(re.findall(r"(\w+)\[\w+\] =", " ".join(re.findall(r"\bstatic const int (.*?);", code))))
    fixed = loops | counts | sizes | tables | {"m"}  # which `at` and `put` are given

    def decided(condition: str) -> bool:
        return all(word.isdigit() or word in fixed for word in re.findall(r"\w+", condition))

    # an instruction that is none goes no way
    ways = r'\b(?:while|do|goto|switch|case|break|continue|setjmp|longjmp|asm|__asm__)\b(?!\("" : )'
    found = re.findall(ways, code)
    for kind, condition in re.findall(r"\b(if|for) \((.*?)\)(?: *[{\n]| \w)", code):
        test = condition if kind == "if" else condition.split(";")[1]
        if not test.strip() or not decided(test) or (kind == "if" and not counts):
            found.append(f"{kind} ({condition})")
    assert len(re.findall(r"\b(?:if|for)\b", code)) == len(re.findall(r"\b(?:if|for) \(.*?\)(?: *[{\n]| \w)", code))
    code = re.sub(r"\b(if|for) \(.*?\)(?= *[{\n]| \w)", " ", code)
    found += re.findall(r"[^;]*(?:&&|\|\|)[^;]*", code)
    found += [choice for choice in choices(code) if not harmless(choice)]
    return found


NEEDED = re.compile(
    r"^(?:(?:LOOPS )?static (?:__attribute__\(\(noinline\)\) )?void |APART void |(?:SINES_)?INLINE int )"
    r"(?:box_solve_|sines_and_cosines\(|turns\(|(?:sines_)?some_beyond\().*?^}$",
    re.DOTALL | re.MULTILINE,
)


RANK = re.compile(
    r"\bif \((?:independent > E - S - 0\.5f?|!\(rank > M - 0\.5f?\)|!?full|!everywhere\((?:certain|full)\))\)(?= \{$)",
    re.MULTILINE,
)
"""What solves with rows that may depend on each other decide by: whether these do."""


def choices(code: str) -> Iterator[str]:
    """What stands between each `?` and the end of its expression."""
    for start in (match.end() for match in re.finditer(r"\?", code)):
        depth, end = 0, start
        while depth >= 0 and (depth or code[end] not in ";,"):
            depth += (code[end] in "([") - (code[end] in ")]")
            end += 1
        yield code[start:end].rstrip(")]")


def harmless(choice: str) -> bool:
    """Whether two values are chosen from, rather than two things to do."""
    calls = set(re.findall(r"\b([A-Za-z_]\w*)\s*\(", choice))
    return calls <= PURE and not re.search(r"\?|[^=<>!]=[^=]|\+\+|--", choice)


@each_target
@pytest.mark.parametrize("name", ["everything", "lwr4 inverse", "floating forward", "floating constrained"])
def test_there_is_no_branch_on_data(name: str, target: str) -> None:
    """But for the search for an active set, which ends where nothing changes, angles that vectors do not reach, and
    what is for dependent rows alone.
    """
    text = RANK.sub("", NEEDED.sub("", written(name, target)))
    assert branches(text, COUNTS if MOST_LANES[target] else frozenset()) == []


@each_target
@pytest.mark.parametrize(
    "statement",
    [
        "if (t3 > 0.0) y[0] = 0.0;",
        "if (t3 > 0.0) {\n        y[0] = 0.0;\n    }",
        "while (t3 > 0.0) y[0] -= 1.0;",
        "do y[0] -= 1.0; while (y[0] > 0.0);",
        "for (int i = 0; i < t3; ++i) y[0] += 1.0;",
        "for (int i = 0; y[0] > 0.0; ++i) y[0] -= 1.0;",
        "for (;;) y[0] += 1.0;",
        "const int both = t3 > 0.0 && t4 > 0.0;",
        "const int one = t3 > 0.0 || sin(t4) > 0.0;",
        "y[0] = t3 > 0.0 ? sin(t4) : t4;",
        "y[0] = t3 > 0.0 ? t4 : (t5 > 0.0 ? t4 : t5);",
        "t3 > 0.0 ? (y[0] = 1.0) : (y[1] = 1.0);",
        "switch ((int)t3) { case 0: y[0] = 1.0; }",
        "goto done;",
        "#define SOMETIMES(x) if (x > 0.0)\n    y[0] = 0.0;",
    ],
)
def test_a_branch_would_be_found(statement: str, target: str) -> None:
    text = written("planar2 constrained", target)
    first = re.search(r"^ +const (double|float|lanes) t\d+ = .*$", text, re.MULTILINE)
    assert first
    spoilt = text.replace(first[0], f"{first[0]}\n    {statement}", 1)
    assert branches(spoilt, COUNTS if MOST_LANES[target] else frozenset()) != []


# ---------------------------------------------------------------- the same everywhere

GENERATE = """
import hashlib, sys
from pathlib import Path
import motionc as mc
from instructions import ARGUMENTS
from motionc.targets import TARGETS
from mutants import tree

robot = tree(True)
limited = mc.constrained_dynamics(mc.load("planar3"), [mc.Constraint("tip", "x y")], limits={"joint_2": 1.0})
for computation, targets in (
    (mc.inverse_dynamics(robot), ("c", "c_simd")),
    (mc.constrained_dynamics(robot, [mc.Constraint("tool", "xyz rx")], external_forces=[mc.Force("hand")]), ("c",)),
    (limited, TARGETS),
):
    print(computation.name, "identity", computation.identity())
    for target in targets:
        for path in computation.emit(target, sys.argv[1]):
            print(computation.name, path.name, hashlib.sha256(path.read_bytes()).hexdigest())
"""


@row("robcogen", 39)
def test_every_process_generates_the_same_bytes(tmp_path: Path) -> None:
    folders = [str(Path(module.__file__ or "").parents[k]) for module, k in ((mc, 1), (sys.modules["mutants"], 0))]
    said = set[str]()
    for seed in ("0", "4242"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(folders)}
        command = [sys.executable, "-c", GENERATE, str(tmp_path / seed)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        said.add(done.stdout)
    (one,) = said
    assert len(set(one.split("\n")) - {""}) > len(TARGETS) + 6
