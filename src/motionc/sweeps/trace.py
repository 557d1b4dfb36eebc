"""From solver to program: symbols flow through the sweeps, meaning stays behind, the instruction stream remains.

A kernel call cuts the trace: its outputs are fresh symbols.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from motionc.collector import collector_off
from motionc.errors import Error
from motionc.geometry.coordinates import Coordinates
from motionc.geometry.symbols import Symbols
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.build import Writer
from motionc.program.kernels import Kernel
from motionc.program.passes import optimise
from motionc.program.port import Port
from motionc.program.program import Program
from motionc.program.sizes import RECORDED_TWICE, TRACED_TWICE
from motionc.sweeps.schedule import Policy, depth_first


class Walked(Protocol):
    """A solver, as tracing sees it: ports, and answers on whatever coordinates."""

    @property
    def name(self) -> str: ...
    @property
    def equation(self) -> str: ...
    @property
    def robot(self) -> Robot: ...
    @property
    def inputs(self) -> tuple[Port, ...]: ...
    @property
    def outputs(self) -> tuple[Port, ...]: ...

    def answer(
        self,
        mechanism: Mechanism,
        inputs: Mapping[str, Any],
        *,
        policy: Policy = depth_first,
        call: Callable[..., tuple[Any, ...]] | None = None,
    ) -> dict[str, Coordinates]: ...


def trace(solver: Walked, *, mechanism: Mechanism | None = None, policy: Policy = depth_first) -> Program:
    """Run a solver on symbols, read the program off, and put it through the passes."""
    with collector_off():
        return optimise(record(solver, mechanism=mechanism, policy=policy))


def shortest(solver: Walked, mechanisms: Iterable[Mechanism]) -> tuple[Program, Mechanism]:
    """The program of whichever mechanism makes it shortest, the first if several do. Of a long program what is recorded
    tells that, too; of a longer one the first mechanism has to do.
    """
    first, *others = mechanisms
    with collector_off():
        recorded = record(solver, mechanism=first)
        if not others or len(recorded.instructions) > RECORDED_TWICE:
            return optimise(recorded), first
        ways = [(recorded, first), *((record(solver, mechanism=other), other) for other in others)]
        if len(recorded.instructions) > TRACED_TWICE:
            program, mechanism = min(ways, key=_operations)
            return optimise(program), mechanism
        return min(((optimise(program), mechanism) for program, mechanism in ways), key=_operations)


def _operations(way: tuple[Program, Mechanism]) -> int:
    return sum(way[0].operations.values())


def record(solver: Walked, *, mechanism: Mechanism | None = None, policy: Policy = depth_first) -> Program:
    """The program as it is before all passes. The walk checks every relation on its way."""
    mechanism = solver.robot.mechanism if mechanism is None else mechanism
    writer = Writer()
    symbols = {port.name: Symbols.of(writer.inputs(k, port.size)) for k, port in enumerate(solver.inputs)}

    def call(kernel: Kernel, *arguments: Any) -> tuple[Symbols, ...]:
        matrices = [Symbols.of(argument) for argument in arguments]
        asked = kernel.call(kernel.rows(matrices[0].shape))
        picked = iter(writer.call(asked, *(matrix.flat for matrix in matrices)))
        return tuple([Symbols([[next(picked)] for _ in range(size)], 1) for size in asked.sizes])

    answers = solver.answer(mechanism, symbols, policy=policy, call=call)
    outputs = [Symbols.of(answers[port.name]).flat for port in solver.outputs]
    for port, entries in zip(solver.outputs, outputs, strict=True):
        if len(entries) != port.size:
            raise Error(
                f"{solver.name}: output {port.name} has {len(entries)} entries, its port {port.size}: {port.shape}"
            )
    instructions, results = writer.needed(outputs)
    return Program(solver.name, solver.equation, solver.inputs, solver.outputs, instructions, results)
