"""The simulated robot as hardware: what a controller reads and tells is all that passes, as with a real one.

    period    the plant's steps from one state to the next, the command held            every · dt
    state     what its sensors measure at the start of the first of them
    stop      no command for `watchdog` periods, one that is no number, or nobody there: it holds where it is, by itself

It makes the turns of `mc.simulate.closed(plant, …, rate=every)`: the same noise of the same seed, the same happenings
by the clock. In lockstep time passes with commands; by the clock it passes anyhow.
"""

import time
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cached_property, partial
from math import isfinite
from typing import Any, cast, get_args

import numpy as np

from motionc import checked
from motionc.computations.wired import wired
from motionc.control.encoders import EncoderModel
from motionc.control.interfaces import Command, Nameplate, Pace, Reading, Stopped
from motionc.control.laws import computed_torque, pd
from motionc.errors import Error, suggestion
from motionc.model.robot import Robot
from motionc.program.noise import blocks, draw, seed_of
from motionc.runtime.computation import Computation
from motionc.simulate.closed_loop import closed
from motionc.simulate.plant import Plant
from motionc.solvers.arguments import checked_actuated

Array = np.ndarray[Any, np.dtype[np.float64]]

AHEAD = 256
"""Periods whose noise is drawn at once."""
HOLD = 10.0
"""Rad/s: how stiff a robot that has stopped holds where it is; critically damped."""


@dataclass(frozen=True, eq=False)
class SimulatedRobot:
    """A plant as a robot that is reached through an interface (`Hardware`), in this process or in another.

    Args:
        plant: the robot as it really is; sensors say what is measured.
        start: where it starts, {"q": …, "v": …}; `plant.start()` unless said.
        every: steps of the plant a period.
        seed: of noise, and of plants that differ.
        lane: which of the plants that differ, and its noise; the one in the file unless said.
        given: {input: value} of all else the plant is given.
        pace: "lockstep", it waits for each command; "clock", it does not.
        watchdog: periods without a command after which it stops by itself.
        wrench: the output of a sensor that is told as the wrench, six numbers (n; f); the first whose name ends in
            _wrench unless said.
        encoders: {joint: encoder} of joints that tell counts in the place of positions; their velocities are not told.
        model: what it takes itself for, the robot as its controller knows it; the plant's own unless said.
    """

    plant: Plant
    _: KW_ONLY
    start: Mapping[str, Any] | None = None
    every: int = 1
    seed: int = 0
    lane: int | None = None
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])
    pace: Pace = "lockstep"
    watchdog: int = 3
    wrench: str = ""
    encoders: Mapping[str, EncoderModel] = field(default_factory=dict[str, EncoderModel])
    model: Robot | None = None

    def __post_init__(self) -> None:
        what = "SimulatedRobot"
        checked.instance(f"{what}: plant", self.plant, Plant, "give a mc.simulate.Plant(…) or MujocoPlant(…)")
        checked.whole(f"{what}: every", self.every, 1, "give a whole number of steps ≥ 1")
        checked.whole(f"{what}: watchdog", self.watchdog, 1, "give a whole number of periods ≥ 1")
        checked.one_of(f"{what}: pace", self.pace, get_args(Pace))
        seed_of(f"{what}: seed", self.seed)
        outputs = [port for part in self.plant.measuring.values() for port in part.outputs]
        known = [port.name for port in outputs if port.shape == (6,)]
        if not self.wrench:
            felt = next((name for name in known if name.endswith("_wrench")), "")
            object.__setattr__(self, "wrench", felt)
        elif self.wrench not in known:
            raise Error(
                f"{what}: wrench: no sensor gives six numbers as {self.wrench!r}{suggestion(self.wrench, known)}"
            )
        singles = {
            name for name, one in zip(self.robot.joint_names, self.robot.spaces(), strict=True) if one.type.single
        }
        for joint, one in self.encoders.items():
            checked.instance(f"{what}: encoders: {joint}", one, EncoderModel, "give mc.control.EncoderModel(…)")
            if joint not in singles:
                raise Error(
                    f"{what}: encoders: {self.plant.robot.name} has no movable joint {joint!r} of one coordinate"
                    f"{suggestion(joint, singles)}"
                )

    @property
    def robot(self) -> Robot:
        """The robot as it really is."""
        return self.plant.robot

    @property
    def nameplate(self) -> Nameplate:
        """What it says of itself."""
        return self._plate

    @cached_property
    def _plate(self) -> Nameplate:
        return Nameplate.of(
            self.model or self.robot,
            cast(Command, self.plant.command.name),
            self.every * self.plant.dt,
            wrench=self.wrench,
            pace=self.pace,
            watchdog=self.watchdog,
            encoders=tuple(sorted(self.encoders)),
        )

    # ---------------------------------------------------------------- as hardware of this process

    @cached_property
    def moves(self) -> "Moves":
        """The robot in motion: made once, from `start` on."""
        return Moves(self)

    def build(self) -> "SimulatedRobot":
        """Compile now what the first period would."""
        _ = self.moves
        return self

    def open(self) -> None:
        self.moves.release()

    def read(self, timeout: float) -> Reading | None:
        """The next state; by the clock, as soon as its period begins, or not within this time."""
        return self.moves.wait(timeout) if self.pace == "clock" else self.moves.turn()

    def write(self, command: Array) -> None:
        self.moves.told = command

    def stop(self) -> None:
        self.moves.stop(Stopped.ASKED)

    def close(self) -> None:
        self.moves.stop(Stopped.LEFT)
        self.moves.settle()

    def __reduce__(self) -> tuple[Any, ...]:
        """As it is before anything moves."""
        return partial(SimulatedRobot, **{one.name: getattr(self, one.name) for one in fields(self)}), ()

    def __repr__(self) -> str:
        return f"SimulatedRobot({self.plant!r}, every={self.every}, pace={self.pace!r})"


class Moves:
    """A simulated robot in motion: its state, what it was told, and whether it stopped."""

    def __init__(self, of: SimulatedRobot) -> None:
        plant, robot = of.plant, of.plant.robot
        self.of, self.loop = of, closed(plant, log=[])
        self._lane = self.loop.runs.one_lane()
        self._law = _holding(plant)
        self._row, self._given = self._begun()
        self._measure = wired(plant.measuring, name="measure").build() if plant.measuring else None
        self._command = next(k for k, (_, one) in enumerate(self.loop.runs.loop.given) if one.name == self.command.name)
        self._noise, self._drawn_from = dict[str, Array](), -1
        self._counters = [
            (robot.q_index[joint].start, robot.v_index[joint].start, one) for joint, one in of.encoders.items()
        ]
        self.period, self.turns, self.number = of.every * plant.dt, 0, 0
        self.stopped, self._held = Stopped.LEFT, self._row[self._lane.places["q"]].copy()
        self.told: Array | None = None
        """The command that answers the state that was told last."""
        self._last, self._missing, self._due, self._asked = self._rest(), 0, 0.0, False

    @property
    def command(self) -> Any:
        return self.of.plant.command

    def _begun(self) -> tuple[Array, list[Array]]:
        """What is carried, at the start, and what is held, the command among it."""
        of, program = self.of, self.loop.runs.loop
        start = dict(of.plant.start() if of.start is None else of.start)
        given = dict(of.given)
        if of.lane is not None:
            given = {name: value[0] for name, value in of.plant.plants(of.seed, [of.lane]).items()} | given
        told = {self.command.name: np.zeros(self.command.shape)}
        asked = self.loop.runs.asked
        sheets = asked.sheets({**told, **given, **start}, 1, None)
        row = self._lane.start.copy()
        for k, buffer in program.states:
            row[self._lane.places[buffer.name]] = np.ravel(sheets[k][0])
        return row, [np.ravel(sheets[k][0]).copy() for k, _ in program.given]

    # ---------------------------------------------------------------- in time

    @property
    def time(self) -> float:
        """Seconds that passed, on its clock."""
        return self.turns * self.of.plant.dt

    def true(self, name: str) -> Array:
        """What is so, whatever is measured: q, v, and all else it carries."""
        return self._row[self._lane.places[name]].copy()

    def reading(self) -> Reading:
        """The state now, as it is measured."""
        of, seen = self.of, self._measured()
        q, v = (np.array(seen.get(f"{name}_measured", seen[name]), float) for name in "qv")
        for place, rate, encoder in self._counters:
            q[place], v[rate] = encoder.raw(q[place]), 0.0
        felt = np.asarray(seen[of.wrench], float) if of.wrench else None
        return Reading(self.number, self.time, q, v, felt, self.stopped)

    def advance(self, command: Array | None) -> None:
        """A period under a command; None where none came in time."""
        if command is not None and not isfinite(sum(command.tolist())):
            self.stop(Stopped.NOT_FINITE)
        if self.stopped:
            self._last = self._holds()
        elif command is not None:
            self._last, self._missing = np.array(command, float), 0
        else:
            self._missing += 1
            if self._missing >= self.of.watchdog:
                self.stop(Stopped.NO_COMMAND)
                self._last = self._holds()
        given = self._given
        given[self._command] = self._last
        lane = self.of.lane or 0
        begin = [(slice(None), self._row)]
        row, finite = self._lane(self.of.every, begin, given, first=self.turns, seed=self.of.seed, lane=lane)
        if not finite:
            raise Error(f"the simulated {self.of.robot.name} diverged at {self.time:g} s; take shorter steps")
        self._row = row
        self.turns += self.of.every
        self.number += 1

    def turn(self) -> Reading:
        """The next state, in lockstep: what was told since the last one moves it there."""
        if self._asked:
            self.advance(self.told)
        self._asked, self.told = True, None
        return self.reading()

    def wait(self, timeout: float) -> Reading | None:
        """The next state, by the clock: periods that nobody waited for pass as well."""
        now = time.monotonic()
        if not self._asked:
            self._due = now
        while self._asked and self._due + self.period <= now:
            self._pass()
        if self._asked:
            if self._due + self.period > now + timeout:
                time.sleep(timeout)
                return None
            time.sleep(max(0.0, self._due + self.period - time.monotonic()))
            self._pass()
        self._asked = True
        return self.reading()

    def _pass(self) -> None:
        self.advance(self.told)
        self.told = None
        self._due += self.period

    def release(self) -> None:
        """Move as it is told from now on."""
        self.stopped, self._missing, self.told, self._asked = Stopped.NO, 0, None, False
        self._last = self._rest()

    def stop(self, why: Stopped) -> None:
        """Hold where it is, whatever it is told; the first reason counts."""
        if not self.stopped:
            self.stopped, self._held = why, self.true("q")

    def settle(self, seconds: float = 2.0) -> None:
        """Let it come to rest where it stopped."""
        for _ in range(round(seconds / self.period)):
            if np.abs(self.true("v")).max(initial=0.0) < 1e-4:
                return
            self.advance(None)

    # ---------------------------------------------------------------- what it measures and holds

    def _measured(self) -> dict[str, Any]:
        """What sensors read at the start of this turn, beside the truth."""
        row = {name: self._row[place] for name, place in self._lane.places.items()}
        if self._measure is None:
            return row
        held = {one.name: value for (_, one), value in zip(self.loop.runs.loop.given, self._given, strict=True)}
        known = {**held, **row, **self._drawn(), "time": self.time}
        read = self._measure(*(np.reshape(known[port.name], port.shape) for port in self._measure.inputs))
        names = [port.name for port in self._measure.outputs]
        return row | dict(zip(names, [read] if len(names) == 1 else read, strict=True))

    def _drawn(self) -> dict[str, Array]:
        """The noise of this turn, of many periods at once."""
        program, of = self.loop.runs.loop, self.of
        ahead = (self.turns - self._drawn_from) // of.every
        if self._drawn_from < 0 or ahead >= AHEAD:
            block, turns = 0, self.turns + of.every * np.arange(AHEAD)
            for _, buffer in program.of("drawn"):
                size, lane = buffer.port.size, of.lane or 0
                self._noise[buffer.name] = draw(buffer.drawn, of.seed, lane, turns, block, size, program.precision)
                block += blocks(size)
            self._drawn_from, ahead = self.turns, 0
        return {name: values[ahead] for name, values in self._noise.items()}

    def _rest(self) -> Array:
        """What it is told before anybody tells it something."""
        return self.true("q") if self.command.name == "q_target" else np.zeros(self.command.size)

    def _holds(self) -> Array:
        """What its own drives do where it has stopped."""
        match self.command.name:
            case "q_target":
                return self._held
            case "v_target":
                return np.zeros(self.command.size)
            case _:
                known = {"q": self.true("q"), "v": self.true("v"), "target": self._held}
                none = np.zeros(self.of.robot.nv)
                return np.asarray(self._law(*(known.get(port.name, none) for port in self._law.inputs)), float)


def _holding(plant: Plant) -> Computation:
    """What holds a robot that is told forces: computed torque; springs as stiff where some joint has no motor."""
    robot = plant.robot
    if len(checked_actuated(robot, None)) == len(robot.joint_names):
        return computed_torque(robot, HOLD**2, 2 * HOLD, gravity=plant.gravity)
    return pd(robot, HOLD**2, 2 * HOLD)
