"""Centroidal momentum, about the centre of mass, and its rate: h_G = A_G v, ḣ_G = A_G a + Ȧ_G v.

    outward   p = H V
    inward    p_i += Tᵀ p_i+1                  down to the world
    root      h_G = p at c
              Ȧ_G v = the wrench the world gives at c while no joint accelerates and nothing falls: inverse dynamics

A_G are the unit momenta of the centre of mass. Reflected inertia of rotors is not part of the momentum.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from motionc.geometry import Momentum, Wrench
from motionc.geometry.coordinates import Coordinates, above, zeros
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.program.relation import Relation
from motionc.solvers.arguments import Question, chosen, q_port, refuse_no_body, v_port
from motionc.solvers.center_of_mass import MOVING_CENTER, refuse_massless
from motionc.solvers.steps.center import Centered, momentum_matrix
from motionc.solvers.steps.wrenches import Wrenches
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import WEIGHTLESS, Problem
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph


class Momenta(Wrenches, Centered):
    """Momentum of a body with everything beyond it, and of all about their centre."""

    momentum = Slot(Momentum)
    about_center = Slot(Momentum, "center")
    momentum_rate = Slot(Wrench, "center")


@operation(OUTWARD, needs=["twist"], gives=["momentum"], equation="h_i = H V_i")
def own_momenta(joint: JointView, parent: Momenta, child: Momenta) -> None:
    child.momentum = joint.inertia @ child.twist


@operation(ROOT, needs=["composite", "twist"], gives=["momentum"], equation="h_0 = 0")
def world_has_none(graph: StateGraph[Momenta], problem: Problem) -> None:
    graph.world.momentum = graph.world.composite @ graph.world.twist


@operation(INWARD, needs=["pose", "momentum"], gives=["momentum"], equation="h_p += X^T h_i")
def gather_momenta(joint: JointView, parent: Momenta, child: Momenta) -> None:
    X = child.pose
    parent.momentum = parent.momentum.together(
        child.momentum.change_frame(X.orientation).change_point(X.position.inverse())
    )


@operation(
    ROOT,
    needs=["momentum", "wrench", "center"],
    gives=["about_center", "momentum_rate"],
    equation="h_G = h_0 at the centre of mass",
)
def reduce_to_center(graph: StateGraph[Momenta], problem: Problem) -> None:
    world = graph.world
    world.about_center = world.momentum.change_point(world.center)
    world.momentum_rate = world.wrench.change_point(world.center)


CENTROIDAL_MOMENTUM = Schedule(
    "centroidal_momentum",
    (
        *MOVING_CENTER.sweeps,
        sweep(world_has_none),
        sweep(own_momenta),
        sweep(gather_momenta),
        sweep(reduce_to_center),
    ),
)


HG = Relation("momentum", "all bodies", "world", "centre of mass", "world")


@dataclass(frozen=True)
class CentroidalMomentum(Question):
    """Centroidal momentum, of all moving links about their centre of mass: h_G = A_G(q) v, ḣ_G = A_G a + Ȧ_G v.

    Args:
        robot: the robot; reflected rotor inertia is not part of the momentum.
        outputs: which of hG (6), angular first, AG (6, nv), and bias (6), Ȧ_G v.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "centroidal_momentum"

    _: KW_ONLY
    outputs: Sequence[str] = ("hG",)
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        refuse_no_body(robot, "centroidal momentum")
        refuse_massless(robot, "centroidal momentum")
        where = "about the centre of mass, as seen by world, angular first"
        ports = {
            "hG": Port("hG", (6,), "kg m²/s, kg m/s", f"momentum {where}", relation=HG),
            "AG": Port("AG", (6, robot.nv), "kg m², kg m, kg", f"momentum matrix {where}: hG = AG v"),
            "bias": Port("bias", (6,), "N m, N", f"rate of the momentum {where} while joints do not accelerate"),
        }
        still = {"a": zeros(robot.nv, 1)}

        def momentum(graph: StateGraph[Momenta]) -> Coordinates:
            p = graph.world.about_center
            return above(p.angular, p.linear)

        def rate(graph: StateGraph[Momenta]) -> Coordinates:
            wrench = graph.world.momentum_rate
            return above(wrench.angular, wrench.linear)

        return Solver(
            self.called,
            "hG = AG(q) v,  d hG/dt = AG a + bias",
            robot,
            CENTROIDAL_MOMENTUM,
            (q_port(robot), v_port(robot)),
            chosen("centroidal_momentum", self.outputs, ports),
            lambda mechanism: Problem({}, WEIGHTLESS, constants=still),
            {"hG": momentum, "AG": momentum_matrix, "bias": rate},
            options=self,
        )
