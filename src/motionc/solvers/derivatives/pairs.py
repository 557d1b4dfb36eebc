"""Which joint coordinates meet, and what do their vectors make? All pairs on one way to the world, both ways round.

They are written out one by one where a coordinate meets few others, else a kernel's loops.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from motionc.geometry.coordinates import Coordinates, above, is_known
from motionc.model.mechanism import Mechanism
from motionc.program.kernels.tree import TREE_PAIRS, TREE_SYMMETRIC
from motionc.program.sizes import PAIRED_OUT
from motionc.sweeps.problem import Problem


@dataclass(frozen=True, slots=True)
class Tree:
    """All joint coordinates in the order of bodies, followers too: whose they are, where those of each one's joint
    start, where those beyond it start, and where they end.
    """

    labels: tuple[str, ...]
    bodies: tuple[int, ...]
    ranges: tuple[tuple[int, int, int], ...]

    @staticmethod
    def of(mechanism: Mechanism) -> "Tree":
        all_bodies = mechanism.bodies
        last = {body.index: body.index for body in all_bodies}
        for body in reversed(all_bodies):
            last[body.parent] = max(last.get(body.parent, -1), last[body.index])
        start, count = dict[int, int](), 0
        for body in all_bodies:
            start[body.index] = count
            count += len(body.joint.labels)
        ends = {body.index: start.get(last[body.index] + 1, count) for body in all_bodies}
        labels = [(label, body.index) for body in all_bodies for label in body.joint.labels]
        ranges = [(start[index], start.get(index + 1, count), ends[index]) for _, index in labels]
        return Tree(tuple(label for label, _ in labels), tuple(index for _, index in labels), tuple(ranges))

    @property
    def size(self) -> int:
        return len(self.labels)

    def beyond(self) -> Iterator[tuple[int, int]]:
        """Each coordinate with all those beyond its joint."""
        return ((i, j) for i, (_, start, end) in enumerate(self.ranges) for j in range(start, end))

    def all(self) -> Iterator[tuple[int, int]]:
        """All that meet: coordinates of one joint, and each with those beyond it, both ways."""
        yield from ((i, j) for i, (first, beyond, _) in enumerate(self.ranges) for j in range(first, beyond))
        yield from (place for i, j in self.beyond() for place in ((i, j), (j, i)))

    def meets_few(self) -> bool:
        """Whether a coordinate meets few others on average, on its way to the world and beyond it."""
        met = sum(beyond - first + 2 * (end - beyond) for first, beyond, end in self.ranges)
        return met <= PAIRED_OUT * self.size


Sides = tuple[Coordinates, Coordinates]
"""Two matrices with a column for each coordinate."""
Pairs = dict[tuple[int, int], Any]
"""Products of two coordinates on one way to the root, by row and column."""


def symmetric_pairs(
    problem: Problem, tree: Tree, left: Coordinates, right: Coordinates, own: Callable[[], Pairs]
) -> Pairs:
    """left_i · right_j of all j at or beyond i, and the same of j and i; both have a column for each. Those of one
    joint are its `own`, but for a kernel, which gives all in one place.
    """
    n = tree.size
    if tree.meets_few() or not is_known(left, right):
        upper = {(i, j): _paired(left, right, i, j) for i, j in tree.beyond()}
        return own() | upper | {(j, i): value for (i, j), value in upper.items()}
    kernel = TREE_SYMMETRIC.on_tree(tuple(end for *_, end in tree.ranges), left.shape[0])
    (flat,) = problem.call(kernel, left, right)
    return {(i, j): flat[i * n + j, 0] for i, j in tree.all()}


def pairs(problem: Problem, tree: Tree, before: Sides, beyond: Sides, own: Callable[[], Pairs]) -> Pairs:
    """Of all j beyond i's joint left_i · right_j: of the vectors of `before` at (i, j), of those of `beyond` at (j, i).
    Those of one joint are its `own`, but for a kernel, for which they are like the latter.
    """
    n = tree.size
    if tree.meets_few() or not is_known(*before, *beyond):
        upper = {(i, j): _paired(*before, i, j) for i, j in tree.beyond()}
        return own() | upper | {(j, i): _paired(*beyond, i, j) for i, j in tree.beyond()}
    pattern = (*(k for each in tree.ranges for k in each), before[0].shape[0])
    left, right = above(before[0], beyond[0]), above(before[1], beyond[1])
    (flat,) = problem.call(TREE_PAIRS.on_tree(pattern, left.shape[0]), left, right)
    return {(i, j): flat[i * n + j, 0] for i, j in tree.all()}


def _paired(left: Coordinates, right: Coordinates, i: int, j: int) -> Coordinates:
    return (left[:, i : i + 1].T @ right[:, j : j + 1])[0, 0]
