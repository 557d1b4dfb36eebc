"""All joints resolved together: M_r a = τ - h_r, M_r = Gᵀ M G (design §3, couplings).

    h_r       inverse dynamics without acceleration
    M_r       composite bodies

Coupled joints accelerate together, so no joint can be resolved by itself; M_r is factored as a whole. Of joints that do
not follow others it is empty wherever two are on different branches: where none has many before it, that is short.
"""

from motionc.geometry import JointAcceleration, JointBias, JointForce
from motionc.model.mechanism import Mechanism
from motionc.program.sizes import SHALLOW
from motionc.solvers.steps.composite import Composite
from motionc.solvers.steps.wrenches import Wrenches
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, operation
from motionc.sweeps.state import Slot, StateGraph, joint_values


def shallow(mechanism: Mechanism) -> bool:
    """Whether no coordinate has so many before it that articulated bodies are shorter."""
    before: dict[int, int] = {-1: 0}
    for body in mechanism.bodies:
        before[body.index] = before[body.parent] + len(body.joint.labels)
    return max(before.values()) - 1 <= SHALLOW


class Together(Wrenches, Composite):
    """What is known of all joints at once, at the world."""

    net_force = Slot(JointBias, "none")
    accelerations = Slot(JointAcceleration, "none")


@operation(ROOT, needs=["joint_force", "driving_force"], gives=["net_force"], equation="tau - h")
def what_is_left(graph: StateGraph[Together], problem: Problem) -> None:
    """Of the motors' forces, after what joints feel that do not accelerate."""
    given = problem.beside_physical(driving_forces(graph))
    graph.world.net_force = given - JointBias(given.joints, joint_values(graph, "joint_force"))


def driving_forces(graph: StateGraph[Together]) -> JointForce:
    """What all motors make anyway, in the order of v."""
    return JointForce(graph.coordinates, joint_values(graph, "driving_force"))


@operation(ROOT, needs=["mass_matrix", "net_force"], gives=["accelerations"], equation="a = M^-1 (tau - h)")
def accelerate_together(graph: StateGraph[Together], problem: Problem) -> None:
    graph.world.accelerations = graph.world.mass_matrix.solve(graph.world.net_force)


@operation(ROOT, needs=["joint_acceleration"], gives=["accelerations"], equation="a = (a_1 ... a_n)")
def gather_accelerations(graph: StateGraph[Together], problem: Problem) -> None:
    """The same of joints that were resolved one by one."""
    values = joint_values(graph, "joint_acceleration")
    graph.world.accelerations = JointAcceleration(graph.coordinates, values)
