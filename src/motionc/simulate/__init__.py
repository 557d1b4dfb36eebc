"""Does it work? Plants that differ from the model: actuators, sensors, contact, closed loops."""

from motionc.simulate.actuators import Position, Torque, TorqueSpeed, Velocity
from motionc.simulate.drives import actuators_of

__all__ = ["Position", "Torque", "TorqueSpeed", "Velocity", "actuators_of"]
