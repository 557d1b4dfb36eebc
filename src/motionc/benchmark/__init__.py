"""How fast is it, side by side with others who answer the same question? Peers take part where they are installed."""

from motionc.benchmark.compare import CONTENDERS, Report, as_json, compare
from motionc.benchmark.growth import BatchTiming, with_joints, with_states
from motionc.benchmark.machine import machine, versions
from motionc.benchmark.questions import Kind
from motionc.benchmark.reaching import REACHING, Reached, reach
from motionc.benchmark.table import timing_table
from motionc.benchmark.timing import ROUNDS, Absent, Contender, Timing, measure

__all__ = [
    "CONTENDERS",
    "REACHING",
    "ROUNDS",
    "Absent",
    "BatchTiming",
    "Contender",
    "Kind",
    "Reached",
    "Report",
    "Timing",
    "as_json",
    "compare",
    "machine",
    "measure",
    "reach",
    "timing_table",
    "versions",
    "with_joints",
    "with_states",
]
