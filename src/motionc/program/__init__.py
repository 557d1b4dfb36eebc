"""What code is that? A flat program with typed ports and the passes over it."""

from motionc.program.program import Instruction, Program
from motionc.program.statistics import Figures, Passes, explained, figures

__all__ = ["Figures", "Instruction", "Passes", "Program", "explained", "figures"]
