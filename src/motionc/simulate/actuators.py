"""What does a motor make of its command? Torque, velocity and position drives with delay, lag and limits, as data.

    command    τ*, v* or q*, some cycles later on its way through the bus            delay
    law        f* = τ*     f* = g (v* - v)     f* = k (q* ⊖ q) - d v
    drive      |f*| ≤ most the drive asks for                                        saturation
    lag        f ← f + (1 - exp(-dt/T)) (f* - f): exact where f* is held             time_constant
    motor      -s (1 + v/v₀) ≤ f ≤ s (1 - v/v₀), each side from 0 to s               speed_torque

The torque–speed curve falls from the stall torque s to nothing at the no-load speed v₀ where the motor drives; where it
brakes, which is the other side, all of s is left: four quadrants. `drives.py` makes the computation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from motionc import checked
from motionc.errors import WrongType
from motionc.geometry.symbols import Symbols
from motionc.model.joints import JointType
from motionc.model.robot import Robot
from motionc.program.port import Port
from motionc.solvers.arguments import q_port, tau_port, v_port
from motionc.solvers.gains import LARGEST, Gains, understood_gains
from motionc.sweeps.options import Check, Understood, optional

LONGEST = 1000
"""Cycles that a command or a measurement is on its way at most: each is state."""


def understood_delay(what: str, given: Any) -> int:
    wanted = f"give a whole number of cycles from 0 to {LONGEST}"
    if checked.whole(what, given, 0, wanted) > LONGEST:
        raise checked.refusal(what, given, wanted)
    return int(given)


def _positive(what: str, given: Any) -> Any:
    """Numbers that something is divided by, or that a motor makes."""
    understood_gains(what, given)
    for value in given.values() if isinstance(given, Mapping) else (given,):
        if not np.all(np.asarray(value, float) > 0):
            raise checked.refusal(what, given, f"give finite numbers > 0, up to {LARGEST:g}")
    return given


def _saturation(what: str, given: Any) -> Any:
    if given is False or isinstance(given, str):
        wanted = "say True for the robot's own limits, give numbers (N m, N), or leave it out"
        raise checked.refusal(what, given, wanted, kind=WrongType)
    return given if given is True else _positive(what, given)


@dataclass(frozen=True)
class TorqueSpeed(Understood):
    """The torque–speed curve of a motor: a line from its stall torque to none at its no-load speed, behind the gear.

    Args:
        stall: what it makes at rest, and braking (N m, N): one number, {joint: number}, or numbers in the order of v.
        no_load_speed: at which it drives no longer (rad/s, m/s), likewise.
    """

    called: ClassVar[str] = "TorqueSpeed"
    understood: ClassVar[Mapping[str, Check]] = {"stall": _positive, "no_load_speed": _positive}

    stall: Gains
    no_load_speed: Gains


def _curve(what: str, given: Any) -> TorqueSpeed:
    return checked.instance(what, given, TorqueSpeed, "give TorqueSpeed(stall, no_load_speed)")


@dataclass(frozen=True, kw_only=True)
class Actuator(Understood):
    """What all motors have: a command that arrives late, a force that builds up and has limits.

    Numbers are one for all joints of the actuator, {joint: number}, or as many as the robot has velocities.

    Args:
        delay: cycles until a command arrives; before the first has, none was given, and positions are held.
        saturation: the most the drive asks of the motor (N m, N); True for the effort limits of the robot.
        speed_torque: the torque–speed curve of the motor.
        time_constant: of the motor's force, which follows what the drive asks (first-order lag, s).
    """

    understood: ClassVar[Mapping[str, Check]] = {
        "delay": understood_delay,
        "saturation": optional(_saturation),
        "speed_torque": optional(_curve),
        "time_constant": understood_gains,
        **dict.fromkeys(("gain", "stiffness", "damping"), understood_gains),
    }
    command: ClassVar[str] = ""
    """The port through which it is commanded."""
    gains: ClassVar[Sequence[str]] = ()
    """The numbers of its law."""

    delay: int = 0
    saturation: bool | Gains | None = None
    speed_torque: TorqueSpeed | None = None
    time_constant: Gains = 0.0

    def __str__(self) -> str:
        return f"{self.called}({super().__str__()})"

    @property
    def law(self) -> str:
        """What it asks of the motor, in a line."""
        raise NotImplementedError

    def port(self, robot: Robot) -> Port:
        """Its command, of all joints."""
        raise NotImplementedError

    def demand(
        self, kind: JointType, gains: Mapping[str, Sequence[float]], command: Sequence[Any], q: Any, v: Any
    ) -> list[Any]:
        """The force it asks of the motor of a joint, an entry each coordinate."""
        raise NotImplementedError


@dataclass(frozen=True)
class Torque(Actuator):
    """A torque drive: the motor makes the force it is told, f = tau.

    >>> Torque(delay=2, saturation=True).delay
    2

    Args:
        delay: cycles until a command arrives.
        saturation: the most the drive asks of the motor (N m, N); True for the effort limits of the robot.
        speed_torque: the torque–speed curve of the motor, TorqueSpeed(stall, no_load_speed).
        time_constant: of the motor's force, which follows what the drive asks (first-order lag, s).
    """

    called: ClassVar[str] = "Torque"
    command: ClassVar[str] = "tau"

    @property
    def law(self) -> str:
        return "tau"

    def port(self, robot: Robot) -> Port:
        return tau_port(robot, "force each motor is told to make")

    def demand(
        self, kind: JointType, gains: Mapping[str, Sequence[float]], command: Sequence[Any], q: Any, v: Any
    ) -> list[Any]:
        return list(command)


@dataclass(frozen=True)
class Velocity(Actuator):
    """A velocity drive: f = gain (v_target - v).

    Args:
        gain: N m s/rad, N s/m; one number, {joint: number}, or numbers in the order of v.
        delay: cycles until a command arrives.
        saturation: the most the drive asks of the motor (N m, N); True for the effort limits of the robot.
        speed_torque: the torque–speed curve of the motor, TorqueSpeed(stall, no_load_speed).
        time_constant: of the motor's force, which follows what the drive asks (first-order lag, s).
    """

    called: ClassVar[str] = "Velocity"
    command: ClassVar[str] = "v_target"
    gains: ClassVar[Sequence[str]] = ("gain",)

    gain: Gains = field(kw_only=False)

    @property
    def law(self) -> str:
        return "g (v_target - v)"

    def port(self, robot: Robot) -> Port:
        return v_port(robot, "v_target", "joint velocities that motors are told to keep")

    def demand(
        self, kind: JointType, gains: Mapping[str, Sequence[float]], command: Sequence[Any], q: Any, v: Any
    ) -> list[Any]:
        return [g * (told - rate) for g, told, rate in zip(gains["gain"], command, v, strict=True)]


@dataclass(frozen=True)
class Position(Actuator):
    """A position drive: f = stiffness (q_target ⊖ q) - damping v, the shorter way where a joint turns freely.

    Args:
        stiffness: N m/rad, N/m; one number, {joint: number}, or numbers in the order of v.
        damping: N m s/rad, N s/m; likewise.
        delay: cycles until a command arrives.
        saturation: the most the drive asks of the motor (N m, N); True for the effort limits of the robot.
        speed_torque: the torque–speed curve of the motor, TorqueSpeed(stall, no_load_speed).
        time_constant: of the motor's force, which follows what the drive asks (first-order lag, s).
    """

    called: ClassVar[str] = "Position"
    command: ClassVar[str] = "q_target"
    gains: ClassVar[Sequence[str]] = ("stiffness", "damping")

    stiffness: Gains = field(kw_only=False)
    damping: Gains = field(default=0.0, kw_only=False)

    @property
    def law(self) -> str:
        return "k (q_target (-) q) - d v"

    def port(self, robot: Robot) -> Port:
        return q_port(robot, "q_target", "configuration that motors are told to keep")

    def demand(
        self, kind: JointType, gains: Mapping[str, Sequence[float]], command: Sequence[Any], q: Any, v: Any
    ) -> list[Any]:
        away = kind.difference(Symbols.of(list(q)), Symbols.of(list(command))).flat
        each = zip(gains["stiffness"], gains["damping"], away, v, strict=True)
        return [k * way - d * rate for k, d, way, rate in each]
