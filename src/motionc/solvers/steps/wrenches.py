"""Forces that are given, brought to the body they act on; wrenches handed down the tree, joint by joint."""

from motionc.geometry import ENVIRONMENT, INERTIA, Body, Orientation, Wrench
from motionc.geometry.coordinates import column
from motionc.sweeps.frames import Attached
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import INWARD, ROOT, operation
from motionc.sweeps.state import BodyState, StateGraph


@operation(ROOT, needs=["world_pose"], gives=["external", "artificial"])
def apply_wrenches(graph: StateGraph, setting: Setting) -> None:
    """What acts on each body from outside, and the part of it that motors make in the environment's place."""
    for state in graph:
        state.external = state.artificial = no_wrench(state, ENVIRONMENT)
    for spec in setting.wrenches:
        state = graph[spec.at.body]
        turned = spec.wrench(setting).change_frame(turn(graph, spec.axes, state))
        at_origin = turned.change_point(spec.at.pose.position.inverse())
        state.external = state.external + at_origin
        if spec.port == "f_art":
            state.artificial = state.artificial + at_origin


@operation(INWARD, needs=["pose", "wrench"], gives=["joint_force", "wrench"])
def hand_down(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """τ = Sᵀ F; what a parent gives to its child acts back on it, so it needs as much itself: F_i += Tᵀ F_i+1."""
    X = child.pose
    child.joint_force = joint.basis.pair(child.wrench)
    reaction = child.wrench.change_frame(X.orientation).change_point(X.position.inverse()).inverse()
    parent.wrench = parent.wrench.without(reaction)


def turn(graph: StateGraph, axes: Attached, state: BodyState) -> Orientation:
    """From the axes of a frame anywhere on the robot to a body's own."""
    if axes.body == state.index:
        return axes.pose.orientation
    in_world = graph[axes.body].world_pose.orientation.compose(axes.pose.orientation)
    return state.world_pose.orientation.inverse().compose(in_world)


def no_wrench(state: BodyState, by: Body = INERTIA) -> Wrench:
    """Zero, at a body's origin: what is required of a body that nothing moves, or exerted by someone who rests."""
    nothing = column((0, 0, 0))
    return Wrench(state.body, by, state.frame.origin, state.frame, nothing, nothing)
