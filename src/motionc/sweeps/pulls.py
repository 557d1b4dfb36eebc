"""How what acts from outside, and what constraints measure, change with q and v.

A wrench W is given at a point of body b, in the axes of body c; it acts on b and, where a constraint is between two
bodies, back on o. Along joint j it is Q_j = ± S_jᵀ W. When joint i moves on, S_j, the point and the axes move with it
or stay, each for itself:

    ∂Q_j/∂q_i = ± S_jᵀ (- S_i ×* W if it moves j, + s_i × f if it moves the point, + ω_i × W if it moves the axes)
    rows      c = Uᵀ (A_b - A_o + (0; ω_r × v_r) - V_o × V_r), V_r = V_b - V_o; spatial rows without ω_r × v_r
    ∂c/∂q_i   the same with A and V as they change there: X_k by S_i × X_k + ψ if i moves k, (0; x × s_i) if it moves
              the point, - ω_i × X_k if it moves the axes;   ∂c/∂v_i with those of joints that move faster

All is written at the point, in the world's axes.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from motionc.geometry import MotionBasis, Orientation, Position, Wrench
from motionc.geometry.coordinates import UNKNOWN, Coordinates, above, assemble, beside, cross, is_known, zeros
from motionc.geometry.variation import carried_along, crossed, field_along
from motionc.sweeps.derivatives import at_world
from motionc.sweeps.schedule import ROOT, operation
from motionc.sweeps.setting import Attached, ConstraintRows, Setting
from motionc.sweeps.state import StateGraph

Entries = list[list[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Pull:
    """Where something pulls: the bodies its point and axes belong to and it acts back on, its point, its axes."""

    graph: StateGraph
    at: int
    axes: int
    observer: int
    place: Position
    turn: Orientation

    @staticmethod
    def of(graph: StateGraph, at: Attached, axes: Attached, observer: int = -1) -> "Pull":
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
        body = self.graph.mechanism.bodies[index]
        return self.here(body.joint.basis(body.body, self.graph[body.parent].body), index)

    def reach(self, unit: Any) -> Coordinates:
        """Jᵀ: what each entry of v feels of unit wrenches (6, m), given in the axes."""
        graph = self.graph
        if not is_known(unit):
            return UNKNOWN
        n, f = self.turn.apply(unit[:3, :]), self.turn.apply(unit[3:, :])
        entries = _empty(graph, unit.shape[1])
        for k, side in self.sides().items():
            S = self.directions(k)
            _add(graph, entries, k, side, S.angular.T @ n + S.linear.T @ f)
        return assemble(entries)

    def stiffness(self, wrench: Wrench) -> Coordinates:
        """∂(Jᵀ W)/∂q, (nv, nv), of a wrench in the axes."""
        graph, sides = self.graph, self.sides()
        W = wrench.change_frame(self.turn)
        S = {k: self.directions(k) for k in self.moved()}
        entries = _empty(graph, graph.mechanism.nv)
        on_point, on_axes = set(self.path(self.at)), set(self.path(self.axes))
        for i, by in S.items():
            given = carried_along(W, by, point=i in on_point, axes=i in on_axes)
            swept = carried_along(W, by, point=True, axes=True)
            for j, side in sides.items():
                felt = given - swept if i in self.path(j) else given
                values = S[j].angular.T @ felt.angular + S[j].linear.T @ felt.linear
                _add_pair(graph, entries, j, i, side, values)
        return assemble(entries)


@dataclass(frozen=True, slots=True, eq=False)
class RowChanges:
    """Of one constraint: how the acceleration measured along its rows changes with q and v, (m, nv) each."""

    pull: Pull
    spec: ConstraintRows

    def by(self, what: Literal["q", "v"]) -> Coordinates:
        graph, pull, spec = self.pull.graph, self.pull, self.spec
        V, V_o = (pull.here(graph[k].twist, k) for k in (pull.at, pull.observer))
        relative = V_o.inverse().compose(V)
        rows = spec.basis().change_frame(pull.turn)
        entries = _empty(graph, len(spec.labels))
        for i in pull.moved():
            twist, push = self._changes(i, pull.at, what)
            twist_o, push_o = self._changes(i, pull.observer, what)
            turn, shift = twist.angular - twist_o.angular, twist.linear - twist_o.linear
            angular, linear = push.angular - push_o.angular, push.linear - push_o.linear
            if spec.kind == "classical":
                linear = linear - cross(relative.linear, turn) + cross(relative.angular, shift)
            # - V_o × V_r, as both change
            carried, carrying = crossed(V_o, twist - twist_o), crossed(relative, twist_o)
            angular = angular - carried.angular + carrying.angular
            linear = linear - carried.linear + carrying.linear
            _add(graph, entries, i, 1.0, angular.T @ rows.angular + linear.T @ rows.linear)
        return assemble(entries).T

    def _changes(self, i: int, k: int, what: str) -> tuple[MotionBasis, MotionBasis]:
        """How twist and acceleration of body k change where the point is, in the axes, with joint i."""
        graph, pull = self.pull.graph, self.pull
        S, moves = pull.directions(i), i in pull.path(k)
        V, A = pull.here(graph[k].twist, k), pull.here(graph[k].acceleration, k)
        nothing = replace(S, angular=zeros(3, len(S.joints)), linear=zeros(3, len(S.joints)))
        twist = push = nothing
        if what == "q":
            where = {"body": moves, "point": i in pull.path(pull.at), "axes": i in pull.path(pull.axes)}
            twist, push = field_along(V, S, **where), field_along(A, S, **where)
        if moves:
            change = pull.here(graph[i].moving_on if what == "q" else graph[i].moving_faster, i)
            swept = crossed(V, change.twist)
            twist = twist.shifted(change.twist.angular, change.twist.linear)
            push = (push.shifted(change.acceleration.angular, change.acceleration.linear)) - swept
        return twist, push


def _empty(graph: StateGraph, columns: int) -> Entries:
    return [[0.0] * columns for _ in range(graph.mechanism.nv)]


def _add(graph: StateGraph, entries: Entries, k: int, side: float, values: Any) -> None:
    """What one joint feels, a row for each of its coordinates; followers count with their leader."""
    joint = graph.mechanism.bodies[k].joint
    for a, i in enumerate(range(joint.v.start, joint.v.stop)):
        for c in range(len(entries[i])):
            entries[i][c] = entries[i][c] + side * joint.gain * values[a, c]


def _add_pair(graph: StateGraph, entries: Entries, j: int, i: int, side: float, values: Any) -> None:
    """The same where columns are the coordinates of another joint."""
    row, column = graph.mechanism.bodies[j].joint, graph.mechanism.bodies[i].joint
    for a, r in enumerate(range(row.v.start, row.v.stop)):
        for b, c in enumerate(range(column.v.start, column.v.stop)):
            entries[r][c] = entries[r][c] + side * row.gain * column.gain * values[a, b]


# ---------------------------------------------------------------- what changes


@operation(ROOT, needs=["world_pose"], gives=["pulled_by_q", "pulled"])
def pull_outside(graph: StateGraph, setting: Setting) -> None:
    """∂(Jᵀ f)/∂q of given wrenches, and Jᵀ of each, by port."""
    nv = graph.mechanism.nv
    graph.world["pulled_by_q"], graph.world["pulled"] = dict[str, Any](), dict[str, Any]()
    for spec in setting.wrenches:
        pull = Pull.of(graph, spec.at, spec.axes)
        stiffness, reach = pull.stiffness(spec.wrench(setting)), pull.reach(np.eye(6))
        by_q, given = graph.world["pulled_by_q"], graph.world["pulled"]
        by_q[spec.port] = by_q.get(spec.port, zeros(nv, nv)) + stiffness
        given[spec.port] = beside(given[spec.port], reach) if spec.port in given else reach


@operation(
    ROOT,
    needs=["world_pose", "twist", "acceleration", "moving_on", "moving_faster", "multipliers"],
    gives=["held_by_q", "rows_by_q", "rows_by_v"],
)
def pull_rows(graph: StateGraph, setting: Setting) -> None:
    """∂(Jᵀ λ)/∂q, by who makes the force, and ∂(J a + J̇ v) by q and v."""
    nv = graph.mechanism.nv
    held: dict[str, Any] = {"task": zeros(nv, nv), "contact": zeros(nv, nv)}
    blocks: dict[str, list[Any]] = {"q": [zeros(0, nv)], "v": [zeros(0, nv)]}
    for spec in setting.constraints:
        if not isinstance(spec, ConstraintRows):
            for changes in blocks.values():
                changes.append(zeros(len(spec.labels), nv))
            continue
        pull = Pull.of(graph, spec.at, spec.axes, spec.observer.body)
        wrench = spec.basis().times(graph.world.multipliers.select(spec.labels))
        assert isinstance(wrench, Wrench)
        stiffness = pull.stiffness(wrench)
        held[spec.source] = held[spec.source] + stiffness
        for what in ("q", "v"):
            blocks[what].append(RowChanges(pull, spec).by(what))
    graph.world["held_by_q"] = held
    graph.world["rows_by_q"], graph.world["rows_by_v"] = (above(*blocks[what]) for what in ("q", "v"))
