"""How long is long? Lengths of programs from which they are written, ordered or compiled otherwise, and why.

Whoever asks reads it here: passes, targets, runtime, and solvers that can be written out or left to a kernel.
"""

from typing import NamedTuple


class Cut(NamedTuple):
    """A program is one function up to `whole` instructions, else several of at most `part`, or `short` where it is long
    itself.
    """

    whole: int
    part: int
    short: int | None = None

    def limit(self, instructions: int) -> int:
        """Instructions in a function of a program of so many."""
        if instructions > self.whole:
            return self.short if self.short and instructions > LONG else self.part
        return self.whole


# ---------------------------------------------------------------- instructions in one function

ONE_STATE = Cut(4_000, 1_500, 500)
"""In C: one function is fastest, but compilers slow down faster than a function grows. Of a long program short ones
run as fast as others, and are compiled in three quarters of the time.
"""
LANES = Cut(1_500, 1_500)
"""In lanes: the same, sooner."""
GPU = Cut(12_000, 2_500)
"""In CUDA: values of one function stay in registers, as far as there are any."""
GPU_DOUBLE = Cut(5_000, 2_500)
"""In loops of double precision, whose values take two each: beyond it, what leaves registers is not chosen well (HyQ on
four feet: 4.9e7 steps/s as one function, 1.8e8 as several, on an H200).
"""

# ---------------------------------------------------------------- instructions in a program

LONG = 20_000
"""Beyond it the last passes of an optimiser cost more than they gain, and one start is enough to order it."""
HUGE = 100_000
"""Beyond it a compiler would take more than twenty seconds even so."""

# ---------------------------------------------------------------- rows that a solver has

WRITTEN_OUT = 20
"""Rows up to which pairs and solves are written out one by one: more of them are a kernel's loops.

Of 18 it is a third faster written out; of 38 that would be a minute of compiling.
"""
SOLVED_TOGETHER = 6
"""Unknown joint accelerations up to which hybrid dynamics solves for them together, which is shorter than by
articulated bodies.
"""
