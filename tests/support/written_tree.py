"""Trees written joint by joint with random frames, and where their links are by the definition of joints alone."""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation as Turn

from motionc.model import (
    Attachment,
    Joint,
    JointType,
    KinematicChain,
    Limits,
    Link,
    Mimic,
    Robot,
    Role,
    Segment,
    placed,
)

Array = np.ndarray[Any, Any]


class Tree:
    """A chain written joint by joint: each call adds a segment under an existing one, with random frames."""

    def __init__(self, seed: int = 0, root: str = "base") -> None:
        self.rng = np.random.default_rng(seed)
        self.links = {root: self.link(root)}
        self.frames: dict[str, list[Attachment]] = {root: []}
        self.lines: list[tuple[str, str, str, dict[str, Any]]] = []

    def link(self, name: str) -> Link:
        points = self.rng.normal(size=(6, 3))
        moments = sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
        return Link.rigid(name, self.rng.uniform(0.5, 2), self.rng.normal(size=3), moments)

    def pose(self) -> Array:
        return placed(self.rng.normal(size=3), self.rng.uniform(-3, 3, 3))

    def add(self, name: str, parent: str, child: str, type: JointType = JointType.REVOLUTE, **changes: Any) -> "Tree":
        self.links[child] = self.link(child)
        self.frames[parent].append(Attachment(f"{name}:parent", Role.JOINT, self.pose()))
        self.frames[child] = [Attachment(f"{name}:child", Role.JOINT, self.pose())]
        axis = tuple(float(x) for x in self.rng.normal(size=3))
        self.lines.append((name, parent, child, {"type": type, "axis": axis} | changes))
        return self

    def chain(self, name: str = "tree") -> KinematicChain:
        segments = {key: Segment(key, link, tuple(self.frames[key])) for key, link in self.links.items()}
        joints = [
            Joint(
                joint,
                target=(segments[child], f"{joint}:child"),
                reference=(segments[parent], f"{joint}:parent"),
                **properties,
            )
            for joint, parent, child, properties in self.lines
        ]
        return KinematicChain(name, tuple(joints), None if joints else next(iter(segments.values())))

    def robot(self, **options: Any) -> Robot:
        return Robot(self.chain(), **options)


def joint_pose(joint: Joint, q: Array) -> Array:
    """The pose of a joint's target wrt its reference, from its definition."""
    axis = np.asarray(joint.axis) / np.linalg.norm(joint.axis)
    X = np.eye(4)
    if joint.type is JointType.FLOATING:
        X[:3, :3], X[:3, 3] = Turn.from_quat(q[3:], scalar_first=True).as_matrix(), q[:3]
    elif joint.type is JointType.PRISMATIC:
        X[:3, 3] = axis * q[0]
    elif joint.type is not JointType.FIXED:
        X[:3, :3] = Turn.from_rotvec(axis * q[0]).as_matrix()
    return X


def link_poses(chain: KinematicChain, at: dict[str, Any], root: Array | None = None) -> dict[str, Array]:
    """The pose of every link in the world, by multiplying the chain's own 4×4 matrices."""
    poses = {chain.root.name: np.eye(4) if root is None else root}
    waiting = list(chain.joints)
    while waiting:
        joint = next(j for j in waiting if j.parent.name in poses)
        waiting.remove(joint)
        reference, target = (segment.frame(name).pose for segment, name in (joint.reference, joint.target))
        moved = joint_pose(joint, np.atleast_1d(at.get(joint.name, 0.0)))
        poses[joint.child.name] = poses[joint.parent.name] @ reference @ moved @ np.linalg.inv(target)
    return poses


def agree(ours: dict[str, Array], theirs: dict[str, Array]) -> bool:
    assert ours.keys() == theirs.keys()
    return all(np.abs(ours[name] - theirs[name]).max() < 1e-12 for name in ours)


def followers(last: JointType = JointType.REVOLUTE) -> Tree:
    """c follows b follows a: q_b = 2 q_a + 0.1, q_c = -3 q_b + 0.5."""
    return (
        Tree(5)
        .add("c", "base", "C", last, mimic=Mimic("b", -3.0, 0.5))
        .add("a", "base", "A", limits=Limits(-1.0, 1.0))
        .add("b", "A", "B", mimic=Mimic("a", 2.0, 0.1))
        .add("d", "B", "D")
    )
