"""What is each number of a task about? Of what, with respect to what, and as seen by whom it is told and measured."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from motionc.geometry.units import Quantity, amount
from motionc.tasks.bands import SIGNALS, Angle, Contact, Force, Goal, Moment, Orientation, Sine, Speed, Timeout, Tube
from motionc.tasks.specification import Hold, Move, Path, Phases, Task

AXIS = {"x": "X", "y": "Y", "z": "Z", "ax": "X", "ay": "Y", "az": "Z"}


@dataclass(frozen=True)
class Asked:
    """One quantity of a task: what is measured, of which frame wrt which, in whose axes, and what is asked of it.

    Args:
        what: the quantity in words, such as "speed along X".
        of: the frame that it is a quantity of.
        wrt: the frame with respect to which it is told.
        as_seen_by: the frame whose axes it is along.
        quantity: what its unit measures.
        asked: the values, in words.
        task: the name of the phase that asks, where there are several.
    """

    what: str
    of: str
    wrt: str
    as_seen_by: str
    quantity: Quantity
    asked: str
    task: str = ""

    def __str__(self) -> str:
        whose = f"{self.task}: " if self.task else ""
        return f"{whose}{self.what} of {self.of} wrt {self.wrt} as seen by {self.as_seen_by}: {self.asked}"


def quantities(task: Task) -> tuple[Asked, ...]:
    """Every quantity that a task asks for or is ended by, with its meaning.

    >>> move = Move("hand", "T", x=Speed(0.05, 0.005), y=Tube(0.01), until=[Goal(0.03)])
    >>> for one in quantities(move):
    ...     print(one)
    speed along X of hand wrt T as seen by T: 0.05 ± 0.005 m/s
    position along Y of hand wrt T as seen by T: within 0.01 m
    distance left along X of hand wrt T as seen by T: done below 0.03 m
    """
    if isinstance(task, Phases):
        return tuple(_named(one, phase.name) for phase in task.tasks for one in quantities(phase))
    if isinstance(task, Path):
        own = [_named(one, f"section {at.section}") for at in task.overrides for one in _bands(at, task.move)]
        last = [_goal(task.move, task.last, "distance left to the end along X")] if task.last else []
        return (*quantities(task.move), *last, *own)
    bands = _held(task) if isinstance(task, Hold) else _bands(task, task)
    return (*bands, *_ends(task))


def _named(one: Asked, name: str) -> Asked:
    whose = f"{name}, {one.task}" if one.task else name
    return Asked(one.what, one.of, one.wrt, one.as_seen_by, one.quantity, one.asked, whose)


def _held(hold: Hold) -> Iterator[Asked]:
    place = amount(hold.position.tolerance, Quantity.LENGTH)
    yield Asked("position", hold.tool, hold.frame, hold.frame, Quantity.LENGTH, f"within {place} along each axis")
    turned = amount(hold.orientation.tolerance, Quantity.ANGLE)
    yield Asked("orientation", hold.tool, hold.frame, hold.frame, Quantity.ANGLE, f"within {turned}")


def _bands(one: Any, move: Move) -> Iterator[Asked]:
    for direction in ("x", "y", "z", "ax", "ay", "az", "orientation"):
        band, axis = getattr(one, direction), AXIS.get(direction, "")
        match band:
            case None:
                continue
            case Speed():
                what, unit, asked = f"speed along {axis}", Quantity.LINEAR_VELOCITY, _speed(band)
            case Tube():
                what, unit, asked = f"position along {axis}", Quantity.LENGTH, _within(band, Quantity.LENGTH)
            case Orientation():
                what, unit, asked = "orientation", Quantity.ANGLE, _within(band, Quantity.ANGLE)
            case Angle():
                what, unit, asked = f"angle about {axis}", Quantity.ANGLE, _about(band, Quantity.ANGLE)
            case Force():
                what, unit, asked = f"force along {axis}", Quantity.FORCE, _about(band, Quantity.FORCE)
            case Moment():
                what, unit, asked = f"moment about {axis}", Quantity.TORQUE, _about(band, Quantity.TORQUE)
            case _:
                raise AssertionError(band)
        if isinstance(band, Force | Moment):
            yield Asked(what, move.force_frame, "what it touches", move.force_frame, unit, asked)
        else:
            yield Asked(what, move.tool, move.frame, move.frame, unit, asked)


def _ends(task: Move | Hold) -> Iterator[Asked]:
    touching = getattr(task, "force_frame", "") or task.frame
    pad = getattr(task, "force_frame", "") or task.tool
    for stop in task.until:
        match stop:
            case Goal():
                yield _goal(task, stop, "distance left along X")
            case Contact():
                axes, most = ", ".join(stop.along.upper()), amount(stop.force, Quantity.FORCE)
                asked = f"ends above {most}"
                yield Asked(f"force along {axes}", pad, "what it touches", touching, Quantity.FORCE, asked)
            case Timeout():
                continue
    for one in task.monitors:
        asked = f"{'stops' if one.then == 'stop' else 'is told'} above {amount(one.above, SIGNALS[one.signal])}"
        of, wrt, seen = _watched(one.signal, task, pad, touching)
        yield Asked(one.signal.replace("_", " "), of, wrt, seen, SIGNALS[one.signal], asked)


def _watched(signal: str, task: Move | Hold, pad: str, touching: str) -> tuple[str, str, str]:
    """Of, wrt and as seen by what a signal is watched: magnitudes are the same in all axes."""
    if signal in ("speed", "turning"):
        return task.tool, task.wrt, task.frame
    if signal in ("force", "moment"):
        return pad, "what it touches", touching
    return ("rows", task.frame, task.frame) if signal == "conditioning" else ("joints", "their limits", "joints")


def _goal(task: Move | Hold, goal: Goal, what: str) -> Asked:
    asked = f"done below {amount(goal.tolerance, Quantity.LENGTH)}"
    return Asked(what, task.tool, task.frame, task.frame, Quantity.LENGTH, asked)


def _within(band: Any, of: Quantity) -> str:
    return f"within {amount(band.tolerance, of)}"


def _about(band: Any, of: Quantity) -> str:
    return f"{amount(band.value, of).partition(' ')[0]} ± {amount(band.tolerance, of)}"


def _speed(speed: Speed) -> str:
    if not isinstance(speed.value, Sine):
        return _about(speed, Quantity.LINEAR_VELOCITY)
    sine, tolerance = speed.value, amount(speed.tolerance, Quantity.LINEAR_VELOCITY)
    return f"{sine.offset:g} + {sine.amplitude:g} sin({sine.rate:g} r) ± {tolerance}, r left to go"
