"""How a user says what a task requires and what acts: Constraint, JointConstraint, Force, resolved by name."""

import re
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.model.mechanism import Mechanism
from motionc.model.moving_joint import MovingJoint
from motionc.solvers.rows import AnyRows, ConstraintRows, JointConstraintRows
from motionc.sweeps.frames import attached
from motionc.sweeps.problem import AppliedWrench

TOKENS = ("rx", "ry", "rz", "x", "y", "z")
EVERYTHING = " ".join(TOKENS)
WEIGHT = "give a finite number > 0 (1 for all alike)"
FRAME = "give the name of a frame"


class Compared:
    """Equal where all fields are, arrays entry by entry; shown as one would write it."""

    def _fields(self: Any) -> tuple[Any, ...]:
        values = (getattr(self, field.name) for field in fields(self))
        return tuple((v.shape, v.tobytes()) if isinstance(v, np.ndarray) else v for v in values)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._fields() == other._fields()  # pyright: ignore[reportAttributeAccessIssue]

    def __hash__(self) -> int:
        return hash((type(self), self._fields()))

    def __repr__(self: Any) -> str:
        said: list[str] = []
        for field in fields(self):
            value = getattr(self, field.name)
            told = value.tolist() if isinstance(value, np.ndarray) else value
            if field.default is MISSING:
                said.append(repr(told))
            elif isinstance(value, np.ndarray) or value != field.default:
                said.append(f"{field.name}={told!r}")
        return f"{type(self).__name__}({', '.join(said)})"


@dataclass(frozen=True, eq=False, repr=False)
class Constraint(Compared):
    """Rows along which a frame's acceleration is prescribed.

    Args:
        frame: name of a link, attachment or `joint:NAME`; its body is the constrained one.
        rows: tokens x y z rx ry rz in the order of b ("xyz", "x y rz"), or a 6×m matrix of unit wrenches (n; f); all
            six unless said, turns first.
        wrt: the body the acceleration is relative to, by any frame of it; derivatives are taken there. If it moves,
            the opposite forces act on it: rows between two segments of one robot close a loop.
        point: a point fixed to the frame's body, in frame coordinates (m).
        as_seen_by: whose axes the rows are written in, at this instant.
        kind: "classical" (second derivative of the point's position) or "spatial".
        source: who makes the force: "task", the motors; "contact", the environment.
        level: 1 comes first; rows of a later level get what earlier ones leave free.
        weight: where rows of one level cannot all be had, how much a miss of these counts (by its square).
        mu: Coulomb friction of a contact whose normal is z of `as_seen_by`, for the output contact_margin and its note:
            μ f_n - |f_t| (N), below zero where it would slip; without it the margin is f_n, below zero where it pulls.
    """

    frame: str
    rows: Any = EVERYTHING
    wrt: str = "world"
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    kind: Literal["classical", "spatial"] = "classical"
    source: Literal["task", "contact"] = "task"
    level: int = 1
    weight: float = 1.0
    mu: float | None = None

    def __post_init__(self) -> None:
        what = f"Constraint on {checked.name('Constraint: frame', self.frame, FRAME)}"
        settle_rows(self, what)
        checked.one_of(f"{what}: kind", self.kind, ("classical", "spatial"))
        settle_rank(self, what)
        if self.mu is not None:
            wanted = "give a finite number > 0, or None where friction is not known, or there is none"
            object.__setattr__(self, "mu", checked.number(f"{what}: mu", self.mu, wanted, fits=lambda mu: mu > 0))
            if self.source != "contact":
                raise Error(
                    f"{what}: mu={self.mu:g} of a task; only contacts slip: say source='contact', or leave it out"
                )
            if not np.any(self.wrenches()[0][5]):
                raise Error(
                    f"{what}: mu={self.mu:g}, but its rows make no force along z of {self.as_seen_by}, the normal; "
                    "give mu to the contact that has z among its rows, x and y with it, or leave it out"
                )

    def wrenches(self) -> tuple[np.ndarray[Any, np.dtype[np.float64]], tuple[str, ...]]:
        """The unit wrenches (6, m) and a name for each row."""
        return unit_wrenches(f"Constraint on {self.frame}", self.rows)


@dataclass(frozen=True, eq=False, repr=False)
class JointConstraint(Compared):
    """Rows along which joints' accelerations are prescribed: Cᵀ a = b.

    Args:
        joints: name of a movable joint, or several.
        rows: a k×m matrix C whose columns are unit forces along the k coordinates of these joints; by default one row
            a coordinate.
        source: who makes the force: "task", the motors; "contact", the environment (brakes, end stops).
        level: 1 comes first; rows of a later level get what earlier ones leave free.
        weight: where rows of one level cannot all be had, how much a miss of these counts (by its square).
    """

    joints: str | Sequence[str]
    rows: Any = None
    source: Literal["task", "contact"] = "task"
    level: int = 1
    weight: float = 1.0

    def __post_init__(self) -> None:
        wanted = "give the name of a movable joint, or a list of names"
        names = checked.names("JointConstraint: joints", self.joints, wanted)
        if not names:
            raise checked.refusal("JointConstraint: joints", self.joints, wanted)
        what = f"JointConstraint on {', '.join(names)}"
        object.__setattr__(self, "joints", names[0] if isinstance(self.joints, str) else names)
        if self.rows is not None:
            matrix = checked.numbers(
                f"{what}: rows", self.rows, "give a finite k×m matrix of unit forces", (None, None)
            )
            matrix.setflags(write=False)
            object.__setattr__(self, "rows", matrix)
        settle_rank(self, what)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)


class OfAllBodies(Compared):
    """Rows of all bodies at once, which say themselves what they are on a mechanism (centroidal.py)."""

    source: Literal["task"]
    level: int
    weight: float
    as_seen_by: str
    called: ClassVar[str]

    def resolved(self, mechanism: Mechanism, number: int, start: int) -> AnyRows:
        raise NotImplementedError


@dataclass(frozen=True)
class Force:
    """A wrench input on a frame's body, reduced to the frame's origin, as seen by the world.

    Args:
        frame: name of a link, attachment or `joint:NAME`; the wrench acts on its body.
        as_seen_by: whose axes the six numbers are written in, such as the frame's own; it turns the axes only.
    """

    frame: str
    as_seen_by: str = "world"

    def __post_init__(self) -> None:
        frame = checked.name("Force: frame", self.frame, FRAME)
        checked.name(f"Force on {frame}: as_seen_by", self.as_seen_by, FRAME)


def settle_rows(asked: Any, what: str) -> None:
    """Refuse names, rows and a point that are none; keep the others as what nobody can write to."""
    for field in ("wrt", "as_seen_by"):
        checked.name(f"{what}: {field}", getattr(asked, field), FRAME)
    object.__setattr__(asked, "point", checked_point(f"{what}: point", asked.point))
    matrix, _ = unit_wrenches(what, asked.rows)
    if not isinstance(asked.rows, str):
        matrix.setflags(write=False)
        object.__setattr__(asked, "rows", matrix)


def settle_rank(asked: "Constraint | JointConstraint | OfAllBodies", what: str) -> None:
    """Refuse a source, a level or a weight that is none."""
    wanted = "say 1 for what comes first, 2 for what comes next, and so on"
    checked.one_of(f"{what}: source", asked.source, ("task", "contact"))
    object.__setattr__(asked, "level", checked.whole(f"{what}: level", asked.level, 1, wanted))
    object.__setattr__(asked, "weight", checked_weight(f"{what}: weight", asked.weight))


def checked_weight(what: str, weight: Any) -> float:
    return checked.number(what, weight, WEIGHT, fits=lambda value: value > 0)


def checked_point(what: str, point: Any) -> tuple[float, ...]:
    """Three coordinates in a tuple."""
    return tuple(map(float, checked.numbers(what, point, "give three finite coordinates in metres", (3,))))


def unit_wrenches(what: str, rows: Any) -> tuple[np.ndarray[Any, np.dtype[np.float64]], tuple[str, ...]]:
    """Unit wrenches (6, m) and a name for each, from tokens or from a matrix of them."""
    if isinstance(rows, str):
        tokens = re.findall(r"r?[xyz]", rows)
        if "".join(tokens) != re.sub(r"[\s,]", "", rows) or not tokens or len(set(tokens)) < len(tokens):
            once = f"name each of {' '.join(TOKENS)} at most once, such as 'xyz' or 'x y rz'"
            raise Error(f"{what}: rows={checked.shown(rows)}; {once}")
        return np.eye(6)[:, [TOKENS.index(token) for token in tokens]], tuple(tokens)
    wanted = "give tokens in one string, such as 'x y rz', or a finite 6×m matrix of unit wrenches, moment first"
    matrix = checked.numbers(f"{what}: rows", rows, wanted, (6, None))
    if not matrix.shape[1]:
        raise checked.refusal(f"{what}: rows", rows, wanted)
    return matrix, tuple(f"row{k}" for k in range(matrix.shape[1]))


def numbers_in_words(asked: Any) -> str:
    """What numbers say of rows: their point, where it is not the frame's origin, and directions that have no names."""
    point, rows = getattr(asked, "point", ()), asked.rows
    said = f", at ({', '.join(f'{x:.12g}' for x in point)})" if any(point) else ""
    if isinstance(rows, np.ndarray):
        columns = "; ".join(" ".join(f"{x + 0.0:.12g}" for x in column) for column in rows.T)
        said += f", rows [{columns}]"
    return said


def resolve_constraints(
    mechanism: Mechanism, constraints: Sequence[Constraint | JointConstraint | OfAllBodies]
) -> tuple[AnyRows, ...]:
    """The rows of all constraints, in order."""
    specs: list[AnyRows] = []
    start = 0
    for number, constraint in enumerate(constraints):
        if isinstance(constraint, JointConstraint):
            spec = _along_joints(mechanism, constraint, number, start)
        elif isinstance(constraint, Constraint):
            spec = _on_frame(mechanism, constraint, number, start)
        elif isinstance(constraint, OfAllBodies):  # pyright: ignore[reportUnnecessaryIsInstance]
            spec = constraint.resolved(mechanism, number, start)
        else:
            raise Error(f"constraint {number} is a {type(constraint).__name__}; give Constraint or JointConstraint")
        specs.append(spec)
        start = spec.rows.stop
    return tuple(specs)


def _on_frame(mechanism: Mechanism, constraint: Constraint, number: int, start: int) -> ConstraintRows:
    what = f"Constraint on {constraint.frame!r}"
    at = attached(mechanism, constraint.frame, what, constraint.point)
    observer = attached(mechanism, constraint.wrt, f"{what}, wrt")
    axes = attached(mechanism, constraint.as_seen_by, f"{what}, as_seen_by")
    if at.body < 0:
        remedy = "constrain a moving link" if observer.body < 0 else f"say frame={constraint.wrt!r} and wrt='world'"
        raise Error(f"{what}: it belongs to the fixed base, which cannot accelerate; {remedy}")
    if at.body == observer.body:
        raise Error(
            f"{what}: wrt={constraint.wrt!r} belongs to {at.pose.wrt.body} too, so that one never moves with respect "
            "to the other; name a frame beyond some joint"
        )
    wrenches, tokens = constraint.wrenches()
    labels = tuple(f"{number}:{constraint.frame}.{token}" for token in tokens)
    rows = slice(start, start + len(tokens))
    ranks = constraint.source, constraint.level, float(constraint.weight)
    frame = attached(mechanism, constraint.frame, what)
    return ConstraintRows(
        labels,
        *ranks,
        rows,
        at,
        observer,
        axes,
        constraint.kind,
        wrenches,
        frame,
        (constraint.frame, constraint.wrt),
        constraint.mu,
    )


def _along_joints(mechanism: Mechanism, constraint: JointConstraint, number: int, start: int) -> JointConstraintRows:
    what = f"JointConstraint on {', '.join(constraint.names)}"
    # a universal or cylindrical joint is two in a row
    joints: dict[str, list[MovingJoint]] = {}
    for body in mechanism.bodies:
        joints.setdefault(body.joint.name, []).append(body.joint)
    for name in constraint.names:
        if name not in joints:
            raise Error(f"{what}: there is no movable joint {name!r}{suggestion(name, joints)}")
        if joints[name][0].follows:
            raise Error(f"{what}: {name} follows another joint; constrain the joint it follows")
    if not constraint.names or len(set(constraint.names)) < len(constraint.names):
        raise Error(f"{what}: name at least one joint, each once")
    named = [joint for name in constraint.names for joint in joints[name]]
    labels = [label for joint in named for label in joint.labels]
    unit = np.eye(len(labels)) if constraint.rows is None else constraint.rows
    if unit.shape[0] != len(labels) or not unit.shape[1]:
        raise Error(
            f"{what}: rows of shape {unit.shape}; give a finite {len(labels)}×m matrix, one line for each of "
            f"{', '.join(labels)}"
        )
    each = labels if constraint.rows is None else [f"row{k}" for k in range(unit.shape[1])]
    columns = tuple(f"{number}:{label}" for label in each)
    parts: dict[tuple[str, ...], Any] = {}
    done = 0
    for joint in named:
        parts[joint.labels] = unit[done : done + len(joint.labels)]
        done += len(joint.labels)
    rows = slice(start, start + len(columns))
    return JointConstraintRows(columns, constraint.source, constraint.level, float(constraint.weight), rows, parts)


def resolve_forces(mechanism: Mechanism, forces: Any, port: str) -> tuple[AppliedWrench, ...]:
    """The wrenches of an input port, one row of six each, in order."""
    wrenches: list[AppliedWrench] = []
    for row, force in enumerate(forces):
        spec = Force(force) if isinstance(force, str) else force
        what = f"{'artificial' if port == 'f_art' else 'external'} force on {spec.frame!r}"
        at = attached(mechanism, spec.frame, what)
        if at.body < 0:
            raise Error(f"{what}: it belongs to the fixed base; a force on it changes nothing")
        axes = attached(mechanism, spec.as_seen_by, f"{what}, as_seen_by")
        wrenches.append(AppliedWrench(at, axes, port, row))
    return tuple(wrenches)
