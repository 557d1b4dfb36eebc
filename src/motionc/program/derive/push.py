"""Changes going forward through a program: one rule an instruction (instructions/), one a kernel (kernels/).

Where a function has a kink, one side is taken: |x| changes by 0 at 0, so does √x; of min and max of equal values, one
counts; a select changes as what it selects. atan2 changes by 0 at the origin. What only compares does not change. An
entry of a table changes as that entry does.
"""

from collections.abc import Mapping, Sequence

from motionc.program.build import Scalar, Value, Writer, is_zero
from motionc.program.instructions import OPERATIONS, Choice
from motionc.program.kernels.kernel import KERNELS, Site, Through
from motionc.program.program import Program, call_data, table_data


def push(writer: Writer, seeds: Mapping[int, Value], outputs: Sequence[Value]) -> list[Scalar]:
    """Changes of outputs that depend on seeds, with the changes of these; 0 where nothing changes."""
    changes: dict[int, Value] = dict(seeds)
    calls: dict[int, Sequence[Scalar]] = {}
    order = _between(writer, seeds, outputs)
    for place, number in enumerate(order):
        step = writer.steps[number]
        if step.op == "pick":
            found = calls[step.args[0]][step.data] if step.args[0] in calls else 0.0  # type: ignore[index]
        elif step.op == "entry":
            found = _of_entry(writer, number, changes)
        elif not any(arg in changes for arg in step.args):
            continue
        else:
            values = [Value(writer, arg) for arg in step.args]
            given: list[Scalar] = [changes.get(arg, 0.0) for arg in step.args]
            if step.op == "call":

                def through(later: Sequence[Value], past: int = place + 1) -> list[Scalar]:
                    return push(writer, dict.fromkeys(order[:past], writer.value(0.0)) | changes, later)

                calls[number] = _of_call(writer, number, values, given, through)
                continue
            found = _of_instruction(step.op, Value(writer, number), values, given)
        if not is_zero(found):
            changes[number] = writer.value(found)
    return [changes.get(output.number, 0.0) for output in outputs]


def _of_instruction(op: str, y: Value, values: list[Value], given: list[Scalar]) -> Scalar:
    rule = OPERATIONS[op].derivative
    if rule is None:
        return 0.0
    if isinstance(rule, Choice):
        return rule.condition(values).select(given[rule.yes], given[rule.no])
    total: Scalar = 0.0
    for partial, change in zip([of(values, y) for of in rule], given, strict=True):
        if not is_zero(change):
            total = total + change * partial
    return total


def _of_entry(writer: Writer, number: int, changes: Mapping[int, Value]) -> Scalar:
    """The change of the entry that is looked up; none with its index, which steps from one to the next."""
    step = writer.steps[number]
    given = [changes.get(entry.number, 0.0) for entry in writer.table(table_data(step))]
    return 0.0 if all(map(is_zero, given)) else writer.entry(given, Value(writer, step.args[0]))


def _of_call(
    writer: Writer, number: int, values: list[Value], given: list[Scalar], through: Through
) -> Sequence[Scalar]:
    call = call_data(writer.steps[number])
    found = [writer.write("pick", Value(writer, number), data=k) for k in range(call.outputs)]
    return KERNELS[call.kernel].rule.push(Site(writer, call, values, found, through), given)


def _between(writer: Writer, seeds: Mapping[int, Value], outputs: Sequence[Value]) -> list[int]:
    """What outputs depend on, as far as seeds, in order."""
    needed, stack = set[int](), [output.number for output in outputs]
    while stack:
        number = stack.pop()
        if number not in needed and number not in seeds:
            needed.add(number)
            stack.extend(writer.steps[number].args)
    return sorted(needed)


def refusals(program: Program) -> dict[str, str]:
    """Outputs that have no derivative, and why."""
    why: list[str | None] = []
    for step in program.instructions:
        own = None
        if step.op == "pick":
            call = call_data(program.instructions[step.args[0]])
            own = KERNELS[call.kernel].rule.refused(call).get(step.data)  # type: ignore[arg-type]
        why.append(own or next((why[arg] for arg in step.args if why[arg] is not None), None))
    found: dict[str, str] = {}
    for port, entries in zip(program.outputs, program.results, strict=True):
        reason = next((why[entry] for entry in entries if why[entry] is not None), None)
        if reason is not None:
            found[port.name] = reason
    return found
