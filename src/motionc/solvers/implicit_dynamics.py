"""Forward dynamics of a time step where joints follow others: (M + dt D (+ dt² K)) a = τ - h, all joints together.

Articulated bodies read what is implicit off the rotor (`JointView.rotor`); here it is added to the mass matrix.
"""

from motionc.geometry import JointInertia, JointVelocity, RotorInertia
from motionc.solvers.forward_dynamics import COUPLED_DYNAMICS
from motionc.solvers.integrate import Stepped
from motionc.solvers.steps.articulated import Articulated
from motionc.solvers.steps.friction import joint_diagonal
from motionc.solvers.steps.together import Together, accelerate_together
from motionc.sweeps.joint_view import JointView
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import OUTWARD, ROOT, Schedule, operation, sweep
from motionc.sweeps.state import Slot, StateGraph


class Implicit(Articulated, Together, Stepped):
    """What of forces along joints lessens with acceleration, and the rates it leads to."""

    v_next = Slot(JointVelocity, "joint")
    implicit_inertia = Slot(RotorInertia, "joint")


@operation(OUTWARD, gives=["implicit_inertia"], equation="dt d (+ dt^2 k)")
def resist_ahead(joint: JointView, parent: Implicit, child: Implicit) -> None:
    """Where joints are resolved together; articulated bodies read it off the rotor."""
    if (inertia := joint.implicit_inertia) is not None:
        child.implicit_inertia = inertia


@operation(ROOT, needs=["mass_matrix", "implicit_inertia"], gives=["mass_matrix"], equation="M += dt D (+ dt^2 K)")
def add_to_masses(graph: StateGraph[Implicit], problem: Problem) -> None:
    masses = graph.world.mass_matrix
    graph.world.mass_matrix = JointInertia(masses.joints, masses.values + joint_diagonal(graph, "implicit_inertia"))


@operation(ROOT, needs=["accelerations"], gives=["joint_acceleration"], equation="a_i, of a")
def part_accelerations(graph: StateGraph[Implicit], problem: Problem) -> None:
    """To each joint its own, where all were resolved together."""
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        if not body.joint.follows:
            state.joint_acceleration = graph.world.accelerations.among(body.joint.labels)


IMPLICIT_DYNAMICS = Schedule(
    "step",
    (
        *COUPLED_DYNAMICS.sweeps[:-1],
        sweep(resist_ahead),
        sweep(*COUPLED_DYNAMICS.sweeps[-1].operations[:-1], add_to_masses, accelerate_together, part_accelerations),
    ),
)
