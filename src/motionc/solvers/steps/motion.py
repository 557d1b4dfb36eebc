"""Where bodies are and how they move: poses, twists (specs/motion-stack.md §2.4, §2.8 outward).

X_world,i+1 = X_world,i · X_i,i+1(q)        Ẋ_i+1 = T Ẋ_i + S q̇
"""

from motionc.geometry import WORLD, WORLD_FRAME, Pose, Twist
from motionc.geometry.coordinates import column
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import OUTWARD, ROOT, operation
from motionc.sweeps.state import BodyState, StateGraph


@operation(OUTWARD, gives=["pose", "directions"])
def poses(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """Where the body is on its parent, and which ways its joint leaves it free."""
    child.pose, child.directions = joint.pose, joint.basis


@operation(ROOT, gives=["world_pose"])
def world_at_origin(graph: StateGraph, setting: Setting) -> None:
    graph.world.world_pose = Pose.between(WORLD_FRAME, WORLD_FRAME)


@operation(OUTWARD, needs=["pose", "world_pose"], gives=["world_pose"])
def world_poses(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.world_pose = parent.world_pose.compose(child.pose)


@operation(ROOT, gives=["twist"])
def world_at_rest(graph: StateGraph, setting: Setting) -> None:
    still = column((0, 0, 0))
    graph.world.twist = Twist(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, still)


@operation(OUTWARD, needs=["pose", "twist"], gives=["twist"])
def twists(joint: JointView, parent: BodyState, child: BodyState) -> None:
    X = child.pose
    carried = parent.twist.change_point(X.position).change_frame(X.orientation.inverse())
    child.twist = carried.compose(joint.basis.times(joint.velocity))
