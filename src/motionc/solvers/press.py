"""Compliant contacts: forces at the beginning of a time step (geometry/compliance.py).

root      F_ext += f on the body at the contact point, - f on the other one
          f = k d^p max(0, 1 + c ḋ) n - μ f_n v_t / √(|v_t|² + ε²)
"""

from motionc.geometry import Multipliers
from motionc.geometry.compliance import compliant_force
from motionc.geometry.coordinates import Coordinates
from motionc.solvers.contact_rows import Touches, place_labels
from motionc.solvers.touch import Apart, by_itself, friction_at, grip_at
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, operation
from motionc.sweeps.state import Slot, StateGraph


class Pressed(Apart):
    """Forces of compliant contacts on the robot, in world axes, one a contact point in order."""

    pressures = Slot[tuple[Coordinates, ...]](tuple, "none")


@operation(
    ROOT,
    needs=["meetings", "world_pose", "twist", "external"],
    gives=["external", "pressures"],
    equation="F_ext += k d^p (1 + c d') n - mu f_n v_t/|v_t|",
)
def press(graph: StateGraph[Pressed], problem: Problem) -> None:
    """What compliant contacts do to both bodies."""
    forces: list[Coordinates] = []
    for touching in problem[Touches].touching:
        law = touching.contact.law
        for place, labels in place_labels(touching) if law is not None else ():
            assert law is not None
            grip = grip_at(graph, touching, place, labels)
            force = compliant_force(
                graph.world.meetings[place],
                grip.moving(graph).values - by_itself(problem, place),
                stiffness=law.stiffness,
                damping=law.damping,
                exponent=law.exponent,
                friction=friction_at(problem, touching, place),
                slip_speed=law.slip_speed,
            )
            for index, rows in grip.ends(graph):
                graph[index].external = graph[index].external + rows.times(Multipliers(labels, force))
            forces.append(force)
    graph.world.pressures = tuple(forces)
