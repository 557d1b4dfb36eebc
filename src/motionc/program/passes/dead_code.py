"""Dead code: what no output depends on goes; the rest stays in its order.

a = x*y   b = x + y   out = a        →        a = x*y   out = a
"""

from motionc.program.program import Instruction, Program


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
    if all(alive):
        return program
    new, kept = [-1] * len(steps), list[Instruction]()
    for i, (op, args, data) in enumerate(steps):
        if alive[i]:
            new[i] = len(kept)
            kept.append(Instruction(op, tuple([new[arg] for arg in args]), data))
    return program.moved(kept, new)
