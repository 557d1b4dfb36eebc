"""Inverse velocity kinematics: the least joint rates of all that come nearest (specs/itasc.md §2.5).

    outward   S_i in the axes of the world
    root      A = rows of [S_i along the way from wrt to the frame], each at the frame's point
              v = M⁻¹ Aᵀ W (W A M⁻¹ Aᵀ W + λ² 1)⁺ W ẏ

With W = diag(w_i) this minimises Σ w_i² (A v - ẏ)_i² + λ² vᵀ M v, and where λ = 0 takes the least vᵀ M v of all that
do: (3.18) to (3.21) in one, whatever the rank of A. M weighs joints: a diagonal, or their inertia (least energy).
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.geometry import (
    WORLD_FRAME,
    JointMobility,
    JointRows,
    JointVelocity,
    MotionBasis,
    Position,
    RowVelocity,
    WrenchBasis,
)
from motionc.geometry.coordinates import UNKNOWN, above, zeros
from motionc.geometry.meaning import as_meant
from motionc.geometry.screw import MEANING
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.program.kernels.semidefinite import RANGE_SOLVE
from motionc.program.port import Port, Precision
from motionc.solvers import relations
from motionc.solvers.arguments import Question, chosen, q_port, rank_notes, refuse_idle, refuse_large, v_port
from motionc.solvers.centroidal import Momentum
from motionc.solvers.constraint import EVERYTHING
from motionc.solvers.frame_arguments import Frames, as_targets
from motionc.solvers.mass_matrix import LARGEST_INVERSE
from motionc.solvers.mass_matrix_inverse import invert_masses
from motionc.solvers.row_ports import rank_port
from motionc.solvers.steps.center import CENTER, Centered, momentum_matrix
from motionc.solvers.steps.composite import MASSES
from motionc.solvers.steps.motion import poses, turn, world_at_origin, world_poses
from motionc.solvers.steps.moved_rows import of_moved_rows
from motionc.solvers.target import AnyTarget, Asked, AskedOfAll, AskedRows, in_words, resolve_targets
from motionc.sweeps.frames import Attached
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.options import Check, optional
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, Operation, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import CENTER as CENTER_POINT
from motionc.sweeps.state import Slot, StateGraph, in_order_of_v

WHOLE = ("composite", "center", "unit_momenta")
"""What is known of all bodies at once."""


class Resolved(Centered):
    """How joints move along the rows asked for, and the rates that do."""

    directions_in_world = Slot(MotionBasis, "body")
    jacobian_transposed = Slot(JointRows, "none")
    mass_matrix_inverse = Slot(JointMobility, "none")
    row_errors = Slot(RowVelocity, "none")
    joint_rates = Slot(JointVelocity, "none")
    rank = Slot(object, "none")


@operation(OUTWARD, needs=["world_pose"], gives=["directions_in_world"])
def free_directions(joint: JointView, parent: Resolved, child: Resolved) -> None:
    child.directions_in_world = joint.basis.change_frame(child.world_pose.orientation)


@operation(ROOT, needs=["world_pose", "directions_in_world"], gives=["jacobian_transposed"])
def reach_rows(graph: StateGraph[Resolved], problem: Problem) -> None:
    """A, target after target."""
    _reach(graph, problem)


@operation(ROOT, needs=[*reach_rows.needs, *WHOLE], gives=["jacobian_transposed"])
def reach_rows_of_all(graph: StateGraph[Resolved], problem: Problem) -> None:
    """The same where some are of all bodies."""
    _reach(graph, problem)


def _reach(graph: StateGraph[Resolved], problem: Problem) -> None:
    world = graph.world
    for number, spec in enumerate(problem[Asked].rows):
        if isinstance(spec, AskedOfAll):
            rows = rows_of_all(graph, spec)
        else:
            rows = rows_of_joints(graph, spec.view.of, spec.view.wrt, place(graph, spec), in_world(graph, spec))
        world.jacobian_transposed = world.jacobian_transposed.beside(rows) if number else rows


@operation(ROOT, gives=["mass_matrix_inverse"])
def weigh_joints(graph: StateGraph[Resolved], problem: Problem) -> None:
    """M⁻¹ of a diagonal M."""
    weights = np.asarray(problem.constants["joint_weights"], float)
    graph.world.mass_matrix_inverse = JointMobility(graph.coordinates, np.diag(1 / weights[:, 0]))


@operation(ROOT, needs=["jacobian_transposed", "mass_matrix_inverse"], gives=["row_errors", "joint_rates", "rank"])
def resolve(graph: StateGraph[Resolved], problem: Problem) -> None:
    world, weights = graph.world, problem.constants["row_weights"]
    world.row_errors = RowVelocity(world.jacobian_transposed.rows, problem.rows("twist", slice(None)))
    ranked = RANGE_SOLVE.with_policy((), None, graph.mechanism.nv, tuple(np.asarray(weights, float)[:, 0]))
    kernel = LDLT_SOLVE if problem[Asked].damping else ranked
    call, damping = of_moved_rows(problem), problem[Asked].damping ** 2
    reach, mobility = world.jacobian_transposed, world.mass_matrix_inverse
    resolved = world.row_errors.resolve(reach, mobility, weights, damping, kernel, call)
    world.joint_rates, *report = resolved
    world.rank = report[0] if report else UNKNOWN


# ---------------------------------------------------------------- rows


def place(graph: StateGraph[Resolved], spec: AskedRows) -> Position:
    """Where the frame's point is in the world."""
    where = spec.view.of
    return graph[where.body].world_pose.compose(where.pose).position


def in_world(graph: StateGraph[Resolved], spec: AskedRows | AskedOfAll) -> WrenchBasis:
    """The rows in the axes of the world."""
    axes = spec.spec.axes if isinstance(spec, AskedOfAll) else spec.view.axes
    return spec.basis().change_frame(turn(graph, axes, graph.world))


def rows_of_all(graph: StateGraph[Resolved], spec: AskedOfAll) -> JointRows:
    """How each joint moves the centre of mass, or makes momentum about it, along rows: uᵀ A_G, per unit of mass."""
    whole, center = graph.world.composite, graph.world.center
    u = spec.spec.unit_motions(center).change_frame(turn(graph, spec.spec.axes, graph.world))
    as_meant(u, "directions of momentum", point=CENTER_POINT, as_seen_by=WORLD_FRAME)
    values = momentum_matrix(graph).T @ above(u.angular, u.linear)
    return JointRows(graph.coordinates, u.rows, values / whole.mass if spec.spec.per_mass else values)


def rows_of_joints(
    graph: StateGraph[Resolved], of: Attached, wrt: Attached, at: Position, rows: WrenchBasis
) -> JointRows:
    """How each joint moves one body with respect to another along rows at a place, in the order of v."""
    columns = _between(graph, of.body, wrt.body, at)
    columns.expect(rows, "along", WrenchBasis, MEANING)
    alone = columns.pair(rows)
    values = in_order_of_v(graph, alone.values.T, columns.joints).T
    return JointRows(graph.coordinates, rows.rows, values)


def _between(graph: StateGraph[Resolved], of: int, wrt: int, at: Position) -> MotionBasis:
    """S of every joint between two bodies, at one place: inward from wrt to where both paths meet, then outward."""
    back, out = graph.mechanism.path(wrt), graph.mechanism.path(of)
    shared = sum(a == b for a, b in zip(back, out, strict=False))
    body = graph[wrt].body
    columns = MotionBasis(body, body, at.of, WORLD_FRAME, zeros(3, 0), zeros(3, 0))
    for index in reversed(back[shared:]):
        columns = columns.compose(_at(graph[index], at).inverse())
    for index in out[shared:]:
        columns = columns.compose(_at(graph[index], at))
    return columns


def _at(state: Resolved, at: Position) -> MotionBasis:
    """S of a joint at another place of the world."""
    return state.directions_in_world.change_point(state.world_pose.position.inverse().compose(at))


PLACES = (sweep(world_at_origin), sweep(poses, world_poses, free_directions))


INVERSE_VELOCITY = Schedule("inverse_velocity", (*PLACES, sweep(weigh_joints), sweep(reach_rows, resolve)))


LEAST_ENERGY = Schedule("inverse_velocity", (*PLACES, *MASSES, sweep(invert_masses), sweep(reach_rows, resolve)))


def with_center(schedule: Schedule, step: Operation, of_all: Operation) -> Schedule:
    """The same schedule with the centre of mass known, and a step in place of another that knows of it too."""
    sweeps = [sweep(*(of_all if one is step else one for one in walk.operations)) for walk in schedule.sweeps]
    return Schedule(schedule.name, (*sweeps[: len(PLACES)], *CENTER, *sweeps[len(PLACES) :]))


Array = np.ndarray[Any, np.dtype[np.float64]]


Method = Literal["pseudo_inverse", "damped"]


Weights = Sequence[float] | Array


FACTOR = "give a finite number > 0, or take method='pseudo_inverse'"
DAMPING = 0.01
"""λ where nothing is said: rates stay below fifty times the twist, and a singular value of 0.1 loses 1 %."""


@dataclass(frozen=True)
class InverseVelocity(Question):
    """Inverse velocity kinematics: joint rates, the least vᵀ M v of all that come nearest to A(q) v = twist.

    Args:
        robot: the robot.
        frames: whose body is to move; several give more rows, in order. A Target or a Constraint says for itself what
            it is wrt, at which point, along which rows and how much they weigh; a CenterOfMass or a Momentum is to
            move, or to be, as a whole.
        method: "pseudo_inverse", exact wherever that is possible, or "damped", which keeps rates bounded.
        wrt: of frames given by name: relative to which frame's body.
        point: of frames given by name: the point that is to move, in frame coordinates (m).
        as_seen_by: of frames given by name: whose axes the twist is written in.
        rows: of frames given by name: tokens rx ry rz x y z in the order of the twist, or a 6×m matrix.
        damping_factor: λ of the damped method, in units of singular values: rates stay below |twist| / (2 λ).
        joint_weights: the diagonal of M, in the order of v; "inertia" takes the mass matrix: least kinetic energy.
        row_weights: w, one a row; where not all can be had, Σ w² (A v - twist)² is least.
        outputs: which of v, residual (A v - twist) and rank (of the pseudo-inverse alone) to compute.
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "inverse_velocity"
    renamed: ClassVar = {"frame": "frames", "damping": "damping_factor"}
    understood: ClassVar[Mapping[str, Check]] = {
        **Question.understood,
        "damping_factor": optional(lambda what, given: checked.number(what, given, FACTOR, fits=lambda x: x > 0)),
        "joint_weights": optional(lambda what, given: checked_weights(what, given, "inertia")),
        "row_weights": optional(lambda what, given: checked_weights(what, given)),
    }

    frames: Frames
    method: Method = "pseudo_inverse"
    _: KW_ONLY
    wrt: str = "world"
    point: Sequence[float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    rows: Any = EVERYTHING
    damping_factor: float | None = None
    joint_weights: Weights | Literal["inertia"] | None = None
    row_weights: Weights | None = None
    outputs: Sequence[str] = ("v",)
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        what = "inverse_velocity"
        if self.damping_factor is not None and self.method == "pseudo_inverse":
            raise Error(
                f"{what}: damping_factor={self.damping_factor} is not read by the pseudo-inverse; say method='damped'"
            )
        damping = DAMPING if self.damping_factor is None else self.damping_factor
        beside = {"rows": self.rows, "wrt": self.wrt, "point": self.point, "as_seen_by": self.as_seen_by}
        targets = as_targets(f"{what}: frames", self.frames, **beside)
        specs = resolve_targets(robot.mechanism, what, targets)
        labels = [label.partition(":")[2] for spec in specs for label in spec.labels]
        m = len(labels)
        weights = self.joint_weights
        by_inertia = isinstance(weights, str)
        if by_inertia:
            refuse_idle(robot, what)
            refuse_large(robot, what, LARGEST_INVERSE)
        constants = {
            "joint_weights": weights_of(what, "joint_weights", None if isinstance(weights, str) else weights, robot.nv),
            "row_weights": weights_of(what, "row_weights", self.row_weights, m) * row_weights(targets, specs),
        }

        def question(mechanism: Mechanism) -> Problem:
            asked = resolve_targets(mechanism, what, targets)
            return Problem(
                {}, options=(Asked(asked, damping if self.method == "damped" else 0.0),), constants=constants
            )

        schedule = LEAST_ENERGY if by_inertia else INVERSE_VELOCITY
        if any(isinstance(spec, AskedOfAll) for spec in specs):
            schedule = with_center(schedule, reach_rows, reach_rows_of_all)
        units = "rad/s, m/s" + "; of momentum kg m²/s, kg m/s" * any(isinstance(one, Momentum) for one in targets)
        said = "; ".join(f"{in_words(target)}, as seen by {target.as_seen_by}" for target in targets)
        along = relations.of_rows("velocity", [f"{label} of {said}" for label in labels])
        ports = {
            "v": v_port(robot),
            "residual": Port("residual", (m,), units, "twist reached, minus the one asked for"),
            "rank": rank_port(m, "not every twist can be had here"),
        }
        if self.method == "damped":
            del ports["rank"]

        return Solver(
            what,
            "v = M^-1 A^T W (W A M^-1 A^T W + lambda^2 1)^+ W twist",
            robot,
            schedule,
            (q_port(robot), Port("twist", (m,), units, f"velocity along {', '.join(labels)} ({said})", relation=along)),
            chosen(what, self.outputs, ports),
            question,
            {
                "v": lambda graph: graph.world.joint_rates.values,
                "residual": lambda graph: (
                    graph.world.jacobian_transposed.moved(graph.world.joint_rates).minus(graph.world.row_errors).values
                ),
                "rank": lambda graph: graph.world.rank,
            },
            lambda results: rank_notes(m, results, "the rates come nearest to the twist, see residual"),
            options=self,
        )


# ---------------------------------------------------------------- weights


def weights_of(what: str, name: str, values: Weights | None, size: int) -> Array:
    """One positive number each, as a column; all 1 where nothing is said."""
    if values is None:
        return np.ones((size, 1))
    if len(values) != size:
        raise checked.refusal(f"{what}: {name}", values, f"give {size} finite numbers > 0")
    return np.reshape(values, (-1, 1))


def checked_weights(what: str, given: Any, *words: str) -> Any:
    """Positive numbers, or one of some words."""
    if isinstance(given, str) and given in words:
        return given
    also = "".join(f"say {word!r}, or " for word in words)
    weights = checked.numbers(what, given, f"{also}give finite numbers > 0", (None,))
    if not np.all(weights > 0):
        raise checked.refusal(what, given, f"{also}give finite numbers > 0")
    return tuple(map(float, weights))


def row_weights(targets: Sequence[AnyTarget], specs: tuple[AskedRows | AskedOfAll, ...]) -> Array:
    """Each target's own weight, row by row."""
    return np.vstack([np.full((len(spec.labels), 1), t.weight) for t, spec in zip(targets, specs, strict=True)])
