"""What contacts do, read off constrained dynamics: the wrench on each frame in contact, and how far it is from letting go.

    wrench      Σ A λ of a frame's contacts, at its origin in world axes: as external_forces takes it
    margin      f_n, or μ f_n - |f_t| where the contact's friction is known; f_n along z of its axes

A margin below zero is a contact that pulls, or slips: the ground does neither.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motionc.geometry import Wrench
from motionc.geometry.coordinates import Coordinates, above, assemble, square_root
from motionc.model.mechanism import Mechanism
from motionc.program.port import Note, Port
from motionc.program.space import rows_of
from motionc.solvers.constraint import Constraint
from motionc.solvers.frame_arguments import Rows
from motionc.solvers.rows import ConstraintRows, Constraints
from motionc.solvers.steps.motion import turn
from motionc.sweeps.frames import Attached
from motionc.sweeps.problem import Problem
from motionc.sweeps.state import StateGraph


def touching(constraints: Sequence[Rows]) -> list[Constraint]:
    """The contacts on frames; those along joints, such as brakes, make no wrench."""
    return [one for one in constraints if isinstance(one, Constraint) and one.source == "contact"]


def contact_ports(mechanism: Mechanism, constraints: Sequence[Rows]) -> dict[str, Port]:
    """Wrenches on frames in contact, and margins; none where nothing touches."""
    contacts = touching(constraints)
    if not contacts:
        return {}
    named = (name for one in contacts for name in (one.frame, one.wrt) if mechanism.frames[name][0] >= 0)
    frames, entries = tuple(dict.fromkeys(named)), ("nx", "ny", "nz", "fx", "fy", "fz")
    margins = ", ".join(f"{one.frame} {'f_n' if one.mu is None else f'{one.mu:g} f_n - |f_t|'}" for one in contacts)
    meaning = f"(n; f) that contacts make on {', '.join(frames)}, at the frame's origin as seen by the world"
    return {
        "wrenches": Port("wrenches", (len(frames), 6), "N m, N", meaning, rows_of(frames, entries)),
        "contact_margin": Port("contact_margin", (len(contacts),), "N", f"{margins}; below 0 it pulls, or slips"),
    }


def contact_wrenches(graph: StateGraph[Any], problem: Problem, contacts: Sequence[Constraint]) -> Coordinates:
    """One row a frame (n; f)."""
    rows = dict[str, Coordinates]()
    for one, (spec, own, back) in zip(contacts, _acting(graph, problem), strict=True):
        for name, frame, wrench in ((one.frame, spec.frame, own), (one.wrt, spec.observer, back)):
            if wrench is not None:
                six = above(*_in_the_world(graph, frame, wrench)).T
                rows[name] = rows[name] + six if name in rows else six
    return above(*rows.values())


def contact_margins(graph: StateGraph[Any], problem: Problem) -> Coordinates:
    """One a contact, in order."""
    margins = list[list[Any]]()
    for spec, own, _ in _acting(graph, problem):
        f = own.change_frame(turn(graph, spec.axes, graph[spec.at.body]).inverse()).linear
        x, y, z = f[0, 0], f[1, 0], f[2, 0]
        margins.append([z if spec.mu is None else spec.mu * z - square_root(assemble([[x * x + y * y]]))[0, 0]])
    return assemble(margins)


def contact_notes(constraints: Sequence[Rows], results: Mapping[str, Any]) -> list[Note]:
    """Which contacts pull or slip, beyond rounding of what they make."""
    if "contact_margin" not in results:
        return []
    margins = np.asarray(results["contact_margin"])
    scale = np.max(np.abs(margins), axis=1, initial=1.0)
    pulls = "pulls, which the ground cannot: see contact_margin"
    leaves = "leaves its friction cone (mu={:g}): see contact_margin"
    return [
        Note(f"{one.frame} {pulls if one.mu is None else leaves.format(one.mu)}", below)
        for one, below in zip(touching(constraints), (margins < -1e-9 * scale[:, None]).T, strict=True)
    ]


def _acting(graph: StateGraph[Any], problem: Problem) -> list[tuple[ConstraintRows, Wrench, Wrench | None]]:
    """Contacts, the wrench on the body of each at its origin, and that on the observer's where it moves."""
    specs = [spec for spec in problem[Constraints].specs if isinstance(spec, ConstraintRows)]
    found = list[tuple[ConstraintRows, Wrench, Wrench | None]]()
    for spec, held in zip(specs, graph.world.held_rows, strict=False):
        if spec.source == "contact":
            forces = graph.world.contact_forces.select(spec.labels)
            own, *back = (rows.times(forces) for _, rows in held.ends(graph))
            found.append((spec, own, back[0] if back else None))
    return found


def _in_the_world(graph: StateGraph[Any], frame: Attached, wrench: Wrench) -> tuple[Coordinates, Coordinates]:
    """The same at a frame's origin, in world axes."""
    there = wrench.change_point(frame.pose.position).change_frame(graph[frame.body].world_pose.orientation)
    return there.angular, there.linear
