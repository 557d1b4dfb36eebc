"""CUDA for a loop in time: one lane a thread, the loop in the thread, what is carried on in registers.

    __global__ void <name>(long long count, unsigned long long lane, unsigned long long first, long long steps,
                           unsigned long long seed, const T *<given>, long long <given>_lane, …, long long *turns);

Of every buffer an address and strides, in numbers: from lane to lane, from element to element and, of streams and
logs, from turn to turn. Where the first of them is 1 neighbouring threads read and write neighbouring numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from motionc.program.loop import Loop, Use
from motionc.program.noise import blocks
from motionc.program.program import call_data
from motionc.program.sizes import GPU, GPU_DOUBLE
from motionc.program.split import Part, in_functions
from motionc.targets import noise
from motionc.targets.c import REAL, identifier, number
from motionc.targets.cuda import INCLUDED, TAKEN, THREADS, Address, Printed, arranged, kernels, threads_for
from motionc.targets.loop_c import documentation, entry_signature, kinds_of
from motionc.targets.loop_test import loop_test
from motionc.targets.naming import apart
from motionc.targets.target import Files, RollOut

WORDS = ("count", "lane", "first", "steps", "seed", "turns", "n", "k", "tick", "off", "due", "row", "made", "finite")
STRIDES = ("_lane", "_element", "_turn")


@dataclass(frozen=True, slots=True)
class Local(Address):
    """A port as an array of the thread; `outside` is where it comes from, if from memory as a whole.

    No array whose indices are known when it runs stays in registers: tables are read where they are.
    """

    outside: str = ""

    @property
    def inner(self) -> str:
        return f"{self.type}{self.name}"

    @property
    def handed(self) -> str:
        return self.name

    def element(self, k: int) -> str:
        return f"{self.name}[{k}]"

    def at(self, place: str) -> str:
        return f"{self.outside}[({place}) * {self.outside}_element]" if self.outside else f"{self.name}[{place}]"


@dataclass(frozen=True, slots=True)
class Outside:
    """A buffer's array: what it is called, which buffer it is, and whether its turns stand one behind the other."""

    name: str
    buffer: int
    written: bool
    turns: bool

    @property
    def parameters(self) -> list[str]:
        const = "" if self.written else "const "
        strides = [f"long long {self.name}{end}" for end in (STRIDES if self.turns else STRIDES[:2])]
        return [f"{const}real *restrict {self.name}", *strides]

    @property
    def arguments(self) -> list[str]:
        return [self.name, *(f"{self.name}{end}" for end in (STRIDES if self.turns else STRIDES[:2]))]

    def element(self, k: int, turn: str = "") -> str:
        place = f"{turn} * {self.name}_turn + " * bool(turn) + f"{k} * {self.name}_element"
        return f"{self.name}[{place}]"


def emit(loop: Loop, name: str, *, threads: int = THREADS, blocks_at_once: int = 0) -> str:
    """The kernel `<name>` and its `<name>_launch` as one file."""
    name = identifier(name)
    name = f"{name}_" if name in TAKEN else name
    return "\n".join(_Text(loop, name).lines(threads, blocks_at_once))


def files(loop: Loop, name: str, trial: RollOut) -> Files:
    """One source; built with -DSELF_TEST it is a program that checks itself."""
    text, name = emit(loop, name), identifier(name)
    name = f"{name}_" if name in TAKEN else name
    test = loop_test(loop, name, trial, "self_test_loop", number, list(_on_device(loop, name)))
    return {f"{name}.cu": text + test}


def arrays(loop: Loop, name: str = "") -> list[Outside]:
    """The arrays a kernel takes: what is given, what is carried on, what is logged."""
    own = [identifier(buffer.name) for buffer in loop.buffers]
    asked = [
        *((own[k], k, False, b.role == "streamed") for k, b in loop.given),
        *((own[k], k, True, False) for k, _ in loop.states),
        *((f"{identifier(log.name)}_log", log.buffer, True, True) for log in loop.logs),
    ]
    taken = (*TAKEN, *WORDS, *noise.NAMES, name, f"{name}_launch")
    names = apart(
        (word for word, *_ in asked), taken, beside=("_now", *STRIDES), inside=r"[tak]\d+|y\d+_\d+|wait\d+|left\d+"
    )
    return [Outside(word, *rest) for word, (_, *rest) in zip(names, asked, strict=True)]  # type: ignore[arg-type]


class _Text:
    """The lines of a file."""

    def __init__(self, loop: Loop, name: str) -> None:
        self.loop, self.name = loop, name
        self.arrays = arrays(loop, name)
        logs = len(loop.logs)
        self.given = dict(zip((k for k, _ in loop.given), self.arrays, strict=False))
        self.states = dict(zip((k for k, _ in loop.states), self.arrays[len(loop.given) :], strict=False))
        self.logs = self.arrays[len(self.arrays) - logs :] if logs else []
        named = {**self.given, **self.states}
        others = [identifier(buffer.name) for k, buffer in enumerate(loop.buffers) if k not in named]
        taken = [word for array in self.arrays for word in (*array.arguments, f"{array.name}_now")]
        free = iter(
            apart(others, (*taken, *TAKEN, *WORDS, name), beside=("_now",), inside=r"[tak]\d+|y\d+_\d+|wait\d+|left\d+")
        )
        self.now = [f"{named[k].name if k in named else next(free)}_now" for k in range(len(loop.buffers))]
        """Each buffer as an array of the thread."""

    def lines(self, threads: int, blocks_at_once: int) -> Iterator[str]:
        loop = self.loop
        uses = [self._printed(k, use) for k, use in enumerate(loop.uses)]
        yield from documentation(loop)
        yield f"#define SINGLE {int(loop.precision == 'single')}"
        yield from ("", INCLUDED)
        calls = [call_data(step) for _, printed, _ in uses for step in printed.steps if step.op == "call"]
        yield from kernels(calls, loop.precision)
        yield from noise.for_gpu(kinds_of(loop), loop.precision)
        for called, printed, cut in uses:
            yield from printed.apart(called, cut)
        bounds = f"{threads}, {blocks_at_once}" if blocks_at_once else f"{threads}"
        yield f'extern "C" __global__ void __launch_bounds__({bounds})'
        yield f"{self.name}({_list(self._parameters(), len(self.name) + 1)})"
        yield "{"
        yield from (f"    {line}" for line in self._thread(uses))
        yield "}"
        yield ""
        yield from self._launcher(threads)

    def _parameters(self) -> list[str]:
        counts = ["long long count", "unsigned long long lane", "unsigned long long first", "long long steps"]
        buffers = [", ".join(array.parameters) for array in self.arrays]
        return [", ".join(counts), "unsigned long long seed", *buffers, "long long *restrict turns"]

    def _printed(self, k: int, use: Use) -> tuple[str, Printed, tuple[Part, ...]]:
        program = arranged(use.program)
        cut = in_functions(program, GPU if self.loop.precision == "single" else GPU_DOUBLE)
        held = {place: array.name for place, array in self.given.items() if not array.turns and len(cut) == 1}
        ports: list[Address] = [
            Local(self.now[place], "const real *restrict ", held.get(place, "")) for place in use.reads
        ]
        ports += [Local(f"y{k}_{p}", "real *restrict ") for p in range(len(use.writes))]
        return f"{self.name}_use_{k}", Printed(program, self.loop.precision, ports), cut

    # ---------------------------------------------------------------- a thread

    def _thread(self, uses: list[tuple[str, Printed, tuple[Part, ...]]]) -> Iterator[str]:
        loop = self.loop
        yield "const long long n = (long long)blockIdx.x * blockDim.x + threadIdx.x;"
        yield "if (n >= count) return;"
        yield from (f"{array.name} += n * {array.name}_lane;" for array in self.arrays)
        for k, buffer in enumerate(loop.buffers):
            yield f"real {self.now[k]}[{max(1, buffer.port.size)}];"
            yield f"(void){self.now[k]};"
            if buffer.role in ("state", "held"):
                source = self.states.get(k) or self.given[k]
                yield from (f"{self.now[k]}[{e}] = {source.element(e)};" for e in range(buffer.port.size))
            elif k in {log.buffer for log in loop.logs}:
                yield from (f"{self.now[k]}[{e}] = 0;" for e in range(buffer.port.size))
        yield "long long made = 0;"
        yield "int finite = 1;"
        # turns to come before a use runs, or a row is due: to count down is less than to divide
        for k, use in enumerate(loop.uses):
            if use.every > 1:
                yield f"long long wait{k} = (long long)(({use.every} - first % {use.every}) % {use.every});"
        for j, log in enumerate(loop.logs):
            if log.every > 1 and loop.buffers[log.buffer].port.size:
                yield f"long long left{j} = (long long)({log.every} - first % {log.every});"
        yield "while (made < steps) {"
        yield "    const unsigned long long tick = first + (unsigned long long)made;"
        yield "    (void)tick;"
        yield from (f"    {line}" for line in self._turn(uses))
        yield "}"
        yield from self._rest()
        for k, array in self.states.items():
            yield from (f"{array.element(e)} = {self.now[k]}[{e}];" for e in range(loop.buffers[k].port.size))
        yield "turns[2 * n] = made;"
        yield "turns[2 * n + 1] = made - !finite;"

    def _turn(self, uses: list[tuple[str, Printed, tuple[Part, ...]]]) -> Iterator[str]:
        loop = self.loop
        yield from self._new()
        for k, (use, (called, printed, cut)) in enumerate(zip(loop.uses, uses, strict=True)):
            yield f"if (wait{k} == 0) {{" if use.every > 1 else "{"
            for p, port in enumerate(use.program.outputs):
                yield f"    real y{k}_{p}[{max(1, port.size)}];"
                yield from (f"    (void)y{k}_{p};",) if not port.size else ()
            yield from (f"    {line}" for line in printed.inside(called, cut))
            for p, (place, port) in enumerate(zip(use.writes, use.program.outputs, strict=True)):
                yield from (f"    {self.now[place]}[{e}] = y{k}_{p}[{e}];" for e in range(port.size))
            if use.every > 1:
                yield f"    wait{k} = {use.every};"
            yield "}"
            if use.every > 1:
                yield f"--wait{k};"
        for of, to in loop.copies:
            yield from (f"{self.now[to]}[{e}] = {self.now[of]}[{e}];" for e in range(loop.buffers[to].port.size))
        yield "++made;"
        yield from self._rows("tick + 1", counted=True)
        places = [f"{self.now[k]}[{e}]" for k, buffer in loop.states for e in range(buffer.port.size)]
        yield "real off = 0;"
        yield from (f"off += {place} * real(0);" for place in places)
        yield "finite = off == real(0);"
        yield "if (!finite) break;"
        if loop.until >= 0:
            yield f"if ({self.now[loop.until]}[0] != real(0)) break;"

    def _new(self) -> Iterator[str]:
        """What is new in this turn."""
        block = 0
        for k, buffer in enumerate(self.loop.buffers):
            name, size = self.now[k], buffer.port.size
            if buffer.role == "streamed":
                yield from (f"{name}[{e}] = {self.given[k].element(e, 'made')};" for e in range(size))
            elif buffer.role == "clock":
                yield f"{name}[0] = (real)((double)tick * {number(self.loop.period)});"
            elif buffer.role == "drawn":
                yield f"draw_{buffer.drawn}(seed, lane + (unsigned long long)n, tick, {block}u, {size}, {name});"
                block += blocks(size)

    def _rows(self, turn: str, *, counted: bool = False) -> Iterator[str]:
        for j, (array, log) in enumerate(zip(self.logs, self.loop.logs, strict=True)):
            size = self.loop.buffers[log.buffer].port.size
            if not size:
                continue
            due = f"--left{j} == 0" if counted else f"({turn}) % {log.every} == 0"
            yield f"if ({due}) {{" if log.every > 1 else "{"
            yield f"    const long long row = (long long)(({turn}) / {log.every} - 1 - first / {log.every});"
            yield from (f"    {array.element(e, 'row')} = {self.now[log.buffer]}[{e}];" for e in range(size))
            if counted and log.every > 1:
                yield f"    left{j} = {log.every};"
            yield "}"

    def _rest(self) -> Iterator[str]:
        """Rows after the end repeat the last."""
        if self.loop.logs:
            yield "for (long long due = made + 1; due <= steps; ++due) {"
            yield from (f"    {line}" for line in self._rows("first + (unsigned long long)due"))
            yield "}"

    # ---------------------------------------------------------------- the host

    def _launcher(self, threads: int) -> Iterator[str]:
        parameters = [*self._parameters(), "cudaStream_t stream"]
        arguments = ["count, lane, first, steps, seed", *(", ".join(array.arguments) for array in self.arrays), "turns"]
        yield "#ifndef __CUDACC_RTC__"
        yield f'extern "C" int {self.name}_launch({_list(parameters, len(self.name) + 19)});'
        yield ""
        yield "/* all lanes, in this stream; what it returns is a cudaError_t */"
        yield f"int {self.name}_launch({_list(parameters, len(self.name) + 12)})"
        yield "{"
        yield "    if (count <= 0) return 0;"
        yield f"    const int threads = {threads_for(threads)};"
        yield "    const unsigned int blocks = (unsigned int)((count + threads - 1) / threads);"
        yield f"    {self.name}<<<blocks, threads, 0, stream>>>({_list(arguments, 8)});"
        yield "    return (int)cudaGetLastError();"
        yield "}"
        yield "#endif"
        yield ""


def _list(items: list[str], indent: int) -> str:
    return (",\n" + " " * indent).join(items)


# ---------------------------------------------------------------- its test


def _on_device(loop: Loop, name: str) -> Iterator[str]:
    """The entry of a self-test: arrays are copied to the GPU and back."""
    real = REAL[loop.precision]
    sides = [("given", len(loop.given)), ("state", len(loop.states)), ("logs", len(loop.logs))]
    places = [(side, j, f"{side.removesuffix('s')}_lane[{j}]") for side, count in sides for j in range(count)]
    yield from entry_signature(real, "self_test_loop")
    yield "{"
    yield f"    {real} *device[{max(1, len(places))}] = {{0}};"
    yield "    long long *made = 0;"
    yield "    cudaMalloc((void **)&made, 2 * count * sizeof *made);"
    arguments = ["count, lane, first, steps, seed"]
    for k, ((side, j, stride), array) in enumerate(zip(places, arrays(loop, name), strict=True)):
        size = f"count * {stride} * sizeof **device"
        yield f"    cudaMalloc((void **)&device[{k}], {size} + 1);"
        yield f"    cudaMemcpy(device[{k}], {side}[{j}], {size}, cudaMemcpyHostToDevice);"
        turns = [str(loop.buffers[array.buffer].port.size)] if array.turns else []
        arguments.append(", ".join([f"device[{k}]", stride, "1", *turns]))
    yield f'    if ({name}_launch({_list([*arguments, "made, 0"], 8)}) != 0) puts("the GPU does not answer");'
    for k, (side, j, stride) in enumerate(places):
        if side != "given":
            size = f"count * {stride} * sizeof **device"
            yield f"    cudaMemcpy({side}[{j}], device[{k}], {size}, cudaMemcpyDeviceToHost);"
        yield f"    cudaFree(device[{k}]);"
    yield "    cudaMemcpy(turns, made, 2 * count * sizeof *made, cudaMemcpyDeviceToHost);"
    yield "    cudaFree(made);"
    unused = [word for word, count in sides if not count]
    yield from (f"    (void){word}, (void){word.removesuffix('s')}_lane;" for word in unused)
    yield "}"
    yield ""
