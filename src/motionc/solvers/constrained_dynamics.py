"""Constrained hybrid dynamics after Popov and Vereshchagin (specs/motion-stack.md §2.10–2.14, Alg. 3.3).

Accelerate as hybrid dynamics does, except that along the rows A of any segments the acceleration is b:

    hybrid dynamics as it stands; at each constrained segment N its rows A_N, along a joint its unit forces E
    inward    z = Sᵀ A + E,  A_i += Tᵀ (A - H^A S D⁻¹ z), rows of several branches fused;  Λ += zᵀ D⁻¹ z
    root      Λ λ = b - Aᵀ Ẍ, level after level, misses weighted; refined, once more with what is left
    outward   q̈ = D⁻¹ {τ - Sᵀ (F^A + H^A (T Ẍ_i + Ẍ_b)) + z λ}, the last sweep again with the forces in it
    inward    τ_command = τ + Jᵀ λ, the task's forces handed down as rigid bodies do, not as articulated ones

Aᵀ Ẍ of the unconstrained motion is the thesis' A₀ᵀ Ẍ₀ + U₀ (3.37 at ν = 0), read off the outward sweep instead of
gathered on the inward one: half the operations. λ are physical forces on N, minus the thesis' ν; Λ = J M⁻¹ Jᵀ. A row
costs its way to the root, two rows their common way: O(n + m² d + m³).
"""

from typing import Any

import numpy as np

from motionc.geometry import Coupling, Multipliers
from motionc.geometry.coordinates import UNKNOWN, zeros
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.program.kernels.semidefinite import RANGE_SOLVE, TRUNCATED_SOLVE
from motionc.solvers.forward_dynamics import (
    articulate,
    feel,
    give_way,
    respond,
    rigid_start,
    world_resists_gravity,
)
from motionc.solvers.hybrid_dynamics import at, drive, hold, obey, prescribe
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.posture import gather_posture, push, unpushed
from motionc.solvers.steps.rows import carry_rest, constrain, constrain_joints, measure, no_rows, want, world_rests
from motionc.solvers.steps.wrenches import apply_wrenches, hand_down, no_wrench
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, Operation, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph


@operation(INWARD, needs=["pose", "projector", "basis", "pushed"], gives=["basis", "grip"])
def reach(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What a joint feels of unit constraint forces, and what of them it passes on."""
    X, P, A = child.pose, child.projector, child.basis
    z = child.grip = joint.basis.pair(A).joined(child.pushed)
    if not parent.is_world:
        passed = P.basis_of(A, z).change_frame(X.orientation).change_point(X.position.inverse())
        parent.basis = parent.basis.joined(passed.at_parent())


@operation(INWARD, needs=["pose", "basis"], gives=["basis"])
def pass_on(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """A joint that is told how to accelerate gives way to nothing."""
    X, A = child.pose, child.basis
    if not parent.is_world:
        passed = A.held_by(parent.body).change_frame(X.orientation).change_point(X.position.inverse())
        parent.basis = parent.basis.joined(passed.at_parent())


@operation(OUTWARD, needs=["locked"], gives=["joint_acceleration", "acceleration"])
def go_along(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.acceleration, child.joint_acceleration = child.locked, joint.acceleration


@operation(ROOT, needs=["projector", "grip"], gives=["coupling"])
def gather_coupling(graph: StateGraph, setting: Setting) -> None:
    """Λ, the sum of what all free joints give way."""
    parts = [state.projector.inertia.yields(state.grip) for state in graph if "grip" in state]
    graph.world.coupling = Coupling.gather(setting.row_labels, parts)


@operation(
    ROOT,
    needs=["reached", "coupling", "wanted", "posture"],
    gives=["correction", "multipliers", "rank", "condition"],
)
def balance(graph: StateGraph, setting: Setting) -> None:
    """The forces that make up for what the unconstrained motion misses along the rows."""
    world = graph.world
    rows, one = setting.row_labels, np.ones((1, 1))
    world.multipliers, world.rank, world.condition = Multipliers(rows, zeros(len(rows), 1)), zeros(1, 1), one
    if setting.found:
        world.multipliers, *report = _balanced(graph, setting)
        world.rank, world.condition = report or (UNKNOWN, UNKNOWN)
    world.correction = world.multipliers


@operation(
    ROOT,
    needs=["reached", "coupling", "wanted", "posture", "multipliers"],
    gives=["correction", "multipliers"],
)
def refine(graph: StateGraph, setting: Setting) -> None:
    """The same once more, for what rounding has left to miss: Λ is only as exact as its entries, Aᵀ Ẍ is measured."""
    world = graph.world
    if setting.found:
        world.correction, *_ = _balanced(graph, setting)
        world.multipliers = world.multipliers + world.correction


def _balanced(graph: StateGraph, setting: Setting) -> tuple[Any, ...]:
    """Multipliers, zero along rows that are only measured, and what the kernel reports."""
    world, rows, (order, blocks, weights) = graph.world, setting.found, setting.priorities
    missing = world.wanted - world.reached
    missing = missing + world.posture.scaled(setting.posture) if setting.posture else missing
    kernel = LDLT_SOLVE.with_policy(blocks, setting.truncation)
    if not setting.damping:
        _, free = graph.parted(setting.prescribed)
        kernel = TRUNCATED_SOLVE if setting.least else RANGE_SOLVE
        kernel = kernel.with_policy(blocks, setting.truncation, len(free), [weights[k] for k in order])
    coupling = world.coupling.select(rows).damped(setting.damping, weights)
    forces, *report = coupling.balance(missing.select(rows), kernel, setting.call, order, weights)
    return forces.spread(setting.row_labels), *report


def refined(step: Operation) -> Operation:
    """The same step, where answers are refined."""

    def where_it_is_asked_for(*arguments: Any) -> None:
        setting = arguments[1] if step.direction is ROOT else arguments[0].setting
        if setting.refined:
            step(*arguments)

    return Operation(step.name, step.direction, where_it_is_asked_for, step.needs, step.gives)


@operation(OUTWARD, needs=["multipliers", "correction"], gives=["multipliers", "correction"])
def tell(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.multipliers, child.correction = parent.multipliers, parent.correction


@operation(OUTWARD, needs=["felt", "grip", "multipliers"], gives=["felt"])
def pull(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """The constraint forces as this joint feels them: + z λ."""
    z = child.grip
    child.felt = child.felt + z.times(child.multipliers.select(z.rows))


@operation(OUTWARD, needs=["bias", "basis", "correction"], gives=["bias"])
def relieve(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """Of what a body requires, constraint forces make a part: F^A - A λ, or what was added to λ last."""
    A = child.basis
    child.bias = child.bias.relieved(A.times(child.correction.select(A.rows)))


@operation(OUTWARD, needs=["joint_force"], gives=["motor"])
def keep(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What the motor makes before the task asks for more."""
    child.motor = child.joint_force


@operation(ROOT, needs=["holds", "multipliers", "artificial"], gives=["artificial", "wrench"])
def demand(graph: StateGraph, setting: Setting) -> None:
    """Motors make the task's share of A λ in the environment's place, as they make artificial forces."""
    graph.world.wrench = no_wrench(graph.world)
    for held in graph.world.holds:
        for state, rows in held.ends(graph):
            task = setting.tasks_among(rows.rows)
            force = rows.select(task).times(graph.world.multipliers.select(task))
            state.artificial = state.artificial + force


@operation(OUTWARD, needs=["artificial"], gives=["wrench"])
def make(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.wrench = child.artificial.to_be_made().exerted_by(parent.body)


@operation(ROOT, needs=["motor", "pushed", "multipliers"], gives=["motor"])
def demand_of_joints(graph: StateGraph, setting: Setting) -> None:
    for state in graph:
        task = setting.tasks_among(state.pushed.rows)
        state.motor = state.motor + state.pushed.select(task).made(graph.world.multipliers.select(task))


@operation(INWARD, needs=["joint_force", "motor"], gives=["joint_force"])
def add_motor(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.joint_force = child.motor + child.joint_force


LAST = (
    tell,
    at(True, relieve),
    feel,
    at(False, pull),
    at(False, respond),
    at(False, drive),
    at(True, obey),
)
"""The last outward sweep: forces are known, everything moves."""

DEMANDS = (sweep(keep), sweep(demand, demand_of_joints), sweep(make), sweep(hand_down, add_motor))
"""From what motors make anyway and the multipliers to what they are commanded."""

CONSTRAINED_DYNAMICS = Schedule(
    "constrained_dynamics",
    (
        sweep(world_at_origin, world_at_rest, world_resists_gravity, world_rests),
        sweep(poses, world_poses, twists, carry_rest, no_rows),
        sweep(apply_wrenches, constrain, constrain_joints, want),
        sweep(rigid_start, at(True, prescribe), unpushed),
        sweep(at(False, give_way), at(True, hold), articulate, at(False, reach), at(True, pass_on), push),
        sweep(feel, at(False, respond), at(True, go_along)),
        sweep(measure, gather_coupling, gather_posture, balance),
        sweep(*LAST),
        sweep(measure),
        sweep(refined(refine)),
        sweep(*map(refined, LAST)),
        sweep(refined(measure)),
        *DEMANDS,
    ),
)
