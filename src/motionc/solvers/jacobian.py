"""The frame Jacobian: how joint rates move a point of one body with respect to another (specs/robcogen.md §2.7).

J = [S_1 … S_n along the path], each column at the point and in the axes asked for: V = J q̇
"""

import numpy as np

from motionc.geometry import WORLD, WORLD_FRAME, MotionBasis
from motionc.solvers.steps.motion import poses, world_at_origin, world_poses
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph


@operation(ROOT, needs=["world_pose"], gives=["target", "jacobian"])
def aim(graph: StateGraph, setting: Setting) -> None:
    """The point of interest, as seen by the world; a Jacobian of the world itself has no columns."""
    point = graph[setting.target.body].world_pose.compose(setting.target.pose).position
    graph.world.target = point
    empty = np.zeros((3, 0))
    graph.world.jacobian = MotionBasis(WORLD, WORLD, point.of, WORLD_FRAME, empty, empty)


@operation(OUTWARD, needs=["world_pose", "target", "jacobian"], gives=["target", "jacobian"])
def columns(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.target = parent.target
    reach = child.world_pose.position.inverse().compose(child.target)
    column = joint.basis.change_frame(child.world_pose.orientation).change_point(reach)
    child.jacobian = parent.jacobian.compose(column)


JACOBIAN = Schedule(
    "jacobian",
    (sweep(world_at_origin), sweep(poses, world_poses), sweep(aim), sweep(columns)),
)
FORWARD_KINEMATICS = Schedule("forward_kinematics", (sweep(world_at_origin), sweep(poses, world_poses)))
