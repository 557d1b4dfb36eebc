"""How a user says where frames should be or go: Target, resolved by name on a robot."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.model.mechanism import Mechanism
from motionc.solvers.constraint import TOKENS, Compared, frozen_point, settled, unit_wrenches
from motionc.sweeps.frames import View, attached
from motionc.sweeps.problem import AskedRows

EVERYTHING = " ".join(TOKENS)


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
        object.__setattr__(self, "rows", settled(self.rows, 2, 6))
        object.__setattr__(self, "point", frozen_point(self.point))
        if not np.isfinite(self.weight) or self.weight <= 0:
            raise Error(f"Target of {self.frame}: weight={self.weight}; give a finite number > 0")


Targets = str | Target | Sequence[str | Target]


def as_targets(what: str, targets: Targets) -> list[Target]:
    """One or several, by name or in full."""
    several: list[Any] = [targets] if isinstance(targets, str | Target) else list(targets)
    if not several:
        raise Error(f"{what}: there is no target; name a frame")
    for one in several:
        if not isinstance(one, str | Target):
            raise Error(f"{what}: {one!r} is no target; give the name of a frame or a Target")
    return [Target(one) if isinstance(one, str) else one for one in several]


def resolve_targets(mechanism: Mechanism, what: str, targets: Sequence[Target]) -> tuple[AskedRows, ...]:
    """The rows of all targets, in order."""
    found: list[AskedRows] = []
    for number, target in enumerate(targets):
        said = f"{what} of {target.frame!r}"
        of = attached(mechanism, target.frame, said, target.point)
        wrt = attached(mechanism, target.wrt, f"{said}, wrt")
        axes = attached(mechanism, target.as_seen_by, f"{said}, as_seen_by")
        if of.body == wrt.body:
            raise Error(f"{said}: no joint moves it with respect to {target.wrt!r}; name a frame that some joint moves")
        wrenches, tokens = unit_wrenches(said, target.rows)
        labels = tuple(f"{number}:{target.frame}.{token}" for token in tokens)
        found.append(AskedRows(View(of, wrt, axes), labels, wrenches, number))
    return tuple(found)
