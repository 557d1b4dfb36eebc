"""Splitting a program by what its values depend on: what is known as soon as some inputs are, and the rest.

    first, second = split(program, ["q"])        q → state          state, v, a → tau

What crosses is state: whoever calls keeps it. No value is computed twice, none is computed too early: constants are
stated anew, values of both stages together are exactly those of the program. Stages can be split further.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from motionc.errors import Error, suggestion
from motionc.program.passes import optimise, without_dead_code
from motionc.program.port import Port
from motionc.program.program import Instruction, Program


class Stages(NamedTuple):
    """First what is known early, into `state`; then the rest, out of it."""

    first: Program
    second: Program


def split(program: Program, early: Collection[str], name: str = "state") -> Stages:
    """What depends on early inputs alone, and the rest, which takes the state instead of them."""
    known = [port.name for port in program.inputs]
    for one in early:
        if one not in known:
            raise Error(f"{program.name} has no input {one!r} that could be known early{suggestion(one, known)}")
    steps = program.instructions
    late = _late(program, early)
    wanted = {value for port in program.results for value in port}
    wanted |= {arg for i, step in enumerate(steps) if late[i] for arg in step.args}
    crossing = [i for i, step in enumerate(steps) if i in wanted and not late[i] and step.op != "const"]
    state = Port(name, (len(crossing),), "various", f"what depends on {', '.join(early)} alone")

    # early: the same instructions, dead ones dropped
    ports = [k for k, port in enumerate(program.inputs) if port.name in early]
    first = replace(program, outputs=(state,), results=(tuple(crossing),))
    first = _renumbered(without_dead_code(first), ports)

    # late: what crosses is read from the state, the first input
    place = {value: k for k, value in enumerate(crossing)}
    rest = [k for k in range(len(program.inputs)) if k not in ports]
    moved = {port: k + 1 for k, port in enumerate(rest)}
    read: list[Instruction] = []
    for i, step in enumerate(steps):
        match step:
            case _ if i in place:
                read.append(Instruction("input", (), (0, place[i])))
            case Instruction("input", _, (int(port), int(element))) if late[i]:
                read.append(Instruction("input", (), (moved[port], element)))
            case _:
                read.append(step)
    inputs = (state, *(program.inputs[k] for k in rest))
    second = replace(program, inputs=inputs, instructions=tuple(read))
    return Stages(replace(first, name=f"{program.name}_early"), without_dead_code(second))


def joined(name: str, programs: Sequence[Program]) -> Program:
    """Several programs as one, what they share computed once; inputs of one name are one, outputs keep their order."""
    inputs: dict[str, Port] = {}
    for program in programs:
        for port in program.inputs:
            shape = inputs.setdefault(port.name, port).shape
            if shape != port.shape:
                raise Error(f"{name}: input {port.name} has shape {shape} in one program and {port.shape} in another")
    return optimise(side_by_side(name, programs, tuple(inputs.values())))


def side_by_side(name: str, programs: Sequence[Program], inputs: tuple[Port, ...]) -> Program:
    """Several programs one after the other, reading these inputs by name; what they share is still there twice."""
    places = {port.name: k for k, port in enumerate(inputs)}
    steps, results = list[Instruction](), list[tuple[int, ...]]()
    for program in programs:
        start = len(steps)
        for step in program.instructions:
            match step:
                case Instruction("input", _, (int(port), int(element))):
                    steps.append(Instruction("input", (), (places[program.inputs[port].name], element)))
                case _:
                    steps.append(step._replace(args=tuple([start + arg for arg in step.args])))
        results += [tuple(start + value for value in port) for port in program.results]
    equations = "; ".join(dict.fromkeys(program.equation for program in programs))
    outputs = tuple(port for program in programs for port in program.outputs)
    return Program(name, equations, inputs, outputs, tuple(steps), tuple(results))


def only(program: Program, outputs: Collection[int], name: str, equation: str = "") -> Program:
    """The part of a program that some of its outputs need, and the inputs that part takes."""
    kept = [k for k in range(len(program.outputs)) if k in outputs]
    part = replace(
        program,
        name=name,
        equation=equation or program.equation,
        outputs=tuple(program.outputs[k] for k in kept),
        results=tuple(program.results[k] for k in kept),
    )
    part = without_dead_code(part)
    read = {step.data for step in part.instructions if step.op == "input"}
    ports = {data[0] for data in read if isinstance(data, tuple)}
    return _renumbered(part, [k for k in range(len(part.inputs)) if k in ports])


def _late(program: Program, early: Collection[str]) -> list[bool]:
    """Of every value, whether it depends on an input that is not early."""
    late = list[bool]()
    for step in program.instructions:
        match step:
            case Instruction("input", _, (int(port), int())):
                late.append(program.inputs[port].name not in early)
            case _:
                late.append(any(late[arg] for arg in step.args))
    return late


def _renumbered(program: Program, ports: Sequence[int]) -> Program:
    """With these inputs alone, which are all that it reads."""
    moved = {port: k for k, port in enumerate(ports)}
    steps = list[Instruction]()
    for step in program.instructions:
        match step:
            case Instruction("input", _, (int(port), int(element))):
                steps.append(Instruction("input", (), (moved[port], element)))
            case _:
                steps.append(step)
    return replace(program, inputs=tuple(program.inputs[port] for port in ports), instructions=tuple(steps))
