"""Does it work? Plants that differ from the model: actuators, sensors, contact, closed loops."""

from motionc.simulate.actuators import Position, Torque, TorqueSpeed, Velocity
from motionc.simulate.drives import actuators_of
from motionc.simulate.encoder import Encoder
from motionc.simulate.inertial import ForceTorque, Imu
from motionc.simulate.range import Range

__all__ = [
    "Encoder",
    "ForceTorque",
    "Imu",
    "Position",
    "Range",
    "Torque",
    "TorqueSpeed",
    "Velocity",
    "actuators_of",
]
