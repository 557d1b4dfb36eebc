"""When does something happen? Monitors: events made of signals, for machines to move by.

    Threshold   a signal passes a side and is back beyond another: two sides, or noise makes it chatter
    Braking     a joint could not stop before its limit any more
    Elapsed     some time has passed since the start, or since it was reset

Each is data and has a `computation` that is wired before a machine's: signals in, events (1 where seen, else 0) out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, get_args

import numpy as np

from motionc import checked
from motionc.control.part import Part, event_port, seconds, ticks
from motionc.errors import Error
from motionc.program.port import Port, State
from motionc.program.space import Choices

Array = np.ndarray[Any, np.dtype[Any]]
SURE = 5.0
"""Standard deviations of a sensor's noise that a threshold keeps away from rest: below, noise is the event."""


class Monitor(Part):
    """What watches signals and gives events."""

    event: str

    @property
    def events(self) -> tuple[str, ...]:
        """What it gives."""
        return (self.event,)

    @property
    def called(self) -> str:
        return f"watch_{self.event}"

    @property
    def outputs(self) -> Sequence[Port]:
        return [event_port(event) for event in self.events]


@dataclass(frozen=True)
class Threshold(Monitor):
    """An event with two sides: seen from where a signal passes `enter` until it is back beyond `leave` (hysteresis).

    >>> contact = Threshold("contact", "force", "above", 1.5, 0.3, unit="N")
    >>> watch = contact.computation()
    >>> [watch(force, ticks).contact for force, ticks in ((1.0, 0), (1.6, 0), (1.0, 1), (0.2, 1))]
    [0.0, 1.0, 1.0, 0.0]

    Args:
        event: what it is called.
        signal: the input it watches.
        side: "above" sees the signal at `enter` and above, "below" at `enter` and below.
        enter: from where on it is seen.
        leave: where it is no more; beyond `enter`, below it for "above".
        held: for how long (s) the signal must have been there, without a break; needs dt.
        dt: seconds a tick.
        otherwise: an event that is seen where this one is not, such as "out_of_tube" of "within_tube".
        sigma: standard deviation of the signal's noise, where it is known.
        rest: what the signal is while nothing happens; `enter` must be 5 sigma away.
        unit: of the signal.
    """

    event: str
    signal: str
    side: Literal["above", "below"]
    enter: float
    leave: float
    _: KW_ONLY
    held: float = 0.0
    dt: float | None = None
    otherwise: str = ""
    sigma: float = 0.0
    rest: float = 0.0
    unit: str = "1"

    def __post_init__(self) -> None:
        for what in ("event", "signal", "unit"):
            checked.name(f"Threshold: {what}", getattr(self, what), "give a name")
        checked.name("Threshold: otherwise", self.otherwise, "give a name", empty=True)
        checked.one_of("Threshold: side", self.side, get_args(Literal["above", "below"]))
        for what in ("enter", "leave", "rest"):
            object.__setattr__(self, what, checked.number(f"Threshold: {what}", getattr(self, what)))
        for what in ("held", "sigma"):
            value = checked.number(
                f"Threshold: {what}", getattr(self, what), "give a number ≥ 0", fits=lambda x: x >= 0
            )
            object.__setattr__(self, what, value)
        if self.dt is not None:
            object.__setattr__(self, "dt", seconds("Threshold: dt", self.dt))
        _ = self.waits
        if self.otherwise == self.event:
            raise Error(f"Threshold: otherwise={self.otherwise!r} is the event itself; give its opposite another name")
        if not (self.leave < self.enter if self.side == "above" else self.leave > self.enter):
            way = "below" if self.side == "above" else "above"
            raise Error(
                f"Threshold: {self.event}: leave={self.leave:g} is not {way} enter={self.enter:g}; noise at one "
                "threshold is an event a tick, give two"
            )
        away = abs(self.enter - self.rest)
        if away < SURE * self.sigma:
            raise Error(
                f"Threshold: {self.event}: enter={self.enter:g} is {away / self.sigma:.2g} sigma from "
                f"rest={self.rest:g}, and noise passes it by itself; give {SURE:g} sigma, "
                f"{SURE * self.sigma:g} {self.unit}, or filter the signal"
            )

    @property
    def waits(self) -> int:
        """How many ticks the signal must have been there before the one in which it is told."""
        return ticks(f"Threshold: {self.event}", self.held, self.dt)

    @property
    def events(self) -> tuple[str, ...]:
        return (self.event, self.otherwise) if self.otherwise else (self.event,)

    @property
    def inputs(self) -> Sequence[Port]:
        meaning = f"ticks for which {self.signal} has been {self.side} {self.enter:g}"
        return (
            Port(self.signal, (), self.unit, f"watched for {self.event}"),
            State(f"{self.event}_ticks", (), "1", meaning, space=Choices(1, self.waits + 2)),
        )

    @property
    def equation(self) -> str:
        held = f" for {self.held:g} s" if self.held else ""
        return f"{self.event}: {self.signal} {self.side} {self.enter:g}{held}, until beyond {self.leave:g}"

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        signal, lasted = given[self.signal], given[f"{self.event}_ticks"]
        above = self.side == "above"
        inside = signal >= self.enter if above else signal <= self.enter
        stays = signal > self.leave if above else signal < self.leave
        there = (lasted > 0.0).select(stays, inside)
        lasted = there.select((lasted + 1.0).minimum(self.waits + 1.0), 0.0)
        seen = lasted > float(self.waits)
        told = {self.event: seen, f"{self.event}_ticks": lasted}
        return told | ({self.otherwise: 1.0 - seen} if self.otherwise else {})


@dataclass(frozen=True)
class Braking(Monitor):
    """An event where a joint can only just be stopped before its limit: by its braking distance.

        d v + ½ a₀ d² + (v + a₀ d)²/(2 a)

    d is the time until brakes act, a₀ the acceleration that a joint may have until then, a what brakes do. Looking a
    few ticks ahead cannot stop a joint that is fast; this does, whatever it does before the event.

    >>> guard = Braking("joint_limit", lower=[-2.0], upper=[2.0], acceleration=[10.0], dt=0.001)
    >>> watch = guard.computation()
    >>> [watch([q], [2.0]) for q in (1.7, 1.79, 1.81)]
    [0.0, 0.0, 1.0]

    Args:
        event: what it is called.
        lower: least positions (rad or m), one a joint.
        upper: largest positions.
        acceleration: what brakes do, one a joint (rad/s² or m/s²).
        dt: seconds until brakes act: a tick, and the delay of the drives.
        meanwhile: the largest acceleration until then; `acceleration` unless said, 0 where the velocity is kept.
        position: the input of positions.
        velocity: the input of velocities.
    """

    event: str
    lower: Sequence[float]
    upper: Sequence[float]
    acceleration: Sequence[float]
    dt: float
    _: KW_ONLY
    meanwhile: Sequence[float] | None = None
    position: str = "q"
    velocity: str = "v"

    def __post_init__(self) -> None:
        for what in ("event", "position", "velocity"):
            checked.name(f"Braking: {what}", getattr(self, what), "give a name")
        object.__setattr__(self, "dt", seconds("Braking: dt", self.dt))
        given = {"lower": self.lower, "upper": self.upper, "acceleration": self.acceleration}
        given["meanwhile"] = self.acceleration if self.meanwhile is None else self.meanwhile
        for what, value in given.items():
            wanted = "give one number a joint"
            array = checked.numbers(f"Braking: {what}", value, wanted, (None,), infinite=what in ("lower", "upper"))
            object.__setattr__(self, what, tuple(map(float, array)))
        for what in given:
            if not self.lower or len(getattr(self, what)) != len(self.lower):
                counts = ", ".join(f"{len(getattr(self, each))} of {each}" for each in given)
                raise Error(f"Braking: {what}: there are {counts}; give one number a joint in each")
        for k, (least, most, brakes, before) in enumerate(zip(*(getattr(self, what) for what in given), strict=True)):
            if not (brakes > 0 and before >= 0):
                raise Error(f"Braking: acceleration: joint {k} has {brakes:g}, meanwhile {before:g}; brakes need > 0")
            # at rest half way between its limits nothing is to be said
            if not 2 * (self.dt * self.dt * before / 2 + (before * self.dt) ** 2 / (2 * brakes)) < most - least:
                raise Error(
                    f"Braking: upper: joint {k} moves between {least:g} and {most:g}, which is no room to brake in "
                    "even from rest; take another dt or limits"
                )

    @property
    def inputs(self) -> Sequence[Port]:
        size = (len(self.lower),)
        return (
            Port(self.position, size, "rad, m", "joint positions"),
            Port(self.velocity, size, "rad/s, m/s", "joint velocities"),
        )

    @property
    def equation(self) -> str:
        return f"{self.event}: q + d v + a0 d^2 / 2 + max(0, v + a0 d)^2 / (2 a) beyond a limit"

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        reached: Any = 0.0
        joints = zip(
            given[self.position],
            given[self.velocity],
            self.lower,
            self.upper,
            self.acceleration,
            self.meanwhile or (),
            strict=True,
        )
        for q, v, least, most, brakes, before in joints:
            for sign, limit in ((1.0, most), (-1.0, -least)):
                if np.isfinite(limit):
                    fast = (sign * v + before * self.dt).maximum(0.0)
                    way = sign * v * self.dt + 0.5 * before * self.dt * self.dt + fast * fast / (2.0 * brakes)
                    reached = (way >= limit - sign * q).select(1.0, reached)
        return {self.event: reached}


@dataclass(frozen=True)
class Elapsed(Monitor):
    """An event some time after the start; `resettable(…, "<event>_ticks")` makes that after entering a state.

    >>> watch = Elapsed("timeout", 0.004, dt=0.002).computation()
    >>> [watch(ticks).timeout for ticks in (0, 1, 2)]
    [0.0, 1.0, 1.0]

    Args:
        event: what it is called.
        after: seconds; seen from then on.
        dt: seconds a tick.
    """

    event: str
    after: float
    dt: float

    def __post_init__(self) -> None:
        checked.name("Elapsed: event", self.event, "give a name")
        for what in ("after", "dt"):
            object.__setattr__(self, what, seconds(f"Elapsed: {what}", getattr(self, what)))
        ticks(f"Elapsed: after: {self.event}", self.after, self.dt)

    @property
    def inputs(self) -> Sequence[Port]:
        many = ticks(self.event, self.after, self.dt)
        return (State(f"{self.event}_ticks", (), "1", "ticks since the start", space=Choices(1, many + 1)),)

    @property
    def equation(self) -> str:
        return f"{self.event}: {self.after:g} s after the start"

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        many = float(ticks(self.event, self.after, self.dt))
        passed = (given[f"{self.event}_ticks"] + 1.0).minimum(many)
        return {self.event: passed >= many, f"{self.event}_ticks": passed}
