"""How frames move: twists and accelerations of any point, as any observer sees them (specs/motion-stack.md §2.8).

outward   V_i+1 = T V_i + S q̇            A_i+1 = T A_i + bias + S q̈
root      V - V_o,  A - A_o - 2 ω_o × v   for an observer o that may move itself
"""

from motionc.geometry import WORLD, WORLD_FRAME, ClassicalAcceleration
from motionc.geometry.coordinates import column
from motionc.solvers.inverse_dynamics import accelerations
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.wrenches import turn
from motionc.sweeps.problem import Setting
from motionc.sweeps.schedule import ROOT, Schedule, operation, sweep
from motionc.sweeps.state import Sight, Sights, StateGraph


@operation(ROOT, gives=["classical_acceleration"])
def world_stands_still(graph: StateGraph, setting: Setting) -> None:
    still = column((0, 0, 0))
    graph.world.classical_acceleration = ClassicalAcceleration(
        WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, still
    )


@operation(ROOT, needs=["world_pose", "twist", "classical_acceleration"], gives=["sights"])
def observe(graph: StateGraph, setting: Setting) -> None:
    """Motion of each frame's point and of the observer's body at the same place; then one as seen from the other."""
    sights: list[Sight] = []
    for view in setting.views:
        own, other = graph[view.of.body], graph[view.wrt.body]
        to_axes = turn(graph, view.axes, own).inverse()
        V = own.twist.change_point(view.of.pose.position).change_frame(to_axes)
        A = own.classical_acceleration.change_point(view.of.pose.position, own.twist).change_frame(to_axes)

        # the observer's body, where the frame's point is
        place = own.world_pose.compose(view.of.pose).position
        way = other.world_pose.position.inverse().compose(place).change_frame(other.world_pose.orientation.inverse())
        to_axes = turn(graph, view.axes, other).inverse()
        V_o = other.twist.change_point(way).change_frame(to_axes)
        A_o = other.classical_acceleration.change_point(way, other.twist).change_frame(to_axes)

        relative = V_o.inverse().compose(V)
        sights.append(Sight(relative, A.observed_from(A_o, V_o, relative)))
    graph.world.sights = Sights(sights)


MOTION = (
    sweep(world_at_origin, world_at_rest, world_stands_still),
    sweep(poses, world_poses, twists, accelerations),
    sweep(observe),
)
FRAME_MOTION = Schedule("frame_motion", MOTION)
