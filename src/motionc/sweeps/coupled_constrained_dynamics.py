"""Constrained dynamics of robots whose joints follow others: M_r a = τ - h_r + J_rᵀ λ, J_r = J G (design §3).

    coupled forward dynamics as it stands: M_r, τ - h_r; at the constrained segment the rows A_N and b
    inward    Jᵀ = Sᵀ A, A_i = Tᵀ A, the rows handed down as rigid bodies do; followers gathered on their leaders
    root      Λ = J_r M_r⁻¹ J_rᵀ,  Λ λ = b - J_r a - A_Nᵀ Ẍ_N of joints that do not accelerate
              a = M_r⁻¹ (τ - h_r + J_rᵀ λ)
    inward    τ_command = τ + J_rᵀ λ of the task

Each coupling q̈_f = k q̈_l is one exact row between two joints. Were these rows balanced beside those of b, they would
be damped, truncated and traded against b like any other. Eliminated first, in M_r, they hold whatever b asks.
"""

from motionc.geometry import JointRows
from motionc.sweeps.constrained_dynamics import add_motor, balance, carry_rest, constrain, demand, make, world_rests
from motionc.sweeps.coupled_dynamics import COUPLED_DYNAMICS, accelerate_together
from motionc.sweeps.forces import hand_down
from motionc.sweeps.schedule import INWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.setting import JointView, Setting
from motionc.sweeps.state import BodyState, StateGraph, joint_values


@operation(ROOT, needs=["constraint"], gives=["required"])
def require(graph: StateGraph, setting: Setting) -> None:
    for spec in setting.constraints[:1]:
        state = graph[spec.at.body]
        state.required = state.constraint.to_be_made()


@operation(INWARD, needs=["pose", "required"], gives=["required", "grip"])
def hand_rows_down(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What each joint would have to make of each unit constraint force: its columns of J, transposed."""
    if "required" in child:
        X, A = child.pose, child.required.exerted_by(parent.body)
        child.grip = joint.basis.pair(A)
        parent.required = A.change_frame(X.orientation).change_point(X.position.inverse()).handed_down()


@operation(ROOT, needs=["system", "required", "grip"], gives=["reach", "coupling"])
def reach_together(graph: StateGraph, setting: Setting) -> None:
    """J_rᵀ and Λ, once every row has come down to the world."""
    world = graph.world
    if setting.constraints:
        rows = world.required.rows
        world.reach = JointRows(graph.coordinates, rows, joint_values(graph, "grip", len(rows)))
        world.coupling = world.system.yields(world.reach)


@operation(ROOT, needs=["constraint", "classical_acceleration", "twist", "reach", "together"], gives=["reached"])
def measure_together(graph: StateGraph, setting: Setting) -> None:
    """How the constrained segment accelerates along the rows: without its joints, and what they add."""
    for spec in setting.constraints[:1]:
        state = graph[spec.at.body]
        A = state.constraint
        still = A.to_spatial(A.pair(state.classical_acceleration), state.twist)
        state.reached = graph.world.reach.drive(still, graph.world.together)


@operation(ROOT, needs=["left", "reach", "multipliers"], gives=["left"])
def pull_together(graph: StateGraph, setting: Setting) -> None:
    world = graph.world
    if setting.constraints:
        world.left = world.left + world.reach.times(world.multipliers)


COUPLED_CONSTRAINED_DYNAMICS = Schedule(
    "constrained_dynamics",
    (
        *COUPLED_DYNAMICS.sweeps,
        sweep(world_rests),
        sweep(carry_rest),
        sweep(constrain, require),
        sweep(hand_rows_down),
        sweep(reach_together, measure_together, balance),
        sweep(pull_together, accelerate_together, measure_together),
        sweep(demand),
        sweep(make),
        sweep(hand_down, add_motor),
    ),
)
