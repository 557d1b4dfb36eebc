"""Constrained dynamics of robots whose joints follow others: M_r a = τ - h_r + J_rᵀ λ, J_r = J G (design §3).

    coupled forward dynamics as it stands: M_r, τ - h_r; at constrained segments their rows A and b, along joints E
    inward    Jᵀ = Sᵀ A + E, A_i += Tᵀ A, the rows handed down as rigid bodies do; followers gathered on their leaders
    root      Λ = J_r M_r⁻¹ J_rᵀ,  Λ λ = b - J_r a - Aᵀ Ẍ of joints that do not accelerate
              a = M_r⁻¹ (τ - h_r + J_rᵀ λ)
    inward    τ_command = τ + J_rᵀ λ of the task

Each coupling q̈_f = k q̈_l is one exact row between two joints. Were these rows balanced beside those of b, they would
be damped, truncated and traded against b like any other. Eliminated first, in M_r, they hold whatever b asks.
"""

from motionc.geometry import INERTIA, JointBias, JointRows, RowAcceleration, RowStack, WrenchBasis
from motionc.geometry.coordinates import zeros
from motionc.solvers.constrained_dynamics import DEMANDS, balance, refine, refined
from motionc.solvers.coupled_dynamics import COUPLED_DYNAMICS, accelerate_together
from motionc.solvers.hybrid_dynamics import drive
from motionc.solvers.steps.rows import carry_rest, constrain, constrain_joints, no_rows, want, world_rests
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph, joint_values


@operation(ROOT, needs=["holds"], gives=["required"])
def require(graph: StateGraph, setting: Setting) -> None:
    """What motors would have to make of each unit wrench, on both bodies it pulls at."""
    for state in (graph.world, *graph):
        state.required = WrenchBasis(state.body, INERTIA, state.frame.origin, state.frame, zeros(3, 0), zeros(3, 0))
    for held in graph.world.holds:
        for state, rows in held.ends(graph):
            state.required = state.required.joined(rows.to_be_made())


@operation(INWARD, needs=["pose", "required", "pushed"], gives=["required", "grip"])
def hand_rows_down(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What each joint would have to make of each unit constraint force: its columns of J, transposed."""
    X, A = child.pose, child.required.exerted_by(parent.body)
    child.grip = joint.basis.pair(A).joined(child.pushed)
    passed = A.change_frame(X.orientation).change_point(X.position.inverse()).handed_down()
    parent.required = parent.required.closing(passed)


@operation(ROOT, needs=["system", "grip"], gives=["reach", "coupling"])
def reach_together(graph: StateGraph, setting: Setting) -> None:
    """J_rᵀ and Λ, once every row has come down to the world."""
    world, rows = graph.world, setting.row_labels
    if rows:
        world.reach = JointRows(graph.coordinates, rows, joint_values(graph, "grip", rows))
        world.coupling = world.system.yields(world.reach)


@operation(OUTWARD, needs=["classical_acceleration", "twist"], gives=["acceleration"])
def accelerate_still(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """How a body accelerates while its joints do not."""
    child.acceleration = child.classical_acceleration.to_spatial(child.twist)


@operation(ROOT, needs=["holds", "at_rest", "acceleration", "reach", "together"], gives=["reached"])
def measure_together(graph: StateGraph, setting: Setting) -> None:
    """How bodies accelerate along the rows: without their joints, and what these add."""
    still = [held.reached(graph) for held in graph.world.holds]
    moved = [graph.world.reach.along(graph.world.together)] if setting.row_labels else []
    graph.world.reached = RowStack.gather(setting.row_labels, [*still, *moved])


@operation(ROOT, needs=["system", "reach"], gives=["posture"])
def posture_together(graph: StateGraph, setting: Setting) -> None:
    """J_r M_r⁻¹ τ."""
    world, shares = graph.world, list[RowAcceleration]()
    if setting.posture and setting.constraints:
        made = setting.motor_force(graph.coordinates)
        reach = world.reach.select(setting.tasks_among(world.reach.rows))
        shares = [reach.along(world.system.solve(JointBias(made.joints, made.values)))]
    world.posture = RowStack.gather(setting.row_labels, shares)


@operation(ROOT, needs=["left", "reach", "correction"], gives=["left"])
def pull_together(graph: StateGraph, setting: Setting) -> None:
    world = graph.world
    if setting.row_labels:
        world.left = world.left + world.reach.times(world.correction)


TOGETHER = (pull_together, accelerate_together, measure_together)


COUPLED_CONSTRAINED_DYNAMICS = Schedule(
    "constrained_dynamics",
    (
        *COUPLED_DYNAMICS.sweeps,
        sweep(world_rests),
        sweep(carry_rest, accelerate_still, no_rows),
        sweep(constrain, constrain_joints, want, require),
        sweep(hand_rows_down),
        sweep(reach_together, measure_together, posture_together, balance),
        sweep(*TOGETHER),
        sweep(refined(refine), *map(refined, TOGETHER)),
        sweep(drive),
        *DEMANDS,
    ),
)
