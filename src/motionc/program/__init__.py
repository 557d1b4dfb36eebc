"""What code is that? A flat program with typed ports, the passes over it, and how it is traced from a solver."""

from motionc.program.program import Instruction, Program
from motionc.program.trace import trace

__all__ = ["Instruction", "Program", "trace"]
