"""How exactly is one direction of a task asked for? Bands with their tolerances, what ends a task, what is watched.

Each is a number of its own with a tolerance that must be said; none knows of a robot or of a frame. All are SI.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from motionc import checked
from motionc.errors import Error
from motionc.geometry.units import Quantity

POSITIVE = "give a number > 0"


def positive(what: str, value: Any, unit: str) -> float:
    """A number above nothing, or one sentence."""
    return checked.number(what, value, f"{POSITIVE} ({unit})", fits=lambda number: number > 0)


def kept(one: Any, **values: Any) -> None:
    """Put checked values into a frozen record."""
    for name, value in values.items():
        object.__setattr__(one, name, value)


# ---------------------------------------------------------------- bands, one a direction


@dataclass(frozen=True)
class Sine:
    """A speed profile over the remaining distance r: offset + amplitude sin(rate r) (m/s; rate in rad/m).

    >>> Sine(0.05, 0.12, 5.0).at(0.0)
    0.05
    """

    offset: float
    amplitude: float
    rate: float

    def __post_init__(self) -> None:
        for name in ("offset", "amplitude", "rate"):
            kept(self, **{name: checked.number(f"Sine: {name}", getattr(self, name))})

    def at(self, remaining: float) -> float:
        """The speed where so much is left to go (m)."""
        return self.offset + self.amplitude * math.sin(self.rate * remaining)


@dataclass(frozen=True)
class Speed:
    """A speed along X, within a tolerance: a number, or a profile over what is left to go (m/s)."""

    value: float | Sine
    tolerance: float

    def __post_init__(self) -> None:
        if not isinstance(self.value, Sine):
            wanted = "give a speed > 0 (m/s), or a Sine(…): X points along the way"
            kept(self, value=checked.number("Speed: value", self.value, wanted, fits=lambda speed: speed > 0))
        kept(self, tolerance=positive("Speed: tolerance", self.tolerance, "m/s"))

    def at(self, remaining: float) -> float:
        """The speed where so much is left to go (m).

        >>> Speed(0.06, 0.005).at(1.0)
        0.06
        """
        return self.value.at(remaining) if isinstance(self.value, Sine) else self.value


@dataclass(frozen=True)
class Tube:
    """No farther from the X axis than this, along Y or Z (m): inside, no place is better than another."""

    tolerance: float

    def __post_init__(self) -> None:
        kept(self, tolerance=positive("Tube: tolerance", self.tolerance, "m"))


@dataclass(frozen=True)
class Orientation:
    """Turned no farther than this from the task frame (rad): one angle for all three axes."""

    tolerance: float

    def __post_init__(self) -> None:
        wanted = "give an angle > 0 and ≤ π (rad): nothing is turned farther"
        fits = checked.number("Orientation: tolerance", self.tolerance, wanted, fits=lambda angle: 0 < angle <= math.pi)
        kept(self, tolerance=fits)


@dataclass(frozen=True)
class Angle:
    """Turned by an angle about one axis alone, within a tolerance (rad)."""

    value: float
    tolerance: float

    def __post_init__(self) -> None:
        kept(self, value=checked.number("Angle: value", self.value, "give an angle (rad)"))
        kept(self, tolerance=positive("Angle: tolerance", self.tolerance, "rad"))


@dataclass(frozen=True)
class Force:
    """A force that the tool presses with along an axis of the force frame, within a tolerance (N)."""

    value: float
    tolerance: float

    def __post_init__(self) -> None:
        kept(self, value=checked.number("Force: value", self.value, "give a force (N)"))
        kept(self, tolerance=positive("Force: tolerance", self.tolerance, "N"))


@dataclass(frozen=True)
class Moment:
    """A moment about an axis of the force frame, within a tolerance (N m)."""

    value: float
    tolerance: float

    def __post_init__(self) -> None:
        kept(self, value=checked.number("Moment: value", self.value, "give a moment (N m)"))
        kept(self, tolerance=positive("Moment: tolerance", self.tolerance, "N m"))


# ---------------------------------------------------------------- when it ends


@dataclass(frozen=True)
class Goal:
    """It is done where what is left to go along X is less than this (m)."""

    tolerance: float

    def __post_init__(self) -> None:
        kept(self, tolerance=positive("Goal: tolerance", self.tolerance, "m"))


@dataclass(frozen=True)
class Contact:
    """It ends where a measured force passes this along one of these axes (N)."""

    force: float
    _: KW_ONLY
    along: str = "xyz"

    def __post_init__(self) -> None:
        kept(self, force=positive("Contact: force", self.force, "N"))
        checked.name("Contact: along", self.along, "name axes of x, y, z, such as 'xy'")
        if set(self.along) - set("xyz") or len(set(self.along)) < len(self.along):
            raise Error(f"Contact: along={checked.shown(self.along)}; name axes of x, y, z, each once, such as 'xy'")
        kept(self, along="".join(sorted(self.along)))


@dataclass(frozen=True)
class Timeout:
    """It ends after so long, wherever it is (s)."""

    after: float

    def __post_init__(self) -> None:
        kept(self, after=positive("Timeout: after", self.after, "s"))


Stop = Goal | Contact | Timeout

# ---------------------------------------------------------------- what is watched meanwhile

SIGNALS = {
    "speed": Quantity.LINEAR_VELOCITY,
    "turning": Quantity.ANGULAR_VELOCITY,
    "force": Quantity.FORCE,
    "moment": Quantity.TORQUE,
    "torque": Quantity.DIMENSIONLESS,
    "joint_velocity": Quantity.DIMENSIONLESS,
    "conditioning": Quantity.DIMENSIONLESS,
}
"""What can be watched: how fast the tool is and turns (wrt the frame that the task frame is told wrt), the measured
force and moment, the largest share of a motor's and of a joint's limit, and how ill-conditioned the rows are."""


@dataclass(frozen=True)
class Monitor:
    """A signal that is watched besides what ends a task: above a threshold the task stops, or tells of it.

    >>> Monitor("speed", 0.25).event
    'speed_high'

    Args:
        signal: one of `SIGNALS`.
        above: the threshold, in SI; a share of 1 for torque and joint_velocity is a joint's limit.
        then: "stop" ends the task by its stop policy, "tell" raises the event alone.
    """

    signal: str
    above: float
    _: KW_ONLY
    then: Literal["stop", "tell"] = "stop"

    def __post_init__(self) -> None:
        checked.one_of("Monitor: signal", self.signal, tuple(SIGNALS))
        kept(self, above=positive("Monitor: above", self.above, "SI"))
        checked.one_of("Monitor: then", self.then, ("stop", "tell"))

    @property
    def event(self) -> str:
        """The name of the event that it raises."""
        return f"{self.signal}_high"


# ---------------------------------------------------------------- what comes before a surface is followed


@dataclass(frozen=True)
class Approach:
    """How a surface is come to: along the force frame's Z at a speed (m/s) until a force is felt (N)."""

    speed: Speed
    contact: float

    def __post_init__(self) -> None:
        checked.instance("Approach: speed", self.speed, Speed, "give a Speed(…)")
        if isinstance(self.speed.value, Sine):
            raise Error("Approach: speed is a profile; how far the surface is nobody knows: give a Speed of a number")
        kept(self, contact=positive("Approach: contact", self.contact, "N"))


@dataclass(frozen=True)
class Align:
    """How a tool is laid on a surface: moments nulled within their tolerances for so long (s), or given up after."""

    held: float
    timeout: float

    def __post_init__(self) -> None:
        kept(self, held=positive("Align: held", self.held, "s"), timeout=positive("Align: timeout", self.timeout, "s"))
        if self.timeout <= self.held:
            raise Error(
                f"Align: timeout={self.timeout:g} s is over before moments can be held for {self.held:g} s; "
                "give a longer timeout"
            )
