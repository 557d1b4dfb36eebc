"""How does an algorithm walk? Operations on relations, traversals, schedules, slots, tracing, identity."""

from motionc.program.port import Port
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.output import Output
from motionc.sweeps.parameters import inertial
from motionc.sweeps.problem import Problem
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
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import BodyState, StateGraph
from motionc.sweeps.walk import Applied, walk

__all__ = [
    "INWARD",
    "OUTWARD",
    "ROOT",
    "Applied",
    "BodyState",
    "JointView",
    "Operation",
    "Output",
    "Port",
    "Problem",
    "Schedule",
    "Solver",
    "StateGraph",
    "Sweep",
    "breadth_first",
    "depth_first",
    "inertial",
    "operation",
    "sweep",
    "walk",
]
