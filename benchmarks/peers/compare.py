"""All contenders side by side on one robot: ours, and the peers that are installed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from motionc.benchmark.questions import DYNAMICS, STATES, Kind
from motionc.benchmark.report import OURS, Enter, Report, Tell, timed
from motionc.benchmark.timing import ROUNDS, Timing
from motionc.model import Robot
from peers import casadi_call, drake, kdl, mujoco, pinocchio

PINOCCHIO = "Pinocchio, Python call"
NATIVE = "Pinocchio, less an empty call"

PEERS: dict[str, Callable[[Path], Enter]] = {
    PINOCCHIO: pinocchio.reading,
    "MuJoCo, Python call": lambda _: mujoco.enter,
    "CasADi, its own call": lambda _: casadi_call.enter,
    "Drake, Python call": lambda _: drake.enter,
    "PyKDL, Python call": lambda _: kdl.enter,
}
"""Who may compete with us, by where they may read the same robot."""

CONTENDERS = (*OURS, *PEERS)
"""Everybody, in the order of the table."""


def compare(
    robot: Robot,
    path: Path,
    frame: str = "",
    rounds: int = ROUNDS,
    *,
    kinds: Sequence[Kind] = DYNAMICS,
    names: Sequence[str] = CONTENDERS,
    states: int = STATES,
    feet: Sequence[str] = (),
    tell: Tell = lambda _: None,
) -> Report:
    """Time a robot's dynamics, on one core, ours and theirs in turn: as `timed`.

    path: where others read the same robot.
    """
    contenders = {name: OURS[name] if name in OURS else PEERS[name](path) for name in names}
    report = timed(robot, frame, rounds, contenders=contenders, kinds=kinds, states=states, feet=feet, tell=tell)
    return replace(report, timings=tuple(_with_native(report)))


def _with_native(report: Report) -> list[Timing]:
    """Below Pinocchio's call, what of it is not the call itself."""
    lines: list[Timing] = []
    for timing in report.timings:
        lines.append(timing)
        if timing.contender == PINOCCHIO:
            time = timing.microseconds
            own = None if time is None else time - report.empty_call
            lines.append(replace(timing, contender=NATIVE, microseconds=own))
    return lines
