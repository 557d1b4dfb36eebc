"""Simulate a robot as it really is: plants, contact, actuators, sensors, closed loops, and judges of them."""

from motionc.model.free_body import free_body
from motionc.model.shapes import Box, Capsule, Cylinder, Sphere
from motionc.simulate import judges
from motionc.simulate.actuators import Position, Torque, TorqueSpeed, Velocity
from motionc.simulate.closed import Loop, closed
from motionc.simulate.counting import AbsoluteEncoder, RelativeEncoder
from motionc.simulate.drives import actuators_of
from motionc.simulate.encoder import Encoder
from motionc.simulate.environments import environment
from motionc.simulate.happenings import Brake, Payload, Push
from motionc.simulate.inertial import ForceTorque, Imu, JointTorque
from motionc.simulate.mujoco_plant import MujocoPlant
from motionc.simulate.plant import Plant
from motionc.simulate.range import Range
from motionc.simulate.recorder import Recorder
from motionc.simulate.recording import Recording
from motionc.simulate.runs import Run
from motionc.simulate.signals import Band, Mark, Mode, Reference, Signal
from motionc.solvers.contact import Compliant, Contact, HeightField, Plane, Solid

__all__ = [
    "AbsoluteEncoder",
    "Band",
    "Box",
    "Brake",
    "Capsule",
    "Compliant",
    "Contact",
    "Cylinder",
    "Encoder",
    "ForceTorque",
    "HeightField",
    "Imu",
    "JointTorque",
    "Loop",
    "Mark",
    "Mode",
    "MujocoPlant",
    "Payload",
    "Plane",
    "Plant",
    "Position",
    "Push",
    "Range",
    "Recorder",
    "Recording",
    "Reference",
    "RelativeEncoder",
    "Run",
    "Signal",
    "Solid",
    "Sphere",
    "Torque",
    "TorqueSpeed",
    "Velocity",
    "actuators_of",
    "closed",
    "environment",
    "free_body",
    "judges",
]
