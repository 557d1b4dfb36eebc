"""Hybrid dynamics: some joints are told how to accelerate, the others what to make (specs/motion-stack.md §2.10).

    forward dynamics as it stands, except that at joints whose acceleration is prescribed
    outward   Ẍ_b = V × S q̇ + S q̈
    inward    P = 1: H_i^A += Tᵀ H^A T,  F_i^A += Tᵀ (F^A + H^A Ẍ_b)
    outward   Ẍ_i+1 = T Ẍ_i + Ẍ_b,  τ = Sᵀ (F^A + H^A Ẍ_i+1) + d q̈

Where all joints beyond are prescribed H^A is the inertia of a rigid body, whose zeros cost nothing. With all joints
but a floating base prescribed this is floating-base inverse dynamics.
"""

from motionc.solvers.forward_dynamics import articulate, feel, give_way, respond, rigid_start, world_resists_gravity
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.wrenches import apply_wrenches
from motionc.sweeps.problem import JointView
from motionc.sweeps.schedule import INWARD, OUTWARD, Operation, Schedule, operation, sweep
from motionc.sweeps.state import BodyState


def at(prescribed: bool, step: Operation) -> Operation:
    """The same step, at joints whose acceleration is prescribed or at the others alone."""

    def where_it_applies(joint: JointView, parent: BodyState, child: BodyState) -> None:
        if joint.prescribed == prescribed:
            step(joint, parent, child)

    return Operation(step.name, step.direction, where_it_applies, step.needs, step.gives)


@operation(OUTWARD, needs=["bias_acceleration"], gives=["bias_acceleration"])
def prescribe(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.bias_acceleration = child.bias_acceleration.driven(joint.basis.times(joint.acceleration))


@operation(INWARD, needs=["bias_acceleration", "bias", "inertia"], gives=["apparent_inertia", "apparent_bias"])
def hold(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What the parent feels of a body through a joint that does not give way."""
    H_a = child.apparent_inertia = child.inertia.held_by(parent.body)
    child.apparent_bias = child.bias.held_by(parent.body) + H_a @ child.bias_acceleration


@operation(OUTWARD, needs=["locked", "inertia", "bias"], gives=["joint_acceleration", "joint_force", "acceleration"])
def obey(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """The motor makes what the prescribed acceleration takes."""
    child.acceleration, child.joint_acceleration = child.locked, joint.acceleration
    wrench = child.inertia.required_wrench(child.acceleration, child.bias).exerted_by(parent.body)
    child.joint_force = joint.left_to_motor(joint.basis.pair(wrench) + joint.rotor_force)


@operation(OUTWARD, gives=["joint_force"])
def drive(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.joint_force = joint.motor_force


HYBRID_DYNAMICS = Schedule(
    "hybrid_dynamics",
    (
        sweep(world_at_origin, world_at_rest, world_resists_gravity),
        sweep(poses, world_poses, twists),
        sweep(apply_wrenches),
        sweep(rigid_start, at(True, prescribe)),
        sweep(at(False, give_way), at(True, hold), articulate),
        sweep(feel, at(False, respond), at(False, drive), at(True, obey)),
    ),
)
