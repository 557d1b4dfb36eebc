"""What motors are commanded: τ_command = τ + Jᵀ λ, the task's forces handed down as rigid bodies do (§2.12).

outward   what motors make anyway
root      the task's share of A λ, which motors make in the environment's place, as they make artificial forces
inward    Jᵀ of it, and what joints are asked along themselves
"""

from motionc.geometry import JointForce, Multipliers
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.balance import Balanced
from motionc.solvers.steps.wrenches import hand_down, no_wrench
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation, sweep
from motionc.sweeps.state import Slot, StateGraph


class Demanded(Balanced):
    """What a motor makes before the task asks for more, and along which rows motors and contacts make how much."""

    motor_force = Slot(JointForce, "joint")
    motor_shares = Slot(Multipliers, "none")
    contact_forces = Slot(Multipliers, "none")


@operation(OUTWARD, needs=["joint_force"], gives=["motor_force"])
def keep(joint: JointView, parent: Demanded, child: Demanded) -> None:
    """What the motor makes before the task asks for more."""
    child.motor_force = child.joint_force


@operation(ROOT, needs=["constraint_forces"], gives=["motor_shares", "contact_forces"])
def allot(graph: StateGraph[Demanded], problem: Problem) -> None:
    """Motors make the task's forces, the environment makes those of contacts."""
    forces = graph.world.constraint_forces
    graph.world.motor_shares = forces.select(problem[Constraints].task_rows)
    graph.world.contact_forces = forces.select(problem[Constraints].rows_of("contact"))


@operation(ROOT, needs=["held_rows", "motor_shares", "artificial"], gives=["artificial", "wrench"])
def demand(graph: StateGraph[Demanded], problem: Problem) -> None:
    """Motors make their share of A λ in the environment's place, as they make artificial forces."""
    graph.world.wrench, shares = no_wrench(graph.world), graph.world.motor_shares
    for held in graph.world.held_rows:
        for index, rows in held.ends(graph):
            state = graph[index]
            made = tuple(row for row in rows.rows if row in shares.rows)
            state.artificial = state.artificial + rows.select(made).times(shares.select(made))


@operation(OUTWARD, needs=["artificial"], gives=["wrench"], equation="F_i, what motors make of artificial forces")
def make(joint: JointView, parent: Demanded, child: Demanded) -> None:
    child.wrench = child.artificial.to_be_made().exerted_by(parent.body)


@operation(
    ROOT,
    needs=["motor_force", "joint_unit_forces", "motor_shares"],
    gives=["motor_force"],
    equation="tau_i += lambda of rows along the joint",
)
def demand_of_joints(graph: StateGraph[Demanded], problem: Problem) -> None:
    shares = graph.world.motor_shares
    for state in graph:
        made = tuple(row for row in state.joint_unit_forces.rows if row in shares.rows)
        state.motor_force = state.motor_force + state.joint_unit_forces.select(made).made(shares.select(made))


@operation(INWARD, needs=["joint_force", "motor_force"], gives=["joint_force"], equation="tau_i += motor_force_i")
def add_motor(joint: JointView, parent: Demanded, child: Demanded) -> None:
    child.joint_force = child.motor_force + child.joint_force


DEMANDS = (sweep(keep), sweep(demand, demand_of_joints), sweep(make), sweep(hand_down, add_motor))
"""From what motors make anyway and their shares along rows to what they are commanded."""
