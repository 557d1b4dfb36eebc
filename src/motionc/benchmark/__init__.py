"""How fast are a robot's computations on this machine? What `motionc bench` prints: ours alone.

Who else answers the same questions, and the pages and plots about it, stand in benchmarks/ beside the package.
"""

from motionc.benchmark.machine import machine, versions
from motionc.benchmark.questions import Kind
from motionc.benchmark.report import OURS, Report, as_json, timed
from motionc.benchmark.table import timing_table
from motionc.benchmark.timing import ROUNDS, Absent, Contender, Timing, measure

__all__ = [
    "OURS",
    "ROUNDS",
    "Absent",
    "Contender",
    "Kind",
    "Report",
    "Timing",
    "as_json",
    "machine",
    "measure",
    "timed",
    "timing_table",
    "versions",
]
