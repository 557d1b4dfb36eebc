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
from motionc.program.passes.numbering import Numbering, rewritten
from motionc.program.port import Port
from motionc.program.program import Instruction, Program, Table, table_data


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
    program, tables = _with_tables(program, early)
    steps = program.instructions
    late = _late(program, early)
    wanted = {value for port in program.results for value in port}
    wanted |= {arg for i, step in enumerate(steps) if late[i] for arg in step.args}
    wanted |= {start + k for table, start in tables.items() for k in range(table.length)}
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
            case Instruction("entry", _, Table() as table) if table in tables:
                read.append(step._replace(data=Table(0, place[tables[table]], 1, table.length)))
            case _:
                read.append(step.reading(moved) if late[i] else step)
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
        start, ports = len(steps), [places[port.name] for port in program.inputs]
        for step in program.instructions:
            steps.append(step._replace(args=tuple([start + arg for arg in step.args])).reading(ports))
        results += [tuple(start + value for value in port) for port in program.results]
    equations = "; ".join(dict.fromkeys(program.equation for program in programs))
    outputs = tuple(port for program in programs for port in program.outputs)
    return Program(name, equations, inputs, outputs, tuple(steps), tuple(results))


def without_tables(program: Program, ports: Collection[int]) -> Program:
    """The same with choices between all entries where one of a table in these ports is looked up."""
    if not any(step.op == "entry" and step.port in ports for step in program.instructions):
        return program

    def write(numbering: Numbering, new: list[int], _: int, step: Instruction) -> int:
        if step.op != "entry" or step.port not in ports:
            return numbering.again(new, step)
        table = table_data(step)
        read = [numbering.value("input", (), (table.port, element)) for element in table.elements]
        return numbering.among(read, new[step.args[0]])

    return rewritten(program, write)


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
    ports = {step.port for step in part.instructions}
    return _renumbered(part, [k for k in range(len(part.inputs)) if k in ports])


def _late(program: Program, early: Collection[str]) -> list[bool]:
    """Of every value, whether it depends on an input that is not early."""
    late = list[bool]()
    for step in program.instructions:
        own = step.port is not None and program.inputs[step.port].name not in early
        late.append(own or any(late[arg] for arg in step.args))
    return late


def _with_tables(program: Program, early: Collection[str]) -> tuple[Program, dict[Table, int]]:
    """The program with all elements of early tables behind it whose index is late, and where each table starts."""
    late, steps, starts = _late(program, early), list(program.instructions), dict[Table, int]()
    for i, step in enumerate(program.instructions):
        match step.data:
            case Table() as table if late[i] and program.inputs[table.port].name in early and table not in starts:
                starts[table] = len(steps)
                steps += [Instruction("input", (), (table.port, element)) for element in table.elements]
            case _:
                pass
    return replace(program, instructions=tuple(steps)), starts


def _renumbered(program: Program, ports: Sequence[int]) -> Program:
    """With these inputs alone, which are all that it reads."""
    moved = {port: k for k, port in enumerate(ports)}
    steps = tuple(step.reading(moved) for step in program.instructions)
    return replace(program, inputs=tuple(program.inputs[port] for port in ports), instructions=steps)
