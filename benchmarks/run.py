"""Measure everything once and write docs/benchmarks.md and its plot: `make bench`, or

    python benchmarks/run.py                 some minutes, of which most is compiling; the machine should be quiet
    python benchmarks/run.py --rounds 1000   steadier minima

Robots are read from ../shared/robots ($MOTIONC_SHARED); those that are absent are named as absent.
"""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

import page
import plot
from motionc import Error, Robot, forward_dynamics, forward_kinematics, inverse_dynamics, load, mass_matrix
from motionc.benchmark import Absent, Kind, compare, reach, timing_table, with_joints, with_states
from motionc.benchmark.growth import JOINTS
from motionc.benchmark.latency import latency
from motionc.benchmark.paths import paths
from motionc.benchmark.questions import STATES
from motionc.benchmark.roofline import point, read_points, roof
from motionc.benchmark.shapes import Shape, gain
from motionc.robots import robot_file

ROOT = Path(__file__).resolve().parents[1]
ROBOTS = Path(os.environ.get("MOTIONC_SHARED") or ROOT.parent / "shared") / "robots"
ROUNDS = 100


@dataclass(frozen=True)
class Entry:
    """A robot to measure: where it is, how it is loaded, and which link six rows constrain."""

    path: Path
    frame: str
    floating: bool = False
    fixed: tuple[str, ...] = ()
    feet: tuple[str, ...] = ()


FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
SOLES = ("left_sole_link", "right_sole_link")
ENTRIES = {
    "LWR 4": Entry(robot_file("lwr4") or Path("lwr4"), "link_7"),
    "Panda": Entry(ROBOTS / "panda.urdf", "panda_hand", fixed=FINGERS),
    "ANYmal": Entry(ROBOTS / "anymal.urdf", "LF_FOOT", floating=True, feet=FEET),
    "Talos": Entry(ROBOTS / "talos_reduced.urdf", "left_sole_link", floating=True, feet=SOLES),
}
"""The Panda holds its fingers; ANYmal and Talos float."""

COMPARED = {"hyl": "foot", "fancy": "tip", "fancy_branch": "tip_of_branch", "hyq": "LF_foot"}
"""Robots that generated code is compared on with a library for all, and frames whose Jacobian is asked for."""
MILLION = 1_000_000

ARMS = {"LWR 4": ("lwr4", "link_7"), "UR5": ("ur5", "tool0"), "Panda": ("panda", "panda_hand")}
"""Shipped robots whose poses are to be reached."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Write docs/benchmarks.md: ours and the peers, measured here.")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds, of which the least counts")
    rounds = parser.parse_args().rounds
    console = Console()
    found = page.Measured()
    with console.status("measuring") as status:

        def tell(doing: str) -> None:
            status.update(f"{subject}: {doing}")

        for subject, entry in ENTRIES.items():
            if not entry.path.is_file():
                found.robots[subject] = f"{entry.path.name} is not in {ROBOTS.parent.name}/{ROBOTS.name}"
                continue
            robot = load(entry.path, floating=entry.floating, fixed=entry.fixed)
            report = compare(robot, entry.path, entry.frame, rounds, kinds=tuple(Kind), feet=entry.feet, tell=tell)
            found.robots[subject] = report
            console.print(timing_table(report))
            found.paths[subject] = paths(robot, entry.path, rounds, tell=tell)
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
    console.print("wrote docs/benchmarks.md and its plots")
    for report in [*found.robots.values(), *found.chains]:
        for timing in () if isinstance(report, str) else report.disagreements:
            raise Error(f"{report.robot}, {timing.question}, {timing.contender}: {timing.note}")


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
    found.gpu = read_points(ROOT / "docs" / "gpu.json")


def write(found: page.Measured) -> None:
    """The page and its plots."""
    docs = ROOT / "docs"
    plot.draw(found.chains, found.batches, docs / "benchmarks.svg")
    if found.roof:
        plot.draw_roof(found.roof, found.points, found.gpu, docs / "roofline.svg")
    (docs / "benchmarks.md").write_text(page.text(found), encoding="utf-8")


if __name__ == "__main__":
    main()
