"""The rule of dynamics, Dy1: every movable joint moves some inertia."""

from collections.abc import Iterator

import numpy as np

from motionc.geometry.lie import pose_inverse
from motionc.model.chain import HERE, Array, Joint, JointType, KinematicChain, Link, Role
from motionc.model.findings import Finding
from motionc.model.moving_joint import parts


def dy1_moves_inertia(chain: KinematicChain) -> Iterator[Finding]:
    """Dy1: every movable joint moves some inertia (its own rotor's counts)."""
    for joint in idle_joints(chain):
        yield Finding.warning(
            "Dy1",
            joint.place,
            f"movable joint {joint.name} moves no inertia",
            "give the links beyond it mass and inertia, fix the joint (fixed=[...]), or give it a rotor "
            "inertia; kinematics and inverse dynamics work as it is, forward dynamics does not",
        )


def idle_joints(chain: KinematicChain) -> list[Joint]:
    """The movable joints beyond which nothing resists."""
    children: dict[str, list[Joint]] = {}
    for joint in chain.joints:
        children.setdefault(joint.parent.name, []).append(joint)
    # inward once: which segments have mass, or moments of inertia, at or beyond them
    outward, stack = list[Joint](), [*children.get(chain.root.name, [])]
    while stack:
        outward.append(joint := stack.pop())
        stack += children.get(joint.child.name, [])
    resisting = {segment.name for segment in chain.segments if _weighs(segment.link)}
    for joint in reversed(outward):
        if joint.child.name in resisting:
            resisting.add(joint.parent.name)
    movable = [joint for joint in chain.joints if joint.type is not JointType.FIXED]
    return [
        joint
        for joint in movable
        if joint.transmission.rotor_inertia <= 0
        and (joint.child.name not in resisting or _gives_way(joint, children, resisting))
    ]


def _weighs(link: Link) -> bool:
    return link.mass is not None and (link.mass > 0 or bool(np.any(np.asarray(link.inertia) != 0)))


def _gives_way(joint: Joint, children: dict[str, list[Joint]], resisting: set[str]) -> bool:
    """Whether what a joint carries rigidly has no inertia along one of its directions, nor anything beyond."""
    S = np.hstack([part.directions for part in parts(joint)])
    felt = np.zeros((S.shape[1], S.shape[1]))
    stack = [(joint.child, _back(joint))]
    while stack:
        segment, pose = stack.pop()
        link = segment.link
        if link.mass is not None:
            at = next((frame for frame in link.frames if frame.role is Role.INERTIA), None)
            place = pose @ (HERE if at is None else np.asarray(at.pose, float))
            inertia = place[:3, :3] @ np.asarray(link.inertia, float) @ place[:3, :3].T
            # each direction at the centre of mass: ω, and v + ω × r
            turns, shifts = S[:3], S[3:] + np.cross(S[:3], place[:3, 3], axisb=0, axis=0)
            felt += turns.T @ inertia @ turns + link.mass * shifts.T @ shifts
        for below in children.get(segment.name, []):
            if below.type is JointType.FIXED:
                stack.append((below.child, pose @ below.parent.pose(below.reference[1]) @ _back(below)))
            elif below.child.name in resisting:
                return False
    least, most = np.linalg.eigvalsh(felt)[[0, -1]]
    return bool(least <= max(1e-15, 1e-14 * most))


def _back(joint: Joint) -> Array:
    """From the joint to its child's reference; nearly always they are one."""
    pose = joint.child.pose(joint.target[1])
    return pose if pose is HERE else pose_inverse(pose)
