"""What code is that? A flat program with typed ports, the passes over it, and how it is traced from a solver."""

from motionc.program.program import Instruction, Program
from motionc.program.statistics import Figures, Passes, explained, figures
from motionc.program.trace import record, trace

__all__ = ["Figures", "Instruction", "Passes", "Program", "explained", "figures", "record", "trace"]
