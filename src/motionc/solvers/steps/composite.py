"""Composite bodies: a body and everything beyond it as if it were one, and the mass matrix (specs/robcogen.md §2.8.2).

    inward    H_i^c = H_i + Tᵀ H_i+1^c T          composite bodies
              F_i = [H_i^c S_i, Tᵀ F_i+1 …]       what it takes to accelerate each joint beyond, handed down
              M_i,j = S_iᵀ F_i,j (+ d_i on the diagonal)
    root      M_r = Gᵀ M G, followers with their leaders

Joints on different branches never meet in a column, so that no instruction is spent on their zeros.
"""

from typing import Any

from motionc.geometry import INERTIA, WORLD, WORLD_FRAME, JointInertia, JointRows, RigidInertia, WrenchBasis
from motionc.geometry.coordinates import Coordinates, assemble, symmetric, zeros
from motionc.solvers.steps.motion import Motion
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation, sweep
from motionc.sweeps.state import Slot, StateGraph


class Composite(Motion):
    """A body with everything beyond it, rigid, and what its joint feels of that."""

    composite = Slot(RigidInertia)
    force_columns = Slot(WrenchBasis)
    mass_rows = Slot(JointRows, "joint")
    mass_matrix = Slot(JointInertia, "none")


@operation(ROOT, gives=["composite"], equation="H^c_0 = 0")
def world_weighs_nothing(graph: StateGraph[Composite], problem: Problem) -> None:
    """What is fixed to the world never moves, and is not counted."""
    graph.world.composite = RigidInertia.about_center_of_mass(WORLD, WORLD_FRAME, 0.0, (0, 0, 0), zeros(3, 3))


@operation(OUTWARD, gives=["composite"], equation="H^c_i = H_i")
def rigid_bodies(joint: JointView, parent: Composite, child: Composite) -> None:
    child.composite = joint.inertia


@operation(OUTWARD, gives=["force_columns"])
def no_columns(joint: JointView, parent: Composite, child: Composite) -> None:
    none = zeros(3, 0)
    child.force_columns = WrenchBasis(child.body, INERTIA, child.frame.origin, child.frame, none, none)


@operation(INWARD, needs=["pose", "composite"], gives=["composite"], equation="H^c_p += X^T H^c_i X")
def compose_bodies(joint: JointView, parent: Composite, child: Composite) -> None:
    """A body and everything beyond it, as if it were one."""
    X = child.pose
    inertia = child.composite.change_frame(X.orientation).change_point(X.position.inverse())
    parent.composite = parent.composite + inertia


@operation(
    INWARD,
    needs=["pose", "composite", "force_columns"],
    gives=["force_columns", "mass_rows"],
    equation="F_i = H^c S, M_ij = S_j^T X^T F_i",
)
def feel_columns(joint: JointView, parent: Composite, child: Composite) -> None:
    """What it takes to accelerate each joint at and beyond this one, as this one feels it."""
    beyond = child.force_columns.exerted_by(parent.body)
    hand_columns_down(joint, parent, child, child.composite.along(joint.basis).beside(beyond))


def hand_columns_down(joint: JointView, parent: Composite, child: Composite, columns: WrenchBasis) -> None:
    """What it takes to accelerate some joints at and beyond this one: as this one feels it, and the body before it."""
    X = child.pose
    child.force_columns, child.mass_rows = columns, joint.basis.pair(columns)
    if not parent.is_world:
        passed = columns.change_frame(X.orientation).change_point(X.position.inverse()).handed_down()
        parent.force_columns = parent.force_columns.beside(passed)


@operation(ROOT, needs=["mass_rows"], gives=["mass_matrix"], equation="M, row by row")
def gather_masses(graph: StateGraph[Composite], problem: Problem) -> None:
    """M_r, in independent coordinates: followers count with their leader."""
    problem.notice("rotor")
    graph.world.mass_matrix = JointInertia(graph.coordinates, mass_entries(graph))


def mass_entries(graph: StateGraph[Composite]) -> Coordinates:
    """GᵀMG with rotor inertias on the diagonal of M, in the order of v; zero where no column was handed down."""
    bodies, nv = graph.mechanism.bodies, graph.mechanism.nv
    place = graph.places
    entries: list[list[Any]] = [[0.0] * nv for _ in range(nv)]
    for body in bodies:
        mass = graph[body.index].mass_rows
        for a, one in enumerate(mass.joints):
            for b, other in enumerate(mass.rows):
                (i, gain), (j, more) = place[one], place[other]
                value = (mass.values[a, b] + (body.joint.rotor if one == other else 0.0)) * (gain * more)
                entries[i][j] = entries[i][j] + value
                # of a pair of joints only the nearer one's row was computed
                if other not in mass.joints:
                    entries[j][i] = entries[j][i] + value
    return symmetric(assemble(entries))


MASSES = (
    sweep(world_weighs_nothing),
    sweep(rigid_bodies, no_columns),
    sweep(compose_bodies, feel_columns),
    sweep(gather_masses),
)
"""From poses to M_r."""
