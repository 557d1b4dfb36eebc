"""Where joints are next: coordinates of a joint that moves along its rates, and of all joints in the order of q."""

from typing import Any

from motionc.geometry import JointCoordinates, JointDisplacement
from motionc.geometry.coordinates import Coordinates, assemble, zeros
from motionc.sweeps.state import BodyState, Slot, StateGraph


class Stepped(BodyState):
    """How far a joint goes, and where it is then. A joint that follows another has neither: it is where that is."""

    displacement = Slot(JointDisplacement, "joint")
    q_next = Slot(JointCoordinates, "joint")


def arrived(graph: StateGraph[Stepped]) -> Coordinates:
    """q of all joints, in its own order."""
    entries: list[list[Any]] = [[0.0] for _ in range(graph.mechanism.nq)]
    for state, body in zip(graph, graph.mechanism.bodies, strict=True):
        if "q_next" in state:
            values = state.q_next.values
            for k, place in enumerate(range(body.joint.q.start, body.joint.q.stop)):
                entries[place] = [values[k, 0]]
    return assemble(entries) if entries else zeros(0, 1)
