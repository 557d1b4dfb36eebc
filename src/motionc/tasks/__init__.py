"""What should be done? Lazy tasks: tolerances in place of trajectories; what is not said is left to nature."""

from motionc.tasks.bands import (
    Align,
    Angle,
    Approach,
    Contact,
    Force,
    Goal,
    Moment,
    Monitor,
    Orientation,
    Sine,
    Speed,
    Timeout,
    Tube,
)
from motionc.tasks.checks import TaskError, fits, frame_inputs, must_fit
from motionc.tasks.documents import TaskWarning, check, parse, read, schema, shipped, to_text, write
from motionc.tasks.lazy_cycle import LazyCycle, lazy
from motionc.tasks.quantities import Asked, quantities
from motionc.tasks.sections import Override
from motionc.tasks.specification import Hold, Move, Path, Phases, Task
from motionc.tasks.trackers import tracker
from motionc.tasks.waypoints import frames_along
from motionc.tasks.weighing import Weighing

__all__ = [
    "Align",
    "Angle",
    "Approach",
    "Asked",
    "Contact",
    "Force",
    "Goal",
    "Hold",
    "LazyCycle",
    "Moment",
    "Monitor",
    "Move",
    "Orientation",
    "Override",
    "Path",
    "Phases",
    "Sine",
    "Speed",
    "Task",
    "TaskError",
    "TaskWarning",
    "Timeout",
    "Tube",
    "Weighing",
    "check",
    "fits",
    "frame_inputs",
    "frames_along",
    "lazy",
    "must_fit",
    "parse",
    "quantities",
    "read",
    "schema",
    "shipped",
    "to_text",
    "tracker",
    "write",
]
