"""What is asked: a computation of a robot, and states to ask it about, the same for all who answer."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from motionc.benchmark.timing import Absent, Array, State
from motionc.model import Robot
from motionc.runtime import Computation, constrained_dynamics, forward_dynamics, inverse_dynamics, jacobian
from motionc.sweeps import Constraint

STATES = 256
WELL_CONDITIONED = 1e4
"""Condition of the Jacobian up to which six rows are asked about; beyond it, answers are matters of rounding."""


class Kind(StrEnum):
    """The questions there are."""

    INVERSE = "inverse dynamics"
    FORWARD = "forward dynamics"
    CONSTRAINED = "constrained dynamics, 6 rows"


@dataclass(frozen=True, slots=True)
class Question:
    """A computation and its states; `path` is where others read the robot, `frame` what is constrained."""

    kind: Kind
    robot: Robot
    path: Path
    frame: str
    computation: Computation
    states: tuple[State, ...]


def ask(kind: Kind, robot: Robot, path: Path, frame: str, count: int = STATES) -> Question:
    """A question about random states: q within limits, v and a in ±1, tau in ±10."""
    rng = np.random.default_rng(0)

    def state(force: float) -> tuple[Array, Array, Array]:
        return robot.random(rng), rng.uniform(-1, 1, robot.nv), rng.uniform(-force, force, robot.nv)

    if kind is Kind.INVERSE:
        computation, states = inverse_dynamics(robot), tuple(state(1.0) for _ in range(count))
    elif kind is Kind.FORWARD:
        computation, states = forward_dynamics(robot), tuple(state(10.0) for _ in range(count))
    else:
        rows = Constraint(frame, "rx ry rz x y z", as_seen_by=frame, kind="spatial")
        computation = constrained_dynamics(robot, [rows], outputs=["a"])
        states = tuple((*drawn, np.zeros(6)) for drawn in _free(robot, frame, lambda: state(10.0), count))
    return Question(kind, robot, path, frame, computation, states)


def _free(robot: Robot, frame: str, draw: Callable[[], tuple[Array, ...]], count: int) -> list[tuple[Any, ...]]:
    """States in which the frame can move in all six directions."""
    if robot.nv < 6:
        raise Absent(f"six rows need six joints; {robot.name} has {robot.nv}")
    J = jacobian(robot, frame)
    found: list[tuple[Any, ...]] = []
    for _ in range(4 * count):
        drawn = draw()
        if np.linalg.cond(J(drawn[0])) < WELL_CONDITIONED:
            found.append(drawn)
        if len(found) == count:
            return found
    raise Absent(f"{frame} cannot move in all six directions in most states of {robot.name}")
