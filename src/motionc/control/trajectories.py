"""How does a reference get from here to there within limits? Trajectories that are asked anew in every tick.

    Ramp        limited rate                                      a switch phased in, a setpoint that may not jump
    Trapezoid   limited velocity and acceleration, fastest        v̇ = ±a, cruise at ±V, v̇ = ∓a
    DoubleS     limited jerk as well                              a trapezoid's moving mean (double_s.py)

The target is an input and may change in motion: each tick plans from where the reference is, whatever it does, and
goes one tick along the plan. What arrives is at the target exactly, and rests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.part import Part, event_port, seconds
from motionc.errors import Error
from motionc.program.port import Port, State

Array = np.ndarray[Any, np.dtype[Any]]
TINY = 1e-150
"""Divides nothing by zero: a velocity that covers no way."""


class Trajectory(Part):
    """A reference of some axes that follows a target."""

    dt: float
    unit: str

    @property
    def axes(self) -> int:
        return len(self.limits()[0])

    def limits(self) -> Sequence[Sequence[float]]:
        """What holds for every axis."""
        raise NotImplementedError

    def understand(self, *limits: str) -> None:
        """Limits as one number an axis."""
        kind = type(self).__name__
        object.__setattr__(self, "dt", seconds(f"{kind}: dt", self.dt))
        checked.name(f"{kind}: unit", self.unit, "give a unit, such as rad or m")
        wanted = "give one number > 0 an axis"
        for limit in limits:
            given = getattr(self, limit)
            alone = isinstance(given, int | float | str | np.number)
            array = checked.numbers(f"{kind}: {limit}", [given] if alone else given, wanted, (None,))
            if not array.size or np.any(array <= 0):
                raise checked.refusal(f"{kind}: {limit}", given, wanted)
            object.__setattr__(self, limit, tuple(map(float, array)))
        for limit in limits[1:]:
            if len(getattr(self, limit)) != len(getattr(self, limits[0])):
                counts = ", ".join(f"{len(getattr(self, each))} of {each}" for each in limits)
                raise Error(f"{kind}: {limit}: there are {counts}; give one number > 0 an axis in each")

    def port(self, kind: type[Port], name: str, meaning: str, rate: str = "") -> Port:
        """One number an axis."""
        unit = ", ".join(f"{part}{rate}" for part in self.unit.split(", "))
        return kind(name, (self.axes,), unit, meaning)


@dataclass(frozen=True)
class Ramp(Trajectory):
    """A value that follows its target no faster than a rate (slew rate): activations, weights, setpoints.

    >>> ramp = Ramp(2.0, dt=0.1).computation()
    >>> [float(ramp([1.0], [value]).value[0]) for value in (0.0, 0.9, 1.05)]
    [0.2, 1.0, 1.0]

    Args:
        rate: largest change each second, one an axis.
        dt: seconds a tick.
        unit: of the value.
    """

    rate: Sequence[float] | float
    dt: float
    _: KW_ONLY
    unit: str = "1"

    def __post_init__(self) -> None:
        self.understand("rate")

    def limits(self) -> Sequence[Sequence[float]]:
        return (self.rate,)  # pyright: ignore[reportReturnType]

    @property
    def called(self) -> str:
        return "ramp"

    @property
    def equation(self) -> str:
        return "value += clip(target - value, -rate dt, rate dt)"

    @property
    def inputs(self) -> Sequence[Port]:
        return self.port(Port, "target", "where to go"), self.port(State, "value", "the reference")

    @property
    def outputs(self) -> Sequence[Port]:
        return (event_port("arrived"),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        (rates,) = self.limits()
        values, missing = list[Any](), 0.0
        for rate, target, value in zip(rates, given["target"], given["value"], strict=True):
            step, away = rate * self.dt, target - value
            there = away.absolute() <= step
            values.append(there.select(target, value + away.sign() * step))
            missing = there.select(missing, 1.0)
        return {"value": entries(values), "arrived": 1.0 - missing}


@dataclass(frozen=True)
class Trapezoid(Trajectory):
    """The fastest way to rest at a target within limits of velocity and acceleration, from any motion.

    Speed up to a peak u, cruise, brake (specs/itasc.md L3473): on the way left, x, at speed w towards it,

        u = min(V, √(A x + w²/2)),   times |u - w|/A,  (x - |u² - w²|/(2A) - u²/(2A)) / u,  u/A

    Short ways have no cruise (triangles). An axis that is too fast to stop passes its target and comes back. With
    `synchronised` all arrive when the slowest does: the others have a lower peak.

    >>> way = Trapezoid(velocity=[1.0], acceleration=[2.0], dt=0.25).computation()
    >>> out = way([1.0], [0.0], [0.0])
    >>> out.position, out.velocity, out.remaining
    (array([0.0625]), array([0.5]), 1.25)

    Args:
        velocity: largest speed V, one an axis (unit/s).
        acceleration: largest acceleration A, one an axis (unit/s²).
        dt: seconds a tick.
        synchronised: whether all axes arrive together.
        unit: of positions; "rad, m" is that of a robot's q.
    """

    velocity: Sequence[float] | float
    acceleration: Sequence[float] | float
    dt: float
    _: KW_ONLY
    synchronised: bool = False
    unit: str = "rad, m"

    def __post_init__(self) -> None:
        self.understand("velocity", "acceleration")
        checked.flag("Trapezoid: synchronised", self.synchronised)

    def limits(self) -> Sequence[Sequence[float]]:
        return self.velocity, self.acceleration  # pyright: ignore[reportReturnType]

    @property
    def called(self) -> str:
        return "trapezoid"

    @property
    def equation(self) -> str:
        return "speed up to u = min(V, sqrt(A x + w^2/2)), cruise, brake"

    @property
    def inputs(self) -> Sequence[Port]:
        return (
            self.port(Port, "target", "where to rest"),
            self.port(State, "position", "the reference"),
            self.port(State, "velocity", "its rate", "/s"),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        return (
            self.port(Port, "acceleration", "mean of this tick", "/s²"),
            Port("remaining", (), "s", "until all axes rest at the target"),
            event_port("arrived"),
        )

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        position, velocity, remaining = self.moved(given["target"], given["position"], given["velocity"])
        return {
            "position": entries(position),
            "velocity": entries(velocity),
            "acceleration": (entries(velocity) - given["velocity"]) / self.dt,
            "remaining": remaining,
            "arrived": remaining <= 0.0,
        }

    def moved(self, target: Array, position: Array, velocity: Array) -> tuple[list[Any], list[Any], Any]:
        """Positions and velocities after a tick, and the time left then until all rest."""
        given = zip(target, position, velocity, *self.limits(), strict=True)
        plans = [_Plan.fastest(goal - here, rate, most, change) for goal, here, rate, most, change in given]
        longest = plans[0].time
        for plan in plans[1:]:
            longest = longest.maximum(plan.time)
        if self.synchronised:
            plans = [plan.lasting(longest) for plan in plans]
        positions, velocities = list[Any](), list[Any]()
        for plan, goal, here in zip(plans, target, position, strict=True):
            way, rate = plan.after(self.dt)
            there = plan.time <= self.dt
            positions.append(there.select(goal, here + way))
            velocities.append(there.select(0.0, rate))
        return positions, velocities, (longest - self.dt).maximum(0.0)


@dataclass(frozen=True)
class _Plan:
    """Speed up or down to a peak, cruise, brake: along a direction, 1 or -1, with what is left and how fast it is."""

    direction: Any
    left: Any
    speed: Any
    change: float
    peak: Any
    cruise: Any
    time: Any

    @staticmethod
    def fastest(away: Any, rate: Any, most: float, change: float) -> "_Plan":
        """The plan of least time: towards where the target is once the axis has braked."""
        stops = rate * rate.absolute() / (2.0 * change)
        direction = (away >= stops).select(1.0, -1.0)
        x, w = direction * away, direction * rate
        u = (change * x + 0.5 * w * w).maximum(0.0).sqrt().minimum(most)
        cruise = (u >= most).select(_cruise(x, w, u, change) / most, 0.0)
        return _Plan(direction, x, w, change, u, cruise, (u - w).absolute() / change + cruise + u / change)

    def lasting(self, time: Any) -> "_Plan":
        """The same way in more time: the peak u by which it takes that long.

        T = w/A + (x - w²/(2A)) / u below w, and -w/A + u/A + (x + w²/(2A)) / u above, of which the lesser root.
        """
        x, w, a = self.left, self.speed, self.change
        slower = (x - w * w / (2.0 * a)) / (time - w / a).maximum(TINY)
        b, c = a * time + w, 4.0 * (a * x + 0.5 * w * w)
        faster = 0.5 * c / (b + (b * b - c).maximum(0.0).sqrt()).maximum(TINY)
        brakes = (w > 0.0).select(slower <= w, 0.0)
        u = brakes.select(slower, faster).minimum(self.peak).maximum(0.0)
        return _Plan(self.direction, x, w, a, u, _cruise(x, w, u, a) / u.maximum(TINY), time)

    def after(self, dt: float) -> tuple[Any, Any]:
        """Way and velocity after a time that is shorter than the whole."""
        u, a = self.peak, self.change
        first, rising = (u - self.speed).absolute() / a, (u - self.speed).sign() * a
        one = first.minimum(dt)
        two = (dt - one).minimum(self.cruise)
        three = (dt - one - two).minimum(u / a)
        way = self.speed * one + 0.5 * rising * one * one + u * two + u * three - 0.5 * a * three * three
        rate = (first > dt).select(self.speed + rising * dt, u - a * three)
        return self.direction * way, self.direction * rate


def _cruise(left: Any, speed: Any, peak: Any, change: float) -> Any:
    """The way between reaching the peak and braking."""
    up = 0.5 * (peak + speed) * (peak - speed).absolute() / change
    return (left - up - peak * peak / (2.0 * change)).maximum(0.0)


def entries(values: Sequence[Any]) -> Array:
    """Values as an array, one an axis."""
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array
