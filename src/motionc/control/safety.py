"""When must a robot stop? Safety monitors: each is data, has an event, and is wired before a machine.

    Braking     a joint could not stop before its limit any more               (control/monitors.py)
    Bounds      some entry of a signal is beyond what is allowed: velocity, torque, contact
    Coupling    rows are ill-conditioned: along some the robot is too heavy to be moved
    Sound       a sensor is lost: readings that are no numbers, or old; behind it, the last good ones
    Late        a cycle has begun too late

Those of a robot: control/guards.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from motionc import checked
from motionc.control.monitors import SURE, Monitor, Threshold
from motionc.control.part import seconds
from motionc.errors import Error
from motionc.geometry.coordinates import assemble, elements, factor
from motionc.program.port import Port, State
from motionc.solvers.row_ports import coupling_port

NO_NUMBER = 1e12
"""What no signal of a robot is; sums beyond it, and sums that are no numbers, have entries that are none."""
LONG_AGO = 1e30
"""A clock before it was first read."""


def sound(entries: Any) -> Any:
    """A flag: 1 where every entry is a number. One sum tells, for what is no number stays none in it."""
    total: Any = 0.0
    for entry in entries:
        total = total + entry
    return total.absolute() <= NO_NUMBER


@dataclass(frozen=True)
class Bounds(Monitor):
    """An event where some entry of a signal is beyond what is allowed, |entry| ≥ most; two-sided as a Threshold.

    >>> fast = Bounds("too_fast", "v", [2.0, 3.0], unit="rad/s").computation()
    >>> [fast(v, 0.0).too_fast for v in ([1.9, -2.9], [0.0, -3.0])]
    [0.0, 1.0]

    Args:
        event: what it is called.
        signal: the input it watches.
        most: the largest magnitude of each entry; infinite where it does not matter.
        back: below which share of `most` all entries are again before the event is over.
        held: for how long (s) it must have been beyond, without a break; needs dt.
        dt: seconds a tick.
        sigma: standard deviation of the noise of each entry, where it is known: 5 of them must be allowed.
        unit: of the signal.
    """

    event: str
    signal: str
    most: Sequence[float]
    _: KW_ONLY
    back: float = 0.9
    held: float = 0.0
    dt: float | None = None
    sigma: float | Sequence[float] = 0.0
    unit: str = "1"

    def __post_init__(self) -> None:
        wanted = "give one number > 0 an entry"
        most = checked.numbers("Bounds: most", self.most, wanted, (None,), infinite=True)
        if not np.any(np.isfinite(most)) or np.any(most <= 0):
            raise checked.refusal("Bounds: most", self.most, f"{wanted}, one at least finite")
        object.__setattr__(self, "most", tuple(map(float, most)))
        noise = checked.numbers("Bounds: sigma", self.sigma, "give one number, or one an entry")
        if noise.shape not in ((), most.shape) or np.any(noise < 0):
            raise checked.refusal("Bounds: sigma", self.sigma, f"give one number ≥ 0, or {len(most)}, one an entry")
        share = "give a share from 0 to 1"
        back = checked.number("Bounds: back", self.back, share, fits=lambda share: 0 <= share < 1)
        object.__setattr__(self, "back", back)
        checked.name("Bounds: unit", self.unit, "give a unit")
        object.__setattr__(self, "sigma", tuple(map(float, np.broadcast_to(noise, most.shape))))
        for k, (allowed, sigma) in enumerate(zip(self.most, self.each_sigma, strict=True)):
            if allowed < SURE * sigma:
                raise Error(
                    f"Bounds: {self.event}: entry {k} may be {allowed:g} {self.unit}, {allowed / sigma:.2g} sigma of "
                    f"its noise, which passes it by itself; allow {SURE:g} sigma, {SURE * sigma:g}, or filter it"
                )
        _ = self.threshold

    @cached_property
    def threshold(self) -> Threshold:
        """Of the entry that is nearest to its bound, or farthest beyond it: 1 at the bound."""
        return Threshold(self.event, self.signal, "above", 1.0, self.back, held=self.held, dt=self.dt)

    @property
    def each_sigma(self) -> tuple[float, ...]:
        """Of each entry."""
        return self.sigma  # pyright: ignore[reportReturnType]

    @property
    def inputs(self) -> Sequence[Port]:
        _, lasted = self.threshold.inputs
        return Port(self.signal, (len(self.most),), self.unit, f"watched for {self.event}"), lasted

    @property
    def period(self) -> float:
        return self.dt or 0.0

    @property
    def equation(self) -> str:
        held = f" for {self.held:g} s" if self.held else ""
        return f"{self.event}: some |{self.signal}| beyond {', '.join(f'{most:g}' for most in self.most)}{held}"

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        worst: Any = None
        for entry, most in zip(given[self.signal], self.most, strict=True):
            if np.isfinite(most):
                share = entry.absolute() * (1.0 / most)
                worst = share if worst is None else worst.maximum(share)
        return self.threshold.tick({**given, self.signal: worst})


@dataclass(frozen=True)
class Coupling(Monitor):
    """An event where rows are ill-conditioned: by the effective inertia along each, with those behind it held.

    That is 1/d_k of the coupling J M⁻¹ Jᵀ = Lᵀ D L, and grows without bound where an arm is stretched, be it along a
    row or aslant. A ratio of eigenvalues has no unit that fits turns and shifts; an inertia has.

    >>> stretched = Coupling("ill_conditioned", [100.0, 100.0]).computation()
    >>> [stretched(coupling) for coupling in ([[0.2, 0.1], [0.1, 0.2]], [[0.2, 0.199], [0.199, 0.2]])]
    [0.0, 1.0]

    Args:
        event: what it is called.
        most: the largest effective inertia along each row (kg, kg m²).
    """

    event: str
    most: Sequence[float]

    def __post_init__(self) -> None:
        checked.name("Coupling: event", self.event, "give a name")
        wanted = "give one number > 0 a row"
        most = checked.numbers("Coupling: most", self.most, wanted, (None,))
        if not len(most) or np.any(most <= 0):
            raise checked.refusal("Coupling: most", self.most, wanted)
        object.__setattr__(self, "most", tuple(map(float, most)))

    @property
    def inputs(self) -> Sequence[Port]:
        return (coupling_port(len(self.most)),)

    @property
    def equation(self) -> str:
        return f"{self.event}: some 1/d_k of J M⁻¹ Jᵀ = Lᵀ D L beyond {', '.join(f'{most:g}' for most in self.most)}"

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        _, pivots = factor(assemble(elements(given["coupling"])))
        good: Any = None
        for pivot, most in zip(pivots, self.most, strict=True):
            # what is no number, behind a pivot of 0, is not good either
            movable = pivot >= 1.0 / most
            good = movable if good is None else movable.select(good, 0.0)
        return {self.event: 1.0 - good}


@dataclass(frozen=True)
class Sound(Monitor):
    """Signal validation: an event where a sensor is lost, and the last good reading in its place.

    Readings of which some entry is no number, or that are too old, are not passed on in that tick: what is behind gets
    the places of the last good one, and rates of 0.

    >>> watch = Sound("sensor_lost", (Port("q", (1,), "rad", "…"),), ()).computation()
    >>> watch([0.3], [0.0]).q_sound, watch([np.nan], [0.3])
    (array([0.3]), Results(q_sound=[0.3], sensor_lost=1, q_last=[0.3]))

    Args:
        event: what it is called.
        places: ports of readings of which the last good one is kept: `q_sound` of `q`.
        rates: ports of readings that are 0 without: `v_sound` of `v`.
        age: the oldest reading that is good (s); none is too old unless said.
        clock: the input that tells the time now (s).
        stamp: the input that tells when readings were taken (s).
    """

    event: str
    places: Sequence[Port]
    rates: Sequence[Port]
    _: KW_ONLY
    age: float | None = None
    clock: str = "time"
    stamp: str = "stamp"

    def __post_init__(self) -> None:
        for what in ("event", "clock", "stamp"):
            checked.name(f"Sound: {what}", getattr(self, what), "give a name")
        for what in ("places", "rates"):
            ports = checked.several(f"Sound: {what}", getattr(self, what), "give ports", Port)
            for port in ports:
                checked.instance(f"Sound: {what}", port, Port, "give ports")
            object.__setattr__(self, what, ports)
        if not self.watched:
            raise Error("Sound: places and rates are empty; give the ports of what a sensor reads")
        if self.age is not None:
            object.__setattr__(self, "age", seconds("Sound: age", self.age))

    @property
    def watched(self) -> tuple[Port, ...]:
        """Whatever is read."""
        return (*self.places, *self.rates)

    @property
    def inputs(self) -> Sequence[Port]:
        clocks = [(self.clock, "now"), (self.stamp, "when readings were taken")] if self.age else []
        return (
            *self.watched,
            *(Port(name, (), "s", meaning) for name, meaning in clocks),
            *(State(f"{p.name}_last", p.shape, p.unit, f"the last good {p.name}") for p in self.places),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        passed = (Port(f"{p.name}_sound", p.shape, p.unit, p.meaning, p.space, p.relation) for p in self.watched)
        return *passed, *super().outputs

    @property
    def equation(self) -> str:
        old = f", or {self.clock} - {self.stamp} > {self.age:g}" if self.age else ""
        return f"{self.event}: some reading is no number{old}"

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        good = sound([entry for port in self.watched for entry in np.ravel(given[port.name])])
        if self.age:
            good = (given[self.clock] - given[self.stamp] <= self.age).select(good, 0.0)
        told: dict[str, Any] = {self.event: 1.0 - good}
        for port in self.places:
            both = zip(*(np.ravel(given[name]) for name in (port.name, f"{port.name}_last")), strict=True)
            kept = [good.select(*each) for each in both]
            told[f"{port.name}_sound"] = told[f"{port.name}_last"] = np.reshape(kept, port.shape)
        for port in self.rates:
            rates = [good.select(rate, 0.0) for rate in np.ravel(given[port.name])]
            told[f"{port.name}_sound"] = np.reshape(rates, port.shape)
        return told


@dataclass(frozen=True)
class Late(Monitor):
    """An event where a cycle begins too late: more than `most` after the one before it, by the clock.

    >>> watch = Late("late", 0.003).computation()
    >>> [watch(clock, before).late for clock, before in ((7.0, 1e30), (7.002, 7.0), (7.006, 7.002))]
    [0.0, 0.0, 1.0]

    Args:
        event: what it is called.
        most: seconds from one cycle to the next that are still good.
        clock: the input that tells the time at which the cycle begins (s).
    """

    event: str
    most: float
    _: KW_ONLY
    clock: str = "time"

    def __post_init__(self) -> None:
        for what in ("event", "clock"):
            checked.name(f"Late: {what}", getattr(self, what), "give a name")
        object.__setattr__(self, "most", seconds("Late: most", self.most))

    @property
    def inputs(self) -> Sequence[Port]:
        return (
            Port(self.clock, (), "s", "when the cycle begins"),
            State(f"{self.event}_clock", (), "s", "when the cycle before began", start=LONG_AGO),
        )

    @property
    def equation(self) -> str:
        return f"{self.event}: more than {self.most:g} s after the cycle before"

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        now, before = given[self.clock], given[f"{self.event}_clock"]
        return {self.event: now - before > self.most, f"{self.event}_clock": now}
