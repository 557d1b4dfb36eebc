"""A program without some of its kernels: each by its own definition, instruction by instruction."""

from collections.abc import Collection

from motionc.program.build import Value, Writer
from motionc.program.kernels import Call
from motionc.program.passes.dead_code import without_dead_code
from motionc.program.program import Instruction, Program, call_data


def written_out(program: Program, kernels: Collection[str]) -> Program:
    """The same without calls of these kernels."""
    if not any(call_data(step).kernel in kernels for _, step in program.calls()):
        return program
    writer, values, given = Writer(), list[Value | None](), dict[int, list[Value]]()
    for i, step in enumerate(program.instructions):
        args = [values[arg] for arg in step.args]
        match step:
            case Instruction("call", _, Call(kernel) as call) if kernel in kernels:
                given[i] = [writer.value(entry) for entry in call.run(args)]
                values.append(None)
            case Instruction("pick", (of,), int(k)) if of in given:
                values.append(given[of][k])
            case _:
                values.append(writer.write(step.op, *args, data=step.data))
    return without_dead_code(program.moved(writer.steps, [-1 if value is None else value.number for value in values]))
