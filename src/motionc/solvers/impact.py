"""What a blow does to velocities (specs/multibody-methodology.md §2.8, sign of its erratum E17).

    M Δv = Jᵀ f,  u = J v - s,  u⁺ = - e u⁻

    outward   V of all bodies;  u⁻ = Aᵀ V - s along the rows, s being how fast what is struck moves itself
    inward    articulated bodies and rows through them, as in constrained dynamics: Λ⁻¹ = Σ zᵀ D⁻¹ z
    root      Λ⁻¹ f = - (1 + e) u⁻
    outward   Δq̇ = D⁻¹ (z f - Sᵀ H^A T ΔV_i),  ΔV_i+1 = T ΔV_i + S Δq̇

Forces that are finite do nothing in no time: neither motors nor gravity nor velocity terms appear.
"""

import numpy as np

from motionc.geometry import (
    WORLD,
    WORLD_FRAME,
    Impulses,
    JointImpulse,
    RowVelocity,
    TwistJump,
)
from motionc.geometry.coordinates import column
from motionc.program.kernels.semidefinite import RANGE_SOLVE, TRUNCATED_SOLVE
from motionc.solvers.constrained_dynamics import gather_coupling, reach
from motionc.solvers.forward_dynamics import articulate, give_way, rigid_start
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.rows import constrain, constrain_joints, no_rows
from motionc.solvers.steps.wrenches import apply_wrenches
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph


@operation(OUTWARD, gives=["joint_velocity"])
def rates(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.joint_velocity = joint.velocity


@operation(ROOT, needs=["holds", "twist", "pushed", "joint_velocity"], gives=["approach", "surface"])
def approach(graph: StateGraph, setting: Setting) -> None:
    """How fast bodies and joints run into what they strike, along the rows."""
    rows = setting.row_labels
    on_frames = [held.moving(graph) for held in graph.world.holds]
    along_joints = [state.pushed.moved(state.joint_velocity) for state in graph]
    graph.world.surface = RowVelocity(rows, setting.rows("surface", slice(None)))
    graph.world.approach = RowVelocity.gather(rows, [*on_frames, *along_joints]).minus(graph.world.surface)


@operation(ROOT, needs=["approach", "coupling"], gives=["impulses", "rank", "condition", "departure"])
def strike(graph: StateGraph, setting: Setting) -> None:
    """The impulses that turn approach into departure, and what of that they reach."""
    world, (order, blocks, weights) = graph.world, setting.priorities
    restitution = np.asarray(setting.constants["restitution"], float)
    kernel = TRUNCATED_SOLVE if setting.least else RANGE_SOLVE
    kernel = kernel.with_policy(blocks, setting.truncation, graph.mechanism.nv, [weights[k] for k in order])
    asked = world.approach.scaled(-(1.0 + restitution))
    found = Impulses.balance(world.coupling, asked, kernel, setting.call, order, weights)
    world.impulses, world.rank, world.condition = found
    world.departure = world.approach.plus(world.impulses.jump(world.coupling))


@operation(ROOT, gives=["jump"])
def world_stays(graph: StateGraph, setting: Setting) -> None:
    still = column((0, 0, 0))
    graph.world.jump = TwistJump(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, still)


@operation(
    OUTWARD,
    needs=["pose", "projector", "grip", "jump", "impulses", "joint_velocity"],
    gives=["jump", "impulses", "joint_velocity"],
)
def jump(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """A joint feels impulses beyond it, and how those before it have jumped."""
    child.impulses, z = parent.impulses, child.grip
    X, S = child.pose, joint.basis
    moved = parent.jump.change_point(X.position).change_frame(X.orientation.inverse()).beyond(S)
    more = JointImpulse.of(z, child.impulses.select(z.rows)).through(child.projector, moved)
    child.jump = moved.driven(S, more)
    child.joint_velocity = child.joint_velocity + more


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
        sweep(rigid_start),
        sweep(give_way, articulate, reach),
        sweep(approach, gather_coupling, strike, world_stays),
        sweep(jump),
    ),
)
