"""What dynamics is asked, as quantities of the walk: accelerations along rows, motor forces, artificial forces.

    rows        b, of each constraint a RowAcceleration
    motors      τ, what each motor makes anyway
    artificial  f_art, wrenches that motors make in the environment's place

Operations here read them from ports. One's own, a control block between the sweeps, stands in place of any of them:
`schedule.replacing("ask_rows", mine)`.
"""

from motionc.geometry import ENVIRONMENT, JointForce
from motionc.geometry.coordinates import zeros
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


@operation(ROOT, needs=["external", "artificial"], gives=["external"], equation="F_ext += F_art")
def add_artificial(graph: StateGraph[Wrenches], problem: Problem) -> None:
    """A body feels what motors make of artificial forces as if it came from outside."""
    for state in graph:
        state.external = state.external + state.artificial
