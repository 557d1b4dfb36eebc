"""Coordinates that no motor drives: contacts and motors together make what is asked (design §3, torques).

    root      G = J_cᵀ, what undriven coordinates feel of contact forces;  C = G W⁻¹ Gᵀ,  Q = 1 - C C⁺
              where contacts may not reach all of them, first of all rows: Q (M a + h - τ)_u = 0, that is
              J_u = Q Eᵀ M with J_u M⁻¹ J_uᵀ = Q M_uu Q and J_u M⁻¹ Jᵀ = Q (Jᵀ)_u; a += E Q μ
              λ_c = W⁻¹ Gᵀ C⁺ (Jᵀ λ + M E Q μ)_u, of all contact forces that do it the least ½ λᵀ W λ
              motors make the rest of Jᵀ λ + M E Q μ

A rigid foot reaches all of a floating base: there Q is zero whatever the pose, and the motion stays as it is.
"""

from motionc.geometry import (
    INERTIA,
    Coupling,
    JointAcceleration,
    JointRows,
    RowAcceleration,
    RowStack,
    Support,
    WrenchBasis,
)
from motionc.geometry.coordinates import zeros
from motionc.geometry.entities import JOINTS
from motionc.program.kernels.semidefinite import TRUNCATED_INVERSE
from motionc.solvers.rows import Constraints, Undriven
from motionc.solvers.steps.demand import Demanded, allot
from motionc.solvers.steps.rows_together import RowsTogether
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, operation
from motionc.sweeps.state import Slot, StateGraph, joint_values


class Supported(Demanded, RowsTogether):
    """What undriven coordinates feel of rows, who holds them, and how they accelerate where nobody does."""

    rigid_rows = Slot(WrenchBasis)
    undriven_rows = Slot(JointRows, "joint")
    felt_rows = Slot(JointRows, "none")
    support = Slot(Support, "none")
    freed = Slot(JointAcceleration, "none")


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
        felt = joint.basis.pair(child.rigid_rows.exerted_by(parent.body))
        child.undriven_rows = felt.joined(child.joint_unit_forces)


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


@operation(ROOT, needs=["delassus", "mass_matrix", "support", "felt_rows"], gives=["delassus"])
def couple(graph: StateGraph[Supported], problem: Problem) -> None:
    """Beside the rows of b, those of undriven coordinates where contacts may not reach them."""
    world, asked = graph.world, problem[Constraints]
    if asked.undriven:
        masses = world.mass_matrix.among(problem[Undriven].coordinates)
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
    needs=["support", "felt_rows", "freed", "mass_matrix", "constraint_forces", "activation"],
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
        needed = needed + world.mass_matrix.among(undriven.coordinates).times(world.freed)
    world.contact_forces = world.activation.select(undriven.contacts).of(world.support.share(needed))
    made = forces.select(undriven.contacts) - world.contact_forces
    world.motor_shares = forces.select(asked.task_rows).merge(made, asked.asked)


@operation(ROOT, needs=["joint_force", "mass_matrix", "freed"], gives=["joint_force"])
def carry_freed(graph: StateGraph[Supported], problem: Problem) -> None:
    """What motors make so that driven joints do not feel it: M E Q μ."""
    if problem[Constraints].undriven:
        force = graph.world.mass_matrix.times(graph.world.freed.spread(graph.coordinates))
        for state, body in zip(graph, graph.mechanism.bodies, strict=True):
            if not body.joint.follows:
                state.joint_force = state.joint_force + force.among(state.joints)
