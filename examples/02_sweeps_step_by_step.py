"""A chain written in Python, and sweeps of one's own over it, with the trace of Listing 2.5 (motion-stack spec X2)."""

import numpy as np

from motionc import (
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Limits,
    Link,
    Robot,
    Role,
    Segment,
    Transmission,
    placed,
)
from motionc.sweeps import OUTWARD, BodyState, Problem, Schedule, operation, sweep, walk
from motionc.sweeps.joint_view import JointView


def segment(number: int, *joint_frames: int) -> Segment:
    """Segment i: a link with its distal frame l_i 0.35 m away, and joint frames j_k at its proximal end."""
    distal = Attachment(f"l{number}", Role.FEATURE, placed((0.35, 0, 0)), axes=f"L{number}")
    link = Link(f"Link{number}", (Attachment(f"f{number}", Role.FEATURE, axes=f"F{number}"), distal))
    frames = tuple(Attachment(f"j{k}", Role.JOINT, axes=f"J{k}") for k in joint_frames)
    return Segment(f"Segment{number}", link, frames)


segments = [segment(0, 0), segment(1, 1, 2), segment(2, 3, 4), segment(3, 5)]
joints = tuple(
    Joint(
        f"Joint{i}",
        JointType.REVOLUTE,
        target=(segments[i + 1], f"j{2 * i + 1}"),
        reference=(segments[i], f"j{2 * i}"),
        limits=Limits(np.radians(-135.0), np.radians(145.0)),
        transmission=Transmission(rotor_inertia=0.025),
    )
    for i in range(3)
)
robot = Robot(KinematicChain("MyKinematicChain", joints))
mechanism = robot.as_mechanism(normalise=False)  # frames as written above


@operation(OUTWARD, gives=["joint_pose"])
def joint_pose(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child["joint_pose"] = joint.relative_pose


@operation(OUTWARD, needs=["joint_pose"], gives=["distal_pose"])
def distal_to_predecessor_pose(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child["distal_pose"] = child["joint_pose"].compose(mechanism.frames[f"l{child.index + 1}"][1])


@operation(OUTWARD, needs=["joint_pose"], gives=["joint_twist"])
def joint_twist(joint: JointView, parent: BodyState, child: BodyState) -> None:
    twist = joint.basis.times(joint.velocity)
    child["joint_twist"] = twist.change_frame(child["joint_pose"].orientation)


@operation(OUTWARD, needs=["joint_pose", "distal_pose", "joint_twist"], gives=["distal_twist"])
def distal_twist(joint: JointView, parent: BodyState, child: BodyState) -> None:
    reach = child["joint_pose"].position.inverse().compose(child["distal_pose"].position)
    moved = child["joint_twist"].change_point(reach)
    child["distal_twist"] = moved.change_frame(child["distal_pose"].orientation.inverse())


schedule = Schedule("listing", (sweep(joint_pose, distal_to_predecessor_pose, joint_twist, distal_twist),))
inputs = {"q": np.array([[0.0], [np.pi / 4], [0.0]]), "v": np.array([[0.0], [0.8555], [0.0]])}
graph = walk(schedule, mechanism, Problem(inputs), trace=print)

twist = graph[1]["distal_twist"]
print("linear velocity of l2 along y in [L2], m/s:", round(float(twist.linear[1, 0]), 6))
