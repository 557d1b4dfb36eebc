"""Operational-space dynamics: F = Λ ẍ + μ + p, τ = Jᵀ F (specs/motion-stack.md §2.15, multibody-methodology.md §2.8).

    outward   A of joints that do not accelerate, without gravity: J̇ v, and inward c;  weights, and inward g
    inward    articulated bodies and rows through them, as in constrained dynamics: Λ⁻¹ = Σ zᵀ D⁻¹ z
    outward   y = D⁻¹ (z - Sᵀ H^A T X_i),  X_i+1 = T X_i + S y: how all give way to a unit force along each row
    inward    Jᵀ, the rows handed down as rigid bodies do
    root      Λ = (Λ⁻¹)⁺,  J̄ = M⁻¹ Jᵀ Λ,  μ = Λ (J M⁻¹ c - J̇ v),  p = Λ J M⁻¹ g

y of all joints is M⁻¹ Jᵀ. Rows on several branches meet in Λ⁻¹ wherever their ways to the root do (erratum E16), and no
matrix of all joints is inverted.

Where joints follow others: Λ⁻¹ = J_r M_r⁻¹ J_rᵀ, J_r = J G, M_r by composite bodies.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from motionc.errors import Error
from motionc.geometry import (
    WORLD,
    WORLD_FRAME,
    JointResponse,
    JointRows,
    JointSway,
    Multipliers,
    OperationalInertia,
    RowStack,
    RowSway,
)
from motionc.geometry.coordinates import Coordinates, zeros
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.kernels.semidefinite import TRUNCATED_INVERSE
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import (
    LARGEST_COUPLED,
    Question,
    chosen,
    left_at_world,
    packed_port,
    packed_values,
    q_port,
    rank_notes,
    refuse_idle,
    refuse_large,
    refuse_many_followers,
    v_port,
)
from motionc.solvers.constraint import resolve_constraints
from motionc.solvers.frame_arguments import RowsArgument, as_constraints, without_friction
from motionc.solvers.row_ports import (
    CONDITIONING,
    coupling_port,
    delassus,
    labels_of,
    name_of,
    rank_port,
)
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.articulated import articulate, give_way, rigid_start
from motionc.solvers.steps.asked import ask_motors
from motionc.solvers.steps.balance import Balanced
from motionc.solvers.steps.bias_terms import TERMS, BiasTerms
from motionc.solvers.steps.composite import MASSES
from motionc.solvers.steps.rows import (
    gather_coupling,
    reach,
)
from motionc.solvers.steps.rows_together import RowsTogether, hand_rows_down, reach_together, require
from motionc.solvers.steps.whole_body import with_all_bodies
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph, joint_values


class Operated(RowsTogether, Balanced, BiasTerms):
    """How joints and bodies give way to forces along rows, and the robot as the task feels it."""

    response = Slot(RowSway)
    joint_response = Slot(JointSway, "joint")
    joint_responses = Slot(JointSway, "none")
    operational = Slot(OperationalInertia, "none")
    consistent_inverse = Slot(JointResponse, "none")
    mu = Slot(Multipliers, "none")
    p = Slot(Multipliers, "none")


# ---------------------------------------------------------------- how joints give way to forces along rows


@operation(ROOT, gives=["response"])
def world_does_not_sway(graph: StateGraph[Operated], problem: Problem) -> None:
    none = zeros(3, 0)
    graph.world.response = RowSway(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, none, none)


@operation(OUTWARD, needs=["pose", "projector", "joint_rows", "response"], gives=["response", "joint_response"])
def sway(joint: JointView, parent: Operated, child: Operated) -> None:
    """A joint feels rows beyond it, and how those before it have given way to any."""
    X, S = child.pose, joint.basis
    moved = parent.response.change_point(X.position).change_frame(X.orientation.inverse()).beyond(S)
    child.joint_response = JointSway.of_joint(child.projector, child.joint_rows, moved)
    child.response = moved.driven(S, child.joint_response)


@operation(ROOT, needs=["joint_response"], gives=["joint_responses"])
def gather_sway(graph: StateGraph[Operated], problem: Problem) -> None:
    """M⁻¹ Jᵀ."""
    rows = problem[Constraints].labels
    graph.world.joint_responses = JointSway(graph.coordinates, rows, joint_values(graph, "joint_response", rows))


@operation(ROOT, needs=["joint_rows"], gives=["jacobian_transposed"])
def gather_reach(graph: StateGraph[Operated], problem: Problem) -> None:
    """Jᵀ."""
    rows = problem[Constraints].labels
    graph.world.jacobian_transposed = JointRows(graph.coordinates, rows, joint_values(graph, "joint_rows", rows))


# ---------------------------------------------------------------- along the rows


@operation(
    ROOT,
    needs=["delassus", "joint_responses", "velocity_terms", "gravity_terms", "row_bias"],
    gives=["operational", "rank", "conditioning", "consistent_inverse", "mu", "p"],
)
def operate(graph: StateGraph[Operated], problem: Problem) -> None:
    world, rows = graph.world, problem[Constraints].labels
    kernel = TRUNCATED_INVERSE.with_policy((), problem[Constraints].truncation, graph.mechanism.nv)
    world.operational, world.rank, world.conditioning = OperationalInertia.of(world.delassus, kernel, problem.call)
    world.consistent_inverse = world.operational.consistent_inverse(world.joint_responses)
    of_velocity, of_gravity = (
        RowStack.gather(rows, [world.joint_responses.along(force)])
        for force in (world.velocity_terms, world.gravity_terms)
    )
    world.mu = world.operational.times(of_velocity - world.row_bias)
    world.p = world.operational.times(of_gravity)


OPERATIONAL_SPACE = Schedule(
    "operational_space",
    (
        *TERMS,
        sweep(ask_motors),
        sweep(rigid_start),
        sweep(give_way, articulate, reach),
        sweep(gather_coupling, world_does_not_sway),
        sweep(sway),
        sweep(gather_sway, require),
        sweep(hand_rows_down),
        sweep(gather_reach, operate),
    ),
)


@operation(ROOT, needs=["mass_matrix", "jacobian_transposed"], gives=["joint_responses"])
def sway_together(graph: StateGraph[Operated], problem: Problem) -> None:
    """M_r⁻¹ J_rᵀ."""
    graph.world.joint_responses = JointSway.of_all(graph.world.mass_matrix, graph.world.jacobian_transposed)


COUPLED_OPERATIONAL_SPACE = Schedule(
    "operational_space",
    (*TERMS, *MASSES, sweep(require), sweep(hand_rows_down), sweep(reach_together, sway_together, operate)),
)


OPERATIONAL_OUTPUTS = ("Lambda", "mu", "p", "J_bar", "rank", "conditioning")


@dataclass(frozen=True)
class OperationalSpace(Question):
    """Operational-space dynamics: the equation of motion as a task feels it, F = Lambda ẍ + mu + p, tau = Jᵀ F.

    Lambda = (J M⁻¹ Jᵀ)⁻¹, mu = Lambda (J M⁻¹ c - J̇ v), p = Lambda J M⁻¹ g, J_bar = M⁻¹ Jᵀ Lambda. With N = 1 - J_bar J,
    joint forces Nᵀ tau leave the task alone. Where rows depend on each other, Lambda is the pseudo-inverse and `rank`
    says so.

    Args:
        robot: the robot.
        frames: name of a frame or several, of any branches; each may also be a Target, Constraint or
            JointConstraint, whose rows are then taken as they are (who makes the force is not asked here).
        rows: of frames given by name: tokens x y z rx ry rz in the order wanted, or a 6×m matrix of unit wrenches.
        wrt: of frames given by name: with respect to which frame's body ẍ is meant, which may move.
        point: of frames given by name: where ẍ is taken, in frame coordinates (m).
        as_seen_by: of frames given by name: whose axes the rows are written in.
        truncation: a row counts as dependent where those before it leave less than this share of what it would do
            alone; 1e-12 by default (1e-5 in single precision), and never less than rounding can have left.
        gravity: acceleration of free fall in world axes (m/s²).
        outputs: which of Lambda, mu, p, J_bar, rank, conditioning, N, J, bias (J̇ v), coupling (J M⁻¹ Jᵀ) to compute;
            without mu and bias there is no input v.
        packed: whether Lambda and coupling, which are symmetric, are given once: lower triangles, row by row.
        parameters: constants of the robot that become inputs: "LINK.mass", "gravity" … (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "operational_space"

    frames: RowsArgument
    _: KW_ONLY
    rows: Any = "rx ry rz x y z"
    wrt: str = "world"
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    as_seen_by: str = "world"
    truncation: float | None = None
    gravity: Sequence[float] = STANDARD_GRAVITY
    outputs: Sequence[str] = OPERATIONAL_OUTPUTS
    packed: bool = False
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "operational space")
        refuse_many_followers(robot, "operational space")
        beside = {"rows": self.rows, "wrt": self.wrt, "point": self.point, "as_seen_by": self.as_seen_by}
        wanted = without_friction(self.called, as_constraints(f"{self.called}: frames", self.frames, **beside))
        for one in wanted:
            if (one.level, one.weight) != (1, 1.0):
                raise Error(
                    f"operational_space: {name_of(one)} has level={one.level} and weight={one.weight}; here all rows "
                    "are one task, so leave both at 1 (constrained_dynamics knows levels and weights)"
                )

        m, nv = len(labels_of(robot.mechanism, wanted)), robot.nv
        along = ", ".join(labels_of(robot.mechanism, wanted))
        inertia, turns = "kg m², kg m, kg", "rad/s², m/s²"
        ports = {
            "Lambda": Port("Lambda", (m, m), inertia, f"force along {along} for unit accelerations along them"),
            "mu": Port("mu", (m,), "N m, N", f"velocity terms along {along}"),
            "p": Port("p", (m,), "N m, N", f"gravity terms along {along}"),
            "J_bar": Port(
                "J_bar", (nv, m), "1, 1/m", "joint accelerations, least in aᵀ M a, for unit ones along the rows"
            ),
            "rank": rank_port(m),
            "conditioning": CONDITIONING,
            "N": Port("N", (nv, nv), "1", "1 - J_bar J: what of joint accelerations leaves the rows alone"),
            "J": Port("J", (m, nv), "1, m", f"velocity along {along} = J v"),
            "bias": Port("bias", (m,), turns, f"J_dot v, acceleration along {along} without that of joints"),
            "coupling": coupling_port(m),
        }
        collect: dict[str, Any] = {"Lambda": left_at_world("operational"), "coupling": delassus}
        if self.packed:
            if not set(collect) & set(self.outputs):
                raise Error("operational_space: packed=True is for Lambda and coupling, and neither is in outputs")
            ports |= {name: packed_port(ports[name]) for name in collect}
            collect = {name: packed_values(values) for name, values in collect.items()}
        asked = chosen("operational_space", self.outputs, ports)
        moving = bool({"mu", "bias"} & {port.name for port in asked})
        if any(port.name == "N" for port in asked):
            refuse_large(robot, "null-space projector", LARGEST_COUPLED)
        still = {"a": zeros(nv, 1), "tau": zeros(nv, 1), "b": zeros(m, 1)} | ({} if moving else {"v": zeros(nv, 1)})

        def question(mechanism: Mechanism) -> Problem:
            specs = resolve_constraints(mechanism, wanted)
            rows = Constraints(specs, truncation=self.truncation)
            return Problem({}, self.gravity, options=(rows,), constants=still)

        schedule = COUPLED_OPERATIONAL_SPACE if robot.followers else OPERATIONAL_SPACE

        def projector(graph: StateGraph[Operated]) -> Coordinates:
            inverse, reach = graph.world.consistent_inverse.values, graph.world.jacobian_transposed.values
            return np.eye(nv) - inverse @ reach.T

        def jacobian(graph: StateGraph[Operated]) -> Coordinates:
            return graph.world.jacobian_transposed.values.T

        return Solver(
            self.called,
            "F = Lambda x_ddot + mu + p,  tau = J^T F",
            robot,
            with_all_bodies(schedule) if question(robot.mechanism)[Constraints].of_all_bodies else schedule,
            (q_port(robot), *([v_port(robot)] if moving else [])),
            asked,
            question,
            {
                **collect,
                "mu": left_at_world("mu"),
                "p": left_at_world("p"),
                "J_bar": left_at_world("consistent_inverse"),
                "rank": lambda graph: graph.world.rank,
                "conditioning": lambda graph: graph.world.conditioning,
                "N": projector,
                "J": jacobian,
                "bias": left_at_world("row_bias"),
            },
            lambda results: rank_notes(m, results, "Lambda is the pseudo-inverse of the coupling"),
            options=self,
        )
