"""Constrained hybrid dynamics after Popov and Vereshchagin (specs/motion-stack.md §2.11–2.13, Alg. 3.3).

Accelerate as forward dynamics does, except that along the rows A_N of one segment N the acceleration is b:

    forward dynamics as it stands; at N the rows A_N, and b made spatial with gravity's share in it
    inward    z = Sᵀ A,  A_i = Tᵀ P A,  Λ_i = Λ + zᵀ D⁻¹ z
    root      Λ λ = b - A_Nᵀ Ẍ_N
    outward   q̈ = D⁻¹ {τ - Sᵀ (F^A + H^A (T Ẍ_i + Ẍ_b)) + Sᵀ A λ}, the last sweep again with the forces in it
    inward    τ_command = τ + Jᵀ λ, the task's forces handed down as rigid bodies do, not as articulated ones

A_Nᵀ Ẍ_N of the unconstrained motion is the thesis' A₀ᵀ Ẍ₀ + U₀ (3.37 at ν = 0), read off the outward sweep instead of
gathered on the inward one: half the operations. λ are physical forces on N, minus the thesis' ν; Λ = J M⁻¹ Jᵀ.
"""

from motionc.geometry import Multipliers
from motionc.geometry.coordinates import zeros
from motionc.sweeps.forces import apply_wrenches, hand_down, no_wrench, turn
from motionc.sweeps.forward_dynamics import (
    articulate,
    feel,
    give_way,
    respond,
    rigid_start,
    world_resists_gravity,
)
from motionc.sweeps.kernels import LDLT_SOLVE, RANGE_SOLVE, TRUNCATED_SOLVE
from motionc.sweeps.kinematics import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.setting import JointView, Setting
from motionc.sweeps.state import BodyState, StateGraph


@operation(ROOT, gives=["at_rest"])
def world_rests(graph: StateGraph, setting: Setting) -> None:
    graph.world.at_rest = setting.free_fall_field().inverse()


@operation(OUTWARD, needs=["pose", "at_rest"], gives=["at_rest"])
def carry_rest(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """How the world itself accelerates with respect to free fall, at this body's place."""
    X = child.pose
    child.at_rest = parent.at_rest.change_point(X.position).change_frame(X.orientation.inverse())


@operation(ROOT, needs=["world_pose", "twist", "at_rest"], gives=["constraint", "wanted", "basis", "coupling"])
def constrain(graph: StateGraph, setting: Setting) -> None:
    """At the constrained segment: unit wrenches at its origin, in its axes; b made spatial and wrt free fall."""
    for spec in setting.constraints:
        state, X = graph[spec.at.body], spec.at.pose
        at_point, asked = spec.basis().change_frame(turn(graph, spec.axes, state)), spec.asked(setting)
        if asked.kind == "classical":
            asked = at_point.to_spatial(asked, state.twist.change_point(X.position))
        A = at_point.change_point(X.position.inverse())
        b = A.along(state.at_rest).compose(asked)
        first = "constraint" not in state
        state.constraint = A if first else state.constraint.beside(A)
        state.wanted = b if first else state.wanted.beside(b)
        state.basis = state.constraint.articulated()
        state.coupling = state.basis.uncoupled()


@operation(INWARD, needs=["pose", "projector", "basis", "coupling"], gives=["basis", "coupling"])
def reach(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What a joint gives way to unit constraint forces, and what of them it passes on."""
    if "basis" in child:
        X, S, P, A = child.pose, joint.basis, child.projector, child.basis
        parent.coupling = child.coupling + P.inertia.yields(S.pair(A))
        parent.basis = P.basis_of(A).change_frame(X.orientation).change_point(X.position.inverse()).at_parent()


@operation(ROOT, needs=["acceleration", "constraint"], gives=["reached"])
def measure(graph: StateGraph, setting: Setting) -> None:
    """How the constrained segment accelerates along the rows."""
    for spec in setting.constraints[:1]:
        state = graph[spec.at.body]
        state.reached = state.constraint.pair(state.acceleration)


@operation(ROOT, needs=["reached", "coupling", "wanted"], gives=["multipliers", "rank"])
def balance(graph: StateGraph, setting: Setting) -> None:
    """The forces that make up for what the unconstrained motion misses along the rows."""
    world = graph.world
    world.multipliers, world.rank = Multipliers((), zeros(0, 1)), zeros(1, 1)
    if setting.constraints:
        state = graph[setting.constraints[0].at.body]
        missing = state.wanted.minus(state.reached)
        kernel = LDLT_SOLVE if setting.damping else TRUNCATED_SOLVE if setting.least else RANGE_SOLVE
        world.multipliers, *report = world.coupling.damped(setting.damping).balance(missing, kernel, setting.call)
        world.rank = report[0] if report else None


@operation(OUTWARD, needs=["felt", "basis", "multipliers"], gives=["felt", "multipliers"])
def pull(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """The constraint forces as this joint feels them: + Sᵀ A λ."""
    child.multipliers = parent.multipliers
    if "basis" in child:
        child.felt = child.felt + joint.basis.pair(child.basis).times(child.multipliers)


@operation(ROOT, needs=["constraint", "multipliers", "artificial"], gives=["artificial", "wrench"])
def demand(graph: StateGraph, setting: Setting) -> None:
    """Motors make the task's share of A λ in the environment's place, as they make artificial forces."""
    graph.world.wrench = no_wrench(graph.world)
    if setting.task_rows:
        state, task = graph[setting.constraints[0].at.body], setting.task_rows
        force = state.constraint.select(task).times(graph.world.multipliers.select(task))
        state.artificial = state.artificial + force


@operation(OUTWARD, needs=["artificial"], gives=["wrench"])
def make(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.wrench = child.artificial.to_be_made().exerted_by(parent.body)


@operation(INWARD, needs=["joint_force"], gives=["joint_force"])
def add_motor(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.joint_force = joint.motor_force + child.joint_force


CONSTRAINED_DYNAMICS = Schedule(
    "constrained_dynamics",
    (
        sweep(world_at_origin, world_at_rest, world_resists_gravity, world_rests),
        sweep(poses, world_poses, twists, carry_rest),
        sweep(apply_wrenches, constrain),
        sweep(rigid_start),
        sweep(give_way, articulate, reach),
        sweep(feel, respond),
        sweep(measure, balance),
        sweep(feel, pull, respond),
        sweep(measure),
        sweep(demand),
        sweep(make),
        sweep(hand_down, add_motor),
    ),
)
