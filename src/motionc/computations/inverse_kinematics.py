"""Configurations that put frames where they should be: steps of one compiled program, repeated, and started again.

A start counts as lost when what is missing hardly shrinks any more. Then the next of a fixed list of starts is taken,
the same for every state: what a state finds does not depend on those beside it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar, Literal, Self

import numpy as np

from motionc import checked
from motionc.computations.making import computes, made_of
from motionc.computations.polish import CLOSING, POLISHING, SETTLING, Reached, close_in, settle
from motionc.computations.starts import STARTS, drawn_starts
from motionc.errors import Error
from motionc.model.robot import Robot
from motionc.program.port import Note, Port, as_columns, fitting, one_state, ports_table
from motionc.program.space import Poses
from motionc.runtime.arrays.batch import sheets
from motionc.runtime.results import Results, record_type
from motionc.solvers.arguments import Question, q_port
from motionc.solvers.constraint import EVERYTHING
from motionc.solvers.frame_arguments import SINGLE, USUAL, Frames, as_targets
from motionc.solvers.inverse_kinematics import InverseKinematicsStep, joint_limits, tolerances, understood_limits
from motionc.solvers.inverse_velocity import Weights, checked_weights
from motionc.solvers.target import in_words, name_of
from motionc.sweeps.options import Check, optional
from motionc.sweeps.parameters import Parameters
from motionc.tables import few, short

Array = np.ndarray[Any, np.dtype[Any]]
Posture = Literal["start", "middle"]

DAMPING = np.array(0.1)
"""Share of the error squared by which steps are damped: none is longer than 1.6 rad."""
SHRINKS, PATIENCE = 0.9, 5
"""A start is lost after so many steps in which what is missing has not shrunk to this share."""
BLOCKS = 8
"""Starts are drawn when they are needed; so many blocks of them are kept at hand."""
RIGID = 1e-6
"""What a target may miss being a pose by."""
ALL = slice(None)

Step = Callable[..., Results]
"""A step of some states, given which of them they are, their configurations, and the rest of its inputs."""


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
        restarts: other starts to try, at most: first the middle of all ranges, then random ones.
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
    """From a start and where frames should be to a configuration; `step` is the computation that is repeated.

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
        self._kept = np.zeros(robot.nq, bool)
        for space in robot.spaces():
            self._kept[space.q] = space.type.roams
        self._starts = lru_cache(BLOCKS)(partial(drawn_starts, robot, self.lower, self.upper, options.seed))
        self._posture, self._rest = options.posture, self._resting(options.posture)

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

    def __repr__(self) -> str:
        return f"InverseKinematics({few(map(name_of, self.targets))}: q0, targets → q)"

    def _repr_html_(self) -> str:
        return ports_table(f"{self.name} of {short(self.robot.name)}", self.inputs, self.outputs)

    def __reduce__(self) -> tuple[Any, ...]:
        return InverseKinematics, (self.robot, self.options)

    def build(self, *, batch: bool = False) -> Self:
        """Build now what the first call would; with `batch`, what the first batch would, too."""
        self.step.build(batch=batch)
        return self

    # ---------------------------------------------------------------- one state

    def __call__(self, q0: Any, targets: Any, *parameters: Any) -> Results:
        """One start, one pose a target, and what is open."""
        given = as_columns(self.name, self.inputs, (q0, targets, *parameters))
        start, goals = given["q0"].ravel(), given["targets"].reshape(-1, 4, 4)
        lengths = tuple(given[port.name].reshape(port.shape) for port in self.inputs[2:])
        more = (*self._unmoved(start), *lengths)
        best, taken = self._descend(self._within(start), goals, more)
        for number in range(self.restarts):
            if best.arrived:
                break
            trial, steps = self._descend(np.where(self._kept, start, self._start(number)), goals, more)
            best, taken = best.or_else(trial, trial.merit < best.merit or trial.arrived), taken + steps
        if not best.arrived:
            best, taken = close_in(best, lambda q, damping: self.step(q, goals, damping, *more)), taken + CLOSING
        elif self._posture is not None:
            rest, taken = self._rest_of(start), taken + SETTLING + POLISHING
            best = settle(best, rest, lambda q, pull: self.step(q, goals, DAMPING, rest, pull, *lengths))
        missing = best.position, best.rotation
        position, rotation = missing if self._several else (float(values[0]) for values in missing)
        return self._one((best.q, position, rotation, bool(best.arrived), taken))

    def _descend(self, q: Array, goals: Array, more: tuple[Array, ...]) -> tuple[Reached, int]:
        """Steps from one start until it arrives or is lost, and how many."""
        step, least, since, number = self.step, np.inf, 0, 0
        while True:
            seen = step(q, goals, DAMPING, *more)
            after, position, rotation, merit, worst, distortion = seen
            number += 1
            if not (distortion <= RIGID and merit < np.inf):
                self._refuse(distortion, merit, goals)
            since = 0 if merit < SHRINKS * least else since + 1
            least = min(least, merit)
            if worst <= 1.0 or since >= PATIENCE or number >= self.iterations:
                return Reached(q, position, rotation, merit, worst), number
            q = after

    # ---------------------------------------------------------------- many states

    def batch(self, q0: Any, targets: Any, *parameters: Any, threads: int | None = None) -> Results:
        """Many states at once, arrays (N, …); a start, or targets, without the axis of states are for all."""
        given, states = sheets(self.name, self.inputs, (q0, targets, *parameters), 0)
        starts, goals, *lengths = (np.broadcast_to(np.asarray(x.array, float), (states, *x.port.shape)) for x in given)
        goals = goals.reshape(states, len(self.targets), 4, 4)

        def steps(some: Array) -> Step:
            own, open = goals[some], [values[some] for values in lengths]

            def step(at: Any, q: Array, *more: Any) -> Results:
                return self.step.batch(q, own[at], *more, *(values[at] for values in open), threads=threads)

            return step

        best, taken = self._descend_all(self._within(starts), steps(np.arange(states)), starts, goals)
        for number in range(self.restarts):
            todo = np.flatnonzero(~best.arrived)
            if not todo.size:
                break
            again = np.where(self._kept, starts[todo], self._start(number))
            trial, more = self._descend_all(again, steps(todo), starts[todo], goals[todo])
            old = best.among(todo)
            best.put(todo, old.or_else(trial, (trial.merit < old.merit) | trial.arrived))
            taken[todo] += more
        lost, there = np.flatnonzero(~best.arrived), np.flatnonzero(best.arrived)
        if lost.size:
            step, more = steps(lost), self._unmoved(starts[lost])
            best.put(lost, close_in(best.among(lost), lambda q, damping: step(ALL, q, damping, *more)))
            taken[lost] += CLOSING
        if there.size and self._posture is not None:
            step, rest = steps(there), self._rest_of(starts[there])
            best.put(there, settle(best.among(there), rest, lambda q, pull: step(ALL, q, DAMPING, rest, pull)))
            taken[there] += SETTLING + POLISHING
        missing = best.position, best.rotation
        position, rotation = missing if self._several else (values[:, 0] for values in missing)
        return self._many((best.q, position, rotation, best.arrived, taken))

    def _descend_all(self, q: Array, step: Step, starts: Array, goals: Array) -> tuple[Reached, Array]:
        """The same for many, of which fewer and fewer are under way."""
        seen = step(ALL, q, DAMPING, *self._unmoved(starts))
        self._refuse(seen.distortion, seen.merit, goals)
        reached = Reached.at(q, seen)
        going, least, since = np.arange(len(q)), seen.merit, np.zeros(len(q), int)
        taken = np.ones(len(q), int)
        while True:
            on = (seen.worst > 1.0) & (since < PATIENCE) & (taken[going] < self.iterations)
            going, least, since, q = going[on], least[on], since[on], seen.q[on]
            if not going.size:
                return reached, taken
            seen = step(going, q, DAMPING, *self._unmoved(starts[going]))
            reached.put(going, Reached.at(q, seen))
            taken[going] += 1
            since = np.where(seen.merit < SHRINKS * least, 0, since + 1)
            least = np.minimum(least, seen.merit)

    # ---------------------------------------------------------------- posture

    def _resting(self, posture: Any) -> Array:
        """Where joints would rather be; NaN for where they start."""
        nowhere = np.full(self.robot.nq, np.nan)
        if posture is None or (isinstance(posture, str) and posture == "start"):
            return nowhere
        if isinstance(posture, str):
            if posture != "middle":
                raise checked.refusal(f"{self.name}: posture", posture, "say 'start' or 'middle', or give angles")
            both = np.isfinite(self.lower) & np.isfinite(self.upper)
            return np.where(both, (np.where(both, self.lower, 0) + np.where(both, self.upper, 0)) / 2, nowhere)
        posture = fitting(f"{self.name}, posture", self.step.inputs[0], posture)
        try:
            rest = one_state(self.name, self.step.inputs[0], posture)
        except Error:
            rest = nowhere
        if not np.all(np.isfinite(rest)):
            wanted = f"say 'start' or 'middle', or give {self.robot.nq} numbers"
            raise checked.refusal(f"{self.name}: posture", posture, wanted)
        return rest

    def _rest_of(self, start: Array) -> Array:
        return np.where(np.isnan(self._rest), start, self._rest)

    def _unmoved(self, start: Array) -> tuple[Array, ...]:
        """What a step is told of a posture while it does not matter yet."""
        return () if self._posture is None else (start, np.asarray(0.0))

    def _start(self, number: int) -> Array:
        """Where to start again, for that many times."""
        return self._starts(number // STARTS)[number % STARTS]

    # ---------------------------------------------------------------- limits and refusals

    def _within(self, q: Array) -> Array:
        return np.minimum(np.maximum(q, self.lower), self.upper)

    def _refuse(self, distortion: Any, merit: Any, goals: Array) -> None:
        """Name what is no pose, or no configuration."""
        start = "q0 and what is open are" if self.defaults else "q0 is"
        finite = np.atleast_1d(np.isfinite(goals).all(axis=(-3, -2, -1)))
        for good, what in (
            (
                finite & (np.atleast_1d(distortion) <= RIGID),
                "targets are no poses{}; give [R t; 0 0 0 1], R a rotation, all of it finite",
            ),
            (
                np.isfinite(np.atleast_1d(merit)),
                f"{start} no configuration{{}}; give finite numbers, no quaternion zero",
            ),
        ):
            if not good.all():
                where = f" in state {int(np.argmin(good))}" if np.ndim(merit) else ""
                raise Error(f"{self.name}: {what.format(where)}")

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
