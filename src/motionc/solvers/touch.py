"""What keeps things apart in a time step: contacts, end stops, dry friction as rows; impulses within their cones.

    root      gap g, normal n and point p of each contact, from poses at the beginning of the step
              unit wrenches at p along the axes of the body that touches, on both bodies; unit forces along joints
    outward   v* = v + dt a in axes that stay, V* of all bodies
    root      r = J v* - s,  s along n: -g/dt where g > 0, min(0.1 |g|/dt, 0.5 m/s) where g < 0;
              at least -e u⁻ where it closes, u⁻ the velocity before; and how the surface moves by itself
              λ in cones and bounds with A λ + r ≥ 0 (cone_solve),  A = J (M + dt D)⁻¹ Jᵀ
    outward   v* += (M + dt D)⁻¹ Jᵀ λ

A stop is approached as a surface is. Compliant contacts are forces at the beginning of the step. In its body's own axes
the unit wrenches of a point are constant, and those of several points share the most of their way inward.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from motionc.geometry import (
    ENVIRONMENT,
    WORLD,
    WORLD_FRAME,
    Impulses,
    JointImpulse,
    JointRows,
    JointVelocity,
    Multipliers,
    Point,
    Pose,
    Position,
    RestingVelocity,
    RowVelocity,
    Twist,
    WrenchBasis,
)
from motionc.geometry.closest import Meeting
from motionc.geometry.compliance import compliant_force
from motionc.geometry.coordinates import Coordinates, above, at_least, at_most, column, select, zeros
from motionc.geometry.meaning import as_meant
from motionc.program.kernels.cone_solve import CONE_SOLVE, KINDS
from motionc.solvers.contact import HeightField, Touching
from motionc.solvers.contact_rows import GripRow, StopRow, Touches, TouchRows
from motionc.solvers.impact import Struck, jumped
from motionc.solvers.implicit_dynamics import Implicit
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.rows import Grip, Holds, at_place_of
from motionc.sweeps.frames import Attached
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Ahead, Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, operation
from motionc.sweeps.state import Slot, StateGraph

RECOVERED = 0.1
"""Share of a depth that one time step takes back."""
FASTEST = 0.5
"""m/s, rad/s: how fast at most."""


class Meetings(tuple[Meeting, ...]):
    """One for each contact point, in order."""


class Apart(Struck, Implicit):
    """What is near a body, and how it moves before anything keeps it from going on."""

    meetings = Slot(Meetings, "none")
    stop_gaps = Slot[tuple[Coordinates, ...]](tuple, "none")
    kicked = Slot(RestingVelocity, "joint")
    kicked_twist = Slot(Twist)
    contact_residual = Slot(object, "none")
    compliant_forces = Slot[dict[int, Coordinates]](dict, "none")


# ---------------------------------------------------------------- where, and along what


@operation(ROOT, needs=["world_pose"], gives=["meetings"], equation="gap, normal and point of each contact")
def meet(graph: StateGraph[Apart], problem: Problem) -> None:
    found: list[Meeting] = []
    for one in problem[Touches].touching:
        own, on = (_pose(graph, end) for end in (one.at, one.on))
        surface = one.contact.surface
        heights = () if not isinstance(surface, HeightField) else (problem.rows(surface.name, slice(None)),)
        found += one.meetings(own, on, *heights)
    graph.world.meetings = Meetings(found)


def _pose(graph: StateGraph[Apart], frame: Attached) -> Pose:
    there = graph[frame.body].world_pose.compose(frame.pose)
    return as_meant(there, "where something touches", of=frame.pose.of, wrt=WORLD_FRAME)


@operation(
    ROOT,
    needs=["meetings", "world_pose", "unit_wrenches"],
    gives=["held_rows", "unit_wrenches"],
    equation="unit forces along the axes of the body, where it touches",
)
def touch(graph: StateGraph[Apart], problem: Problem) -> None:
    """Unit wrenches of contacts, on both bodies."""
    grips: list[Any] = []
    for spec in _of(problem, TouchRows):
        grips.append(_grip(graph, spec.touching, spec.place, spec.labels))
        for index, rows in grips[-1].ends(graph):
            state = graph[index]
            state.unit_wrenches = state.unit_wrenches.joined(rows.articulated())
    graph.world.held_rows = Holds(grips)


def _grip(graph: StateGraph[Apart], touching: Touching, place: int, rows: tuple[str, ...]) -> Grip:
    """Unit forces along the axes of a body where it touches another, on both."""
    own, other = graph[touching.at.body], graph[touching.on.body]
    way = touching.at.pose.position
    if touching.contact.shape is not None:
        there = Point(rows[0], own.body)
        where = Position(there, WORLD_FRAME.origin, WORLD_FRAME, graph.world.meetings[place].point)
        way = own.world_pose.position.inverse().compose(where)
        way = way.change_frame(own.world_pose.orientation.inverse())
        as_meant(way, "the way to where it touches", of=there)
    unit = WrenchBasis(own.body, ENVIRONMENT, way.of, own.frame, zeros(3, 3), np.eye(3), rows=rows)
    A = unit.change_point(way.inverse())
    return Grip(A, None if other.is_world else at_place_of(A, own, other), own.index, other.index)


@operation(
    ROOT,
    needs=["meetings", "world_pose", "twist", "external"],
    gives=["external", "compliant_forces"],
    equation="F_ext += what gives way makes",
)
def comply(graph: StateGraph[Apart], problem: Problem) -> None:
    """Forces of contacts that give way, as they are at the beginning of the step."""
    forces = dict[int, Coordinates]()
    for one in problem[Touches].touching:
        if (law := one.contact.law) is None:
            continue
        said = {part.name: getattr(law, part.name) for part in fields(law)}
        for place in range(one.places.start, one.places.stop):
            grip = _grip(graph, one, place, tuple(f"{place}:{axis}" for axis in "xyz"))
            velocity = grip.moving(graph).values - _by_itself(graph, problem, one, place)
            there, friction = _in_own_axes(graph, one, place), _friction(problem, one, place)
            forces[place] = compliant_force(there, velocity, friction=friction, **said)
            for index, rows in grip.ends(graph):
                graph[index].external = graph[index].external + rows.times(Multipliers(rows.rows, forces[place]))
    graph.world.compliant_forces = forces


@operation(
    ROOT,
    needs=["joint_unit_forces"],
    gives=["joint_unit_forces", "stop_gaps"],
    equation="unit forces along joints, from the nearer stop inwards",
)
def stop(graph: StateGraph[Apart], problem: Problem) -> None:
    """Unit forces of end stops, of friction and of brakes, and how far stops are."""
    gaps: list[Coordinates] = []
    for spec in _of(problem, StopRow, GripRow):
        state, joint = graph[spec.body], graph.mechanism.bodies[spec.body].joint
        rates = np.eye(len(state.joints))
        unit = rates[:, [spec.entry]]
        if isinstance(spec, StopRow):
            # q' = N(q) v: along which rates an entry of q changes
            q = problem.rows("q", joint.q)
            changes = [joint.type.change(q, rates[:, [k]]) for k in range(len(rates))]
            gap, inward = _nearer(q[spec.entry : spec.entry + 1, :], spec.lower, spec.upper)
            unit = above(*(change[spec.entry : spec.entry + 1, :] for change in changes)) @ inward
            gaps.append(gap)
        state.joint_unit_forces = state.joint_unit_forces.joined(JointRows(state.joints, spec.labels, unit))
    graph.world.stop_gaps = tuple(gaps)


def _nearer(q: Coordinates, lower: float, upper: float) -> tuple[Coordinates, Coordinates]:
    """How far the nearer stop is, and which way leads away from it."""
    if np.isinf(upper):
        return q - lower, np.ones((1, 1))
    if np.isinf(lower):
        return upper - q, -np.ones((1, 1))
    return at_most(q - lower, upper - q), select(q < (lower + upper) / 2, 1.0, -1.0)


def _of(problem: Problem, *kinds: type) -> Iterator[Any]:
    return (spec for spec in problem[Constraints].specs if isinstance(spec, kinds))


# ---------------------------------------------------------------- before anything holds


@operation(OUTWARD, needs=["joint_acceleration"], gives=["kicked"], equation="v_i += dt a_i in axes that stay")
def kick(joint: JointView, parent: Apart, child: Apart) -> None:
    dt = joint.problem[Ahead].seconds
    child.kicked = joint.resting_velocity(dt).kicked(child.joint_acceleration, dt)


@operation(ROOT, gives=["kicked_twist"], equation="V_0 = 0")
def world_not_kicked(graph: StateGraph[Apart], problem: Problem) -> None:
    still = column((0, 0, 0))
    graph.world.kicked_twist = Twist(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, still, still)


@operation(OUTWARD, needs=["pose", "kicked", "kicked_twist"], gives=["kicked_twist"], equation="V*_i = X V*_p + S v*_i")
def kicked_twists(joint: JointView, parent: Apart, child: Apart) -> None:
    X = child.pose
    carried = parent.kicked_twist.change_point(X.position).change_frame(X.orientation.inverse())
    child.kicked_twist = carried.compose(joint.basis.times(child.kicked.in_place()))


@operation(
    ROOT,
    needs=["held_rows", "meetings", "stop_gaps", "twist", "world_pose", "kicked", "kicked_twist", "joint_unit_forces"],
    gives=["row_velocities"],
    equation="r = J v* - s",
)
def close_in(graph: StateGraph[Apart], problem: Problem) -> None:
    """How fast rows approach what they may not pass, beyond what one time step lets them."""
    world, dt = graph.world, problem[Ahead].seconds
    grips: Any = world.held_rows
    along_joints = [state.joint_unit_forces.moved(state.kicked.in_place()) for state in graph]
    parts = [RowVelocity(part.rows, part.values) for part in along_joints]
    for spec, grip in zip(_of(problem, TouchRows), grips, strict=True):
        n, e = _in_own_axes(graph, spec.touching, spec.place).normal, spec.touching.contact.restitution
        by_itself = _by_itself(graph, problem, spec.touching, spec.place)
        moved = grip.moving(graph, "kicked_twist").values - by_itself
        most = _approach(world.meetings[spec.place].gap, dt)
        if e:
            before = n.T @ (grip.moving(graph).values - by_itself)
            most = select(n.T @ moved < most, at_least(most, -e * before), most)
        parts.append(RowVelocity(spec.labels, moved - n * most))
    for spec, gap in zip(_of(problem, StopRow), world.stop_gaps, strict=True):
        parts.append(RowVelocity(spec.labels, -_approach(gap, dt)))
    world.row_velocities = RowVelocity.gather(problem[Constraints].labels, parts)


def _in_own_axes(graph: StateGraph[Apart], touching: Touching, place: int) -> Meeting:
    """Where something touches, in the axes of the body that does."""
    own = graph[touching.at.body]
    there = graph.world.meetings[place].change_frame(own.world_pose.orientation.inverse())
    return as_meant(there, "where it touches", of=own.body, as_seen_by=own.frame)


def _by_itself(graph: StateGraph[Apart], problem: Problem, touching: Touching, place: int) -> Coordinates:
    """How a surface moves by itself where it is touched, in the axes of the body that touches it."""
    if not problem[Touches].moving:
        return zeros(3, 1)
    own, moved = graph[touching.at.body], problem.rows("surface_velocity", slice(3 * place, 3 * place + 3))
    still = Twist(touching.on.pose.of.body, WORLD, WORLD_FRAME.origin, WORLD_FRAME, zeros(3, 1), moved)
    turned = still.change_frame(own.world_pose.orientation.inverse())
    return as_meant(turned, "how a surface moves", as_seen_by=own.frame).linear


def _approach(gap: Coordinates, seconds: float) -> Coordinates:
    """The least velocity away from something there may be at this gap: below zero, it closes it."""
    return at_most(select(gap > 0.0, gap * (-1 / seconds), gap * (-RECOVERED / seconds)), FASTEST)


# ---------------------------------------------------------------- what holds


@operation(
    ROOT,
    needs=["row_velocities", "delassus", "meetings", "world_pose"],
    gives=["impulses", "contact_residual"],
    equation="lambda in cones, A lambda + r >= 0",
)
def hold_off(graph: StateGraph[Apart], problem: Problem) -> None:
    """The impulses that let nothing approach further, from those of the step before."""
    world, asked, dt = graph.world, problem[Constraints], problem[Ahead].seconds
    warm, normals, bounds, kinds = list[Coordinates](), list[Coordinates](), list[Coordinates](), list[int]()
    for spec in _of(problem, TouchRows, StopRow, GripRow):
        warm.append(spec.in_own_axes(problem.rows("impulses", spec.rows)))
        kinds.append(KINDS.index(spec.kind))
        if isinstance(spec, TouchRows):
            normals.append(_in_own_axes(graph, spec.touching, spec.place).normal)
            bounds += [_friction(problem, spec.touching, spec.place), zeros(2, 1)]
        else:
            normals.append(zeros(1, 1))
            bounds.append(_strength(graph, problem, spec) * dt if isinstance(spec, GripRow) else zeros(1, 1))
    sides = above(*normals), above(*bounds), zeros(len(asked.labels), 1)
    kernel = CONE_SOLVE.on_tree((problem[Touches].sweeps, *kinds), 1)
    approach, coupling, before = world.row_velocities, world.delassus, Impulses(asked.labels, above(*warm))
    world.impulses, world.contact_residual = Impulses.hold_off(coupling, approach, before, sides, kernel, problem.call)


def _friction(problem: Problem, touching: Touching, place: int) -> Coordinates:
    given = problem[Touches].given_friction
    return problem.rows("mu", slice(place, place + 1)) if given else np.full((1, 1), touching.contact.friction)


def _strength(graph: StateGraph[Apart], problem: Problem, spec: GripRow) -> Coordinates:
    """What friction and a brake of a joint can hold."""
    joint, held = graph.mechanism.bodies[spec.body].joint, zeros(1, 1)
    if spec.dry:
        problem.notice("friction")
        held = held + joint.friction
    if spec.brake is not None:
        held = held + spec.strength * problem.rows("brake", slice(spec.brake, spec.brake + 1))
    return held


@operation(
    OUTWARD,
    needs=["pose", "projector", "joint_rows", "jump", "impulses", "kicked"],
    gives=["jump", "impulses", "kicked"],
    equation="v*_i += D^-1 (z lambda - S^T H^A X dV_p)",
)
def jump_on(joint: JointView, parent: Apart, child: Apart) -> None:
    """A joint feels impulses beyond it, and how those before it have jumped."""
    child.kicked = child.kicked.struck(jumped(joint, parent, child))


@operation(
    OUTWARD, needs=["kicked"], gives=["q_next", "v_next"], equation="q_i += dt v_i, v_i in axes that have turned"
)
def drift(joint: JointView, parent: Apart, child: Apart) -> None:
    if not joint.moving.joint.follows:
        dt = joint.problem[Ahead].seconds
        child.q_next, child.v_next = joint.gone_on(joint.coordinates("q"), child.kicked, dt)


# ---------------------------------------------------------------- joints that follow others


@operation(
    ROOT,
    needs=["accelerations", "joint_acceleration"],
    gives=["joint_acceleration"],
    equation="a_i = gain a_leader",
)
def lead_followers(graph: StateGraph[Apart], problem: Problem) -> None:
    """How joints accelerate that follow others."""
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        if body.joint.follows:
            led = graph.world.accelerations.values[body.joint.v, :] * graph.gain(body)
            state.joint_acceleration = type(graph.world.accelerations)(body.joint.labels, led)


@operation(
    ROOT,
    needs=["mass_matrix", "jacobian_transposed", "impulses", "kicked"],
    gives=["kicked"],
    equation="v* += M^-1 J^T lambda",
)
def jump_on_together(graph: StateGraph[Apart], problem: Problem) -> None:
    world = graph.world
    felt = JointImpulse.of(world.jacobian_transposed, world.impulses)
    jumps: JointVelocity = felt.through_all(world.mass_matrix)
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        if not body.joint.follows:
            state.kicked = state.kicked.struck(jumps.among(body.joint.labels))
