"""The Coriolis matrix C(q, v), by derivatives of inverse dynamics: C = ½ (∂h/∂v + M ad_v).

    sweeps    ∂τ/∂v and M of composite bodies                   (derivatives/dynamics.py)
    outward   ad_v of each joint: (S v) × S in coordinates of S   0 where v is q̇
    root      C = ½ (∂h/∂v + M ad_v)

h - g is quadratic in v, so that ½ (∂h/∂v) v = h - g, and ad_v v = 0. Of all C with C v = h - g this is the one of
Christoffel symbols, of the connection without torsion that keeps M (Levi-Civita's): Ṁ - 2 C is skew. Where v are
derivatives of q, symbols are symmetric and ½ ∂h/∂v is all; the rates of floating, spherical and planar joints are not,
and M ad_v is what their order makes (Echeandia and Wensing 2021 find the same C body by body).
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from motionc.errors import Error
from motionc.geometry import JointResponse
from motionc.geometry.coordinates import assemble, zeros
from motionc.geometry.variation import JointVariation
from motionc.model.robot import Robot
from motionc.program.port import Port, Precision
from motionc.solvers.arguments import Question, left_at_world, q_port, refuse_large, refuse_no_body, v_port
from motionc.solvers.derivatives.dynamics import FORCE_CHANGES, Varied
from motionc.solvers.mass_matrix import LARGEST_MASS_MATRIX
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.parameters import Parameters
from motionc.sweeps.problem import WEIGHTLESS, Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.solver import Solver
from motionc.sweeps.state import Slot, StateGraph


class Twisted(Varied):
    """How the rates of a joint are no derivatives, and the Coriolis matrix."""

    bracket = Slot(JointResponse, "joint")
    coriolis_matrix = Slot(JointVariation, "none")


@operation(OUTWARD, needs=["directions"], gives=["bracket"], equation="ad_v = (S v_i) x S, in coordinates of S")
def brackets(joint: JointView, parent: Twisted, child: Twisted) -> None:
    child.bracket = child.directions.bracket(joint.velocity)


@operation(
    ROOT, needs=["dtau_dv", "mass_matrix", "bracket"], gives=["coriolis_matrix"], equation="C = (dh/dv + M ad_v) / 2"
)
def halve(graph: StateGraph[Twisted], problem: Problem) -> None:
    """½ (∂h/∂v + M ad_v); rotors are in M, and turn with their joints alone, whatever the order of these."""
    nv, joints, place = graph.mechanism.nv, graph.coordinates, graph.places
    entries: list[list[Any]] = [[0.0] * nv for _ in range(nv)]
    turned: list[list[Any]] = [[0.0] * nv for _ in range(nv)]
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        for a, one in enumerate(state.bracket.joints):
            for b, other in enumerate(state.bracket.to):
                i, j = place[one][0], place[other][0]
                entries[i][j] = entries[i][j] + state.bracket.values[a, b]
                turned[i][j] = turned[i][j] + state.bracket.values[a, b] * body.joint.rotor
    order, rotors = (assemble(each) if nv else zeros(0, 0) for each in (entries, turned))
    values = 0.5 * (graph.world.dtau_dv.values + graph.world.mass_matrix.values @ order - rotors)
    graph.world.coriolis_matrix = JointVariation(joints, joints, values)


CORIOLIS_MATRIX = Schedule("coriolis_matrix", (*FORCE_CHANGES, sweep(brackets), sweep(halve)))


@dataclass(frozen=True)
class CoriolisMatrix(Question):
    """The Coriolis matrix C(q, v), with C v = h - g and dM/dt - 2 C skew: that of Christoffel symbols.

    Other matrices have the same product C v; this one is symmetric in how rates of two joints meet, as passivity-based
    and adaptive controllers want it. C(q, v) a and C(q, a) v differ only where v is no derivative of q.

    Args:
        robot: the robot; where joints follow others, C is that of the independent ones.
        parameters: constants of the robot that become inputs, such as "LINK.mass" (docs/guide/parameters.md).
        precision: "double", or "single" for float32 arrays.
    """

    called: ClassVar[str] = "coriolis_matrix"

    _: KW_ONLY
    parameters: Parameters = ()
    precision: Precision = "double"

    def solver(self, robot: Robot) -> Solver:
        refuse_no_body(robot, "Coriolis matrix")
        refuse_large(robot, "Coriolis matrix", LARGEST_MASS_MATRIX)
        for body in robot.mechanism.bodies:
            if not body.joint.type.constant:
                raise Error(
                    f"Coriolis matrix of {robot.name}: the directions of joint {body.joint.name} change with q (type "
                    f"{body.joint.type}), which no sweep of it knows; take bias_forces, whose derivative by v is 2 C"
                )
        still = {"a": zeros(robot.nv, 1)}
        return Solver(
            self.called,
            "C(q, v) v = h(q, v) - g(q),  dM/dt - 2 C skew",
            robot,
            CORIOLIS_MATRIX,
            (q_port(robot), v_port(robot)),
            (
                Port(
                    "C", (robot.nv, robot.nv), "N m s, N s", "Coriolis matrix in the order of v, of Christoffel symbols"
                ),
            ),
            lambda mechanism: Problem({}, WEIGHTLESS, constants=still),
            {"C": left_at_world("coriolis_matrix")},
            options=self,
        )
