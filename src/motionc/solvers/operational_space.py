"""The robot as a task feels it: F = Λ ẍ + μ + p, τ = Jᵀ F (specs/motion-stack.md §2.15, multibody-methodology.md §2.8).

    outward   A of joints that do not accelerate, without gravity: J̇ v, and inward c;  weights, and inward g
    inward    articulated bodies and rows through them, as in constrained dynamics: Λ⁻¹ = Σ zᵀ D⁻¹ z
    outward   y = D⁻¹ (z - Sᵀ H^A T X_i),  X_i+1 = T X_i + S y: how all give way to a unit force along each row
    inward    Jᵀ, the rows handed down as rigid bodies do
    root      Λ = (Λ⁻¹)⁺,  J̄ = M⁻¹ Jᵀ Λ,  μ = Λ (J M⁻¹ c - J̇ v),  p = Λ J M⁻¹ g

y of all joints is M⁻¹ Jᵀ. Rows on several branches meet in Λ⁻¹ wherever their ways to the root do (erratum E16), and no
matrix of all joints is inverted.
"""

from motionc.geometry import (
    WORLD,
    WORLD_FRAME,
    JointForce,
    JointRows,
    JointSway,
    OperationalInertia,
    RowStack,
    RowSway,
    SpatialAcceleration,
    Twist,
)
from motionc.geometry.coordinates import column, zeros
from motionc.program.kernels.semidefinite import TRUNCATED_INVERSE
from motionc.solvers.constrained_dynamics import gather_coupling, reach
from motionc.solvers.coupled_constrained_dynamics import accelerate_still, hand_rows_down, require
from motionc.solvers.forward_dynamics import articulate, give_way, rigid_start
from motionc.solvers.frame_motion import world_stands_still
from motionc.solvers.inverse_dynamics import accelerations, required_wrenches
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.rows import carry_rest, constrain, constrain_joints, no_rows, want, world_rests
from motionc.solvers.steps.wrenches import apply_wrenches, hand_down, no_wrench
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph, joint_values

# ---------------------------------------------------------------- what velocities and gravity ask for


@operation(ROOT, gives=["at_rest"])
def nothing_falls(graph: StateGraph, setting: Setting) -> None:
    still = column((0, 0, 0))
    graph.world.at_rest = SpatialAcceleration(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, still)


@operation(ROOT, gives=["wrench"])
def world_requires_nothing(graph: StateGraph, setting: Setting) -> None:
    graph.world.wrench = no_wrench(graph.world)


@operation(ROOT, needs=["joint_force"], gives=["velocity_terms"])
def keep_velocity_terms(graph: StateGraph, setting: Setting) -> None:
    """c, what motors make of joints that do not accelerate."""
    graph.world.velocity_terms = JointForce(graph.coordinates, joint_values(graph, "joint_force"))


@operation(ROOT, needs=["holds", "at_rest", "acceleration", "wanted"], gives=["drift"])
def measure_drift(graph: StateGraph, setting: Setting) -> None:
    """J̇ v: how bodies accelerate along the rows while their joints do not."""
    still = RowStack.gather(setting.row_labels, [held.reached(graph) for held in graph.world.holds])
    graph.world.drift = still - graph.world.wanted


@operation(OUTWARD, needs=["at_rest"], gives=["wrench"])
def weigh(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What it takes to keep a body at rest in the world."""
    nothing = column((0, 0, 0))
    meaning = child.body, WORLD, child.frame.origin, child.frame, nothing, nothing
    still, rest = Twist(*meaning), SpatialAcceleration(*meaning)
    standing = child.at_rest.compose(rest).to_classical(still)
    child.wrench = joint.inertia.required_wrench(standing, still).exerted_by(parent.body)


@operation(ROOT, needs=["joint_force"], gives=["gravity_terms"])
def keep_gravity_terms(graph: StateGraph, setting: Setting) -> None:
    """g, what motors make to hold the robot at rest."""
    graph.world.gravity_terms = JointForce(graph.coordinates, joint_values(graph, "joint_force"))


TERMS = (
    sweep(world_at_origin, world_at_rest, world_stands_still, nothing_falls, world_requires_nothing),
    sweep(poses, world_poses, twists, accelerations, carry_rest, no_rows),
    sweep(apply_wrenches, constrain, constrain_joints, want),
    sweep(required_wrenches, accelerate_still),
    sweep(hand_down),
    sweep(keep_velocity_terms, measure_drift),
    sweep(world_rests, world_requires_nothing),
    sweep(carry_rest, weigh),
    sweep(hand_down),
    sweep(keep_gravity_terms),
)
"""c, J̇ v and g."""

# ---------------------------------------------------------------- how joints give way to forces along rows


@operation(ROOT, gives=["sway"])
def world_does_not_sway(graph: StateGraph, setting: Setting) -> None:
    none = zeros(3, 0)
    graph.world.sway = RowSway(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, none, none)


@operation(OUTWARD, needs=["pose", "projector", "grip", "sway"], gives=["sway", "joint_sway"])
def sway(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """A joint feels rows beyond it, and how those before it have given way to any."""
    X, S = child.pose, joint.basis
    moved = parent.sway.change_point(X.position).change_frame(X.orientation.inverse()).beyond(S)
    child.joint_sway = JointSway.of_joint(child.projector, child.grip, moved)
    child.sway = moved.driven(S, child.joint_sway)


@operation(ROOT, needs=["joint_sway"], gives=["swayed"])
def gather_sway(graph: StateGraph, setting: Setting) -> None:
    """M⁻¹ Jᵀ."""
    rows = setting.row_labels
    graph.world.swayed = JointSway(graph.coordinates, rows, joint_values(graph, "joint_sway", rows))


@operation(ROOT, needs=["grip"], gives=["reach"])
def gather_reach(graph: StateGraph, setting: Setting) -> None:
    """Jᵀ."""
    rows = setting.row_labels
    graph.world.reach = JointRows(graph.coordinates, rows, joint_values(graph, "grip", rows))


# ---------------------------------------------------------------- along the rows


@operation(
    ROOT,
    needs=["coupling", "swayed", "velocity_terms", "gravity_terms", "drift"],
    gives=["operational", "rank", "condition", "consistent", "mu", "p"],
)
def operate(graph: StateGraph, setting: Setting) -> None:
    world, rows = graph.world, setting.row_labels
    kernel = TRUNCATED_INVERSE.with_policy((), setting.truncation, graph.mechanism.nv)
    world.operational, world.rank, world.condition = OperationalInertia.of(world.coupling, kernel, setting.call)
    world.consistent = world.operational.consistent_inverse(world.swayed)
    of_velocity, of_gravity = (
        RowStack.gather(rows, [world.swayed.along(force)]) for force in (world.velocity_terms, world.gravity_terms)
    )
    world.mu = world.operational.times(of_velocity - world.drift)
    world.p = world.operational.times(of_gravity)


OPERATIONAL_SPACE = Schedule(
    "operational_space",
    (
        *TERMS,
        sweep(rigid_start),
        sweep(give_way, articulate, reach),
        sweep(gather_coupling, world_does_not_sway),
        sweep(sway),
        sweep(gather_sway, require),
        sweep(hand_rows_down),
        sweep(gather_reach, operate),
    ),
)
