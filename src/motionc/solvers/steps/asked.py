"""What dynamics is asked, as quantities of the walk: accelerations along rows, motor forces, artificial forces.

    rows        b, of each constraint a RowAcceleration
    motors      τ, what each motor makes anyway
    artificial  f_art, wrenches that motors make in the environment's place
    activation  h, how far each row holds; weights w, how much a miss of each counts

Operations here read them from ports. One's own, a control block between the sweeps, stands in place of any of them:
`schedule.replacing("ask_rows", mine)`.
"""

import numpy as np

from motionc.geometry import ENVIRONMENT, JointForce
from motionc.geometry.activation import Activation, RowWeights
from motionc.geometry.coordinates import Coordinates, above, zeros
from motionc.solvers.rows import Constraints
from motionc.solvers.steps.rows import Constrained
from motionc.solvers.steps.wrenches import Wrenches, no_wrench, wrenches_of
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, operation
from motionc.sweeps.state import StateGraph


@operation(ROOT, gives=["asked_rows"], equation="b")
def ask_rows(graph: StateGraph[Constrained], problem: Problem) -> None:
    """Accelerations along the rows of each constraint: the input b."""
    specs = problem[Constraints].specs
    graph.world.asked_rows = tuple(spec.asks(problem.rows("b", spec.rows)) for spec in specs)


@operation(ROOT, gives=["driving_force"], equation="tau")
def ask_motors(graph: StateGraph[Wrenches], problem: Problem) -> None:
    """What motors make whatever else is asked of them: the input tau; a follower has none, its leader's moves both."""
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        joint = body.joint
        none = JointForce(joint.labels, zeros(1, 1))
        state.driving_force = none if joint.follows else problem.motor_force(joint.labels, joint.v)


@operation(ROOT, needs=["world_pose"], gives=["artificial"], equation="F_art of each link, at its frame")
def ask_artificial(graph: StateGraph[Wrenches], problem: Problem) -> None:
    """Wrenches that motors make in the environment's place: the input f_art."""
    for state in graph:
        state.artificial = no_wrench(state, ENVIRONMENT)
    for state, wrench in wrenches_of(graph, problem, "f_art"):
        state.artificial = state.artificial + wrench


@operation(ROOT, gives=["activation"], equation="h")
def ask_activation(graph: StateGraph[Constrained], problem: Problem) -> None:
    """How far rows hold: the input activation; all of them where nobody says."""
    asked = problem[Constraints]
    graph.world.activation = Activation(asked.labels, _factors(problem, "activation", asked.activated), asked.activated)


@operation(ROOT, gives=["row_weights"], equation="w")
def ask_weights(graph: StateGraph[Constrained], problem: Problem) -> None:
    """How much misses count: the input weights; as constraints say where it is none."""
    asked = problem[Constraints]
    graph.world.row_weights = RowWeights(asked.labels, _factors(problem, "weights", asked.weighed), asked.weighed)


def _factors(problem: Problem, port: str, given: bool) -> Coordinates:
    """An input for the rows of b; 1 for those that are none of them, and for all where it is no input."""
    asked, rest = len(problem[Constraints].asked), len(problem[Constraints].labels)
    return above(problem.rows(port, slice(0, asked)), np.ones((rest - asked, 1))) if given else np.ones((rest, 1))


@operation(ROOT, needs=["external", "artificial"], gives=["external"], equation="F_ext += F_art")
def add_artificial(graph: StateGraph[Wrenches], problem: Problem) -> None:
    """A body feels what motors make of artificial forces as if it came from outside."""
    for state in graph:
        state.external = state.external + state.artificial
