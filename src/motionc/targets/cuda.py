"""CUDA: one kernel a computation, one state a thread, and a host function that launches it.

    __global__ void <name>(long long count, const T *<port>, long long <port>_state, long long <port>_element, …);
    int <name>_launch(long long count, …, cudaStream_t stream);

An address and two strides a port, so that (n, N) arrays, (N, n) arrays and one value for all states are one kernel;
with (n, N) neighbouring threads read neighbouring numbers. `device.cuh`, with which every file starts, holds the words
of `lanes.h` for one number: kernels are the text for lanes, whose loops are unrolled until no index is left.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from motionc.program.instructions import FREE
from motionc.program.kernels import Call
from motionc.program.kernels.tree import TREE
from motionc.program.passes import together
from motionc.program.passes.multiply_add import chained
from motionc.program.passes.order import alive, scheduled
from motionc.program.port import Precision
from motionc.program.program import Instruction, Program, Table, call_data
from motionc.program.sizes import GPU, GPU_UNROLLED, GPU_WRITTEN_OUT, ROOM
from motionc.program.split import Part, in_functions, slots
from motionc.program.stash import NOTHING, Stash, stashed
from motionc.program.written_out import written_out
from motionc.targets.c import REAL, block_comment, identifier, looked_up, number, said
from motionc.targets.kernels_c import for_lanes
from motionc.targets.naming import apart
from motionc.targets.reading import what_is_where
from motionc.targets.self_test import self_test
from motionc.targets.statements import Statements
from motionc.targets.target import Files, Trial

THREADS = 128
"""Threads in a block."""

WARP = 32
"""Threads that go together."""

FEW = 16_384
"""States up to which blocks have one warp each, so that every multiprocessor gets some."""

OPTIONS = ("-prec-div=false", "-ftz=true")
"""How it should be compiled: to divide in single precision takes two instructions then, not a function, and 2 ulp."""

INCLUDED = resources.files("motionc.targets").joinpath("device.cuh").read_text(encoding="utf-8")
LOCAL = ("count", "state", "live", "near", "far", "stream", "threads", "blocks")
DECLARED = re.findall(r"INLINE \w+ (\w+)\(|#define (\w+)|typedef \w+ (\w+);", INCLUDED)
TAKEN = frozenset(word for found in DECLARED for word in found) | {"SINGLE", *LOCAL}
"""Words that no port may be called by."""
EARLY = 32
"""Inputs up to which all are read first."""


def emit(
    program: Program, name: str, precision: Precision = "double", *, threads: int = THREADS, blocks: int = 0
) -> str:
    """The kernel `<name>` and its `<name>_launch` as one file; blocks: how many a multiprocessor must have room for."""
    name = identifier(name)
    name = f"{name}_" if name in TAKEN else name
    ports = _addresses(program, name)
    program = arranged(program)
    cut = in_functions(program, GPU)
    crowded = len(cut) == 1 and max(alive(program.instructions), default=0) > ROOM[precision].registers
    stash = stashed(program, ROOM[precision].registers) if crowded else NOTHING
    threads = WARP if stash.slot else threads
    printed = Printed(program, precision, ports, stash)
    return "\n".join(
        [
            block_comment(program),
            f"#define SINGLE {int(precision == 'single')}",
            "",
            INCLUDED,
            *kernels((call_data(step) for _, step in program.calls()), precision),
            *said(what_is_where(program)),
            *printed.apart(name, cut),
            *printed.kernel(name, cut, f"{threads}, {blocks}" if blocks else f"{threads}"),
            "",
            *_launcher(name, ports, threads),
            "",
        ]
    )


def files(program: Program, name: str, precision: Precision, trials: Sequence[Trial]) -> Files:
    """One source; built with -DSELF_TEST it is a program that checks itself on the GPU."""
    text = emit(program, name, precision)
    (launch,) = re.findall(r"^int (\w+)_launch\(", text, re.MULTILINE)
    test = self_test(program, launch, precision, trials, _call(program, launch, len(trials), REAL[precision]), number)
    return {f"{launch}.cu": text + test}


# ---------------------------------------------------------------- ports


@dataclass(frozen=True, slots=True)
class Address:
    """A port as the parameters that say where its numbers are."""

    name: str
    type: str

    @property
    def parameters(self) -> list[str]:
        return [f"{self.type}{self.name}", f"long long {self.name}_state", f"long long {self.name}_element"]

    @property
    def arguments(self) -> list[str]:
        return [self.name, f"{self.name}_state", f"{self.name}_element"]

    @property
    def inner(self) -> str:
        """The same for a function inside a thread."""
        return f"{self.type}{self.name}, long long {self.name}_element"

    @property
    def handed(self) -> str:
        """What such a function is given."""
        return f"{self.name}, {self.name}_element"

    def element(self, k: int) -> str:
        """Where an element is, in a thread."""
        return f"{self.name}[{k} * {self.name}_element]" if k else f"{self.name}[0]"

    def at(self, place: str) -> str:
        """The same of one that is known when it runs."""
        return f"{self.name}[({place}) * {self.name}_element]"


def _addresses(program: Program, kernel: str) -> list[Address]:
    """Each port under a name of its own: an output called like an input has `_out` behind it."""
    names = apart(
        (identifier(port.name) for port in (*program.inputs, *program.outputs)),
        (kernel, f"{kernel}_launch", *TAKEN),
        again="_out",
        inside=rf"[tak]\d+|unused\d+|{kernel}_\d+",
        beside=("_state", "_element"),
    )
    read = len(program.inputs)
    return [Address(name, f"{'const ' * (k < read)}real *restrict ") for k, name in enumerate(names)]


def _list(items: Sequence[str], indent: int) -> str:
    """Parameters, those of one port in a line."""
    lines = [items[0], *(", ".join(items[k : k + 3]) for k in range(1, len(items), 3))]
    return (",\n" + " " * indent).join(lines)


# ---------------------------------------------------------------- the program


def arranged(program: Program) -> Program:
    """As a thread wants it: in the order in which few values wait, sums of products as chains; kernels along a tree
    written out, unless that would be too much.
    """
    return together(scheduled(chained(written_out(program, TREE, GPU_WRITTEN_OUT))))


def kernels(calls: Iterable[Call], precision: Precision) -> Iterator[str]:
    """The text for lanes, for one; loops vanish, but for those of an active set, whose ends depend on the numbers, and
    of many rows, which would fit into no registers.
    """
    texts = for_lanes(calls, precision, "thread")
    for text in texts:
        (rows,) = re.findall(r"enum { M = (\d+) };", text)
        if "for (int step " in text or int(rows) > GPU_UNROLLED:
            yield text.replace("\nstatic void", "\nAPART void", 1)
            continue
        inline = text.replace("\nstatic void", "\nINLINE void", 1)
        yield re.sub(r"^( *)(?=for \(int )", r"#pragma unroll\n\1", inline, flags=re.MULTILINE)


class Printed(Statements):
    """A program's statements: value i is `t<i>`, what crosses parts goes by live.

    Inputs are read at once where they are few, so that all are on their way while the first are used, else when first
    used. What does not fit into registers waits in memory that the threads of a warp share, a column each, as far as
    there is any (`near`), else in the thread's own (`far`); nobody may see that it is the same value again.
    """

    def __init__(self, program: Program, precision: Precision, ports: list[Address], stash: Stash = NOTHING) -> None:
        taken = (word for port in ports for word in (*port.arguments, *TAKEN))
        super().__init__(program, "real", lambda spelling: spelling.cuda, REAL[precision], taken)
        self.ports, self.stash, self.near = ports, stash, ROOM[precision].shared
        self.inputs = ports[: len(program.inputs)]
        self.outputs: defaultdict[int, list[str]] = defaultdict(list)
        for port, values in zip(ports[len(program.inputs) :], program.results, strict=True):
            for element, value in enumerate(values):
                self.outputs[value].append(port.element(element))

    def kernel(self, name: str, cut: tuple[Part, ...], bounds: str) -> Iterator[str]:
        parameters = ["long long count", *(text for port in self.ports for text in port.parameters)]
        yield f'extern "C" __global__ void __launch_bounds__({bounds})'
        yield f"{name}({_list(parameters, len(name) + 1)})"
        yield "{"
        yield from (f"    {line}" for line in self._waiting())
        yield "    const long long state = (long long)blockIdx.x * blockDim.x + threadIdx.x;"
        yield "    if (state >= count) return;"
        yield from (f"    {port.name} += state * {port.name}_state;" for port in self.ports)
        yield from (f"    {line}" for line in self.inside(name, cut))
        yield "}"

    def inside(self, name: str, cut: tuple[Part, ...]) -> Iterator[str]:
        """All of it in a thread: its statements, or calls of its parts."""
        if len(cut) < 2:
            for part in cut:
                yield from self._statements(part, last=True)
            return
        yield f"real live[{max(1, slots(cut))}];"
        arguments = ", ".join((*(port.handed for port in self.ports), "live"))
        yield from (f"{name}_{k}({arguments});" for k in range(len(cut)))

    def apart(self, name: str, cut: tuple[Part, ...]) -> Iterator[str]:
        """The parts of a long program, a function each."""
        if len(cut) == 1:
            return
        parameters = [port.inner for port in self.ports]
        for k, part in enumerate(cut):
            head = f"APART void {name}_{k}("
            yield head + (",\n" + " " * len(head)).join((*parameters, "real *restrict live")) + ")"
            yield "{"
            yield from (f"    {line}" for line in self._statements(part, last=k == len(cut) - 1))
            yield "}\n"

    def _statements(self, part: Part, *, last: bool) -> Iterator[str]:
        """Values are taken over when first needed, and handed on as soon as they are there."""
        known = set[int]()
        used = dict.fromkeys(arg for i in part.steps for arg in self.steps[i].args if self.steps[arg].op == "input")
        if len(used) <= EARLY:
            for value in used:
                yield from self._known(value, part, known)
        for i in part.steps:
            step = self.steps[i]
            if step.op in FREE:
                continue
            yield from (f"{self.name(value)} = {self._place(value)};" for value in self.stash.takes.get(i, ()))
            for arg in step.args:
                yield from self._known(arg, part, known)
            puts = [f"{self._place(value)} = {self.name(value)};" for value in self.stash.puts.get(i, ())]
            own = self.statement(i, step)
            if i in self.stash.slot:
                own = (line.removeprefix("const ") for line in own)
            yield from (*puts, *own) if step.op == "call" else (*own, *puts)
            known.add(i)
            if i in part.gives:
                yield f"live[{part.gives[i]}] = {self.name(i)};"
            yield from (f"{place} = {self.name(i)};" for place in self.outputs[i])
        # outputs that are constants or inputs belong to no part
        for value, places in self.outputs.items():
            if last and self.steps[value].op in FREE:
                yield from self._known(value, part, known)
                yield from (f"{place} = {self.name(value)};" for place in places)

    def _waiting(self) -> Iterator[str]:
        """Where values wait."""
        if self.stash.slot:
            yield f"__shared__ volatile real near[{min(self.stash.slots, self.near)}][{WARP}];"
        if self.stash.slots > self.near:
            yield f"volatile real far[{self.stash.slots - self.near}];"

    def _place(self, value: int) -> str:
        """Where a value waits."""
        slot = self.stash.slot[value]
        return f"near[{slot}][threadIdx.x]" if slot < self.near else f"far[{slot - self.near}]"

    def _known(self, value: int, part: Part, known: set[int]) -> Iterator[str]:
        """A value that comes from elsewhere, once."""
        if value in known:
            return
        known.add(value)
        match self.steps[value]:
            case Instruction("input", _, (int(port), int(element))):
                yield f"const real {self.name(value)} = {self.inputs[port].element(element)};"
            case _ if value in part.needs:
                yield f"const real {self.name(value)} = live[{part.needs[value]}];"
            case _:
                pass

    def looked_up(self, table: Table, index: str) -> str:
        return self.inputs[table.port].at(looked_up(table, index))

    def name(self, value: int) -> str:
        match self.steps[value]:
            case Instruction("const", _, float(constant)):
                return number(constant, self.real)
            case _:
                return super().name(value)


# ---------------------------------------------------------------- the host


def _launcher(name: str, ports: list[Address], threads: int) -> Iterator[str]:
    parameters = ["long long count", *(text for port in ports for text in port.parameters), "cudaStream_t stream"]
    arguments = ["count", *(text for port in ports for text in port.arguments)]
    yield "#ifndef __CUDACC_RTC__"
    yield f'extern "C" int {name}_launch({_list(parameters, len(name) + 19)});'
    yield ""
    yield "/* all states, in this stream; what it returns is a cudaError_t */"
    yield f"int {name}_launch({_list(parameters, len(name) + 12)})"
    yield "{"
    yield "    if (count <= 0) return 0;"
    yield f"    const int threads = {threads_for(threads)};"
    yield "    const unsigned int blocks = (unsigned int)((count + threads - 1) / threads);"
    yield f"    {name}<<<blocks, threads, 0, stream>>>({_list(arguments, 8)});"
    yield "    return (int)cudaGetLastError();"
    yield "}"
    yield "#endif"


def threads_for(threads: int) -> str:
    """How many threads a block has: of few states a warp."""
    return f"count > {FEW} ? {threads} : {WARP}" if threads != WARP else f"{WARP}"


FAILED = 'puts("the GPU does not answer"), 2'


def _call(program: Program, name: str, states: int, real: str) -> str:
    """The call that computes all states of a self-test at once."""
    lines, arguments = list[str](), [str(states)]
    sides = (("x", program.inputs), ("y", program.outputs))
    for letter, ports in sides:
        for k, port in enumerate(ports):
            host, size = f"self_test_{letter}{k}", f"{max(1, port.size * states)} * sizeof({real})"
            lines.append(f"    {real} *{host}_device = 0;")
            lines.append(f"    if (cudaMalloc((void **)&{host}_device, {size}) != cudaSuccess) return {FAILED};")
            if letter == "x":
                lines.append(f"    cudaMemcpy({host}_device, {host}, {size}, cudaMemcpyHostToDevice);")
            arguments += [f"{host}_device", str(port.size), "1"]
    lines.append(f"    if ({name}_launch({', '.join(arguments)}, 0) != 0) return {FAILED};")
    for k, port in enumerate(program.outputs):
        host, size = f"self_test_y{k}", f"{max(1, port.size * states)} * sizeof({real})"
        lines.append(f"    cudaMemcpy({host}, {host}_device, {size}, cudaMemcpyDeviceToHost);")
    lines += [f"    cudaFree(self_test_{letter}{k}_device);" for letter, ports in sides for k in range(len(ports))]
    return "\n".join(lines)
