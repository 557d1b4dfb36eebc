"""Kinetic and potential energy: E_k = Σ ½ Vᵀ H V + ½ d q̇² = ½ q̇ᵀ M q̇,  E_p = -gᵀ m c.

outward   V, ½ Vᵀ H V + ½ d q̇²
inward    composite bodies, down to the world
root      both of all bodies together
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.geometry import WORLD, KineticEnergy, PotentialEnergy
from motionc.geometry.coordinates import zeros
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, q_port, refuse_no_body, v_port
from motionc.solvers.steps.composite import Composite, compose_bodies, rigid_bodies, world_weighs_nothing
from motionc.solvers.steps.motion import poses, twists, world_at_rest
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import STANDARD_GRAVITY, Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph


class Energetic(Composite):
    """The energy of a body, and of all."""

    kinetic_energy = Slot(KineticEnergy, "body")
    potential_energy = Slot(PotentialEnergy, "body")


@operation(OUTWARD, needs=["twist"], gives=["kinetic_energy"], equation="T_i = V^T H V / 2")
def own_energies(joint: JointView, parent: Energetic, child: Energetic) -> None:
    V = child.twist
    child.kinetic_energy = (joint.inertia @ V).energy(V) + joint.rotor_energy


@operation(
    ROOT,
    needs=["kinetic_energy", "composite"],
    gives=["kinetic_energy", "potential_energy"],
    equation="T = sum T_i, U = -m g^T c",
)
def all_energies(graph: StateGraph[Energetic], problem: Problem) -> None:
    total = KineticEnergy(WORLD, WORLD, zeros(1, 1))
    for state in graph:
        total = total + state.kinetic_energy
    graph.world.kinetic_energy = total
    graph.world.potential_energy = graph.world.composite.potential(problem.free_fall())


ENERGY = Schedule(
    "energy",
    (
        sweep(world_at_rest, world_weighs_nothing),
        sweep(poses, twists, own_energies, rigid_bodies),
        sweep(compose_bodies),
        sweep(all_energies),
    ),
)


@dataclass(frozen=True)
class Energy(Question):
    """Kinetic energy ½ vᵀ M v, rotors' with it, and potential energy -Σ m gᵀ c, zero at the world origin.

    Args:
        robot: the robot; what is fixed to the world is not counted.
        gravity: acceleration of free fall in world axes (m/s²).
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "energy"

    _: KW_ONLY
    gravity: Sequence[float] = STANDARD_GRAVITY
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        refuse_no_body(robot, "energy")
        return Solver(
            self.called,
            "kinetic = v^T M(q) v / 2,  potential = -sum m_i g^T c_i(q)",
            robot,
            ENERGY,
            (q_port(robot), v_port(robot)),
            (
                Port("kinetic", (), "J", "of all moving links and rotors, wrt world"),
                Port("potential", (), "J", "of all moving links, zero with their centre of mass at the world origin"),
            ),
            lambda mechanism: Problem({}, self.gravity),
            {
                "kinetic": lambda graph: graph.world.kinetic_energy.value,
                "potential": lambda graph: graph.world.potential_energy.value,
            },
            options=self,
        )
