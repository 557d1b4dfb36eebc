"""The centre of mass of everything that moves, and how joints move it (specs/multibody-methodology.md §2.4.4).

    inward    H_i^c = H_i + Tᵀ H_i+1^c T       composite bodies, down to the world   (steps/center.py)
    root      c = (m c) / m
    outward   A_G,i = H_i^c S_i at c           the momentum each joint makes at unit rate

The Jacobian of the centre of mass is the linear part of A_G, divided by the mass; J̇ v is that of the force which the
world gives while no joint accelerates and nothing falls (inverse dynamics).
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.errors import Error
from motionc.geometry.coordinates import Coordinates, zeros
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.program.relation import Relation
from motionc.solvers.arguments import Question, chosen, q_port, v_port
from motionc.solvers.inverse_dynamics import INVERSE_DYNAMICS
from motionc.solvers.steps.center import CENTER, Centered, momentum_matrix
from motionc.solvers.steps.motion import poses, world_at_origin, world_poses
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import WEIGHTLESS, Problem
from motionc.sweeps.schedule import Schedule, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import StateGraph

CENTER_OF_MASS = Schedule("center_of_mass", (sweep(world_at_origin), sweep(poses, world_poses), *CENTER))


MOVING_CENTER = Schedule("center_of_mass", (*INVERSE_DYNAMICS.sweeps, *CENTER))
"""The same, and what it takes that joints do not accelerate."""


COM = Relation("position", "centre of mass", "world", as_seen_by="world")


@dataclass(frozen=True)
class CenterOfMassMotion(Question):
    """The centre of mass of all moving links, wrt world.

    Args:
        robot: the robot; what is fixed to the world is not counted.
        outputs: which of com (3), J (3, nv), its Jacobian, bias (3), J̇ v, mass, and inertia (3, 3), about it in world
            axes; bias adds the input v.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "center_of_mass"

    _: KW_ONLY
    outputs: Sequence[str] = ("com",)
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        refuse_massless(robot, "centre of mass")
        ports = {
            "com": Port("com", (3,), "m", "centre of mass of all moving links wrt world", relation=COM),
            "J": Port("J", (3, robot.nv), "m, 1", "velocity of the centre of mass = J v, as seen by world"),
            "bias": Port("bias", (3,), "m/s²", "J_dot v: its acceleration while joints do not accelerate"),
            "mass": Port("mass", (), "kg", "mass of all moving links"),
            "inertia": Port("inertia", (3, 3), "kg m²", "inertia of all about the centre of mass, as seen by world"),
        }

        def columns(graph: StateGraph[Centered]) -> Coordinates:
            return momentum_matrix(graph)[3:, :] / graph.world.composite.mass

        moving, still = "bias" in self.outputs, {"a": zeros(robot.nv, 1)}
        return Solver(
            self.called,
            "com = sum m_i c_i(q) / sum m_i",
            robot,
            MOVING_CENTER if moving else CENTER_OF_MASS,
            (q_port(robot), *([v_port(robot)] if moving else [])),
            chosen("center_of_mass", self.outputs, ports),
            lambda mechanism: Problem({}, WEIGHTLESS, constants=still) if moving else Problem({}),
            {
                "com": lambda graph: graph.world.center.xyz,
                "J": columns,
                "bias": lambda graph: graph.world.wrench.linear / graph.world.composite.mass,
                "mass": lambda graph: graph.world.composite.mass,
                "inertia": lambda graph: graph.world.composite.change_point(graph.world.center).rotational,
            },
            options=self,
        )


def refuse_massless(robot: Robot, what: str) -> None:
    if not any(float(body.inertia.mass[0, 0]) for body in robot.mechanism.bodies):
        raise Error(f"{what} of {robot.name}: no link that moves has mass; give the links mass and inertia")
