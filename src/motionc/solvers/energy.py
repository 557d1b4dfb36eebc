"""Kinetic and potential energy: E_k = Σ ½ Vᵀ H V + ½ d q̇² = ½ q̇ᵀ M q̇,  E_p = -gᵀ m c.

outward   V, ½ Vᵀ H V + ½ d q̇²
inward    composite bodies, down to the world
root      both of all bodies together
"""

from motionc.geometry import WORLD, KineticEnergy
from motionc.geometry.coordinates import zeros
from motionc.solvers.mass_matrix import compose_bodies, rigid_bodies, world_weighs_nothing
from motionc.solvers.steps.motion import poses, twists, world_at_rest
from motionc.sweeps.problem import JointView, Setting
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import BodyState, StateGraph


@operation(OUTWARD, needs=["twist"], gives=["kinetic_energy"])
def own_energies(joint: JointView, parent: BodyState, child: BodyState) -> None:
    V = child.twist
    child.kinetic_energy = (joint.inertia @ V).energy(V) + joint.rotor_energy


@operation(ROOT, needs=["kinetic_energy", "composite"], gives=["kinetic_energy", "potential_energy"])
def all_energies(graph: StateGraph, setting: Setting) -> None:
    total = KineticEnergy(WORLD, WORLD, zeros(1, 1))
    for state in graph:
        total = total + state.kinetic_energy
    graph.world.kinetic_energy = total
    graph.world.potential_energy = graph.world.composite.potential(setting.free_fall())


ENERGY = Schedule(
    "energy",
    (
        sweep(world_at_rest, world_weighs_nothing),
        sweep(poses, twists, own_energies, rigid_bodies),
        sweep(compose_bodies),
        sweep(all_energies),
    ),
)
