"""Which numbers has a lazy controller? How often, how far ahead, how late, a law a direction; as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from motionc import checked
from motionc.control.abag import Abag
from motionc.control.rest import Rest
from motionc.simulate.actuators import understood_delay
from motionc.sweeps.options import Check, Understood
from motionc.tasks.guarding import understood_monitors


def _by_direction(what: str, given: Any) -> dict[str, Any]:
    return dict(checked.instance(what, given, Mapping, "give {direction: …}"))


def _rate(what: str, given: Any) -> float:
    return checked.number(what, given, "give cycles a second > 0", fits=lambda rate: rate > 0)


def understood_seconds(what: str, given: Any) -> float:
    return checked.number(what, given, "give seconds > 0", fits=lambda seconds: seconds > 0)


@dataclass(frozen=True)
class Control(Understood):
    """The numbers of a lazy controller: how often, how far ahead, how late, and a law a direction.

    Args:
        rate: cycles a second.
        horizon: how far it looks ahead (s).
        delay: cycles from a measurement to what motors make of it, as the controller is told.
        controllers: {direction: Abag}; those that are not named have the usual ones.
        maximum: {direction: largest command} (m/s², rad/s², N, N m), likewise.
        damping: {direction: damper} of forces (N s/m, N m s), likewise.
        rest: what joints do beside the task: "float", "fall", a posture {joint: position}, or a Rest.
        monitors: what else stops it: "all", "none", or names of safety monitors.
    """

    called: ClassVar[str] = "Control"
    understood: ClassVar[Mapping[str, Check]] = {
        "rate": _rate,
        "horizon": understood_seconds,
        "delay": understood_delay,
        "controllers": _by_direction,
        "maximum": _by_direction,
        "damping": _by_direction,
        "monitors": understood_monitors,
    }

    rate: float = 630.0
    horizon: float = 2.5
    delay: int = 1
    controllers: Mapping[str, Abag] = field(default_factory=dict[str, Abag])
    maximum: Mapping[str, float] = field(default_factory=dict[str, float])
    damping: Mapping[str, float] = field(default_factory=dict[str, float])
    rest: str | Mapping[str, float] | Rest = "float"
    monitors: str | Sequence[str] = "none"
