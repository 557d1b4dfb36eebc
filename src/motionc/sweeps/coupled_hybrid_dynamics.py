"""Hybrid dynamics of robots whose joints follow others, prescribed (p) and free (f) leaders apart (design §3).

τ'        inverse dynamics with the prescribed accelerations, the free ones zero
root      M_ff a_f = τ_f - τ'_f
          τ_p = τ'_p + M_pf a_f
"""

from motionc.geometry import JointBias, JointForce
from motionc.sweeps.inverse_dynamics import INVERSE_DYNAMICS
from motionc.sweeps.mass_matrix import MASSES
from motionc.sweeps.schedule import ROOT, Schedule, operation, sweep
from motionc.sweeps.setting import Setting
from motionc.sweeps.state import StateGraph, joint_values


@operation(ROOT, needs=["system", "joint_force"], gives=["together", "made"])
def resolve_together(graph: StateGraph, setting: Setting) -> None:
    world, joints = graph.world, graph.coordinates
    told, free = graph.parted(setting.prescribed)
    held = joint_values(graph, "joint_force")
    left = (setting.force(joints) - JointBias(joints, held)).among(free)
    found = world.system.among(free).solve(left).spread(joints)
    world.made = JointForce(joints, held) + world.system.times(found)
    world.together = found + setting.acceleration(joints).among(told).spread(joints)


COUPLED_HYBRID_DYNAMICS = Schedule(
    "hybrid_dynamics",
    (*INVERSE_DYNAMICS.sweeps, *MASSES, sweep(resolve_together)),
)
