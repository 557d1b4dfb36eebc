"""The mass matrix and its inverse by innovations (specs/multibody-methodology.md §2.4.3, signs of its erratum E8).

    inward    D = Sᵀ H^A S + d,  P = 1 - H^A S D⁻¹ Sᵀ,  H_i^A += Tᵀ P H^A T      as in forward dynamics
    outward   X = T X_i, beside S                     how joints move this body, none giving way: Φ H
              Y = T Y_i - S D⁻¹ Sᵀ H^A T Y_i, beside S   the same, free joints giving way: Ψ H
    root      L = 1 + D⁻¹ Sᵀ H^A X = 1 + K Φ H        M = Lᵀ D L
              N = 1 - D⁻¹ Sᵀ H^A Y = 1 - K Ψ H        M⁻¹ = N D⁻¹ Nᵀ

A second way to both matrices, of joints that are all independent; composite bodies are the shorter one.
"""

from typing import Any

from motionc.geometry import WORLD, WORLD_FRAME, JointInertia, JointMobility, JointResponse, MotionBasis
from motionc.geometry.coordinates import Coordinates, assemble, solve_positive_definite, symmetric, zeros
from motionc.solvers.steps.articulated import Articulated, articulate, give_way, rigid_start
from motionc.solvers.steps.asked import ask_motors
from motionc.solvers.steps.composite import Composite
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.wrenches import apply_wrenches
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import Slot, StateGraph


class Innovated(Articulated, Composite):
    """How joints before a body move it, rigid or giving way, and how far its own joint gives way to that."""

    motion_columns = Slot(MotionBasis)
    free_motion_columns = Slot(MotionBasis)
    innovation = Slot(JointResponse, "joint")
    whitening = Slot(JointResponse, "joint")
    mass_matrix_inverse = Slot(JointMobility, "none")


@operation(ROOT, gives=["motion_columns", "free_motion_columns"])
def world_is_still(graph: StateGraph[Innovated], problem: Problem) -> None:
    none = zeros(3, 0)
    graph.world.motion_columns = MotionBasis(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, none, none)
    graph.world.free_motion_columns = graph.world.motion_columns


@operation(OUTWARD, needs=["pose", "motion_columns", "projector"], gives=["motion_columns", "innovation"])
def move(joint: JointView, parent: Innovated, child: Innovated) -> None:
    """How far this joint would give way to unit accelerations of those before it."""
    X, P = child.pose, child.projector
    carried = parent.motion_columns.change_point(X.position).change_frame(X.orientation.inverse())
    child.innovation = P.response(carried.compose(joint.locked))
    child.motion_columns = carried.compose(joint.basis)


@operation(OUTWARD, needs=["pose", "free_motion_columns", "projector"], gives=["free_motion_columns", "whitening"])
def move_free(joint: JointView, parent: Innovated, child: Innovated) -> None:
    """The same where those between have given way themselves."""
    X, P = child.pose, child.projector
    carried = (
        parent.free_motion_columns.change_point(X.position).change_frame(X.orientation.inverse()).compose(joint.locked)
    )
    child.whitening = P.response(carried)
    child.free_motion_columns = carried.give_way(joint.basis, child.whitening)


@operation(ROOT, needs=["projector", "innovation", "whitening"], gives=["mass_matrix", "mass_matrix_inverse"])
def multiply(graph: StateGraph[Innovated], problem: Problem) -> None:
    """M = Lᵀ D L and M⁻¹ = N D⁻¹ Nᵀ."""
    L, N, D = _rows(graph, "innovation", 1.0), _rows(graph, "whitening", -1.0), _blocks(graph)
    graph.world.mass_matrix = JointInertia(graph.coordinates, symmetric(L.T @ D @ L))
    mobility = symmetric(N @ solve_positive_definite(D, N.T))
    graph.world.mass_matrix_inverse = JointMobility(graph.coordinates, mobility)


def _rows(graph: StateGraph[Innovated], quantity: str, sign: float) -> Coordinates:
    """1 ± the responses of all joints, in the order of v."""
    nv, place = graph.mechanism.nv, graph.places
    entries: list[list[Any]] = [[float(i == j) for j in range(nv)] for i in range(nv)]
    for state in graph:
        response = state[quantity]
        for a, one in enumerate(response.joints):
            for b, other in enumerate(response.to):
                entries[place[one][0]][place[other][0]] = sign * response.values[a, b]
    return assemble(entries)


def _blocks(graph: StateGraph[Innovated]) -> Coordinates:
    """D of all joints, one block each."""
    nv, place = graph.mechanism.nv, graph.places
    entries: list[list[Any]] = [[0.0] * nv for _ in range(nv)]
    for state in graph:
        felt = state.projector.inertia
        for a, one in enumerate(felt.joints):
            for b, other in enumerate(felt.joints):
                entries[place[one][0]][place[other][0]] = felt.values[a, b]
    return assemble(entries)


INNOVATIONS = Schedule(
    "innovations",
    (
        # forward dynamics at rest: nothing but inertias is left of it
        sweep(world_at_origin, world_at_rest),
        sweep(poses, world_poses, twists),
        sweep(apply_wrenches, ask_motors),
        sweep(rigid_start),
        sweep(give_way, articulate),
        sweep(world_is_still),
        sweep(move, move_free),
        sweep(multiply),
    ),
)
