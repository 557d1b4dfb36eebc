"""A program without some of its kernels: each by its own definition, instruction by instruction."""

from collections.abc import Collection, Iterator

from motionc.program.build import Value, Writer
from motionc.program.passes.dead_code import without_dead_code
from motionc.program.program import Instruction, Program, call_data


def written_out(program: Program, kernels: Collection[str], most: int | None = None) -> Program:
    """The same without calls of these kernels, the shortest first, as long as there are no more instructions than
    `most` then.
    """
    calls = set(_fitting(program, kernels, most))
    if not calls:
        return program
    writer, values, given = Writer(), list[Value | None](), dict[int, list[Value]]()
    for i, step in enumerate(program.instructions):
        args = [values[arg] for arg in step.args]
        match step:
            case Instruction("call") if i in calls:
                given[i] = [writer.value(entry) for entry in call_data(step).run(args)]  # type: ignore[arg-type]
                values.append(None)
            case Instruction("pick", (of,), int(k)) if of in given:
                values.append(given[of][k])
            case _:
                values.append(writer.write(step.op, *args, data=step.data))
    return without_dead_code(program.moved(writer.steps, [-1 if value is None else value.number for value in values]))


def _fitting(program: Program, kernels: Collection[str], most: int | None) -> Iterator[int]:
    """Calls of these kernels, the shortest first, as many as fit."""
    calls = [(i, call) for i, step in program.calls() if (call := call_data(step)).kernel in kernels]
    if most is None:
        yield from (i for i, _ in calls)
        return
    length = len(program.instructions)
    if not calls or length > most:
        return
    for size, i in sorted((sum(call.operations().values()), i) for i, call in calls):
        length += size
        if length > most:
            return
        yield i
