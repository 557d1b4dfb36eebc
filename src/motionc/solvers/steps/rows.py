"""Constraint rows: on the bodies and joints they pull at, what is asked along them, what is reached.

    at N      unit wrenches A at N's origin, in N's axes; at the observer's body, if it moves, their reactions
    asked     Aᵀ (Ẍ_N - Ẍ_o) = b - Aᵀ (0; ω_r × v_r) + Aᵀ (V_o × V_r), V_r = V_N - V_o
    along joints, unit forces E along them and b itself

b may be classical or spatial, its derivatives taken on the observer's body; then it is made what sweeps carry. Both
ends of a row between two bodies pull at once: a loop closed by such rows needs no tree of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from motionc.errors import Error
from motionc.geometry import (
    JOINTS,
    Coupling,
    Displacement,
    JointRows,
    Pose,
    RowAcceleration,
    RowStack,
    RowTwist,
    SpatialAcceleration,
    Twist,
    WrenchBasis,
)
from motionc.geometry.activation import Activation, RowWeights
from motionc.geometry.coordinates import Coordinates
from motionc.geometry.meaning import as_meant
from motionc.solvers.rows import ConstraintRows, Constraints, JointConstraintRows
from motionc.solvers.steps.articulated import Articulated
from motionc.solvers.steps.motion import turn
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation
from motionc.sweeps.state import Slot, StateGraph


@dataclass(frozen=True, slots=True, eq=False)
class Grip:
    """Rows where the body is that they pull at, and where the observer's body is (None: the world observes), and the
    places of both.
    """

    rows: WrenchBasis
    seen: WrenchBasis | None
    at: int
    observer: int

    def moving(self, graph: "StateGraph[Constrained]", twist: str = "twist") -> RowTwist:
        """How the body moves along the rows with respect to the observer, by a quantity of both."""
        own, other = graph[self.at], graph[self.observer]
        moved = RowTwist.of_body(self.rows, own[twist])
        if self.seen is not None:
            moved = RowTwist.at_place(self.seen, other[twist]).inverse().compose(moved)
        return as_meant(moved, "velocity along rows", of=own.body)

    def ends(self, graph: "StateGraph[Constrained]") -> Iterator[tuple[int, WrenchBasis]]:
        """The bodies it pulls at, and how: the constrained one, and where the observer moves, that one back."""
        yield self.at, self.rows
        if self.seen is not None:
            yield self.observer, self.seen.reaction_on(graph[self.observer].body)

    def beyond(self, graph: "StateGraph[Constrained]", index: int) -> WrenchBasis | None:
        """How it pulls at a body and all beyond, as if no joint gave way; between two of them, nothing is left."""
        ends = [(graph[end], rows) for end, rows in self.ends(graph) if index in graph.mechanism.path(end)]
        return at_place_of(ends[0][1], ends[0][0], graph[index]) if len(ends) == 1 else None


@dataclass(frozen=True, slots=True, eq=False)
class Hold(Grip):
    """A constraint on frames, and the rows at the constrained point itself, in the axes of its body."""

    spec: ConstraintRows
    at_point: WrenchBasis

    def asks(self, values: Coordinates) -> RowAcceleration:
        """These accelerations along the rows, of the kind the constraint says."""
        return self.spec.asks(values)

    def wanted(self, graph: "StateGraph[Constrained]", asked: RowAcceleration) -> RowAcceleration:
        """What is asked along the rows made spatial: of the body with respect to the observer's, as sweeps carry it."""
        own, other = graph[self.at], graph[self.observer]
        as_meant(asked, f"what is asked of {self.spec.names[0]}", of=own.body, wrt=other.body, rows=self.rows.rows)
        carrier, relative = _observer(self.spec, own, other)
        if asked.kind == "classical":
            asked = self.at_point.to_spatial(asked, relative)
        return self.at_point.transported(asked, carrier, relative) if asked.kind == "observed" else asked

    def reached(self, graph: "StateGraph[Constrained]") -> RowAcceleration:
        """How the body accelerates along the rows with respect to the observer; the world itself does not fall."""
        own, other = graph[self.at], graph[self.observer]
        carrier = self.rows.along(own.at_rest) if self.seen is None else self.seen.along(other.acceleration)
        reached = carrier.inverse().compose(self.rows.pair(own.acceleration))
        return as_meant(reached, "acceleration along rows", of=own.body)

    def seen_pose(self, graph: "StateGraph[Constrained]") -> Pose:
        """Where the constrained frame is with respect to the observer's."""
        own, other, spec = graph[self.at], graph[self.observer], self.spec
        now = self._observer_pose(other).inverse().compose(own.world_pose.compose(spec.at.pose))
        return as_meant(now, "where the constrained frame is", of=spec.at.pose.of, wrt=spec.observer.pose.of)

    def seen_twist(self, graph: "StateGraph[Constrained]") -> Twist:
        """How the constrained frame moves with respect to the observer's body, at its origin, in its own axes."""
        _, relative = _observer(self.spec, graph[self.at], graph[self.observer])
        return relative.change_frame(self.spec.at.pose.orientation.inverse())

    def displacement(self, graph: "StateGraph[Constrained]") -> Displacement:
        """How far the constrained frame is from the observer's, at the constrained point, in the axes of its body."""
        own, other = graph[self.at], graph[self.observer]
        now = self.seen_pose(graph)
        missing = Displacement.between(now, Pose.between(now.of, now.wrt))
        return missing.change_frame(
            own.world_pose.orientation.inverse().compose(self._observer_pose(other).orientation)
        )

    def _observer_pose(self, other: "Constrained") -> Pose:
        return other.world_pose.compose(self.spec.observer.pose)


class Holding(Protocol):
    """What is held along rows: what is wanted, what is reached, the bodies it pulls at, and those beyond one."""

    @property
    def spec(self) -> Any: ...
    def wanted(self, graph: "StateGraph[Constrained]", asked: RowAcceleration) -> RowAcceleration: ...
    def reached(self, graph: "StateGraph[Constrained]") -> RowAcceleration: ...
    def ends(self, graph: "StateGraph[Constrained]") -> Iterator[tuple[int, WrenchBasis]]: ...
    def beyond(self, graph: "StateGraph[Any]", index: int) -> WrenchBasis | None: ...


class Holds(tuple[Holding, ...]):
    """One for each constraint on frames, in order; then those of all bodies."""


class Constrained(Articulated):
    """Rows on a body and along its joint, and what is asked and reached along all of them."""

    at_rest = Slot(SpatialAcceleration, "place")
    held_rows = Slot(Holds, "none")
    asked_rows = Slot[tuple[RowAcceleration, ...]](tuple, "none")
    unit_wrenches = Slot(WrenchBasis)
    joint_unit_forces = Slot(JointRows, "joint")
    joint_rows = Slot(JointRows, "joint")
    activation = Slot(Activation, "none")
    row_weights = Slot(RowWeights, "none")
    row_targets = Slot(RowStack, "none")
    row_accelerations = Slot(RowStack, "none")
    delassus = Slot(Coupling, "none")


@operation(ROOT, gives=["at_rest"], equation="-g")
def world_rests(graph: StateGraph[Constrained], problem: Problem) -> None:
    graph.world.at_rest = problem.free_fall_field().inverse()


@operation(OUTWARD, needs=["pose", "at_rest"], gives=["at_rest"], equation="-g at the link")
def carry_rest(joint: JointView, parent: Constrained, child: Constrained) -> None:
    """How the world itself accelerates with respect to free fall, at this body's place."""
    X = child.pose
    child.at_rest = parent.at_rest.change_point(X.position).change_frame(X.orientation.inverse())


@operation(
    OUTWARD, gives=["unit_wrenches", "joint_unit_forces"], equation="A and unit forces along joints: none so far"
)
def no_rows(joint: JointView, parent: Constrained, child: Constrained) -> None:
    child.unit_wrenches = WrenchBasis.none(child.body, child.frame)
    child.joint_unit_forces = JointRows.none(child.joints)


@operation(
    ROOT,
    needs=["world_pose", "twist", "unit_wrenches"],
    gives=["held_rows", "unit_wrenches"],
    equation="A = unit wrenches of the rows at the link",
)
def constrain(graph: StateGraph[Constrained], problem: Problem) -> None:
    """Unit wrenches on the bodies they pull at."""
    holds: list[Hold] = []
    for spec in problem[Constraints].specs:
        if isinstance(spec, ConstraintRows):
            own, other, X = graph[spec.at.body], graph[spec.observer.body], spec.at.pose
            at_point = spec.basis().change_frame(turn(graph, spec.axes, own))
            A = at_point.change_point(X.position.inverse())
            B = None if other.is_world else at_place_of(A, own, other)
            holds.append(Hold(A, B, own.index, other.index, spec, at_point))
            for index, rows in holds[-1].ends(graph):
                state = graph[index]
                state.unit_wrenches = state.unit_wrenches.joined(rows.articulated())
    graph.world.held_rows = Holds(holds)


def _observer(spec: ConstraintRows, own: Constrained, other: Constrained) -> tuple[Twist, Twist]:
    """How the observer's body moves where the constrained point is, and how the point moves with respect to it."""
    V = own.twist.change_point(spec.at.pose.position)
    if other.is_world:
        return V, V
    place = own.world_pose.compose(spec.at.pose).position
    way = other.world_pose.position.inverse().compose(place).change_frame(other.world_pose.orientation.inverse())
    to_own = own.world_pose.orientation.inverse().compose(other.world_pose.orientation)
    carrier = other.twist.change_point(way).change_frame(to_own)
    return carrier, carrier.inverse().compose(V)


def at_place_of(A: WrenchBasis, own: Constrained, other: Constrained) -> WrenchBasis:
    """The same rows at another body's origin, in its axes."""
    to_other = other.world_pose.orientation.inverse().compose(own.world_pose.orientation)
    way = own.world_pose.position.inverse().compose(other.world_pose.position)
    return A.change_point(way.change_frame(own.world_pose.orientation.inverse())).change_frame(to_other)


@operation(ROOT, needs=["joint_unit_forces"], gives=["joint_unit_forces"])
def constrain_joints(graph: StateGraph[Constrained], problem: Problem) -> None:
    """Unit forces along the joints that constraints name, and along all where motors have rows."""
    states = {state.joints: state for state in graph}
    for spec in problem[Constraints].specs:
        if isinstance(spec, JointConstraintRows):
            for joints, unit in spec.joints.items():
                state = states[joints]
                state.joint_unit_forces = state.joint_unit_forces.joined(JointRows(state.joints, spec.labels, unit))

    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        if problem[Constraints].motors and not body.joint.follows:
            labels = tuple(problem[Constraints].motors[k] for k in range(body.joint.v.start, body.joint.v.stop))
            state.joint_unit_forces = state.joint_unit_forces.joined(
                JointRows(state.joints, labels, np.eye(len(labels)))
            )


@operation(ROOT, needs=["held_rows", "asked_rows", "world_pose", "twist"], gives=["row_targets"])
def want(graph: StateGraph[Constrained], problem: Problem) -> None:
    """What is asked, of all rows."""
    specs, given = problem[Constraints].specs, graph.world.asked_rows
    if len(given) != len(specs):
        raise Error(f"asked_rows has {len(given)} entries for {len(specs)} constraints; give one each, in order")
    asked = dict(zip((spec.labels for spec in specs), given, strict=True))
    targets = [hold.wanted(graph, asked[hold.spec.labels]) for hold in graph.world.held_rows]
    for spec in specs:
        if isinstance(spec, JointConstraintRows):
            targets.append(as_meant(asked[spec.labels], "what is asked of joints", of=JOINTS, rows=spec.labels))
    graph.world.row_targets = RowStack.gather(problem[Constraints].labels, targets)


@operation(
    ROOT,
    needs=["held_rows", "at_rest", "acceleration", "joint_unit_forces", "joint_acceleration"],
    gives=["row_accelerations"],
)
def measure(graph: StateGraph[Constrained], problem: Problem) -> None:
    """How bodies and joints accelerate along the rows."""
    reached = [hold.reached(graph) for hold in graph.world.held_rows]
    reached += [state.joint_unit_forces.along(state.joint_acceleration) for state in graph]
    graph.world.row_accelerations = RowStack.gather(problem[Constraints].labels, reached)


@operation(
    INWARD,
    needs=["pose", "projector", "unit_wrenches", "joint_unit_forces"],
    gives=["unit_wrenches", "joint_rows"],
    equation="z = S^T A, A_p += X^T (A - U D^-1 z)",
)
def reach(joint: JointView, parent: Constrained, child: Constrained) -> None:
    """What a joint feels of unit constraint forces, and what of them it passes on."""
    X, P, A = child.pose, child.projector, child.unit_wrenches
    z = child.joint_rows = joint.basis.pair(A).joined(child.joint_unit_forces)
    if not parent.is_world:
        passed = P.basis_of(A, z).change_frame(X.orientation).change_point(X.position.inverse())
        parent.unit_wrenches = parent.unit_wrenches.joined(passed.at_parent())


@operation(INWARD, needs=["pose", "unit_wrenches"], gives=["unit_wrenches"], equation="A_p += X^T A")
def pass_on(joint: JointView, parent: Constrained, child: Constrained) -> None:
    """A joint that is told how to accelerate gives way to nothing."""
    X, A = child.pose, child.unit_wrenches
    if not parent.is_world:
        passed = A.held_by(parent.body).change_frame(X.orientation).change_point(X.position.inverse())
        parent.unit_wrenches = parent.unit_wrenches.joined(passed.at_parent())


@operation(ROOT, needs=["projector", "joint_rows"], gives=["delassus"], equation="J M^-1 J^T = sum z^T D^-1 z")
def gather_coupling(graph: StateGraph[Constrained], problem: Problem) -> None:
    """Λ, the sum of what all free joints give way."""
    parts = [state.projector.inertia.yields(state.joint_rows) for state in graph if "joint_rows" in state]
    graph.world.delassus = Coupling.gather(problem[Constraints].labels, parts)
