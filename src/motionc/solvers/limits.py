"""Torque limits (specs/motion-stack.md §2.14, specs/lazy-control.md §2.6): the same question asked again, of motors as
they are.

    asked       constrained dynamics without limits, contacts first: τ
    clip        τ within its limits; then how the robot really moves: contacts hold, the task's rows are only measured
    optimal     from there on the box active set: of all motor forces within limits those whose motion comes nearest to
                b, level after level, and of these those nearest to the unconstrained motion (Gauss)

In a schedule of one's own `clip` stands behind the sweeps: what motors are commanded, within limits.

Clipping inside the outward sweep, as printed, answers with accelerations no force makes: bodies nearer to the root have
felt what was clipped. Forces that no motor makes (`unactuated`) are left out of what really happens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.geometry import JointForce
from motionc.geometry.coordinates import Coordinates, above, assemble, at_limits, beside, beyond, clipped, zeros
from motionc.model.robot import Robot
from motionc.program.kernels import Kernel
from motionc.program.kernels.box_solve import box_solve
from motionc.program.port import Note, Precision
from motionc.solvers.frame_arguments import Rows
from motionc.solvers.rows import Constraints, MotorLimits, Undriven
from motionc.solvers.steps.rows import Constrained
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, operation
from motionc.sweeps.solver import Again
from motionc.sweeps.state import Slot, StateGraph, joint_values

Asked = tuple[Problem, Mapping[str, Coordinates]]
Given = str | Mapping[str, Any] | Sequence[float] | np.ndarray[Any, np.dtype[Any]]


def questions(limits: MotorLimits | None, *, artificial: bool) -> tuple[Again, ...]:
    """What is asked after constrained dynamics without limits; artificial forces are what motors make anyway, too."""
    if limits is None:
        return ()
    if not limits.optimal:
        return (as_far_as_it_goes,)
    return (freely, weighed, nearest) if artificial else (weighed, nearest)


# ---------------------------------------------------------------- in a schedule


class Limited(Constrained):
    """What motors are commanded within their limits, at the world, and who makes all he can."""

    commanded = Slot(JointForce, "none")
    saturated = Slot(object, "none")


@operation(ROOT, needs=["joint_force"], gives=["commanded", "saturated"], equation="tau_command within its limits")
def clip(graph: StateGraph[Limited], problem: Problem) -> None:
    """What motors make of what they are asked: as far as they can, nothing where there is none."""
    if problem[Constraints].limits is None:
        raise Error("clip: nobody says what motors can make at most; give mc.solve limits='robot' or {joint: limit}")
    values, asked = _limits(problem).values, joint_values(graph, "joint_force")
    graph.world.commanded = JointForce(graph.coordinates, clipped(asked, values))
    # who can make nothing has no limit to be at
    graph.world.saturated = beyond(asked, [limit or np.inf for limit in values])


# ---------------------------------------------------------------- questions


def as_far_as_it_goes(graph: StateGraph[Constrained], problem: Problem) -> Asked:
    """How does the robot move if motors make what was asked of them as far as they can?"""
    values, asked = _limits(problem).values, joint_values(graph.first, "joint_force")
    if asked is None:
        return _under(problem, None), {"saturated": None}
    return _under(problem, clipped(asked, values)), {"saturated": beyond(asked, values)}


def freely(graph: StateGraph[Constrained], problem: Problem) -> Asked:
    """How does it move without constraints?"""
    return problem.asking(replace(problem[Constraints], makers=())), {}


def weighed(graph: StateGraph[Constrained], problem: Problem) -> Asked:
    """As far as it goes; and what would a unit force of each motor change?"""
    asked, _ = as_far_as_it_goes(graph, problem)
    motors = tuple(f"motor:{label}" for label in graph.coordinates)
    anyway = problem.inputs["tau"] if graph is graph.first else joint_values(graph, "joint_force")
    return asked.asking(replace(asked[Constraints], motors=motors)), {"anyway": anyway}


def nearest(graph: StateGraph[Constrained], problem: Problem) -> Asked:
    """How does it move if motors make the best they can?"""
    limits, made = _limits(problem).values, joint_values(graph, "joint_force")
    kernel, matrix = _box(graph, problem, made)
    change, sides, count = problem.call(kernel, matrix)
    n, asked = len(limits), joint_values(graph.first, "joint_force")
    made = at_limits(clipped(made + change[:n, :], limits), sides[:n, :], limits)
    # who can make nothing has no bounds to be at
    saturated = assemble([[sides[i, 0] if limits[i] else beyond(asked, limits)[i, 0]] for i in range(n)])
    without = replace(problem[Constraints], motors=())
    return _under(problem.asking(without), made), {"saturated": saturated, "steps": count}


def _under(problem: Problem, made: Coordinates) -> Problem:
    """Motors make this, and only contacts hold."""
    wrenches = tuple(wrench for wrench in problem.wrenches if wrench.port != "f_art")
    inputs = {**problem.inputs, "tau": made}
    contacts = replace(problem[Constraints], makers=("contact",), undriven=())
    return replace(problem, inputs=inputs, wrenches=wrenches).asking(contacts).asking(Undriven())


def blocks_of(problem: Problem, motors: int) -> tuple[int, ...]:
    """Motors, contacts, and the rows of each level of the task; one row that nothing moves where there is none."""
    rows = problem[Constraints]
    levels = [spec.level for spec in rows.specs if spec.source == "task" for _ in spec.labels] or [1]
    return (motors, len(rows.rows_of("contact")), *(levels.count(level) for level in sorted(set(levels))))


def _box(graph: StateGraph[Constrained], problem: Problem, made: Coordinates) -> tuple[Kernel, Coordinates]:
    """What unit forces of motors do to each other and to the rows, how far motors may go, and what is missing."""
    world, asked = graph.world, problem[Constraints]
    motors, contacts = asked.motors, asked.rows_of("contact")
    tasks = sorted((spec for spec in asked.specs if spec.source == "task"), key=lambda spec: spec.level)
    rows = tuple(label for spec in tasks for label in spec.labels)
    weights = [spec.weight for spec in tasks for _ in spec.labels]
    blocks, n = blocks_of(problem, len(motors)), len(motors)

    # a task that gives way by itself is met where it is met without limits
    aim = graph.first.world.row_accelerations if asked.regularisation or asked.posture else world.row_targets
    missing = (aim.select(rows) - world.row_accelerations.select(rows)).values
    mobility = world.delassus.select(motors + contacts + rows).values[:, :n]
    if any(weight != 1.0 for weight in weights):
        mobility = np.diag([1.0] * (n + len(contacts)) + weights) @ mobility
        missing = np.diag(weights) @ missing
    if not rows:
        mobility, missing = above(mobility, zeros(1, n)), zeros(1, 1)
    room = [
        [-limit if np.isinf(limit) else -limit - made[i, 0], limit if np.isinf(limit) else limit - made[i, 0]]
        for i, limit in enumerate(_limits(problem).values)
    ]
    asked_of_rows = beside(above(zeros(len(contacts), 1), missing), zeros(sum(blocks[1:]), 2))
    bounds = above(beside(assemble(room), made - graph.answers["anyway"]), asked_of_rows)
    return box_solve(blocks, asked.truncation, weights), beside(mobility, bounds)


def _limits(problem: Problem) -> MotorLimits:
    limits = problem[Constraints].limits
    assert limits is not None
    return limits


# ---------------------------------------------------------------- what a user says, and is told


def checked_limits(
    robot: Robot,
    limits: Given | None,
    on_limit: str,
    motors: set[str],
    constraints: Sequence[Rows],
    policy: Mapping[str, Any],
    precision: Precision,
) -> MotorLimits | None:
    """The limits of motors in the order of v; refused where they have no meaning, or not with the rest asked."""
    if limits is None:
        return None
    values = _from_model(robot, motors) if isinstance(limits, str) else _given(robot, limits, motors)
    if policy["prescribed"]:
        raise Error(
            f"prescribed={sorted(policy['prescribed'])[0]!r} with limits: its motor may not be able to make what that "
            "takes; give a JointConstraint of level 1 instead"
        )
    for name in ("regularisation", "posture"):
        if policy[name] and any(constraint.source == "contact" for constraint in constraints):
            raise Error(
                f"{name}={policy[name]} with limits and contacts: it lets contacts give way, which no motor can do; "
                "leave it out, or the limits"
            )
    mask = np.zeros(robot.nv)
    for name in motors:
        mask[robot.v_index[name]] = 1.0
    values = np.where(mask > 0, values, 0.0)
    if precision == "single":
        # the nearest number that is there, but never a greater one
        rounded = values.astype(np.float32)
        values = np.where(rounded > values, np.nextafter(rounded, np.float32(0)), rounded)
    return MotorLimits(tuple(float(value) for value in values), on_limit == "optimal")


def _from_model(robot: Robot, motors: set[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    effort = robot.limits.effort
    for name in sorted(motors):
        if np.any(effort[robot.v_index[name]] == 0):
            raise Error(
                f"limits='robot': {robot.name} gives {name} an effort of 0, so that its motor could make nothing; give "
                "limits={joint: limit}"
            )
    if not any(np.any(np.isfinite(effort[robot.v_index[name]])) for name in motors):
        raise Error(f"limits='robot': {robot.name} limits the effort of no motor; give limits={{joint: limit}}")
    return effort


def _given(robot: Robot, limits: Any, motors: set[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Limits by joint, or all of them in the order of v."""
    values = np.full(robot.nv, np.inf)
    if isinstance(limits, Mapping):
        for name, limit in limits.items():  # pyright: ignore[reportUnknownVariableType]
            _check_motor(robot, str(name), motors)
            where = robot.v_index[str(name)]
            size = len(range(robot.nv)[where])
            most = np.asarray(limit, float)
            if most.shape not in ((), (size,)):
                raise Error(f"limits of {name}: shape {most.shape}; give one number, or {size}")
            values[where] = most
    else:
        values = np.asarray(limits, float)
        if values.shape != (robot.nv,):
            raise Error(
                f"limits of shape {values.shape}; give {robot.nv} numbers in the order of v (infinite: none), "
                "{joint: limit}, or 'robot'"
            )
        for name, where in robot.v_index.items():
            if np.any(np.isfinite(values[where])):
                _check_motor(robot, name, motors)
    return values


def _check_motor(robot: Robot, name: str, motors: set[str]) -> None:
    if name in robot.followers:
        raise Error(f"limits of {name}: it follows {robot.followers[name][0]}, whose motor moves both; limit that one")
    if name not in robot.v_index:
        raise Error(f"limits of {name!r}: {robot.name} has no such movable joint{suggestion(name, robot.v_index)}")
    if name not in motors:
        raise Error(f"limits of {name}: it has no motor (actuated=…); leave it out, or infinite")


def understood_limits(what: str, given: Any) -> Any:
    """What may be said for limits, whatever the robot: a word, numbers by joint, or numbers in the order of v."""
    if isinstance(given, str):
        if given != "robot":
            raise checked.refusal(what, given, "say 'robot' for the efforts of the model, or give {joint: limit}")
        return given
    if isinstance(given, Mapping):
        for name, limit in given.items():  # pyright: ignore[reportUnknownVariableType]
            checked.name(f"{what}: a joint", name, "give {joint: limit}")
            _at_least_zero(f"{what} of {name}", limit)
    else:
        _at_least_zero(what, given)
    return given


def _at_least_zero(what: str, given: Any) -> None:
    wanted = "give numbers ≥ 0 (infinite: none)"
    if np.any(checked.numbers(what, given, wanted, infinite=True) < 0):
        raise checked.refusal(what, given, wanted)


def limit_notes(robot: Robot, most: int, precision: Precision, results: Mapping[str, Any]) -> list[Note]:
    """Which motors are at their limits, and whether that is enough."""
    notes: list[Note] = []
    for name, where in robot.v_index.items() if "saturated" in results else ():
        notes.append(Note(f"{name} makes all it can: see saturated", np.any(results["saturated"][:, where], axis=1)))
    if "residual" in results:
        missed = np.any(np.abs(results["residual"]) > {"double": 1e-6, "single": 1e-2}[precision], axis=1)
        notes.append(Note("b cannot be had with what the motors can make: see residual", missed))
    if "steps" in results:
        sentence = (
            f"after {most} steps it is not known to be the best: there may be better tau_command inside the limits"
        )
        notes.append(Note(sentence, results["steps"] > most - 0.5))
    return notes
