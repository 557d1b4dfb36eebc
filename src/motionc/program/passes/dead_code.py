"""Dead code: what no output depends on goes; the rest stays in its order. Kernels are told what nobody asks of them,
and what of the numbers they take is always 0.

a = x*y   b = x + y   out = a        →        a = x*y   out = a
"""

from motionc.program.program import Instruction, Program, call_data


def without_dead_code(program: Program) -> Program:
    """Only what some output depends on, in the same order."""
    steps = program.instructions
    alive = [False] * len(steps)
    for port in program.results:
        for value in port:
            alive[value] = True
    for i in range(len(steps) - 1, -1, -1):
        if alive[i]:
            for arg in steps[i].args:
                alive[arg] = True
    calls = _asked(steps, alive)
    if all(alive) and all(steps[i] == step for i, step in calls.items()):
        return program
    new, kept = [-1] * len(steps), list[Instruction]()
    for i, step in enumerate(steps):
        if alive[i]:
            op, args, data = calls.get(i, step)
            new[i] = len(kept)
            kept.append(Instruction(op, tuple([new[arg] for arg in args]), data))
    return program.moved(kept, new)


def _asked(steps: tuple[Instruction, ...], alive: list[bool]) -> dict[int, Instruction]:
    """The calls, each told which of its outputs are needed, and which numbers beside its matrix are none."""
    picked: dict[int, set[int]] = {i: set() for i, step in enumerate(steps) if alive[i] and step.op == "call"}
    for i, step in enumerate(steps):
        if alive[i] and step.op == "pick":
            picked[step.args[0]].add(step.data)  # type: ignore[arg-type]
    return {i: _told(steps, steps[i], needed) for i, needed in picked.items()}


def _told(steps: tuple[Instruction, ...], step: Instruction, needed: set[int]) -> Instruction:
    call = call_data(step)
    zeros = [steps[arg].op == "const" and steps[arg].data == 0.0 for arg in step.args[call.matrix :]]
    return step._replace(data=call.asked(needed, zeros))
