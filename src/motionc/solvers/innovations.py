"""The mass matrix and its inverse by innovations (specs/multibody-methodology.md §2.4.3, signs of its erratum E8).

    inward    D = Sᵀ H^A S + d,  P = 1 - H^A S D⁻¹ Sᵀ,  H_i^A += Tᵀ P H^A T      as in forward dynamics
    outward   X = T X_i, beside S                     how joints move this body, none giving way: Φ H
              Y = T Y_i - S D⁻¹ Sᵀ H^A T Y_i, beside S   the same, free joints giving way: Ψ H
    root      L = 1 + D⁻¹ Sᵀ H^A X = 1 + K Φ H        M = Lᵀ D L
              N = 1 - D⁻¹ Sᵀ H^A Y = 1 - K Ψ H        M⁻¹ = N D⁻¹ Nᵀ

A second way to both matrices, of joints that are all independent; composite bodies are the shorter one.
"""

from typing import Any

from motionc.geometry import WORLD, WORLD_FRAME, JointInertia, JointMobility, MotionBasis
from motionc.geometry.coordinates import (
    Coordinates,
    assemble,
    solve_positive_definite,
    symmetric,
    zeros,
)
from motionc.solvers.forward_dynamics import articulate, give_way, rigid_start
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.wrenches import apply_wrenches
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph


@operation(ROOT, gives=["moved", "yielding"])
def world_is_still(graph: StateGraph, setting: Setting) -> None:
    none = zeros(3, 0)
    graph.world.moved = MotionBasis(WORLD, WORLD, WORLD_FRAME.origin, WORLD_FRAME, none, none)
    graph.world.yielding = graph.world.moved


@operation(OUTWARD, needs=["pose", "moved", "projector"], gives=["moved", "innovation"])
def move(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """How far this joint would give way to unit accelerations of those before it."""
    X, P = child.pose, child.projector
    carried = parent.moved.change_point(X.position).change_frame(X.orientation.inverse())
    child.innovation = P.response(carried.compose(joint.locked))
    child.moved = carried.compose(joint.basis)


@operation(OUTWARD, needs=["pose", "yielding", "projector"], gives=["yielding", "whitening"])
def move_free(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """The same where those between have given way themselves."""
    X, P = child.pose, child.projector
    carried = parent.yielding.change_point(X.position).change_frame(X.orientation.inverse()).compose(joint.locked)
    child.whitening = P.response(carried)
    child.yielding = carried.give_way(joint.basis, child.whitening)


@operation(ROOT, needs=["projector", "innovation", "whitening"], gives=["system", "mobility"])
def multiply(graph: StateGraph, setting: Setting) -> None:
    """M = Lᵀ D L and M⁻¹ = N D⁻¹ Nᵀ."""
    L, N, D = _rows(graph, "innovation", 1.0), _rows(graph, "whitening", -1.0), _blocks(graph)
    graph.world.system = JointInertia(graph.coordinates, symmetric(L.T @ D @ L))
    mobility = symmetric(N @ solve_positive_definite(D, N.T))
    graph.world.mobility = JointMobility(graph.coordinates, mobility)


def _rows(graph: StateGraph, quantity: str, sign: float) -> Coordinates:
    """1 ± the responses of all joints, in the order of v."""
    nv, place = graph.mechanism.nv, graph.places
    entries: list[list[Any]] = [[float(i == j) for j in range(nv)] for i in range(nv)]
    for state in graph:
        response = state[quantity]
        for a, one in enumerate(response.joints):
            for b, other in enumerate(response.to):
                entries[place[one][0]][place[other][0]] = sign * response.values[a, b]
    return assemble(entries)


def _blocks(graph: StateGraph) -> Coordinates:
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
        sweep(apply_wrenches),
        sweep(rigid_start),
        sweep(give_way, articulate),
        sweep(world_is_still),
        sweep(move, move_free),
        sweep(multiply),
    ),
)
