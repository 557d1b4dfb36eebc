"""What may a program do? One table of instructions (table.py), read by passes, derivatives and targets."""

from motionc.program.instructions.operation import Choice, Derivative, Operation
from motionc.program.instructions.spelling import Spelling
from motionc.program.instructions.table import FREE, OPERATIONS, TURN

__all__ = ["FREE", "OPERATIONS", "TURN", "Choice", "Derivative", "Operation", "Spelling"]
