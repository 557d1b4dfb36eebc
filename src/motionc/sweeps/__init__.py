"""How is it computed? Operations on relations, traversals, schedules; one short module a solver."""

from motionc.program.port import Port
from motionc.sweeps.constraint import Constraint, Force, JointConstraint
from motionc.sweeps.outputs import Output
from motionc.sweeps.parameters import inertial
from motionc.sweeps.schedule import (
    INWARD,
    OUTWARD,
    ROOT,
    Operation,
    Schedule,
    Sweep,
    breadth_first,
    depth_first,
    operation,
    sweep,
)
from motionc.sweeps.setting import JointView, Setting
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import BodyState, StateGraph
from motionc.sweeps.target import Target
from motionc.sweeps.walk import Applied, walk

__all__ = [
    "INWARD",
    "OUTWARD",
    "ROOT",
    "Applied",
    "BodyState",
    "Constraint",
    "Force",
    "JointConstraint",
    "JointView",
    "Operation",
    "Output",
    "Port",
    "Schedule",
    "Setting",
    "Solver",
    "StateGraph",
    "Sweep",
    "Target",
    "breadth_first",
    "depth_first",
    "inertial",
    "operation",
    "sweep",
    "walk",
]
