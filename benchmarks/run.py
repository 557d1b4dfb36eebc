"""Measure everything once and write docs/guide/benchmarks.md and its plot: `make bench`, or

    python benchmarks/run.py                 some minutes, of which most is compiling; the machine should be quiet
                                             (Pinocchio's C++ takes six more, and 4 GB, the first time)
    python benchmarks/run.py --rounds 1000   steadier minima

Robots that are absent are named as absent.
"""

import argparse
from collections.abc import Callable

from rich.console import Console

import page
import plot
from entries import ENTRIES, RACED, ROOT
from figures.growth import JOINTS, with_joints, with_states
from figures.latency import latency
from figures.paths import paths
from figures.race import race
from figures.reaching import reach
from figures.roofline import point, read_points, roof
from figures.shapes import Shape, gain
from motionc import Error, Robot, forward_dynamics, forward_kinematics, inverse_dynamics, load, mass_matrix
from motionc.benchmark import Absent, timing_table
from motionc.benchmark.questions import STATES, Kind
from motionc.robots import robot_file
from peers.compare import compare

ROUNDS = 100
COMPARED = {"hyl": "foot", "fancy": "tip", "fancy_branch": "tip_of_branch", "hyq": "LF_foot"}
"""Robots that generated code is compared on with a library for all, and frames whose Jacobian is asked for."""
MILLION = 1_000_000

ARMS = {"LWR 4": ("lwr4", "link_7"), "UR5": ("ur5", "tool0"), "Panda": ("panda", "panda_hand")}
"""Shipped robots whose poses are to be reached."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Write docs/guide/benchmarks.md: ours and the peers, measured here.")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds, of which the least counts")
    rounds = parser.parse_args().rounds
    console = Console()
    found = page.Measured()
    with console.status("measuring") as status:

        def tell(doing: str) -> None:
            status.update(f"{subject}: {doing}")

        for subject, entry in ENTRIES.items():
            if entry.absent:
                found.robots[subject] = entry.absent
                continue
            robot = entry.load()
            report = compare(robot, entry.path, entry.frame, rounds, kinds=tuple(Kind), feet=entry.feet, tell=tell)
            found.robots[subject] = report
            console.print(timing_table(report))
            found.paths[subject] = paths(robot, rounds, tell=tell)
        for subject, entry in RACED.items():
            try:
                found.raced[subject] = entry.absent or race(entry.load(), entry.path, entry.frame, rounds, tell=tell)
            except Absent as reason:
                found.raced[subject] = str(reason)
        for subject, frame in COMPARED.items():
            robot = load(subject, floating=False)
            found.gains += [gain(robot, frame, shape, _rounds(shape, rounds), tell=tell) for shape in Shape]
            console.print(f"{subject}: {', '.join(f'{one.faster:.1f}' for one in found.gains[-len(Shape) :])} times")
        subject = "a million calls"
        tell("inverse dynamics")
        found.latencies = [latency(inverse_dynamics(load(name, floating=False))) for name in ("hyl", "hyq", "lwr4")]
        for joints in JOINTS:
            subject = f"{joints} joints"
            found.chains.append(with_joints(joints, rounds, tell))
            console.print(timing_table(found.chains[-1]))
        subject, arm = "batches", load("lwr4")
        for computation in (inverse_dynamics(arm), forward_dynamics(arm)):
            found.batches[computation.name.replace("_", " ")] = with_states(computation, tell=tell)
        subject = "the roof"
        under_the_roof(found, arm, tell)
        for subject, (name, frame) in ARMS.items():
            path = robot_file(name)
            assert path
            found.reached[subject] = reach(load(path), path, frame, tell=tell)
            console.print(f"{subject}: {len(found.reached[subject])} ways to reach")
    write(found)
    console.print("wrote docs/guide/benchmarks.md and its plots")
    for report in [*found.robots.values(), *found.chains]:
        for timing in () if isinstance(report, str) else report.disagreements:
            raise Error(f"{report.robot}, {timing.question}, {timing.contender}: {timing.note}")
    for subject, lines in found.raced.items():
        for timing in () if isinstance(lines, str) else (line for line in lines if line.disagrees):
            raise Error(f"{subject}, {timing.question}, {timing.contender}: {timing.note}")


def _rounds(shape: Shape, rounds: int) -> int:
    """A million calls of dynamics; what takes a hundred times as long is asked as often as everything else."""
    return MILLION // STATES if shape in (Shape.INVERSE, Shape.FORWARD) else rounds


def under_the_roof(found: page.Measured, arm: Robot, tell: Callable[[str], None]) -> None:
    """What one core can do, and how near batches come; GPUs as they were measured elsewhere."""
    try:
        found.roof = roof()
    except Absent as reason:
        tell(str(reason))
        return
    asked = [make(arm) for make in (forward_kinematics, mass_matrix, inverse_dynamics, forward_dynamics)]
    for computation in asked:
        tell(computation.name)
        found.points.append(point(computation, found.roof))
    found.gpu = read_points(ROOT / "docs" / "guide" / "gpu.json")


def write(found: page.Measured) -> None:
    """The page and its plots."""
    docs = ROOT / "docs" / "guide"
    plot.draw(found.chains, found.batches, docs / "benchmarks.svg")
    if found.roof:
        plot.draw_roof(found.roof, found.points, found.gpu, docs / "roofline.svg")
    (docs / "benchmarks.md").write_text(page.text(found), encoding="utf-8")


if __name__ == "__main__":
    main()
