"""How does a controller reach a robot, real or simulated? The interface to hardware as a protocol, and as data.

    state in       q, v, when it was so, a wrench where one is measured             Reading
    command out    torque, velocity or position, in the order of v or q             what the nameplate says
    nameplate      what a robot says of itself: joints, limits, its period          Nameplate

A robot is the clock: it sends a state each period, a controller answers it. Who does not answer in time is missed by
the robot's watchdog, and it stops by itself. Which robot is reached, and how, is an `interface:` section of a file.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, get_args

import numpy as np

from motionc import checked
from motionc.control.encoders import EncoderModel
from motionc.errors import Error, suggestion
from motionc.model.digest import robot_digest
from motionc.model.robot import Robot
from motionc.sweeps.options import Check, Understood
from motionc.version import __version__

Array = np.ndarray[Any, np.dtype[np.float64]]
Command = Literal["tau", "v_target", "q_target"]
Kind = Literal["simulated", "shared_memory", "udp"]
Pace = Literal["lockstep", "clock"]

LOOPBACK = "127.0.0.1"
LIMITS = ("lower", "upper", "velocity", "effort")


class Stopped(IntEnum):
    """Whether a robot moves as it is told, or why it stopped."""

    NO = 0
    ASKED = 1
    NO_COMMAND = 2
    NOT_FINITE = 3
    LEFT = 4

    @property
    def words(self) -> str:
        return WORDS[self]


WORDS = {
    Stopped.NO: "it moves as it is told",
    Stopped.ASKED: "it was asked to stop",
    Stopped.NO_COMMAND: "no command came in time",
    Stopped.NOT_FINITE: "a command was no number",
    Stopped.LEFT: "nobody controls it any more",
}


class Reading(NamedTuple):
    """The state of a robot as it tells it: which of them it is, when it was so (s, on its clock), q, v, a wrench."""

    number: int
    stamp: float
    q: Array
    v: Array
    wrench: Array | None = None
    stopped: Stopped = Stopped.NO


@dataclass(frozen=True)
class Nameplate:
    """What a robot says of itself: who it is, its joints and their limits, what it is told, and how often.

    Args:
        robot: its name.
        digest: which model of it, `motionc.model.digest`.
        joints: names in the order of v.
        nq, nv: how many numbers q and v are.
        command: "tau" (N m, N), "v_target" (rad/s, m/s) or "q_target" (rad, m).
        period: seconds from one state to the next.
        lower, upper, velocity, effort: limits in the order of v; infinite where there are none.
        wrench: of what the wrench is in its states; "" where there is none.
        pace: "lockstep", it waits for each command; "clock", it does not.
        watchdog: periods without a command after which it stops by itself.
        encoders: joints that tell counts in the place of positions, and no velocities.
        version: of motionc there.
    """

    robot: str
    digest: str
    joints: tuple[str, ...]
    nq: int
    nv: int
    command: Command
    period: float
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity: tuple[float, ...]
    effort: tuple[float, ...]
    wrench: str = ""
    pace: Pace = "lockstep"
    watchdog: int = 3
    encoders: tuple[str, ...] = ()
    version: str = __version__

    @staticmethod
    def of(robot: Robot, command: Command, period: float, **more: Any) -> "Nameplate":
        """That of a robot as its model has it."""
        limits = {name: tuple(map(float, getattr(robot.limits, name))) for name in LIMITS}
        who = robot.name, robot_digest(robot), tuple(robot.joint_names), robot.nq, robot.nv
        return Nameplate(*who, command, period, **limits, **more)

    @property
    def rate(self) -> float:
        """States a second."""
        return 1.0 / self.period

    @property
    def entries(self) -> int:
        """Numbers of a command."""
        return self.nq if self.command == "q_target" else self.nv

    def to_json(self) -> str:
        said = {one.name: getattr(self, one.name) for one in fields(self)}
        for name in LIMITS:
            said[name] = [limit if math.isfinite(limit) else None for limit in said[name]]
        return json.dumps(said)

    @staticmethod
    def from_json(text: str) -> "Nameplate":
        """What came over a wire, checked; None is a limit there is not."""
        what = "nameplate of a robot"
        try:
            said: Any = json.loads(text)
        except ValueError:
            raise checked.refusal(what, text, "send JSON") from None
        own = {one.name for one in fields(Nameplate)}
        if not isinstance(said, dict) or {*said} != own:
            raise checked.refusal(what, text, f"send an object of {', '.join(sorted(own))}")
        sizes = {name: checked.whole(f"{what}: {name}", said[name], 0) for name in ("nq", "nv", "watchdog")}
        for name in LIMITS:
            none = -math.inf if name == "lower" else math.inf
            wanted = f"give {sizes['nv']} numbers, null for none"
            listed = checked.several(f"{what}: {name}", said[name], wanted)
            values = [none if limit is None else limit for limit in listed]
            limits = checked.numbers(f"{what}: {name}", values, wanted, (sizes["nv"],), infinite=True)
            said[name] = tuple(map(float, limits))
        for name in ("joints", "encoders"):
            said[name] = checked.names(f"{what}: {name}", said[name])
        for name in ("robot", "digest", "version", "wrench"):
            checked.words(f"{what}: {name}", said[name])
        checked.one_of(f"{what}: command", said["command"], get_args(Command))
        checked.one_of(f"{what}: pace", said["pace"], get_args(Pace))
        checked.number(f"{what}: period", said["period"], "give seconds > 0", fits=lambda time: time > 0)
        return Nameplate(**said)

    def expect(self, robot: Robot) -> None:
        """Refuse to control a robot by the model of another."""
        if self.joints != tuple(robot.joint_names):
            raise Error(
                f"the robot is a {self.robot} with joints {', '.join(self.joints)}, and its model, {robot.name}, has "
                f"{', '.join(robot.joint_names)}; load the model of that robot"
            )
        if self.digest != robot_digest(robot):
            raise Error(
                f"the robot is a {self.robot}, digest {self.digest[:12]}, and its model is another: {robot.name}, "
                f"digest {robot_digest(robot)[:12]}; load the file that the robot was started with"
            )


class Hardware(Protocol):
    """A robot that is reached: open it, read its state, tell it a command, again and again, and close it."""

    @property
    def nameplate(self) -> Nameplate:
        """What it says of itself; once it is open."""
        ...

    def open(self) -> None:
        """Reach it; it waits for commands from then on. An Error where it is not there or is another."""
        ...

    def read(self, timeout: float) -> Reading | None:
        """The next state, waited for as long; None where none came."""
        ...

    def write(self, command: Array) -> None:
        """The answer to the last state that was read."""
        ...

    def stop(self) -> None:
        """Tell it to stop by itself, and to stay so until it is opened again."""
        ...

    def close(self) -> None:
        """Leave it, stopped."""
        ...


# ---------------------------------------------------------------- which robot, as data


def _address(what: str, given: Any) -> str:
    return checked.name(what, given, "give HOST:PORT, or a name of shared memory", empty=True)


def _watchdog(what: str, given: Any) -> int:
    return checked.whole(what, given, 1, "give a whole number of periods ≥ 1")


def _timeout(what: str, given: Any) -> float:
    return checked.number(what, given, "give seconds > 0", fits=lambda time: time > 0)


def _encoders(what: str, given: Any) -> dict[str, EncoderModel]:
    wanted = "give {joint: {counts_per_turn: …, gear: …}}"
    items: Mapping[Any, Any] = checked.instance(what, given, Mapping, wanted)
    found = dict[str, EncoderModel]()
    for joint, one in items.items():
        where = f"{what}: {checked.name(what, joint, wanted)}"
        known = one if isinstance(one, EncoderModel) else EncoderModel.from_mapping(where, one)
        found[joint] = known
    return found


@dataclass(frozen=True)
class Interface(Understood):
    """Which robot is reached, and how: the `interface:` section of an experiment.

    >>> Interface.from_mapping({"kind": "udp", "address": "127.0.0.1:9750", "start": False}).host_and_port()
    ('127.0.0.1', 9750)

    Args:
        kind: "simulated", in this process; "shared_memory" or "udp", another process.
        address: HOST:PORT, or a name of shared memory; one that is free where the simulated robot is started.
        start: whether the simulated robot is started, as a process of its own; False where there is one, or a real one.
        pace: "lockstep", the robot waits for each command; "clock", it does not.
        watchdog: periods without a command after which the robot stops by itself.
        timeout: seconds without a state after which it counts as lost.
        beyond_loopback: whether other machines may be reached, or may reach it.
        encoders: {joint: encoder} where the robot tells counts.
    """

    called: ClassVar[str] = "Interface"
    understood: ClassVar[Mapping[str, Check]] = {
        "address": _address,
        "watchdog": _watchdog,
        "timeout": _timeout,
        "encoders": _encoders,
    }

    kind: Kind = "simulated"
    address: str = ""
    start: bool = True
    pace: Pace = "lockstep"
    watchdog: int = 3
    timeout: float = 1.0
    beyond_loopback: bool = False
    encoders: Mapping[str, EncoderModel] = field(default_factory=dict[str, EncoderModel])

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.address and not self.start:
            raise Error("Interface: start=False, and no address; say where the robot is: address='127.0.0.1:9750'")
        if self.kind == "simulated" and (self.address or not self.start):
            raise Error(
                "Interface: a robot simulated in this process has no address; say kind='udp' or 'shared_memory'"
            )
        if self.kind == "udp" and self.address:
            self.host_and_port()

    @classmethod
    def from_mapping(cls, given: Any, what: str = "interface") -> Self:
        """As a file has it."""
        known = [one.name for one in fields(cls)]
        items: Mapping[Any, Any] = checked.instance(what, given, Mapping, f"give {', '.join(known)} by name")
        for name in items:
            if name not in known:
                raise Error(f"{what}: there is no {name!r}{suggestion(str(name), known)}")
        return cls(**items)

    def host_and_port(self) -> tuple[str, int]:
        """Where datagrams go; on this machine unless `beyond_loopback` is said."""
        host, _, port = (self.address or f"{LOOPBACK}:0").rpartition(":")
        if not host or not port.isdecimal() or int(port) > 65535:
            raise checked.refusal("Interface: address", self.address, "give HOST:PORT, such as '127.0.0.1:9750'")
        host = LOOPBACK if host == "localhost" else host
        if not host.startswith("127.") and not self.beyond_loopback:
            raise Error(
                f"Interface: address={self.address!r} is not on this machine; say beyond_loopback=True where whoever "
                "is on that network may command the robot"
            )
        return host, int(port)
