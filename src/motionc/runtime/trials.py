"""States on which emitted code can check itself: inputs drawn once and for all, outputs as the program gives them here.

The same computation gets the same states on every machine, so that emitted files are the same byte by byte.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from motionc.model.robot import Robot
from motionc.program import Program
from motionc.program.port import Port
from motionc.runtime.library import interpreted
from motionc.targets.target import Trial

DIGITS = 6
"""Digits of the inputs behind the point, so that they read well and are the same everywhere."""


def trials(robot: Robot, program: Program, defaults: Mapping[str, Any], count: int = 3) -> tuple[Trial, ...]:
    """`count` states: configurations within limits, poses that are poses, shares up to 1, all else from -1 to 1.

    What has a default stays near it: no robot has just any masses.
    """
    rng = np.random.default_rng(7)
    entry, made = interpreted(program), list[Trial]()
    for _ in range(count):
        given = [_drawn(robot, port, rng, defaults.get(port.name)) for port in program.inputs]
        found = np.empty(sum(port.size for port in program.outputs))
        entry(np.concatenate([np.empty(0), *given]), found)
        ends = np.cumsum([port.size for port in program.outputs])[:-1]
        made.append(Trial(_plain(given), _plain(np.split(found, ends))))
    return tuple(made)


def _drawn(robot: Robot, port: Port, rng: np.random.Generator, default: Any) -> Any:
    if default is not None:
        return np.round(np.ravel(default) + 1e-3 * rng.random(port.size), DIGITS)
    match port.name:
        case "q" | "q0":
            return np.round(robot.random(rng), DIGITS)
        case "targets":
            return np.concatenate([_pose(rng).ravel() for _ in range(port.shape[0])])
        case "damping" | "pull":
            return np.round(rng.uniform(0, 1, port.size), DIGITS)
        case _:
            return np.round(rng.uniform(-1, 1, port.size), DIGITS)


def _pose(rng: np.random.Generator) -> Any:
    """A pose a little away from the origin."""
    angle, shift = rng.uniform(-1, 1), rng.uniform(-0.5, 0.5, 3)
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, shift[0]], [s, c, 0, shift[1]], [0, 0, 1, shift[2]], [0, 0, 0, 1]])


def _plain(arrays: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, np.ravel(array))) for array in arrays)
