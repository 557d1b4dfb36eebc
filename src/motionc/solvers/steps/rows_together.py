"""Rows handed down as rigid bodies do: Jᵀ, and what joints that move together make of it.

    inward    Jᵀ = Sᵀ A + E, A_i += Tᵀ A; followers gathered on their leaders
    root      Λ = J_r M_r⁻¹ J_rᵀ, J_r = J G

Of each follower q̈_f = k q̈_l is one exact row between two joints. Were these rows balanced beside those of b, they would
be damped, truncated and traded against b like any other. Eliminated first, in M_r, they hold whatever b asks.
"""

from motionc.geometry import INERTIA, JointRows, WrenchBasis
from motionc.geometry.coordinates import zeros
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.rows import Constrained
from motionc.solvers.steps.together import Together
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation
from motionc.sweeps.state import Slot, StateGraph, joint_values


class RowsTogether(Constrained, Together):
    """Unit constraint forces as motors would have to make them."""

    unit_requirements = Slot(WrenchBasis)
    jacobian_transposed = Slot(JointRows, "none")


@operation(ROOT, needs=["held_rows"], gives=["unit_requirements"])
def require(graph: StateGraph[RowsTogether], problem: Problem) -> None:
    """What motors would have to make of each unit wrench, on both bodies it pulls at."""
    for state in (graph.world, *graph):
        state.unit_requirements = WrenchBasis(
            state.body, INERTIA, state.frame.origin, state.frame, zeros(3, 0), zeros(3, 0)
        )
    for held in graph.world.held_rows:
        for index, rows in held.ends(graph):
            graph[index].unit_requirements = graph[index].unit_requirements.joined(rows.to_be_made())


@operation(INWARD, needs=["pose", "unit_requirements", "joint_unit_forces"], gives=["unit_requirements", "joint_rows"])
def hand_rows_down(joint: JointView, parent: RowsTogether, child: RowsTogether) -> None:
    """What each joint would have to make of each unit constraint force: its columns of J, transposed."""
    X, A = child.pose, child.unit_requirements.exerted_by(parent.body)
    child.joint_rows = joint.basis.pair(A).joined(child.joint_unit_forces)
    passed = A.change_frame(X.orientation).change_point(X.position.inverse()).handed_down()
    parent.unit_requirements = parent.unit_requirements.closing(passed, joint.problem[Constraints].between)


@operation(ROOT, needs=["mass_matrix", "joint_rows"], gives=["jacobian_transposed", "delassus"])
def reach_together(graph: StateGraph[RowsTogether], problem: Problem) -> None:
    """J_rᵀ and Λ, once every row has come down to the world."""
    world, rows = graph.world, problem[Constraints].labels
    if rows:
        world.jacobian_transposed = JointRows(graph.coordinates, rows, joint_values(graph, "joint_rows", rows))
        world.delassus = world.mass_matrix.yields(world.jacobian_transposed)


@operation(OUTWARD, needs=["classical_acceleration", "twist"], gives=["acceleration"])
def accelerate_still(joint: JointView, parent: RowsTogether, child: RowsTogether) -> None:
    """How a body accelerates while its joints do not."""
    child.acceleration = child.classical_acceleration.to_spatial(child.twist)
