"""What constraints ask of a mechanism, row by row: resolved from the words of a user (constraint.py), read by steps.

A row has a label, a place in b, someone who makes its force, a level and a weight.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.geometry import (
    ENVIRONMENT,
    JOINTS,
    ROBOT,
    WORLD,
    Position,
    RowAcceleration,
    UnitMotions,
    WrenchBasis,
)
from motionc.geometry.coordinates import Coordinates
from motionc.model.mechanism import Mechanism
from motionc.sweeps.frames import Attached


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What all rows of a constraint share: who makes their forces, how they rank, and where they are in b."""

    labels: tuple[str, ...]
    source: str
    level: int
    weight: float
    rows: slice

    @property
    def mutual(self) -> bool:
        """Whether they pull at two bodies, each against the other."""
        return False


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintRows(Rows):
    """Rows on a mechanism: unit wrenches (6, m) at a point of a frame, in some frame's axes, wrt an observer's body.

    `frame` is where the point belongs to; `names` are its name and the observer's; `mu` is the friction of a contact,
    if it is known.
    """

    at: Attached
    observer: Attached
    axes: Attached
    kind: str
    wrenches: np.ndarray[Any, np.dtype[np.float64]]
    frame: Attached
    names: tuple[str, str]
    mu: float | None

    @property
    def mutual(self) -> bool:
        return self.observer.body >= 0

    def basis(self) -> WrenchBasis:
        """The unit wrenches, exerted by the environment or by motors in its place."""
        where, unit = self.at.pose, self.wrenches
        return WrenchBasis(
            where.wrt.body, ENVIRONMENT, where.of.origin, self.axes.pose.of, unit[:3], unit[3:], rows=self.labels
        )

    def strength(self, arm: float) -> np.ndarray[Any, np.dtype[np.float64]]:
        """W: how much forces along the rows count, moments by the force at the end of an arm."""
        return self.wrenches.T @ np.diag([arm**-2] * 3 + [1.0] * 3) @ self.wrenches

    def asks(self, values: Coordinates) -> RowAcceleration:
        """These accelerations along the rows, of the body with respect to the observer's."""
        observer = self.observer.pose.wrt.body
        kind = "observed" if self.kind == "spatial" and observer != WORLD else self.kind
        return RowAcceleration(self.labels, self.at.pose.wrt.body, observer, kind, values)


@dataclass(frozen=True, slots=True, eq=False)
class JointConstraintRows(Rows):
    """Rows along joints: unit forces (k, m) along each of the joint coordinates in `joints`, by coordinates."""

    joints: Mapping[tuple[str, ...], np.ndarray[Any, np.dtype[np.float64]]]

    def strength(self, arm: float) -> np.ndarray[Any, np.dtype[np.float64]]:
        """W: the same, forces along joints counting as moments."""
        units = np.vstack(list(self.joints.values()))
        return units.T @ units / arm**2

    def asks(self, values: Coordinates) -> RowAcceleration:
        """These accelerations of the joints."""
        return RowAcceleration(self.labels, JOINTS, JOINTS, "spatial", values)


@dataclass(frozen=True, slots=True, eq=False)
class WholeBodyRows(Rows):
    """Rows of momentum about the centre of mass: motions (6, m) of everything as one body, in some frame's axes.

    `per_mass` is momentum per unit of mass: the velocity of the centre of mass.
    """

    axes: Attached
    motions: np.ndarray[Any, np.dtype[np.float64]]
    per_mass: bool

    def unit_motions(self, center: Position) -> UnitMotions:
        """Of the world and everything, at the centre of mass."""
        turns, shifts = self.motions[:3], self.motions[3:]
        return UnitMotions(WORLD, WORLD, center.of, self.axes.pose.of, turns, shifts, rows=self.labels)

    def asks(self, values: Coordinates) -> RowAcceleration:
        """These rates of the momentum, in the world: beyond what falls."""
        return RowAcceleration(self.labels, ROBOT, WORLD, "spatial", values)


@dataclass(frozen=True, slots=True, eq=False)
class MotorLimits:
    """What each motor can make at most, in the order of v: 0 where there is none, infinite where nothing limits it.

    Where that is not enough, forces are clipped, or the best are found (`optimal`).
    """

    values: tuple[float, ...]
    optimal: bool


AnyRows = ConstraintRows | JointConstraintRows | WholeBodyRows


@dataclass(frozen=True, slots=True, eq=False)
class Constraints:
    """All rows of a question, and how they are balanced.

    Where rows depend on each other many constraint forces give the same motion; `least` asks for the least ones. A row
    counts as dependent by `truncation`; `posture` is the share of the motors' own motion that rows let pass. Where
    it is `refined`, what rounding leaves to miss is balanced once more. Along rows of `makers` forces are found,
    others are only measured; `motors` are rows along every coordinate: what do unit forces there do? Rows `undriven`
    come before all others: no force along coordinates without a motor but what contacts make. Where rows are
    `activated` or `weighed`, how far they hold, and how much a miss counts, is given with each call.
    """

    specs: tuple[AnyRows, ...] = ()
    regularisation: float = 0.0
    truncation: float | None = None
    posture: float = 0.0
    least: bool = True
    refined: bool = False
    limits: MotorLimits | None = None
    makers: tuple[str, ...] = ("task", "contact")
    motors: tuple[str, ...] = ()
    undriven: tuple[str, ...] = ()
    activated: bool = False
    weighed: bool = False

    @property
    def asked(self) -> tuple[str, ...]:
        """All rows, in the order of b."""
        return tuple(label for spec in self.specs for label in spec.labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """Those of b, and those of motors and of what has none."""
        return (*self.asked, *self.motors, *self.undriven)

    @property
    def solved(self) -> tuple[str, ...]:
        """The rows along which forces are found."""
        return (*self.rows_of(*self.makers), *self.undriven)

    @property
    def between(self) -> tuple[str, ...]:
        """The rows that pull at two bodies, each against the other."""
        return tuple(label for spec in self.specs if spec.mutual for label in spec.labels)

    @property
    def of_all_bodies(self) -> tuple[WholeBodyRows, ...]:
        """The rows that pull at every body."""
        return tuple(spec for spec in self.specs if isinstance(spec, WholeBodyRows))

    def rows_of(self, *sources: str) -> tuple[str, ...]:
        return tuple(label for spec in self.specs if spec.source in sources for label in spec.labels)

    @property
    def task_rows(self) -> tuple[str, ...]:
        """The rows whose forces motors make."""
        return self.rows_of("task")

    def tasks_among(self, rows: tuple[str, ...]) -> tuple[str, ...]:
        """Those of some rows whose forces motors make."""
        return tuple(row for row in rows if row in self.task_rows)

    @property
    def priorities(self) -> tuple[list[int], tuple[int, ...], list[float]]:
        """Of the rows along which forces are found: in the order of their levels, how many each level has, and the
        weight of each. Where motors have limits, contacts come first, for nobody can make them give way; before all
        others comes what has no motor.
        """
        specs = [spec for spec in self.specs if spec.source in self.makers]
        first = "contact" if self.limits else ""
        levels = [0 if spec.source == first else spec.level for spec in specs for _ in spec.labels]
        levels += [-1] * len(self.undriven)
        order = sorted(range(len(levels)), key=lambda row: levels[row])
        blocks = tuple(levels.count(level) for level in sorted(set(levels)))
        return order, blocks, [spec.weight for spec in specs for _ in spec.labels] + [1.0] * len(self.undriven)


@dataclass(frozen=True, slots=True, eq=False)
class Undriven:
    """Coordinates that no motor drives, by their labels, and how contacts share what they make there: W⁻¹ of the rows
    in `contacts`, block by block.
    """

    coordinates: tuple[str, ...] = ()
    contacts: tuple[str, ...] = ()
    softness: tuple[tuple[float, ...], ...] = ()


def undriven(mechanism: Mechanism, names: Collection[str], specs: Sequence[Any], arm: float) -> Undriven:
    """Of these joints the coordinates, in the order of v, and W⁻¹ of the contacts that may hold them."""
    idle = sorted(
        (body.joint for body in mechanism.bodies if body.joint.name in names), key=lambda joint: joint.v.start
    )
    coordinates = tuple(label for joint in idle if not joint.follows for label in joint.labels)
    holding = [spec for spec in specs if spec.source == "contact"]
    softness = block_diagonal([_inverse(spec.strength(arm)) for spec in holding])
    return Undriven(coordinates, tuple(label for spec in holding for label in spec.labels), softness)


def _inverse(strength: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[Any]]:
    """W⁻¹ of one contact, W⁺ where rows depend on each other, whatever the units of its rows."""
    own = np.diag(strength)
    size = np.exp2(-np.round(np.log2(np.where(own > 0, own, 1.0)) / 2))
    return size[:, None] * np.linalg.pinv(size[:, None] * strength * size, hermitian=True) * size


def block_diagonal(blocks: Sequence[Any]) -> tuple[tuple[float, ...], ...]:
    size, done = sum(len(block) for block in blocks), 0
    whole = np.zeros((size, size))
    for block in blocks:
        whole[done : done + len(block), done : done + len(block)] = block
        done += len(block)
    return tuple(map(tuple, whole.tolist()))


def reached(mechanism: Mechanism, asked: Undriven, specs: Sequence[Any]) -> bool:
    """Whether a contact holds all undriven coordinates, whatever the pose: a rigid foot of one floating base."""
    idle = [body for body in mechanism.bodies if set(body.joint.labels) & set(asked.coordinates)]
    rigid = [
        spec
        for spec in specs
        if isinstance(spec, ConstraintRows)
        and (spec.source, spec.observer.body) == ("contact", -1)
        and np.linalg.matrix_rank(spec.wrenches, 1e-6 * np.abs(spec.wrenches).max()) == len(spec.wrenches)
    ]
    return not idle or (len(idle) == 1 and any(idle[0].index in mechanism.path(spec.at.body) for spec in rigid))
