"""Simplify: constants folded, neutral elements and double negations gone, signs absorbed, equal values computed once.

a = x*y   b = -(y*x)   c = 1*z + (a - b)        →        a = x*y   c = z + (a + a)
"""

from motionc.program.passes.numbering import rewritten
from motionc.program.program import Program


def simplified(program: Program) -> Program:
    """The same program, each value in its simplest form and only once."""
    return rewritten(program, lambda numbering, new, _, step: numbering.again(new, step))
