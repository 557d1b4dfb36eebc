"""Simplify: constants folded, neutral elements and double negations gone, signs absorbed, equal values computed once.

a = x*y   b = -(y*x)   c = 1*z + (a - b)        →        a = x*y   c = z + (a + a)
"""

from motionc.program.passes.numbering import rewritten
from motionc.program.program import Instruction, Program, call_data


def simplified(program: Program) -> Program:
    """The same program, each value in its simplest form and only once."""
    return rewritten(program, lambda numbering, new, _, step: numbering.again(new, _complete(step)))


def _complete(step: Instruction) -> Instruction:
    """A call that gives all it can: two of one kernel are equal whatever was asked of each."""
    return step if step.op != "call" else step._replace(data=call_data(step).complete())
