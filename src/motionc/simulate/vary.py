"""Plants that differ: constants of a robot drawn anew for each lane, around what its file says.

Which plant a lane has is a function of (seed, lane): a chunk of lanes has the same plants wherever it runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.noise import STEPS, draw_uniform
from motionc.program.source import Open
from motionc.sweeps.parameters import resolve_parameters

Array = np.ndarray[Any, np.dtype[np.float64]]
WANTED = "give a share from 0 to 1 (0.1 is ±10 %), or the least and the largest factor, such as (0, 2)"
NEVER = STEPS - 1
"""The step at which plants are drawn: one that no run reaches."""
COM = slice(1, 4)
"""Where the centre of mass is among ten inertial numbers: in metres, and not a share of a mass."""


RUBBING = ("damping", "friction")
"""Constants that matter where friction acts."""
MU = "contact.friction"
"""What friction of contacts is called among constants."""


@dataclass(frozen=True, eq=False)
class Constant:
    """A constant that is an input, and what it is where nobody says otherwise."""

    name: str
    default: Array


@dataclass(frozen=True)
class Factors:
    """Factors, evenly drawn between the least and the largest."""

    least: float
    largest: float

    @staticmethod
    def understood(what: str, given: Any) -> "Factors":
        """A share to both sides, or two factors."""
        if isinstance(given, Factors):
            return given
        values = checked.numbers(what, given, WANTED)
        if values.shape == () and 0 <= values <= 1:
            return Factors(1 - float(values), 1 + float(values))
        if values.shape != (2,) or not 0 <= values[0] <= values[1]:
            raise checked.refusal(what, given, WANTED)
        return Factors(float(values[0]), float(values[1]))

    def of(self, uniform: Array) -> Array:
        return self.least + (self.largest - self.least) * uniform


def understood_variations(what: str, given: Any) -> dict[str, Factors]:
    """{parameter: share or factors} as data, in order."""
    found: Mapping[Any, Any] = checked.instance(what, given, Mapping, 'give {"*.mass": 0.1}')
    for name in found:
        checked.name(what, name, 'name constants of the robot, such as "*.mass"')
    return {name: Factors.understood(f"{what}: {name}", factors) for name, factors in found.items()}


def factors_by_name(
    what: str, robot: Robot, variations: Mapping[str, Factors], gravity: Any, *, rubs: bool
) -> dict[str, Factors]:
    """The factors of each constant that patterns stand for; friction must act, and be there, to differ."""
    found = dict[str, Factors]()
    for pattern, factors in variations.items():
        if pattern == MU:
            found["mu"] = factors
            continue
        named = resolve_parameters(what, robot, [pattern], gravity)
        rubbing = bool(named) and all(one.kind in RUBBING for one in named)
        if rubbing and not rubs:
            raise Error(f'{what}: {pattern!r}, but friction does not act; say friction="smooth", or leave it out')
        if rubbing and not any(np.any(one.default) for one in named):
            raise Error(f"{what}: {pattern!r} is 0 in {robot.name}, and so is any share of it; give it some first")
        for one in named:
            if one.name in found:
                raise Error(f"{what}: {one.name} is said twice; name it once")
            found[one.name] = factors
    return found


def drawn_plants(opened: Sequence[Open], factors: Mapping[str, Factors], seed: int, lanes: Any) -> dict[str, Array]:
    """What each constant is in each of these lanes, (N, …): one factor a constant."""
    lanes = np.asarray(lanes, np.uint64)
    uniform = draw_uniform(seed, lanes, NEVER, 0, 2 * ceil(len(opened) / 2))
    found = dict[str, Array]()
    for k, one in enumerate(opened):
        nominal, factor = np.asarray(one.default, float), factors[one.name].of(uniform[..., k])
        each = np.broadcast_to(factor.reshape(-1, *(1,) * nominal.ndim), (len(lanes), *nominal.shape)).copy()
        if nominal.shape == (10,):
            each[:, COM] = 1.0
        found[one.name] = each * nominal
    return found
