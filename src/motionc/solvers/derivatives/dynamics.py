"""Derivatives of inverse dynamics by composite bodies (Carpentier and Mansard 2018; Singh, Wensing 2022).

When joint j moves on, all beyond it moves along; what its bodies see change is V and A of what came before:

    outward   ψ̇ = V_p × S,  ψ̈ = A_p × S + V_p × ψ̇             per unit of q
              S,             V_p × S + V × S                    per unit of v
    inward    H^c, C^c, F^c: inertia, Coriolis inertia and required wrench of a body and everything beyond it
              F_j,q = H^c ψ̈ + C^c ψ̇,   F_j,v = H^c (V_p × S + V × S) + C^c S
    pairs     ∂τ_i/∂q_j = S_iᵀ (F_j,q + S_j ×* F_j^c)    i before j
              ∂τ_i/∂q_j = S_iᵀ F_j,q                      i and j of one joint, where it is
              ∂τ_i/∂q_j = (H^c_i S_i)ᵀ ψ̈_j + (C^cᵀ_i S_i)ᵀ ψ̇_j      i beyond j;   likewise by v;   ∂τ/∂a = M

C^c only reads angular velocity: it is the Coriolis force of all particles. Joints on different branches never meet.
What acts from outside comes in afterwards (derivatives/outside.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from motionc.geometry import JointAcceleration, JointInertia, Pose, WrenchBasis
from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    above,
    assemble,
    beside,
    is_known,
    is_symbolic,
    masked,
    zeros,
)
from motionc.geometry.variation import CoriolisInertia, JointVariation, MotionVariation, TurnRows, swept_along
from motionc.solvers.derivatives.pairs import Pairs, Tree, pairs, symmetric_pairs
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.solvers.steps.articulated import Articulated, world_resists_gravity
from motionc.solvers.steps.asked import ask_motors
from motionc.solvers.steps.composite import compose_bodies, rigid_bodies, world_weighs_nothing
from motionc.solvers.steps.friction import Resisted, pair_friction, resist_faster
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.together import what_is_left
from motionc.solvers.steps.tree_solve import Factored, accelerate_along_tree, factor_masses
from motionc.solvers.steps.wrenches import hand_down, no_wrench
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation, sweep
from motionc.sweeps.state import Slot, StateGraph


class Varied(Articulated, Factored, Resisted):
    """How a joint that moves on, or faster, changes motion and wrenches, and what of that motors feel."""

    dV_dq = Slot(MotionVariation)
    dV_dv = Slot(MotionVariation)
    coriolis = Slot(CoriolisInertia)
    dF_dq = Slot(WrenchBasis)
    dF_dv = Slot(WrenchBasis)
    turn_rows = Slot(TurnRows, "body")
    root_pose = Slot(Pose)
    dtau_dq = Slot(JointVariation, "none")


# ---------------------------------------------------------------- outward


@operation(OUTWARD, gives=["joint_acceleration"])
def asked(joint: JointView, parent: Varied, child: Varied) -> None:
    child.joint_acceleration = joint.acceleration


@operation(ROOT, needs=["accelerations"], gives=["joint_acceleration"])
def spread_accelerations(graph: StateGraph[Varied], problem: Problem) -> None:
    """What all joints do together, joint by joint; a follower goes with its leader."""
    values = graph.world.accelerations.values
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        own = values[body.joint.v, :] * graph.gain(body)
        state.joint_acceleration = JointAcceleration(state.joints, own)


@operation(OUTWARD, needs=["pose"], gives=["root_pose"], equation="X_ri = X_rp X_i")
def root_poses(joint: JointView, parent: Varied, child: Varied) -> None:
    """Where the body is on the first of its tree. Pairs of joints meet there: what moves all of them turns nothing."""
    child.root_pose = (
        Pose.between(child.frame, child.frame) if parent.is_world else parent.root_pose.compose(child.pose)
    )


@operation(
    OUTWARD,
    needs=["pose", "twist", "acceleration", "joint_acceleration"],
    gives=["acceleration", "dV_dq", "dV_dv"],
)
def vary(joint: JointView, parent: Varied, child: Varied) -> None:
    """How a joint that moves on, or faster, changes what the bodies beyond it see of their own motion."""
    X, S, own = child.pose, joint.basis, child.twist
    V = parent.twist.change_point(X.position).change_frame(X.orientation.inverse())
    A = parent.acceleration.change_point(X.position).change_frame(X.orientation.inverse())
    child.dV_dq = MotionVariation.moving_on(S, V, A)
    child.dV_dv = MotionVariation.moving_faster(S, V, own)
    child.acceleration = A.compose(joint.spatial_bias(own)).driven(S.times(child.joint_acceleration))


@operation(OUTWARD, needs=["twist", "acceleration"], gives=["wrench", "coriolis"])
def require_wrench(joint: JointView, parent: Varied, child: Varied) -> None:
    """What the body's motion requires, and what it would require more if it turned faster."""
    H, V = joint.inertia, child.twist
    child.wrench = H.required_wrench(child.acceleration.to_classical(V), V).exerted_by(parent.body)
    child.coriolis = CoriolisInertia.of_body(H, V)


# ---------------------------------------------------------------- inward


@operation(ROOT, gives=["wrench"])
def world_needs_nothing(graph: StateGraph[Varied], problem: Problem) -> None:
    graph.world.wrench = no_wrench(graph.world)


@operation(INWARD, needs=["pose", "coriolis"], gives=["coriolis"], equation="B^c_p += X^T B^c_i X")
def compose_coriolis(joint: JointView, parent: Varied, child: Varied) -> None:
    X = child.pose
    if not parent.is_world:
        passed = child.coriolis.change_frame(X.orientation).change_point(X.position.inverse())
        parent.coriolis = parent.coriolis + passed


@operation(OUTWARD, needs=["composite"], gives=["force_columns"], equation="F_i = H^c S")
def accelerate_alone(joint: JointView, parent: Varied, child: Varied) -> None:
    """What it takes to accelerate this joint alone, with all that hangs on it."""
    child.force_columns = child.composite.along(joint.basis)


@operation(
    OUTWARD,
    needs=["composite", "coriolis", "dV_dq", "dV_dv"],
    gives=["dF_dq", "dF_dv", "turn_rows"],
)
def require_more(joint: JointView, parent: Varied, child: Varied) -> None:
    """What all beyond the joint requires more when it moves on, or faster; what it feels of what turns before it."""
    H, C = child.composite, child.coriolis
    child.dF_dq = C.required(child.dV_dq, H)
    child.dF_dv = C.required(child.dV_dv, H)
    child.turn_rows = C.felt(joint.basis)


# ---------------------------------------------------------------- pairs


def own_pairs(graph: StateGraph[Varied], tree: Tree, columns: Callable[[Varied], WrenchBasis]) -> Pairs:
    """S_i · column_j of coordinates of one joint: where it is, S is constant."""
    found = Pairs()
    for state in graph:
        values = _six(state.directions).T @ _six(columns(state))
        own = [k for k, index in enumerate(tree.bodies) if index == state.index]
        found |= {(i, j): values[a, b] for a, i in enumerate(own) for b, j in enumerate(own)}
    return found


@operation(ROOT, needs=["root_pose", "directions", "force_columns"], gives=["mass_matrix"])
def pair_masses(graph: StateGraph[Varied], problem: Problem) -> None:
    """M_r: S_iᵀ H^c_j S_j of all pairs on one way to the root; followers count with their leader."""
    tree = Tree.of(graph.mechanism)
    S, columns = _stack(graph, _direction), _stack(graph, _force_column)
    rotors = {body.index: body.joint.rotor for body in graph.mechanism.bodies if _is_there(body.joint.rotor)}
    masses = symmetric_pairs(problem, tree, S, columns, partial(own_pairs, graph, tree, _own_force))
    masses |= {(k, k): masses[k, k] + rotors[index] for k, index in enumerate(tree.bodies) if index in rotors}
    graph.world.mass_matrix = JointInertia(graph.coordinates, _gathered(graph, tree, masses))


@operation(
    ROOT,
    needs=["root_pose", "directions", "force_columns", "wrench", "dV_dq", "dV_dv", "dF_dq", "dF_dv", "turn_rows"],
    gives=["dtau_dq", "dtau_dv"],
)
def pair_changes(graph: StateGraph[Varied], problem: Problem) -> None:
    """∂τ/∂q and ∂τ/∂v: of each pair of joints on one way to the root, both entries."""
    tree, S, felt = Tree.of(graph.mechanism), _stack(graph, _direction), _stack(graph, _felt)
    on, faster = _stack(graph, _moved_on), _stack(graph, _moved_faster)
    own_by_q, own_by_v = (partial(own_pairs, graph, tree, columns) for columns in (_own_by_q, _own_by_v))
    by_q = pairs(problem, tree, (S, _stack(graph, _forced_on)), (on, felt), own_by_q)
    by_v = pairs(problem, tree, (S, _stack(graph, _forced_faster)), (faster, felt), own_by_v)
    graph.world.dtau_dq, graph.world.dtau_dv = (
        JointVariation(graph.coordinates, graph.coordinates, _gathered(graph, tree, by)) for by in (by_q, by_v)
    )


def _is_there(rotor: Any) -> bool:
    """Whether a rotor is anything but the number 0, as one is that is given with each call."""
    return not isinstance(rotor, float) or rotor != 0.0


@dataclass(frozen=True, slots=True)
class Carried:
    """Columns of ∂a of joints that carry all the rest along; others are empty, and so are their columns of ∂τ, when
    these are taken off.
    """

    columns: tuple[int, ...]
    accelerations: Coordinates

    def left(self, forces: Coordinates) -> Coordinates:
        """∂τ without these columns."""
        return masked(forces, ~np.isin(np.arange(self.accelerations.shape[1]), self.columns))


def carried_along(graph: StateGraph[Varied], by: str) -> Carried | None:
    """Columns of ∂a/∂q or ∂a/∂v that a joint on the world makes up itself, where it moves any way (S = 1); else None.

    When it moves on, or drifts faster, it is as if all accelerated more by a column x: ∂τ = M x, all of which the joint
    makes up itself, ∂a = - x. When it turns faster, Coriolis forces act, and it does not.
    """
    nv = graph.mechanism.nv
    entries: list[list[Any]] = [[0.0] * nv for _ in range(nv)]
    columns = list[int]()
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        own = range(body.joint.v.start, body.joint.v.stop)
        held = body.parent >= 0 or _is_there(body.joint.rotor) or (by == "v" and "effective_damping" in state)
        if held or not is_known(state.directions.angular, state.dV_dq.acceleration.angular):
            continue
        S, x = _six(state.directions), _six(state.dV_dq.acceleration if by == "q" else state.dV_dv.acceleration)
        if len(own) < 6 or is_symbolic(S) or not np.array_equal(S, np.eye(6)):
            continue
        for k, column in enumerate(own):
            if by == "q" or not S[:3, k].any():
                columns.append(column)
                for i, row in enumerate(own):
                    entries[row][column] = -x[i, k]
    return Carried(tuple(columns), assemble(entries)) if columns else None


def _gathered(graph: StateGraph[Varied], tree: Tree, values: Pairs) -> Coordinates:
    """In the order of v; followers count with their leader."""
    nv, place = graph.mechanism.nv, graph.places
    entries: list[list[Any]] = [[0.0] * nv for _ in range(nv)]
    for (a, b), value in values.items():
        (i, gain), (j, more) = place[tree.labels[a]], place[tree.labels[b]]
        entries[i][j] = entries[i][j] + value * (gain * more)
    return assemble(entries) if nv else zeros(0, 0)


def _stack(graph: StateGraph[Varied], quantity: Callable[[Varied], Coordinates]) -> Coordinates:
    """A quantity of all joints, columns in the order of bodies."""
    columns = [quantity(state) for state in graph]
    return beside(*columns) if columns else UNKNOWN


def _own_force(state: Varied) -> WrenchBasis:
    """H^c S, where the joint is."""
    return state.force_columns


def _own_by_q(state: Varied) -> WrenchBasis:
    """F,q, where the joint is."""
    return state.dF_dq


def _own_by_v(state: Varied) -> WrenchBasis:
    """F,v, where the joint is."""
    return state.dF_dv


def _at_root(state: Varied, relation: Any) -> Coordinates:
    """What belongs to a body, at the origin of its tree's first one, in its axes."""
    X = state.root_pose
    return _six(relation.change_frame(X.orientation).change_point(X.position.inverse()))


def _direction(state: Varied) -> Coordinates:
    """S."""
    return _at_root(state, state.directions)


def _force_column(state: Varied) -> Coordinates:
    """H^c S."""
    return _at_root(state, state.force_columns)


def _felt(state: Varied) -> Coordinates:
    """What a joint feels of accelerations, then of angular velocities: H^c S above C^cᵀ S."""
    return above(_force_column(state), state.turn_rows.change_frame(state.root_pose.orientation).values)


def _forced_on(state: Varied) -> Coordinates:
    """F,q + S ×* F^c, which turns what joints before feel; the joint itself is turned along."""
    swept = swept_along(state.wrench, state.directions)
    return _at_root(state, state.dF_dq.shifted(swept.angular, swept.linear))


def _forced_faster(state: Varied) -> Coordinates:
    """F,v."""
    return _at_root(state, state.dF_dv)


def _moved_on(state: Varied) -> Coordinates:
    """ψ̈ above the angular part of ψ̇: what pairs with accelerations, then with angular velocities."""
    return above(_at_root(state, state.dV_dq.acceleration), _at_root(state, state.dV_dq.twist)[:3, :])


def _moved_faster(state: Varied) -> Coordinates:
    """2 ψ̇ and, of joints with several coordinates, what these do to each other, above the angular part of S."""
    twist, swept = state.dV_dq.twist, state.dV_dv.acceleration
    among = swept.shifted(-2 * twist.angular, -2 * twist.linear)
    return above(2 * _at_root(state, twist) + _at_root(state, among), _direction(state)[:3, :])


def _six(relation: Any) -> Coordinates:
    return above(relation.angular, relation.linear)


# ---------------------------------------------------------------- schedules


CHANGES = (
    sweep(world_resists_gravity, world_needs_nothing),
    sweep(vary, require_wrench),
    sweep(compose_coriolis, hand_down),
    sweep(require_more, resist_faster),
    sweep(pair_changes, pair_friction),
)
"""From how joints accelerate, and H^c, to ∂τ/∂q and ∂τ/∂v."""


TREE_MASSES = (
    sweep(world_weighs_nothing),
    sweep(rigid_bodies, root_poses),
    sweep(compose_bodies),
    sweep(accelerate_alone),
    sweep(pair_masses, factor_masses),
)


FORCE_CHANGES = (
    sweep(world_at_origin, world_at_rest),
    sweep(poses, world_poses, twists, asked),
    *TREE_MASSES,
    *CHANGES,
)


ACCELERATION_CHANGES = (
    *INVERSE_DYNAMICS.sweeps,
    *TREE_MASSES,
    sweep(ask_motors, what_is_left, accelerate_along_tree, spread_accelerations),
    *CHANGES,
)
