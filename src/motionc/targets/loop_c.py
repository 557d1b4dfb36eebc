"""C99 for a loop in time: a struct of what is carried on, `_start`, one turn as `_step`, many as `_run`.

    void <name>_start(<name>_state *state);
    int <name>_step(<name>_state *state, const T *<held> …, const T *<streamed> …, T *<given in between> …);
    long long <name>_run(<name>_state *state, long long steps, const T *<held> …, const T *<streamed> …, T *<log> …);

A turn gives 1, 0 where the loop has ended, -1 where something carried is no longer finite. `_run` gives the number of
turns it has made; logs are rows behind each other, those after the end repeat the last. No allocation, no globals.
"""

from collections.abc import Iterator, Sequence

from motionc.program.loop import Loop, Use
from motionc.program.noise import Kind, blocks
from motionc.program.program import call_data
from motionc.targets import noise, sines_c
from motionc.targets.c import REAL, STRAIGHT, Dialect, Sources, functions, named, number, said
from motionc.targets.kernels_c import for_one
from motionc.targets.loop_names import Named, in_words, wrapped_head
from motionc.targets.loop_test import loop_test
from motionc.targets.target import Files, RollOut, loop_documentation

INSIDE = Dialect("restrict", "static void", "APART static void")
HOW = (
    "A turn gives 1, 0 where the loop has ended, -1 where something carried is no longer finite. A run gives how many",
    "turns it has made; logs are rows behind each other, those after the end repeat the last.",
)


def emit(loop: Loop, name: str) -> Sources:
    """The loop as a header and a source."""
    text = in_words(loop, name)
    guard = f"{text.name.upper()}_H"
    header = [
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        *documentation(loop, text.names, text.logs),
        "typedef struct {",
        *carried_on(text),
        f"}} {text.kind};",
        "",
        *(f"{one};" for one in signatures(text)),
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
        "",
    ]
    source = [f'#include "{text.name}.h"', "", "#include <math.h>", "", *STRAIGHT, *body(text), ""]
    return Sources("\n".join(header), "\n".join(source), text.name)


def files(loop: Loop, name: str, trial: RollOut) -> Files:
    """A header and a source; built with -DSELF_TEST the source is a program that checks itself."""
    sources = emit(loop, name)
    entry = lanes_of_one(in_words(loop, name), "self_test_loop")
    test = loop_test(loop, sources.name, trial, "self_test_loop", number, entry)
    return {f"{sources.name}.h": sources.header, f"{sources.name}.c": sources.source + test}


def documentation(loop: Loop, names: Sequence[str] = (), logs: Sequence[str] = ()) -> list[str]:
    """What a turn does, and what its buffers are, as a comment."""
    return said([*loop_documentation(loop, names, logs), *HOW])


def carried_on(text: Named) -> list[str]:
    """What is carried from turn to turn, as members of a struct."""
    real = REAL[text.loop.precision]
    lines = [f"    {real} {text.names[k]}[{max(1, b.port.size)}];" for k, b in text.loop.states]
    return [*lines, "    unsigned long long turn, lane, seed; /* turns made; which numbers are drawn */"]


def signatures(text: Named) -> list[str]:
    """The headings of start, step and run."""
    real = REAL[text.loop.precision]
    given = [f"const {real} *{text.names[k]}" for k, _ in text.loop.given]
    between = [f"{real} *{text.names[k]}" for k in text.between]
    logs = [f"{real} *{log}" for log in text.logs]
    return [
        text.head("void", "start", []),
        text.head("int", "step", [*given, *between]),
        text.head("long long", "run", ["long long steps", *given, *logs]),
    ]


def body(text: Named) -> list[str]:
    """Everything behind the header."""
    loop, precision = text.loop, text.loop.precision
    calls = [call_data(step) for use in loop.uses for _, step in use.program.calls()]
    return [
        *sines_c.text([use.program for use in loop.uses], precision),
        *for_one(calls, precision),
        *noise.for_one(kinds_of(loop), precision),
        *parts(text, INSIDE),
        *(line for heading, inside in turning(text) for line in (heading, "{", *inside, "}", "")),
    ]


def kinds_of(loop: Loop) -> list[Kind]:
    """What is drawn."""
    return [buffer.drawn for _, buffer in loop.of("drawn")]


def parts(text: Named, dialect: Dialect) -> Iterator[str]:
    """The programs as functions."""
    real = REAL[text.loop.precision]
    for function, use in zip(text.functions, text.loop.uses, strict=True):
        yield from (*functions(named(use.program), function, real, dialect), "")


def turning(text: Named) -> Iterator[tuple[str, Iterator[str]]]:
    """Start, step and run: heading and body of each."""
    return zip(signatures(text), (_start(text), _turn(text), _run(text)), strict=True)


def _start(text: Named) -> Iterator[str]:
    real = REAL[text.loop.precision]
    for k, buffer in text.loop.states:
        values = buffer.start or (0.0,) * buffer.port.size
        for i, value in enumerate(values):
            yield f"    {text.at(k)}[{i}] = {number(value, real)};"
    yield f"    {' = '.join(map(text.carried, ('turn', 'lane', 'seed')))} = 0;"


def _turn(text: Named) -> Iterator[str]:
    """What is new in this turn; the uses; what is fed back; whether it goes on."""
    loop, real = text.loop, REAL[text.loop.precision]
    given = {*text.between, *(k for k, _ in loop.given)}
    for k, buffer in enumerate(loop.buffers):
        if buffer.role in ("local", "drawn", "clock") and k not in given:
            yield f"    {real} {text.names[k]}[{max(1, buffer.port.size)}];"
    yield from _new(text)
    read = {place for use in loop.uses for place in use.reads} | {of for of, _ in loop.copies} | {loop.until}
    yield from (f"    (void){text.names[k]};" for k, _ in (*loop.given, *loop.of("drawn", "clock")) if k not in read)
    for k, use in enumerate(loop.uses):
        yield from _use(text, k, use)
    yield from (f"    {_copied(text.at(to), text.at(of), text.size(to))}" for of, to in loop.copies)
    yield f"    ++{text.carried('turn')};"
    yield f"    {real} off = 0;"
    for k, buffer in loop.states:
        yield f"    for (int i = 0; i < {buffer.port.size}; ++i) off += {text.at(k)}[i] - {text.at(k)}[i];"
    yield "    if (!(off == 0)) return -1;"
    yield f"    return {f'!({text.at(loop.until)}[0] != 0)' if loop.until >= 0 else 1};"


def _new(text: Named) -> Iterator[str]:
    block = 0
    seed, lane, turn = map(text.carried, ("seed", "lane", "turn"))
    for k, buffer in text.loop.of("drawn", "clock"):
        name, size = text.names[k], buffer.port.size
        if buffer.role == "clock":
            yield f"    {name}[0] = ({REAL[text.loop.precision]})((double){turn} * {number(text.loop.period)});"
        else:
            yield f"    {text.inner(f'draw_{buffer.drawn}')}({seed}, {lane}, {turn}, {block}u, {size}, {name});"
            block += blocks(size)


def _use(text: Named, k: int, use: Use) -> Iterator[str]:
    """A call; what it writes goes by a place of its own where it is read by the same call, or by nobody."""
    real, indent = REAL[text.loop.precision], "    "
    if use.every > 1:
        yield f"    if ({text.carried('turn')} % {use.every} == 0) {{"
        indent = "        "
    arguments, copies = [text.at(place) for place in use.reads], list[str]()
    for p, (place, port) in enumerate(zip(use.writes, use.program.outputs, strict=True)):
        if place >= 0 and place not in use.reads:
            arguments.append(text.at(place))
            continue
        yield f"{indent}{real} y{k}_{p}[{max(1, port.size)}];"
        arguments.append(f"y{k}_{p}")
        copies += [_copied(text.at(place), f"y{k}_{p}", port.size)] if place >= 0 else []
    yield f"{indent}{text.inner(text.functions[k])}({', '.join(arguments)});"
    yield from (f"{indent}{copy}" for copy in copies)
    if use.every > 1:
        yield "    }"


def _copied(to: str, of: str, size: int) -> str:
    return f"for (int i = 0; i < {size}; ++i) {to}[i] = {of}[i];"


def _run(text: Named) -> Iterator[str]:
    loop, real = text.loop, REAL[text.loop.precision]
    for k in text.between:
        yield f"    {real} {text.names[k]}[{max(1, text.size(k))}] = {{0}};"
    now = text.carried("turn")
    yield f"    const unsigned long long first = {now};"
    yield "    long long made = 0;"
    yield "    int going = 1;"
    yield "    for (; made < steps && going == 1; ++made) {"
    held = {k for k, b in loop.given if b.role == "held"}
    given = [text.names[k] if k in held else f"{text.names[k]} + made * {text.size(k)}" for k, _ in loop.given]
    yield f"        going = {text.call('step', [*given, *(text.names[k] for k in text.between)])};"
    yield from _rows(text, now, " " * 8)
    yield "    }"
    if loop.logs:
        yield f"    for (unsigned long long turn = {now} + 1; turn <= first + (unsigned long long)steps; ++turn) {{"
        yield from _rows(text, "turn", " " * 8)
        yield "    }"
    else:
        yield "    (void)first;"
    yield "    return made;"


def _rows(text: Named, turn: str, indent: str) -> Iterator[str]:
    """Rows that are due after a turn."""
    real = REAL[text.loop.precision]
    for name, log in zip(text.logs, text.loop.logs, strict=True):
        size, due = text.size(log.buffer), f"if ({turn} % {log.every} == 0) " if log.every > 1 else ""
        row = f"{real} *row = {name} + ({turn} / {log.every} - 1 - first / {log.every}) * {size};"
        yield f"{indent}{due}{{"
        yield f"{indent}    {row}"
        yield f"{indent}    {_copied('row', text.at(log.buffer), size)}"
        yield f"{indent}}}"


def lanes_of_one(text: Named, name: str = "motionc_loop") -> list[str]:
    """The entry for Python: lanes one after the other, arrays behind pointers and strides from lane to lane."""
    loop, real = text.loop, REAL[text.loop.precision]
    states = [
        f"        {_copied(f'carried.{text.names[k]}', f'(state[{j}] + n * state_lane[{j}])', b.port.size)}"
        for j, (k, b) in enumerate(loop.states)
    ]
    back = [
        f"        {_copied(f'(state[{j}] + n * state_lane[{j}])', f'carried.{text.names[k]}', b.port.size)}"
        for j, (k, b) in enumerate(loop.states)
    ]
    given = [f"given[{j}] + n * given_lane[{j}]" for j in range(len(loop.given))]
    logs = [f"logs[{j}] + n * log_lane[{j}]" for j in range(len(loop.logs))]
    unused = [
        f"    (void){word}, (void){word.removesuffix('s')}_lane;"
        for word, items in (("given", given), ("state", states), ("logs", logs))
        if not items
    ]
    return [
        *entry_signature(real, name),
        "{",
        *unused,
        "    for (long n = 0; n < count; ++n) {",
        f"        {text.kind} carried;",
        f"        {text.call('start', [], 'carried')};",
        *states,
        "        carried.turn = first, carried.lane = lane + (unsigned long long)n, carried.seed = seed;",
        f"        turns[2 * n] = {text.call('run', ['steps', *given, *logs], 'carried')};",
        "        turns[2 * n + 1] = turns[2 * n];",
        f"        {real} off = 0;",
        *(
            f"        for (int i = 0; i < {b.port.size}; ++i) off += carried.{name}[i] - carried.{name}[i];"
            for name, b in ((text.names[k], b) for k, b in loop.states)
        ),
        "        if (turns[2 * n] > 0 && !(off == 0)) --turns[2 * n + 1];",
        *back,
        "    }",
        "}",
        "",
    ]


def entry_signature(real: str, name: str = "motionc_loop") -> list[str]:
    """The entry that Python calls; `turns` gets of each lane how many it made and how many of these are finite."""
    parameters = [
        "long count",
        "unsigned long long lane",
        "unsigned long long first",
        "long long steps",
        "unsigned long long seed",
        f"const {real} *const *given",
        "const long *given_lane",
        f"{real} *const *state",
        "const long *state_lane",
        f"{real} *const *logs",
        "const long *log_lane",
        "long long *turns",
    ]
    signature = wrapped_head(f"void {name}(", parameters)
    return [f"{signature};", signature]
