"""What contacts do once their forces are known: the wrench on each frame in contact, and how far it is from letting go.

root      Σ A λ of a frame's contacts, at its origin in world axes
          f_n, or μ f_n - |f_t| where friction is known, f_n along z of the contact's axes
"""

from typing import Any

from motionc.geometry.coordinates import Coordinates, above, assemble, square_root
from motionc.geometry.meaning import as_meant
from motionc.geometry.screw import Force
from motionc.solvers.rows import ConstraintRows, Constraints
from motionc.solvers.steps.demand import Demanded
from motionc.solvers.steps.motion import turn
from motionc.sweeps.frames import Attached
from motionc.sweeps.problem import Problem
from motionc.sweeps.schedule import ROOT, operation
from motionc.sweeps.state import Slot, StateGraph


class Touched(Demanded):
    """Wrenches on frames in contact (n; f), one row each, and one margin a contact."""

    contact_wrenches = Slot(object, "none")
    contact_margins = Slot(object, "none")


@operation(ROOT, needs=["held_rows", "contact_forces", "world_pose"], gives=["contact_wrenches", "contact_margins"])
def press(graph: StateGraph[Touched], problem: Problem) -> None:
    """What the environment makes on frames, and whether ground could make it."""
    wrenches, margins = dict[str, Coordinates](), list[list[Any]]()
    specs = [spec for spec in problem[Constraints].specs if isinstance(spec, ConstraintRows)]
    for spec, held in zip(specs, graph.world.held_rows, strict=False):
        if spec.source != "contact":
            continue
        forces = graph.world.contact_forces.select(spec.labels)
        on = [rows.times(forces) for _, rows in held.ends(graph)]
        margins.append([_margin(graph, spec, on[0])])
        for name, frame, wrench in zip(spec.names, (spec.frame, spec.observer), on, strict=False):
            row = _in_the_world(graph, frame, wrench)
            wrenches[name] = wrenches[name] + row if name in wrenches else row
    if margins:
        graph.world.contact_wrenches, graph.world.contact_margins = above(*wrenches.values()), assemble(margins)


def _margin(graph: StateGraph[Touched], spec: ConstraintRows, wrench: Force) -> Any:
    seen = wrench.change_frame(turn(graph, spec.axes, graph[spec.at.body]).inverse())
    f = as_meant(seen, "force of a contact", as_seen_by=spec.axes.pose.of).linear
    x, y, z = f[0, 0], f[1, 0], f[2, 0]
    return z if spec.mu is None else spec.mu * z - square_root(assemble([[x * x + y * y]]))[0, 0]


def _in_the_world(graph: StateGraph[Touched], frame: Attached, wrench: Force) -> Coordinates:
    """The same at a frame's origin, in world axes."""
    there = wrench.change_point(frame.pose.position).change_frame(graph[frame.body].world_pose.orientation)
    return above(there.angular, there.linear).T
