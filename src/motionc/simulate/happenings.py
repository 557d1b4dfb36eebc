"""What happens to a plant from outside, by the clock: pushes, payloads that are picked up and put down, brakes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.block import Block, written
from motionc.program.port import Port, Precision
from motionc.runtime.computation import Computation

Vector = tuple[float, float, float]
ALWAYS = (0.0, math.inf)
TIME = Port("time", (), "s", "since the run began")


@dataclass(frozen=True)
class Push:
    """A force on a frame's body, at the frame's origin, in world axes, for some time.

    Args:
        frame: name of a link, attachment or `joint:NAME`.
        force: N.
        moment: N m.
        start: when it begins (s).
        seconds: for how long; to the end unless said.
    """

    frame: str
    force: Vector = (0.0, 0.0, 0.0)
    _: KW_ONLY
    moment: Vector = (0.0, 0.0, 0.0)
    start: float = 0.0
    seconds: float = math.inf

    def __post_init__(self) -> None:
        what = f"Push on {checked.name('Push: frame', self.frame, 'give the name of a frame')}"
        for name in ("force", "moment"):
            _keep_vector(self, what, name)
        _keep_time(self, what, "start")
        _keep_time(self, what, "seconds", endless=True)

    @property
    def wrench(self) -> tuple[float, ...]:
        """(n; f)."""
        return (*self.moment, *self.force)

    def acts(self, time: Any) -> Any:
        return during(time, self.start, self.start + self.seconds)


@dataclass(frozen=True)
class Payload:
    """Something that hangs on a frame while it is held: its mass, centre of mass and inertia, in the frame's axes.

    It is there from one step to the next, at the speed the frame has: momentum is not shared as a blow would.

    Args:
        frame: name of a frame of a moving body.
        mass: kg.
        com: its centre of mass in the frame (m).
        inertia: about it, xx xy xz yy yz zz (kg m²).
        picked: when it is picked up (s).
        dropped: when it is let go.
    """

    frame: str
    mass: float
    _: KW_ONLY
    com: Vector = (0.0, 0.0, 0.0)
    inertia: Sequence[float] = (0.0,) * 6
    picked: float = 0.0
    dropped: float = math.inf

    def __post_init__(self) -> None:
        what = f"Payload on {checked.name('Payload: frame', self.frame, 'give the name of a frame')}"
        mass = checked.number(f"{what}: mass", self.mass, "give kilograms ≥ 0", fits=lambda kg: kg >= 0)
        object.__setattr__(self, "mass", mass)
        _keep_vector(self, what, "com")
        six = checked.numbers(f"{what}: inertia", self.inertia, "give six finite numbers: xx xy xz yy yz zz", (6,))
        object.__setattr__(self, "inertia", tuple(map(float, six)))
        _keep_time(self, what, "picked")
        _keep_time(self, what, "dropped", endless=True)
        if self.dropped <= self.picked:
            raise Error(f"{what}: dropped at {self.dropped:g} s, picked up at {self.picked:g} s; it is dropped later")

    @property
    def parameter(self) -> str:
        """The constant of the robot that it is."""
        return f"{self.frame}.payload"

    def ten(self, time: Any) -> list[Any]:
        """Its ten numbers while it is held, else zeros."""
        held = during(time, self.picked, self.dropped)
        return [held * value if value else 0.0 for value in (self.mass, *self.com, *self.inertia)]


@dataclass(frozen=True)
class Brake:
    """A brake on a joint: it holds with up to this much force while it is closed, and slips beyond, exactly.

    Args:
        joint: name of a movable joint.
        force: N m, N.
        closed: when: (from, to) in s, or several of them.
    """

    joint: str
    force: float
    closed: Sequence[Any] = ALWAYS

    def __post_init__(self) -> None:
        what = f"Brake on {checked.name('Brake: joint', self.joint, 'give the name of a movable joint')}"
        force = checked.number(f"{what}: force", self.force, "give N m or N, > 0", fits=lambda value: value > 0)
        object.__setattr__(self, "force", force)
        wanted = "give (from, to) in seconds, or several of them"
        spans = self.closed if np.ndim(np.asarray(self.closed, object)) > 1 else [self.closed]
        found = tuple(_span(f"{what}: closed", span, wanted) for span in checked.several(what, spans, wanted))
        object.__setattr__(self, "closed", found)

    def share(self, time: Any) -> Any:
        """1 while it is closed, else 0."""
        shares = [during(time, *span) for span in self.closed]
        return sum(shares[1:], shares[0]) if shares else 0.0


@dataclass(frozen=True)
class Happenings:
    """All that happens to a robot by the clock, as one computation: time → f_ext, brake, payloads."""

    pushes: tuple[Push, ...] = ()
    payloads: tuple[Payload, ...] = ()
    brakes: tuple[Brake, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a place that is named twice: one input says what is held there, or how far a brake is closed."""
        for what, places, remedy in (
            ("brakes", [brake.joint for brake in self.brakes], "say all times when it is closed in one of them"),
            ("payloads", [load.frame for load in self.payloads], "give one of them a frame of its own there"),
        ):
            for place in places:
                if places.count(place) > 1:
                    raise Error(f"Plant: {what}: two of them are on {place}; {remedy}")

    @property
    def frames(self) -> tuple[str, ...]:
        """Those on which wrenches act, each once."""
        return tuple(dict.fromkeys(push.frame for push in self.pushes))

    def __bool__(self) -> bool:
        return bool(self.pushes or self.payloads or self.brakes)

    def computation(self, robot: Robot, ports: Mapping[str, Port], precision: Precision) -> Computation:
        """It, giving the inputs of a time step that are among these ports."""
        outputs = [ports[name] for name in self._given()]

        def happen(time: Any) -> dict[str, Any]:
            given = self._given()
            return {name: self._values(name, time).reshape(ports[name].shape) for name in given}

        return Computation(Block(written("happenings", happen, [TIME], outputs), precision, robot))

    def _given(self) -> list[str]:
        return [
            *(["f_ext"] if self.pushes else []),
            *(["brake"] if self.brakes else []),
            *(payload.parameter for payload in self.payloads),
        ]

    def _values(self, name: str, time: Any) -> Any:
        if name == "f_ext":
            rows = {frame: np.zeros(6, object) for frame in self.frames}
            for push in self.pushes:
                rows[push.frame] = rows[push.frame] + push.acts(time) * np.array(push.wrench)
            return np.concatenate(list(rows.values()))
        if name == "brake":
            return np.array([brake.share(time) for brake in self.brakes], object)
        return np.array(next(p for p in self.payloads if p.parameter == name).ten(time), object)


def during(time: Any, start: float, end: float) -> Any:
    """1 from `start` up to `end`, else 0."""
    begun = (time >= start) if start > 0 else 1.0
    return begun * (time < end) if math.isfinite(end) else begun


def _keep_vector(of: Any, what: str, name: str) -> None:
    values = checked.numbers(f"{what}: {name}", getattr(of, name), "give three finite numbers", (3,))
    object.__setattr__(of, name, tuple(map(float, values)))


def _keep_time(of: Any, what: str, name: str, *, endless: bool = False) -> None:
    value = getattr(of, name)
    if endless and isinstance(value, float) and value == math.inf:
        return
    seconds = checked.number(f"{what}: {name}", value, "give seconds ≥ 0", fits=lambda s: s >= 0)
    object.__setattr__(of, name, seconds)


def _span(what: str, span: Any, wanted: str) -> tuple[float, float]:
    pair = checked.several(what, span, wanted)
    if len(pair) != 2 or not all(isinstance(one, int | float) for one in pair) or not 0 <= pair[0] < pair[1]:
        raise checked.refusal(what, span, wanted)
    return float(pair[0]), float(pair[1])
