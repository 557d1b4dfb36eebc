"""Constrained hybrid dynamics: accelerations that satisfy constraints, and who makes the forces.

    M a + h = τ + Jᵀ λ,  J a + J̇ v = b      the rows level after level, misses weighted; nearest to the unconstrained

The sweeps are in popov_vereshchagin.py. What is asked has the most options of all solvers, for they are those of all
tasks: contacts, levels, postures, limits, motors.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from motionc.geometry.coordinates import Coordinates
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.kernels.box import steps
from motionc.program.port import Note, Port, Precision
from motionc.program.space import counts
from motionc.solvers.arguments import (
    SMOOTHING,
    Forces,
    Question,
    a_port,
    acting_friction,
    checked_actuated,
    checked_prescribed,
    chosen,
    left_at_world,
    q_port,
    refuse_idle,
    refuse_many_followers,
    tau_port,
    under_friction,
    v_port,
    wrench_ports,
)
from motionc.solvers.constraint import resolve_constraints, resolve_forces
from motionc.solvers.contact_ports import contact_notes, contact_ports
from motionc.solvers.frame_arguments import RowsArgument, as_constraints, framed_or_none, listed
from motionc.solvers.limits import Given, blocks_of, checked_limits, limit_notes, questions, understood_limits
from motionc.solvers.popov_vereshchagin import (
    CONSTRAINED_DYNAMICS,
    COUPLED_CONSTRAINED_DYNAMICS,
    COUPLED_SUPPORTED_DYNAMICS,
    SUPPORTED_DYNAMICS,
    Held,
)
from motionc.solvers.row_ports import (
    CONDITIONING,
    asked_of,
    b_port,
    check_policy,
    checked_arm,
    checked_posture,
    checked_regularisation,
    constrained_notes,
    coupling_port,
    delassus,
    factor_ports,
    rank_port,
    refuse_given_factors,
    row_units,
    without_rank,
)
from motionc.solvers.rows import Constraints, Undriven
from motionc.solvers.steps.together import shallow
from motionc.solvers.steps.whole_body import with_all_bodies
from motionc.sweeps.given_frames import GivenFrames, refuse_unnamed, with_frames
from motionc.sweeps.options import Check, optional
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem
from motionc.sweeps.schedule import Schedule
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph, joint_values

CONSTRAINED_OUTPUTS = ("a", "tau_command", "multipliers", "residual", "unactuated", "rank", "conditioning")


@dataclass(frozen=True)
class ConstrainedDynamics(Question):
    """Constrained dynamics (Popov–Vereshchagin): accelerations that satisfy constraints, and who makes the forces.

    M a + h = tau + Jᵀ multipliers + …, J a + J̇ v = b. Among all such accelerations the one nearest to the
    unconstrained (Gauss). Rows of level 1 come first, then those of level 2 and so on; within a level, where not all
    can be had, weighted misses are least. Where rows depend on each other the least multipliers are taken and `rank`
    says so.

    With `limits`, tau_command stays within them and a is what the robot then does: contacts hold, tasks are missed by
    `residual`, nothing acts that no motor makes, and multipliers of tasks are those asked without limits.

    Where coordinates have no motor, such as a floating base, contacts and motors together make what tasks ask: forward
    dynamics under tau_command and `wrenches`, those of contacts by frame (n; f), reproduces a. What cannot be had is in
    `residual`; a contact that pulls or slips has a `contact_margin` below zero (docs/guide/constrained_dynamics.md).

    Args:
        robot: the robot.
        constraints: rows on any segments, between segments, along joints, of the centre of mass or the momentum; b has
            one entry a row, in order. The name of a frame, or a Target, stands for a Constraint with its rows.
        prescribed: joints that are told how to accelerate; adds the input a, of which their entries are read.
        regularisation: added to the coupling's diagonal, over a row's weight squared: every row gives way a little. 0
            solves exactly, by pseudo-inverse where rank is lost.
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
        external_forces: frames (or Force) on which wrenches act anyway, as seen by the world; adds the input f_ext
            (k, 6).
        physical_torques: adds the input tau_physical, joint forces that act anyway (springs, friction).
        artificial_forces: frames (or Force) with wrenches the motors must make, as seen by the world; adds the input
            f_art (k, 6).
        activation: adds the input activation, how far each row holds: 1, it does; 0, it is dropped, exactly as if it
            were not there, all of them 0 is forward dynamics; between, it holds the less the nearer to 0.
        weights: adds the input weights, one a row, in place of the constraints' own.
        moment_arm: ℓ in metres. Where coordinates have no motor, contacts and motors together make what is asked, and
            of all contact forces that do it the least Σ f² + (n/ℓ)² are taken (not where limits find the best).
        gravity: acceleration of free fall in world axes (m/s²).
        friction: whether the robot's damping d and friction c act along joints: -(d v + c v/√(v² + ε²)).
        friction_smoothing: ε, the speed below which friction is smooth (rad/s, m/s).
        outputs: which of a, tau_command, multipliers, residual, unactuated, rank, conditioning, coupling, saturated,
            steps, wrenches, contact_margin to compute.
        given_frames: frames whose poses wrt another are inputs (4×4), {"T": "world"}: named like any of the robot.
        parameters: constants of the robot that become inputs: "LINK.mass", "gravity" … (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "constrained_dynamics"
    renamed: ClassVar = {"damping": "regularisation"}
    understood: ClassVar[Mapping[str, Check]] = {
        **Question.understood,
        "constraints": framed_or_none,
        "regularisation": checked_regularisation,
        "posture": checked_posture,
        "moment_arm": checked_arm,
        "limits": optional(understood_limits),
    }

    constraints: RowsArgument
    _: KW_ONLY
    prescribed: Iterable[str] = ()
    regularisation: float = 0.0
    truncation: float | None = None
    posture: float = 0.0
    refine: bool = False
    actuated: Iterable[str] | None = None
    limits: Given | None = None
    on_limit: Literal["optimal", "clip"] = "optimal"
    external_forces: Forces = ()
    physical_torques: bool = False
    artificial_forces: Forces = ()
    activation: bool = False
    weights: bool = False
    moment_arm: float = 0.1
    gravity: Sequence[float] = STANDARD_GRAVITY
    friction: bool = False
    friction_smoothing: float = SMOOTHING
    outputs: Sequence[str] | None = None
    given_frames: GivenFrames | None = None
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
        if self.precision == "single":
            checked_arm(f"{self.called}: in single precision, moment_arm", self.moment_arm, least=1e-2)
        refuse_idle(robot, "constrained dynamics", but=told)
        refuse_many_followers(robot, "constrained dynamics")
        wanted = as_constraints(f"{self.called}: constraints", self.constraints)
        mechanism = with_frames(robot.mechanism, self.given_frames)
        resolve_constraints(mechanism, wanted)
        forces = *listed(self.external_forces), *listed(self.artificial_forces)
        refuse_unnamed(self.called, self.given_frames, (*wanted, *forces))
        check_policy(robot, wanted, told, self.regularisation, self.refine)
        motors, mask = checked_actuated(robot, self.actuated), self.motors(robot)
        policies = {"prescribed": told, "regularisation": self.regularisation, "posture": self.posture}
        bounds = checked_limits(robot, self.limits, self.on_limit, motors, wanted, policies, self.precision)
        refuse_given_factors(self.called, self, optimal=bounds is not None and bounds.optimal, refined=self.refine)
        extra = ("saturated", "steps")[: 0 if bounds is None else 1 + bounds.optimal]
        # where nothing is asked of motors contacts hold alone; the best within limits takes no force where no motor is
        shared = any(constraint.source == "task" for constraint in wanted) and not (bounds and bounds.optimal)
        idle = set(robot.joint_names) - motors - told if shared else set[str]()
        touch = contact_ports(mechanism, wanted)
        outputs = (*CONSTRAINED_OUTPUTS, *extra, *(touch if idle else ())) if self.outputs is None else self.outputs
        # the motion is the same for all multipliers that come nearest to b; what is shared anew is, too
        same = {"a", "residual", "rank", "conditioning", "coupling"}
        same |= {"tau_command", "unactuated", "wrenches", "contact_margin"} if idle else set()
        least = bounds is not None or not set(outputs) <= same

        policy = Constraints(
            *((), self.regularisation, self.truncation, self.posture, least, self.refine, bounds),
            activated=self.activation,
            weighed=self.weights,
        )

        def question(mechanism: Mechanism) -> Problem:
            wrenches = resolve_forces(mechanism, self.external_forces, "f_ext")
            wrenches += resolve_forces(mechanism, self.artificial_forces, "f_art")
            asked = asked_of(mechanism, wanted, policy, idle, self.moment_arm)
            return Problem({}, self.gravity, wrenches, told, (*asked, acting_friction(self)))

        problem = question(mechanism)
        supported = bool(problem[Undriven].coordinates)
        together = not (told or bounds or problem[Constraints].of_all_bodies) and shallow(mechanism)
        schedule = _schedule(bool(robot.followers) or together, supported)
        rows = [label.partition(":")[2] for label in problem[Constraints].asked]
        most = steps(blocks_of(problem, robot.nv))
        m = len(rows)
        physical = (tau_port(robot, "joint forces that act anyway", "tau_physical"),) * self.physical_torques
        ports = {
            "a": a_port(robot),
            "tau_command": tau_port(
                robot, f"what the motors must make, on {', '.join(sorted(motors)) or 'no joint'}", "tau_command"
            ),
            "multipliers": Port("multipliers", (m,), "N m, N", f"forces on the frame's body along {', '.join(rows)}"),
            "residual": Port("residual", (m,), row_units(wanted), "acceleration reached along the rows, minus b"),
            "unactuated": tau_port(
                robot, "what no motor can make: zero, or the task is not this robot's", "unactuated"
            ),
            "rank": rank_port(m, "least-squares answer" + "; rows that are off count" * self.activation),
            "conditioning": CONDITIONING,
            "coupling": coupling_port(m),
            "saturated": Port(
                *("saturated", (robot.nv,), "1", "1 where a motor makes its limit, -1 where minus that, else 0"),
                counts(robot.nv),
            ),
            "steps": Port(
                *(
                    "steps",
                    (),
                    "1",
                    f"how often a motor came to its limit or left it; {most}: not known to be the best",
                ),
                counts(1),
            ),
        }
        if supported:
            ports["unactuated"] = replace(ports["unactuated"], meaning="what tau and f_art give where no motor is")
        if bounds is not None:
            ports["unactuated"] = replace(ports["unactuated"], meaning="zero: nothing acts that no motor makes")
        ports = {name: port for name, port in ports.items() if name not in ("saturated", "steps") or name in extra}
        ports |= touch
        if self.regularisation:
            outputs = without_rank(outputs, told=self.outputs is not None)
        asked = chosen("constrained dynamics", outputs, ports)

        def command(graph: StateGraph[Held], moved: bool) -> Coordinates:
            total = joint_values(graph, "joint_force")
            return total * (mask if moved else 1.0 - mask)

        def strengths(graph: StateGraph[Held]) -> Coordinates:
            # contacts hold as they do in the end, tasks ask as they did in the beginning
            tasks = graph.first.world.constraint_forces.select(problem[Constraints].task_rows)
            return tasks.merge(graph.world.contact_forces, problem[Constraints].asked).values

        def residual(graph: StateGraph[Held]) -> Coordinates:
            missed = graph.world.row_accelerations - graph.world.row_targets
            return missed.select(problem[Constraints].asked).values

        def at_limit(graph: StateGraph[Held]) -> Coordinates:
            return graph.answers["saturated"] * mask

        def notes(results: Mapping[str, Any]) -> list[Note]:
            pulling = contact_notes(mechanism, wanted, self.precision, results)
            if bounds is None:
                return [*constrained_notes(robot, m, self.precision, results), *pulling]
            rest = {name: results[name] for name in results.keys() - {"unactuated"}}
            results = {name: results[name] for name in results if name != "residual" or not self.activation}
            return [
                *pulling,
                *constrained_notes(robot, m, self.precision, rest),
                *limit_notes(robot, most, self.precision, results),
            ]

        return Solver(
            self.called,
            under_friction(
                "M a + h = tau + J^T multipliers + tau_physical + sum J^T (f_ext + f_art),  J a + Jdot v = b", self
            ),
            robot,
            with_all_bodies(schedule) if problem[Constraints].of_all_bodies else schedule,
            (
                q_port(robot),
                v_port(robot),
                tau_port(robot, "what the motors make anyway"),
                *([replace(a_port(robot), meaning=f"dv/dt, read of {', '.join(sorted(told))}")] if told else []),
                b_port(mechanism, wanted),
                *wrench_ports("f_ext", self.external_forces),
                *physical,
                *wrench_ports("f_art", self.artificial_forces),
                *factor_ports(mechanism, wanted, policy),
            ),
            asked,
            question,
            {
                "a": left_at_world("accelerations"),
                "tau_command": lambda graph: command(graph, True),
                "unactuated": lambda graph: command(graph, False),
                "multipliers": strengths,
                "residual": residual,
                "rank": lambda graph: graph.first.world.rank - len(problem[Constraints].undriven),
                "conditioning": lambda graph: graph.first.world.conditioning,
                "coupling": lambda graph: delassus(graph.first, problem[Constraints].asked),
                "saturated": at_limit,
                "steps": lambda graph: graph.answers["steps"],
                "wrenches": lambda graph: graph.world.contact_wrenches,
                "contact_margin": lambda graph: graph.world.contact_margins,
            },
            notes,
            again=questions(bounds, artificial=bool(self.artificial_forces)),
            options=self,
        )


def _schedule(coupled: bool, supported: bool) -> Schedule:
    if supported:
        return COUPLED_SUPPORTED_DYNAMICS if coupled else SUPPORTED_DYNAMICS
    return COUPLED_CONSTRAINED_DYNAMICS if coupled else CONSTRAINED_DYNAMICS
