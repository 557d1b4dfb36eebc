"""How is it done over time? Machines as tables, monitors that make events of signals, limited trajectories."""

from motionc.control.machine import Machine, Now
from motionc.control.machines import Machines
from motionc.control.monitors import Braking, Elapsed, Threshold
from motionc.control.resets import resettable
from motionc.control.row import ANY, Row

__all__ = ["ANY", "Braking", "Elapsed", "Machine", "Machines", "Now", "Row", "Threshold", "resettable"]
