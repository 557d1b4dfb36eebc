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

ONE_STATE = Cut(4_000, 600, 500)
"""In C: one function is fastest, but compilers slow down faster than a function grows. Of a longer program short ones
run faster (derivatives of a Panda by a fifth), and are compiled in three quarters of the time.
"""
LANES = Cut(1_500, 1_500)
"""In lanes: the same, sooner."""
GPU = Cut(12_000, 2_500)
"""In CUDA: values of one function stay in registers, as far as there are any."""
GPU_DOUBLE = Cut(5_000, 2_500)
"""In loops of double precision, whose values take two each: beyond it, what leaves registers is not chosen well (HyQ on
four feet: 4.9e7 steps/s as one function, 1.8e8 as several, on an H200).
"""

LANES_WRITTEN_OUT = 28_000
"""In lanes: up to it kernels along a tree are written out. A state is a lane, so that no loop makes vectors, and what
is always 0 is gone (derivatives of quadrupeds: a seventh faster). Of a longer one loops stay at hand.
"""
GPU_UNROLLED = 20
"""In CUDA: rows of a kernel up to which its loops vanish; more would fit into no registers."""
GPU_WRITTEN_OUT = 150_000
"""In CUDA: up to it kernels along a tree are written out. A thread's arrays are far away, and loops read nothing else;
of what is written out much stays in registers, and what is always 0 is gone (derivatives of Talos: a seventh of the
memory, compiled in a third of the time). A longer one is compiled for minutes.
"""

# ---------------------------------------------------------------- values at once


class Room(NamedTuple):
    """How many values of a thread fit into registers, and how many more into memory that threads share."""

    registers: int
    shared: int


ROOM = {"single": Room(235, 220), "double": Room(104, 110)}
"""On a GPU's multiprocessor with eight warps: of 255 registers some hold addresses, and compilers look ahead; 227 KiB
are shared.
"""

# ---------------------------------------------------------------- instructions in a program

TRACED_TWICE, RECORDED_TWICE = 5_000, 25_000
"""Up to it a solver tries two places for the frames of joints, and takes the shorter program; beyond the former it
compares what they are before all passes.
"""
LONG = 20_000
"""Beyond it the last passes of an optimiser cost more than they gain, and one start is enough to order it."""
HUGE = 100_000
"""Beyond it compilers try less hard: a quarter less time for code that is a twentieth slower."""

# ---------------------------------------------------------------- rows and coordinates that a solver has

PAIRED_OUT = 20
"""How many coordinates one meets on average (those of its joint, on its way to the world, and beyond) up to which pairs
of joints are written out: of more they are a kernel's loops over vectors, a third faster on a chain of 21, slower where
trees branch (Talos meets 18 of 38).
"""
SHALLOW = 8
"""Coordinates before any other, on its way to the world, up to which joints are resolved together, by the mass matrix:
shorter than by articulated bodies (a chain of 6 by a fifth, of 9 by some percent, of 10 no more).
"""
SOLVED_OUT = 8
"""The same up to which solves for many columns are written out: of more a kernel's loops are faster, by a fifth on a
chain of 10 and a third where four legs stand on a floating base (12).
"""
SOLVED_AT_ONCE = 20
"""Rows up to which solves for several right sides are one: their columns fill vectors better. Of more, each is read and
written where it is.
"""
SOLVED_TOGETHER = 6
"""Unknown joint accelerations up to which hybrid dynamics solves for them together, which is shorter than by
articulated bodies.
"""
