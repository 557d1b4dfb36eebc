"""Between two frames anywhere on a robot, by way of the joints between them and no others (specs/robcogen.md §2.4–2.7).

    base_X_target = Π X_k(±q_k)        J_k = ±S_k at the target's origin, in the base's axes

Joints on the way up from the base count backwards. What lies between both frames and the root does not matter.
"""

from itertools import takewhile

from motionc.geometry import MotionBasis, Pose
from motionc.geometry.coordinates import zeros
from motionc.geometry.meaning import as_meant
from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.solvers.steps.motion import Motion, poses
from motionc.sweeps.frames import Attached, attached
from motionc.sweeps.schedule import Schedule, sweep
from motionc.sweeps.state import StateGraph

POSES_ALONE = Schedule("poses", (sweep(poses),))


def ends(mechanism: Mechanism, base: str, target: str, what: str) -> tuple[Attached, Attached]:
    return attached(mechanism, base, f"{what}, wrt"), attached(mechanism, target, f"{what}, frame")


def _ways(mechanism: Mechanism, base: Attached, target: Attached) -> tuple[list[int], list[int]]:
    """The bodies whose joints are climbed from the base to what both frames stand on, and descended from there."""
    up, down = mechanism.path(base.body), mechanism.path(target.body)
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(up, down, strict=False))))
    return up[shared:][::-1], down[shared:]


def between(graph: StateGraph[Motion], base: Attached, target: Attached) -> Pose:
    """Of the target frame wrt the base frame."""
    up, down = _ways(graph.mechanism, base, target)
    pose = base.pose.inverse()
    for index in up:
        pose = pose.compose(graph[index].pose.inverse())
    for index in down:
        pose = pose.compose(graph[index].pose)
    return pose.compose(target.pose)


def moved_along(graph: StateGraph[Motion], base: Attached, target: Attached) -> MotionBasis:
    """What the joints on the way do to the target, at its origin, as seen by the base frame."""
    up, down = _ways(graph.mechanism, base, target)
    own, axes, point = base.pose.wrt.body, base.pose.of, between(graph, base, target).position
    moved = MotionBasis(own, own, target.pose.of.origin, axes, zeros(3, 0), zeros(3, 0))
    for index in (*up, *down):
        state = graph[index]
        pose = between(graph, base, Attached(index, Pose.between(state.frame, state.frame)))
        basis = state.directions.change_frame(pose.orientation)
        column = basis.change_point(pose.position.inverse().compose(point))
        moved = moved.compose(column.inverse() if index in up else column)
    return as_meant(moved, "Jacobian between frames", of=target.pose.wrt.body)


def path_columns(robot: Robot, base: str, target: str) -> tuple[int, ...]:
    """The entries of v that move one frame wrt the other."""
    start, end = ends(robot.mechanism, base, target, "path_jacobian")
    up, down = _ways(robot.mechanism, start, end)
    bodies = robot.mechanism.bodies
    return tuple(sorted({k for index in (*up, *down) for k in range(robot.nv)[bodies[index].joint.v]}))
