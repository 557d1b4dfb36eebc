"""The balance along rows where joints follow others: M_r a = τ - h_r + J_rᵀ λ, J_r = J G.

root      what rows reach: without the joints, and what these add;  J_r M_r⁻¹ τ of a posture
          a = M_r⁻¹ (τ - h_r + J_rᵀ λ)
"""

from motionc.geometry import JointBias, RowAcceleration, RowStack
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.balance import Balanced
from motionc.solvers.steps.rows_together import RowsTogether
from motionc.solvers.steps.together import accelerate_together, driving_forces
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, operation
from motionc.sweeps.state import StateGraph


class BalancedTogether(Balanced, RowsTogether):
    """Rows and all joints at once."""


@operation(
    ROOT,
    needs=["held_rows", "at_rest", "acceleration", "jacobian_transposed", "accelerations"],
    gives=["row_accelerations"],
)
def measure_together(graph: StateGraph[BalancedTogether], problem: Problem) -> None:
    """How bodies accelerate along the rows: without their joints, and what these add."""
    still = [held.reached(graph) for held in graph.world.held_rows]
    moved = [graph.world.jacobian_transposed.along(graph.world.accelerations)] if problem[Constraints].labels else []
    graph.world.row_accelerations = RowStack.gather(problem[Constraints].labels, [*still, *moved])


@operation(ROOT, needs=["mass_matrix", "jacobian_transposed", "driving_force"], gives=["posture_rows"])
def posture_together(graph: StateGraph[BalancedTogether], problem: Problem) -> None:
    """J_r M_r⁻¹ τ."""
    world, shares = graph.world, list[RowAcceleration]()
    if problem[Constraints].posture and problem[Constraints].specs:
        made = driving_forces(graph)
        reach = world.jacobian_transposed.select(problem[Constraints].tasks_among(world.jacobian_transposed.rows))
        shares = [reach.along(world.mass_matrix.solve(JointBias(made.joints, made.values)))]
    world.posture_rows = RowStack.gather(problem[Constraints].labels, shares)


@operation(ROOT, needs=["net_force", "jacobian_transposed", "constraint_force_change"], gives=["net_force"])
def pull_together(graph: StateGraph[BalancedTogether], problem: Problem) -> None:
    world = graph.world
    if problem[Constraints].labels:
        world.net_force = world.net_force + world.jacobian_transposed.times(world.constraint_force_change)


TOGETHER = (pull_together, accelerate_together, measure_together)
