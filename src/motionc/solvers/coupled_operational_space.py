"""Operational space of robots whose joints follow others: Λ⁻¹ = J_r M_r⁻¹ J_rᵀ, J_r = J G (design §3).

velocity and gravity terms as they stand, M_r by composite bodies, J_rᵀ handed down rigidly
root      M_r⁻¹ J_rᵀ, then along the rows as ever
"""

from motionc.geometry import JointSway
from motionc.solvers.coupled_constrained_dynamics import hand_rows_down, reach_together, require
from motionc.solvers.mass_matrix import MASSES
from motionc.solvers.operational_space import TERMS, operate
from motionc.sweeps.problem import Setting
from motionc.sweeps.schedule import ROOT, Schedule, operation, sweep
from motionc.sweeps.state import StateGraph


@operation(ROOT, needs=["system", "reach"], gives=["swayed"])
def sway_together(graph: StateGraph, setting: Setting) -> None:
    """M_r⁻¹ J_rᵀ."""
    graph.world.swayed = JointSway.of_all(graph.world.system, graph.world.reach)


COUPLED_OPERATIONAL_SPACE = Schedule(
    "operational_space",
    (*TERMS, *MASSES, sweep(require), sweep(hand_rows_down), sweep(reach_together, sway_together, operate)),
)
