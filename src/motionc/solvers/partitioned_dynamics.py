"""Hybrid dynamics with prescribed (p) and free (f) joints apart: M a + h = τ by blocks.

    τ'        inverse dynamics with the prescribed accelerations, the free ones zero
    root      M_ff a_f = τ_f - τ'_f
              τ_p = τ'_p + M_pf a_f

For robots whose joints follow others, and where few joints are free: then less of M is needed than articulated bodies
cost. With none free it is inverse dynamics, with a floating base free it is floating-base inverse dynamics.
"""

from motionc.geometry import JointBias, JointForce
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.solvers.mass_matrix import MASSES
from motionc.sweeps.problem import Setting
from motionc.sweeps.schedule import ROOT, Schedule, operation, sweep
from motionc.sweeps.state import StateGraph, joint_values


@operation(ROOT, needs=["system", "joint_force"], gives=["together", "made"])
def resolve_together(graph: StateGraph, setting: Setting) -> None:
    world, joints = graph.world, graph.coordinates
    told, free = graph.parted(setting.prescribed)
    held = joint_values(graph, "joint_force")
    given = setting.force(joints)
    found = world.system.among(free).solve((given - JointBias(joints, held)).among(free)).spread(joints)
    makes = JointForce(joints, held) + world.system.times(found)
    world.made = makes.among(told).merge(given.among(free), joints)
    world.together = setting.acceleration(joints).among(told).merge(found.among(free), joints)


PARTITIONED_DYNAMICS = Schedule(
    "hybrid_dynamics",
    (*INVERSE_DYNAMICS.sweeps, *MASSES, sweep(resolve_together)),
)
