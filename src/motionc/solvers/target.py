"""How a user says where frames should be or go: Target, resolved by name on a robot."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.geometry import ROBOT, WORLD, WORLD_FRAME, Displacement, Pose, Position, WrenchBasis
from motionc.geometry.coordinates import Coordinates, assemble, at_least, cross, zeros
from motionc.geometry.factors import Rotation
from motionc.model.mechanism import Mechanism
from motionc.solvers.centroidal import CenterOfMass, Momentum
from motionc.solvers.constraint import (
    EVERYTHING,
    FRAME,
    Compared,
    checked_weight,
    numbers_in_words,
    settle_rows,
    unit_wrenches,
)
from motionc.solvers.rows import WholeBodyRows
from motionc.sweeps.frames import View, attached
from motionc.sweeps.problem import Problem
from motionc.sweeps.state import CENTER


@dataclass(frozen=True, eq=False, repr=False)
class Target(Compared):
    """A frame that is to be somewhere, or to move somehow, as far as its rows say.

    Args:
        frame: name of a link, attachment or `joint:NAME`.
        rows: tokens x y z rx ry rz ("xyz": the position alone), or a 6×m matrix whose columns are unit directions,
            either turns (n; 0) or shifts (0; f).
        wrt: the frame with respect to which it is to be there; it may move itself.
        point: a point fixed to the frame's body that is to be there, in frame coordinates (m).
        as_seen_by: whose axes the rows are written in: with rows "xyz rx ry" as seen by the frame itself, it may turn
            about its own z.
        weight: how much its rows count where not everything can be reached.
    """

    frame: str
    rows: Any = EVERYTHING
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    weight: float = 1.0

    def __post_init__(self) -> None:
        what = f"Target of {checked.name('Target: frame', self.frame, FRAME)}"
        settle_rows(self, what)
        object.__setattr__(self, "weight", checked_weight(f"{what}: weight", self.weight))


AnyTarget = Target | CenterOfMass | Momentum


@dataclass(frozen=True, slots=True, eq=False)
class GivenPose:
    """Which rows of which target, unit wrenches (6, m) in some axes, and where it should be: a pose among all given."""

    labels: tuple[str, ...]
    wrenches: np.ndarray[Any, np.dtype[np.float64]]
    number: int
    port: ClassVar[str] = "targets"

    @property
    def complete(self) -> bool:
        """Whether all directions of a position, or of an orientation, are asked for as soon as one of them is."""
        turns, shifts, both = (np.linalg.matrix_rank(part) for part in (*np.split(self.wrenches, 2), self.wrenches))
        return bool(turns in (0, 3) and shifts in (0, 3) and both == turns + shifts)

    def given(self, problem: Problem) -> tuple[Coordinates, Coordinates]:
        """Rotation and position of what is given."""
        values = problem.rows(self.port, slice(16 * self.number, 16 * self.number + 16))
        turn = assemble([[values[4 * i + j, 0] for j in range(3)] for i in range(3)])
        return turn, assemble([[values[4 * i + 3, 0]] for i in range(3)])

    def distortion(self, problem: Problem) -> Coordinates:
        """How much what is given as a pose is none: by which its rotation misses Rᵀ R = 1 and det R = 1, and so on."""
        values = problem.rows(self.port, slice(16 * self.number, 16 * self.number + 16))
        x, y, z = (assemble([[values[4 * i + j, 0]] for i in range(3)]) for j in range(3))
        wrong = [a.T @ b - (a is b) for a, b in ((x, x), (y, y), (z, z), (x, y), (y, z), (z, x))]
        wrong += [z.T @ cross(x, y) - 1, *(values[12 + j : 13 + j, :] - (j == 3) for j in range(4))]
        worst = wrong[0]
        for each in wrong:
            worst = at_least(worst, at_least(each, -each))
        return worst


@dataclass(frozen=True, slots=True, eq=False)
class AskedRows(GivenPose):
    """Rows along which a frame is to move as an observer sees it, in the axes of the view.

    A row between two bodies pulls at both: at the frame's body, and the other way at the observer's, who exerts it.
    """

    view: View

    def basis(self) -> WrenchBasis:
        """The unit wrenches, at the frame's point."""
        where, observer, unit = self.view.of.pose, self.view.wrt.pose.wrt.body, self.wrenches
        axes = self.view.axes.pose.of
        return WrenchBasis(where.wrt.body, observer, where.of.origin, axes, unit[:3], unit[3:], rows=self.labels)

    def goal(self, problem: Problem) -> Pose:
        """Where the frame should be, with respect to the observer."""
        of, wrt = self.view.of.pose.of, self.view.wrt.pose.of
        turn, shift = self.given(problem)
        return Pose.between(of, wrt, (Rotation(turn),), shift)


@dataclass(frozen=True, slots=True, eq=False)
class AskedOfAll(GivenPose):
    """Rows along which the centre of mass, or the momentum about it, is to move in the world, in some axes."""

    spec: WholeBodyRows

    def basis(self) -> WrenchBasis:
        """The unit wrenches, at the centre of mass."""
        unit, axes = self.wrenches, self.spec.axes.pose.of
        return WrenchBasis(ROBOT, WORLD, CENTER, axes, unit[:3], unit[3:], rows=self.labels)

    def missing(self, problem: Problem, center: Position) -> Displacement:
        """How far the centre of mass is from where it should be."""
        _, goal = self.given(problem)
        return Displacement(ROBOT, WORLD, center.of, WORLD_FRAME, zeros(3, 1), goal - center.xyz)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What is asked along rows, of all targets, and how much is given away for bounded rates."""

    rows: tuple[AskedRows | AskedOfAll, ...] = ()
    damping: float = 0.0


def resolve_targets(
    mechanism: Mechanism, what: str, targets: Sequence[AnyTarget]
) -> tuple[AskedRows | AskedOfAll, ...]:
    """The rows of all targets, in order."""
    specs: list[AskedRows | AskedOfAll] = []
    for number, target in enumerate(targets):
        if not isinstance(target, Target):
            rows = target.resolved(mechanism, number, 0)
            specs.append(AskedOfAll(rows.labels, rows.motions, number, rows))
            continue
        said = f"{what} of {target.frame!r}"
        of = attached(mechanism, target.frame, said, target.point)
        wrt = attached(mechanism, target.wrt, f"{said}, wrt")
        axes = attached(mechanism, target.as_seen_by, f"{said}, as_seen_by")
        if of.body == wrt.body:
            raise Error(f"{said}: no joint moves it with respect to {target.wrt!r}; name a frame that some joint moves")
        wrenches, tokens = unit_wrenches(said, target.rows)
        labels = tuple(f"{number}:{target.frame}.{token}" for token in tokens)
        specs.append(AskedRows(labels, wrenches, number, View(of, wrt, axes)))
    return tuple(specs)


def name_of(target: AnyTarget) -> str:
    return target.frame if isinstance(target, Target) else target.called


def in_words(target: AnyTarget) -> str:
    """What is to be somewhere, and with respect to what, for a port."""
    seen = f"{name_of(target)} wrt {target.wrt if isinstance(target, Target) else 'world'}"
    return f"{seen}{numbers_in_words(target)}"
