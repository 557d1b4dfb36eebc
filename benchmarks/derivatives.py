"""How fast first derivatives are beside Pinocchio's: `python benchmarks/derivatives.py panda.urdf [--floating]`."""

import argparse
from pathlib import Path

import motionc as mc
from motionc.benchmark.derivatives import OURS, THEIRS, race

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("path", type=Path)
parser.add_argument("--floating", action="store_true")
parser.add_argument("--fixed", nargs="*", default=[], help="joints to hold")
parser.add_argument("--rounds", type=int, default=300)
given = parser.parse_args()

robot = mc.load(given.path, floating=given.floating, fixed=given.fixed)
timings = race(robot, given.path, given.rounds)
for question in dict.fromkeys(timing.question for timing in timings):
    ours, theirs = (
        next(timing.microseconds for timing in timings if (timing.question, timing.contender) == (question, name))
        for name in (OURS, THEIRS)
    )
    if ours and theirs:
        times = f"{ours:.2f} µs, Pinocchio {theirs:.2f} µs, {theirs / ours:.2f} times"
        print(f"{robot.name} ({robot.nv}), {question}: {times}")
