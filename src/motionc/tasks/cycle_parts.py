"""What is between a machine and dynamics in a lazy cycle? Its parts: errors, commands, events; as data with ports.

    errors    velocity, ahead, mode → an error a row
    ask       a command a row → b of constrained dynamics
    stopping  mode → whether joints are held
    motors    tau_told → tau within limits
    tell      events → one bit field

Each is compiled by itself and wired; what tasks do not ask for has no part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from motionc.control.errors import beyond_angle, beyond_tube, missing_angle
from motionc.control.machine import Machine
from motionc.control.part import Part, event_port
from motionc.geometry.control_words import opposite, within
from motionc.program.port import Port
from motionc.program.space import Choices
from motionc.tasks.area_parts import REMAINING, section_port
from motionc.tasks.directions import TURNS, Directions, differ, pick
from motionc.tasks.machines import BEHAVIOURS

VELOCITY = Port("velocity", (3,), "m/s", "of the tool wrt the task frame, in its axes")
AHEAD = Port("ahead", (3,), "m", "what will be missing after the horizon, in axes of the task frame")
TURN_AHEAD = Port("turn_ahead", (3,), "rad", "what will be missing of turns after the horizon, as a rotation vector")
FACING_AHEAD = Port("facing_ahead", (2,), "1", "x axis of the tool along x and y of the task frame, then")
RESTING = 1.5e-3
"""What counts as no motion across x, where none is asked for (m/s)."""


def mode_port(machine: Machine) -> Port:
    """The mode of this cycle, as others read it."""
    mode = machine.mode_port()
    return Port(mode.name, mode.shape, mode.unit, mode.meaning, mode.space)


def of_mode(machine: Machine, mode: Any, what: str) -> Any:
    """A number of the mode's behaviour."""
    return machine.selected(mode, {state: getattr(BEHAVIOURS[state], what) for state in machine.states})


@dataclass(frozen=True)
class Errors(Part):
    """An error a row: of a speed as measured, of tubes as predicted; what is tolerated in this mode is none.

    Args:
        asked: what the task asks of motion.
        machine: whose modes are read.
        slack: share of a speed's tolerance that counts as no error.
        sections: of a path, how many there are.
    """

    asked: Directions
    machine: Machine = field(hash=False)
    slack: float = 1.0
    sections: int = 0

    @property
    def called(self) -> str:
        return "errors"

    @property
    def equation(self) -> str:
        return "e_x = v - x' beyond its tolerance; e = what will be missing beyond the tube"

    @property
    def inputs(self) -> Sequence[Port]:
        speed, varied = self.asked.speed, list(self.asked.wide)
        varied += [speed.offset, speed.amplitude, speed.rate, speed.tolerance] if speed else []
        return (
            *([VELOCITY] if speed or self._rests else []),
            *([REMAINING] if speed and not speed.level else []),
            AHEAD,
            *([TURN_AHEAD] if self.asked.orientation else []),
            *([FACING_AHEAD] if self.asked.angle else []),
            *([section_port(self.sections)] if differ(varied) else []),
            mode_port(self.machine),
        )

    @property
    def outputs(self) -> Sequence[Port]:
        rows = self.asked.rows
        each = (Port(f"error_{row}", (), "various", f"what is missing of {row}: desired - actual") for row in rows)
        return (*each, Port("error", (len(rows),), "various", f"what is missing of {', '.join(rows)}"))

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        asked, mode, section, found = self.asked, given["mode"], given.get("section"), dict[str, Any]()
        tolerant = of_mode(self.machine, mode, "tolerant")
        if asked.speed:
            missing = (
                of_mode(self.machine, mode, "pace") * asked.speed.at(given.get("remaining"), section)
                - given["velocity"][0]
            )
            # in every mode, or delay makes its sign swing
            found["x"] = beyond_tube(missing, self.slack * pick(asked.speed.tolerance, section))
        for axis, wide in asked.tubes.items():
            found[axis] = beyond_tube(given["ahead"]["xyz".index(axis)], tolerant * pick(wide, section))
            if self._rests:
                resting = beyond_tube(-given["velocity"]["xyz".index(axis)], RESTING)
                found[axis] = of_mode(self.machine, mode, "still").select(resting, found[axis])
        if asked.orientation:
            turns = beyond_angle(given["turn_ahead"], tolerant * pick(asked.orientation, section))
            found |= zip(TURNS, turns, strict=True)
        if asked.angle:
            missing = missing_angle(given["facing_ahead"], pick(asked.angle, section))
            found["az"] = beyond_tube(missing, tolerant * pick(asked.angle_tube, section))
        rows = [found[row] for row in asked.rows]
        return {f"error_{row}": e for row, e in zip(asked.rows, rows, strict=True)} | {"error": np.array(rows, object)}

    @property
    def _rests(self) -> bool:
        """Whether there are modes in which nothing is to move across x."""
        return any(BEHAVIOURS[state].still for state in self.machine.states)


@dataclass(frozen=True)
class Asking(Part):
    """Commands scaled at one place into what constrained dynamics is asked: accelerations along rows."""

    rows: Sequence[str]
    maximum: Sequence[float]
    b: Port

    @property
    def called(self) -> str:
        return "ask"

    @property
    def equation(self) -> str:
        return "b = u * maximum"

    @property
    def inputs(self) -> Sequence[Port]:
        return tuple(Port(f"command_{row}", (), "1", f"share of the largest command of {row}") for row in self.rows)

    @property
    def outputs(self) -> Sequence[Port]:
        shares = Port("command", (len(self.rows),), "1", f"shares of the largest commands: {', '.join(self.rows)}")
        return (self.b, shares)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        shares = np.array([given[f"command_{row}"] for row in self.rows], object)
        return {self.b.name: shares * np.array(self.maximum), "command": shares}


@dataclass(frozen=True)
class Stopping(Part):
    """Whether this mode is the one in which joints are held."""

    machine: Machine = field(hash=False)

    @property
    def called(self) -> str:
        return "stopping"

    @property
    def equation(self) -> str:
        return "stopped: no row holds"

    @property
    def inputs(self) -> Sequence[Port]:
        return (mode_port(self.machine),)

    @property
    def outputs(self) -> Sequence[Port]:
        return (event_port("stopped"),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"stopped": opposite(of_mode(self.machine, given["mode"], "rows"))}


@dataclass(frozen=True)
class Motors(Part):
    """What motors are told, within what they can make; what is no number stays none, and is no limit."""

    told: Port
    limits: Sequence[float]

    @property
    def called(self) -> str:
        return "motors"

    @property
    def equation(self) -> str:
        return "tau within its limits"

    @property
    def inputs(self) -> Sequence[Port]:
        return (replace(self.told, name="tau_told"),)

    @property
    def outputs(self) -> Sequence[Port]:
        return (replace(self.told, name="tau"),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        both = zip(given["tau_told"], self.limits, strict=True)
        return {"tau": np.array([within(tau, -most, most) for tau, most in both], object)}


@dataclass(frozen=True)
class Telling(Part):
    """Events as one number, a bit each."""

    events: Sequence[str]

    @property
    def called(self) -> str:
        return "tell"

    @property
    def equation(self) -> str:
        return "events = sum of 2^k"

    @property
    def inputs(self) -> Sequence[Port]:
        return tuple(map(event_port, self.events))

    @property
    def outputs(self) -> Sequence[Port]:
        legend = ", ".join(f"{2**k} {event}" for k, event in enumerate(self.events))
        return (Port("events", (), "1", f"events seen, a bit each: {legend}", Choices(1, 2 ** len(self.events))),)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        bits: Any = 0.0
        for k, event in enumerate(self.events):
            bits = bits + 2.0**k * given[event]
        return {"events": bits}
