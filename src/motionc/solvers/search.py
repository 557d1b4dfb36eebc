"""The search of inverse kinematics around its step: what is tried next, what was best, and when it ends.

    aim       q back within limits; where it started, and where joints would rather be
    step      from what is tried to the next, and what is missing there (solvers/inverse_kinematics.py)
    search    descend    until it arrives or is lost: what is missing has not shrunk to 0.9 in 5 steps, or they are over
              start anew where it is lost: in the middle of all ranges, then at points of a Kronecker sequence
              close in   where starts are over: downhill from the best, with the more damping the less it helps
              settle     where it has arrived and a posture is asked for: along solutions, as near to it as they allow

Three parts of one loop in time (program/loop.py), a turn a step; decisions are choices between values. Joints that move
no target, and bases that roam, keep where they started. Without other starts, closing in goes downhill from the start
itself: what is out of reach is followed without a jump.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from motionc.geometry.coordinates import assemble
from motionc.model.manifold import Space
from motionc.model.robot import Robot
from motionc.program.block import Block, written
from motionc.program.port import Port, Precision, State, states_of
from motionc.program.program import Program
from motionc.program.space import counts, shares
from motionc.solvers.arguments import Question, q_port
from motionc.solvers.inverse_kinematics import InverseKinematicsStep
from motionc.solvers.target import AskedOfAll, resolve_targets
from motionc.sweeps.identity import identity

Array = np.ndarray[Any, np.dtype[Any]]

DAMPING = 0.1
"""Share of the error squared by which steps are damped: none is longer than 1.6 rad."""
SHRINKS, PATIENCE = 0.9, 5
"""A start is lost after so many steps in which what is missing has not shrunk to this share."""
CLOSING = 40
"""Steps towards the nearest there is."""
PULL, SETTLING, POLISHING = 0.3, 20, 8
"""Share of the way to a posture in one step, steps taken with it, and steps without it afterwards."""
RIGID = 1e-6
"""What a target may miss being a pose by."""
MOST = 1e300
"""What is missing before anything was tried."""
DESCEND, CLOSE_IN, SETTLE = 0.0, 1.0, 2.0


@dataclass(frozen=True)
class InverseKinematicsSearch(Question):
    """The search around a step of inverse kinematics.

    Args:
        robot: the robot.
        step: what is repeated.
        rest: where joints would rather be, in the order of q, None for where they start; None without a posture.
        low: from where starts are drawn, in the order of v, up to `high`.
        high: likewise.
        iterations: steps from one start, at most.
        restarts: other starts to try, at most.
        seed: of these.
    """

    called: ClassVar[str] = "inverse_kinematics_search"

    step: InverseKinematicsStep
    rest: Sequence[float | None] | None
    low: Sequence[float] | Array
    high: Sequence[float] | Array
    iterations: int
    restarts: int
    seed: int

    @property
    def turns(self) -> int:
        """The most that it takes."""
        return self.iterations * (self.restarts + 1) + max(CLOSING, SETTLING + POLISHING)


class Deciding(Block, ABC):
    """A block that follows from a robot and a search: ports and identity are known before it is written."""

    precision: Precision = "double"
    period = 0.0
    own = False
    called: ClassVar[str]
    equation: ClassVar[str]

    def __init__(self, robot: Robot, search: InverseKinematicsSearch) -> None:
        self.robot: Robot = robot
        self.name, self.search, self.options = self.called, search, search  # pyright: ignore[reportIncompatibleVariableOverride]
        self.step, self._program = search.step, None
        inputs, self._given = self.ports()
        self.inputs, self.outputs = tuple(inputs), (*self._given, *states_of(inputs))

    @abstractmethod
    def ports(self) -> tuple[list[Port], list[Port]]:
        """Inputs, and outputs that are no state."""

    @abstractmethod
    def write(self, *given: Any) -> Mapping[str, Any]:
        """From values to what each output is."""

    @cached_property
    def recording(self) -> Program:  # pyright: ignore[reportIncompatibleVariableOverride]
        return written(self.name, self.write, self.inputs, self._given, self.equation)

    def identity(self, options: Any = None) -> str | None:
        known = identity(self.robot, self.search if options is None else options)
        return None if known is None else f"{self.name} {known}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.robot, self.search)

    def within(self, q: Array) -> Array:
        """Back within limits."""
        ends = zip(q, self.step.lower, self.step.upper, strict=True)
        return np.array([_at_most(_at_least(x, low), high) for x, low, high in ends], object)


class Aim(Deciding):
    """What is tried, and what stays the same from the first turn on."""

    called = "aim"
    equation = "lower <= q <= upper"

    def ports(self) -> tuple[list[Port], list[Port]]:
        robot, rest = self.robot, self.search.rest is not None
        inputs = [
            q_port(robot, "q", "where to start, then what is tried"),
            _configuration(robot, "origin", "where it started"),
            State("begun", (), "1", "whether it has", 0.0, counts(1)),
        ]
        resting = [q_port(robot, "rest", "where joints would rather be")] * rest
        return inputs, [q_port(robot, "tried", "what is tried, within limits"), *resting]

    def write(self, *given: Any) -> Mapping[str, Any]:
        q, origin, begun = given
        origin = _either(begun, origin, q)
        found = {"tried": self.within(q), "origin": origin, "begun": 1.0}
        if self.search.rest is None:
            return found
        return found | {
            "rest": [own if wanted is None else wanted for own, wanted in zip(origin, self.search.rest, strict=True)]
        }


class Search(Deciding):
    """What is tried next, from what is missing at what was tried now."""

    called = "search"
    equation = "the least of what is missing over descents from several starts"

    @cached_property
    def _anew(self) -> list[Space]:
        """The joints that start anew."""
        return [
            space for space in self.robot.spaces() if self.search.restarts and _restarts(self.robot, self.step, space)
        ]

    @property
    def _fractions(self) -> int:
        return sum(space.type.nv for space in self._anew)

    def ports(self) -> tuple[list[Port], list[Port]]:
        robot, k = self.robot, len(self.step.targets)
        number, posture = counts(1), self.step.posture
        inputs = [
            q_port(robot, "tried", "what is tried, within limits"),
            q_port(robot, "after", "the next configuration"),
            Port("position_there", (k,), "m", "what is missing there, of positions"),
            Port("rotation_there", (k,), "rad", "the same of orientations"),
            Port("merit", (), "1", "length of all that is missing there, weighted"),
            Port("worst", (), "1", "the largest of all that is missing there, in tolerances"),
            Port("distortion_now", (), "1", "how far targets are from being poses"),
            q_port(robot, "origin", "where it started"),
            *([q_port(robot, "rest", "where joints would rather be")] * posture),
            Port("damping", (), "1", "share of the error squared by which the step was damped", shares(1)),
            _configuration(robot, "found", "the best configuration"),
            State("position", (k,), "m", "what is missing at the best, of positions"),
            State("rotation", (k,), "rad", "the same of orientations"),
            State("success", (), "1", "whether that is within tolerance", 0.0, counts(1)),
            State("iterations", (), "1", "steps taken, from all starts together", 0.0, counts(1)),
            State("finished", (), "1", "whether the search is over", 0.0, counts(1)),
            State("distortion", (), "1", "how far targets are from being poses"),
            State("missing", (), "1", "length of all that is missing at the best, weighted", MOST),
            State("least", (), "1", "the same, the least since this start", MOST),
            State("since", (), "1", "steps since it has shrunk", 0.0, number),
            State("number", (), "1", "steps since this start", 0.0, number),
            State("phase", (), "1", "0 descends, 1 closes in, 2 settles", 0.0, number),
            *([State("restart", (), "1", "starts that were lost", 0.0, number)] * bool(self._fractions)),
            *(
                [State("fraction", (self._fractions,), "1", "of ranges, for the next start", self._shift())]
                * bool(self._fractions)
            ),
        ]
        outputs = [
            q_port(robot, "q_next", "what is tried next"),
            Port("damping_next", (), "1", "share of the error squared by which the next step is damped", shares(1)),
            *([Port("pull_next", (), "1", "share of the way to the posture in the next step", shares(1))] * posture),
        ]
        return inputs, outputs

    def write(self, *given: Any) -> Mapping[str, Any]:
        now = dict(zip((port.name for port in self.inputs), given, strict=True))
        tried, merit, phase = now["tried"], now["merit"], now["phase"]
        descends, closes, settles = (phase.equal(which) for which in (DESCEND, CLOSE_IN, SETTLE))
        number, arrived = now["number"] + 1.0, now["worst"] <= 1.0

        # a start is over where it arrives or is lost
        since = (merit < SHRINKS * now["least"]).select(0.0, now["since"] + 1.0)
        over = descends * _any(arrived, since >= PATIENCE, number >= self.search.iterations)
        lost, done = over * (1.0 - arrived), over * arrived

        # the best there is
        nearer = merit < now["missing"]
        better = over * _any(nearer, arrived) if self.search.restarts else _any(now["iterations"].equal(0.0), done)
        good = closes * (merit <= now["missing"])
        settled = settles * (number >= SETTLING + POLISHING)
        taken = _any(better, good)
        if self.search.rest is not None:
            taken = _any(taken, settled * arrived * (_far(tried, now["rest"]) < _far(now["found"], now["rest"])))
        found = _either(taken, tried, now["found"])

        # another start, while there are
        again, anew = self._again(lost, now)
        closing = lost * (1.0 - again)
        posture = float(self.search.rest is not None)
        forth = _any(descends * (1.0 - over), good, settles)
        next_phase = closing.select(CLOSE_IN, (posture * done).select(SETTLE, phase))
        next_number = over.select(0.0, number)
        senseless = _any(now["distortion_now"] > RIGID, 1.0 - (merit < MOST))
        finished = _any((1.0 - posture) * done, closes * (number >= CLOSING), settled, senseless)
        pulls = next_phase.equal(SETTLE) * (next_number < SETTLING)
        answers = {
            "q_next": _either(forth, now["after"], _either(again, anew, found)),
            "damping_next": closes.select(good.select(now["damping"] / 2.0, now["damping"] * 8.0), DAMPING),
            **({"pull_next": pulls.select(PULL, 0.0)} if posture else {}),
            "found": found,
            "position": _either(taken, now["position_there"], now["position"]),
            "rotation": _either(taken, now["rotation_there"], now["rotation"]),
            "success": taken.select(arrived, now["success"]),
            "iterations": now["iterations"] + 1.0,
            "finished": finished,
            "distortion": now["distortion_now"],
            "missing": taken.select(merit, now["missing"]),
            "least": over.select(MOST, now["least"].minimum(merit)),
            "since": over.select(0.0, since),
            "number": next_number,
            "phase": next_phase,
        }
        if self._fractions:
            wrapped = [f + step for f, step in zip(now["fraction"], _irrational(self._fractions), strict=True)]
            ahead = np.array([f - (f >= 1.0) for f in wrapped], object)
            answers |= {"restart": now["restart"] + again, "fraction": _either(again, ahead, now["fraction"])}
        return answers

    def _again(self, lost: Any, now: Mapping[str, Any]) -> tuple[Any, Array]:
        """Whether to start anew, and where: first in the middle of all ranges."""
        anew, k = self.within(now["origin"]), 0
        if not self._fractions:
            return 0.0 * lost, anew
        for space in self._anew:
            ends = zip(self.search.low[space.v], self.search.high[space.v], strict=True)
            fractions = [now["restart"].equal(0.0).select(0.5, f) for f in now["fraction"][k : k + space.type.nv]]
            way = assemble([[low + (high - low) * share] for (low, high), share in zip(ends, fractions, strict=True)])
            there = space.type.advance(space.type.neutral()[:, np.newaxis], way)
            anew[space.q] = [there[i, 0] for i in range(space.type.nq)]
            k += space.type.nv
        return lost * (now["restart"] < self.search.restarts), anew

    def _shift(self) -> Array:
        return np.random.default_rng(self.search.seed).random(self._fractions)


# ---------------------------------------------------------------- starts


def _restarts(robot: Robot, step: InverseKinematicsStep, space: Space) -> bool:
    """Whether a joint starts anew: it moves a target, and carries no base about."""
    return not space.type.roams and bool(set(range(space.v.start, space.v.stop)) & _moving(robot, step))


def _moving(robot: Robot, step: InverseKinematicsStep) -> set[int]:
    """The entries of v that move a target: of joints between its frame and wrt, or between wrt and axes of rows."""
    mechanism, bodies = robot.mechanism, set[int]()
    for spec in resolve_targets(mechanism, "inverse_kinematics", step.targets):
        if isinstance(spec, AskedOfAll):
            return set(range(robot.nv))
        wrt = set(mechanism.path(spec.view.wrt.body))
        bodies |= wrt ^ set(mechanism.path(spec.view.of.body))
        bodies |= set() if spec.complete else wrt ^ set(mechanism.path(spec.view.axes.body))
    joints = [mechanism.bodies[body].joint for body in bodies]
    return {k for joint in joints for k in range(joint.v.start, joint.v.stop)}


def _irrational(count: int) -> list[float]:
    """By how much fractions of a Kronecker sequence advance: square roots of primes, less what is whole."""
    primes, candidate = list[int](), 2
    while len(primes) < count:
        if all(candidate % prime for prime in primes):
            primes.append(candidate)
        candidate += 1
    return [float(np.sqrt(prime) % 1.0) for prime in primes]


# ---------------------------------------------------------------- choices


def _configuration(robot: Robot, name: str, meaning: str) -> State:
    return State(name, (robot.nq,), "rad, m", meaning, robot.neutral(), robot.configurations)


def _either(which: Any, yes: Any, no: Any) -> Array:
    return np.array([which.select(a, b) for a, b in zip(yes, no, strict=True)], object)


def _any(*these: Any) -> Any:
    """1 where one of them is not 0."""
    first, *others = these
    for other in others:
        first = first.maximum(other)
    return first


def _far(q: Array, rest: Array) -> Any:
    return sum((x - y) * (x - y) for x, y in zip(q, rest, strict=True))


def _at_least(value: Any, low: float) -> Any:
    return value if low == -np.inf else value.maximum(low)


def _at_most(value: Any, high: float) -> Any:
    return value if high == np.inf else value.minimum(high)
