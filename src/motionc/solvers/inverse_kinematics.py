"""Inverse kinematics, one step of Levenberg and Marquardt within limits (specs/itasc.md §2.5, §2.13).

    outward   where bodies are, S_i in the axes of the world
    root      e = (log R_goal Rᵀ; p_goal - p) along the rows of every target, A = how fast joints make it shrink
              joints at a limit that descent, Aᵀ W² e, would push beyond it are held (Bertsekas' projected Newton)
              v = M⁻¹ Aᵀ W (W A M⁻¹ Aᵀ W + μ 1)⁻¹ W e,  μ = damping |W e|² + a little
    outward   q ⊕ v, exactly, and back within limits

With μ a share of the error squared (Sugihara) no step is longer than 1/(2 √damping), through singular poses too, and
as the error vanishes, steps become Newton's own.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.geometry import Displacement, JointMobility, JointRows, JointVelocity, RowVelocity
from motionc.geometry.coordinates import Coordinates, assemble, at_least, select, square_root, zeros
from motionc.model.manifold import in_order_of_q
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.program.port import Port
from motionc.program.space import Poses, shares
from motionc.solvers.arguments import Question, q_port
from motionc.solvers.centroidal import Momentum
from motionc.solvers.integrate import Stepped, arrived
from motionc.solvers.inverse_velocity import (
    PLACES,
    WHOLE,
    Array,
    Resolved,
    Weights,
    in_world,
    place,
    row_weights,
    rows_of_all,
    rows_of_joints,
    weights_of,
    with_center,
)
from motionc.solvers.target import AnyTarget, Asked, AskedOfAll, AskedRows, in_words, name_of, resolve_targets
from motionc.sweeps.frames import Attached
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph


class Approaching(Resolved, Stepped):
    """How far what is given is from being a pose."""

    distortion = Slot(object, "none")


LITTLE = 1e-12
"""Damping that is left when nothing is missing."""


@operation(ROOT, needs=["world_pose", "directions_in_world"], gives=["row_errors", "jacobian_transposed", "distortion"])
def miss(graph: StateGraph[Approaching], problem: Problem) -> None:
    """What is missing along all rows, and how fast each joint makes it shrink."""
    _miss(graph, problem)


@operation(ROOT, needs=[*miss.needs, *WHOLE], gives=miss.gives)
def miss_of_all(graph: StateGraph[Approaching], problem: Problem) -> None:
    """The same where some are of the centre of mass."""
    _miss(graph, problem)


def _miss(graph: StateGraph[Approaching], problem: Problem) -> None:
    world = graph.world
    for number, spec in enumerate(problem[Asked].rows):
        asked, reach = _center(graph, problem, spec) if isinstance(spec, AskedOfAll) else _frame(graph, problem, spec)
        wrong = spec.distortion(problem)
        world.row_errors = world.row_errors.beside(asked) if number else asked
        world.jacobian_transposed = world.jacobian_transposed.beside(reach) if number else reach
        world.distortion = at_least(world.distortion, wrong) if number else wrong


def _frame(graph: StateGraph[Approaching], problem: Problem, spec: AskedRows) -> tuple[RowVelocity, JointRows]:
    """What a frame misses, as its observer sees it."""
    of, wrt, axes = spec.view.of, spec.view.wrt, spec.view.axes
    observer = graph[wrt.body].world_pose.compose(wrt.pose)
    now = observer.inverse().compose(graph[of.body].world_pose.compose(of.pose))
    missing = Displacement.between(now, spec.goal(problem)).change_frame(observer.orientation)
    rows, at = in_world(graph, spec), place(graph, spec)
    if spec.complete:
        reach = rows_of_joints(graph, of, wrt, at, rows)
    else:
        turning = missing.swept(rows, graph[axes.body].body)
        reach = rows_of_joints(graph, of, wrt, at, missing.covered(rows)) + rows_of_joints(
            graph, axes, wrt, at, turning
        )
    return rows.velocity(missing.in_unit_time()), reach


def _center(graph: StateGraph[Approaching], problem: Problem, spec: AskedOfAll) -> tuple[RowVelocity, JointRows]:
    """What the centre of mass misses in the world; axes that move turn the rows."""
    axes, center = spec.spec.axes, graph.world.center
    rows, missing = in_world(graph, spec), spec.missing(problem, center)
    reach = rows_of_all(graph, spec)
    if not spec.complete and axes.body >= 0:
        turning = missing.swept(rows, graph[axes.body].body)
        reach = reach + rows_of_joints(graph, axes, Attached(), center, turning)
    return rows.velocity(missing.in_unit_time()), reach


@operation(ROOT, needs=["row_errors", "jacobian_transposed"], gives=["mass_matrix_inverse"])
def hold_at_limits(graph: StateGraph[Approaching], problem: Problem) -> None:
    """M⁻¹ of a diagonal M, zero for joints at a limit that would have to go beyond it."""
    world, weights = graph.world, problem.constants["joint_weights"]
    pull = world.row_errors.pull(world.jacobian_transposed, problem.constants["row_weights"])
    q = problem.rows("q", slice(None))
    entries: list[list[Any]] = [[0.0] * len(weights) for _ in weights]
    for k, weight in enumerate(weights[:, 0]):
        entries[k][k] = 1 / weight
    for body in graph.mechanism.bodies:
        joint = body.joint
        if len(joint.labels) == 1 and not joint.follows:
            k, i = joint.v.start, joint.q.start
            lower, upper = (problem.constants[name][i, 0] for name in ("lower", "upper"))
            beyond = select(pull.values[k, 0] > 0, q[i, 0] - upper, lower - q[i, 0])
            entries[k][k] = select(beyond < 0, entries[k][k], 0.0)
    world.mass_matrix_inverse = JointMobility(graph.coordinates, assemble(entries))


@operation(ROOT, needs=["row_errors", "jacobian_transposed", "mass_matrix_inverse"], gives=["joint_rates"])
def step_closer(graph: StateGraph[Approaching], problem: Problem) -> None:
    world, weights = graph.world, problem.constants["row_weights"]
    missing, error = world.row_errors, world.row_errors.values
    damping = problem.rows("damping", slice(None)) * ((weights * error).T @ (weights * error)) + LITTLE
    drift = _drift(graph, problem)
    if drift is not None:
        missing = missing.minus(world.jacobian_transposed.moved(drift))
    world.joint_rates, *_ = missing.resolve(
        world.jacobian_transposed, world.mass_matrix_inverse, weights, damping, LDLT_SOLVE, problem.call
    )
    if drift is not None:
        world.joint_rates = world.joint_rates + drift


def _drift(graph: StateGraph[Approaching], problem: Problem) -> JointVelocity | None:
    """Joints of one coordinate are drawn towards where they would rather be; None if nothing is said of that."""
    if "rest" not in problem.inputs:
        return None
    q, rest, pull = (problem.rows(port, slice(None)) for port in ("q", "rest", "pull"))
    entries: list[list[Any]] = [[0.0] for _ in graph.coordinates]
    for body in graph.mechanism.bodies:
        joint = body.joint
        if len(joint.labels) == 1 and not joint.follows:
            i = joint.q.start
            entries[joint.v.start] = [pull[0, 0] * (rest[i, 0] - q[i, 0])]
    return JointVelocity(graph.coordinates, assemble(entries) if entries else zeros(0, 1))


@operation(OUTWARD, needs=["joint_rates"], gives=["joint_rates", "q_next"])
def arrive(joint: JointView, parent: Approaching, child: Approaching) -> None:
    child.joint_rates = parent.joint_rates
    if not joint.moving.joint.follows:
        child.q_next = joint.after(child.joint_rates)


INVERSE_KINEMATICS = Schedule("inverse_kinematics", (*PLACES, sweep(miss, hold_at_limits, step_closer), sweep(arrive)))


CENTERED = with_center(INVERSE_KINEMATICS, miss, miss_of_all)
"""The same where some targets are of the centre of mass."""


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
        parameters: constants of the robot that become inputs, such as "JOINT.origin" (docs/guide/parameters.md).
    """

    called: ClassVar[str] = "inverse_kinematics_step"

    targets: Sequence[AnyTarget]
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
            if isinstance(target, Momentum):
                raise Error(f"{what}: {target!r} is no place to be at; inverse_velocity takes it, or give CenterOfMass")
            if any(
                turn.any() and shift.any() for turn, shift in zip(*np.split(spec.wrenches.T, 2, axis=1), strict=True)
            ):
                raise Error(
                    f"{what} of {name_of(target)!r}: a row is both a turn and a shift; give each a row of its own"
                )
        constants = {
            "joint_weights": weights_of(what, "joint_weights", self.joint_weights, robot.nv),
            "row_weights": row_weights(self.targets, specs),
            "lower": np.reshape(self.lower, (-1, 1)),
            "upper": np.reshape(self.upper, (-1, 1)),
            "tolerance": np.array([self.tolerance]),
        }

        def question(mechanism: Mechanism) -> Problem:
            return Problem({}, options=(Asked(resolve_targets(mechanism, what, self.targets)),), constants=constants)

        def missing(graph: StateGraph[Approaching], part: int) -> Coordinates:
            """What is missing of each target's shifts (1) or turns (0)."""
            values, start = graph.world.row_errors.values, 0
            lengths: list[list[Any]] = []
            for spec in resolve_targets(graph.mechanism, what, self.targets):
                own = [i for i, column in enumerate(spec.wrenches.T) if np.split(column, 2)[part].any()]
                lengths.append([square_root(sum((values[start + i, 0] ** 2 for i in own), 0.0)) if own else 0.0])
                start += len(spec.labels)
            return assemble(lengths)

        def worst(graph: StateGraph[Approaching]) -> Coordinates:
            shifts, turns = missing(graph, 1), missing(graph, 0)
            most = shifts[0, 0] / self.tolerance[0]
            for i in range(k):
                most = at_least(at_least(most, shifts[i, 0] / self.tolerance[0]), turns[i, 0] / self.tolerance[1])
            return assemble([[most]])

        def merit(graph: StateGraph[Approaching]) -> Coordinates:
            weighed = constants["row_weights"] * graph.world.row_errors.values
            return square_root(weighed.T @ weighed)

        said = "; ".join(map(in_words, self.targets))
        rest = (
            q_port(robot, "rest", "where joints would rather be"),
            Port("pull", (), "1", "share of the way there in one step", shares(1)),
        )
        return Solver(
            self.called,
            "q + M^-1 A^T W (W A M^-1 A^T W + mu 1)^-1 W (log(X_goal X^-1)), within limits",
            robot,
            CENTERED if any(isinstance(spec, AskedOfAll) for spec in specs) else INVERSE_KINEMATICS,
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
                "q": arrived,
                "position": lambda graph: missing(graph, 1),
                "rotation": lambda graph: missing(graph, 0),
                "merit": merit,
                "worst": worst,
                "distortion": lambda graph: graph.world.distortion,
            },
            options=self,
        )


# ---------------------------------------------------------------- limits


def joint_limits(robot: Robot, limits: tuple[Any, Any] | None = None) -> tuple[Array, Array]:
    """Lower and upper in the order of q, so that joints that follow others are within theirs, too.

    limits: lower and upper in the order of v, instead of the robot's; followers stay within their own.
    """
    lower, upper = limits_of_rates(robot, limits)
    return in_order_of_q(robot.spaces(), lower, -np.inf), in_order_of_q(robot.spaces(), upper, np.inf)


def limits_of_rates(robot: Robot, limits: tuple[Any, Any] | None = None) -> tuple[Array, Array]:
    """The same in the order of v."""
    return robot.reach if limits is None else robot.led(*_given_limits(robot, limits))


def _given_limits(robot: Robot, limits: tuple[Any, Any]) -> tuple[Array, Array]:
    ends = [np.asarray(end, float) for end in limits]
    if any(end.shape not in ((), (robot.nv,)) for end in ends):
        wanted = f"give lower and upper, {robot.nv} numbers each in the order of v"
        raise checked.refusal("inverse_kinematics: limits", limits, wanted)
    lower, upper = (np.broadcast_to(end, (robot.nv,)) for end in ends)
    for name, where in robot.v_index.items():
        if (lower[where] > upper[where]).any():
            raise Error(f"inverse_kinematics: limits of {name} are reversed: {lower[where]} > {upper[where]}")
    return lower, upper


def understood_limits(what: str, given: Any) -> tuple[Any, Any]:
    """Lower and upper, numbers that may be infinite, whatever the robot."""
    wanted = "give lower and upper, numbers in the order of v, infinite where there are none"
    ends = checked.several(what, given, wanted)
    if len(ends) != 2:
        raise checked.refusal(what, given, wanted)
    lower, upper = (checked.numbers(what, end, wanted, infinite=True).tolist() for end in ends)
    return lower, upper


def tolerances(what: str, given: Any) -> tuple[float, float]:
    """What may be missing of positions (m) and of rotations (rad)."""
    wanted = "give a number > 0, or one for m and one for rad"
    values = checked.numbers(what, given, wanted)
    if values.shape not in ((), (2,)) or not np.all(values > 0):
        raise checked.refusal(what, given, wanted)
    shift, turn = np.broadcast_to(values, 2)
    return float(shift), float(turn)
