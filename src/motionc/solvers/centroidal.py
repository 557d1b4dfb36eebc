"""How a user asks for the centre of mass and the centroidal momentum: rows of constraints, and targets.

Both are rows of all bodies at once: only motors pull at all of them, so that their source is always a task.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.model.mechanism import Mechanism
from motionc.solvers.constraint import EVERYTHING, FRAME, OfAllBodies, settle_rank, unit_wrenches
from motionc.solvers.rows import WholeBodyRows
from motionc.sweeps.frames import attached

SHIFTS = "say x, y and z in the order wanted, such as 'xy', or give a 3×m matrix of unit directions"


@dataclass(frozen=True, eq=False, repr=False)
class CenterOfMass(OfAllBodies):
    """Rows along which the centre of mass of all moving links accelerates as asked: J_com a + J̇_com v = b.

    As a target of inverse kinematics it is a place, as one of inverse velocity a velocity.

    Args:
        rows: tokens x y z in the order of b ("xy": it may rise and fall), or a 3×m matrix of unit directions.
        as_seen_by: whose axes the rows are written in, at this instant.
        level: 1 comes first; rows of a later level get what earlier ones leave free.
        weight: where rows of one level cannot all be had, how much a miss of these counts (by its square).
    """

    called: ClassVar[str] = "center_of_mass"
    source: ClassVar[Literal["task"]] = "task"  # pyright: ignore[reportIncompatibleVariableOverride]

    rows: Any = "xyz"
    as_seen_by: str = "world"
    level: int = 1
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.rows, str):
            matrix = checked.numbers("CenterOfMass: rows", self.rows, SHIFTS, (3, None))
            if not matrix.shape[1]:
                raise checked.refusal("CenterOfMass: rows", self.rows, SHIFTS)
            matrix.setflags(write=False)
            object.__setattr__(self, "rows", matrix)
        elif self.motions[0][:3].any():
            raise Error(
                f"CenterOfMass: rows={checked.shown(self.rows)}: a point does not turn; {SHIFTS}, or take Momentum"
            )
        checked.name("CenterOfMass: as_seen_by", self.as_seen_by, FRAME)
        settle_rank(self, "CenterOfMass")

    @property
    def motions(self) -> tuple[np.ndarray[Any, np.dtype[np.float64]], tuple[str, ...]]:
        """Motions of everything as one body (6, m), and a name for each row."""
        if isinstance(self.rows, str):
            return unit_wrenches("CenterOfMass", self.rows)
        return np.vstack([np.zeros_like(self.rows), self.rows]), tuple(f"row{k}" for k in range(self.rows.shape[1]))

    def resolved(self, mechanism: Mechanism, number: int, start: int) -> WholeBodyRows:
        return _resolved(self, mechanism, number, start, per_mass=True)


@dataclass(frozen=True, eq=False, repr=False)
class Momentum(OfAllBodies):
    """Rows along which the centroidal momentum of all moving links changes as asked: A_G a + Ȧ_G v = b.

    As a target of inverse velocity it is the momentum itself, A_G v.

    Args:
        rows: tokens rx ry rz (angular, about the centre of mass) x y z (linear) in the order of b, or a 6×m matrix of
            unit motions, angular first; all six unless said.
        as_seen_by: whose axes the rows are written in, at this instant.
        level: 1 comes first; rows of a later level get what earlier ones leave free.
        weight: where rows of one level cannot all be had, how much a miss of these counts (by its square).
    """

    called: ClassVar[str] = "momentum"
    source: ClassVar[Literal["task"]] = "task"  # pyright: ignore[reportIncompatibleVariableOverride]

    rows: Any = EVERYTHING
    as_seen_by: str = "world"
    level: int = 1
    weight: float = 1.0

    def __post_init__(self) -> None:
        matrix, _ = self.motions
        if not isinstance(self.rows, str):
            matrix.setflags(write=False)
            object.__setattr__(self, "rows", matrix)
        checked.name("Momentum: as_seen_by", self.as_seen_by, FRAME)
        settle_rank(self, "Momentum")

    @property
    def motions(self) -> tuple[np.ndarray[Any, np.dtype[np.float64]], tuple[str, ...]]:
        """Motions of everything as one body (6, m), and a name for each row."""
        return unit_wrenches("Momentum", self.rows)

    def resolved(self, mechanism: Mechanism, number: int, start: int) -> WholeBodyRows:
        return _resolved(self, mechanism, number, start, per_mass=False)


Centroidal = CenterOfMass | Momentum


def _resolved(asked: Centroidal, mechanism: Mechanism, number: int, start: int, *, per_mass: bool) -> WholeBodyRows:
    motions, tokens = asked.motions
    axes = attached(mechanism, asked.as_seen_by, f"{type(asked).__name__}, as_seen_by")
    # a mass that is open may be any
    weights = [body.inertia.mass for body in mechanism.bodies]
    if not any(not isinstance(mass, np.ndarray) or mass.any() for mass in weights):
        raise Error(f"{type(asked).__name__}: no link that moves has mass; give the links mass and inertia")
    labels = tuple(f"{number}:{asked.called}.{token}" for token in tokens)
    rows = slice(start, start + len(tokens))
    return WholeBodyRows(labels, "task", asked.level, float(asked.weight), rows, axes, motions, per_mass)
