"""What removes an error that stays? PID control, in discrete time: target, measured → command.

d = a d⁻ - (1 - a) K_d (y - y⁻)/dt,  a = T/(T + dt)      of what is measured: a target that jumps does not kick
i = i⁻ + dt K_i e                                        e = target - y
u = K_p e + i + d,  command = u kept within its limits
i⁺ = i + (command - u) dt/T_t                            back-calculation: what was not made is not summed up
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.part import Part, seconds
from motionc.errors import Error
from motionc.program.port import Port, State
from motionc.program.space import Choices

Numbers = float | Sequence[float]
GAINS = ("proportional", "integral", "derivative")


@dataclass(frozen=True)
class Pid(Part):
    """A PID controller with a filtered derivative of the measurement, limits, and anti-windup; an entry an axis.

    >>> heat = Pid(2.0, 1.0, 0.0, dt=0.1, lower=-1.0, upper=1.0).computation()
    >>> heat(target=[0.2], measured=[0.0], integral=[0.0], slope=[0.0], before=[0.0], begun=0.0).command
    array([0.42])

    Args:
        proportional: K_p: one number, or one an axis.
        integral: K_i (1/s), likewise.
        derivative: K_d (s), likewise.
        dt: seconds a tick.
        lower: least command, likewise; none unless said.
        upper: largest command.
        filter: T (s), the time constant of the derivative's low-pass; none unless said.
        tracking: T_t (s), in which a sum that a limit keeps from acting dies down; K_p/K_i unless said.
        unit: of what is measured.
        command_unit: of the command.
    """

    proportional: Numbers
    integral: Numbers
    derivative: Numbers
    dt: float
    _: KW_ONLY
    lower: Numbers = -np.inf
    upper: Numbers = np.inf
    filter: float = 0.0
    tracking: float | None = None
    unit: str = "1"
    command_unit: str = "1"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dt", seconds("Pid: dt", self.dt))
        wanted = "give a number, or one an axis"
        told = {
            name: np.atleast_1d(
                checked.numbers(f"Pid: {name}", getattr(self, name), wanted, infinite=name not in GAINS)
            )
            for name in (*GAINS, "lower", "upper")
        }
        count = max(map(np.size, told.values()))
        for name, values in told.items():
            if values.shape not in ((1,), (count,)) or not count:
                raise Error(f"Pid: {name} of shape {values.shape}; give one number, or {count}, one an axis")
            object.__setattr__(self, name, tuple(np.broadcast_to(values, (count,)).tolist()))
        for name in GAINS:
            if min(getattr(self, name)) < 0:
                raise checked.refusal(f"Pid: {name}", getattr(self, name), "give numbers ≥ 0")
        for low, high in zip(self.each("lower"), self.each("upper"), strict=True):
            if not low < high:
                raise Error(f"Pid: lower={low:g} is not below upper={high:g}; leave room for a command")
        lag = checked.number("Pid: filter", self.filter, "give seconds ≥ 0", fits=lambda time: time >= 0)
        object.__setattr__(self, "filter", lag)
        if self.tracking is not None:
            object.__setattr__(self, "tracking", seconds("Pid: tracking", self.tracking))
            if self.tracking < self.dt:
                raise Error(f"Pid: tracking={self.tracking:g} s is less than a tick of {self.dt:g} s; give dt at least")
        for what in ("unit", "command_unit"):
            checked.name(f"Pid: {what}", getattr(self, what), "give a unit")

    def each(self, name: str) -> tuple[float, ...]:
        """A gain or a limit, one an axis."""
        return getattr(self, name)

    @property
    def axes(self) -> int:
        """How many there are."""
        return len(self.each("proportional"))

    @property
    def called(self) -> str:
        return "pid"

    @property
    def equation(self) -> str:
        return "command = K_p e + i + d within limits, i' = K_i e + (command - u)/T_t, d of what is measured"

    @property
    def inputs(self) -> Sequence[Port]:
        shape = (self.axes,)
        return (
            Port("target", shape, self.unit, "where it is to be"),
            Port("measured", shape, self.unit, "where it is"),
            State("integral", shape, self.command_unit, "what the sum of errors makes"),
            State("slope", shape, self.command_unit, "what the derivative makes"),
            State("before", shape, self.unit, "where it was in the tick before"),
            State("begun", (), "1", "0 in the first tick", space=Choices(1, 2)),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        return (Port("command", (self.axes,), self.command_unit, "within its limits"),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        commands, integrals, slopes = list[Any](), list[Any](), list[Any]()
        kept = self.filter / (self.filter + self.dt)
        gains = zip(*(self.each(name) for name in (*GAINS, "lower", "upper")), strict=True)
        signals = zip(*(given[name] for name in ("target", "measured", "integral", "slope", "before")), strict=True)
        for (kp, ki, kd, low, high), (target, measured, integral, slope, before) in zip(gains, signals, strict=True):
            missing = target - measured
            moved = given["begun"].select(measured - before, 0.0)
            slope = kept * slope - (1.0 - kept) * kd / self.dt * moved
            integral = integral + self.dt * ki * missing
            asked = kp * missing + integral + slope
            made = asked
            if np.isfinite(low):
                made = made.maximum(low)
            if np.isfinite(high):
                made = made.minimum(high)
            if ki and made is not asked:
                integral = integral + self._share(kp, ki) * (made - asked)
            commands, integrals, slopes = [*commands, made], [*integrals, integral], [*slopes, slope]
        state = {"integral": integrals, "slope": slopes, "before": given["measured"], "begun": 1.0}
        return {"command": commands, **state}

    def _share(self, kp: float, ki: float) -> float:
        """Of what was not made, how much the sum gives back in a tick."""
        return self.dt / (self.tracking or max(kp / ki, self.dt))
