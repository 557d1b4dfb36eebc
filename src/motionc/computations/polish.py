"""What is done once starts are used up: closing in on what is out of reach, settling into a posture along solutions.

Both work on one state as on many, which stand in front.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.runtime.results import Results

Array = np.ndarray[Any, np.dtype[Any]]

CLOSING = 40
"""Steps towards the nearest there is."""
PULL, SETTLING, POLISHING = 0.3, 20, 8
"""Share of the way to a posture in one step, steps taken with it, and steps without it afterwards."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Where states are, and what is missing there."""

    q: Array
    position: Array
    rotation: Array
    merit: Any
    worst: Any

    @staticmethod
    def at(q: Array, seen: Results) -> "Reached":
        return Reached(q, seen.position, seen.rotation, seen.merit, seen.worst)

    @property
    def arrived(self) -> Any:
        """Whether nothing is missing but tolerances."""
        return self.worst <= 1.0

    def or_else(self, other: "Reached", where: Any) -> "Reached":
        """The other's where it says so."""
        if np.ndim(where) == 0:
            return other if where else self
        return Reached(
            *(choose(where, theirs, ours) for ours, theirs in zip(self._parts(), other._parts(), strict=True))
        )

    def put(self, states: Array, other: "Reached") -> None:
        """Write others into some of the states."""
        for ours, theirs in zip(self._parts(), other._parts(), strict=True):
            ours[states] = theirs

    def among(self, states: Array) -> "Reached":
        """Some of the states."""
        return Reached(*(values[states] for values in self._parts()))

    def _parts(self) -> tuple[Any, ...]:
        return self.q, self.position, self.rotation, self.merit, self.worst


def close_in(reached: Reached, step: Callable[[Array, Array], Results]) -> Reached:
    """Downhill, with the more damping the less it helps: to the nearest there is, where targets are out of reach."""
    trial, damping = reached.q, np.full(np.shape(reached.merit), 0.1)
    for _ in range(CLOSING):
        seen = step(trial, damping)
        good = seen.merit <= reached.merit
        reached = reached.or_else(Reached.at(trial, seen), good)
        damping = np.where(good, damping / 2, damping * 8)
        trial = choose(good, seen.q, reached.q)
    return reached


def settle(reached: Reached, rest: Array, step: Callable[[Array, Array], Results]) -> Reached:
    """Towards a posture, along solutions; where that leads away from either, nothing changes."""
    now, q = reached, reached.q
    for number in range(SETTLING + POLISHING):
        seen = step(q, np.array(PULL if number < SETTLING else 0.0))
        now, q = Reached.at(q, seen), seen.q
    nearer = np.sum((now.q - rest) ** 2, axis=-1) < np.sum((reached.q - rest) ** 2, axis=-1)
    return reached.or_else(now, now.arrived & nearer)


def choose(where: Any, yes: Array, no: Array) -> Array:
    """Entries of whole states."""
    return np.where(np.reshape(where, np.shape(where) + (1,) * (np.ndim(yes) - np.ndim(where))), yes, no)
