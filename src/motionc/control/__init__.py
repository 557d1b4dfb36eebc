"""How is it done over time? Machines as tables, monitors that make events of signals, trajectories, laws, rest."""

from motionc.control.abag import Abag
from motionc.control.baumgarte import Baumgarte
from motionc.control.beta import beta
from motionc.control.counted import CountedRobot
from motionc.control.deadlines import Deadlines
from motionc.control.double_s import DoubleS
from motionc.control.encoders import EncoderModel, Encoders
from motionc.control.guards import guards, to_stop
from motionc.control.impedance import impedance
from motionc.control.interfaces import Hardware, Interface, Nameplate, Reading, Stopped
from motionc.control.laws import computed_torque, pd
from motionc.control.machine import Machine, Now
from motionc.control.machines import Machines
from motionc.control.monitors import Braking, Elapsed, Threshold
from motionc.control.operating import Operation, Tolerance, operate
from motionc.control.pid import Pid
from motionc.control.remote import Endpoint, RemoteRobot
from motionc.control.resets import resettable
from motionc.control.rest import LimitSprings, Rest
from motionc.control.row import ANY, Row
from motionc.control.safety import Bounds, Coupling, Late, Sound
from motionc.control.stability import stability_note
from motionc.control.stopping import Stop
from motionc.control.tracking import resolved_acceleration
from motionc.control.trajectories import Ramp, Trapezoid
from motionc.control.weighing import Converged, Load, LoadWrench

__all__ = [
    "ANY",
    "Abag",
    "Baumgarte",
    "Bounds",
    "Braking",
    "Converged",
    "CountedRobot",
    "Coupling",
    "Deadlines",
    "DoubleS",
    "Elapsed",
    "EncoderModel",
    "Encoders",
    "Endpoint",
    "Hardware",
    "Interface",
    "Late",
    "LimitSprings",
    "Load",
    "LoadWrench",
    "Machine",
    "Machines",
    "Nameplate",
    "Now",
    "Operation",
    "Pid",
    "Ramp",
    "Reading",
    "RemoteRobot",
    "Rest",
    "Row",
    "Sound",
    "Stop",
    "Stopped",
    "Threshold",
    "Tolerance",
    "Trapezoid",
    "beta",
    "computed_torque",
    "guards",
    "impedance",
    "operate",
    "pd",
    "resettable",
    "resolved_acceleration",
    "stability_note",
    "to_stop",
]
