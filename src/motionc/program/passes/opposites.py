"""a - b and b - a are a value and its opposite: one is computed, and signs wander into what is done with the other.

    x = a - b;  y = b - a;  z = c + y d            →        x = a - b;  z = c - x d

The one with fewer uses gives way, and sooner one that is no result: nothing absorbs the sign of that. Where signs are
not absorbed nothing is won, and the program stays as it was.
"""

from collections import Counter

from motionc.program.passes.dead_code import without_dead_code
from motionc.program.passes.numbering import Numbering, rewritten
from motionc.program.program import Instruction, Program


def without_opposites(program: Program) -> Program:
    steps = program.instructions
    uses = Counter(arg for step in steps for arg in step.args)
    results = {value for port in program.results for value in port}
    places = {step.args: i for i, step in enumerate(steps) if step.op == "sub"}
    pairs = [(i, places[b, a]) for (a, b), i in places.items() if (b, a) in places]
    given_up = {i for i, j in pairs if (i in results, uses[i], i) < (j in results, uses[j], j)}
    if not given_up:
        return program

    def write(numbering: Numbering, new: list[int], i: int, step: Instruction) -> int:
        if i not in given_up:
            return numbering.again(new, step)
        a, b = step.args
        return numbering.opposite(numbering.value("sub", (new[b], new[a])))

    found = without_dead_code(rewritten(program, write))
    return found if found.operations.total() < program.operations.total() else program
