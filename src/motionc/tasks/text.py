"""How is a task written as text? In the words of the modified task frame formalism (specs/lazy-control.md §2.9).

All numbers are printed in SI, with as many digits as it takes to read the same number back. Tasks are known by what
they have (`tasks`, `sections`, `position`), so that they can print themselves.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from motionc.geometry.units import Quantity, amount, shortest
from motionc.tasks.bands import SIGNALS, Angle, Contact, Force, Goal, Moment, Orientation, Sine, Speed, Timeout, Tube

AXES = {"x": "X", "y": "Y", "z": "Z", "ax": "aX", "ay": "aY", "az": "aZ"}
"""What directions are called in the text."""
TURNS = "aX, aY, aZ"
RESERVED = {*AXES.values(), "F_X", "F_Y", "F_Z", "until"}
"""Words that are no names of frames unless they are in quotes."""


def written(task: Any) -> str:
    """A task as the text that reads back as the same task."""
    lines = [f"task {name(task.name)}"] if task.name else []
    if not hasattr(task, "tasks"):
        return "\n".join([*lines, *_header(task), "", *_body(task), ""])
    headers = [list(_header(phase)) for phase in task.tasks]
    shared = [line for line in headers[0] if all(line in header for header in headers)]
    lines += shared
    for phase, header in zip(task.tasks, headers, strict=True):
        own = [line for line in header if line not in shared]
        lines += ["", f"phase {name(phase.name)}", *own, *_body(phase)]
    return "\n".join([*lines, ""])


def name(text: str) -> str:
    """A name, in quotes where it is not a plain word.

    >>> name("link_7"), name("joint:a b"), name("X")
    ('link_7', '"joint:a b"', '"X"')
    """
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) and text not in RESERVED:
        return text
    return json.dumps(text, ensure_ascii=False)


# ---------------------------------------------------------------- header


def _header(task: Any) -> Iterator[str]:
    move = task.move if hasattr(task, "sections") else task
    yield f"tool {name(move.tool)}"
    poses = task.poses if hasattr(task, "sections") else [task.pose] if task.pose is not None else []
    start = f"{'frames' if hasattr(task, 'sections') else 'frame'} {name(move.frame)} wrt {name(move.wrt)}"
    yield "\n".join([start, *(f"  {_pose(pose)}" for pose in poses)])
    if getattr(move, "force_frame", ""):
        yield f"force frame {name(move.force_frame)}"


def _pose(rows: Any) -> str:
    turned = " ".join(f"({_numbers(row[:3])})" for row in rows[:3])
    return f"at ({_numbers(row[3] for row in rows[:3])}) m with rows {turned}"


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(map(shortest, values))


# ---------------------------------------------------------------- directions


def _body(task: Any) -> Iterator[str]:
    move = task.move if hasattr(task, "sections") else task
    through = f" through {task.sections} sections" if hasattr(task, "sections") else ""
    yield f"{'hold' if hasattr(task, 'position') else 'move'} compliantly{through} {{"
    if hasattr(task, "position"):
        yield f"  {name(task.frame)} X, Y, Z: {_band(task.position)}"
        yield f"  {name(task.frame)} {TURNS}: {_band(task.orientation)}"
    else:
        yield from _directions(move, move, say_free=True)
    ends = list(_ends(move, getattr(task, "last", None), total="total " if through else ""))
    yield "} until either:" if ends else "}"
    for k, end in enumerate(ends):
        yield f"  {'or ' if k else ''}{end}"
    yield from _besides(move)
    for one in getattr(task, "overrides", ()):
        yield f"section {one.section} {{"
        yield from _directions(one, move)
        if one.goal is not None:
            yield f"  {_goal(one.goal)}"
        yield "}"


def _directions(one: Any, move: Any, *, say_free: bool = False) -> Iterator[str]:
    """A line for each direction; turns that nothing is said of, or one tube holds, together."""
    turns = () if one.orientation is not None else ("ax", "ay", "az")
    free = say_free and one.orientation is None and all(getattr(one, axis) is None for axis in turns)
    for axis in ("x", "y", "z", *(() if free else turns)):
        band = getattr(one, axis)
        if band is not None or say_free:
            frame = move.force_frame if isinstance(band, Force | Moment) else move.frame
            yield f"  {name(frame)} {AXES[axis]}: {_band(band)}"
    if one.orientation is not None or free:
        yield f"  {name(move.frame)} {TURNS}: {_band(one.orientation)}"


def _band(band: Any) -> str:
    match band:
        case None:
            return "no specification"
        case Speed(value, tolerance):
            return f"velocity {_speed(value)}, velocity-tolerance {amount(tolerance, Quantity.LINEAR_VELOCITY)}"
        case Tube(tolerance):
            return f"0 m, position-tube {amount(tolerance, Quantity.LENGTH)}"
        case Orientation(tolerance):
            return f"0 rad, orientation-tube {amount(tolerance, Quantity.ANGLE)}"
        case Angle(value, tolerance):
            both = amount(value, Quantity.ANGLE), amount(tolerance, Quantity.ANGLE)
            return f"angle {both[0]}, orientation-tube {both[1]}"
        case Force(value, tolerance):
            return f"force {amount(value, Quantity.FORCE)}, force-tolerance {amount(tolerance, Quantity.FORCE)}"
        case Moment(value, tolerance):
            return f"moment {amount(value, Quantity.TORQUE)}, moment-tolerance {amount(tolerance, Quantity.TORQUE)}"
        case _:
            raise AssertionError(band)


def _speed(value: float | Sine) -> str:
    if not isinstance(value, Sine):
        return amount(value, Quantity.LINEAR_VELOCITY)
    offset, amplitude = (amount(one, Quantity.LINEAR_VELOCITY) for one in (value.offset, value.amplitude))
    return f"{offset} + {amplitude} * sin({amount(value.rate, Quantity.WAVE_NUMBER)} * r)"


# ---------------------------------------------------------------- what ends it, what comes before, what is watched


def _ends(move: Any, last: Goal | None, total: str) -> Iterator[str]:
    frame = getattr(move, "force_frame", "") or move.frame
    for stop in move.until:
        match stop:
            case Goal():
                yield _goal(stop)
                if last is not None:
                    yield f"final {_goal(last)}"
            case Contact(force):
                axes = " / ".join(f"{name(frame)} F_{axis.upper()}" for axis in stop.along)
                yield f"{axes} > {amount(force, Quantity.FORCE)}"
            case Timeout(after):
                yield f"{total}task time > {amount(after, Quantity.TIME)}"
            case _:
                raise AssertionError(stop)


def _goal(goal: Goal) -> str:
    return f"goal area reached, tolerance {amount(goal.tolerance, Quantity.LENGTH)}"


def _besides(move: Any) -> Iterator[str]:
    if getattr(move, "approach", None) is not None:
        yield f"approach: {_band(move.approach.speed)} until force > {amount(move.approach.contact, Quantity.FORCE)}"
    if getattr(move, "align", None) is not None:
        held, timeout = (amount(one, Quantity.TIME) for one in (move.align.held, move.align.timeout))
        yield f"align: moments for {held}, at most {timeout}"
    for one in move.monitors:
        yield f"monitor {one.signal} > {amount(one.above, SIGNALS[one.signal])}: {one.then}"
