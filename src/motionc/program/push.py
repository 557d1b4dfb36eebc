"""Changes going forward through a program: one rule an instruction, and those of kernels (kernel_rules.py).

Where a function has a kink, one side is taken: |x| changes by 0 at 0, so does √x; of min and max of equal values, one
counts; a select changes as what it selects. atan2 changes by 0 at the origin. What only compares does not change.
"""

from collections.abc import Mapping, Sequence

from motionc.program.build import Scalar, Value, Writer, is_zero
from motionc.program.kernel_rules import RULES, Site, Through
from motionc.program.program import Program, call_data

FLAT = frozenset(("sign", "less", "less_equal", "equal", "not_equal"))
"""Instructions whose result does not change."""


def partials(op: str, y: Value, args: Sequence[Value]) -> tuple[Scalar, ...]:
    """How the result y of an instruction changes with each of its arguments."""
    match op, args:
        case "add", _:
            return 1.0, 1.0
        case "sub", _:
            return 1.0, -1.0
        case "mul", (a, b):
            return b, a
        case "div", (_, b):
            return 1.0 / b, -y * (1.0 / b)
        case "neg", _:
            return (-1.0,)
        case "sqrt", _:
            return (y.select(0.5 / y, 0.0),)
        case "sin", (a,):
            return (a.cos(),)
        case "cos", (a,):
            return (-a.sin(),)
        case "atan2", (a, b):
            square = a * a + b * b
            inverse = square.select(1.0 / square, 0.0)
            return b * inverse, -a * inverse
        case "exp", _:
            return (y,)
        case "log", (a,):
            return (1.0 / a,)
        case "abs", (a,):
            return (a.sign(),)
        case _:
            raise AssertionError(f"{op} has no rule")


def choice(op: str, args: Sequence[Value]) -> tuple[Value, int, int] | None:
    """Which argument an instruction hands on: one if the condition holds, else the other; None if it computes."""
    if op == "select":
        return args[0], 1, 2
    if op in ("min", "max"):
        return args[0].less(args[1]), int(op == "max"), int(op == "min")
    return None


def push(writer: Writer, seeds: Mapping[int, Value], outputs: Sequence[Value]) -> list[Scalar]:
    """Changes of outputs that depend on seeds, with the changes of these; 0 where nothing changes."""
    changes: dict[int, Value] = dict(seeds)
    calls: dict[int, Sequence[Scalar]] = {}
    order = _between(writer, seeds, outputs)
    for place, number in enumerate(order):
        step = writer.steps[number]
        if step.op == "pick":
            found = calls[step.args[0]][step.data] if step.args[0] in calls else 0.0  # type: ignore[index]
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
    if op in FLAT:
        return 0.0
    chosen = choice(op, values)
    if chosen is not None:
        condition, yes, no = chosen
        return condition.select(given[yes], given[no])
    total: Scalar = 0.0
    for partial, change in zip(partials(op, y, values), given, strict=True):
        if not is_zero(change):
            total = total + change * partial
    return total


def _of_call(
    writer: Writer, number: int, values: list[Value], given: list[Scalar], through: Through
) -> Sequence[Scalar]:
    call = call_data(writer.steps[number])
    found = [writer.write("pick", Value(writer, number), data=k) for k in range(call.outputs)]
    return RULES[call.kernel].push(Site(writer, call, values, found, through), given)


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
            own = RULES[call.kernel].refused(call).get(step.data)  # type: ignore[arg-type]
        why.append(own or next((why[arg] for arg in step.args if why[arg] is not None), None))
    found: dict[str, str] = {}
    for port, entries in zip(program.outputs, program.results, strict=True):
        reason = next((why[entry] for entry in entries if why[entry] is not None), None)
        if reason is not None:
            found[port.name] = reason
    return found
