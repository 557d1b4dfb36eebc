"""Momentum about the centre of mass, and how it changes: h_G = A_G v, ḣ_G = A_G a + Ȧ_G v.

    outward   p = H V
    inward    p_i += Tᵀ p_i+1                  down to the world
    root      h_G = p at c
              Ȧ_G v = the wrench the world gives at c while no joint accelerates and nothing falls: inverse dynamics

A_G are the unit momenta of the centre of mass. Reflected inertia of rotors is not part of the momentum.
"""

from motionc.solvers.center_of_mass import CENTER
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph


@operation(OUTWARD, needs=["twist"], gives=["momentum"])
def own_momenta(joint: JointView, parent: BodyState, child: BodyState) -> None:
    child.momentum = joint.inertia @ child.twist


@operation(ROOT, needs=["composite", "twist"], gives=["momentum"])
def world_has_none(graph: StateGraph, setting: Setting) -> None:
    graph.world.momentum = graph.world.composite @ graph.world.twist


@operation(INWARD, needs=["pose", "momentum"], gives=["momentum"])
def gather_momenta(joint: JointView, parent: BodyState, child: BodyState) -> None:
    X = child.pose
    parent.momentum = parent.momentum.together(
        child.momentum.change_frame(X.orientation).change_point(X.position.inverse())
    )


@operation(ROOT, needs=["momentum", "wrench", "center"], gives=["about_center", "momentum_rate"])
def reduce_to_center(graph: StateGraph, setting: Setting) -> None:
    world = graph.world
    world.about_center = world.momentum.change_point(world.center)
    world.momentum_rate = world.wrench.change_point(world.center)


CENTROIDAL_MOMENTUM = Schedule(
    "centroidal_momentum",
    (
        *INVERSE_DYNAMICS.sweeps,
        *CENTER,
        sweep(world_has_none),
        sweep(own_momenta),
        sweep(gather_momenta),
        sweep(reduce_to_center),
    ),
)
