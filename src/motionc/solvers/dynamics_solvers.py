"""The catalogue of dynamics: each solver as a function from a robot to a Solver. Defaults are printed in the ports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from motionc.errors import Error
from motionc.geometry.coordinates import Coordinates, zeros
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.kernels.box import steps
from motionc.program.port import Note, Port, Precision
from motionc.program.sizes import TOGETHER
from motionc.solvers.arguments import (
    LARGEST_COUPLED,
    Forces,
    Question,
    a_port,
    checked_actuated,
    checked_prescribed,
    chosen,
    is_number,
    q_port,
    rank_notes,
    refuse_idle,
    refuse_many_followers,
    tau_port,
    v_port,
    wrench_ports,
)
from motionc.solvers.constrained_dynamics import CONSTRAINED_DYNAMICS
from motionc.solvers.constraint import Constraint, JointConstraint, resolve_constraints, resolve_forces
from motionc.solvers.coupled_constrained_dynamics import COUPLED_CONSTRAINED_DYNAMICS
from motionc.solvers.coupled_dynamics import COUPLED_DYNAMICS
from motionc.solvers.forward_dynamics import FORWARD_DYNAMICS
from motionc.solvers.hybrid_dynamics import HYBRID_DYNAMICS
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.solvers.limits import Given, blocks_of, checked_limits, limit_notes, questions
from motionc.solvers.partitioned_dynamics import PARTITIONED_DYNAMICS
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Setting
from motionc.sweeps.representation import Representation
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph, joint_values


@dataclass(frozen=True)
class InverseDynamics(Question):
    """Motor forces for given accelerations: tau = M(q) a + h(q, v) - Σ Jᵀ f_ext.

    Args:
        robot: the robot.
        external_forces: frames (or Force) on which wrenches act; adds the input f_ext (k, 6).
        gravity: acceleration of free fall in world axes (m/s²).
        parameters: constants of the robot that become inputs, such as "LINK.mass" or "gravity" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "inverse_dynamics"

    _: KW_ONLY
    external_forces: Forces = ()
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:

        def question(mechanism: Mechanism) -> Setting:
            return Setting({}, self.gravity, resolve_forces(mechanism, self.external_forces, "f_ext"))

        question(robot.mechanism)
        inputs = (q_port(robot), v_port(robot), a_port(robot), *wrench_ports("f_ext", self.external_forces))
        return Solver(
            self.called,
            "tau = M(q) a + h(q, v) - sum J^T f_ext",
            robot,
            INVERSE_DYNAMICS,
            inputs,
            (tau_port(robot, "force each motor makes"),),
            question,
            {"tau": lambda graph: joint_values(graph, "joint_force")},
            options=self,
        )


@dataclass(frozen=True)
class ForwardDynamics(Question):
    """Accelerations under given motor forces: a = M(q)⁻¹ (tau - h(q, v) + Σ Jᵀ f_ext).

    Args:
        robot: the robot.
        external_forces: frames (or Force) on which wrenches act; adds the input f_ext (k, 6).
        gravity: acceleration of free fall in world axes (m/s²).
        parameters: constants of the robot that become inputs, such as "LINK.mass" or "gravity" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "forward_dynamics"

    _: KW_ONLY
    external_forces: Forces = ()
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "forward dynamics")
        refuse_many_followers(robot, "forward dynamics")

        def question(mechanism: Mechanism) -> Setting:
            wrenches = resolve_forces(mechanism, self.external_forces, "f_ext")
            return Setting({}, self.gravity, wrenches, constants=_still(robot))

        question(robot.mechanism)
        return Solver(
            self.called,
            "a = M(q)^-1 (tau - h(q, v) + sum J^T f_ext)",
            robot,
            COUPLED_DYNAMICS if robot.followers else FORWARD_DYNAMICS,
            (
                q_port(robot),
                v_port(robot),
                tau_port(robot, "force each motor makes"),
                *wrench_ports("f_ext", self.external_forces),
            ),
            (a_port(robot),),
            question,
            {"a": _accelerations},
            options=self,
        )


@dataclass(frozen=True)
class BiasForces(Question):
    """Motor forces that keep joints from accelerating: h(q, v), velocity and gravity terms.

    It is inverse dynamics asked less: with `gravity=(0, 0, 0)` only the velocity terms are left.

    Args:
        robot: the robot.
        gravity: acceleration of free fall in world axes (m/s²).
        parameters: constants of the robot that become inputs, such as "LINK.mass" or "gravity" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "bias_forces"

    _: KW_ONLY
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        return Solver(
            self.called,
            "h(q, v) = tau at a = 0",
            robot,
            INVERSE_DYNAMICS,
            (q_port(robot), v_port(robot)),
            (tau_port(robot, "velocity and gravity terms of the motors' forces", "h"),),
            lambda mechanism: Setting({}, self.gravity, constants={"a": zeros(robot.nv, 1)}),
            {"h": lambda graph: joint_values(graph, "joint_force")},
            options=self,
        )


@dataclass(frozen=True)
class GravityForces(Question):
    """Motor forces that hold the robot at rest: g(q) = h(q, 0), positive where a motor must push against gravity.

    Args:
        robot: the robot.
        gravity: acceleration of free fall in world axes (m/s²).
        parameters: constants of the robot that become inputs, such as "LINK.mass" or "gravity" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "gravity_forces"

    _: KW_ONLY
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        rest = {"v": zeros(robot.nv, 1), "a": zeros(robot.nv, 1)}
        return Solver(
            self.called,
            "g(q) = tau at v = a = 0",
            robot,
            INVERSE_DYNAMICS,
            (q_port(robot),),
            (tau_port(robot, "what the motors make to hold the robot at rest", "g"),),
            lambda mechanism: Setting({}, self.gravity, constants=rest),
            {"g": lambda graph: joint_values(graph, "joint_force")},
            options=self,
        )


@dataclass(frozen=True)
class HybridDynamics(Question):
    """Some joints are told how to accelerate, the others what their motors make: M a + h = tau + Σ Jᵀ f_ext.

    All joints prescribed is inverse dynamics, none is forward dynamics, all but a floating base is floating-base
    inverse dynamics.

    Args:
        robot: the robot.
        prescribed: joints whose entries of a are given and of tau are found; of the others it is the other way round.
        external_forces: frames (or Force) on which wrenches act; adds the input f_ext (k, 6).
        gravity: acceleration of free fall in world axes (m/s²).
        parameters: constants of the robot that become inputs, such as "LINK.mass" or "gravity" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
        representation: where each body's quantities are kept: "body", "inertial" or "absolute"; the answer is the same.
    """

    called: ClassVar[str] = "hybrid_dynamics"

    prescribed: Iterable[str]
    _: KW_ONLY
    external_forces: Forces = ()
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Parameters = ()
    precision: Precision = "double"
    representation: Representation = "body"

    def solver(self, robot: Robot) -> Solver:
        told = checked_prescribed(robot, self.prescribed)
        refuse_idle(robot, "hybrid dynamics", but=told)
        refuse_many_followers(robot, "hybrid dynamics")

        def question(mechanism: Mechanism) -> Setting:
            return Setting({}, self.gravity, resolve_forces(mechanism, self.external_forces, "f_ext"), prescribed=told)

        question(robot.mechanism)
        free = [name for name in robot.joint_names if name not in told]
        given = ", ".join(name for name in robot.joint_names if name in told) or "no joint"
        found = ", ".join(free) or "no joint"
        few = sum(len(range(robot.nv)[robot.v_index[name]]) for name in free) <= TOGETHER
        together = bool(robot.followers) or (few and robot.nv <= LARGEST_COUPLED)

        def forces(graph: StateGraph) -> Coordinates:
            return graph.world.made.values if together else joint_values(graph, "joint_force")

        def accelerations(graph: StateGraph) -> Coordinates:
            return graph.world.together.values if together else joint_values(graph, "joint_acceleration")

        return Solver(
            self.called,
            "M(q) a + h(q, v) = tau + sum J^T f_ext, one of a and tau given for each joint",
            robot,
            PARTITIONED_DYNAMICS if together else HYBRID_DYNAMICS,
            (
                q_port(robot),
                v_port(robot),
                tau_port(robot, f"force each motor makes, read of {found}"),
                replace(a_port(robot), meaning=f"dv/dt, component by component, read of {given}"),
                *wrench_ports("f_ext", self.external_forces),
            ),
            (tau_port(robot, f"force each motor makes, found of {given}"), a_port(robot)),
            question,
            {"tau": forces, "a": accelerations},
            options=self,
        )


CONSTRAINED_OUTPUTS = ("a", "tau_command", "multipliers", "residual", "unactuated", "rank", "conditioning")


@dataclass(frozen=True)
class ConstrainedDynamics(Question):
    """Accelerations that satisfy constraints, and who makes the forces (Popov–Vereshchagin).

    M a + h = tau + Jᵀ multipliers + …, J a + J̇ v = b. Among all such accelerations the one nearest to the
    unconstrained (Gauss). Rows of level 1 come first, then those of level 2 and so on; within a level, where not all
    can be had, weighted misses are least. Where rows depend on each other the least multipliers are taken and `rank`
    says so.

    With `limits`, tau_command stays within them and a is what the robot then does: contacts hold, tasks are missed by
    `residual`, nothing acts that no motor makes, and multipliers of tasks are those asked without limits.

    Args:
        robot: the robot.
        constraints: rows on any segments, between segments, along joints; b has one entry a row, in order.
        prescribed: joints that are told how to accelerate; adds the input a, of which their entries are read.
        damping: added to the coupling's diagonal, over a row's weight squared: every row gives way a little. 0 solves
            exactly, by pseudo-inverse where rank is lost.
        truncation: a row counts as dependent where those before it leave less than this share of what it would do
            alone; 1e-12 by default (1e-5 in single precision), and never less than rounding can have left.
        posture: share of the motion that tau alone makes along the task rows which is let pass: 0, they win over
            tau; 1, tau wins.
        refine: balance once more what rounding leaves to miss, for 1e-9 up to conditions of 1e8; a quarter more
            operations for six rows, half for 24.
        actuated: joints with motors; all but floating ones by default.
        limits: what motors can make at most (N m, N): "robot" for the efforts of the model, {joint: limit}, or an array
            in the order of v; infinite for none. Adds the outputs saturated and, where the best is found, steps.
        on_limit: "optimal", of all motor forces within limits those that come nearest to b, level after level, and
            then to the unconstrained motion; or "clip", what is asked without limits, clipped.
        external_forces: frames (or Force) on which wrenches act anyway; adds the input f_ext (k, 6).
        physical_torques: adds the input tau_physical, joint forces that act anyway (springs, friction).
        artificial_forces: frames (or Force) with wrenches the motors must make; adds the input f_art (k, 6).
        gravity: acceleration of free fall in world axes (m/s²).
        outputs: which of a, tau_command, multipliers, residual, unactuated, rank, conditioning, coupling, saturated,
            steps to compute.
        parameters: constants of the robot that become inputs, such as "LINK.mass" or "gravity" (docs/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "constrained_dynamics"

    constraints: Constraint | JointConstraint | Sequence[Constraint | JointConstraint]
    _: KW_ONLY
    prescribed: Iterable[str] = ()
    damping: float = 0.0
    truncation: float | None = None
    posture: float = 0.0
    refine: bool = False
    actuated: Iterable[str] | None = None
    limits: Given | None = None
    on_limit: Literal["optimal", "clip"] = "optimal"
    external_forces: Forces = ()
    physical_torques: bool = False
    artificial_forces: Forces = ()
    gravity: Sequence[float] = STANDARD_GRAVITY
    outputs: Sequence[str] | None = None
    parameters: Parameters = ()
    precision: Precision = "double"

    def motors(self, robot: Robot) -> Any:
        """1 where a motor makes what is asked, else 0, a column in the order of v."""
        mask = np.zeros((robot.nv, 1))
        for name in checked_actuated(robot, self.actuated):
            mask[robot.v_index[name]] = 1.0
        return mask

    def solver(self, robot: Robot) -> Solver:
        told = checked_prescribed(robot, self.prescribed)
        refuse_idle(robot, "constrained dynamics", but=told)
        refuse_many_followers(robot, "constrained dynamics")
        rows: Any = self.constraints
        wanted = [rows] if isinstance(rows, Constraint | JointConstraint) else list(rows)
        resolve_constraints(robot.mechanism, wanted)
        _check_policy(robot, wanted, told, self.damping, self.truncation, self.posture, self.refine)
        motors, mask = checked_actuated(robot, self.actuated), self.motors(robot)
        policies = {"prescribed": told, "damping": self.damping, "posture": self.posture}
        bounds = checked_limits(robot, self.limits, self.on_limit, motors, wanted, policies, self.precision)
        extra = ("saturated", "steps")[: 0 if bounds is None else 1 + bounds.optimal]
        outputs = (*CONSTRAINED_OUTPUTS, *extra) if self.outputs is None else self.outputs
        # the motion is the same for all multipliers that come nearest to b
        least = bounds is not None or not set(outputs) <= {"a", "residual", "rank", "conditioning", "coupling"}

        def question(mechanism: Mechanism) -> Setting:
            wrenches = resolve_forces(mechanism, self.external_forces, "f_ext")
            wrenches += resolve_forces(mechanism, self.artificial_forces, "f_art")
            rows = resolve_constraints(mechanism, wanted)
            policy = float(self.damping), self.truncation, float(self.posture), least, self.refine
            return Setting(
                {}, self.gravity, wrenches, rows, *policy, prescribed=told, limits=bounds, constants=_still(robot)
            )

        setting = question(robot.mechanism)
        rows, contacts = [label.partition(":")[2] for label in setting.row_labels], setting.rows_of("contact")
        most = steps(blocks_of(setting, robot.nv))
        m = len(rows)
        kinds = "; ".join(_said(constraint) for constraint in wanted)
        physical = (tau_port(robot, "joint forces that act anyway", "tau_physical"),) * self.physical_torques
        ports = {
            "a": a_port(robot),
            "tau_command": tau_port(
                robot, f"what the motors must make, on {', '.join(sorted(motors)) or 'no joint'}", "tau_command"
            ),
            "multipliers": Port("multipliers", (m,), "N m, N", f"forces on the frame's body along {', '.join(rows)}"),
            "residual": Port("residual", (m,), "rad/s², m/s²", "acceleration reached along the rows, minus b"),
            "unactuated": tau_port(
                robot, "what no motor can make: zero, or the task is not this robot's", "unactuated"
            ),
            "rank": Port("rank", (), "1", f"independent rows among {m}; less than {m}: least-squares answer"),
            "conditioning": Port(
                "conditioning", (), "1", "1 where rows act apart, beyond 1e8 where some nearly depend"
            ),
            "coupling": Port("coupling", (m, m), "1/(kg m²), 1/kg", "J M⁻¹ Jᵀ"),
            "saturated": Port(
                "saturated", (robot.nv,), "1", "1 where a motor makes its limit, -1 where minus that, else 0"
            ),
            "steps": Port(
                "steps", (), "1", f"how often a motor came to its limit or left it; {most}: not known to be the best"
            ),
        }
        if bounds is not None:
            ports["unactuated"] = replace(ports["unactuated"], meaning="zero: nothing acts that no motor makes")
        ports = {name: port for name, port in ports.items() if name not in ("saturated", "steps") or name in extra}
        asked = chosen("constrained dynamics", outputs, ports)
        if self.damping:
            asked = tuple(port for port in asked if port.name not in ("rank", "conditioning"))

        def command(graph: StateGraph, moved: bool) -> Coordinates:
            total = joint_values(graph, "joint_force")
            return total * (mask if moved else 1.0 - mask)

        def strengths(graph: StateGraph) -> Coordinates:
            asked, acting = graph.first.world.multipliers, graph.world.multipliers
            if graph.before is None:
                return asked.values
            # contacts hold as they do in the end, tasks ask as they did in the beginning
            return asked.select(setting.task_rows).merge(acting.select(contacts), asked.rows).values

        def at_limit(graph: StateGraph) -> Coordinates:
            return graph.found["saturated"] * mask

        def notes(results: Mapping[str, Any]) -> list[Note]:
            if bounds is None:
                return _constrained_notes(robot, m, results)
            return [
                *_constrained_notes(robot, m, {name: results[name] for name in results.keys() - {"unactuated"}}),
                *limit_notes(robot, most, self.precision, results),
            ]

        return Solver(
            self.called,
            "M a + h = tau + J^T multipliers + tau_physical + sum J^T (f_ext + f_art),  J a + Jdot v = b",
            robot,
            COUPLED_CONSTRAINED_DYNAMICS if robot.followers else CONSTRAINED_DYNAMICS,
            (
                q_port(robot),
                v_port(robot),
                tau_port(robot, "what the motors make anyway"),
                *([replace(a_port(robot), meaning=f"dv/dt, read of {', '.join(sorted(told))}")] if told else []),
                Port("b", (m,), "rad/s², m/s²", f"acceleration along {', '.join(rows)} ({kinds})"),
                *wrench_ports("f_ext", self.external_forces),
                *physical,
                *wrench_ports("f_art", self.artificial_forces),
            ),
            asked,
            question,
            {
                "a": _accelerations,
                "tau_command": lambda graph: command(graph, True),
                "unactuated": lambda graph: command(graph, False),
                "multipliers": strengths,
                "residual": _residual,
                "rank": lambda graph: graph.first.world.rank,
                "conditioning": lambda graph: graph.first.world.condition,
                "coupling": lambda graph: _coupling(graph.first),
                "saturated": at_limit,
                "steps": lambda graph: graph.found["steps"],
            },
            notes,
            again=questions(bounds),
            options=self,
        )


def _still(robot: Robot) -> dict[str, Coordinates]:
    """Coupled joints are resolved together, from what inverse dynamics says of joints that do not accelerate."""
    return {"a": zeros(robot.nv, 1)} if robot.followers else {}


def _accelerations(graph: StateGraph) -> Coordinates:
    coupled = graph.mechanism.coupled
    return graph.world.together.values if coupled else joint_values(graph, "joint_acceleration")


def _coupling(graph: StateGraph) -> Coordinates:
    return graph.world.coupling.values if "coupling" in graph.world else zeros(0, 0)


def _residual(graph: StateGraph) -> Coordinates:
    return (graph.world.reached - graph.world.wanted).values


def _said(constraint: Constraint | JointConstraint) -> str:
    """A constraint in words, for a port."""
    rank = f", level {constraint.level}" * (constraint.level != 1)
    rank += f", weight {constraint.weight:g}" * (constraint.weight != 1.0)
    if isinstance(constraint, JointConstraint):
        return f"joints {', '.join(constraint.names)}, a {constraint.source}{rank}"
    seen = f"{constraint.frame} wrt {constraint.wrt} as seen by {constraint.as_seen_by}"
    return f"{seen}, {constraint.kind}, a {constraint.source}{rank}"


def _check_policy(
    robot: Robot,
    constraints: Sequence[Constraint | JointConstraint],
    told: frozenset[str],
    damping: float,
    truncation: float | None,
    posture: float,
    refine: bool,
) -> None:
    """Refuse what has no meaning together."""
    if refine and damping:
        raise Error(f"refine=True with damping={damping}: damping misses b on purpose; say one or the other")
    if not is_number(damping) or damping < 0:
        raise Error(f"damping={damping!r}; give a finite number ≥ 0")
    if not is_number(posture):
        raise Error(f"posture={posture!r}; give 0 (constraints win over tau) to 1 (tau wins)")
    levels = {constraint.level for constraint in constraints}
    if damping and len(levels) > 1:
        raise Error(
            f"damping={damping} with levels {', '.join(map(str, sorted(levels)))}: damping lets every row give way, so "
            "that none comes first; leave it out (rank is kept by truncation), or give all rows one level and weights"
        )
    if told and robot.followers:
        name, (leader, *_) = next(iter(robot.followers.items()))
        raise Error(
            f"prescribed={sorted(told)[0]!r}: in {robot.name} {name} follows {leader}, and all joints are solved "
            "together; give a JointConstraint of level 1 instead, or load with mimic='independent'"
        )
    for constraint in constraints:
        both = told.intersection(constraint.names) if isinstance(constraint, JointConstraint) else ()
        if both:
            raise Error(
                f"JointConstraint on {sorted(both)[0]}: its acceleration is prescribed already; say one or other"
            )


def _constrained_notes(robot: Robot, m: int, results: Mapping[str, Any]) -> list[Note]:
    notes = rank_notes(m, results, "the multipliers are the least ones that come nearest to b, see residual")
    if "unactuated" in results:
        asked = np.abs(results["unactuated"])
        scale = np.max(np.abs(results.get("tau_command", asked)), axis=1, keepdims=True, initial=1.0)
        for name, where in robot.v_index.items():
            beyond = np.any(asked[:, where] > 1e-9 * scale, axis=1)
            notes.append(Note(f"no motor makes the force asked of {name}: see unactuated", beyond))
    return notes
