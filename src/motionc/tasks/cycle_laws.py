"""Which controllers drive the rows of a lazy task, how hard, and what can motors make? The usual, and what is said."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from motionc import checked
from motionc.control.abag import Abag
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Precision
from motionc.solvers.arguments import checked_actuated
from motionc.solvers.limits import checked_limits, understood_limits
from motionc.tasks.directions import Directions

SPEED = Abag(filter=0.5, ignore=0.15, bias_step=4e-4, panic=0.7, gain_step=3e-3)
TUBE = Abag(filter=0.5, ignore=0.03, bias_step=2e-4, panic=0.8, gain_step=2e-3)
"""Controllers where nobody says otherwise: they stand delays of one cycle and of two."""
MOST_SPEED, MOST_TUBE, MOST_TURN = 30.0, 10.0, 20.0
"""Largest commands where nobody says otherwise (m/s², rad/s²)."""


def controllers_of(asked: Directions, given: Mapping[str, Abag]) -> list[Abag]:
    """An Abag for each row."""
    usual = {row: SPEED if row == "x" and asked.speed else TUBE for row in asked.rows}
    found = {**usual, **given}
    for row, law in found.items():
        checked.instance(f"lazy: controllers: {row}", law, Abag, "give an Abag(…)")
    return [replace(found[row], row=row) for row in asked.rows]


def maximum_of(asked: Directions, given: Mapping[str, float]) -> list[float]:
    """The largest command of each row."""
    usual = {
        row: MOST_SPEED if row == "x" and asked.speed else MOST_TURN if row.startswith("a") else MOST_TUBE
        for row in asked.rows
    }
    wanted = "give a number > 0 (m/s², rad/s²)"
    return [
        checked.number(f"lazy: maximum: {row}", {**usual, **given}[row], wanted, fits=lambda most: most > 0)
        for row in asked.rows
    ]


def by_direction(what: str, given: Any, *known: Sequence[str]) -> list[dict[str, Any]]:
    """{direction: something}, what of it is about each group of directions."""
    said: Mapping[str, Any] = checked.instance(
        f"lazy: {what}", {} if given is None else given, Mapping, "give {direction: …}"
    )
    rows = [row for rows in known for row in rows]
    for row in said:
        if row not in rows:
            there = ", ".join(rows) or "none"
            raise Error(
                f"lazy: {what}: {checked.shown(row)} is no direction of this task that has one; there are {there}"
            )
    return [{row: said[row] for row in rows if row in said} for rows in known]


def strengths(robot: Robot, given: Any, precision: Precision) -> tuple[float, ...]:
    """What motors can make at most, in the order of v."""
    if given is None:
        return (math.inf,) * robot.nv
    policy = {"prescribed": frozenset[str](), "regularisation": 0.0, "posture": 0.0}
    said, motors = understood_limits("lazy: limits", given), checked_actuated(robot, None)
    found = checked_limits(robot, said, "clip", motors, (), policy, precision)
    assert found is not None
    return found.values
