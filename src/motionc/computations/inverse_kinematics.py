"""Configurations that put frames where they should be: one loop in time, whose turn is a step and what follows from it.

The loop is data (solvers/search.py); here it gets its arguments, and what makes no sense is named. What a state finds
does not depend on those beside it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from motionc import checked
from motionc.computations.device_inverse_kinematics import DeviceInverseKinematics
from motionc.computations.making import computes, made_of
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.looping import Course, LoopSource
from motionc.program.port import Note, Port, expect_count, fitting, one_state, ports_table
from motionc.program.space import Poses
from motionc.program.wiring import wiring
from motionc.runtime.arrays.batch import Sheet, sheets
from motionc.runtime.loops import LoopComputation
from motionc.runtime.one_lane import OneLane
from motionc.runtime.results import Results, record_type
from motionc.solvers.arguments import Question, q_port
from motionc.solvers.constraint import EVERYTHING
from motionc.solvers.frame_arguments import SINGLE, USUAL, Frames, as_targets
from motionc.solvers.inverse_kinematics import (
    InverseKinematicsStep,
    joint_limits,
    limits_of_rates,
    tolerances,
    understood_limits,
)
from motionc.solvers.inverse_velocity import Weights, checked_weights
from motionc.solvers.search import DAMPING, MOST, RIGID, Aim, InverseKinematicsSearch, Search
from motionc.solvers.target import in_words, name_of
from motionc.sweeps.options import Check, optional
from motionc.sweeps.parameters import Parameters
from motionc.tables import few, short

Array = np.ndarray[Any, np.dtype[Any]]
Posture = Literal["start", "middle"]

ALONE = 16
"""States up to which they are searched for one by one: a block of lanes is prepared for longer."""
FEEDBACK = {"q": "q_next", "damping": "damping_next"}
POSTURE = {"pull": "pull_next"}
FEEDS = {
    "step.q": "aim.tried",
    "search.origin": "aim.origin",
    "search.after": "step.q",
    "search.position_there": "step.position",
    "search.rotation_there": "step.rotation",
    "search.distortion_now": "step.distortion",
}
"""What parts of a turn hand on to each other under other names."""


@dataclass(frozen=True)
class InverseKinematicsOptions(Question):
    """Inverse kinematics: configurations within limits that put frames where they should be, log(X_goal X(q)⁻¹) = 0.

    >>> import motionc as mc
    >>> robot = mc.load("lwr4")
    >>> ik = mc.inverse_kinematics(robot, "link_7")
    >>> pose = mc.forward_kinematics(robot, ["link_7"])([0.1, 0.5, -0.3, 1.2, 0.4, -0.6, 0.2])[0]
    >>> ik(robot.neutral(), pose).success
    True

    Args:
        robot: the robot.
        frames: a frame, or several; a Target or a Constraint says which rows count, at which point and wrt what. A
            CenterOfMass is one too: of its pose the position counts.
        rows: of frames given by name: tokens x y z rx ry rz ("xyz": the position alone), or a 6×m matrix.
        wrt: of frames given by name: with respect to which frame they are to be there.
        point: of frames given by name: the point that is to be there, in frame coordinates (m).
        as_seen_by: of frames given by name: whose axes the rows are written in.
        tolerance: how much may be missing, in m and rad; or one for each.
        limits: lower and upper in the order of v, where those of the robot are not meant.
        posture: where joints go as far as targets leave them free: to where they "start", to the "middle" of their
            ranges, or to a configuration. Without it they just take the shortest steps.
        joint_weights: how unwilling joints are to move, in the order of v.
        iterations: steps from one start, at most.
        restarts: other starts to try, at most: first the middle of all ranges, then points spread over them. Joints
            that move no target stay where they start. With 0, what is out of reach is followed without jumps.
        seed: of these.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/guide/parameters.md).
    """

    called: ClassVar[str] = "inverse_kinematics"
    renamed: ClassVar = {"targets": "frames"}
    understood: ClassVar[Mapping[str, Check]] = {
        **Question.understood,
        "tolerance": tolerances,
        "limits": optional(understood_limits),
        "posture": lambda what, given: given,
        "joint_weights": optional(checked_weights),
        "iterations": lambda what, given: checked.whole(what, given, 1),
        "restarts": lambda what, given: checked.whole(what, given, 0),
        "seed": lambda what, given: checked.whole(what, given, 0),
    }

    frames: Frames
    _: KW_ONLY
    rows: Any = EVERYTHING
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    tolerance: float | tuple[float, float] = 1e-6
    limits: tuple[Any, Any] | None = None
    posture: Posture | Sequence[float] | Array | None = None
    joint_weights: Weights | None = None
    iterations: int = 30
    restarts: int = 40
    seed: int = 0
    parameters: Parameters = ()


class InverseKinematics:
    """From a start and where frames should be to a configuration; `step` is repeated, `loop` is the whole search.

    A record comes back: q, what is missing of positions and rotations, whether that is within tolerance, and how many
    steps it took. What was not reached says so in `notes`.
    """

    def __init__(self, robot: Robot, options: InverseKinematicsOptions) -> None:
        checked.instance("InverseKinematics: robot", robot, Robot, "load one: mc.load(…)")
        wanted = "make it by mc.inverse_kinematics(robot, frames)"
        checked.instance("InverseKinematics: options", options, InverseKinematicsOptions, wanted)
        self.name, self.robot, self.options = options.called, robot, options
        beside = {name: getattr(options, name) for name in USUAL}
        self.targets = as_targets(f"{self.name}: frames", options.frames, **beside)
        self.iterations, self.restarts = options.iterations, options.restarts
        self.lower, self.upper = joint_limits(robot, options.limits)
        self._tolerance: Any = options.tolerance
        step = InverseKinematicsStep(
            self.targets,
            lower=self.lower,
            upper=self.upper,
            joint_weights=options.joint_weights,
            posture=options.posture is not None,
            tolerance=self._tolerance,
            parameters=options.parameters,
        )
        self.step = made_of(robot, step)
        self.defaults = self.step.defaults
        self._bounded = np.isfinite(self.lower) | np.isfinite(self.upper)
        lower, upper = limits_of_rates(robot, options.limits)
        ranges = [space.type.ranges(lower[space.v], upper[space.v]) for space in robot.spaces()]
        low, high = (
            np.concatenate([np.empty(0), *ends]) for ends in (zip(*ranges, strict=True) if ranges else ((), ()))
        )
        self.search = InverseKinematicsSearch(
            step, self._resting(options.posture), low, high, options.iterations, options.restarts, options.seed
        )

        self._several = not isinstance(options.frames, SINGLE)
        several = (len(self.targets),) if self._several else ()
        said = "; ".join(map(in_words, self.targets))
        self.inputs = (
            q_port(robot, "q0", "where to start; what is beyond a limit is moved there"),
            Port("targets", (*several, 4, 4), "m, 1", f"where they should be: {said}", Poses(len(self.targets))),
            *(port for port in self.step.inputs if port.name in self.defaults),
        )
        self.outputs = (
            q_port(robot, "q", "the configuration found"),
            Port("position", several, "m", f"what is missing of positions: {said}"),
            Port("rotation", several, "rad", f"what is missing of orientations: {said}"),
            Port("success", (), "1", "whether that is within tolerance"),
            Port("iterations", (), "1", "steps taken, from all starts together"),
        )
        self._one, self._many = (record_type(self.outputs, self._notes, axis) for axis in (None, 0))

    @cached_property
    def loop(self) -> LoopComputation:
        """The whole search as a loop in time: `found` is its answer."""
        posture = self.search.rest is not None
        parts = {
            "aim": Aim(self.robot, self.search),
            "step": self.step.solver,
            "search": Search(self.robot, self.search),
        }
        course = Course(
            FEEDBACK | POSTURE if posture else FEEDBACK,
            held=["targets", *self.defaults],
            until="finished",
            start={"damping": (DAMPING,), **({"pull": (0.0,)} if posture else {})},
        )
        return LoopComputation(LoopSource(wiring(self.name, parts, FEEDS), course, self.options))

    @cached_property
    def _lane(self) -> OneLane:
        return self.loop.one_lane()

    def __repr__(self) -> str:
        return f"InverseKinematics({few(map(name_of, self.targets))}: q0, targets → q)"

    def _repr_html_(self) -> str:
        return ports_table(f"{self.name} of {short(self.robot.name)}", self.inputs, self.outputs)

    def __reduce__(self) -> tuple[Any, ...]:
        return InverseKinematics, (self.robot, self.options)

    def build(self, *, batch: bool = False) -> Self:
        """Build now what the first call would; with `batch`, what the first batch would, too."""
        self.loop.build(batch=batch)
        return self

    @property
    def operations(self) -> Counter[str]:
        """Arithmetic operations by kind, of one turn: a step, and what follows from it."""
        return self.loop.operations

    def sources(self, target: str, prefix: str = "") -> dict[str, str]:
        """What `emit` writes: texts by file name."""
        return self.loop.sources(target, prefix)

    def emit(self, target: str, folder: str | Path, prefix: str = "", *, force: bool = False) -> list[Path]:
        """Write the whole search as standalone sources, a loop in time (docs/guide/inverse_kinematics.md)."""
        return self.loop.emit(target, folder, prefix, force=force)

    # ---------------------------------------------------------------- asking

    def __call__(self, q0: Any, targets: Any, *parameters: Any) -> Results:
        """One start, one pose a target, and what is open."""
        values, lane = (q0, targets, *parameters), self._lane
        expect_count(self.name, self.inputs, len(values))
        start, *held = (one_state(self.name, port, value) for port, value in zip(self.inputs, values, strict=True))
        at = lane.places
        row, finite = lane(self.search.turns, [(at["q"], start)], held)
        missing, distortion, success, iterations = (
            row.item(at[name].start) for name in ("missing", "distortion", "success", "iterations")
        )
        if not (finite and missing < MOST and distortion <= RIGID):
            self._refuse(held[0][np.newaxis], [distortion])
        position, rotation = row[at["position"]], row[at["rotation"]]
        if not self._several:
            position, rotation = position.item(), rotation.item()
        return self._one((row[at["found"]], position, rotation, bool(success), int(iterations)))

    def batch(self, q0: Any, targets: Any, *parameters: Any, threads: int | None = None) -> Results:
        """Many states at once, arrays (N, …); a start, or targets, without the axis of states are for all."""
        given, states = sheets(self.name, self.inputs, (q0, targets, *parameters), 0)
        named = self.as_held([sheet.array for sheet in given])
        if 0 < states <= ALONE:
            return self.told(self._one_by_one(given, states), named)
        return self.told(self.loop.batch(**named, lanes=states, threads=threads, steps=self.search.turns), named)

    def _one_by_one(self, given: Sequence[Sheet], states: int) -> SimpleNamespace:
        """What a run of a few lanes has, from one after the other."""
        lane, (start, *held) = self._lane, given
        at, turns = lane.places, self.search.turns
        runs = [lane(turns, [(at["q"], start.state(k))], [one.state(k) for one in held]) for k in range(states)]
        rows = np.array([row for row, _ in runs])
        found = {name: rows[:, at[name]] for name in ("found", "position", "rotation")}
        found |= {name: rows[:, at[name].start] for name in ("missing", "distortion", "success", "iterations")}
        return SimpleNamespace(finite=np.array([finite for _, finite in runs]), **found)

    def on(self, device: str) -> DeviceInverseKinematics:
        """The same on a GPU, `"cuda"` or `"cuda:1"`: a state a thread, the whole search in the thread."""
        return DeviceInverseKinematics(self, device)

    def as_held(self, values: Sequence[Any]) -> dict[str, Any]:
        """Arguments as the loop calls them, each target with an axis of its own."""
        start, goals, *others = values
        front = goals.shape[: goals.ndim - len(self.inputs[1].shape)]
        named = {port.name: value for port, value in zip(self.inputs[2:], others, strict=True)}
        return {"q": start, "targets": goals.reshape((*front, len(self.targets), 4, 4)), **named}

    def told(self, run: Any, given: Mapping[str, Any]) -> Results:
        """What users get of a run of many lanes; refused where something given makes no sense."""
        good = run.finite & (run.missing < MOST) & (run.distortion <= RIGID)
        if not good.all():
            self._refuse(given["targets"], run.distortion, first=int(good.argmin()))
        missing = run.position, run.rotation
        position, rotation = missing if self._several else (values[:, 0] for values in missing)
        return self._many((run.found, position, rotation, run.success != 0, run.iterations.astype(int)))

    # ---------------------------------------------------------------- posture

    def _resting(self, posture: Any) -> list[float | None] | None:
        """Where joints would rather be; None for where they start."""
        if posture is None:
            return None
        if isinstance(posture, str):
            if posture not in ("start", "middle"):
                raise checked.refusal(f"{self.name}: posture", posture, "say 'start' or 'middle', or give angles")
            ends = zip(self.lower.tolist(), self.upper.tolist(), strict=True)
            middles = [(low + high) / 2 for low, high in ends]
            return [middle if posture == "middle" and np.isfinite(middle) else None for middle in middles]
        posture = fitting(f"{self.name}, posture", self.step.inputs[0], posture)
        try:
            rest = one_state(self.name, self.step.inputs[0], posture)
        except Error:
            rest = np.array(np.nan)
        if not np.all(np.isfinite(rest)):
            wanted = f"say 'start' or 'middle', or give {self.robot.nq} numbers"
            raise checked.refusal(f"{self.name}: posture", posture, wanted)
        return rest.tolist()

    # ---------------------------------------------------------------- refusals and notes

    def _refuse(self, goals: Any, distortion: Any, first: int | None = None) -> None:
        """Name what is no pose, or else no configuration, of the `first` state that is bad."""
        where, k = ("", 0) if first is None else (f" in state {first}", first)
        goal = goals[k if len(goals) > 1 else 0]
        if bool(np.isfinite(goal).all()) and float(distortion[k]) <= RIGID:
            start = "q0 and what is open are" if self.defaults else "q0 is"
            raise Error(f"{self.name}: {start} no configuration{where}; give finite numbers, no quaternion zero")
        said = "give [R t; 0 0 0 1], R a rotation, all of it finite"
        raise Error(f"{self.name}: targets are no poses{where}; {said}")

    def _notes(self, results: Any) -> list[Note]:
        """What is not reached, target by target, and of a single state which joints are at a limit there."""
        failed, joints, most = ~np.asarray(results["success"], bool), "", "up to " * (len(results["q"]) > 1)
        if len(failed) == 1:
            q = results["q"][0]
            at_limit = self._bounded & ((q <= self.lower) | (q >= self.upper))
            names = [name for name, where in self.robot.q_index.items() if at_limit[where].any()]
            joints = f"; at a limit: {', '.join(names)}" if names else ""
        notes: list[Note] = []
        for k, target in enumerate(self.targets):
            missing = [results[name].reshape(len(failed), -1)[:, k] for name in ("position", "rotation")]
            beyond = failed & ((missing[0] > self._tolerance[0]) | (missing[1] > self._tolerance[1]))
            if beyond.any():
                shift, turn = (values[beyond].max() for values in missing)
                sentence = (
                    f"{name_of(target)} does not arrive: {most}{shift:.3g} m and {turn:.3g} rad are missing after "
                    f"{self.restarts + 1} starts; it is out of reach within limits, or more restarts find it{joints}"
                )
                notes.append(Note(sentence, beyond))
        return notes


inverse_kinematics = computes(InverseKinematicsOptions, InverseKinematics)
