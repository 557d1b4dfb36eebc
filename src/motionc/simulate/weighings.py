"""How well is a load weighed? Plants that differ hold loads that differ in several poses, without them and with them.

In each pose a tool is held without its load, until its controllers' reference is known, and then with it; what was
learnt of the load goes along to the next pose. Where joints stick, the reference may swing by a little.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from motionc import checked
from motionc.computations import forward_kinematics
from motionc.computations.block import block
from motionc.computations.wired import wired
from motionc.control.abag import Abag
from motionc.control.weighing import CONVERGED
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Port
from motionc.runtime.computation import Computation
from motionc.simulate.closed_loop import closed
from motionc.simulate.happenings import TIME
from motionc.simulate.loops import Loop
from motionc.simulate.plant import Plant
from motionc.simulate.rig import Rig
from motionc.simulate.runs import Run
from motionc.solvers.arguments import q_port
from motionc.tasks import Hold, LazyCycle, Orientation, Tube, Weighing, lazy
from motionc.tasks.directions import AXES, TURNS

Array = np.ndarray[Any, np.dtype[np.float64]]
STEADY = Abag(filter=0.8, ignore=0.03, bias_step=2e-4, panic=0.8, gain_step=2e-3)
MOST, MOST_TURN = 20.0, 40.0
"""What holds a tool still: a controller in each direction, and its largest command (m/s², rad/s²)."""
CARRIED = ("poses", "pull", "lever", "spread", "mass", "first")
"""State of the estimate that goes along from pose to pose."""
TASK = Hold("tool", "T", position=Tube(1e-4), orientation=Orientation(2e-4), name="weigh")
RIG, WEIGH = Rig(), Weighing()


@dataclass(frozen=True)
class Swing:
    """A swing of the reference: every joint by this much to both sides (rad, m), once a period (s)."""

    amplitude: float = 0.01
    period: float = 2.0

    def __post_init__(self) -> None:
        for what in ("amplitude", "period"):
            checked.number(f"Swing: {what}", getattr(self, what), "give a number > 0", fits=lambda value: value > 0)


@dataclass(frozen=True, eq=False)
class Weighed:
    """What was learnt of loads, a row a lane.

    Args:
        mass: kg.
        center: of mass, from the tool's origin in its axes (m).
        poses: how many wrenches were counted.
        early: how many of them before signals had converged.
        off: how far mean commands are from their reference in the end, with the load known, of the largest command.
    """

    mass: Array
    center: Array
    poses: Array
    early: Array
    off: Array

    def within(self, loads: Any, mass: float = 0.02, center: float = 0.01) -> Array:
        """Whether each is as exact: mass by a share, centre of mass by metres; what was never counted is not."""
        true = np.asarray(loads, float)
        near = np.linalg.norm(self.center - true[:, 1:4], axis=1) <= center
        return near & (np.abs(self.mass / true[:, 0] - 1) <= mass)


@dataclass(frozen=True)
class Weighings:
    """Loads weighed in several poses, on plants that differ.

    Args:
        robot: as its controller knows it, without a load.
        tool: the frame that loads hang on.
        poses: configurations in which it is held.
        rig: the plant.
        weigh: how signals are averaged, and when they count as converged.
        swing: of the reference; None, it stands still.
        rate: cycles of the controller a second.
        horizon: how far it looks ahead (s).
        seconds: without the load in each pose, and again with it.
    """

    robot: Robot
    tool: str
    poses: Sequence[Sequence[float]]
    _: KW_ONLY
    rig: Rig = RIG
    weigh: Weighing = WEIGH
    swing: Swing | None = None
    rate: float = 630.0
    horizon: float = 0.5
    seconds: float = 10.0
    task: Hold = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "task", replace(TASK, tool=self.tool))
        if self.swing and not math.isclose(self.seconds % self.swing.period, 0.0, abs_tol=1e-9):
            raise Error("Weighings: seconds: a swing is averaged over whole periods; take a multiple of its period")

    @cached_property
    def cycle(self) -> LazyCycle:
        """What holds the tool, and weighs."""
        most = {row: MOST_TURN if row in TURNS else MOST for row in AXES}
        return lazy(
            self.robot,
            self.task,
            rate=self.rate,
            horizon=self.horizon,
            controllers=dict.fromkeys(AXES, STEADY),
            maximum=most,
            weigh=self.weigh,
        )

    @property
    def load(self) -> str:
        """The constant of the plant that a load is."""
        return f"{self.tool}.payload"

    @cached_property
    def plant(self) -> Plant:
        """The plant, on whose tool something may hang."""
        plant = self.rig.plant(self.robot, self.rate, 1)
        return plant.alike(vary={**plant.vary, self.load: 0.0})

    @cached_property
    def loop(self) -> Loop:
        """Plant and cycle, the reference swinging before it where it does."""
        parts: dict[str, Computation] = {} if self.swing is None else {"sway": self._sway(self.swing)}
        log: dict[str, int] = {CONVERGED: self.rig.substeps, "weighed_poses": self.rig.substeps}
        return closed(self.plant, {**parts, "weigh": self.cycle}, rate=self.rig.substeps, log=log, name="weighing")

    def _sway(self, swing: Swing) -> Computation:
        """Where the tool is to be: that of a configuration whose joints swing."""
        rest = q_port(self.robot, "q_pose", "configuration about which it swings")
        moved = q_port(self.robot, "q_swung", "configuration in this instant")
        frame = next(port for port in self.cycle.inputs if port.name == self.task.frame)

        def sway(time: Any, q_pose: Any) -> Mapping[str, Any]:
            share = (2.0 * math.pi / swing.period * time).sin()
            return {"q_swung": [q + swing.amplitude * share for q in q_pose]}

        def here(poses: Any) -> Mapping[str, Any]:
            return {frame.name: poses[0]}

        where = forward_kinematics(self.robot, [self.tool])
        there = Port(where.outputs[0].name, where.outputs[0].shape, "m, 1", "pose of the tool")
        parts = {
            "swing": block("swing", sway, [TIME, rest], [moved]),
            "where": where,
            "there": block("there", here, [there], [frame]),
        }
        return wired(parts, feeds={"where.q": "q_swung"}, outputs=[f"there.{frame.name}"], name="sway")

    def weighed(self, loads: Any, *, seed: int = 0, lane: int = 0) -> Weighed:
        """What is learnt of loads: mass, centre of mass, inertia about it; each hangs on a plant of its own.

        Args:
            loads: (N, 10).
            seed: of plants that differ, and of noise.
            lane: the first plant.
        """
        hung = np.asarray(checked.numbers("weighed: loads", loads, "give ten numbers a load, (N, 10)", (None, 10)))
        places = checked.numbers(
            "Weighings: poses", self.poses, "give configurations, one a row", (None, self.robot.nq)
        )
        carried, state, early = dict[str, Array](), dict[str, Array](), np.zeros(len(hung))
        for q in np.asarray(places, float):
            start = {"q": q, "v": np.zeros(self.robot.nv)}
            empty = self._held(start | carried, q, np.zeros_like(hung), seed, lane)
            run = self._held(empty.state, q, hung, seed, lane, turn=int(np.max(empty.turns)))
            counted = np.diff(run.weighed_poses, axis=1, prepend=empty.weighed_poses[:, -1:]) > 0
            early += np.sum(counted & (run[CONVERGED] < 1.0), axis=1)
            early += np.sum(np.diff(empty.weighed_poses, axis=1) > 0, axis=1)
            state = dict(run.state.items())
            carried = {f"weighed_{name}": state[f"weighed_{name}"] for name in CARRIED}
        rows, mass = len(AXES), carried["weighed_mass"]
        weight = np.where(mass > 0, mass, np.nan)[:, np.newaxis]
        off = np.abs(state["averaged"][:, :rows] - state["reference"]).max(axis=1)
        return Weighed(mass, carried["weighed_first"] / weight, carried["weighed_poses"], early, off)

    def _held(self, start: Any, q: Array, loads: Array, seed: int, lane: int, turn: int = 0) -> Run:
        """One pose, without a load or with it."""
        held: dict[str, Any] = {"loaded": float(bool(np.any(loads))), self.load: loads}
        if self.swing:
            held["q_pose"] = q
        else:
            held[self.task.frame] = forward_kinematics(self.robot, [self.tool])(q)[0]
        return self.loop.batch(start, seconds=self.seconds, plants=len(loads), seed=seed, lane=lane, turn=turn, **held)
