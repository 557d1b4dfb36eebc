"""How much of a posture's motion constraints let pass (specs/motion-stack.md §2.14, (3.42) as unified there).

    inward    u = τ - Sᵀ F_τ,  F_τ,i += Tᵀ (P F_τ + H^A S D⁻¹ τ)
    root      b_posture = Σ zᵀ D⁻¹ u = J M⁻¹ τ,  b_control = b + w b_posture

With w = 0 constraints win over what motors make anyway, with w = 1 the posture does, physically consistent: motors
make τ and what constraints would take without it.
"""

from motionc.geometry import INERTIA, ArticulatedWrench, RowStack
from motionc.geometry.coordinates import zeros
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation
from motionc.sweeps.state import BodyState, StateGraph


@operation(OUTWARD, gives=["driven"])
def unpushed(joint: JointView, parent: BodyState, child: BodyState) -> None:
    nothing = zeros(3, 1)
    child.driven = ArticulatedWrench(child.body, INERTIA, child.frame.origin, child.frame, nothing, nothing)


@operation(INWARD, needs=["pose", "driven", "projector"], gives=["driven", "impelled"])
def push(joint: JointView, parent: BodyState, child: BodyState) -> None:
    """What the motors' own forces make bodies nearer to the root require, and how their joints give way to them."""
    if joint.setting.posture:
        X, F = child.pose, child.driven
        if joint.prescribed:
            passed = F.held_by(parent.body)
        else:
            P = child.projector
            passed = P.wrench(F, joint.motor_force)
            child.impelled = P.inertia.solve(joint.motor_force - joint.basis.pair(F))
        if not parent.is_world:
            parent.driven = parent.driven + passed.change_frame(X.orientation).change_point(X.position.inverse())


@operation(ROOT, needs=["grip", "impelled"], gives=["posture"])
def gather_posture(graph: StateGraph, setting: Setting) -> None:
    """J M⁻¹ τ: a joint moves each row by what it feels of a unit force there. Contacts do not give way to postures."""
    moved = [state for state in graph if "grip" in state and "impelled" in state]
    shares = [state.grip.select(setting.tasks_among(state.grip.rows)).along(state.impelled) for state in moved]
    graph.world.posture = RowStack.gather(setting.row_labels, shares)
