"""C in lanes for a loop in time: the loop is inside the block of lanes, so that what is carried on stays at hand.

    void <name>_loop(long count, …, const T *const *given, …, T *const *state, …, T *const *logs, …, long long *turns);

One address and one stride from lane to lane a buffer; streams and logs have their turns behind each other. A lane that
has ended keeps all it has while its neighbours go on; a block ends when all its lanes have.
"""

from collections.abc import Iterator

from motionc.program.loop import Loop, Use
from motionc.program.noise import blocks
from motionc.program.program import call_data
from motionc.program.sizes import LANES
from motionc.program.split import in_functions
from motionc.targets import noise
from motionc.targets.c import REAL, number, outermost
from motionc.targets.c_simd import Printed, arranged, header, heading, turns_of
from motionc.targets.kernels_c import for_lanes
from motionc.targets.loop_c import documentation, entry_signature, kinds_of
from motionc.targets.loop_test import loop_test
from motionc.targets.target import Files, RollOut


def emit(loop: Loop, name: str = "motionc") -> str:
    """The loop as one C file with the entry `<name>_loop`."""
    uses = [_Printed(loop, k, use) for k, use in enumerate(loop.uses)]
    calls = [call_data(step) for use in loop.uses for _, step in use.program.calls()]
    lines = [*for_lanes(calls, loop.precision), *noise.for_lanes(kinds_of(loop)), heading("programs")]
    lines += [line for use in uses for line in use.functions()]
    lines += [heading("the loop"), *documentation(loop), *_entry(loop, uses, name), ""]
    body = "\n".join(lines)
    return f"{header(loop.precision, body)}\n{body}"


def files(loop: Loop, name: str, trial: RollOut) -> Files:
    """One source; built with -DSELF_TEST it is a program that checks itself."""
    name = outermost(name)
    test = loop_test(loop, f"{name}_loop", trial, f"{name}_loop", number)
    return {f"{name}_loop.c": emit(loop, name) + test}


class _Printed(Printed):
    """A use of a program: its inputs are buffers, which stand behind each other in x."""

    def __init__(self, loop: Loop, index: int, use: Use) -> None:
        self.program = arranged(use.program)
        self.cut = in_functions(self.program, LANES, turns_of(self.program))
        super().__init__(self.program, loop.precision, self.cut)
        starts = loop.offsets()
        self.inputs = [starts[place] for place in use.reads]
        self.use, self.index = use, index

    @property
    def called(self) -> str:
        return f"use_{self.index}"

    def functions(self) -> Iterator[str]:
        for k, part in enumerate(self.cut):
            yield from self.function(k, part, self.called)

    def written(self, starts: list[int]) -> list[tuple[int, int]]:
        """Where each entry of its outputs goes: from y, to x."""
        found, start = list[tuple[int, int]](), 0
        for place, port in zip(self.use.writes, self.program.outputs, strict=True):
            if place >= 0:
                found += [(self.places[start + k], starts[place] + k) for k in range(port.size)]
            start += port.size
        return found


def _entry(loop: Loop, uses: list[_Printed], name: str) -> Iterator[str]:
    real, starts = REAL[loop.precision], loop.offsets()
    declared, signature = entry_signature(real, f"{name}_loop")
    yield from (declared, signature, "{")
    sizes = {
        "x": starts[-1],
        "y": max(use.given for use in uses),
        "live": max(use.held for use in uses),
    }
    yield from (f"    lanes {array}[{max(size, 1)}];" for array, size in sizes.items())
    unused = [word for word, items in (("given", loop.given), ("state", loop.states), ("logs", loop.logs)) if not items]
    yield from (f"    (void){word}, (void){word.removesuffix('s')}_lane;" for word in unused)
    yield from ("    (void)seed, (void)lane;",) if not loop.of("drawn") else ()
    yield "    for (long n = 0; n < count; n += LANES) {"
    yield "        const int valid = count - n < LANES ? (int)(count - n) : LANES;"
    yield "        lanes going = splat(1);"
    yield "        int every = 1, any = 1;"
    for j, (k, buffer) in enumerate(loop.states):
        yield _moved("gather", starts[k], buffer.port.size, "state", j)
    for j, (k, buffer) in enumerate(loop.given):
        if buffer.role == "held":
            yield _moved("gather", starts[k], buffer.port.size, "given", j)
    yield "        for (int i = 0; i < valid; ++i) turns[2 * (n + i)] = turns[2 * (n + i) + 1] = steps;"
    yield "        for (long long k = 0; k < steps; ++k) {"
    yield "            const unsigned long long turn = first + (unsigned long long)k;"
    yield "            (void)turn;"
    yield "            if (any) {"
    yield from (f"                {line}" for line in _turn(loop, uses, starts))
    yield "            }"
    yield from (f"            {line}" for line in _rows(loop, starts))
    yield "        }"
    for j, (k, buffer) in enumerate(loop.states):
        yield _moved("scatter", starts[k], buffer.port.size, "state", j)
    yield "    }"
    yield "}"


def _moved(how: str, start: int, size: int, array: str, j: int, behind: str = "") -> str:
    """Numbers of all lanes, from or to an array."""
    stride, table = f"{array.removesuffix('s')}_lane[{j}]", " 0," * (how == "scatter")
    return f"        {how}(x + {start},{table} {size}, {array}[{j}] + n * {stride}{behind}, {stride}, 1, valid);"


def _turn(loop: Loop, uses: list[_Printed], starts: list[int]) -> Iterator[str]:
    for j, (k, buffer) in enumerate(loop.given):
        if buffer.role == "streamed":
            size = buffer.port.size
            yield _moved("gather", starts[k], size, "given", j, f" + k * {size}").strip()
    block = 0
    for k, buffer in loop.of("drawn", "clock"):
        if buffer.role == "clock":
            yield f"x[{starts[k]}] = splat((real)((double)turn * {number(loop.period)}));"
        else:
            size = buffer.port.size
            yield f"draw_{buffer.drawn}(seed, lane + (unsigned long long)n, turn, {block}u, {size}, x + {starts[k]});"
            block += blocks(size)
    for use in uses:
        yield from _use(use, starts)
    for of, to in loop.copies:
        size = loop.buffers[to].port.size
        yield f"for (int i = 0; i < {size}; ++i) x[{starts[to]} + i] = x[{starts[of]} + i];"
    yield from _ended(loop, starts)


def _use(use: _Printed, starts: list[int]) -> Iterator[str]:
    """The program, and what it writes: lanes that have ended keep what they have."""
    front = "    " if use.use.every > 1 else ""
    if front:
        yield f"if (turn % {use.use.every} == 0) {{"
    yield from (f"{front}{use.called}_{k}(x, y, live);" for k in range(len(use.cut)))
    stretches = _stretches(use.written(starts))
    for word, value in (("if (every)", "y[{} + i]"), ("else", "choose(going, y[{} + i], x[{} + i])")):
        yield f"{front}{word} {{"
        for of, to, size in stretches:
            yield f"{front}    for (int i = 0; i < {size}; ++i) x[{to} + i] = {value.format(of, to)};"
        yield f"{front}}}"
    if front:
        yield "}"


def _stretches(pairs: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Pairs of places that follow each other, as (from, to, how many)."""
    found = list[tuple[int, int, int]]()
    for of, to in pairs:
        if found and (of, to) == (found[-1][0] + found[-1][2], found[-1][1] + found[-1][2]):
            found[-1] = (*found[-1][:2], found[-1][2] + 1)
        else:
            found.append((of, to, 1))
    return found


def _ended(loop: Loop, starts: list[int]) -> Iterator[str]:
    """Lanes in which something carried is no longer finite, or that are done, go on no more."""
    yield "lanes off = splat(0);"
    for k, buffer in loop.states:
        yield f"for (int i = 0; i < {buffer.port.size}; ++i) off += x[{starts[k]} + i] - x[{starts[k]} + i];"
    done = f" * equal(x[{starts[loop.until]}], splat(0))" if loop.until >= 0 else ""
    yield f"const lanes on = going * equal(off, splat(0)){done};"
    yield "if (!everywhere(equal(on, going))) {"
    yield "    every = any = 0;"
    yield "    for (int i = 0; i < valid; ++i) {"
    yield "        any |= on[i] != 0;"
    yield "        if (on[i] != going[i]) turns[2 * (n + i)] = k + 1, turns[2 * (n + i) + 1] = k + (off[i] == 0);"
    yield "    }"
    yield "    going = on;"
    yield "}"


def _rows(loop: Loop, starts: list[int]) -> Iterator[str]:
    """What is due after a turn; of lanes that have ended, what they had."""
    for j, log in enumerate(loop.logs):
        size, turn = loop.buffers[log.buffer].port.size, "(turn + 1)"
        row = f" + (long)({turn} / {log.every} - 1 - first / {log.every}) * {size}"
        due = f"if ({turn} % {log.every} == 0) " if log.every > 1 else ""
        yield due + _moved("scatter", starts[log.buffer], size, "logs", j, row).strip()
