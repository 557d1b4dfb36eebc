"""Joints that are told how to accelerate, among joints that are not (specs/motion-stack.md §2.10).

articulated bodies as they stand, except that at joints whose acceleration is prescribed
outward   Ẍ_b = V × S q̇ + S q̈
inward    P = 1: H_i^A += Tᵀ H^A T,  F_i^A += Tᵀ (F^A + H^A Ẍ_b)
outward   Ẍ_i+1 = T Ẍ_i + Ẍ_b,  τ = Sᵀ (F^A + H^A Ẍ_i+1) + d q̈
"""

from motionc.solvers.steps.articulated import Articulated
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.schedule import INWARD, OUTWARD, Operation, operation


def at(prescribed: bool, step: Operation) -> Operation:
    """The same step, at joints whose acceleration is prescribed or at the others alone."""

    def where_it_applies(joint: JointView, parent: Articulated, child: Articulated) -> None:
        if joint.prescribed == prescribed:
            step(joint, parent, child)

    return Operation(step.name, step.direction, where_it_applies, step.needs, step.gives, step.said)


@operation(
    OUTWARD, needs=["bias_acceleration"], gives=["bias_acceleration"], equation="A_b += S a_i, which is prescribed"
)
def prescribe(joint: JointView, parent: Articulated, child: Articulated) -> None:
    child.bias_acceleration = child.bias_acceleration.driven(joint.basis.times(joint.acceleration))


@operation(
    INWARD,
    needs=["bias_acceleration", "bias", "inertia"],
    gives=["apparent_inertia", "apparent_bias"],
    equation="H^a = H^A, F^a = F^A + H^A A_b",
)
def hold(joint: JointView, parent: Articulated, child: Articulated) -> None:
    """What the parent feels of a body through a joint that does not give way."""
    H_a = child.apparent_inertia = child.inertia.held_by(parent.body)
    child.apparent_bias = child.bias.held_by(parent.body) + H_a @ child.bias_acceleration


@operation(
    OUTWARD,
    needs=["locked_acceleration", "inertia", "bias"],
    gives=["joint_acceleration", "joint_force", "acceleration"],
    equation="A_i = A_locked, tau_i = S^T (F^A + H^A A_i) + d a_i",
)
def obey(joint: JointView, parent: Articulated, child: Articulated) -> None:
    """The motor makes what the prescribed acceleration takes."""
    child.acceleration, child.joint_acceleration = child.locked_acceleration, joint.acceleration
    wrench = child.inertia.required_wrench(child.acceleration, child.bias).exerted_by(parent.body)
    child.joint_force = joint.left_to_motor(joint.basis.pair(wrench) + joint.rotor_force)


@operation(OUTWARD, needs=["driving_force"], gives=["joint_force"], equation="tau_i, as given")
def drive(joint: JointView, parent: Articulated, child: Articulated) -> None:
    child.joint_force = child.driving_force
