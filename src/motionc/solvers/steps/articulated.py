"""Articulated bodies: what a body feels like through joints that give way (Featherstone; specs/motion-stack.md §2.9).

outward   V, bias acceleration Ẍ_b = V × S q̇ + S̊ q̇, F^A = V ×* H V - F_ext, H^A = H
inward    D = Sᵀ H^A S + d,  P = 1 - H^A S D⁻¹ Sᵀ
          H_i^A += Tᵀ P H^A T,  F_i^A += Tᵀ (P F^A + H^A S D⁻¹ τ + P H^A Ẍ_b)
outward   q̈ = D⁻¹ {τ - Sᵀ (F^A + H^A (T Ẍ_i + Ẍ_b))},  Ẍ_i+1 = T Ẍ_i + Ẍ_b + S q̈
"""

from motionc.geometry import (
    ApparentInertia,
    ApparentWrench,
    ArticulatedInertia,
    ArticulatedWrench,
    JointAcceleration,
    JointBias,
    Projector,
    SpatialAcceleration,
)
from motionc.solvers.steps.wrenches import Wrenches
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation
from motionc.sweeps.state import Slot, StateGraph


class Articulated(Wrenches):
    """A body with everything beyond it, as its joint feels it, and how both accelerate."""

    acceleration = Slot(SpatialAcceleration)
    bias_acceleration = Slot(SpatialAcceleration)
    locked_acceleration = Slot(SpatialAcceleration)
    inertia = Slot(ArticulatedInertia)
    bias = Slot(ArticulatedWrench)
    projector = Slot(Projector, "none")
    apparent_inertia = Slot(ApparentInertia)
    apparent_bias = Slot(ApparentWrench)
    joint_bias = Slot(JointBias, "joint")
    joint_acceleration = Slot(JointAcceleration, "joint")


@operation(
    OUTWARD,
    needs=["twist", "external"],
    gives=["bias_acceleration", "bias", "inertia"],
    equation="A_b = V x S v_i, F^A = V x* H V - F_ext, H^A = H",
)
def rigid_start(joint: JointView, parent: Articulated, child: Articulated) -> None:
    V, H = child.twist, joint.inertia
    child.bias_acceleration = joint.spatial_bias(V)
    child.bias = (H @ V).rate(V).without(child.external).articulated()
    child.inertia = H.articulated()


@operation(
    INWARD,
    needs=["bias_acceleration", "bias", "inertia", "driving_force"],
    gives=["projector", "apparent_inertia", "apparent_bias"],
    equation="U = H^A S, D = S^T U + d, P = 1 - U D^-1 S^T, H^a = P H^A, F^a = P F^A + U D^-1 tau + H^a A_b",
)
def give_way(joint: JointView, parent: Articulated, child: Articulated) -> None:
    """What the parent feels of a body through a joint that gives way."""
    P = child.projector = child.inertia.projector(joint.basis, joint.rotor)
    H_a = child.apparent_inertia = P @ child.inertia
    child.apparent_bias = P.wrench(child.bias, joint.acting(child.driving_force)) + H_a @ child.bias_acceleration


@operation(
    INWARD,
    needs=["pose", "apparent_inertia", "apparent_bias", "bias", "inertia"],
    gives=["bias", "inertia"],
    equation="H^A_p += X^T H^a X, F^A_p += X^T F^a",
)
def articulate(joint: JointView, parent: Articulated, child: Articulated) -> None:
    X = child.pose
    if not parent.is_world:
        H_a, F_a = child.apparent_inertia, child.apparent_bias
        parent.inertia = parent.inertia + H_a.change_frame(X.orientation).change_point(X.position.inverse())
        parent.bias = parent.bias + F_a.change_frame(X.orientation).change_point(X.position.inverse())


@operation(ROOT, gives=["acceleration"], equation="A_0 = -g")
def world_resists_gravity(graph: StateGraph[Articulated], problem: Problem) -> None:
    graph.world.acceleration = problem.free_fall_field().inverse()


@operation(
    OUTWARD,
    needs=["pose", "acceleration", "bias_acceleration", "bias", "inertia", "driving_force"],
    gives=["locked_acceleration", "joint_bias"],
    equation="A_locked = X A_p + A_b, u_i = tau_i - S^T (F^A + H^A A_locked)",
)
def feel(joint: JointView, parent: Articulated, child: Articulated) -> None:
    """What is left of the motor's force if the joint did not accelerate: τ - Sᵀ (F^A + H^A (T Ẍ_i + Ẍ_b))."""
    X, S = child.pose, joint.basis
    carried = parent.acceleration.change_point(X.position).change_frame(X.orientation.inverse())
    child.locked_acceleration = carried.compose(child.bias_acceleration)
    made = joint.acting(child.driving_force)
    child.joint_bias = made - S.pair(child.bias) - S.pair(child.inertia @ child.locked_acceleration)


@operation(
    OUTWARD,
    needs=["locked_acceleration", "joint_bias", "projector"],
    gives=["joint_acceleration", "acceleration"],
    equation="a_i = D^-1 u_i, A_i = A_locked + S a_i",
)
def respond(joint: JointView, parent: Articulated, child: Articulated) -> None:
    child.joint_acceleration = child.projector.inertia.solve(child.joint_bias)
    child.acceleration = child.locked_acceleration.driven(joint.basis.times(child.joint_acceleration))
