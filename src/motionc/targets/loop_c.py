"""C99 for a loop in time: a struct of what is carried on, `_start`, one turn as `_step`, many as `_run`.

    void <name>_start(<name>_state *state);
    int <name>_step(<name>_state *state, const T *<held> …, const T *<streamed> …, T *<given in between> …);
    long long <name>_run(<name>_state *state, long long steps, const T *<held> …, const T *<streamed> …, T *<log> …);

A turn gives 1, 0 where the loop has ended, -1 where something carried is no longer finite. `_run` gives the number of
turns it has made; logs are rows behind each other, those after the end repeat the last. No allocation, no globals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from motionc.program.loop import Buffer, Loop, Use
from motionc.program.noise import Kind, blocks
from motionc.program.program import call_data
from motionc.targets import noise
from motionc.targets.c import REAL, Dialect, Sources, functions, identifier, named, number, outermost, said
from motionc.targets.kernels_c import for_one
from motionc.targets.naming import apart

INSIDE = Dialect("restrict", "static void", "APART static void")
WORDS = ("state", "turn", "lane", "seed", "steps", "first", "made", "row", "going", "off", "i", "w")
"""What the text itself calls something."""


@dataclass(frozen=True, slots=True)
class Named:
    """A loop whose buffers have names of C, and the functions around it."""

    loop: Loop
    name: str
    names: tuple[str, ...]
    logs: tuple[str, ...]

    @property
    def between(self) -> list[int]:
        """Buffers that are logged and not carried on: a turn gives them."""
        return list(dict.fromkeys(log.buffer for log in self.loop.logs if self.buffer(log.buffer).role != "state"))

    def buffer(self, k: int) -> Buffer:
        return self.loop.buffers[k]

    def size(self, k: int) -> int:
        return self.loop.buffers[k].port.size

    def at(self, k: int) -> str:
        """Where a buffer is, inside a turn."""
        return f"state->{self.names[k]}" if self.buffer(k).role == "state" else self.names[k]


def in_words(loop: Loop, name: str) -> Named:
    """With names that C takes."""
    name = outermost(name)
    own = (f"{name}_use_{k}" for k in range(len(loop.uses)))
    taken = (*WORDS, name, *(f"{name}_{end}" for end in ("state", "start", "step", "run")), *own)
    buffers = [identifier(buffer.name) for buffer in loop.buffers]
    every = apart(
        [*buffers, *(identifier(log.name) for log in loop.logs)], taken, again="_log", inside=r"[tk]\d+|y\d+_\d+"
    )
    return Named(loop, name, tuple(every[: len(buffers)]), tuple(every[len(buffers) :]))


def emit(loop: Loop, name: str) -> Sources:
    """The loop as a header and a source."""
    text = in_words(loop, name)
    guard = f"{text.name.upper()}_H"
    head = [
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#define restrict __restrict",
    ]
    tail = ["#ifdef __cplusplus", "#undef restrict", "}", "#endif", "", "#endif", ""]
    header = [
        *head,
        "#endif",
        "",
        *documentation(loop),
        *struct(text),
        *(f"{one};" for one in signatures(text)),
        "",
        *tail,
    ]
    source = [f'#include "{text.name}.h"', "", "#include <math.h>", "", *body(text), ""]
    return Sources("\n".join(header), "\n".join(source), text.name)


def documentation(loop: Loop) -> list[str]:
    """What a turn does, and what its buffers are, as a comment."""
    roles = {
        "held": "given once",
        "streamed": "given each turn",
        "drawn": "drawn each turn",
        "clock": "the time",
        "local": "in between",
        "state": "carried on",
    }
    lines = [f"{loop.name}: a loop in time, {loop.period:g} s a turn. A turn:"]
    for use in loop.uses:
        rate = f", every {use.every} turns" if use.every > 1 else ""
        lines.append(f"  {use.name}{rate}: {use.program.equation}")
    lines += ["", "buffers:"]
    for buffer in loop.buffers:
        port = buffer.port
        size = f"[{port.size}]"
        lines.append(f"  {port.name} {size}, {port.unit}, {roles[buffer.role]}: {port.meaning}")
    lines += [f"  {log.name}: {loop.buffers[log.buffer].name} after every {log.every} turns" for log in loop.logs]
    lines.append(f"{sum(loop.operations.values())} operations in a turn of all")
    return said(lines)


def struct(text: Named) -> list[str]:
    """What is carried from turn to turn."""
    real = REAL[text.loop.precision]
    lines = [f"    {real} {text.names[k]}[{max(1, b.port.size)}];" for k, b in text.loop.states]
    counts = "    unsigned long long turn, lane, seed; /* turns made; which numbers are drawn */"
    return ["typedef struct {", *lines, counts, f"}} {text.name}_state;", ""]


def signatures(text: Named) -> list[str]:
    real, name = REAL[text.loop.precision], text.name
    state = f"{name}_state *state"
    given = [f"const {real} *{text.names[k]}" for k, _ in text.loop.given]
    between = [f"{real} *{text.names[k]}" for k in text.between]
    logs = [f"{real} *{log}" for log in text.logs]
    return [
        f"void {name}_start({state})",
        _wrapped(f"int {name}_step(", [state, *given, *between]),
        _wrapped(f"long long {name}_run(", [state, "long long steps", *given, *logs]),
    ]


def _wrapped(front: str, parameters: Sequence[str]) -> str:
    return front + (",\n" + " " * len(front)).join(parameters) + ")"


def body(text: Named) -> list[str]:
    """Everything behind the header."""
    loop, precision = text.loop, text.loop.precision
    calls = [call_data(step) for use in loop.uses for _, step in use.program.calls()]
    kinds: list[Kind] = [buffer.drawn for _, buffer in loop.of("drawn")]
    start, step, run = signatures(text)
    return [
        *for_one(calls, precision),
        *noise.for_one(kinds, precision),
        *(
            line
            for k, use in enumerate(loop.uses)
            for line in (*functions(named(use.program), _function(text, k), REAL[precision], INSIDE), "")
        ),
        start,
        "{",
        *_start(text),
        "}",
        "",
        step,
        "{",
        *_turn(text),
        "}",
        "",
        run,
        "{",
        *_run(text),
        "}",
    ]


def _function(text: Named, k: int) -> str:
    return f"{text.name}_use_{k}"


def _start(text: Named) -> Iterator[str]:
    real = REAL[text.loop.precision]
    for k, buffer in text.loop.states:
        values = buffer.start or (0.0,) * buffer.port.size
        for i, value in enumerate(values):
            yield f"    state->{text.names[k]}[{i}] = {number(value, real)};"
    yield "    state->turn = state->lane = state->seed = 0;"


def _turn(text: Named) -> Iterator[str]:
    """What is new in this turn; the uses; what is fed back; whether it goes on."""
    loop, real = text.loop, REAL[text.loop.precision]
    given = {*text.between, *(k for k, _ in loop.given)}
    for k, buffer in enumerate(loop.buffers):
        if buffer.role in ("local", "drawn", "clock") and k not in given:
            yield f"    {real} {text.names[k]}[{max(1, buffer.port.size)}];"
    yield from _new(text)
    for k, use in enumerate(loop.uses):
        yield from _use(text, k, use)
    yield from (f"    {_copied(text.at(to), text.at(of), text.size(to))}" for of, to in loop.copies)
    yield "    ++state->turn;"
    yield f"    {real} off = 0;"
    for k, buffer in loop.states:
        place = f"state->{text.names[k]}[i]"
        yield f"    for (int i = 0; i < {buffer.port.size}; ++i) off += {place} - {place};"
    yield "    if (!(off == 0)) return -1;"
    yield f"    return {f'!({text.at(loop.until)}[0] != 0)' if loop.until >= 0 else 1};"


def _new(text: Named) -> Iterator[str]:
    block = 0
    for k, buffer in text.loop.of("drawn", "clock"):
        name, size = text.names[k], buffer.port.size
        if buffer.role == "clock":
            yield f"    {name}[0] = ({REAL[text.loop.precision]})((double)state->turn * {number(text.loop.period)});"
        else:
            yield f"    draw_{buffer.drawn}(state->seed, state->lane, state->turn, {block}u, {size}, {name});"
            block += blocks(size)


def _use(text: Named, k: int, use: Use) -> Iterator[str]:
    """A call; what it writes goes by a place of its own where it is read by the same call, or by nobody."""
    real, indent = REAL[text.loop.precision], "    "
    if use.every > 1:
        yield f"    if (state->turn % {use.every} == 0) {{"
        indent = "        "
    arguments, copies = [text.at(place) for place in use.reads], list[str]()
    for p, (place, port) in enumerate(zip(use.writes, use.program.outputs, strict=True)):
        if place >= 0 and place not in use.reads:
            arguments.append(text.at(place))
            continue
        yield f"{indent}{real} y{k}_{p}[{max(1, port.size)}];"
        arguments.append(f"y{k}_{p}")
        copies += [_copied(text.at(place), f"y{k}_{p}", port.size)] if place >= 0 else []
    yield f"{indent}{_function(text, k)}({', '.join(arguments)});"
    yield from (f"{indent}{copy}" for copy in copies)
    if use.every > 1:
        yield "    }"


def _copied(to: str, of: str, size: int) -> str:
    return f"for (int i = 0; i < {size}; ++i) {to}[i] = {of}[i];"


def _run(text: Named) -> Iterator[str]:
    loop, real = text.loop, REAL[text.loop.precision]
    for k in text.between:
        yield f"    {real} {text.names[k]}[{max(1, text.size(k))}] = {{0}};"
    yield "    const unsigned long long first = state->turn;"
    yield "    long long made = 0;"
    yield "    int going = 1;"
    yield "    for (; made < steps && going == 1; ++made) {"
    held = {k for k, b in loop.given if b.role == "held"}
    given = [text.names[k] if k in held else f"{text.names[k]} + made * {text.size(k)}" for k, _ in loop.given]
    yield f"        going = {text.name}_step({', '.join(['state', *given, *(text.names[k] for k in text.between)])});"
    yield from _rows(text, "state->turn", " " * 8)
    yield "    }"
    if loop.logs:
        yield "    for (unsigned long long turn = state->turn + 1; turn <= first + (unsigned long long)steps; ++turn) {"
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


def lanes_of_one(text: Named) -> list[str]:
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
        f"    (void){word};"
        for word, items in (("given", given), ("given_lane", given), ("logs", logs), ("log_lane", logs))
        if not items
    ]
    return [
        *entry_signature(real),
        "{",
        *unused,
        "    for (long n = 0; n < count; ++n) {",
        f"        {text.name}_state carried;",
        f"        {text.name}_start(&carried);",
        *states,
        "        carried.turn = first, carried.lane = lane + (unsigned long long)n, carried.seed = seed;",
        f"        turns[2 * n] = {text.name}_run({', '.join(['&carried', 'steps', *given, *logs])});",
        "        turns[2 * n + 1] = turns[2 * n];",
        f"        {real} off = 0;",
        *(
            f"        for (int i = 0; i < {b.port.size}; ++i) off += carried.{name}[i] - carried.{name}[i];"
            for name, b in ((text.names[k], b) for k, b in loop.states)
        ),
        "        if (!(off == 0)) --turns[2 * n + 1];",
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
    signature = _wrapped(f"void {name}(", parameters)
    return [f"{signature};", signature]
