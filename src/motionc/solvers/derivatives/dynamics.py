"""Derivatives of inverse dynamics by composite bodies (Carpentier and Mansard 2018; Singh, Wensing 2022).

When joint j moves on, all beyond it moves along; what its bodies see change is V and A of what came before:

    outward   ψ̇ = V_p × S,  ψ̈ = A_p × S + V_p × ψ̇             per unit of q
              S,             V_p × S + V × S                    per unit of v
    inward    H^c, C^c, F^c: inertia, Coriolis inertia and required wrench of a body and everything beyond it
              F_j,q = H^c ψ̈ + C^c ψ̇,   F_j,v = H^c (V_p × S + V × S) + C^c S
    pairs     ∂τ_i/∂q_j = S_iᵀ (F_j,q + S_j ×* F_j^c)    i before j
              ∂τ_i/∂q_j = (H^c_i S_i)ᵀ ψ̈_j + (C^cᵀ_i S_i)ᵀ ψ̇_j      i at or beyond j;   likewise by v;   ∂τ/∂a = M

C^c only reads angular velocity: it is the Coriolis force of all particles. Joints on different branches never meet.
What acts from outside comes in afterwards (derivatives/outside.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from motionc.geometry import WORLD_FRAME, JointAcceleration, JointInertia, WrenchBasis
from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    above,
    assemble,
    beside,
    is_known,
    symmetric,
    zeros,
)
from motionc.geometry.meaning import as_meant
from motionc.geometry.variation import CoriolisInertia, JointVariation, MotionVariation, TurnRows, swept_along
from motionc.program.kernels.tree import TREE_PAIRS
from motionc.program.sizes import WRITTEN_OUT
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.solvers.steps.articulated import Articulated, world_resists_gravity
from motionc.solvers.steps.asked import ask_motors
from motionc.solvers.steps.composite import compose_bodies, rigid_bodies, world_weighs_nothing
from motionc.solvers.steps.friction import Resisted, pair_friction, resist_faster
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.pull import at_world
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


@dataclass(frozen=True, slots=True)
class Tree:
    """All joint coordinates in the order of bodies, followers too: whose they are, and which are at and beyond each."""

    labels: tuple[str, ...]
    bodies: tuple[int, ...]
    pattern: tuple[int, ...]

    @staticmethod
    def of(graph: StateGraph[Varied]) -> "Tree":
        all_bodies = graph.mechanism.bodies
        last = {body.index: body.index for body in all_bodies}
        for body in reversed(all_bodies):
            last[body.parent] = max(last.get(body.parent, -1), last[body.index])
        start, count = dict[int, int](), 0
        for body in all_bodies:
            start[body.index] = count
            count += len(body.joint.labels)
        ends = [start.get(last[body.index] + 1, count) for body in all_bodies]
        labels = [(label, body.index) for body in all_bodies for label in body.joint.labels]
        pattern = [k for _, index in labels for k in (start[index], ends[index])]
        return Tree(tuple(label for label, _ in labels), tuple(index for _, index in labels), tuple(pattern))

    def beyond(self, i: int) -> range:
        """The coordinates of i's own joint and of all beyond it."""
        return range(*self.pattern[2 * i : 2 * i + 2])


def pairs(problem: Problem, tree: Tree, left: Coordinates, right: Coordinates) -> Any:
    """left_i · right_j of all j at or beyond i, by [i][j]; left has a row for each, right a column."""
    n = len(tree.labels)
    if n <= WRITTEN_OUT or not is_known(left, right):
        return {(i, j): _paired(left[i : i + 1, :], right[:, j : j + 1]) for i in range(n) for j in tree.beyond(i)}
    (flat,) = problem.call(TREE_PAIRS.on_tree(tree.pattern, left.shape[1]), left, right)
    return {(i, j): flat[i * n + j, 0] for i in range(n) for j in tree.beyond(i)}


def _paired(row: Coordinates, column: Coordinates) -> Coordinates:
    return (row @ column)[0, 0]


@operation(ROOT, needs=["world_pose", "directions", "force_columns"], gives=["mass_matrix"])
def pair_masses(graph: StateGraph[Varied], problem: Problem) -> None:
    """M_r: S_iᵀ H^c_j S_j of all pairs on one way to the root; followers count with their leader."""
    tree, place = Tree.of(graph), graph.places
    S, columns = _directions(graph), _stack(graph, "force_columns")
    masses = pairs(problem, tree, S.T, columns)
    rotors = {body.index: body.joint.rotor for body in graph.mechanism.bodies}
    entries: list[list[Any]] = [[0.0] * graph.mechanism.nv for _ in range(graph.mechanism.nv)]
    for (a, b), value in masses.items():
        (i, gain), (j, more) = place[tree.labels[a]], place[tree.labels[b]]
        value = (value + (rotors[tree.bodies[a]] if a == b else 0.0)) * (gain * more)
        entries[i][j] = entries[i][j] + value
        # of one joint's own coordinates both rows were paired
        if tree.bodies[a] != tree.bodies[b]:
            entries[j][i] = entries[j][i] + value
    graph.world.mass_matrix = JointInertia(graph.coordinates, symmetric(assemble(entries)) if entries else zeros(0, 0))


@operation(
    ROOT,
    needs=["world_pose", "directions", "force_columns", "wrench", "dV_dq", "dV_dv", "dF_dq", "dF_dv", "turn_rows"],
    gives=["dtau_dq", "dtau_dv"],
)
def pair_changes(graph: StateGraph[Varied], problem: Problem) -> None:
    """∂τ/∂q and ∂τ/∂v: of each pair of joints on one way to the root, both entries."""
    tree, S = Tree.of(graph), _directions(graph)
    turn, columns = _stack(graph, "turn_rows"), _stack(graph, "force_columns")
    place, speed, swept = _stack(graph, "dF_dq"), _stack(graph, "dF_dv"), _swept(graph)
    on = _stack(graph, "dV_dq")
    faster = _stack(graph, "dV_dv")
    felt = above(columns, turn)
    before_q, before_v = pairs(problem, tree, S.T, place + swept), pairs(problem, tree, S.T, speed)
    beyond_q, beyond_v = pairs(problem, tree, on.T, felt), pairs(problem, tree, faster.T, felt)
    # S ×* F turns what joints before feel; the joint itself is turned along
    own = {
        (a, b): _paired(S[:, a : a + 1].T, place[:, b : b + 1])
        for a in range(len(tree.labels))
        for b in tree.beyond(a)
        if tree.bodies[a] == tree.bodies[b]
    }
    graph.world.dtau_dq = _gathered(graph, tree, before_q | own, beyond_q)
    graph.world.dtau_dv = _gathered(graph, tree, before_v, beyond_v)


def _gathered(graph: StateGraph[Varied], tree: Tree, before: dict[Any, Any], beyond: dict[Any, Any]) -> JointVariation:
    """In the order of v: τ_i by coordinate j beyond i from `before`, τ_j by coordinate i from `beyond`."""
    nv, place = graph.mechanism.nv, graph.places
    entries: list[list[Any]] = [[0.0] * nv for _ in range(nv)]
    for (a, b), value in before.items():
        (i, gain), (j, more) = place[tree.labels[a]], place[tree.labels[b]]
        entries[i][j] = entries[i][j] + value * (gain * more)
        if tree.bodies[a] != tree.bodies[b]:
            entries[j][i] = entries[j][i] + beyond[a, b] * (gain * more)
    return JointVariation(graph.coordinates, graph.coordinates, assemble(entries) if nv else zeros(0, 0))


def _directions(graph: StateGraph[Varied]) -> Coordinates:
    """S of all joints where the world is, columns in the order of bodies."""
    return _beside([_six(at_world(graph, state.index, state.directions)) for state in graph])


def _stack(graph: StateGraph[Varied], quantity: str) -> Coordinates:
    """A quantity of all joints where the world is, columns in the order of bodies."""
    columns = list[Any]()
    for state in graph:
        relation = state[quantity]
        if quantity == "turn_rows":
            turned = relation.change_frame(state.world_pose.orientation)
            columns.append(as_meant(turned, "rows of angular velocity", as_seen_by=WORLD_FRAME).values)
            continue
        relation = at_world(graph, state.index, relation)
        if isinstance(relation, MotionVariation):
            # what pairs with H S, then with what feels angular velocity
            acceleration, turn = _six(relation.acceleration), relation.twist.angular
            columns.append(above(acceleration, turn))
        else:
            columns.append(_six(relation))
    return _beside(columns)


def _swept(graph: StateGraph[Varied]) -> Coordinates:
    """S ×* F^c of all joints where the world is."""
    columns = list[Any]()
    for state in graph:
        columns.append(_six(at_world(graph, state.index, swept_along(state.wrench, state.directions))))
    return _beside(columns)


def _six(relation: Any) -> Coordinates:
    return above(relation.angular, relation.linear)


def _beside(blocks: Sequence[Any]) -> Coordinates:
    return beside(*blocks) if blocks else UNKNOWN


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
    sweep(rigid_bodies),
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
