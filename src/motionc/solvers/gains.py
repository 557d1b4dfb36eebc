"""Gains of servos along joints: one number for all with a motor, numbers by joint, or numbers in the order of v."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.model.robot import Robot
from motionc.solvers.arguments import checked_actuated

Gains = float | Mapping[str, float | Sequence[float]] | Sequence[float]

LARGEST = 1e30
"""What float32 has room for, beside an inertia."""


def understood_gains(what: str, given: Any) -> Any:
    """What may be said for gains, whatever the robot."""
    if isinstance(given, Mapping):
        for name, gain in given.items():  # pyright: ignore[reportUnknownVariableType]
            checked.name(f"{what}: a joint", name, "give {joint: number}")
            _not_negative(f"{what} of {name}", gain)
    else:
        _not_negative(what, given)
    return given


def _not_negative(what: str, given: Any) -> None:
    wanted = f"give finite numbers from 0 to {LARGEST:g}"
    values = checked.numbers(what, given, wanted)
    if values.ndim > 1 or np.any(values < 0) or np.any(values > LARGEST):
        raise checked.refusal(what, given, wanted)


def gains_in_order(robot: Robot, what: str, given: Gains) -> tuple[float, ...]:
    """A number for each entry of v; refused of joints that are not there, follow others, or have no motor."""
    motors, values = checked_actuated(robot, None), np.zeros(robot.nv)
    if isinstance(given, Mapping):
        for name, gain in given.items():
            if name in robot.followers:
                raise Error(f"{what} of {name}: it follows {robot.followers[name][0]}; name that joint instead")
            if name not in robot.v_index:
                raise Error(
                    f"{what} of {name!r}: {robot.name} has no such movable joint{suggestion(name, robot.v_index)}"
                )
            size = values[robot.v_index[name]].size
            if np.shape(gain) not in ((), (size,)):
                raise Error(f"{what} of {name}: shape {np.shape(gain)}; give one number, or {size}")
            values[robot.v_index[name]] = gain
    elif np.ndim(given):
        if np.shape(given) != (robot.nv,):
            raise Error(
                f"{what} of shape {np.shape(given)}; give one number, {{joint: number}}, or {robot.nv} numbers in the "
                "order of v"
            )
        values[:] = given
    else:
        for name in motors:
            values[robot.v_index[name]] = given
    for name, where in robot.v_index.items():
        if name not in motors and np.any(values[where]):
            raise Error(f"{what} of {name}: no motor drives it; leave it out, or 0")
    return tuple(values.tolist())
