"""How is it done over time? Machines as tables, monitors that make events of signals, limited trajectories, laws."""

from motionc.control.double_s import DoubleS
from motionc.control.impedance import impedance
from motionc.control.laws import computed_torque, pd
from motionc.control.machine import Machine, Now
from motionc.control.machines import Machines
from motionc.control.monitors import Braking, Elapsed, Threshold
from motionc.control.resets import resettable
from motionc.control.row import ANY, Row
from motionc.control.stability import stability_note
from motionc.control.trajectories import Ramp, Trapezoid

__all__ = [
    "ANY",
    "Braking",
    "DoubleS",
    "Elapsed",
    "Machine",
    "Machines",
    "Now",
    "Ramp",
    "Row",
    "Threshold",
    "Trapezoid",
    "computed_torque",
    "impedance",
    "pd",
    "resettable",
    "stability_note",
]
