"""How motor forces change with q and v, by composite bodies (Carpentier and Mansard 2018; Singh, Wensing 2022).

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
from itertools import accumulate
from typing import Any

from motionc.geometry import JointAcceleration, JointBias, JointInertia
from motionc.geometry.coordinates import (
    UNKNOWN,
    Coordinates,
    above,
    assemble,
    beside,
    filled,
    is_known,
    solve_positive_definite,
    symmetric,
    zeros,
)
from motionc.geometry.variation import CoriolisInertia, JointVariation, MotionVariation, swept_along
from motionc.program.kernels.tree import TREE_FACTOR, TREE_PAIRS, TREE_SOLVE
from motionc.program.sizes import WRITTEN_OUT
from motionc.solvers.forward_dynamics import world_resists_gravity
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.solvers.mass_matrix import compose_bodies, rigid_bodies, world_weighs_nothing
from motionc.solvers.steps.motion import poses, twists, world_at_origin, world_at_rest, world_poses
from motionc.solvers.steps.pull import at_world
from motionc.solvers.steps.wrenches import hand_down, no_wrench
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph, joint_values

# ---------------------------------------------------------------- outward


@operation(OUTWARD, gives=["joint_acceleration"])
def asked(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.joint_acceleration = joint.acceleration


@operation(ROOT, needs=["together"], gives=["joint_acceleration"])
def found(graph: StateGraph, setting: Setting) -> None:
    """What all joints do together, joint by joint; a follower goes with its leader."""
    values = graph.world.together.values
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        own = values[body.joint.v, :] * body.joint.gain
        state.joint_acceleration = JointAcceleration(state.joints, own)


@operation(
    OUTWARD,
    needs=["pose", "twist", "acceleration", "joint_acceleration"],
    gives=["acceleration", "moving_on", "moving_faster"],
)
def vary(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """How a joint that moves on, or faster, changes what the bodies beyond it see of their own motion."""
    X, S, own = child.pose, joint.basis, child.twist
    V = parent.twist.change_point(X.position).change_frame(X.orientation.inverse())
    A = parent.acceleration.change_point(X.position).change_frame(X.orientation.inverse())
    child.moving_on = MotionVariation.moving_on(S, V, A)
    child.moving_faster = MotionVariation.moving_faster(S, V, own)
    child.acceleration = A.compose(own.spatial_bias(S.times(joint.velocity))).driven(S.times(child.joint_acceleration))


@operation(OUTWARD, needs=["twist", "acceleration"], gives=["wrench", "coriolis"])
def weigh(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What the body's motion requires, and what it would require more if it turned faster."""
    H, V = joint.inertia, child.twist
    child.wrench = H.required_wrench(child.acceleration.to_classical(V), V).exerted_by(parent.body)
    child.coriolis = CoriolisInertia.of_body(H, V)


# ---------------------------------------------------------------- inward


@operation(ROOT, gives=["wrench"])
def world_needs_nothing(graph: StateGraph, setting: Setting) -> None:
    graph.world.wrench = no_wrench(graph.world)


@operation(INWARD, needs=["pose", "coriolis"], gives=["coriolis"])
def compose_coriolis(joint: JointView, parent: BodyState, child: BodyState) -> None:
    X = child.pose
    if not parent.is_world:
        passed = child.coriolis.change_frame(X.orientation).change_point(X.position.inverse())
        parent.coriolis = parent.coriolis + passed


@operation(OUTWARD, needs=["composite"], gives=["columns"])
def accelerate_alone(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What it takes to accelerate this joint alone, with all that hangs on it."""
    child.columns = child.composite.along(joint.basis)


@operation(
    OUTWARD,
    needs=["composite", "coriolis", "moving_on", "moving_faster"],
    gives=["by_place", "by_speed", "by_turn"],
)
def require_more(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What all beyond the joint requires more when it moves on, or faster; what it feels of what turns before it."""
    H, C = child.composite, child.coriolis
    child.by_place = C.required(child.moving_on, H)
    child.by_speed = C.required(child.moving_faster, H)
    child.by_turn = C.felt(joint.basis)


# ---------------------------------------------------------------- pairs


@dataclass(frozen=True, slots=True)
class Tree:
    """All joint coordinates in the order of bodies, followers too: whose they are, and which are at and beyond each."""

    labels: tuple[str, ...]
    bodies: tuple[int, ...]
    pattern: tuple[int, ...]

    @staticmethod
    def of(graph: StateGraph) -> "Tree":
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


def pairs(setting: Setting, tree: Tree, left: Coordinates, right: Coordinates) -> Any:
    """left_i · right_j of all j at or beyond i, by [i][j]; left has a row for each, right a column."""
    n = len(tree.labels)
    if n <= WRITTEN_OUT or not is_known(left, right):
        return {(i, j): _paired(left[i : i + 1, :], right[:, j : j + 1]) for i in range(n) for j in tree.beyond(i)}
    (flat,) = setting.call(TREE_PAIRS.on_tree(tree.pattern, left.shape[1]), left, right)
    return {(i, j): flat[i * n + j, 0] for i in range(n) for j in tree.beyond(i)}


def _paired(row: Coordinates, column: Coordinates) -> Coordinates:
    return (row @ column)[0, 0]


@operation(ROOT, needs=["world_pose", "columns"], gives=["system"])
def pair_masses(graph: StateGraph, setting: Setting) -> None:
    """M_r: S_iᵀ H^c_j S_j of all pairs on one way to the root; followers count with their leader."""
    tree, place = Tree.of(graph), graph.places
    S, columns = _directions(graph), _stack(graph, "columns")
    found = pairs(setting, tree, S.T, columns)
    rotors = {body.index: body.joint.rotor for body in graph.mechanism.bodies}
    entries: list[list[Any]] = [[0.0] * graph.mechanism.nv for _ in range(graph.mechanism.nv)]
    for (a, b), value in found.items():
        (i, gain), (j, more) = place[tree.labels[a]], place[tree.labels[b]]
        value = (value + (rotors[tree.bodies[a]] if a == b else 0.0)) * (gain * more)
        entries[i][j] = entries[i][j] + value
        # of one joint's own coordinates both rows were paired
        if tree.bodies[a] != tree.bodies[b]:
            entries[j][i] = entries[j][i] + value
    graph.world.system = JointInertia(graph.coordinates, symmetric(assemble(entries)) if entries else zeros(0, 0))


@operation(
    ROOT,
    needs=["world_pose", "columns", "wrench", "moving_on", "moving_faster", "by_place", "by_speed", "by_turn"],
    gives=["force_by_q", "force_by_v"],
)
def pair_changes(graph: StateGraph, setting: Setting) -> None:
    """∂τ/∂q and ∂τ/∂v: of each pair of joints on one way to the root, both entries."""
    tree, S = Tree.of(graph), _directions(graph)
    turn, columns = _stack(graph, "by_turn"), _stack(graph, "columns")
    place, speed, swept = _stack(graph, "by_place"), _stack(graph, "by_speed"), _swept(graph)
    on = _stack(graph, "moving_on")
    faster = _stack(graph, "moving_faster")
    felt = above(columns, turn)
    before_q, before_v = pairs(setting, tree, S.T, place + swept), pairs(setting, tree, S.T, speed)
    beyond_q, beyond_v = pairs(setting, tree, on.T, felt), pairs(setting, tree, faster.T, felt)
    # S ×* F turns what joints before feel; the joint itself is turned along
    own = {
        (a, b): _paired(S[:, a : a + 1].T, place[:, b : b + 1])
        for a in range(len(tree.labels))
        for b in tree.beyond(a)
        if tree.bodies[a] == tree.bodies[b]
    }
    graph.world.force_by_q = _gathered(graph, tree, before_q | own, beyond_q)
    graph.world.force_by_v = _gathered(graph, tree, before_v, beyond_v)


def _gathered(graph: StateGraph, tree: Tree, before: dict[Any, Any], beyond: dict[Any, Any]) -> JointVariation:
    """In the order of v: τ_i by coordinate j beyond i from `before`, τ_j by coordinate i from `beyond`."""
    nv, place = graph.mechanism.nv, graph.places
    entries: list[list[Any]] = [[0.0] * nv for _ in range(nv)]
    for (a, b), value in before.items():
        (i, gain), (j, more) = place[tree.labels[a]], place[tree.labels[b]]
        entries[i][j] = entries[i][j] + value * (gain * more)
        if tree.bodies[a] != tree.bodies[b]:
            entries[j][i] = entries[j][i] + beyond[a, b] * (gain * more)
    return JointVariation(graph.coordinates, graph.coordinates, assemble(entries) if nv else zeros(0, 0))


def _directions(graph: StateGraph) -> Coordinates:
    """S of all joints where the world is, columns in the order of bodies."""
    found = [
        at_world(graph, body.index, body.joint.basis(body.body, graph[body.parent].body))
        for body in graph.mechanism.bodies
    ]
    return _beside([_six(relation) for relation in found])


def _stack(graph: StateGraph, quantity: str) -> Coordinates:
    """A quantity of all joints where the world is, columns in the order of bodies."""
    found = list[Any]()
    for state in graph:
        relation = state[quantity]
        if quantity == "by_turn":
            found.append(relation.change_frame(state.world_pose.orientation).values)
            continue
        relation = at_world(graph, state.index, relation)
        if isinstance(relation, MotionVariation):
            # what pairs with H S, then with what feels angular velocity
            acceleration, turn = _six(relation.acceleration), relation.twist.angular
            found.append(above(acceleration, turn))
        else:
            found.append(_six(relation))
    return _beside(found)


def _swept(graph: StateGraph) -> Coordinates:
    """S ×* F^c of all joints where the world is."""
    found = list[Any]()
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        S = body.joint.basis(body.body, graph[body.parent].body)
        found.append(_six(at_world(graph, state.index, swept_along(state.wrench, S))))
    return _beside(found)


def _six(relation: Any) -> Coordinates:
    return above(relation.angular, relation.linear)


def _beside(blocks: Sequence[Any]) -> Coordinates:
    return beside(*blocks) if blocks else UNKNOWN


# ---------------------------------------------------------------- by masses


@operation(ROOT, needs=["joint_force"], gives=["left"])
def what_is_left(graph: StateGraph, setting: Setting) -> None:
    """Of the motors' forces, after what joints feel that do not accelerate."""
    joints = graph.coordinates
    graph.world.left = setting.force(joints) - JointBias(joints, joint_values(graph, "joint_force"))


@operation(ROOT, needs=["system"], gives=["factor"])
def factor_masses(graph: StateGraph, setting: Setting) -> None:
    """Lᵀ D L = M_r along the tree, where there are many joints; few are resolved when they are needed."""
    system, nv = graph.world.system.values, graph.mechanism.nv
    graph.world["factor"] = UNKNOWN
    if is_known(system) and nv > WRITTEN_OUT:
        (flat,) = setting.call(TREE_FACTOR.on_tree(ways(graph), 1), system)
        met = _meet(ways(graph))
        graph.world["factor"] = assemble(
            [[flat[i * nv + j, 0] if (i, j) in met else 0.0 for j in range(nv)] for i in range(nv)]
        )


def divided(graph: StateGraph, setting: Setting, right: Coordinates) -> Coordinates:
    """M_r⁻¹ R, column by column, along the tree; joints that follow others are solved all together."""
    system, nv = graph.world.system.values, graph.mechanism.nv
    if not is_known(system, right):
        return UNKNOWN
    if nv <= WRITTEN_OUT or not right.shape[1]:
        return solve_positive_definite(system, right)
    columns = right.shape[1]
    (flat,) = setting.call(TREE_SOLVE.on_tree(ways(graph), columns), graph.world["factor"], right)
    reached = _reached(ways(graph), right)
    return assemble([[flat[i * columns + c, 0] if reached[i][c] else 0.0 for c in range(columns)] for i in range(nv)])


def _reached(parent: tuple[int, ...], right: Coordinates) -> list[list[bool]]:
    """Which entries of M_r⁻¹ R are not empty: trees that stand apart in the world do not feel each other."""
    roots: list[int] = []
    for k, before in enumerate(parent):
        roots.append(k if before < 0 else roots[before])
    columns, full = right.shape[1], filled(right)
    met = {root: [False] * columns for root in roots}
    for k, root in enumerate(roots):
        met[root] = [before or here for before, here in zip(met[root], full[k], strict=True)]
    return [met[root] for root in roots]


def divided_together(graph: StateGraph, setting: Setting, rights: Sequence[Coordinates]) -> list[Coordinates]:
    """M_r⁻¹ of several right sides, by one solve where a kernel makes it: its loops run over all of their columns."""
    if graph.mechanism.nv <= WRITTEN_OUT:
        return [divided(graph, setting, right) for right in rights]
    solved, ends = divided(graph, setting, beside(*rights)), list(accumulate(right.shape[1] for right in rights))
    return [solved[:, start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _meet(parent: tuple[int, ...]) -> set[tuple[int, int]]:
    """Which rows of L have an entry where."""
    met = {(k, k) for k in range(len(parent))}
    for k in range(len(parent)):
        before = parent[k]
        while before >= 0:
            met.add((k, before))
            before = parent[before]
    return met


def ways(graph: StateGraph) -> tuple[int, ...]:
    """Of each entry of v the one before it on its way to the root, -1 for none."""
    nv = graph.mechanism.nv
    if graph.mechanism.coupled:
        return tuple(range(-1, nv - 1))
    parent = [-1] * nv
    for body in graph.mechanism.bodies:
        before = body.parent
        while before >= 0 and not graph.mechanism.bodies[before].joint.labels:
            before = graph.mechanism.bodies[before].parent
        first = graph.mechanism.bodies[before].joint.v.stop - 1 if before >= 0 else -1
        for k in range(body.joint.v.start, body.joint.v.stop):
            parent[k] = first if k == body.joint.v.start else k - 1
    return tuple(parent)


@operation(ROOT, needs=["system", "factor", "left"], gives=["together"])
def accelerate(graph: StateGraph, setting: Setting) -> None:
    graph.world.together = JointAcceleration(graph.coordinates, divided(graph, setting, graph.world.left.values))


CHANGES = (
    sweep(world_resists_gravity, world_needs_nothing),
    sweep(vary, weigh),
    sweep(compose_coriolis, hand_down),
    sweep(require_more),
    sweep(pair_changes),
)
"""From how joints accelerate, and H^c, to ∂τ/∂q and ∂τ/∂v."""

MASSES = (
    sweep(world_weighs_nothing),
    sweep(rigid_bodies),
    sweep(compose_bodies),
    sweep(accelerate_alone),
    sweep(pair_masses, factor_masses),
)

FORCE_CHANGES = (
    sweep(world_at_origin, world_at_rest),
    sweep(poses, world_poses, twists, asked),
    *MASSES,
    *CHANGES,
)
ACCELERATION_CHANGES = (
    *INVERSE_DYNAMICS.sweeps,
    *MASSES,
    sweep(what_is_left, accelerate, found),
    *CHANGES,
)
