"""Reciprocals: several divisions by one value, or by one constant, become one division and products.

a = x/d   b = y/d        →        r = 1/d   a = x*r   b = y*r
a = x/4                  →        a = x*0.25
"""

from collections import Counter

from motionc.program.passes.dead_code import without_dead_code
from motionc.program.passes.numbering import Numbering, rewritten
from motionc.program.program import Instruction, Program


def with_shared_reciprocals(program: Program) -> Program:
    """A product rounds once more than a division: by half a unit in the last place."""
    steps = program.instructions
    divisors = Counter(step.args[1] for step in steps if step.op == "div")
    shared = {value for value, count in divisors.items() if count > 1 or steps[value].data}
    if not shared:
        return program

    def write(numbering: Numbering, new: list[int], _: int, step: Instruction) -> int:
        if step.op != "div" or step.args[1] not in shared:
            return numbering.again(new, step)
        a, b = (new[arg] for arg in step.args)
        return numbering.value("mul", (a, numbering.value("div", (numbering.constant(1.0), b))))

    return without_dead_code(rewritten(program, write))
