"""Forward dynamics: how the robot accelerates under its motors (specs/motion-stack.md §2.9, Alg. 3.2).

outward   V, bias acceleration Ẍ_b = V × S q̇ + S̊ q̇, F^A = V ×* H V - F_ext, H^A = H
inward    D = Sᵀ H^A S + d,  P = 1 - H^A S D⁻¹ Sᵀ
          H_i^A += Tᵀ P H^A T,  F_i^A += Tᵀ (P F^A + H^A S D⁻¹ τ + P H^A Ẍ_b)
outward   q̈ = D⁻¹ {τ - Sᵀ (F^A + H^A (T Ẍ_i + Ẍ_b))},  Ẍ_i+1 = T Ẍ_i + Ẍ_b + S q̈
"""

from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.wrenches import apply_wrenches
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph


@operation(OUTWARD, needs=["twist", "external"], gives=["bias_acceleration", "bias", "inertia"])
def rigid_start(joint: JointView, parent: BodyState, child: BodyState) -> None:
    V, H = child.twist, joint.inertia
    child.bias_acceleration = joint.spatial_bias(V)
    child.bias = (H @ V).rate(V).without(child.external).articulated()
    child.inertia = H.articulated()


@operation(
    INWARD, needs=["bias_acceleration", "bias", "inertia"], gives=["projector", "apparent_inertia", "apparent_bias"]
)
def give_way(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What the parent feels of a body through a joint that gives way."""
    P = child.projector = child.inertia.projector(joint.basis, joint.rotor)
    H_a = child.apparent_inertia = P @ child.inertia
    child.apparent_bias = P.wrench(child.bias, joint.force) + H_a @ child.bias_acceleration


@operation(INWARD, needs=["pose", "apparent_inertia", "apparent_bias", "bias", "inertia"], gives=["bias", "inertia"])
def articulate(joint: JointView, parent: BodyState, child: BodyState) -> None:
    X = child.pose
    if not parent.is_world:
        H_a, F_a = child.apparent_inertia, child.apparent_bias
        parent.inertia = parent.inertia + H_a.change_frame(X.orientation).change_point(X.position.inverse())
        parent.bias = parent.bias + F_a.change_frame(X.orientation).change_point(X.position.inverse())


@operation(ROOT, gives=["acceleration"])
def world_resists_gravity(graph: StateGraph, setting: Setting) -> None:
    graph.world.acceleration = setting.free_fall_field().inverse()


@operation(OUTWARD, needs=["pose", "acceleration", "bias_acceleration", "bias", "inertia"], gives=["locked", "felt"])
def feel(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What is left of the motor's force if the joint did not accelerate: τ - Sᵀ (F^A + H^A (T Ẍ_i + Ẍ_b))."""
    X, S = child.pose, joint.basis
    carried = parent.acceleration.change_point(X.position).change_frame(X.orientation.inverse())
    child.locked = carried.compose(child.bias_acceleration)
    child.felt = joint.force - S.pair(child.bias) - S.pair(child.inertia @ child.locked)


@operation(OUTWARD, needs=["locked", "felt", "projector"], gives=["joint_acceleration", "acceleration"])
def respond(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.joint_acceleration = child.projector.inertia.solve(child.felt)
    child.acceleration = child.locked.driven(joint.basis.times(child.joint_acceleration))


FORWARD_DYNAMICS = Schedule(
    "forward_dynamics",
    (
        sweep(world_at_origin, world_at_rest, world_resists_gravity),
        sweep(poses, world_poses, twists),
        sweep(apply_wrenches),
        sweep(rigid_start),
        sweep(give_way, articulate),
        sweep(feel, respond),
    ),
)
