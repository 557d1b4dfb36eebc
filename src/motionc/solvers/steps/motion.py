"""Where bodies are and how they move: poses, twists (specs/motion-stack.md §2.4, §2.8 outward).

X_world,i+1 = X_world,i · X_i,i+1(q)        Ẋ_i+1 = T Ẋ_i + S q̇
"""

from motionc.geometry import WORLD, WORLD_FRAME, ClassicalAcceleration, MotionBasis, Orientation, Pose, Twist
from motionc.geometry.coordinates import column
from motionc.sweeps.frames import Attached
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, operation
from motionc.sweeps.state import BodyState, Slot, StateGraph


class Motion(BodyState):
    """Where a body is and how it moves."""

    pose = Slot(Pose)
    directions = Slot(MotionBasis)
    world_pose = Slot(Pose)
    twist = Slot(Twist)
    classical_acceleration = Slot(ClassicalAcceleration)


@operation(
    OUTWARD, gives=["pose", "directions"], equation="X_i from q_i; S_i, the directions that the joint leaves free"
)
def poses(joint: JointView, parent: Motion, child: Motion) -> None:
    """Where the body is on its parent, and which ways its joint leaves it free."""
    child.pose, child.directions = joint.pose, joint.basis


@operation(ROOT, gives=["world_pose"], equation="X_0 = 1")
def world_at_origin(graph: StateGraph[Motion], problem: Problem) -> None:
    graph.world.world_pose = Pose.between(WORLD_FRAME, WORLD_FRAME)


@operation(OUTWARD, needs=["pose", "world_pose"], gives=["world_pose"], equation="X_0i = X_0p X_i")
def world_poses(joint: JointView, parent: Motion, child: Motion) -> None:
    child.world_pose = parent.world_pose.compose(child.pose)


@operation(ROOT, gives=["twist"], equation="V_0 = 0")
def world_at_rest(graph: StateGraph[Motion], problem: Problem) -> None:
    still = column((0, 0, 0))
    graph.world.twist = Twist(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, still)


@operation(OUTWARD, needs=["pose", "twist"], gives=["twist"], equation="V_i = X V_p + S v_i")
def twists(joint: JointView, parent: Motion, child: Motion) -> None:
    X = child.pose
    carried = parent.twist.change_point(X.position).change_frame(X.orientation.inverse())
    child.twist = carried.compose(joint.basis.times(joint.velocity))


@operation(ROOT, gives=["classical_acceleration"], equation="A_0 = 0")
def world_stands_still(graph: StateGraph[Motion], problem: Problem) -> None:
    still = column((0, 0, 0))
    graph.world.classical_acceleration = ClassicalAcceleration(
        WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, still
    )


@operation(
    OUTWARD,
    needs=["pose", "twist", "classical_acceleration"],
    gives=["classical_acceleration"],
    equation="A_i = X A_p + A_b + S a_i, classical",
)
def accelerations(joint: JointView, parent: Motion, child: Motion) -> None:
    X, S = child.pose, joint.basis
    resting = parent.classical_acceleration.change_point(X.position, parent.twist)
    carried = resting.change_frame(X.orientation.inverse())
    bias = joint.classical_bias(child.twist)
    child.classical_acceleration = carried.compose(bias).driven(S.times(joint.acceleration))


def turn(graph: StateGraph[Motion], axes: Attached, state: Motion) -> Orientation:
    """From the axes of a frame anywhere on the robot to a body's own."""
    if axes.body == state.index:
        return axes.pose.orientation
    in_world = graph[axes.body].world_pose.orientation.compose(axes.pose.orientation)
    own = state.world_pose.orientation
    # axes that are given with the call need all of it, for which two rows will do
    own = own.completed() if axes.pose.orientation.given else own
    return own.inverse().compose(in_world)
