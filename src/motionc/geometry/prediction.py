"""Where a body will be that keeps moving as it does now: the exponential of a twist over a time."""

from typing import Any

from motionc.geometry.amounts import Duration
from motionc.geometry.exponential import rotation_exponential, straightened
from motionc.geometry.factors import Rotation, join
from motionc.geometry.meaning import is_kind, refuse
from motionc.geometry.motion import Twist
from motionc.geometry.pose import Pose
from motionc.geometry.screw import REPAIR


def after(pose: Pose, twist: Any, duration: Any) -> Pose:
    """exp(V t) X: the pose after some time along one screw, V at the origin of the frame in either frame's axes."""

    def subject() -> str:
        return f"{pose}.after({twist}, {duration})"

    if not is_kind(twist, Twist, subject) or not is_kind(duration, Duration, subject):
        return pose
    reasons, remedies = list[str](), list[str]()
    for name, ours in (("of", pose.of.body), ("wrt", pose.wrt.body), ("point", pose.of.origin)):
        theirs = getattr(twist, name)
        if theirs != ours:
            reasons.append(f"{name} of {twist} is {theirs}, not {ours}")
            remedies.append(REPAIR[name].format(ours=ours, theirs=theirs))
    if twist.as_seen_by not in (pose.of, pose.wrt):
        reasons.append(f"as_seen_by of {twist} is {twist.as_seen_by}, neither {pose.of} nor {pose.wrt}")
        remedies.append(REPAIR["as_seen_by"].format(ours=pose.wrt, theirs=twist.as_seen_by))
    if reasons:
        refuse(subject(), *reasons, remedy="; ".join(remedies))
    elif twist.as_seen_by == pose.of:
        twist = twist.change_frame(pose.orientation)
    turn, way = twist.angular * duration.seconds, twist.linear * duration.seconds
    factors = join((Rotation(rotation_exponential(turn)),), pose.orientation.factors)
    return Pose.between(pose.of, pose.wrt, factors, pose.position.xyz + straightened(turn, way))
