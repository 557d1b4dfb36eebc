"""MATLAB and Octave for a loop in time: a function that runs it, one that gives its first state, and one that tests it.

    state = falling_start();
    state.height = 1;
    [state, height_log, turns, finite] = falling(state, 100);

Lanes go side by side along one more dimension, (n, N); streams and logs have their turns before it, (n, K, N). Programs
are functions on rows, as `matlab.py` writes them.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files as files_of

import numpy as np

from motionc.program.loop import Loop, Use
from motionc.program.noise import blocks
from motionc.program.program import Program
from motionc.targets import noise
from motionc.targets.assignments import straight
from motionc.targets.library import functions, needed
from motionc.targets.loop_c import kinds_of
from motionc.targets.matlab import (
    HEADING,
    LANGUAGE,
    LARGER,
    NAMES,
    carried,
    dimensions,
    in_memory,
    matrix,
    number,
    sizes,
    table,
)
from motionc.targets.naming import apart, harmless, wrapped
from motionc.targets.reading import what_is_where
from motionc.targets.target import TOLERANCE, Files, RollOut, loop_documentation

OWN = functions((files_of("motionc.targets") / "loop_words.m").read_text(encoding="utf-8"), HEADING)
OURS = """
state steps states going turns finite lane first step turn before given seed draw_uniform draw_normal philox
mod floor repmat isfinite struct uint64 isempty bitand bitor bitshift bitxor ceil true false cell
"""
"""What the text itself calls something, beside what all texts do."""
TESTED = r"[xgely]\d+|s|worst|chosen_lanes|made|whole|larger"
"""What its test does."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A loop whose buffers, logs and functions have names of MATLAB."""

    loop: Loop
    name: str
    names: list[str]
    logs: list[str]
    functions: list[str]

    @property
    def written(self) -> list[int]:
        """Buffers that are read after a turn: what is carried on, and others that are logged or end a lane."""
        asked = (*(k for k, _ in self.loop.states), *(log.buffer for log in self.loop.logs), self.loop.until)
        return list(dict.fromkeys(k for k in asked if k >= 0))

    def shape(self, k: int) -> str:
        return matrix(self.loop.buffers[k].port.shape)


def files(loop: Loop, name: str, trial: RollOut) -> Files:
    """The function's file, that of its start, and its test's; single precision is computed in double."""
    text = _in_words(loop, name)
    return {
        f"{text.name}.m": _function(text),
        f"{text.name}_start.m": _start(text),
        f"{text.name}_test.m": _test(text, trial),
    }


def _in_words(loop: Loop, name: str) -> _Named:
    name = NAMES.identifier(name)
    name = f"{name}_loop" if name in OURS.split() or re.fullmatch(TESTED, name) else name
    own = [NAMES.identifier(f"{name}_{k}_{use.name}") for k, use in enumerate(loop.uses)]
    taken = (name, f"{name}_start", f"{name}_test", *own, *OURS.split(), *OWN)
    buffers = apart((NAMES.identifier(b.name) for b in loop.buffers), taken, inside=NAMES.inside)
    logs = apart((NAMES.identifier(log.name) for log in loop.logs), (*taken, *buffers), again="_log")
    return _Named(loop, name, buffers, logs, own)


def _start(text: _Named) -> str:
    lines = [
        f"function state = {text.name}_start()",
        f"%{text.name.upper()}_START  What {text.name} starts from; what is fed back starts at 0 unless you set it.",
        "    state = struct('turn', 0, 'lane', 0, 'seed', 0);",
    ]
    for k, buffer in text.loop.states:
        values = in_memory(buffer.port, buffer.start or (0.0,) * buffer.port.size)
        # a column of numbers, as MATLAB has them in memory
        lines.append(f"    state.{text.names[k]} = reshape([ ...")
        lines += [f"{line} ..." for line in wrapped([number(value) for value in values], ", ", "        ")]
        lines.append(f"    ], {', '.join(map(str, dimensions(buffer.port, 1)))});")
    return "\n".join([*lines, "end", ""])


# ---------------------------------------------------------------- the function that runs it


def _function(text: _Named) -> str:
    loop = text.loop
    given = ", ".join(["state", "steps", *(text.names[k] for k, _ in loop.given)])
    found = ", ".join(["state", *text.logs, "turns", "finite"])
    lines = [f"function [{found}] = {text.name}({given})", *_help(text, found, given)]
    lines += [f"    {line}" for line in (*_taken(text), *_before(text))]
    lines.append("    for step = 1:steps")
    lines.append("        turn = first + step - 1;")
    lines.append("        if any(going)")
    lines += [f"            {line}" for line in _turn(text)]
    lines.append("        end")
    for name, log in zip(text.logs, loop.logs, strict=True):
        buffer, size = text.names[log.buffer], loop.buffers[log.buffer].port.size
        row = f"floor((turn + 1) / {log.every}) - floor(first / {log.every})"
        kept = f"{name}(:, {'step' if log.every == 1 else row}, :) = reshape({buffer}, {size}, 1, states);"
        due = (f"if mod(turn + 1, {log.every}) == 0", f"    {kept}", "end") if log.every > 1 else (kept,)
        lines += [f"        {line}" for line in due]
    lines.append("    end")
    lines += [f"    {line}" for line in _after(text)]
    body = "\n".join([*lines, "end"])
    parts = [_part(use.program, own, loop.precision) for use, own in zip(loop.uses, text.functions, strict=True)]
    drawn = [part.strip() for part in noise.in_matlab(kinds_of(loop))] if kinds_of(loop) else []
    whole = "\n\n".join([body, *parts])
    return "\n\n".join([whole, *needed(whole, {**OWN, **carried()}, r"^ *%.*$"), *drawn]) + "\n"


def _help(text: _Named, found: str, given: str) -> Iterator[str]:
    title, *lines = loop_documentation(text.loop, text.names, text.logs, sizes)
    head = [f"%{text.name.upper()}  {title}", *(f"%   {line}" for line in lines)]
    head += [
        f"%   [{found}] = {text.name}({given})",
        f"%   state is what {text.name}_start gives: what is carried on, turns made (of the lane that went longest),",
        "%   the number of the first lane, and a seed; lane and seed say which numbers are drawn. N lanes go side by",
        "%   side; streams and logs have their turns before them. A lane that has ended keeps all it has.",
    ]
    return (harmless(line).rstrip() for line in head)


def _taken(text: _Named) -> Iterator[str]:
    """What is given, as rows, one lane a column."""
    counts = list[str]()
    for k, _ in text.loop.states:
        counts.append(f"n{len(counts)}")
        name = text.names[k]
        yield f"[{name}, {counts[-1]}] = entries('state.{name}', state.{name}, {text.shape(k)});"
    for k, buffer in text.loop.given:
        counts.append(f"n{len(counts)}")
        name = text.names[k]
        told = f"'{name}', {name}, {text.shape(k)}"
        call = f"streams({told}, steps)" if buffer.role == "streamed" else f"entries({told})"
        yield f"[{name}, {counts[-1]}] = {call};"
    yield f"states = common([{' '.join(counts)}]);"
    given = [*text.loop.states, *((k, b) for k, b in text.loop.given if b.role == "held")]
    for count, (k, _) in zip(counts, given, strict=False):
        yield f"{text.names[k]} = repeated({text.names[k]}, {count}, states);"
    streamed = [text.names[k] for k, b in text.loop.given if b.role == "streamed"]
    yield f"given = {{{', '.join(streamed)}}};"


def _before(text: _Named) -> Iterator[str]:
    loop = text.loop
    yield "first = double(state.turn);"
    yield "lane = uint64(state.lane) + uint64(0:states - 1);"
    yield "going = true(1, states);"
    yield "finite = true(1, states);"
    yield "turns = zeros(1, states);"
    for k in text.written[len(loop.states) :]:
        yield f"{text.names[k]} = zeros({loop.buffers[k].port.size}, states);"
    for name, log in zip(text.logs, loop.logs, strict=True):
        size = loop.buffers[log.buffer].port.size
        rows = f"floor((first + steps) / {log.every}) - floor(first / {log.every})" if log.every > 1 else "steps"
        yield f"{name} = zeros({size}, {rows}, states);"


def _turn(text: _Named) -> Iterator[str]:
    """What is new in this turn; the parts; what is fed back; whether lanes go on."""
    loop, names, block = text.loop, text.names, 0
    yield f"before = {{{', '.join(names[k] for k in text.written)}}};"
    for j, (k, _) in enumerate(loop.of("streamed")):
        yield f"{names[k]} = of_turn(given{{{j + 1}}}, step, states);"
    for k, buffer in loop.of("drawn", "clock"):
        size = buffer.port.size
        if buffer.role == "clock":
            yield f"{names[k]} = {_rounded(f'turn * {number(loop.period)}', loop)} * ones(1, states);"
        else:
            drawn = f"draw_{buffer.drawn}(state.seed, lane, turn, {block}, {size})"
            yield f"{names[k]} = {_rounded(drawn, loop)};"
            block += blocks(size)
    for own, use in zip(text.functions, loop.uses, strict=True):
        yield from _use(names, own, use)
    yield from (f"{names[to]} = {names[of]};" for of, to in loop.copies)
    for j, k in enumerate(text.written):
        yield f"{names[k]} = kept(going, {names[k]}, before{{{j + 1}}});"
    yield "turns = turns + going;"
    yield from (f"finite = finite & all(isfinite({names[k]}), 1);" for k, _ in loop.states)
    until = f" & {names[loop.until]}(1, :) == 0" if loop.until >= 0 else ""
    yield f"going = going & finite{until};"


def _use(names: Sequence[str], own: str, use: Use) -> Iterator[str]:
    found, given = (", ".join(names[place] for place in places) for places in (use.writes, use.reads))
    call = f"[{found}] = {own}({', '.join([given, 'states']) if given else 'states'});"
    yield from (f"if mod(turn, {use.every}) == 0", f"    {call}", "end") if use.every > 1 else (call,)


def _after(text: _Named) -> Iterator[str]:
    single = text.loop.precision == "single"
    for k, _ in text.loop.states:
        yield f"state.{text.names[k]} = {_as('single', f'shaped({text.names[k]}, {text.shape(k)})', single)};"
    yield "state.turn = first + max(turns);"
    for name, log in zip(text.logs, text.loop.logs, strict=True):
        yield f"{name} = {_as('single', f'logged({name}, {text.shape(log.buffer)})', single)};"


def _as(kind: str, value: str, wanted: bool) -> str:
    return f"{kind}({value})" if wanted else value


def _rounded(value: str, loop: Loop) -> str:
    """A value that a buffer holds, in double."""
    return f"double(single({value}))" if loop.precision == "single" else value


def _part(program: Program, name: str, precision: str) -> str:
    """A program as a function on rows, one lane a column."""
    program = NAMES.ports(program, name)
    code = straight(program, LANGUAGE, (name, "states"))
    given = ", ".join([*(port.name for port in program.inputs), "states"])
    text = [f"function [{', '.join(port.name for port in program.outputs)}] = {name}({given})"]
    text.append(f"% {harmless(program.equation)}")
    text += [f"    % {harmless(line)}".rstrip() for line in what_is_where(program)]
    text += code.lines("    {0} = {1};", lambda heading: f"% {harmless(heading)}")
    for port, values in zip(program.outputs, code.results, strict=True):
        text.append(f"    {port.name} = stacked(states, {{ ...")
        text += [f"{line} ..." for line in wrapped(values, ", ", "        ")]
        text.append("    });")
        text += [f"    {port.name} = double(single({port.name}));"] if precision == "single" else []
    return "\n".join([*text, "end"])


# ---------------------------------------------------------------- its test

TEST = """function {name}_test()
%{NAME}_TEST  {name} in lanes that this file carries along, together and one by one; an error where it is wrong.
{tables}
    worst = 0;
    for chosen_lanes = {{{chosen}}}
        s = chosen_lanes{{1}};
        state = {name}_start();
        state.lane = {lane} + s(1) - 1;
        state.seed = {seed};
{starts}
        [{found}] = {name}({given});
{errors}
    end
    fprintf('{name}: {steps} turns of {lanes} lanes, largest relative error %.1e\\n', worst);
    if ~(worst <= {tolerance!r}), error('{name} is wrong'); end
end

{larger}"""


def _test(text: _Named, trial: RollOut) -> str:
    """Tables hold a lane a column, each as MATLAB has it in memory."""
    loop, tables, starts, given, errors = text.loop, list[str](), list[str](), list[str](), list[tuple[str, str]]()

    def tabled(name: str, k: int, values: Sequence[float], *turns: int) -> str:
        """A table of a buffer, and how some of its lanes are taken from it."""
        port, count = loop.buffers[k].port, math.prod(turns)
        rows = [
            [x for row in lane.reshape(count, port.size) for x in in_memory(port, row.tolist())]
            for lane in np.reshape(values, (trial.lanes, *turns, port.size))
        ]
        wide = len(rows[0])
        tables.extend(table(name, rows, f"reshape({name}', {wide}, {trial.lanes})"))
        shape = [*dimensions(port, *turns), "numel(s)"]
        return f"reshape({name}(:, s), {', '.join(map(str, shape))})"

    for j, ((k, _), values) in enumerate(zip(loop.states, trial.states, strict=True)):
        starts.append(f"        state.{text.names[k]} = {tabled(f'x{j}', k, values)};")
    for j, ((k, b), values) in enumerate(zip(loop.given, trial.given, strict=True)):
        turns = (trial.steps,) if b.role == "streamed" else ()
        given.append(tabled(f"g{j}", k, values, *turns))
    for j, ((k, _), values) in enumerate(zip(loop.states, trial.ends, strict=True)):
        errors.append((f"state.{text.names[k]}", f"e{j}"))
        tabled(f"e{j}", k, values)
    for j, (log, values) in enumerate(zip(loop.logs, trial.logs, strict=True)):
        errors.append((f"y{j}", f"l{j}"))
        tabled(f"l{j}", log.buffer, values, trial.steps // log.every)
    made, finite = trial.turns[::2], trial.turns[1::2]
    tables.append(f"    made = {matrix(made)};")
    tables.append(f"    whole = {matrix(int(a == b) for a, b in zip(made, finite, strict=True))};")
    errors += [("turns", "made"), ("finite", "whole")]
    # where nothing is given there is one lane
    together = [f"1:{trial.lanes}"] if loop.states or loop.given else []
    return TEST.format(
        name=text.name,
        NAME=text.name.upper(),
        tables="\n".join(tables),
        lanes=trial.lanes,
        chosen=", ".join([*together, *(str(lane + 1) for lane in range(trial.lanes))]),
        lane=trial.lane,
        seed=trial.seed,
        starts="\n".join(starts),
        found=", ".join(["state", *(f"y{j}" for j in range(len(loop.logs))), "turns", "finite"]),
        given=", ".join(["state", str(trial.steps), *given]),
        errors="\n".join(f"        worst = larger(worst, {a}, reshape({b}(:, s), [], 1));" for a, b in errors),
        steps=trial.steps,
        tolerance=TOLERANCE[loop.precision],
        larger=LARGER,
    )
