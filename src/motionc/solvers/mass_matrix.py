"""The mass matrix by composite bodies (specs/robcogen.md §2.8.2, §2.9), and its factor and inverse along the tree.

    inward    H_i^c = H_i + Tᵀ H_i+1^c T          composite bodies
              F_i = [H_i^c S_i, Tᵀ F_i+1 …]       what it takes to accelerate each joint beyond, handed down
              M_i,j = S_iᵀ F_i,j (+ d_i on the diagonal)
    root      M_r = Gᵀ M G, followers with their leaders;  Lᵀ L = M_r, the joint farthest out first;  M_r⁻¹, M_r⁻¹ r

Joints on different branches never meet in a column, so that no instruction is spent on their zeros, in M nor in L.
"""

from typing import Any

from motionc.geometry import INERTIA, WORLD, WORLD_FRAME, JointBias, JointInertia, RigidInertia, WrenchBasis
from motionc.geometry.coordinates import Coordinates, assemble, symmetric, zeros
from motionc.solvers.steps.motion import poses
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph


@operation(ROOT, gives=["composite"])
def world_weighs_nothing(graph: StateGraph, setting: Setting) -> None:
    """What is fixed to the world never moves, and is not counted."""
    graph.world.composite = RigidInertia.about_center_of_mass(WORLD, WORLD_FRAME, 0.0, (0, 0, 0), zeros(3, 3))


@operation(OUTWARD, gives=["composite"])
def rigid_bodies(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.composite = joint.inertia


@operation(OUTWARD, gives=["columns"])
def no_columns(joint: JointView, parent: BodyState, child: BodyState) -> None:
    none = zeros(3, 0)
    child.columns = WrenchBasis(child.body, INERTIA, child.frame.origin, child.frame, none, none)


@operation(INWARD, needs=["pose", "composite"], gives=["composite"])
def compose_bodies(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """A body and everything beyond it, as if it were one."""
    X = child.pose
    inertia = child.composite.change_frame(X.orientation).change_point(X.position.inverse())
    parent.composite = parent.composite + inertia


@operation(INWARD, needs=["pose", "composite", "columns"], gives=["columns", "mass"])
def feel_columns(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What it takes to accelerate each joint at and beyond this one, as this one feels it."""
    X, S = child.pose, joint.basis
    child.columns = child.composite.along(S).beside(child.columns.exerted_by(parent.body))
    child.mass = S.pair(child.columns)
    if not parent.is_world:
        passed = child.columns.change_frame(X.orientation).change_point(X.position.inverse()).handed_down()
        parent.columns = parent.columns.beside(passed)


@operation(ROOT, needs=["mass"], gives=["system"])
def gather_masses(graph: StateGraph, setting: Setting) -> None:
    """M_r, in independent coordinates: followers count with their leader."""
    setting.notice("rotor")
    graph.world.system = JointInertia(graph.coordinates, _entries(graph))


@operation(ROOT, needs=["system"], gives=["mobility", "root"])
def invert_masses(graph: StateGraph, setting: Setting) -> None:
    graph.world.mobility = graph.world.system.inverse()
    graph.world.root = graph.world.system.root()


@operation(ROOT, needs=["system"], gives=["together"])
def divide_by_masses(graph: StateGraph, setting: Setting) -> None:
    """M_r⁻¹ r, by substitution alone."""
    joints = graph.coordinates
    graph.world.together = graph.world.system.solve(JointBias(joints, setting.rows("r", slice(None))))


def _entries(graph: StateGraph) -> Coordinates:
    """GᵀMG with rotor inertias on the diagonal of M, in the order of v."""
    bodies, nv = graph.mechanism.bodies, graph.mechanism.nv
    place = graph.places
    entries: list[list[Any]] = [[0.0] * nv for _ in range(nv)]
    for body in bodies:
        mass = graph[body.index].mass
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

MASS_MATRIX = Schedule("mass_matrix", (sweep(poses), *MASSES))
MASS_MATRIX_INVERSE = Schedule("mass_matrix_inverse", (*MASS_MATRIX.sweeps, sweep(invert_masses)))
MASS_MATRIX_SOLVE = Schedule("mass_matrix_solve", (*MASS_MATRIX.sweeps, sweep(divide_by_masses)))
