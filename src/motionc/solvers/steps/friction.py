"""Damping and friction along joints: τ_f = -(d q̇ + c q̇/√(q̇² + ε²)), which acts as tau_physical does (design §3).

    inward    τ = Sᵀ F + d q̈ - τ_f, what the motor makes against it; at a follower with its own rate, then by its gain
    root      ∂τ/∂v += Gᵀ D G,  D = d + c ε²/√(q̇² + ε²)³, of each coordinate by itself

Articulated bodies read it off the joint, beside what its motor makes (`JointView.force`). Without friction=True nobody
asks, and nothing is written down.
"""

from typing import Any

from motionc.geometry import JointDamping, JointForce
from motionc.geometry.coordinates import Coordinates, assemble
from motionc.geometry.variation import JointVariation
from motionc.solvers.steps.pull import empty
from motionc.solvers.steps.wrenches import Wrenches
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Friction, Problem
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation
from motionc.sweeps.state import Slot, StateGraph


class Resisted(Wrenches):
    """How a joint resists its own rate, and what of all rates motors feel."""

    effective_damping = Slot(JointDamping, "joint")
    dtau_dv = Slot(JointVariation, "none")


@operation(INWARD, needs=["joint_force"], gives=["joint_force"], equation="tau_i -= tau_friction")
def overcome_friction(joint: JointView, parent: Wrenches, child: Wrenches) -> None:
    """What does not act anyway is left to the motor."""
    if (resists := joint.passive_force) is not None:
        child.joint_force = child.joint_force + JointForce(resists.joints, -resists.values)


@operation(OUTWARD, gives=["effective_damping"])
def resist_faster(joint: JointView, parent: Resisted, child: Resisted) -> None:
    if (damping := joint.effective_damping) is not None:
        child.effective_damping = damping


@operation(ROOT, needs=["effective_damping", "dtau_dv"], gives=["dtau_dv"])
def pair_friction(graph: StateGraph[Resisted], problem: Problem) -> None:
    if problem[Friction].smoothing is None or not graph.mechanism.nv:
        return
    change, damping = graph.world.dtau_dv, joint_diagonal(graph, "effective_damping")
    graph.world.dtau_dv = JointVariation(change.joints, change.to, change.values + damping)


def joint_diagonal(graph: StateGraph[Any], quantity: str) -> Coordinates:
    """Gᵀ D G of a quantity of each coordinate by itself, where a joint has it; diagonal, in the order of v."""
    entries = empty(graph, graph.mechanism.nv)
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        if quantity in state:
            gain, values = graph.gain(body), state[quantity].values
            for k, i in enumerate(range(body.joint.v.start, body.joint.v.stop)):
                entries[i][i] = entries[i][i] + values[k, 0] * (gain * gain)
    return assemble(entries)
