"""How a user says what a task requires and what acts: Constraint and Force, resolved by name on a robot."""

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from motionc.errors import Error
from motionc.geometry import Frame, Pose
from motionc.model.mechanism import Mechanism
from motionc.model.robot import suggestion
from motionc.sweeps.setting import AppliedWrench, Attached, ConstraintRows

TOKENS = ("rx", "ry", "rz", "x", "y", "z")


@dataclass(frozen=True)
class Constraint:
    """Rows along which a frame's acceleration is prescribed.

    Args:
        frame: name of a link, attachment or `joint:NAME`; its body is the constrained one.
        rows: tokens x y z rx ry rz in the order of b ("xyz", "x y rz"), or a 6×m matrix of unit wrenches (n; f).
        wrt: the body the acceleration is relative to: "world".
        point: a point fixed to the frame's body, in frame coordinates (m).
        as_seen_by: whose axes the rows are written in, at this instant.
        kind: "classical" (second derivative of the point's position) or "spatial".
        source: who makes the force: "task", the motors; "contact", the environment.
    """

    frame: str
    rows: Any
    wrt: str = "world"
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    kind: Literal["classical", "spatial"] = "classical"
    source: Literal["task", "contact"] = "task"
    level: int = 1
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.wrt != "world":
            raise Error(
                f"Constraint on {self.frame}: wrt={self.wrt!r}; only accelerations wrt the world are constrained"
            )
        if self.level != 1 or self.weight != 1.0:
            raise Error(f"Constraint on {self.frame}: all rows have level 1 and weight 1.0 in this version")
        for name, value, known in (
            ("kind", self.kind, ("classical", "spatial")),
            ("source", self.source, ("task", "contact")),
        ):
            if value not in known:
                raise Error(f"Constraint on {self.frame}: {name}={value!r}; say {' or '.join(map(repr, known))}")

    def wrenches(self) -> tuple[np.ndarray[Any, np.dtype[np.float64]], tuple[str, ...]]:
        """The unit wrenches (6, m) and a name for each row."""
        return unit_wrenches(f"Constraint on {self.frame}", self.rows)


@dataclass(frozen=True)
class Force:
    """A wrench input on a frame's body at its origin; `as_seen_by` turns the axes only (default: the frame's own)."""

    frame: str
    as_seen_by: str = ""


def unit_wrenches(what: str, rows: Any) -> tuple[np.ndarray[Any, np.dtype[np.float64]], tuple[str, ...]]:
    """Unit wrenches (6, m) and a name for each, from tokens or from a matrix of them."""
    if isinstance(rows, str):
        tokens = re.findall(r"r?[xyz]", rows)
        if "".join(tokens) != re.sub(r"[\s,]", "", rows) or not tokens or len(set(tokens)) < len(tokens):
            raise Error(
                f"{what}: rows={rows!r}; name each of {' '.join(TOKENS)} at most once, such as 'xyz' or 'x y rz'"
            )
        return np.eye(6)[:, [TOKENS.index(token) for token in tokens]], tuple(tokens)
    try:
        matrix = np.asarray(rows, float)
    except (TypeError, ValueError):
        matrix = np.empty((0, 0))
    if matrix.ndim != 2 or matrix.shape[0] != 6 or not matrix.shape[1] or not np.all(np.isfinite(matrix)):
        raise Error(
            f"{what}: rows of shape {matrix.shape}; give tokens or a finite 6×m matrix "
            "whose columns are unit wrenches, moment first"
        )
    return matrix, tuple(f"row{k}" for k in range(matrix.shape[1]))


def attached(mechanism: Mechanism, name: str, what: str, point: Any = (0.0, 0.0, 0.0)) -> Attached:
    """A frame by name, or a point of it, on the mechanism."""
    if name not in mechanism.frames:
        raise Error(f"{what}: there is no frame {name!r}{suggestion(name, mechanism.frames)}")
    body, pose = mechanism.frames[name]
    offset = np.asarray(point, float)
    if offset.shape != (3,) or not np.all(np.isfinite(offset)):
        raise Error(f"{what}: point={point}; give three finite coordinates in metres, in the axes of {name}")
    if offset.any():
        pose = pose.compose(Pose.between(Frame(f"{name}+point", pose.of.body), pose.of, (), offset))
    return Attached(body, pose)


def resolve_constraints(mechanism: Mechanism, constraints: list[Constraint]) -> tuple[ConstraintRows, ...]:
    """The rows of all constraints, in order; they must be on one movable body."""
    found: list[ConstraintRows] = []
    start = 0
    for number, constraint in enumerate(constraints):
        what = f"Constraint on {constraint.frame!r}"
        at = attached(mechanism, constraint.frame, what, constraint.point)
        axes = attached(mechanism, constraint.as_seen_by, f"{what}, as_seen_by")
        if at.body < 0:
            raise Error(f"{what}: it belongs to the fixed base, which cannot accelerate; constrain a moving link")
        if found and at.body != found[0].at.body:
            raise Error(
                f"{what}: it moves with {at.pose.wrt.body}, but {constraints[0].frame!r} with "
                f"{found[0].at.pose.wrt.body}; all rows must be on one segment in this version"
            )
        wrenches, tokens = constraint.wrenches()
        labels = tuple(f"{number}:{constraint.frame}.{token}" for token in tokens)
        rows = slice(start, start + len(tokens))
        found.append(ConstraintRows(at, axes, constraint.kind, constraint.source, labels, wrenches, rows))
        start = rows.stop
    return tuple(found)


def resolve_forces(mechanism: Mechanism, forces: list[str | Force], port: str) -> tuple[AppliedWrench, ...]:
    """The wrenches of an input port, one row of six each, in order."""
    found: list[AppliedWrench] = []
    for row, force in enumerate(forces):
        spec = Force(force) if isinstance(force, str) else force
        what = f"{'artificial' if port == 'f_art' else 'external'} force on {spec.frame!r}"
        at = attached(mechanism, spec.frame, what)
        if at.body < 0:
            raise Error(f"{what}: it belongs to the fixed base; a force on it changes nothing")
        axes = attached(mechanism, spec.as_seen_by or spec.frame, f"{what}, as_seen_by")
        found.append(AppliedWrench(at, axes, port, row))
    return tuple(found)
