"""The catalogue of inverse kinematics: rates for twists, and one step towards poses."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from motionc.errors import Error
from motionc.geometry.coordinates import Coordinates, assemble, at_least, square_root
from motionc.model.manifold import in_order_of_q
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision, real_numbers
from motionc.program.space import Poses, shares
from motionc.solvers.arguments import Question, chosen, q_port, rank_notes, refuse_idle, refuse_large, v_port
from motionc.solvers.inverse_kinematics import INVERSE_KINEMATICS
from motionc.solvers.inverse_velocity import INVERSE_VELOCITY, LEAST_ENERGY
from motionc.solvers.mass_solvers import LARGEST_INVERSE
from motionc.solvers.target import EVERYTHING, Target, as_targets, resolve_targets
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import AskedRows, Setting
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph

Array = np.ndarray[Any, np.dtype[np.float64]]
Method = Literal["pseudo_inverse", "damped"]
Weights = Sequence[float] | Array

DAMPING = 0.01
"""λ where nothing is said: rates stay below fifty times the twist, and a singular value of 0.1 loses 1 %."""


@dataclass(frozen=True)
class InverseVelocity(Question):
    """Joint rates that move frames as asked: the least vᵀ M v of all that come nearest to A(q) v = twist.

    Args:
        robot: the robot.
        frame: whose body is to move; several give more rows, in order. A Target says for itself what it is wrt, at
            which point, along which rows and how much they weigh.
        method: "pseudo_inverse", exact wherever that is possible, or "damped", which keeps rates bounded.
        wrt: relative to which frame's body.
        point: the point of the frame that is to move, in frame coordinates (m).
        as_seen_by: whose axes the twist is written in.
        rows: tokens rx ry rz x y z in the order of the twist, or a 6×m matrix of unit wrenches.
        damping: λ of the damped method, in units of singular values: rates stay below |twist| / (2 λ).
        joint_weights: the diagonal of M, in the order of v; "inertia" takes the mass matrix: least kinetic energy.
        row_weights: w, one a row; where not all can be had, Σ w² (A v - twist)² is least.
        outputs: which of v, residual (A v - twist) and rank (of the pseudo-inverse alone) to compute.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "inverse_velocity"

    frame: str | Target | Sequence[str | Target]
    method: Method = "pseudo_inverse"
    _: KW_ONLY
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    rows: Any = EVERYTHING
    damping: float | None = None
    joint_weights: Weights | Literal["inertia"] | None = None
    row_weights: Weights | None = None
    outputs: Sequence[str] = ("v",)
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        what = "inverse_velocity"
        if self.method not in get_args(Method):
            raise Error(f"{what}: method={self.method!r}; say 'pseudo_inverse' or 'damped'")
        if self.damping is not None and self.method == "pseudo_inverse":
            raise Error(f"{what}: damping={self.damping} is not read by the pseudo-inverse; say method='damped'")
        damping = DAMPING if self.damping is None else self.damping
        if not np.isfinite(damping) or damping <= 0:
            raise Error(f"{what}: damping={damping}; give a finite number > 0, or take method='pseudo_inverse'")
        names = [self.frame] if isinstance(self.frame, str | Target) else list(self.frame)
        full = [
            Target(name, self.rows, self.wrt, tuple(self.point), self.as_seen_by) if isinstance(name, str) else name
            for name in names
        ]
        targets = as_targets(what, full)
        specs = resolve_targets(robot.mechanism, what, targets)
        labels = [label.partition(":")[2] for spec in specs for label in spec.labels]
        m = len(labels)
        weights = self.joint_weights
        by_inertia = isinstance(weights, str)
        if by_inertia:
            if weights != "inertia":
                raise Error(
                    f"{what}: joint_weights={self.joint_weights!r}; say 'inertia', or give a number for each entry of v"
                )
            refuse_idle(robot, what)
            refuse_large(robot, what, LARGEST_INVERSE)
        constants = {
            "joint_weights": _weights(what, "joint_weights", None if isinstance(weights, str) else weights, robot.nv),
            "row_weights": _weights(what, "row_weights", self.row_weights, m) * _row_weights(targets, specs),
        }

        def question(mechanism: Mechanism) -> Setting:
            asked = resolve_targets(mechanism, what, targets)
            return Setting({}, damping=damping if self.method == "damped" else 0.0, asked=asked, constants=constants)

        said = "; ".join(f"{target.frame} wrt {target.wrt}, as seen by {target.as_seen_by}" for target in targets)
        ports = {
            "v": v_port(robot),
            "residual": Port("residual", (m,), "rad/s, m/s", "twist reached, minus the one asked for"),
            "rank": Port(
                "rank", (), "1", f"independent rows among {m}; less than {m}: not every twist can be had here"
            ),
        }
        if self.method == "damped":
            del ports["rank"]

        return Solver(
            what,
            "v = M^-1 A^T W (W A M^-1 A^T W + lambda^2 1)^+ W twist",
            robot,
            LEAST_ENERGY if by_inertia else INVERSE_VELOCITY,
            (q_port(robot), Port("twist", (m,), "rad/s, m/s", f"velocity along {', '.join(labels)} ({said})")),
            chosen(what, self.outputs, ports),
            question,
            {
                "v": lambda graph: graph.world.rates.values,
                "residual": lambda graph: graph.world.reach.moved(graph.world.rates).minus(graph.world.asked).values,
                "rank": lambda graph: graph.world.rank,
            },
            lambda results: rank_notes(m, results, "the rates come nearest to the twist, see residual"),
            options=self,
        )


# ---------------------------------------------------------------- poses


@dataclass(frozen=True)
class InverseKinematicsStep(Question):
    """One step of inverse kinematics: from q and where frames should be to the next q, and what was missing at q.

    Args:
        robot: the robot.
        targets: frames and rows.
        lower: limits in the order of q, as `upper`; infinite where there are none.
        upper: likewise.
        joint_weights: how unwilling joints are to move, in the order of v.
        posture: whether joints are drawn to a configuration `rest`, in directions that no row needs.
        tolerance: metres and radians that may be missing; `worst` is 1 there.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/parameters.md).
    """

    called: ClassVar[str] = "inverse_kinematics_step"

    targets: Sequence[Target]
    _: KW_ONLY
    lower: Sequence[float] | Array
    upper: Sequence[float] | Array
    joint_weights: Weights | None = None
    posture: bool = False
    tolerance: tuple[float, float] = (1e-6, 1e-6)
    parameters: Parameters = ()

    def solver(self, robot: Robot) -> Solver:
        what = "inverse_kinematics"
        specs = resolve_targets(robot.mechanism, what, self.targets)
        k = len(self.targets)
        for spec, target in zip(specs, self.targets, strict=True):
            if any(
                turn.any() and shift.any() for turn, shift in zip(*np.split(spec.wrenches.T, 2, axis=1), strict=True)
            ):
                raise Error(f"{what} of {target.frame!r}: a row is both a turn and a shift; give each a row of its own")
        constants = {
            "joint_weights": _weights(what, "joint_weights", self.joint_weights, robot.nv),
            "row_weights": _row_weights(self.targets, specs),
            "lower": np.reshape(self.lower, (-1, 1)),
            "upper": np.reshape(self.upper, (-1, 1)),
            "tolerance": np.array([self.tolerance]),
        }

        def question(mechanism: Mechanism) -> Setting:
            return Setting({}, asked=resolve_targets(mechanism, what, self.targets), constants=constants)

        def missing(graph: StateGraph, part: int) -> Coordinates:
            """What is missing of each target's shifts (1) or turns (0)."""
            values, start = graph.world.asked.values, 0
            found: list[list[Any]] = []
            for spec in resolve_targets(graph.mechanism, what, self.targets):
                own = [i for i, column in enumerate(spec.wrenches.T) if np.split(column, 2)[part].any()]
                found.append([square_root(sum((values[start + i, 0] ** 2 for i in own), 0.0)) if own else 0.0])
                start += len(spec.labels)
            return assemble(found)

        def worst(graph: StateGraph) -> Coordinates:
            shifts, turns = missing(graph, 1), missing(graph, 0)
            most = shifts[0, 0] / self.tolerance[0]
            for i in range(k):
                most = at_least(at_least(most, shifts[i, 0] / self.tolerance[0]), turns[i, 0] / self.tolerance[1])
            return assemble([[most]])

        def merit(graph: StateGraph) -> Coordinates:
            weighed = constants["row_weights"] * graph.world.asked.values
            return square_root(weighed.T @ weighed)

        said = "; ".join(f"{target.frame} wrt {target.wrt}" for target in self.targets)
        rest = (
            q_port(robot, "rest", "where joints would rather be"),
            Port("pull", (), "1", "share of the way there in one step", shares(1)),
        )
        return Solver(
            self.called,
            "q + M^-1 A^T W (W A M^-1 A^T W + mu 1)^-1 W (log(X_goal X^-1)), within limits",
            robot,
            INVERSE_KINEMATICS,
            (
                q_port(robot),
                Port("targets", (k, 4, 4), "m, 1", f"where they should be: {said}", Poses(k)),
                Port("damping", (), "1", "share of the error squared by which the step is damped", shares(1)),
                *(rest if self.posture else ()),
            ),
            (
                q_port(robot, "q", "the next configuration"),
                Port("position", (k,), "m", "what is missing at the given configuration, of positions"),
                Port("rotation", (k,), "rad", "the same of orientations"),
                Port("merit", (), "1", "length of all that is missing, weighted"),
                Port("worst", (), "1", "the largest of all that is missing, in tolerances"),
                Port("distortion", (), "1", "how far targets are from being poses"),
            ),
            question,
            {
                "q": _arrived,
                "position": lambda graph: missing(graph, 1),
                "rotation": lambda graph: missing(graph, 0),
                "merit": merit,
                "worst": worst,
                "distortion": lambda graph: graph.world.distortion,
            },
            options=self,
        )


def _arrived(graph: StateGraph) -> Coordinates:
    """q of all joints, in its own order."""
    entries: list[list[Any]] = [[0.0] for _ in range(graph.mechanism.nq)]
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        if "arrived" in state:
            values = state.arrived.values
            for k, place in enumerate(range(body.joint.q.start, body.joint.q.stop)):
                entries[place] = [values[k, 0]]
    return assemble(entries)


# ---------------------------------------------------------------- weights and limits


def _weights(what: str, name: str, values: Weights | None, size: int) -> Array:
    """One positive number each, as a column; all 1 where nothing is said."""
    if values is None:
        return np.ones((size, 1))
    try:
        weights = np.asarray(real_numbers(values), float)
    except (TypeError, ValueError):
        raise Error(f"{what}: {name} must be {size} numbers, not {type(values).__name__}") from None
    if weights.shape != (size,) or not np.all(np.isfinite(weights) & (weights > 0)):
        raise Error(f"{what}: {name}={values}; give {size} finite numbers > 0")
    return weights.reshape(-1, 1)


def _row_weights(targets: Sequence[Target], specs: tuple[AskedRows, ...]) -> Array:
    """Each target's own weight, row by row."""
    return np.vstack([np.full((len(spec.labels), 1), t.weight) for t, spec in zip(targets, specs, strict=True)])


def joint_limits(robot: Robot, limits: tuple[Any, Any] | None = None) -> tuple[Array, Array]:
    """Lower and upper in the order of q, so that joints that follow others are within theirs, too.

    limits: lower and upper in the order of v, instead of the robot's.
    """
    lower, upper = _given_limits(robot, limits)
    joints = {joint.name: joint for joint in robot.joints}
    for name, (leader, gain, offset) in robot.followers.items() if limits is None else ():
        own, k = joints[name].limits, robot.v_index[leader].start
        if gain:
            ends = sorted(((own.lower - offset) / gain, (own.upper - offset) / gain))
            lower[k], upper[k] = max(lower[k], ends[0]), min(upper[k], ends[1])
    for name, where in robot.v_index.items():
        if (lower[where] > upper[where]).any():
            raise Error(f"inverse_kinematics: limits of {name} are reversed: {lower[where]} > {upper[where]}")
    return in_order_of_q(robot.spaces(), lower, -np.inf), in_order_of_q(robot.spaces(), upper, np.inf)


def _given_limits(robot: Robot, limits: tuple[Any, Any] | None) -> tuple[Array, Array]:
    if limits is None:
        return robot.limits.lower.copy(), robot.limits.upper.copy()
    try:
        lower, upper = (np.broadcast_to(np.asarray(real_numbers(end), float), (robot.nv,)).copy() for end in limits)
    except (TypeError, ValueError):
        raise Error(
            f"inverse_kinematics: limits={limits!r}; give lower and upper, {robot.nv} numbers each in the order of v"
        ) from None
    if np.isnan(lower).any() or np.isnan(upper).any():
        raise Error("inverse_kinematics: limits hold NaN; give infinity where there are none")
    return lower, upper
