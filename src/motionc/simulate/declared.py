"""What a run declares of itself without being asked: marks of what happens, bands of limits, references of targets."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from motionc.model.robot import Robot
from motionc.simulate.declarations import Band, Mark, Reference
from motionc.simulate.signals import Signal

EFFORTS = ("motor_force", "tau")


def marks_of(plant: Any, end: float) -> list[Mark]:
    """When pushes, payloads and brakes of a plant begin and end, as far as a run goes."""
    return sorted((mark for mark in _marks(plant) if mark.time <= end), key=lambda mark: mark.time)


def _marks(plant: Any) -> Iterator[Mark]:
    spans = [
        *((f"push on {one.frame}", one.start, one.start + one.seconds) for one in plant.pushes),
        *((f"payload on {one.frame}", one.picked, one.dropped) for one in plant.payloads),
        *((f"brake on {one.joint}", *span) for one in plant.brakes for span in one.closed),
    ]
    for what, begin, finish in spans:
        yield Mark(float(begin), what)
        if np.isfinite(finish):
            yield Mark(float(finish), f"end of {what}")


def bands_of(robot: Robot, signals: Mapping[str, Signal]) -> list[Band]:
    """The robot's limits of those signals that have them."""
    limits, found = robot.limits, list[Band]()
    single = [name for name, at in robot.q_index.items() if at.stop - at.start == 1]
    in_q, in_v = [robot.q_index[name].start for name in single], [robot.v_index[name].start for name in single]
    sides = [("q", "position limits", limits.lower[in_v], limits.upper[in_v], in_q)]
    everywhere = list(range(robot.nv))
    sides.append(("v", "velocity limits", -limits.velocity, limits.velocity, everywhere))
    sides += [(name, "effort limits", -limits.effort, limits.effort, everywhere) for name in EFFORTS]
    for name, what, low, high, entries in sides:
        bounded = np.isfinite(low) | np.isfinite(high)
        if name in signals and np.any(bounded):
            places = tuple(int(place) for place in np.array(entries)[bounded])
            found.append(Band(name, low[bounded], high[bounded], what, places))
    return found


def references_of(inputs: Mapping[str, Signal], signals: Mapping[str, Signal]) -> list[Reference]:
    """Targets that were given, each of the first signal with the same entries."""
    targets = [one for name, one in inputs.items() if name == "target" or name.endswith("_target")]
    found = list[Reference]()
    for target in targets:
        like = [name for name, one in signals.items() if (one.labels, one.unit) == (target.labels, target.unit)]
        if like and target.name not in signals:
            found.append(Reference(target.name, of=like[0]))
    return found
