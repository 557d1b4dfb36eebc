"""States on which emitted code can check itself: inputs drawn once and for all, outputs as the program gives them here.

The same computation gets the same states on every machine, so that emitted files are the same byte by byte.
"""

import math
from typing import Any

import numpy as np

from motionc.program import Program
from motionc.program.loop import Loop
from motionc.program.port import Port
from motionc.runtime.build.library import DTYPES, interpreted
from motionc.runtime.stepping import Stepping
from motionc.targets.target import TOLERANCE, RollOut, Trial

DIGITS = 6
"""Digits of the inputs behind the point, so that they read well and are the same everywhere."""


TRIES, WELL = 20, 100.0
"""States that are drawn for one, until rows are as far from depending on each other as this: beyond it single precision
is left with too few digits.
"""


def trials(program: Program, count: int = 3) -> tuple[Trial, ...]:
    """`count` states, drawn from the spaces of the inputs, and what the program gives for them."""
    rng = np.random.default_rng(7)
    entry, made = interpreted(program), list[Trial]()
    ends = np.cumsum([port.size for port in program.outputs])[:-1]
    told = [k for k, port in enumerate(program.outputs) if port.name == "conditioning"]

    def drawn() -> tuple[float, Trial]:
        given = [_drawn(port, rng) for port in program.inputs]
        found = np.empty(sum(port.size for port in program.outputs))
        entry(np.concatenate([np.empty(0), *given]), found)
        several = np.split(found, ends)
        return max([0.0, *(float(several[k].max()) for k in told)]), Trial(_plain(given), _plain(several))

    for _ in range(count):
        best, trial = drawn()
        for _ in range(TRIES):
            if best <= WELL:
                break
            best, trial = min((best, trial), drawn(), key=lambda one: one[0])
        made.append(trial)
    return tuple(made)


# ---------------------------------------------------------------- loops

LANES, SEED, LANE = 3, 7, 5
"""How many lanes there are, and which numbers they draw."""
TURNS = (20, 10, 5, 2, 1)
"""How many turns they make: as many as rounding leaves alone, and all stays finite."""
NUDGE = {"double": 1e-13, "single": 1e-6}
"""What is changed, relatively, to see that."""


def roll_out(loop: Loop) -> RollOut:
    """Lanes from starts drawn from the spaces of ports, and where they end when they are interpreted."""
    stepping = Stepping(loop)
    for steps in TURNS:
        found, nudged = (_rolled(stepping, steps, nudge) for nudge in (0.0, NUDGE[loop.precision]))
        if found.turns == nudged.turns and _alike(loop, found, nudged):
            return found
    return _rolled(stepping, 0, 0.0)


def _alike(loop: Loop, one: RollOut, other: RollOut) -> bool:
    pairs = zip((*one.ends, *one.logs), (*other.ends, *other.logs), strict=True)
    off = [
        np.max(np.abs(np.subtract(a, b)), initial=0.0) / np.max(np.abs(a), initial=1.0) if np.isfinite(a).all() else 1.0
        for a, b in pairs
    ]
    return max([0.0, *off]) <= TOLERANCE[loop.precision] / 10


def _rolled(stepping: Stepping, steps: int, nudge: float) -> RollOut:
    """Lanes whose drawn numbers are changed by so much, those that count something apart."""
    loop, rng = stepping.loop, np.random.default_rng(7)
    dtype = DTYPES[loop.precision]

    def drawn(port: Port, *turns: int) -> Any:
        values = np.array([np.ravel(_drawn(port, rng)) for _ in range(LANES * math.prod(turns))], float)
        factor = 1.0 if port.space.whole else 1.0 + nudge
        return (values * factor).astype(dtype).reshape(LANES, *turns, *port.shape)

    given = [drawn(b.port, steps) if b.role == "streamed" else drawn(b.port) for _, b in loop.given]
    states = [
        drawn(b.port) if b.start is None else np.tile(np.array(b.start, dtype), LANES).reshape(LANES, *b.port.shape)
        for _, b in loop.states
    ]
    starts = _plain(states)
    logs = [np.zeros((LANES, steps // log.every, *loop.buffers[log.buffer].port.shape), dtype) for log in loop.logs]
    turns = np.zeros((LANES, 2), np.int64)
    stepping.run(range(LANES), 0, steps, SEED, LANE, given, states, logs, turns)
    made = tuple(map(int, turns.ravel()))
    return RollOut(steps, LANES, SEED, LANE, _plain(given), starts, _plain(states), _plain(logs), made)


def _drawn(port: Port, rng: np.random.Generator) -> Any:
    value = port.space.draw(rng)
    return value if port.space.rigid else np.round(value, DIGITS)


def _plain(arrays: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, np.ravel(array))) for array in arrays)
