"""What is asked: a computation of a robot, and states to ask it about, the same for all who answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from motionc.benchmark.timing import Absent, Array, State
from motionc.computations import (
    constrained_dynamics,
    forward_dynamics,
    forward_kinematics,
    inverse_dynamics,
    jacobian,
    mass_matrix,
    mass_matrix_factor,
)
from motionc.errors import Error
from motionc.model import Robot
from motionc.runtime import Computation
from motionc.solvers.constraint import Constraint

STATES = 256
WELL_CONDITIONED = 1e4
"""Condition of the Jacobian up to which rows are asked about; beyond it, answers are matters of rounding."""


class Kind(StrEnum):
    """The questions there are."""

    KINEMATICS = "poses of all bodies"
    JACOBIAN = "Jacobian of a frame"
    INVERSE = "inverse dynamics"
    MASS = "mass matrix"
    FACTOR = "mass matrix, factored"
    FORWARD = "forward dynamics"
    INVERSE_DERIVATIVES = "derivatives of inverse dynamics"
    FORWARD_DERIVATIVES = "derivatives of forward dynamics"
    CONSTRAINED = "constrained dynamics, 6 rows"
    POINTS = "constrained dynamics, 3 rows at each foot"
    FRAMES = "constrained dynamics, 6 rows at each foot"


DYNAMICS = (Kind.INVERSE, Kind.FORWARD, Kind.CONSTRAINED)
"""What is asked where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Question:
    """A computation and its states.

    frames: whose Jacobian is asked for, or what is constrained.
    bodies: links whose poses are asked for, one of each moving body.
    """

    kind: Kind
    robot: Robot
    frames: tuple[str, ...]
    computation: Computation
    states: tuple[State, ...]

    @property
    def bodies(self) -> list[str]:
        """A link of each moving body, that at its joint."""
        return [body.joint.target.body.name for body in self.robot.mechanism.bodies]

    def compared(self, answers: Array) -> Array:
        """Our answers, one row a state, as they are compared: a factor by what it is a factor of."""
        if self.kind is not Kind.FACTOR:
            return answers
        L = answers.reshape(-1, self.robot.nv, self.robot.nv)
        return (L.transpose(0, 2, 1) @ L).reshape(answers.shape)


def ask(kind: Kind, robot: Robot, frame: str, count: int = STATES, feet: Sequence[str] = ()) -> Question:
    """A question about random states: q within limits, v and a in ±1, tau in ±10."""
    rng = np.random.default_rng(0)
    frames = tuple(feet) if kind in (Kind.POINTS, Kind.FRAMES) else (frame,)
    if not frames:
        raise Absent(f"{robot.name} has no feet")

    def state(force: float) -> tuple[Array, Array, Array]:
        return robot.random(rng), rng.uniform(-1, 1, robot.nv), rng.uniform(-force, force, robot.nv)

    force = 1.0 if kind in (Kind.INVERSE, Kind.INVERSE_DERIVATIVES) else 10.0
    if kind in (Kind.CONSTRAINED, Kind.POINTS, Kind.FRAMES):
        rows, sort = ("xyz", "classical") if kind is Kind.POINTS else ("rx ry rz x y z", "spatial")
        held = [Constraint(each, rows, as_seen_by=each, kind=sort, source="contact") for each in frames]
        wanted = np.zeros((3 if kind is Kind.POINTS else 6) * len(frames))
        computation = constrained_dynamics(robot, held, outputs=["a"])
        drawn = _free(robot, frames, len(wanted) // len(frames), lambda: state(force), count)
        return Question(kind, robot, frames, computation, tuple((*each, wanted) for each in drawn))
    computation = _computation(kind, robot, frame)
    states = [state(force)[: len(computation.inputs)] for _ in range(count)]
    return Question(kind, robot, frames, computation, tuple(states))


def _computation(kind: Kind, robot: Robot, frame: str) -> Computation:
    match kind:
        case Kind.KINEMATICS:
            return forward_kinematics(robot, [body.joint.target.body.name for body in robot.mechanism.bodies])
        case Kind.JACOBIAN:
            return jacobian(robot, frame)
        case Kind.INVERSE:
            return inverse_dynamics(robot)
        case Kind.MASS:
            return mass_matrix(robot)
        case Kind.FACTOR:
            return mass_matrix_factor(robot)
        case Kind.FORWARD:
            return forward_dynamics(robot)
        case Kind.INVERSE_DERIVATIVES:
            return _differentiated(inverse_dynamics(robot), "tau", ["q", "v"])
        case _:
            return _differentiated(forward_dynamics(robot), "a", ["q", "v", "tau"])


def _differentiated(computation: Computation, of: str, wrt: list[str]) -> Computation:
    try:
        return computation.derivative(of, wrt)
    except Error as error:
        raise Absent(f"{computation.name} is not differentiated here: {error}") from None


def _free(
    robot: Robot, frames: Sequence[str], rows: int, draw: Callable[[], tuple[Array, ...]], count: int
) -> list[tuple[Any, ...]]:
    """States in which the frames can move in all directions that are asked for; a point's are the last three."""
    wanted = rows * len(frames)
    if robot.nv < wanted:
        said = {6: "six"}.get(wanted, str(wanted))
        raise Absent(f"{said} rows need {said} joints; {robot.name} has {robot.nv}")
    jacobians = [jacobian(robot, frame) for frame in frames]
    found: list[tuple[Any, ...]] = []
    for _ in range(4 * count):
        drawn = draw()
        J = np.vstack([each(drawn[0])[6 - rows :] for each in jacobians])
        if np.linalg.cond(J) < WELL_CONDITIONED:
            found.append(drawn)
        if len(found) == count:
            return found
    raise Absent(f"{', '.join(frames)} cannot move in all directions in most states of {robot.name}")
