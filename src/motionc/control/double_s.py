"""A reference with limited velocity, acceleration and jerk: a trapezoid seen through a moving mean."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.part import event_port
from motionc.control.trajectories import Trajectory, Trapezoid, entries
from motionc.errors import Error
from motionc.program.port import Port, State

Array = np.ndarray[Any, np.dtype[Any]]
LONGEST = 2000
"""Ticks of a moving mean."""


@dataclass(frozen=True)
class DoubleS(Trajectory):
    """A trapezoid whose jerk is limited too, from any motion to rest: its mean over the last T = 2 A/J (double-S).

    Whatever the trapezoid does, the mean keeps its limits and does not pass targets it does not pass; its acceleration
    changes by 2 A/T = J each second at most. It arrives T after the trapezoid: not the fastest, but never beyond.

    Args:
        velocity: largest speed, one an axis (unit/s).
        acceleration: largest acceleration A, one an axis (unit/s²).
        jerk: largest change of it J, one an axis (unit/s³); the slowest A/J of all axes decides T.
        dt: seconds a tick.
        synchronised: whether all axes arrive together.
        unit: of positions; "rad, m" is that of a robot's q.
    """

    velocity: Sequence[float] | float
    acceleration: Sequence[float] | float
    jerk: Sequence[float] | float
    dt: float
    _: KW_ONLY
    synchronised: bool = False
    unit: str = "rad, m"

    def __post_init__(self) -> None:
        self.understand("velocity", "acceleration", "jerk")
        checked.flag("DoubleS: synchronised", self.synchronised)
        if not 2 <= self.window <= LONGEST:
            raise Error(
                f"DoubleS: jerk: the mean of 2 A/J would be over {self.window} ticks of {self.dt:g} s; choose jerk or "
                f"dt so that it is over 2 to {LONGEST}" + ", or take a Trapezoid" * (self.window < 2)
            )

    def limits(self) -> Sequence[Sequence[float]]:
        return self.velocity, self.acceleration, self.jerk  # pyright: ignore[reportReturnType]

    @property
    def window(self) -> int:
        """Ticks over which the mean is taken."""
        _, accelerations, jerks = self.limits()
        longest = max(2.0 * a / j / self.dt for a, j in zip(accelerations, jerks, strict=True))
        return int(np.ceil(min(longest, 1e9) - 1e-9))

    @property
    def sharp(self) -> Trapezoid:
        """What the mean is taken of."""
        return Trapezoid(self.velocity, self.acceleration, self.dt, synchronised=self.synchronised, unit=self.unit)

    @property
    def called(self) -> str:
        return "double_s"

    @property
    def equation(self) -> str:
        return f"the mean of a trapezoid over {self.window} ticks"

    @property
    def inputs(self) -> Sequence[Port]:
        target, position, velocity = self.sharp.inputs
        before = (self.window - 1, self.axes), (self.window, self.axes)
        return (
            target,
            State("sharp_position", position.shape, position.unit, "of the trapezoid"),
            State("sharp_velocity", velocity.shape, velocity.unit, "of the trapezoid"),
            State("positions", before[0], position.unit, "of the trapezoid in the last ticks, newest first"),
            State("velocities", before[1], velocity.unit, "of the trapezoid in the last ticks, newest first"),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        return (
            self.port(Port, "position", "the reference"),
            self.port(Port, "velocity", "its rate", "/s"),
            self.port(Port, "acceleration", "its rate", "/s²"),
            event_port("arrived"),
        )

    def at(self, position: Any) -> dict[str, Array]:
        """State at rest somewhere: all that was is that position."""
        here = checked.numbers("DoubleS: position", position, "give one number an axis", (self.axes,))
        still = np.zeros(self.axes)
        return {
            "sharp_position": here,
            "sharp_velocity": still,
            "positions": np.tile(here, (self.window - 1, 1)),
            "velocities": np.tile(still, (self.window, 1)),
        }

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        target, many = given["target"], self.window
        moved = self.sharp.moved(target, given["sharp_position"], given["sharp_velocity"])
        position, velocity, remaining = entries(moved[0]), entries(moved[1]), moved[2]
        positions, velocities = (
            np.vstack([[position], given["positions"]]),
            np.vstack([[velocity], given["velocities"]]),
        )
        # ways to the target, so that their mean is none where all have arrived
        missed = np.sum(positions - target, axis=0)
        rate = np.sum(velocities[:many], axis=0) / many
        arrived: Any = remaining <= 0.0
        for entry in (positions - target).ravel():
            arrived = entry.equal(0.0).select(arrived, 0.0)
        return {
            "position": target + missed / many,
            "velocity": rate,
            "acceleration": (velocity - given["velocities"][-1]) / (many * self.dt),
            "arrived": arrived,
            "sharp_position": position,
            "sharp_velocity": velocity,
            "positions": positions[:-1],
            "velocities": velocities[:-1],
        }
