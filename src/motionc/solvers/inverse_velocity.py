"""Joint rates that move frames as asked (specs/itasc.md §2.5): the least of all that come nearest.

    outward   S_i in the axes of the world
    root      A = rows of [S_i along the way from wrt to the frame], each at the frame's point
              v = M⁻¹ Aᵀ W (W A M⁻¹ Aᵀ W + λ² 1)⁺ W ẏ

With W = diag(w_i) this minimises Σ w_i² (A v - ẏ)_i² + λ² vᵀ M v, and where λ = 0 takes the least vᵀ M v of all that
do: (3.18) to (3.21) in one, whatever the rank of A. M weighs joints: a diagonal, or their inertia (least energy).
"""

import numpy as np

from motionc.geometry import WORLD_FRAME, JointMobility, JointRows, MotionBasis, Position, RowVelocity, WrenchBasis
from motionc.geometry.coordinates import UNKNOWN, zeros
from motionc.geometry.screw import MEANING
from motionc.program.kernels.ldlt_solve import LDLT_SOLVE
from motionc.program.kernels.semidefinite import RANGE_SOLVE
from motionc.solvers.mass_matrix import MASSES, invert_masses
from motionc.solvers.steps.motion import poses, world_at_origin, world_poses
from motionc.solvers.steps.wrenches import turn
from motionc.sweeps.frames import Attached
from motionc.sweeps.problem import AskedRows, JointView, Setting
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph, in_order_of_v


@operation(OUTWARD, needs=["world_pose"], gives=["freedom"])
def free_directions(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.freedom = joint.basis.change_frame(child.world_pose.orientation)


@operation(ROOT, needs=["world_pose", "freedom"], gives=["reach"])
def reach_rows(graph: StateGraph, setting: Setting) -> None:
    """A, target after target."""
    world = graph.world
    for number, spec in enumerate(setting.asked):
        rows = felt(graph, spec.view.of, spec.view.wrt, place(graph, spec), in_world(graph, spec))
        world.reach = world.reach.beside(rows) if number else rows


@operation(ROOT, gives=["mobility"])
def weigh_joints(graph: StateGraph, setting: Setting) -> None:
    """M⁻¹ of a diagonal M."""
    weights = np.asarray(setting.constants["joint_weights"], float)
    graph.world.mobility = JointMobility(graph.coordinates, np.diag(1 / weights[:, 0]))


@operation(ROOT, needs=["reach", "mobility"], gives=["asked", "rates", "rank"])
def resolve(graph: StateGraph, setting: Setting) -> None:
    world, weights = graph.world, setting.constants["row_weights"]
    world.asked = RowVelocity(world.reach.rows, setting.rows("twist", slice(None)))
    ranked = RANGE_SOLVE.with_policy((), None, graph.mechanism.nv, tuple(np.asarray(weights, float)[:, 0]))
    kernel = LDLT_SOLVE if setting.damping else ranked
    found = world.asked.resolve(world.reach, world.mobility, weights, setting.damping**2, kernel, setting.call)
    world.rates, *report = found
    world.rank = report[0] if report else UNKNOWN


# ---------------------------------------------------------------- rows


def place(graph: StateGraph, spec: AskedRows) -> Position:
    """Where the frame's point is in the world."""
    where = spec.view.of
    return graph[where.body].world_pose.compose(where.pose).position


def in_world(graph: StateGraph, spec: AskedRows) -> WrenchBasis:
    """The rows in the axes of the world."""
    return spec.basis().change_frame(turn(graph, spec.view.axes, graph.world))


def felt(graph: StateGraph, of: Attached, wrt: Attached, at: Position, rows: WrenchBasis) -> JointRows:
    """How each joint moves one body with respect to another along rows at a place, in the order of v."""
    columns = _between(graph, of.body, wrt.body, at)
    columns.expect(rows, "along", WrenchBasis, MEANING)
    alone = columns.pair(rows)
    values = in_order_of_v(graph, alone.values.T, columns.joints).T
    return JointRows(graph.coordinates, rows.rows, values)


def _between(graph: StateGraph, of: int, wrt: int, at: Position) -> MotionBasis:
    """S of every joint between two bodies, at one place: inward from wrt to where both paths meet, then outward."""
    back, out = graph.mechanism.path(wrt), graph.mechanism.path(of)
    shared = sum(a == b for a, b in zip(back, out, strict=False))
    body = graph[wrt].body
    found = MotionBasis(body, body, at.of, WORLD_FRAME, zeros(3, 0), zeros(3, 0))
    for index in reversed(back[shared:]):
        found = found.compose(_at(graph[index], at).inverse())
    for index in out[shared:]:
        found = found.compose(_at(graph[index], at))
    return found


def _at(state: BodyState, at: Position) -> MotionBasis:
    """S of a joint at another place of the world."""
    return state.freedom.change_point(state.world_pose.position.inverse().compose(at))


PLACES = (sweep(world_at_origin), sweep(poses, world_poses, free_directions))
INVERSE_VELOCITY = Schedule("inverse_velocity", (*PLACES, sweep(weigh_joints), sweep(reach_rows, resolve)))
LEAST_ENERGY = Schedule("inverse_velocity", (*PLACES, *MASSES, sweep(invert_masses), sweep(reach_rows, resolve)))
