"""Forward dynamics of robots whose joints follow others: M_r a = τ - h_r, M_r = Gᵀ M G (design §3, couplings).

    h_r       inverse dynamics without acceleration
    M_r       composite bodies

Coupled joints accelerate together, so no joint can be resolved by itself; M_r is factored as a whole.
"""

from motionc.geometry import JointBias
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.solvers.mass_matrix import MASSES
from motionc.sweeps.problem import Setting
from motionc.sweeps.schedule import ROOT, Schedule, operation, sweep
from motionc.sweeps.state import StateGraph, joint_values


@operation(ROOT, needs=["joint_force"], gives=["left"])
def what_is_left(graph: StateGraph, setting: Setting) -> None:
    """Of the motors' forces, after what joints feel that do not accelerate."""
    joints = graph.coordinates
    graph.world.left = setting.force(joints) - JointBias(joints, joint_values(graph, "joint_force"))


@operation(ROOT, needs=["system", "left"], gives=["together"])
def accelerate_together(graph: StateGraph, setting: Setting) -> None:
    graph.world.together = graph.world.system.solve(graph.world.left)


COUPLED_DYNAMICS = Schedule(
    "forward_dynamics",
    (*INVERSE_DYNAMICS.sweeps, *MASSES, sweep(what_is_left, accelerate_together)),
)
