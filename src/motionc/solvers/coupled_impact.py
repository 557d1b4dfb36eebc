"""Impacts of robots whose joints follow others: M_r Δv = J_rᵀ f, J_r = J G (design §3).

rows and velocities along them as they stand, M_r by composite bodies, J_rᵀ handed down rigidly
root      Λ⁻¹ = J_r M_r⁻¹ J_rᵀ,  Λ⁻¹ f = - (1 + e) u⁻,  Δv = M_r⁻¹ J_rᵀ f
"""

from motionc.geometry import JointImpulse, JointVelocity
from motionc.solvers.coupled_constrained_dynamics import hand_rows_down, reach_together, require
from motionc.solvers.impact import APPROACH, approach, strike
from motionc.solvers.mass_matrix import MASSES
from motionc.sweeps.problem import Setting
from motionc.sweeps.schedule import ROOT, Schedule, operation, sweep
from motionc.sweeps.state import StateGraph


@operation(ROOT, needs=["system", "reach", "impulses"], gives=["struck"])
def jump_together(graph: StateGraph, setting: Setting) -> None:
    world = graph.world
    before = JointVelocity(graph.coordinates, setting.rows("v", slice(None)))
    world.struck = before + JointImpulse.of(world.reach, world.impulses).through_all(world.system)


COUPLED_IMPACT = Schedule(
    "impact",
    (
        *APPROACH,
        *MASSES,
        sweep(require),
        sweep(hand_rows_down),
        sweep(approach, reach_together, strike, jump_together),
    ),
)
