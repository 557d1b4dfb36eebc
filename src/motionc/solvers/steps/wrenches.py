"""Forces that are given, brought to the body they act on; wrenches handed down the tree, joint by joint."""

from collections.abc import Iterator

from motionc.geometry import ENVIRONMENT, INERTIA, Body, JointForce, Wrench
from motionc.geometry.coordinates import column
from motionc.solvers.steps.motion import Motion, turn
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import INWARD, OUTWARD, ROOT, operation
from motionc.sweeps.state import Slot, StateGraph


class Wrenches(Motion):
    """What acts on a body, what its motor makes anyway, and what its joint makes of both."""

    external = Slot(Wrench)
    artificial = Slot(Wrench)
    wrench = Slot(Wrench)
    driving_force = Slot(JointForce, "joint")
    joint_force = Slot(JointForce, "joint")


@operation(ROOT, needs=["world_pose"], gives=["external"], equation="F_ext of each link, at its frame")
def apply_wrenches(graph: StateGraph[Wrenches], problem: Problem) -> None:
    """What acts on each body from outside."""
    for state in graph:
        state.external = no_wrench(state, ENVIRONMENT)
    for state, wrench in wrenches_of(graph, problem, "f_ext"):
        state.external = state.external + wrench


def wrenches_of(graph: StateGraph[Wrenches], problem: Problem, port: str) -> Iterator[tuple[Wrenches, Wrench]]:
    """The wrenches of an input, each at the origin of the body it acts on, in its axes."""
    for spec in problem.wrenches:
        if spec.port == port:
            state = graph[spec.at.body]
            turned = spec.wrench(problem).change_frame(turn(graph, spec.axes, state))
            yield state, turned.change_point(spec.at.pose.position.inverse())


@operation(
    OUTWARD,
    needs=["twist", "classical_acceleration", "external"],
    gives=["wrench"],
    equation="F_i = H A_i + V x* H V - F_ext",
)
def required_wrenches(joint: JointView, parent: Wrenches, child: Wrenches) -> None:
    net = joint.inertia.required_wrench(child.classical_acceleration, child.twist)
    child.wrench = net.without(child.external).exerted_by(parent.body)


@operation(
    INWARD, needs=["pose", "wrench"], gives=["joint_force", "wrench"], equation="tau_i = S^T F_i, F_p += X^T F_i"
)
def hand_down(joint: JointView, parent: Wrenches, child: Wrenches) -> None:
    """τ = Sᵀ F; what a parent gives to its child acts back on it, so it needs as much itself: F_i += Tᵀ F_i+1."""
    X = child.pose
    child.joint_force = joint.basis.pair(child.wrench)
    reaction = child.wrench.change_frame(X.orientation).change_point(X.position.inverse()).inverse()
    parent.wrench = parent.wrench.without(reaction)


def no_wrench(state: Wrenches, by: Body = INERTIA) -> Wrench:
    """Zero, at a body's origin: what is required of a body that nothing moves, or exerted by someone who rests."""
    nothing = column((0, 0, 0))
    return Wrench(state.body, by, state.frame.origin, state.frame, nothing, nothing)
