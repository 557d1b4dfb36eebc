"""Who finds configurations for poses, how often and how fast: reachable poses of an arm, one start and limits for all.

A pose is that of a random configuration within limits; it is reached within the same limits to 1e-6 m and 1e-6 rad.
Answers are judged by Pinocchio's forward kinematics where it is installed, else by ours.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from motionc.benchmark.timing import Absent, Array, one_core
from motionc.computations import forward_kinematics, inverse_kinematics
from motionc.geometry.lie import rotation_log
from motionc.model import Robot
from peers import reaching_peers as peers
from peers.reaching_peers import Poses, Solve

COUNT = 10_000
TOLERANCE = 1e-6
ROUNDING = 1e-12

Enter = Callable[[Poses], Solve]


def batched(poses: Poses) -> Solve:
    """All at once, on one thread."""
    ik = inverse_kinematics(poses.robot, poses.frame, tolerance=TOLERANCE)
    ik.batch(poses.start, poses.goals[:1])
    return lambda goals: ik.batch(poses.start, goals, threads=1).q


def called(poses: Poses) -> Solve:
    """One after the other, from Python."""
    ik = inverse_kinematics(poses.robot, poses.frame, tolerance=TOLERANCE)
    ik(poses.start, poses.goals[0])
    return lambda goals: np.array([ik(poses.start, goal).q for goal in goals])


def from_one_start(poses: Poses) -> Solve:
    """The same without any other start, which peers do not have either."""
    ik = inverse_kinematics(poses.robot, poses.frame, tolerance=TOLERANCE, restarts=0, iterations=100)
    ik(poses.start, poses.goals[0])
    return lambda goals: np.array([ik(poses.start, goal).q for goal in goals])


REACHING: Mapping[str, tuple[Enter, int]] = {
    f"motionc, batch of {COUNT:,}": (batched, COUNT),
    "motionc, Python call": (called, 2000),
    "motionc, one start": (from_one_start, 2000),
    "Pinocchio, loop of its documentation": (peers.pinocchio_loop, 200),
    "Pink, one start": (peers.pink_loop, 200),
    "PyKDL, Levenberg and Marquardt": (peers.kdl_lma, 1000),
    "PyKDL, Newton and Raphson with limits": (peers.kdl_newton, 1000),
}
"""Who may compete, and for how many of the poses: who is slow is asked about fewer."""


@dataclass(frozen=True, slots=True)
class Reached:
    """One line of the table: which share of poses was reached, and microseconds a pose; or why there are none."""

    robot: str
    contender: str
    poses: int = 0
    share: float | None = None
    microseconds: float | None = None
    note: str = ""


def reach(
    robot: Robot,
    path: Path,
    frame: str,
    *,
    count: int = COUNT,
    contenders: Mapping[str, tuple[Enter, int]] = REACHING,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Reached]:
    """All contenders on one arm, on one core, from the middle of all ranges.

    path: where others read the same robot.
    count: how many poses at most.
    """
    poses = ask_poses(robot, path, frame, count)
    judge = _judge(poses)
    lines: list[Reached] = []
    for name, (enter, own) in contenders.items():
        tell(f"inverse kinematics, {name}")
        goals = poses.goals[: min(own, count)]
        try:
            with one_core():
                solve = enter(poses)
                start = perf_counter()
                found = solve(goals)
                taken = perf_counter() - start
        except Absent as reason:
            lines.append(Reached(robot.name, name, note=str(reason)))
            continue
        share = float(np.mean(_reached(poses, judge(found), found, goals)))
        lines.append(Reached(robot.name, name, len(goals), share, 1e6 * taken / len(goals)))
    return lines


def ask_poses(robot: Robot, path: Path, frame: str, count: int) -> Poses:
    """Poses of random configurations, and the middle of all ranges to start from."""
    rng = np.random.default_rng(0)
    lower, upper = robot.limits.lower, robot.limits.upper
    if not np.all(np.isfinite(lower) & np.isfinite(upper)) or robot.nq != robot.nv:
        raise Absent(f"{robot.name} has joints without limits; there is no middle to start from")
    goals = forward_kinematics(robot, [frame]).batch(rng.uniform(lower, upper, (count, robot.nq)))[:, 0]
    return Poses(robot, path, frame, (lower + upper) / 2, goals, TOLERANCE)


def _judge(poses: Poses) -> Callable[[Array], Array]:
    """Poses of configurations, by somebody else where that is possible."""
    try:
        return peers.pinocchio_poses(poses)
    except Absent:
        kinematics = forward_kinematics(poses.robot, [poses.frame])
        return lambda q: kinematics.batch(q)[:, 0]


def _reached(poses: Poses, placed: Array, q: Array, goals: Array) -> Array:
    lower, upper = poses.robot.limits.lower, poses.robot.limits.upper
    within = np.all((q >= lower - ROUNDING) & (q <= upper + ROUNDING), axis=1)
    shift = np.linalg.norm(placed[:, :3, 3] - goals[:, :3, 3], axis=1)
    turn = [np.linalg.norm(rotation_log(a @ b.T)) for a, b in zip(placed[:, :3, :3], goals[:, :3, :3], strict=True)]
    # who stops at the tolerance is not failed for the last digit
    return within & (shift <= 1.001 * poses.tolerance) & (np.array(turn) <= 1.001 * poses.tolerance)
