"""How what acts from outside, and what constraints measure, change with q and v.

    rows      c = Uᵀ (A_b - A_o + (0; ω_r × v_r) - V_o × V_r), V_r = V_b - V_o; spatial rows without ω_r × v_r
    ∂c/∂q_i   the same with A and V as they change there: X_k by S_i × X_k + ψ if i moves k, (0; x × s_i) if it moves
              the point, - ω_i × X_k if it moves the axes;   ∂c/∂v_i with those of joints that move faster

All is written at the point, in the world's axes.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from motionc.geometry import MotionBasis, Wrench
from motionc.geometry.coordinates import Coordinates, above, assemble, beside, cross, zeros
from motionc.geometry.variation import crossed, field_along
from motionc.solvers.steps.pull import Pull, add, empty
from motionc.sweeps.problem import ConstraintRows, Setting
from motionc.sweeps.schedule import ROOT, operation
from motionc.sweeps.state import StateGraph


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
        entries = empty(graph, len(spec.labels))
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
            add(graph, entries, i, 1.0, angular.T @ rows.angular + linear.T @ rows.linear)
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


# ---------------------------------------------------------------- what changes


@operation(ROOT, needs=["world_pose", "directions"], gives=["pulled_by_q", "pulled"])
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
    needs=["world_pose", "directions", "twist", "acceleration", "moving_on", "moving_faster", "multipliers"],
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
