"""From solver to program: symbols flow through the sweeps, meaning stays behind, the instruction stream remains.

A kernel call cuts the trace: its outputs are fresh symbols, and it is wired in again here.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import casadi as ca

from motionc.errors import Error
from motionc.model.mechanism import Mechanism
from motionc.program.kernels import Kernel
from motionc.program.passes import optimise
from motionc.program.program import Instruction, Program
from motionc.sweeps.schedule import Policy, depth_first
from motionc.sweeps.solver import Solver

UNARY = {
    ca.OP_NEG: "neg",
    ca.OP_SQRT: "sqrt",
    ca.OP_SIN: "sin",
    ca.OP_COS: "cos",
    ca.OP_EXP: "exp",
    ca.OP_LOG: "log",
    ca.OP_FABS: "abs",
    ca.OP_SIGN: "sign",
}
BINARY = {
    ca.OP_ADD: "add",
    ca.OP_SUB: "sub",
    ca.OP_MUL: "mul",
    ca.OP_DIV: "div",
    ca.OP_ATAN2: "atan2",
    ca.OP_FMIN: "min",
    ca.OP_FMAX: "max",
    ca.OP_LT: "less",
    ca.OP_LE: "less_equal",
    ca.OP_EQ: "equal",
    ca.OP_NE: "not_equal",
}


@dataclass
class _Recorder:
    """Collects kernel calls while symbols flow."""

    calls: list[tuple[Kernel, list[Any], list[Any]]] = field(default_factory=list[Any])

    def __call__(self, kernel: Kernel, *arguments: Any) -> tuple[Any, ...]:
        inputs = [ca.densify(ca.SX(argument)) for argument in arguments]
        sizes = kernel.call(inputs[0].shape[0]).sizes
        outputs = [ca.SX.sym(f"{kernel.name}{len(self.calls)}_{k}", size) for k, size in enumerate(sizes)]
        self.calls.append((kernel, inputs, outputs))
        return tuple(outputs)


def trace(solver: Solver, *, mechanism: Mechanism | None = None, policy: Policy = depth_first) -> Program:
    """Run a solver on symbols, read the program off, and put it through the passes."""
    with _no_collecting():
        return optimise(record(solver, mechanism=mechanism, policy=policy))


def record(solver: Solver, *, mechanism: Mechanism | None = None, policy: Policy = depth_first) -> Program:
    """The program as it is before all passes. The walk checks every relation on its way."""
    mechanism = solver.robot.mechanism if mechanism is None else mechanism
    symbols = {port.name: ca.SX.sym(port.name, port.size) for port in solver.inputs}
    recorder = _Recorder()
    answers = solver.answer(mechanism, symbols, policy=policy, call=recorder)
    outputs = [_row_major(answers[port.name], port.size) for port in solver.outputs]
    return _assemble(solver, list(symbols.values()), outputs, recorder)


@contextmanager
def _no_collecting() -> Generator[None]:
    """A program is a hundred thousand small tuples without a cycle: looking for cycles takes a third of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _row_major(value: Any, size: int) -> Any:
    """An output as a dense column, row by row (CasADi counts column by column)."""
    flat = ca.densify(ca.reshape(ca.SX(value).T, -1, 1))
    assert flat.shape[0] == size
    return flat


def _assemble(solver: Solver, inputs: list[Any], outputs: list[Any], recorder: _Recorder) -> Program:
    """One instruction list out of the traced expressions and the kernel calls between them."""
    fresh = [symbol for _, _, results in recorder.calls for symbol in results]
    needed = [ca.densify(ca.reshape(value.T, -1, 1)) for _, arguments, _ in recorder.calls for value in arguments]
    function = ca.Function("f", inputs + fresh, outputs + needed)
    stream = _Stream(function, len(inputs))

    # calls get numbers above the stream's own; each picks its outputs from there
    base = len(stream.steps)
    steps = list(stream.steps)
    position, pick = len(outputs), len(inputs)
    for number, (kernel, arguments, results) in enumerate(recorder.calls):
        args = [value for k in range(len(arguments)) for value in stream.results[position + k]]
        position += len(arguments)
        steps.append(Instruction("call", tuple(args), kernel.call(arguments[0].shape[0])))
        offset = 0
        for result in results:
            for element in range(result.shape[0]):
                where = stream.inputs.get((pick, element))
                if where is not None:
                    steps[where] = Instruction("pick", (base + number,), offset + element)
            offset += result.shape[0]
            pick += 1
    results = tuple(tuple(port) for port in stream.results[: len(outputs)])
    ordered, results = _ordered(steps, results)
    return Program(solver.name, solver.equation, solver.inputs, solver.outputs, ordered, results)


class _Stream:
    """CasADi's instruction stream in SSA: its work slots are reused, ours are not."""

    def __init__(self, function: Any, arguments: int) -> None:
        self.steps: list[Instruction] = []
        self.inputs: dict[tuple[int, int], int] = {}
        self.results: list[list[int]] = [[0] * function.numel_out(k) for k in range(function.n_out())]
        slot: dict[int, int] = {}
        for k in range(function.n_instructions()):
            op, out, args = function.instruction_id(k), function.instruction_output(k), function.instruction_input(k)
            if op == ca.OP_OUTPUT:
                self.results[out[0]][out[1]] = slot[args[0]]
            elif op == ca.OP_INPUT:
                slot[out[0]] = self._add("input", (), (args[0], args[1]))
                self.inputs[args[0], args[1]] = slot[out[0]]
            elif op == ca.OP_CONST:
                slot[out[0]] = self._add("const", (), function.instruction_constant(k))
            else:
                slot[out[0]] = self._compute(op, [slot[arg] for arg in args])

    def _add(self, op: str, args: tuple[int, ...] = (), data: Any = None) -> int:
        self.steps.append(Instruction(op, args, data))
        return len(self.steps) - 1

    def _compute(self, op: int, args: list[int]) -> int:
        if op in UNARY:
            return self._add(UNARY[op], (args[0],))
        if op in BINARY:
            return self._add(BINARY[op], (args[0], args[1]))
        if op == ca.OP_SQ:
            return self._add("mul", (args[0], args[0]))
        if op == ca.OP_TWICE:
            return self._add("add", (args[0], args[0]))
        if op == ca.OP_INV:
            return self._add("div", (self._add("const", (), 1.0), args[0]))
        if op == ca.OP_NOT:
            return self._add("equal", (args[0], self._add("const", (), 0.0)))
        if op == ca.OP_IF_ELSE_ZERO:
            return self._add("select", (args[0], args[1], self._add("const", (), 0.0)))
        raise Error(f"CasADi operation {op} is not in the instruction set; express it with arithmetic, sqrt, sin, …")


def _ordered(
    steps: list[Instruction], results: tuple[tuple[int, ...], ...]
) -> tuple[tuple[Instruction, ...], tuple[tuple[int, ...], ...]]:
    """Every value before its use, close to the traced order; what a kernel needs comes before the kernel."""
    place: dict[int, int] = {}
    ordered: list[Instruction] = []
    stack = [value for port in reversed(results) for value in reversed(port)]
    while stack:
        value = stack[-1]
        if value in place:
            stack.pop()
            continue
        waiting = [arg for arg in steps[value].args if arg not in place]
        if waiting:
            stack += reversed(waiting)
            continue
        stack.pop()
        place[value] = len(ordered)
        step = steps[value]
        ordered.append(Instruction(step.op, tuple(place[arg] for arg in step.args), step.data))
    return tuple(ordered), tuple(tuple(place[value] for value in port) for port in results)
