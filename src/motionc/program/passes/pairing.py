"""Pairing: each pick right behind its call, sine and cosine of one angle side by side.

    s = sin(q)   a = s*x   c = cos(q)        →        s = sin(q)   c = cos(q)   a = s*x

Both of an angle cost little more than one of them.
"""

from motionc.program.instructions import TURN
from motionc.program.program import Program


def together(program: Program) -> Program:
    """The same program with what belongs together side by side."""
    steps = program.instructions
    leader = list(range(len(steps)))
    turn: dict[int, int] = {}
    for i, step in enumerate(steps):
        if step.op == "pick":
            leader[i] = step.args[0]
        elif step.op in TURN:
            leader[i] = turn.setdefault(step.args[0], i)
    order = sorted(range(len(steps)), key=lambda i: (leader[i], i))
    new = {old: i for i, old in enumerate(order)}
    return program.moved([steps[old]._replace(args=tuple([new[arg] for arg in steps[old].args])) for old in order], new)
