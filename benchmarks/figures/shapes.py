"""What generating code for one robot gains over a library for all, and how that grows: as Fig. 7.6 to 7.8 of Frigerio.

A gain is time or operations of the library ÷ ours. Operations are the same on every machine; times are measured here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from motionc.benchmark import ours
from motionc.benchmark.questions import Kind, Question
from motionc.benchmark.timing import ROUNDS, Array, Contender, measure, one_core
from motionc.computations import (
    forward_dynamics,
    inverse_dynamics,
    jacobian,
    mass_matrix,
    mass_matrix_inverse,
)
from motionc.errors import Error
from motionc.model import Robot
from motionc.runtime import Computation
from peers import generic

STATES = 256
OURS, GENERIC = "motionc, C", "table-driven C"


class Shape(StrEnum):
    """The questions, by the name that they have in generic.c."""

    INVERSE = "inverse dynamics"
    FORWARD = "forward dynamics"
    MASS = "mass matrix"
    MASS_INVERSE = "mass matrix inverse and Jacobian"

    @property
    def function(self) -> str:
        """Its name in generic.c."""
        return self.lower().replace(" ", "_")


@dataclass(frozen=True, slots=True)
class Gain:
    """One robot and one question: operations and microseconds a state, ours and the library's."""

    robot: str
    joints: int
    shape: Shape
    operations: int
    generic_operations: int
    microseconds: float
    generic_microseconds: float
    error: float

    @property
    def fewer(self) -> float:
        """How many times as many operations the library does."""
        return self.generic_operations / self.operations

    @property
    def faster(self) -> float:
        """How many times as long the library takes."""
        return self.generic_microseconds / self.microseconds


def computations(shape: Shape, robot: Robot, frame: str) -> list[Computation]:
    """Ours: one after the other where two things are asked."""
    if shape is Shape.INVERSE:
        return [inverse_dynamics(robot)]
    if shape is Shape.FORWARD:
        return [forward_dynamics(robot)]
    if shape is Shape.MASS:
        return [mass_matrix(robot)]
    return [mass_matrix_inverse(robot), jacobian(robot, frame)]


def counted(shape: Shape, robot: Robot, frame: str) -> tuple[int, int]:
    """Operations, ours and the library's."""
    own = sum(sum(asked.operations.values()) for asked in computations(shape, robot, frame))
    return own, generic.operations(shape.function, robot, frame)


def contenders(robot: Robot, frame: str, shape: Shape) -> dict[str, Contender]:
    """Ours and the library, on the same states."""
    rng = np.random.default_rng(0)
    dynamic = shape in (Shape.INVERSE, Shape.FORWARD)
    states = [(robot.random(rng), *(rng.uniform(-1, 1, (2, robot.nv)) if dynamic else ())) for _ in range(STATES)]
    asked = computations(shape, robot, frame)
    question = Question(Kind.INVERSE, robot, (frame,), asked[0], tuple(states))
    parts = [ours.scalar(replace(question, computation=each)) for each in asked]
    x, found = np.array([np.concatenate(state) for state in states]), sum(_size(each) for each in asked)
    return {OURS: _together(parts), GENERIC: generic.answered(shape.function, robot, frame, x, found)}


def gain(
    robot: Robot, frame: str, shape: Shape, rounds: int = ROUNDS, *, tell: Callable[[str], None] = lambda _: None
) -> Gain:
    """Both, on the same states, on one core; they must agree."""
    with one_core():
        own, other = measure(f"{robot.name}, {shape}", contenders(robot, frame, shape), rounds, tell=tell)
    if own.microseconds is None or other.microseconds is None or other.error is None:
        raise Error(f"{robot.name}, {shape}: {other.note}")
    return Gain(
        robot.name, robot.nv, shape, *counted(shape, robot, frame), own.microseconds, other.microseconds, other.error
    )


def gains(
    robots: Sequence[tuple[Robot, str]], rounds: int = ROUNDS, *, tell: Callable[[str], None] = lambda _: None
) -> list[Gain]:
    """Every question of every robot, each with the frame whose Jacobian is asked for."""
    return [gain(robot, frame, shape, rounds, tell=tell) for robot, frame in robots for shape in Shape]


def _size(computation: Computation) -> int:
    return sum(port.size for port in computation.outputs)


def _together(parts: list[Contender]) -> Contender:
    def block() -> None:
        for part in parts:
            part.block()

    def answers() -> Array:
        return np.concatenate([part.answers() for part in parts], axis=1)

    return Contender(parts[0].states, block, answers)
