"""How much of a posture's motion constraints let pass (specs/motion-stack.md §2.14, (3.42) as unified there).

    inward    u = τ - Sᵀ F_τ,  F_τ,i += Tᵀ (P F_τ + H^A S D⁻¹ τ)
    root      b_posture = Σ zᵀ D⁻¹ u = J M⁻¹ τ,  b_control = b + w b_posture

With w = 0 constraints win over what motors make anyway, with w = 1 the posture does, physically consistent: motors
make τ and what constraints would take without it.
"""

from motionc.geometry import INERTIA, ArticulatedWrench, JointAcceleration, RowStack
from motionc.geometry.coordinates import zeros
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.balance import Balanced
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation
from motionc.sweeps.state import Slot, StateGraph


class Posture(Balanced):
    """What the motors' own forces do."""

    posture_wrench = Slot(ArticulatedWrench)
    posture_response = Slot(JointAcceleration, "joint")


@operation(OUTWARD, gives=["posture_wrench"], equation="0")
def unpushed(joint: JointView, parent: Posture, child: Posture) -> None:
    nothing = zeros(3, 1)
    child.posture_wrench = ArticulatedWrench(child.body, INERTIA, child.frame.origin, child.frame, nothing, nothing)


@operation(
    INWARD,
    needs=["pose", "posture_wrench", "projector", "driving_force"],
    gives=["posture_wrench", "posture_response"],
)
def push(joint: JointView, parent: Posture, child: Posture) -> None:
    """What the motors' own forces make bodies nearer to the root require, and how their joints give way to them."""
    if joint.problem[Constraints].posture:
        X, F = child.pose, child.posture_wrench
        if joint.prescribed:
            passed = F.held_by(parent.body)
        else:
            P = child.projector
            passed = P.wrench(F, child.driving_force)
            child.posture_response = P.inertia.solve(child.driving_force - joint.basis.pair(F))
        if not parent.is_world:
            parent.posture_wrench = parent.posture_wrench + passed.change_frame(X.orientation).change_point(
                X.position.inverse()
            )


@operation(ROOT, needs=["joint_rows", "posture_response"], gives=["posture_rows"])
def gather_posture(graph: StateGraph[Posture], problem: Problem) -> None:
    """J M⁻¹ τ: a joint moves each row by what it feels of a unit force there. Contacts do not give way to postures."""
    moved = [state for state in graph if "joint_rows" in state and "posture_response" in state]
    shares = [
        state.joint_rows.select(problem[Constraints].tasks_among(state.joint_rows.rows)).along(state.posture_response)
        for state in moved
    ]
    graph.world.posture_rows = RowStack.gather(problem[Constraints].labels, shares)
