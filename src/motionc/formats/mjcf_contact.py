"""Which links of a robot must MuJoCo keep from colliding? Those whose shapes touch by design, joint beside joint.

MuJoCo itself leaves out a body and its parent, but not where the parent stands in the world. Shapes are simple, and
overlap at short links, too: whatever touches while all joints are at 0 is taken to be made so.
"""

from collections.abc import Callable, Collection, Iterator
from itertools import combinations, product

import numpy as np

from motionc.model.chain import Array, Joint, Segment
from motionc.model.overlap import touch
from motionc.model.robot import Robot
from motionc.model.shapes import Mesh, Shape

STANDS = ""
"""What is welded to the world, as one of the groups of links that cannot move against each other."""


def kept_apart(
    robot: Robot, written: Collection[str], place: Callable[[Joint], Array], moves: Callable[[Joint], bool]
) -> Iterator[tuple[str, str]]:
    """Pairs of bodies to exclude, by name.

    Args:
        robot: the robot.
        written: the segments that are bodies.
        place: the pose of a joint's child in its parent, the joint at 0 or held.
        moves: whether a joint moves.
    """
    root = robot.chain.root
    poses, groups = {root.name: np.eye(4)}, {root.name: root.name if robot.floating else STANDS}
    before = dict[str, str]()
    for joint in robot.joints:
        parent, child = joint.parent.name, joint.child.name
        poses[child] = poses[parent] @ place(joint)
        groups[child] = child if moves(joint) else groups[parent]
        if moves(joint):
            # a link that is no body passes on what it hangs on
            before[child] = groups[parent] if parent in written else before.get(groups[parent], STANDS)
    shaped = {segment.name: own for segment in robot.segments if segment.name in written and (own := _solid(segment))}
    for one, other in combinations(shaped, 2):
        mine, theirs = groups[one], groups[other]
        neighbours = before.get(mine) == theirs or before.get(theirs) == mine
        if mine == theirs or "world" in (one, other) or (neighbours and STANDS not in (mine, theirs)):
            continue  # MuJoCo knows, or a floor may be added to it
        pairs = product(shaped[one], shaped[other])
        if neighbours or any(touch(a, poses[one], b, poses[other]) for a, b in pairs):
            yield one, other


def _solid(segment: Segment) -> list[Shape]:
    """The shapes of a link that collide and are written."""
    shapes = segment.link.shapes
    return [shape for shape in shapes if shape.purpose == "collision" and not isinstance(shape.geometry, Mesh)]
