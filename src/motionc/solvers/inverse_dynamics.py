"""Inverse dynamics: the motor forces that make the robot accelerate as asked (specs/motion-stack.md §2.8, Alg. 3.1).

    outward   V_i+1 = T V_i + S q̇          A_i+1 = T A_i + bias + S q̈         F = H A + bias wrench - F_ext
    inward    τ = Sᵀ F + d q̈               F_i += Tᵀ F_i+1

Swept on classical accelerations: no linear velocity is needed for joints that turn. Gravity enters as the
acceleration of the world with respect to free fall.
"""

from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.wrenches import apply_wrenches, hand_down, no_wrench
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph


@operation(ROOT, gives=["classical_acceleration", "wrench"])
def world_resists_gravity(graph: StateGraph, setting: Setting) -> None:
    graph.world.classical_acceleration = setting.free_fall().inverse()
    graph.world.wrench = no_wrench(graph.world)


@operation(OUTWARD, needs=["pose", "twist", "classical_acceleration"], gives=["classical_acceleration"])
def accelerations(joint: JointView, parent: BodyState, child: BodyState) -> None:
    X, S = child.pose, joint.basis
    resting = parent.classical_acceleration.change_point(X.position, parent.twist)
    carried = resting.change_frame(X.orientation.inverse())
    bias = joint.classical_bias(child.twist)
    child.classical_acceleration = carried.compose(bias).driven(S.times(joint.acceleration))


@operation(OUTWARD, needs=["twist", "classical_acceleration", "external"], gives=["wrench"])
def required_wrenches(joint: JointView, parent: BodyState, child: BodyState) -> None:
    net = joint.inertia.required_wrench(child.classical_acceleration, child.twist)
    child.wrench = net.without(child.external).exerted_by(parent.body)


@operation(INWARD, needs=["joint_force"], gives=["joint_force"])
def turn_rotors(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.joint_force = child.joint_force + joint.rotor_force


INVERSE_DYNAMICS = Schedule(
    "inverse_dynamics",
    (
        sweep(world_at_origin, world_at_rest, world_resists_gravity),
        sweep(poses, world_poses, twists, accelerations),
        sweep(apply_wrenches),
        sweep(required_wrenches),
        sweep(hand_down, turn_rotors),
    ),
)
