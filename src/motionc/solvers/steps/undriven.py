"""Coordinates that no motor drives: contacts and motors together make what is asked (design §3, torques).

    root      G = J_cᵀ, what undriven coordinates feel of contact forces;  C = G W⁻¹ Gᵀ,  Q = 1 - C C⁺
              where contacts may not reach all of them, first of all rows: Q (M a + h - τ)_u = 0, that is
              J_u = Q Eᵀ M with J_u M⁻¹ J_uᵀ = Q M_uu Q and J_u M⁻¹ Jᵀ = Q (Jᵀ)_u; a += E Q μ
              λ_c = W⁻¹ Gᵀ C⁺ (Jᵀ λ + M E Q μ)_u, of all contact forces that do it the least ½ λᵀ W λ
              motors make the rest of Jᵀ λ + M E Q μ
    outward   of which along a joint Sᵀ H^c Ẍ, Ẍ the motion of everything beyond it as one body with undriven
              joints before it

A rigid foot reaches all of a floating base: there Q is zero whatever the pose, and the motion stays as it is.
"""

from motionc.geometry import (
    INERTIA,
    WORLD,
    WORLD_FRAME,
    Coupling,
    JointAcceleration,
    JointInertia,
    JointRows,
    RowAcceleration,
    RowStack,
    SpatialAcceleration,
    Support,
    WrenchBasis,
)
from motionc.geometry.coordinates import zeros
from motionc.geometry.entities import JOINTS
from motionc.program.kernels.semidefinite import TRUNCATED_INVERSE
from motionc.solvers.rows import Constraints, Undriven
from motionc.solvers.steps.composite import (
    compose_bodies,
    hand_columns_down,
    mass_entries,
    no_columns,
    rigid_bodies,
    world_weighs_nothing,
)
from motionc.solvers.steps.demand import Demanded, allot
from motionc.solvers.steps.rows_together import RowsTogether
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation, sweep
from motionc.sweeps.state import Slot, StateGraph, joint_values


class Supported(Demanded, RowsTogether):
    """What undriven coordinates feel of rows, who holds them, and how they accelerate where nobody does."""

    rigid_rows = Slot(WrenchBasis)
    undriven_rows = Slot(JointRows, "joint")
    felt_rows = Slot(JointRows, "none")
    support = Slot(Support, "none")
    undriven_masses = Slot(JointInertia, "none")
    freed = Slot(JointAcceleration, "none")
    freed_motion = Slot(SpatialAcceleration)


@operation(
    INWARD,
    needs=["pose", "composite", "force_columns"],
    gives=["force_columns", "mass_rows"],
    equation="F_u = H^c S, M_iu = S_i^T X^T F_u",
)
def feel_undriven(joint: JointView, parent: Supported, child: Supported) -> None:
    """What it takes to accelerate each undriven joint at and beyond this one, as this one feels it."""
    S, columns = joint.basis, child.force_columns.exerted_by(parent.body)
    if set(S.joints) <= set(joint.problem[Undriven].coordinates):
        columns = child.composite.along(S).beside(columns)
    hand_columns_down(joint, parent, child, columns)


@operation(ROOT, needs=["mass_rows"], gives=["undriven_masses"], equation="M_iu, row by row")
def gather_undriven(graph: StateGraph[Supported], problem: Problem) -> None:
    """What undriven joints feel of each other, and driven ones of those beyond them; the rest is carried along."""
    problem.notice("rotor")
    graph.world.undriven_masses = JointInertia(graph.coordinates, mass_entries(graph))


@operation(ROOT, needs=["mass_matrix"], gives=["undriven_masses"])
def gather_undriven_together(graph: StateGraph[Supported], problem: Problem) -> None:
    """The same where joints follow others: of all of them, M."""
    graph.world.undriven_masses = graph.world.mass_matrix


UNDRIVEN_MASSES = (
    sweep(world_weighs_nothing),
    sweep(rigid_bodies, no_columns),
    sweep(compose_bodies, feel_undriven),
    sweep(gather_undriven),
)
"""From poses to the columns of M that belong to undriven joints."""


@operation(ROOT, needs=["held_rows", "world_pose", "composite"], gives=["rigid_rows"])
def bring(graph: StateGraph[Supported], problem: Problem) -> None:
    """Unit wrenches of all rows at the bodies whose joints nobody drives, as if no joint gave way."""
    bodies, wanted = graph.mechanism.bodies, problem[Undriven].coordinates
    for state, body in zip(graph, bodies, strict=True):
        if not set(body.joint.labels) & set(wanted):
            continue
        nothing = zeros(3, 0)
        rows = WrenchBasis(state.body, INERTIA, state.frame.origin, state.frame, nothing, nothing)
        for held in graph.world.held_rows:
            beyond = held.beyond(graph, body.index)
            if beyond is not None:
                rows = rows.joined(beyond.to_be_made().needed_by(state.body))
        state.rigid_rows = rows


@operation(OUTWARD, needs=["rigid_rows", "joint_unit_forces"], gives=["undriven_rows"])
def lean(joint: JointView, parent: Supported, child: Supported) -> None:
    """What an undriven joint feels of unit forces along rows."""
    if "rigid_rows" in child:
        child.undriven_rows = joint.basis.pair(child.rigid_rows).joined(child.joint_unit_forces)


@operation(ROOT, needs=["undriven_rows"], gives=["felt_rows"])
def feel_rows(graph: StateGraph[Supported], problem: Problem) -> None:
    rows = problem[Constraints].asked
    felt = JointRows(graph.coordinates, rows, joint_values(graph, "undriven_rows", rows))
    graph.world.felt_rows = felt.among(problem[Undriven].coordinates)


@operation(ROOT, needs=["jacobian_transposed"], gives=["felt_rows"])
def feel_rows_together(graph: StateGraph[Supported], problem: Problem) -> None:
    """The same where joints follow others."""
    felt = graph.world.jacobian_transposed.select(problem[Constraints].asked)
    graph.world.felt_rows = felt.among(problem[Undriven].coordinates)


@operation(ROOT, needs=["felt_rows", "activation"], gives=["support"])
def support(graph: StateGraph[Supported], problem: Problem) -> None:
    """How contacts hold what nobody drives, as far as they hold at all."""
    asked = problem[Undriven]
    kernel = TRUNCATED_INVERSE.with_policy((), problem[Constraints].truncation)
    reach = graph.world.activation.select(asked.contacts).reach(graph.world.felt_rows.select(asked.contacts))
    graph.world.support = Support.of(reach, asked.softness, kernel, problem.call)


@operation(ROOT, needs=["delassus", "undriven_masses", "support", "felt_rows"], gives=["delassus"])
def couple(graph: StateGraph[Supported], problem: Problem) -> None:
    """Beside the rows of b, those of undriven coordinates where contacts may not reach them."""
    world, asked = graph.world, problem[Constraints]
    if asked.undriven:
        masses = world.undriven_masses.among(problem[Undriven].coordinates)
        more = world.support.couple(asked.undriven, masses, world.felt_rows)
        world.delassus = Coupling.gather(asked.labels, [world.delassus, more])


@operation(ROOT, needs=["support", "constraint_forces"], gives=["freed"])
def free(graph: StateGraph[Supported], problem: Problem) -> None:
    """How undriven coordinates accelerate beside what rows pull: E Q μ."""
    world, asked = graph.world, problem[Constraints]
    joints = problem[Undriven].coordinates
    world.freed = JointAcceleration(joints, zeros(len(joints), 1))
    if asked.undriven:
        world.freed = world.support.freed(asked.undriven, world.constraint_forces)


@operation(
    ROOT,
    needs=["row_accelerations", "felt_rows", "freed", "delassus", "constraint_forces"],
    gives=["row_accelerations"],
)
def measure_freed(graph: StateGraph[Supported], problem: Problem) -> None:
    """What that adds along the rows, and what there is along their own."""
    world, asked = graph.world, problem[Constraints]
    if asked.undriven:
        own = world.delassus.times(world.constraint_forces.select(world.delassus.rows), asked.undriven)
        parts = [world.felt_rows.along(world.freed), RowAcceleration(asked.undriven, JOINTS, JOINTS, "spatial", own)]
        world.row_accelerations = world.row_accelerations + RowStack.gather(asked.labels, parts)


@operation(ROOT, needs=["accelerations", "freed"], gives=["accelerations"])
def add_freed(graph: StateGraph[Supported], problem: Problem) -> None:
    world = graph.world
    if problem[Constraints].undriven:
        world.accelerations = world.accelerations + world.freed.spread(graph.coordinates)


@operation(
    ROOT,
    needs=["support", "felt_rows", "freed", "undriven_masses", "constraint_forces", "activation"],
    gives=["contact_forces", "motor_shares"],
)
def share(graph: StateGraph[Supported], problem: Problem) -> None:
    """Contacts make what nobody drives needs, of all ways the least; motors make up for what that changes."""
    world, asked, undriven = graph.world, problem[Constraints], problem[Undriven]
    if not undriven.coordinates:  # what motors make is known
        return allot(graph, problem)
    forces = world.constraint_forces.select(asked.asked)
    needed = world.felt_rows.made(forces)
    if asked.undriven:
        needed = needed + world.undriven_masses.among(undriven.coordinates).times(world.freed)
    world.contact_forces = world.activation.select(undriven.contacts).of(world.support.share(needed))
    made = forces.select(undriven.contacts) - world.contact_forces
    world.motor_shares = forces.select(asked.task_rows).merge(made, asked.asked)


@operation(ROOT, needs=["joint_force", "undriven_masses", "freed"], gives=["joint_force"])
def carry_freed(graph: StateGraph[Supported], problem: Problem) -> None:
    """What motors make so that driven joints do not feel it, M E Q μ: of undriven joints beyond them."""
    if problem[Constraints].undriven:
        force = graph.world.undriven_masses.times(graph.world.freed.spread(graph.coordinates))
        for state, body in zip(graph, graph.mechanism.bodies, strict=True):
            if not body.joint.follows:
                state.joint_force = state.joint_force + force.among(state.joints)


@operation(ROOT, gives=["freed_motion"])
def world_unmoved(graph: StateGraph[Supported], problem: Problem) -> None:
    nothing = zeros(3, 1)
    graph.world.freed_motion = SpatialAcceleration(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, nothing, nothing)


@operation(
    OUTWARD,
    needs=["pose", "composite", "freed", "freed_motion", "joint_force"],
    gives=["freed", "freed_motion", "joint_force"],
    equation="A_i = X A_p + S (Q mu)_i, tau_i += S^T H^c A_i of driven joints",
)
def carry_along(joint: JointView, parent: Supported, child: Supported) -> None:
    """The same of undriven joints before a driven one, with which all beyond it moves as one body: Sᵀ H^c Ẍ."""
    freed = child.freed = parent.freed
    if joint.problem[Constraints].undriven:
        X, S, nothing = child.pose, joint.basis, zeros(3, 1)
        still = SpatialAcceleration(child.body, parent.body, child.frame.origin, child.frame, nothing, nothing)
        moved = parent.freed_motion.change_point(X.position).change_frame(X.orientation.inverse()).compose(still)
        if set(S.joints) <= set(freed.joints):
            child.freed_motion = moved.driven(S.times(freed.among(S.joints)))
        else:
            wrench = child.composite.carried_wrench(moved).exerted_by(parent.body)
            child.freed_motion, child.joint_force = moved, child.joint_force + S.pair(wrench)
