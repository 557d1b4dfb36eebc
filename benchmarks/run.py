"""Measure everything once and write docs/benchmarks.md and its plot: `make bench`, or

    python benchmarks/run.py                 some minutes, of which most is compiling; the machine should be quiet
    python benchmarks/run.py --rounds 1000   steadier minima

Robots are read from ../shared/robots ($MOTIONC_SHARED); those that are absent are named as absent.
"""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

import page
import plot
from motionc import Error, forward_dynamics, inverse_dynamics, load
from motionc.benchmark import (
    ROUNDS,
    BatchTiming,
    Reached,
    Report,
    compare,
    reach,
    timing_table,
    with_joints,
    with_states,
)
from motionc.benchmark.growth import JOINTS
from motionc.robots import robot_file

ROOT = Path(__file__).resolve().parents[1]
ROBOTS = Path(os.environ.get("MOTIONC_SHARED") or ROOT.parent / "shared") / "robots"


@dataclass(frozen=True)
class Entry:
    """A robot to measure: where it is, how it is loaded, and which link six rows constrain."""

    path: Path
    frame: str
    floating: bool = False
    fixed: tuple[str, ...] = ()


FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
ENTRIES = {
    "LWR 4": Entry(robot_file("lwr4") or Path("lwr4"), "link_7"),
    "Panda": Entry(ROBOTS / "panda.urdf", "panda_hand", fixed=FINGERS),
    "ANYmal": Entry(ROBOTS / "anymal.urdf", "LF_FOOT", floating=True),
    "Talos": Entry(ROBOTS / "talos_reduced.urdf", "left_sole_link", floating=True),
}
"""The Panda holds its fingers; ANYmal and Talos float."""

ARMS = {"LWR 4": ("lwr4", "link_7"), "UR5": ("ur5", "tool0"), "Panda": ("panda", "panda_hand")}
"""Shipped robots whose poses are to be reached."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Write docs/benchmarks.md: ours and the peers, measured here.")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds, of which the least counts")
    rounds = parser.parse_args().rounds
    console = Console()
    robots: dict[str, Report | str] = {}
    chains: list[Report] = []
    batches: dict[str, list[BatchTiming]] = {}
    reached: dict[str, list[Reached]] = {}
    with console.status("measuring") as status:

        def tell(doing: str) -> None:
            status.update(f"{subject}: {doing}")

        for subject, entry in ENTRIES.items():
            if not entry.path.is_file():
                robots[subject] = f"{entry.path.name} is not in {ROBOTS.parent.name}/{ROBOTS.name}"
                continue
            robot = load(entry.path, floating=entry.floating, fixed=entry.fixed)
            robots[subject] = report = compare(robot, entry.path, entry.frame, rounds, tell=tell)
            console.print(timing_table(report))
        for joints in JOINTS:
            subject = f"{joints} joints"
            chains.append(with_joints(joints, rounds, tell))
            console.print(timing_table(chains[-1]))
        subject, arm = "batches", load("lwr4")
        for computation in (inverse_dynamics(arm), forward_dynamics(arm)):
            batches[computation.name.replace("_", " ")] = with_states(computation, tell=tell)
        for subject, (name, frame) in ARMS.items():
            path = robot_file(name)
            assert path
            reached[subject] = reach(load(path), path, frame, tell=tell)

    plot.draw(chains, batches, ROOT / "docs" / "benchmarks.svg")
    (ROOT / "docs" / "benchmarks.md").write_text(page.text(robots, chains, batches, reached), encoding="utf-8")
    console.print("wrote docs/benchmarks.md and docs/benchmarks.svg")
    for report in [*robots.values(), *chains]:
        for timing in () if isinstance(report, str) else report.disagreements:
            raise Error(f"{report.robot}, {timing.question}, {timing.contender}: {timing.note}")


if __name__ == "__main__":
    main()
