"""Simulate a robot as it really is: plants, contact, actuators, sensors, closed loops, and judges of them."""

from motionc.model.free_body import free_body
from motionc.model.shapes import Box, Capsule, Cylinder, Sphere
from motionc.simulate import judges
from motionc.simulate.actuators import Position, Torque, TorqueSpeed, Velocity
from motionc.simulate.closed_loop import closed
from motionc.simulate.control_numbers import Control
from motionc.simulate.counting import AbsoluteEncoder, RelativeEncoder
from motionc.simulate.declarations import Band, Declared, Mark, Mode, Reference, Tube
from motionc.simulate.drives import actuators_of
from motionc.simulate.encoder import Encoder
from motionc.simulate.environments import environment
from motionc.simulate.experiment import Experiment, Tried
from motionc.simulate.experiment_document import read_experiment
from motionc.simulate.happenings import Brake, Payload, Push
from motionc.simulate.hardware import SimulatedRobot
from motionc.simulate.inertial import ForceTorque, Imu, JointTorque
from motionc.simulate.judged_tasks import JudgedTask, judged_task
from motionc.simulate.laziness import Laziness, laziness_of
from motionc.simulate.loops import Loop
from motionc.simulate.mujoco_plant import MujocoPlant
from motionc.simulate.pads import Pad, surface_at
from motionc.simulate.plant import Plant
from motionc.simulate.range import Range
from motionc.simulate.recorder import Recorder
from motionc.simulate.recording import Recording
from motionc.simulate.rig import Ground, Rig
from motionc.simulate.runs import Run
from motionc.simulate.serving import reached, serve
from motionc.simulate.shipped_experiments import shipped_experiment
from motionc.simulate.signals import Signal
from motionc.simulate.weigh_experiment import Loads, WeighExperiment, read_weighing
from motionc.simulate.weighings import Swing, Weighed, Weighings
from motionc.solvers.contact import Compliant, Contact, HeightField, Plane, Solid

__all__ = [
    "AbsoluteEncoder",
    "Band",
    "Box",
    "Brake",
    "Capsule",
    "Compliant",
    "Contact",
    "Control",
    "Cylinder",
    "Declared",
    "Encoder",
    "Experiment",
    "ForceTorque",
    "Ground",
    "HeightField",
    "Imu",
    "JointTorque",
    "JudgedTask",
    "Laziness",
    "Loads",
    "Loop",
    "Mark",
    "Mode",
    "MujocoPlant",
    "Pad",
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
    "Rig",
    "Run",
    "Signal",
    "SimulatedRobot",
    "Solid",
    "Sphere",
    "Swing",
    "Torque",
    "TorqueSpeed",
    "Tried",
    "Tube",
    "Velocity",
    "WeighExperiment",
    "Weighed",
    "Weighings",
    "actuators_of",
    "closed",
    "environment",
    "free_body",
    "judged_task",
    "judges",
    "laziness_of",
    "reached",
    "read_experiment",
    "read_weighing",
    "serve",
    "shipped_experiment",
    "surface_at",
]
