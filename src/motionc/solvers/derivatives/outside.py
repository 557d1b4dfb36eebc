"""How what acts from outside, and what constraints measure, change with q and v.

    rows      c = Uᵀ (A_b - A_o + (0; ω_r × v_r) - V_o × V_r), V_r = V_b - V_o; spatial rows without ω_r × v_r
    ∂c/∂q_i   the same with A and V as they change there: X_k by S_i × X_k + ψ if i moves k, (0; x × s_i) if it moves
              the point, - ω_i × X_k if it moves the axes;   ∂c/∂v_i with those of joints that move faster

All is written at the point, in the world's axes.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from motionc.geometry import WORLD_FRAME, MotionBasis, Wrench
from motionc.geometry.coordinates import Coordinates, above, assemble, beside, cross, zeros
from motionc.geometry.meaning import as_meant
from motionc.geometry.variation import crossed, field_along
from motionc.solvers.derivatives.dynamics import Varied
from motionc.solvers.rows import ConstraintRows, Constraints
from motionc.solvers.steps.balance import Balanced
from motionc.solvers.steps.pull import Pull, add, empty
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, operation
from motionc.sweeps.state import Slot, StateGraph


class Outside(Varied, Balanced):
    """How what acts from outside changes, by port; how rows change, and what holds them."""

    wrench_stiffness = Slot(dict, "none")
    wrench_jacobian = Slot(dict, "none")
    row_stiffness = Slot(dict, "none")
    drows_dq = Slot(object, "none")
    drows_dv = Slot(object, "none")


@dataclass(frozen=True, slots=True, eq=False)
class RowChanges:
    """Of one constraint: how the acceleration measured along its rows changes with q and v, (m, nv) each."""

    graph: StateGraph[Outside]
    pull: Pull
    spec: ConstraintRows

    def by(self, what: Literal["q", "v"]) -> Coordinates:
        graph, pull, spec = self.graph, self.pull, self.spec
        V, V_o = (pull.here(graph[k].twist, k) for k in (pull.at, pull.observer))
        relative = as_meant(V_o.inverse().compose(V), "relative twist", of=V.of)
        rows = as_meant(spec.basis().change_frame(pull.turn), "rows", as_seen_by=WORLD_FRAME)
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
        graph, pull = self.graph, self.pull
        S, moves = pull.directions(i), i in pull.path(k)
        V, A = pull.here(graph[k].twist, k), pull.here(graph[k].acceleration, k)
        nothing = replace(S, angular=zeros(3, len(S.joints)), linear=zeros(3, len(S.joints)))
        twist = push = nothing
        if what == "q":
            where = {"body": moves, "point": i in pull.path(pull.at), "axes": i in pull.path(pull.axes)}
            twist, push = field_along(V, S, **where), field_along(A, S, **where)
        if moves:
            change = pull.here(graph[i].dV_dq if what == "q" else graph[i].dV_dv, i)
            swept = crossed(V, change.twist)
            twist = twist.shifted(change.twist.angular, change.twist.linear)
            push = (push.shifted(change.acceleration.angular, change.acceleration.linear)) - swept
        return twist, push


@operation(ROOT, needs=["world_pose", "directions"], gives=["wrench_stiffness", "wrench_jacobian"])
def pull_outside(graph: StateGraph[Outside], problem: Problem) -> None:
    """∂(Jᵀ f)/∂q of given wrenches, and Jᵀ of each, by port."""
    nv = graph.mechanism.nv
    graph.world.wrench_stiffness, graph.world.wrench_jacobian = dict[str, Any](), dict[str, Any]()
    for spec in problem.wrenches:
        pull = Pull.of(graph, spec.at, spec.axes)
        stiffness, reach = pull.stiffness(spec.wrench(problem)), pull.reach(np.eye(6))
        by_q, given = graph.world.wrench_stiffness, graph.world.wrench_jacobian
        by_q[spec.port] = by_q.get(spec.port, zeros(nv, nv)) + stiffness
        given[spec.port] = beside(given[spec.port], reach) if spec.port in given else reach


@operation(
    ROOT,
    needs=["world_pose", "directions", "twist", "acceleration", "dV_dq", "dV_dv", "constraint_forces"],
    gives=["row_stiffness", "drows_dq", "drows_dv"],
)
def pull_rows(graph: StateGraph[Outside], problem: Problem) -> None:
    """∂(Jᵀ λ)/∂q, by who makes the force, and ∂(J a + J̇ v) by q and v."""
    nv = graph.mechanism.nv
    held: dict[str, Any] = {"task": zeros(nv, nv), "contact": zeros(nv, nv)}
    blocks: dict[str, list[Any]] = {"q": [zeros(0, nv)], "v": [zeros(0, nv)]}
    for spec in problem[Constraints].specs:
        if not isinstance(spec, ConstraintRows):
            for changes in blocks.values():
                changes.append(zeros(len(spec.labels), nv))
            continue
        pull = Pull.of(graph, spec.at, spec.axes, spec.observer.body)
        wrench = spec.basis().times(graph.world.constraint_forces.select(spec.labels))
        assert isinstance(wrench, Wrench)
        stiffness = pull.stiffness(wrench)
        held[spec.source] = held[spec.source] + stiffness
        for what in ("q", "v"):
            blocks[what].append(RowChanges(graph, pull, spec).by(what))
    graph.world.row_stiffness = held
    graph.world.drows_dq, graph.world.drows_dv = (above(*blocks[what]) for what in ("q", "v"))
