"""Pairing: each pick right behind its call, sine and cosine of one angle side by side.

    s = sin(q)   a = s*x   c = cos(q)        →        s = sin(q)   c = cos(q)   a = s*x

Both of an angle cost little more than one of them. They take long, so a target may have them come early.
"""

from motionc.program.instructions import FREE, TURN
from motionc.program.program import Program


def together(program: Program, ahead: int = 0) -> Program:
    """The same program with what belongs together side by side.

    Sines and cosines may stand up to `ahead` instructions before the place where they stood, as far as their argument
    allows, so that a processor has other things to do before they are needed.
    """
    steps = program.instructions
    leader = list(range(len(steps)))
    place = list(range(len(steps)))
    turn: dict[int, int] = {}
    for i, step in enumerate(steps):
        if step.op == "pick":
            leader[i] = place[i] = step.args[0]
        elif step.op in TURN:
            (angle,) = step.args
            leader[i] = turn.setdefault(angle, i)
            place[i] = max(leader[i] - ahead, 0 if steps[angle].op in FREE else angle)
            if steps[angle].op in FREE:
                place[angle] = min(place[angle], place[i])
    order = sorted(range(len(steps)), key=lambda i: (place[i], leader[i], i))
    new = {old: i for i, old in enumerate(order)}
    return program.moved([steps[old]._replace(args=tuple([new[arg] for arg in steps[old].args])) for old in order], new)
