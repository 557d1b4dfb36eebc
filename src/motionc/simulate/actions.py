"""What a learner does, numbers from -1 to 1, as what a loop is told: an input of it, scaled to limits of the robot."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Port
from motionc.solvers.arguments import checked_actuated

Array = np.ndarray[Any, np.dtype[np.float64]]
WANTED = "give a finite number, or as many as there are actions"


@dataclass(frozen=True, eq=False)
class Actions:
    """Which entries of an input are acted on, what -1 and 1 are of each, and what the others stay at."""

    port: Port
    places: np.ndarray[Any, np.dtype[np.intp]]
    low: Array
    high: Array
    rest: Array

    @property
    def count(self) -> int:
        return len(self.places)

    def told(self, actions: Array) -> Array:
        """What the input is, (N, …), for actions (N, k) from -1 to 1; those beyond count as these."""
        share = 0.5 * (1.0 + np.clip(np.asarray(actions, float), -1.0, 1.0))
        values = np.repeat(self.rest[np.newaxis], len(share), axis=0)
        values[:, self.places] = self.low + share * (self.high - self.low)
        return values.reshape(-1, *self.port.shape)


def actions_on(robot: Robot, port: Port, low: Any, high: Any) -> Actions:
    """Actions on an input in coordinates or velocities of a robot's motors, or on all of an input of another kind.

    Forces go to the effort limits, velocities to those of velocities, configurations from lower to upper limits, unless
    low and high say otherwise.
    """
    index, bounds, rest = _of_robot(robot, port)
    places = np.arange(port.size) if index is None else _driven(robot, index)
    if index is not None and not len(places):
        raise Error(f"environment: no joint of {robot.name} has a motor: there is nothing to act on")
    ends = list[Array]()
    for name, given, known in (("low", low, bounds[0]), ("high", high, bounds[1])):
        values = known[places] if given is None else checked.numbers(f"environment: {name}", given, WANTED)
        if values.shape not in ((), (len(places),)):
            raise checked.refusal(f"environment: {name}", given, f"give a number, or {len(places)}")
        if not np.all(np.isfinite(values)):
            raise Error(
                f"environment: {robot.name} has no limits of {port.name} for all that acts on it; say low= and high="
            )
        ends.append(np.broadcast_to(values, len(places)).astype(float))
    if not np.all(ends[0] < ends[1]):
        raise Error(f"environment: low={checked.shown(low)} is not below high={checked.shown(high)} everywhere")
    return Actions(port, places, ends[0], ends[1], rest)


def _of_robot(robot: Robot, port: Port) -> tuple[Mapping[str, slice] | None, tuple[Array, Array], Array]:
    """Where joints have their entries of it, its limits, and what it is at rest."""
    limits, none = robot.limits, np.full(port.size, np.nan)
    rest = np.zeros(port.size)
    match port.unit:
        case "N m, N" if port.shape == (robot.nv,):
            most = np.where(limits.effort > 0, limits.effort, np.inf)
            return robot.v_index, (-most, most), rest
        case "rad/s, m/s" if port.shape == (robot.nv,):
            return robot.v_index, (-limits.velocity, limits.velocity), rest
        case "rad, m" if port.shape == (robot.nq,):
            low, high = (np.full(robot.nq, np.nan) for _ in range(2))
            for name, at in robot.q_index.items():
                of = robot.v_index[name]
                if at.stop - at.start == of.stop - of.start == 1:
                    low[at], high[at] = limits.lower[of], limits.upper[of]
            return robot.q_index, (low, high), robot.neutral()
        case _:
            return None, (none, none), rest


def _driven(robot: Robot, index: Mapping[str, slice]) -> np.ndarray[Any, np.dtype[np.intp]]:
    motors = checked_actuated(robot, None)
    found = [np.arange(at.start, at.stop) for name, at in index.items() if name in motors]
    return np.concatenate(found) if found else np.zeros(0, int)
