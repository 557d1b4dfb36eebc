"""Impact: how velocities jump under impulses (specs/multibody-methodology.md §2.8, sign of its erratum E17).

    M Δv = Jᵀ f,  u = J v - s,  u⁺ = - e u⁻

    outward   V of all bodies;  u⁻ = Aᵀ V - s along the rows, s being how fast what is struck moves itself
    inward    articulated bodies and rows through them, as in constrained dynamics: Λ⁻¹ = Σ zᵀ D⁻¹ z
    root      Λ⁻¹ f = - (1 + e) u⁻
    outward   Δq̇ = D⁻¹ (z f - Sᵀ H^A T ΔV_i),  ΔV_i+1 = T ΔV_i + S Δq̇

Forces that are finite do nothing in no time: neither motors nor gravity nor velocity terms appear.

Where joints follow others: M_r Δv = J_rᵀ f, J_r = J G, M_r by composite bodies.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from motionc import checked
from motionc.errors import Error
from motionc.geometry import WORLD, WORLD_FRAME, Impulses, JointImpulse, JointVelocity, RowVelocity, TwistJump
from motionc.geometry.coordinates import Coordinates, column, zeros
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.program.kernels.semidefinite import RANGE_SOLVE, TRUNCATED_SOLVE
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import (
    Question,
    chosen,
    left_at_world,
    q_port,
    rank_notes,
    refuse_idle,
    refuse_many_followers,
    v_port,
)
from motionc.solvers.constraint import OfAllBodies, resolve_constraints
from motionc.solvers.frame_arguments import Rows, RowsArgument, as_constraints, without_friction
from motionc.solvers.row_ports import (
    CONDITIONING,
    coupling_port,
    delassus,
    labels_of,
    rank_port,
)
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.articulated import articulate, give_way, rigid_start
from motionc.solvers.steps.asked import ask_motors
from motionc.solvers.steps.balance import Balanced
from motionc.solvers.steps.composite import MASSES
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.moved_rows import of_moved_rows
from motionc.solvers.steps.rows import Hold, constrain, constrain_joints, gather_coupling, no_rows, reach
from motionc.solvers.steps.rows_together import RowsTogether, hand_rows_down, reach_together, require
from motionc.solvers.steps.wrenches import apply_wrenches
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.options import Check
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph, joint_values


class Struck(RowsTogether, Balanced):
    """Velocities along the rows before and after a blow, and what it does to bodies and joints."""

    joint_velocity = Slot(JointVelocity, "joint")
    velocities_after = Slot(JointVelocity, "none")
    surface = Slot(RowVelocity, "none")
    row_velocities = Slot(RowVelocity, "none")
    row_velocities_after = Slot(RowVelocity, "none")
    impulses = Slot(Impulses, "none")
    jump = Slot(TwistJump)


@operation(OUTWARD, gives=["joint_velocity"])
def rates(joint: JointView, parent: Struck, child: Struck) -> None:
    child.joint_velocity = joint.velocity


@operation(
    ROOT, needs=["held_rows", "twist", "joint_unit_forces", "joint_velocity"], gives=["row_velocities", "surface"]
)
def approach(graph: StateGraph[Struck], problem: Problem) -> None:
    """How fast bodies and joints run into what they strike, along the rows."""
    rows = problem[Constraints].labels
    on_frames = [held.moving(graph) for held in graph.world.held_rows if isinstance(held, Hold)]
    along_joints = [state.joint_unit_forces.moved(state.joint_velocity) for state in graph]
    graph.world.surface = RowVelocity(rows, problem.rows("surface", slice(None)))
    graph.world.row_velocities = RowVelocity.gather(rows, [*on_frames, *along_joints]).minus(graph.world.surface)


@operation(
    ROOT, needs=["row_velocities", "delassus"], gives=["impulses", "rank", "conditioning", "row_velocities_after"]
)
def strike(graph: StateGraph[Struck], problem: Problem) -> None:
    """The impulses that turn approach into departure, and what of that they reach."""
    world, (order, blocks, weights) = graph.world, problem[Constraints].priorities
    restitution = np.asarray(problem.constants["restitution"], float)
    kernel = TRUNCATED_SOLVE if problem[Constraints].least else RANGE_SOLVE
    kernel = kernel.with_policy(
        blocks, problem[Constraints].truncation, graph.mechanism.nv, [weights[k] for k in order]
    )
    asked = world.row_velocities.scaled(-(1.0 + restitution))
    balanced = Impulses.balance(world.delassus, asked, kernel, of_moved_rows(problem), order, weights)
    world.impulses, world.rank, world.conditioning = balanced
    world.row_velocities_after = world.row_velocities.plus(world.impulses.jump(world.delassus))


@operation(ROOT, gives=["jump"])
def world_stays(graph: StateGraph[Struck], problem: Problem) -> None:
    still = column((0, 0, 0))
    graph.world.jump = TwistJump(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, still)


@operation(
    OUTWARD,
    needs=["pose", "projector", "joint_rows", "jump", "impulses", "joint_velocity"],
    gives=["jump", "impulses", "joint_velocity"],
)
def jump(joint: JointView, parent: Struck, child: Struck) -> None:
    """A joint feels impulses beyond it, and how those before it have jumped."""
    child.joint_velocity = child.joint_velocity + jumped(joint, parent, child)


def jumped(joint: JointView, parent: Struck, child: Struck) -> JointVelocity:
    """By how much rates of a joint jump, its body with them."""
    child.impulses, z = parent.impulses, child.joint_rows
    X, S = child.pose, joint.basis
    moved = parent.jump.change_point(X.position).change_frame(X.orientation.inverse()).beyond(S)
    more = JointImpulse.of(z, child.impulses.select(z.rows)).through(child.projector, moved)
    child.jump = moved.driven(S, more)
    return more


@operation(ROOT, needs=["joint_velocity"], gives=["velocities_after"])
def gather_velocities(graph: StateGraph[Struck], problem: Problem) -> None:
    graph.world.velocities_after = JointVelocity(graph.coordinates, joint_values(graph, "joint_velocity"))


APPROACH = (
    sweep(world_at_origin, world_at_rest),
    sweep(poses, world_poses, twists, rates, no_rows),
    sweep(apply_wrenches, constrain, constrain_joints),
)
"""How fast bodies move, and the rows on them."""


IMPACT = Schedule(
    "impact",
    (
        *APPROACH,
        sweep(ask_motors),
        sweep(rigid_start),
        sweep(give_way, articulate, reach),
        sweep(approach, gather_coupling, strike, world_stays),
        sweep(jump),
        sweep(gather_velocities),
    ),
)


@operation(ROOT, needs=["mass_matrix", "jacobian_transposed", "impulses"], gives=["velocities_after"])
def jump_together(graph: StateGraph[Struck], problem: Problem) -> None:
    world = graph.world
    before = JointVelocity(graph.coordinates, problem.rows("v", slice(None)))
    world.velocities_after = before + JointImpulse.of(world.jacobian_transposed, world.impulses).through_all(
        world.mass_matrix
    )


COUPLED_IMPACT = Schedule(
    "impact",
    (
        *APPROACH,
        *MASSES,
        sweep(require),
        sweep(hand_rows_down),
        sweep(approach, reach_together, strike, jump_together),
    ),
)


IMPACT_OUTPUTS = ("v_after", "impulse", "residual", "rank", "conditioning")


@dataclass(frozen=True)
class Impact(Question):
    """Impact: how velocities jump when the robot strikes something: M (v_after - v) = Jᵀ impulse, J v_after = - e J v.

    All rows are struck at once and both ways: whether a contact opens instead is the caller's to decide (no
    complementarity). Where rows depend on each other the least impulses are taken and `rank` says so.

    Args:
        robot: the robot.
        constraints: rows of any bodies, between bodies, along joints (end stops); neither kind nor source matters. The
            name of a frame, or a Target, stands for a Constraint with its rows.
        restitution: e between 0 (rows come to rest) and 1, for all or one a contact. All alike, no energy is won; not
            alike, Newton's law may win some (see energy_lost).
        moving_surface: adds the input surface, how fast what is struck moves along each row by itself.
        truncation: a row counts as dependent where those before it leave less than this share of what it would do
            alone; 1e-12 by default (1e-5 in single precision), and never less than rounding can have left.
        outputs: which of v_after, impulse, residual, rank, conditioning, energy_lost, coupling (J M⁻¹ Jᵀ) to compute.
        parameters: constants of the robot that become inputs: "LINK.mass", "gravity" … (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "impact"
    renamed: ClassVar = {"contacts": "constraints"}
    understood: ClassVar[Mapping[str, Check]] = {
        **Question.understood,
        "restitution": lambda what, given: _restitution(what, given),
    }

    constraints: RowsArgument
    _: KW_ONLY
    restitution: float | Sequence[float] = 0.0
    moving_surface: bool = False
    truncation: float | None = None
    outputs: Sequence[str] = IMPACT_OUTPUTS
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        refuse_idle(robot, "impact")
        refuse_many_followers(robot, "impact")
        wanted = without_friction(self.called, as_constraints(f"{self.called}: constraints", self.constraints))
        for one in wanted:
            if isinstance(one, OfAllBodies):
                raise Error(
                    f"impact: constraints: {one!r} pulls at every body, and nothing strikes all of them at once; name "
                    "the frames that are struck"
                )
        each = _restitutions(wanted, self.restitution)
        # velocities are the same for all impulses that come nearest to what is asked
        least = "impulse" in self.outputs

        def question(mechanism: Mechanism) -> Problem:
            specs = resolve_constraints(mechanism, wanted)
            factors = [[e] for spec, e in zip(specs, each, strict=True) for _ in spec.labels]
            no = zeros(len(factors), 1)
            still = {"tau": zeros(robot.nv, 1), "b": no, "surface": no, "restitution": np.array(factors)}
            rows = Constraints(specs, truncation=self.truncation, least=least)
            return Problem({}, options=(rows,), constants=still)

        m, along = len(labels_of(robot.mechanism, wanted)), ", ".join(labels_of(robot.mechanism, wanted))
        ports = {
            "v_after": v_port(robot, "v_after", "joint velocities right after, in the order of v"),
            "impulse": Port("impulse", (m,), "N m s, N s", f"impulses on the frame's body along {along}"),
            "residual": Port(
                "residual", (m,), "rad/s, m/s", "velocity reached along the rows, minus the one asked for"
            ),
            "rank": rank_port(m),
            "conditioning": CONDITIONING,
            "energy_lost": Port("energy_lost", (), "J", "kinetic energy before, minus that after"),
            "coupling": coupling_port(m),
        }
        surface = Port("surface", (m,), "rad/s, m/s", f"velocity of what is struck along {along}")

        def residual(graph: StateGraph[Struck]) -> Coordinates:
            factors = question(graph.mechanism).constants["restitution"]
            return graph.world.row_velocities_after.plus(graph.world.row_velocities.scaled(factors)).values

        def lost(graph: StateGraph[Struck]) -> Coordinates:
            # the surface moves on as it did: rows move faster by as much before and after
            world = graph.world
            before, after = (
                twists.plus(world.surface) for twists in (world.row_velocities, world.row_velocities_after)
            )
            return -world.impulses.work(before, after)

        return Solver(
            self.called,
            "M (v_after - v) = J^T impulse,  J v_after = -e J v",
            robot,
            COUPLED_IMPACT if robot.followers else IMPACT,
            (q_port(robot), v_port(robot), *([surface] if self.moving_surface else [])),
            chosen("impact", self.outputs, ports),
            question,
            {
                "v_after": left_at_world("velocities_after"),
                "impulse": left_at_world("impulses"),
                "residual": residual,
                "rank": lambda graph: graph.world.rank,
                "conditioning": lambda graph: graph.world.conditioning,
                "energy_lost": lost,
                "coupling": delassus,
            },
            lambda results: rank_notes(m, results, "the impulses are the least ones that come nearest, see residual"),
            options=self,
        )


def _restitutions(contacts: Sequence[Rows], restitution: float | Sequence[float]) -> list[float]:
    """One for each contact."""
    each: list[float] = list(restitution) if isinstance(restitution, Sequence) else [restitution] * len(contacts)
    if len(each) != len(contacts):
        raise checked.refusal(
            "impact: restitution", restitution, f"{SHARE}, or one for each of the {len(contacts)} constraints"
        )
    return each


SHARE = "give a number between 0 and 1"


def _restitution(what: str, given: Any) -> float | tuple[float, ...]:
    """One for all, or several."""
    values = checked.numbers(what, given, f"{SHARE}, or one for each constraint")
    if values.ndim > 1 or not np.all((values >= 0) & (values <= 1)):
        raise checked.refusal(what, given, f"{SHARE}, or one for each constraint")
    return tuple(map(float, values)) if values.ndim else float(values)
