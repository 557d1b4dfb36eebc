"""Jᵀ W, the joint forces of wrenches: at a point of one body, in the axes of another, and back on a third.

A wrench W is given at a point of body b, in the axes of body c; it acts on b and, where a constraint is between two
bodies, back on o. Along joint j it is Q_j = ± S_jᵀ W. When joint i moves on, S_j, the point and the axes move with it
or stay, each for itself:

    ∂Q_j/∂q_i = ± S_jᵀ (- S_i ×* W if it moves j, + s_i × f if it moves the point, + ω_i × W if it moves the axes)

All is written at the point, in the world's axes.
"""

from dataclasses import dataclass
from typing import Any

from motionc.geometry import MotionBasis, Orientation, Position, Wrench
from motionc.geometry.coordinates import UNKNOWN, Coordinates, assemble, is_known
from motionc.geometry.variation import carried_along
from motionc.solvers.steps.motion import Motion
from motionc.sweeps.frames import Attached
from motionc.sweeps.state import StateGraph

Entries = list[list[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Pull:
    """Where something pulls: the bodies its point and axes belong to and it acts back on, its point, its axes."""

    graph: StateGraph[Motion]
    at: int
    axes: int
    observer: int
    place: Position
    turn: Orientation

    @staticmethod
    def of(graph: StateGraph[Motion], at: Attached, axes: Attached, observer: int = -1) -> "Pull":
        where = graph[at.body].world_pose.compose(at.pose)
        turn = graph[axes.body].world_pose.orientation.compose(axes.pose.orientation)
        return Pull(graph, at.body, axes.body, observer, where.position, turn)

    def path(self, index: int) -> list[int]:
        return self.graph.mechanism.path(index)

    def moved(self) -> list[int]:
        """Every joint that moves the point, the axes or the observer."""
        return sorted({*self.path(self.at), *self.path(self.axes), *self.path(self.observer)})

    def sides(self) -> dict[int, float]:
        """The joints it pulls at, and which way: what acts on both sides of a joint does not move it."""
        own, back = set(self.path(self.at)), set(self.path(self.observer))
        return {k: 1.0 if k in own else -1.0 for k in self.moved() if (k in own) != (k in back)}

    def here(self, relation: Any, index: int) -> Any:
        """What belongs to a body, at the point, in the world's axes."""
        return at_world(self.graph, index, relation).change_point(self.place)

    def directions(self, index: int) -> MotionBasis:
        return self.here(self.graph[index].directions, index)

    def reach(self, unit: Any) -> Coordinates:
        """Jᵀ: what each entry of v feels of unit wrenches (6, m), given in the axes."""
        graph = self.graph
        if not is_known(unit):
            return UNKNOWN
        n, f = self.turn.apply(unit[:3, :]), self.turn.apply(unit[3:, :])
        entries = empty(graph, unit.shape[1])
        for k, side in self.sides().items():
            S = self.directions(k)
            add(graph, entries, k, side, S.angular.T @ n + S.linear.T @ f)
        return assemble(entries)

    def stiffness(self, wrench: Wrench) -> Coordinates:
        """∂(Jᵀ W)/∂q, (nv, nv), of a wrench in the axes."""
        graph, sides = self.graph, self.sides()
        W = wrench.change_frame(self.turn)
        S = {k: self.directions(k) for k in self.moved()}
        entries = empty(graph, graph.mechanism.nv)
        on_point, on_axes = set(self.path(self.at)), set(self.path(self.axes))
        for i, by in S.items():
            given = carried_along(W, by, point=i in on_point, axes=i in on_axes)
            swept = carried_along(W, by, point=True, axes=True)
            for j, side in sides.items():
                felt = given - swept if i in self.path(j) else given
                values = S[j].angular.T @ felt.angular + S[j].linear.T @ felt.linear
                add_pair(graph, entries, j, i, side, values)
        return assemble(entries)


def at_world(graph: StateGraph[Motion], index: int, relation: Any) -> Any:
    """The same at the world's origin, in its axes."""
    X = graph[index].world_pose
    return relation.change_frame(X.orientation).change_point(X.position.inverse())


def empty(graph: StateGraph[Motion], columns: int) -> Entries:
    return [[0.0] * columns for _ in range(graph.mechanism.nv)]


def add(graph: StateGraph[Motion], entries: Entries, k: int, side: float, values: Any) -> None:
    """What one joint feels, a row for each of its coordinates; followers count with their leader."""
    body = graph.mechanism.bodies[k]
    joint, gain = body.joint, graph.gain(body)
    for a, i in enumerate(range(joint.v.start, joint.v.stop)):
        for c in range(len(entries[i])):
            entries[i][c] = entries[i][c] + side * gain * values[a, c]


def add_pair(graph: StateGraph[Motion], entries: Entries, j: int, i: int, side: float, values: Any) -> None:
    """The same where columns are the coordinates of another joint."""
    bodies = graph.mechanism.bodies
    row, column, gain = bodies[j].joint, bodies[i].joint, graph.gain(bodies[j]) * graph.gain(bodies[i])
    for a, r in enumerate(range(row.v.start, row.v.stop)):
        for b, c in enumerate(range(column.v.start, column.v.stop)):
            entries[r][c] = entries[r][c] + side * gain * values[a, b]
