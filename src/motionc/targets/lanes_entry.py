"""The loop over states around a program in lanes: blocks of them in, through its parts, and out again.

What is where in memory is said by whoever calls; which blocks go through what together is decided here.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol

from motionc.program.kernels.tree import TREE
from motionc.program.port import Port, Precision
from motionc.program.program import Program, Table, call_data
from motionc.targets.c import REAL, comment
from motionc.targets.copies import stretches_of
from motionc.targets.lanes_ahead import Near, flags, meanwhile, near

PAGE = 4096
"""Bytes after which addresses look alike to a processor that has many writes waiting."""
WIDEST = 64
"""Bytes of the widest vectors."""
OPTIMISED = "-O2 -march=native -ffp-contract=fast -fno-math-errno"
"""How lanes should be compiled: optimised, for vectors and fused steps of this machine, roots without the library."""
TILE = 16
"""Blocks that go through a part of the program before the next part does, at the most. A block is a vector of states,
one a lane. Here as below vectors are those of 64 bytes: of shorter ones there are as many more. 16 of them are 128
states in double precision: of a row of an (n, N) array they move 1 KiB at once.
"""
NEARBY = 4096
"""Vectors that TILE blocks may take with all inputs, outputs and what waits between parts: 256 KiB, which a second
cache keeps beside other things. Where they would take more, fewer blocks go together.
"""
HELD = 8192
"""Vectors that these fewer blocks may take, half of TILE at the most: 512 KiB. Of more a part would find little in the
second cache of what the part before it left there.
"""
ROWS_HELD = 2 * HELD
"""The same where a large output is written as (n, N): the more of a row is written at once, the better, and that
outweighs the cache.
"""
KEPT = 17500
"""Vectors of outputs that wait until several blocks have theirs: 1.1 MB. It is so where one block alone takes more than
half of HELD: blocks go through the whole program one after the other, and pieces of (n, N) rows would be short.
"""
MANY = 64
"""Numbers of an output from which on it is large: how its states lie decides how many blocks go together, and of many
states caches may not keep it. Then `lanes.h`, which is told this number, sends it past them, and a call ends with a
fence.
"""
PARTS_AT_HAND = 3
"""Parts of a program up to which its code stays in the first cache. Blocks need not share it then: they go through all
parts one by one where no large output is written as (n, N).
"""
KERNEL_ROOM, TREE_ROOM = 8, 2
"""Vectors that a kernel has of its own for each that it is given: at most 7.8 in what gcc 12 and clang 14 make of any;
one along a tree has a copy.
"""
SPILLED = 3 << 14
"""Bytes that functions take beside their arrays: 12 kB at most for the entry, 24 kB for a part; what goes past caches
takes 20 kB when no part runs.
"""
NEAR = 8
"""Numbers between two stretches of an input that are read: fewer are read with them; to leave them out costs more."""


class Laid(Protocol):
    """Where a program has its numbers: how many vectors its outputs are, and what kernels give with them, and what else
    waits; in which of the former each element of the outputs is found.
    """

    @property
    def given(self) -> int: ...
    @property
    def held(self) -> int: ...
    @property
    def places(self) -> Sequence[int]: ...


def offsets(ports: tuple[Port, ...]) -> list[int]:
    """Where each port's elements start when all ports stand behind each other, and where the last ends."""
    return list(accumulate((port.size for port in ports), initial=0))


class _Blocks(NamedTuple):
    """Vectors that a block has of inputs, outputs and what waits; how many blocks of the widest vectors go together,
    and how many where no large output is written as (n, N); and whether each goes through all parts alone.
    """

    x: int
    y: int
    live: int
    most: int
    fewer: int
    alone: bool

    @property
    def all(self) -> int:
        """Vectors of a block."""
        return max(self.x + self.y + self.live, 1)

    @property
    def work(self) -> int:
        """Vectors of one that goes alone, without its outputs."""
        return max(self.x + self.live, 1)

    @property
    def stack(self) -> int:
        """Bytes of all arrays, and of what lies before them to align them, where vectors are widest."""
        vectors = self.work + self.most * self.y if self.alone else self.most * self.all
        return WIDEST * vectors + (1 + self.alone) * PAGE


def _blocks(program: Program, laid: Laid) -> _Blocks:
    x, y, live = offsets(program.inputs)[-1], laid.given, laid.held
    block, large = max(x + y + live, 1), _large(program)
    tile = TILE if TILE * block <= NEARBY else max(1, min(TILE // 2, HELD // block))
    if tile == 1 and large:
        # what a block has is more than is at hand anyway: several blocks keep their outputs alone
        return _Blocks(x, y, live, max(1, min(TILE, KEPT // y)), 1, alone=True)
    # what a block has lies side by side; several blocks go through a part before the next: its code stays at hand, and
    # more of each row is moved at once
    most = max(tile, min(TILE // 2, ROWS_HELD // block)) if large else tile
    return _Blocks(x, y, live, most, tile, alone=False)


def _large(program: Program) -> list[int]:
    """Outputs of many numbers."""
    return [k for k, port in enumerate(program.outputs) if port.size >= MANY]


def stack(program: Program, laid: Laid) -> int:
    """Bytes of stack that a call takes at most, optimised: arrays of the entry, of the largest kernel, and what is
    spilled.
    """
    calls = [call_data(step) for _, step in program.calls()]
    kernel = max((call.inputs * (TREE_ROOM if call.kernel in TREE else KERNEL_ROOM) for call in calls), default=0)
    return _blocks(program, laid).stack + WIDEST * kernel + SPILLED


def documentation(program: Program, laid: Laid, name: str, precision: Precision) -> Iterator[str]:
    """What the function over states takes and gives, how it is compiled, and what it needs, as a comment."""
    yield "/*"
    yield f" * {comment(program.equation)}"
    yield f" * for `count` states, in {precision} precision. A port is an address and two strides, counted in numbers:"
    yield " * from one state to the next (0: one value for all) and from one element, row-major, to the next."
    for title, ports in (("inputs", program.inputs), ("outputs", program.outputs)):
        yield f" * {title}:"
        for k, port in enumerate(ports):
            shape = "".join(f"[{size}]" for size in port.shape) or "[1]"
            yield f" *   {k}: {comment(f'{port.name} {shape}, {port.unit}: {port.meaning}')}"
    yield " *"
    yield " * No output may share memory with an input or another output."
    yield " * Several threads may call it at once. Optimised, a call takes of the stack"
    yield f" * at most {stack(program, laid)} bytes."
    yield " * Compile it with GCC or Clang, optimised, for this machine:"
    yield " *"
    yield f" *   cc {OPTIMISED} -c {name}.c"
    yield " */"


def entry(program: Program, laid: Laid, name: str, precision: Precision, parts: int) -> Iterator[str]:
    """The function over states, around a program of so many parts."""
    yield signature(name, precision)
    yield "{"
    inputs, places = offsets(program.inputs), _split(laid.places, program.outputs)
    blocks, large = _blocks(program, laid), _large(program)
    yield from (f"    static const int at_{k}[] = {{{', '.join(map(str, places[k]))}}};" for k in _tables(places))
    read = {k for k, _ in _read(program)}
    ports = near(program, read) if parts else []
    if not read:
        yield "    (void)inputs, (void)input_state_stride, (void)input_element_stride;"
    wide = " | ".join(f"(output_state_stride[{k}] == 1)" for k in large)
    wide = f"({wide})" if len(large) > 1 else wide
    together = f"BLOCKS = {blocks.most} * {WIDEST} / VECTOR_BYTES"
    if blocks.alone:
        yield f"    enum {{ {together}, APART_Y = {blocks.y}, LIVE = {blocks.x} }};"
        yield f"    lanes work[{blocks.work}] __attribute__((aligned({PAGE})));"
        yield f"    lanes kept[BLOCKS * APART_Y] __attribute__((aligned({PAGE})));"
        yield f"    const int most = {wide} ? BLOCKS : 1;"
        loop, apart, sent = _block_by_block(program, inputs, parts, ports), "APART_Y", "kept"
    else:
        fewer = "1" if parts <= PARTS_AT_HAND else f"{blocks.fewer} * {WIDEST} / VECTOR_BYTES"
        yield f"    enum {{ {together}, Y = {blocks.x}, LIVE = {blocks.x + blocks.y}, ALL = {blocks.all} }};"
        yield f"    lanes work[BLOCKS * ALL] __attribute__((aligned({PAGE})));"
        yield f"    const int most = {f'{wide} ? BLOCKS : {fewer}' if large else 'BLOCKS'};"
        loop, apart, sent = _part_by_part(program, inputs, parts, ports), "ALL", "work + Y"
    yield "    for (long first = 0; first < count; first += most * LANES) {"
    yield "        const long left = count - first;"
    yield "        const int blocks = left < most * LANES ? (int)((left + LANES - 1) / LANES) : most;"
    numbers = sum(port.size for port in (*program.inputs, *program.outputs))
    yield from (f"        {line}" for line in flags(ports, numbers))
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


def signature(name: str, precision: Precision) -> str:
    """How many states there are, and of inputs and outputs addresses and strides."""
    parameters, real = ["long count"], REAL[precision]
    for direction, pointer in (("input", f"const {real} *const *"), ("output", f"{real} *const *")):
        parameters += [f"{pointer}{direction}s"]
        parameters += [f"const long *{direction}_{kind}_stride" for kind in ("state", "element")]
    indent = ",\n" + " " * (len(name) + 6)
    return f"void {name}({indent.join(parameters)})"


def _part_by_part(program: Program, inputs: list[int], parts: int, ports: list[Near]) -> Iterator[str]:
    """All blocks through a part of the program before the next."""
    for k, some in _read(program):
        place = _place("input", k, some.start)
        yield f"take(work + {inputs[k] + some.start}, ALL, {len(some)}, {place}, blocks, left);"
    for k in range(parts):
        yield "for (int b = 0; b < blocks; ++b) {"
        yield f"    part_{k}(work + b * ALL, work + b * ALL + Y, work + b * ALL + LIVE);"
        yield from (f"    {line}" for line in meanwhile(ports, k, parts))
        yield "}"


def _block_by_block(program: Program, inputs: list[int], parts: int, ports: list[Near]) -> Iterator[str]:
    """A block through the whole program before the next."""
    yield "for (int b = 0; b < blocks; ++b) {"
    for k, some in _read(program):
        place = _place("input", k, some.start, "b * LANES")
        yield f"    take(work + {inputs[k] + some.start}, 0, {len(some)}, {place}, 1, left - b * LANES);"
    for k in range(parts):
        yield f"    part_{k}(work, kept + b * APART_Y, work + LIVE);"
        yield from (f"    {line}" for line in meanwhile(ports, k, parts, block_by_block=True))
    yield "}"


def _read(program: Program) -> list[tuple[int, range]]:
    """Stretches of inputs that are read, by port; what is between two that are near comes along."""
    wanted = [[False] * port.size for port in program.inputs]
    for step in program.instructions:
        match step.data:
            case Table(port) as table:
                for element in table.elements:
                    wanted[port][element] = True
            case (int(port), int(element)):
                wanted[port][element] = True
            case _:
                pass
    found = list[tuple[int, range]]()
    for k, read in enumerate(wanted):
        for some in stretches_of(read):
            before, last = found[-1] if found else (-1, some)
            if before == k and some.start - last.stop < NEAR:
                found[-1] = k, range(last.start, some.stop)
            else:
                found.append((k, some))
    return found


def _place(direction: str, k: int, element: int = 0, more: str = "") -> str:
    """Where an element of the first state of a port is, or of one so many later, and the port's strides."""
    state, stride = (f"{direction}_{kind}_stride[{k}]" for kind in ("state", "element"))
    first = f"(first + {more})" if more else "first"
    beside = f" + {element} * {stride}" if element else ""
    return f"{direction}s[{k}] + {first} * {state}{beside}, {state}, {stride}"


def _split(places: Sequence[int], ports: tuple[Port, ...]) -> list[list[int]]:
    """Where the elements of each port are."""
    return [list(places[start:end]) for start, end in pairwise(offsets(ports))]


def _tables(places: list[list[int]]) -> list[int]:
    """Ports whose elements do not lie side by side."""
    return [k for k, at in enumerate(places) if at and at != list(range(at[0], at[0] + len(at)))]
