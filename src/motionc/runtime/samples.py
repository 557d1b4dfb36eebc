"""States on which emitted code can check itself: inputs drawn once and for all, outputs as the program gives them here.

The same computation gets the same states on every machine, so that emitted files are the same byte by byte.
"""

from typing import Any

import numpy as np

from motionc.program import Program
from motionc.program.port import Port
from motionc.runtime.build.library import interpreted
from motionc.targets.target import Trial

DIGITS = 6
"""Digits of the inputs behind the point, so that they read well and are the same everywhere."""


def trials(program: Program, count: int = 3) -> tuple[Trial, ...]:
    """`count` states, drawn from the spaces of the inputs, and what the program gives for them."""
    rng = np.random.default_rng(7)
    entry, made = interpreted(program), list[Trial]()
    for _ in range(count):
        given = [_drawn(port, rng) for port in program.inputs]
        found = np.empty(sum(port.size for port in program.outputs))
        entry(np.concatenate([np.empty(0), *given]), found)
        ends = np.cumsum([port.size for port in program.outputs])[:-1]
        made.append(Trial(_plain(given), _plain(np.split(found, ends))))
    return tuple(made)


def _drawn(port: Port, rng: np.random.Generator) -> Any:
    value = port.space.draw(rng)
    return value if port.space.rigid else np.round(value, DIGITS)


def _plain(arrays: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, np.ravel(array))) for array in arrays)
