"""What of a lazy cycle feels and presses? Parts between a measured wrench and artificial forces; data with ports.

feel           wrench → pressed, the force along z; misaligned, the largest share of all tolerances
force_errors   wrench, pad_twist, mode → an error a direction: of a force, or of a speed on the way to a surface
renew          mode → which controllers begin anew, since their errors mean something else
press          a command a direction, pad_twist, mode → f_art, what motors make at the force frame

f_art = F + u F_max - d (v - v_approach)        F is fed forward where something is touched
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motionc.computations import solve
from motionc.control.errors import beyond_tube
from motionc.control.machine import Machine
from motionc.control.part import Part, reset_name, reset_port
from motionc.geometry.control_words import magnitude
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision, State
from motionc.program.space import Choices, Near
from motionc.runtime.computation import Computation
from motionc.solvers.schedules import TWISTS
from motionc.sweeps.output import Output
from motionc.tasks.cycle_parts import mode_port, of_mode
from motionc.tasks.forces import WRENCH_ROWS, Forces

WRENCH = Port(
    "wrench",
    (6,),
    "N m, N",
    "(n; f) that the tool presses with, at its force frame, in its axes; measured",
    Near(np.zeros(6)),
)
PAD_TWIST = Port("pad_twist", (6,), "rad/s, m/s", "how the force frame moves wrt the world, in its axes")
FELT = 0.35
"""Of tolerances of forces and moments, what counts as no error: the rest is left for noise and delay."""
SMOOTH = 0.05
"""Time constant of what is felt, where alignment is judged (s)."""
ROCKING = 0.02
"""Turning of a tool that is not in contact, which counts as none (rad/s)."""


def pad_motion(robot: Robot, frame: str, precision: Precision) -> Computation:
    """How the force frame moves wrt the world, in its own axes."""
    twist = Output("twist", of=frame, as_seen_by="")
    return solve(robot, TWISTS, outputs={PAD_TWIST.name: twist}, precision=precision, name="feel_motion")


@dataclass(frozen=True)
class Feeling(Part):
    """What is felt of a surface: how hard a tool presses, and how far it is from being laid on it.

    The latter is low-passed: a tool is aligned by what it presses with, and not by the noise of a sensor.
    """

    forces: Forces
    dt: float

    @property
    def called(self) -> str:
        return "feel"

    @property
    def equation(self) -> str:
        return "pressed = f_z; misaligned = max |low-passed f - F| / tolerance"

    @property
    def inputs(self) -> Sequence[Port]:
        axes = ", ".join(self.forces.bands)
        return (WRENCH, State("felt", (len(self.forces.bands),), "N m, N", f"what is felt of {axes}, low-passed"))

    @property
    def outputs(self) -> Sequence[Port]:
        return (
            Port("pressed", (), "N", "force along z of the force frame"),
            Port("misaligned", (), "1", "the largest share of all tolerances of forces, 1 at its end"),
        )

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        wrench, new, worst, felt = given["wrench"], -math.expm1(-self.dt / SMOOTH), None, list[Any]()
        for (axis, band), before in zip(self.forces.bands.items(), given["felt"], strict=True):
            felt.append(before + new * (wrench[WRENCH_ROWS[axis]] - before))
            share = magnitude(band.value - felt[-1]) * (1.0 / band.tolerance)
            worst = share if worst is None else worst.maximum(share)
        return {"pressed": wrench[WRENCH_ROWS["z"]], "misaligned": worst, "felt": felt}


@dataclass(frozen=True)
class ForceErrors(Part):
    """An error a direction of force: of what is measured; on the way to a surface, of a speed, and of turning."""

    forces: Forces
    machine: Machine = field(hash=False)

    @property
    def called(self) -> str:
        return "force_errors"

    @property
    def equation(self) -> str:
        return "e = F - f beyond a share of its tolerance; approaching, e = v - z' and -omega"

    @property
    def inputs(self) -> Sequence[Port]:
        return (WRENCH, *([PAD_TWIST] if self.forces.approach else []), mode_port(self.machine))

    @property
    def outputs(self) -> Sequence[Port]:
        axes = tuple(self.forces.bands)
        each = (Port(f"error_{axis}", (), "various", f"what is missing of {axis}: desired - actual") for axis in axes)
        return (*each, Port("force_error", (len(axes),), "various", f"what is missing of {', '.join(axes)}"))

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        approach, found = self.forces.approach, dict[str, Any]()
        presses = of_mode(self.machine, given["mode"], "presses")
        for axis, band in self.forces.bands.items():
            row = WRENCH_ROWS[axis]
            error = beyond_tube(band.value - given["wrench"][row], FELT * band.tolerance)
            if approach:
                asked, slack = (approach.speed.value, approach.speed.tolerance) if axis == "z" else (0.0, ROCKING)
                error = presses.select(error, beyond_tube(asked - given["pad_twist"][row], slack))
            found[axis] = error
        each = {f"error_{axis}": error for axis, error in found.items()}
        return each | {"force_error": np.array(list(found.values()), object)}


@dataclass(frozen=True)
class Renewing(Part):
    """Which controllers begin anew: those whose errors mean something else in this mode than in the one before.

    Args:
        states: {number of the mode's behaviour: state ports of the controllers whose errors mean what it says}.
    """

    states: Mapping[str, Sequence[str]] = field(hash=False)
    machine: Machine = field(hash=False)

    @property
    def called(self) -> str:
        return "renew"

    @property
    def equation(self) -> str:
        return "reset where what an error means has changed"

    @property
    def inputs(self) -> Sequence[Port]:
        before = (
            State(f"{what}_before", (), "1", f"{what} of the mode before", space=Choices(1, 2)) for what in self.states
        )
        return (mode_port(self.machine), *before)

    @property
    def outputs(self) -> Sequence[Port]:
        return [reset_port(port) for ports in self.states.values() for port in ports]

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        found = dict[str, Any]()
        for what, ports in self.states.items():
            now = of_mode(self.machine, given["mode"], what)
            changed = given[f"{what}_before"].not_equal(now)
            found |= {f"{what}_before": now} | {reset_name(port): changed for port in ports}
        return found


@dataclass(frozen=True)
class Pressing(Part):
    """Commands scaled at one place into what motors make at the force frame: an artificial wrench, with dampers."""

    forces: Forces
    maximum: Mapping[str, float] = field(hash=False)
    damping: Mapping[str, float] = field(hash=False)
    machine: Machine = field(hash=False)
    f_art: Port

    @property
    def called(self) -> str:
        return "press"

    @property
    def equation(self) -> str:
        return "f_art = F + u F_max - d (v - v_approach)"

    @property
    def inputs(self) -> Sequence[Port]:
        each = (
            Port(f"command_{axis}", (), "1", f"share of the largest command of {axis}") for axis in self.forces.bands
        )
        return (*each, PAD_TWIST, mode_port(self.machine))

    @property
    def outputs(self) -> Sequence[Port]:
        axes = tuple(self.forces.bands)
        shares = Port("force_command", (len(axes),), "1", f"shares of the largest commands: {', '.join(axes)}")
        return (self.f_art, shares)

    def tick(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        wrench: list[Any] = [0.0] * 6
        presses = of_mode(self.machine, given["mode"], "presses")
        for axis, band in self.forces.bands.items():
            row, rate = WRENCH_ROWS[axis], given["pad_twist"][WRENCH_ROWS[axis]]
            if self.forces.approach and axis == "z":
                rate = rate - presses.select(0.0, self.forces.approach.speed.value)
            made = self.maximum[axis] * given[f"command_{axis}"] - self.damping[axis] * rate
            wrench[row] = made + presses * band.value if band.value else made
        shares = [given[f"command_{axis}"] for axis in self.forces.bands]
        return {
            self.f_art.name: np.array([wrench], object),
            "force_command": np.array(shares, object),
        }
