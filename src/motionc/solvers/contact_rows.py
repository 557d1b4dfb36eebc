"""Rows of a time step along which impulses keep things apart or hold them: resolved on a mechanism, read by steps.

contacts     three rows each, x y z of the world where it touches; a cone of friction about a normal
end stops    one row a coordinate with limits, towards the inside from the nearer one; one-sided
dry friction one row a coordinate, of its own Coulomb friction and its brake; within ± what they can hold
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionc.model.mechanism import Mechanism
from motionc.model.robot import Robot
from motionc.solvers.contact import Contact, Touching, resolve_contacts
from motionc.solvers.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class TouchRows(Rows):
    """Forces along x, y and z of its body at one point of a hard contact, the `place`-th of all contact points."""

    touching: Touching
    place: int

    kind = "cone"

    @property
    def mutual(self) -> bool:
        return self.touching.on.body >= 0


@dataclass(frozen=True, slots=True, eq=False)
class AlongJoint(Rows):
    """A row along one coordinate of a joint, by its place in v, in q, and among those of its joint."""

    body: int
    v: int
    q: int
    entry: int


@dataclass(frozen=True, slots=True, eq=False)
class StopRow(AlongJoint):
    """The nearer of two end stops, one of which may be none: infinite."""

    lower: float
    upper: float

    kind = "one_sided"


@dataclass(frozen=True, slots=True, eq=False)
class GripRow(AlongJoint):
    """Coulomb friction of a joint, where it is `dry`, and a brake: its number among brakes and what it can hold."""

    dry: bool
    brake: int | None
    strength: float

    kind = "box"


@dataclass(frozen=True, slots=True, eq=False)
class Touches:
    """All contacts of a time step, hard and compliant, how often their impulses are swept over, and whether surfaces
    move by themselves, or friction is given with each call.
    """

    touching: tuple[Touching, ...] = ()
    sweeps: int = 5
    moving: bool = False
    given_friction: bool = False


def contact_rows(mechanism: Mechanism, contacts: Sequence[Contact]) -> tuple[tuple[Touching, ...], list[Rows]]:
    """All contacts on a mechanism, and the rows of hard ones."""
    found, specs = resolve_contacts(mechanism, contacts), list[Rows]()
    for touching in found:
        names = zip(range(touching.places.start, touching.places.stop), touching.contact.place_names(), strict=True)
        for place, name in names if touching.contact.law is None else ():
            labels = tuple(f"{place}:{name}.{axis}" for axis in "xyz")
            specs.append(TouchRows(labels, "contact", 1, 1.0, _next(specs, 3), touching, place))
    return found, specs


def stop_rows(robot: Robot, mechanism: Mechanism, specs: list[Rows]) -> None:
    """Add a row for each coordinate that has a limit; of those that others follow, so that these keep theirs too."""
    lower, upper = robot.reach
    for where in _coordinates(mechanism):
        ends = float(lower[where.v]), float(upper[where.v])
        if np.isfinite(ends).any():
            label = (f"stop:{mechanism.bodies[where.body].joint.labels[where.entry]}",)
            specs.append(StopRow(label, "contact", 1, 1.0, _next(specs), *_place(where), *ends))


def grip_rows(
    mechanism: Mechanism, dry: Sequence[bool], brakes: Mapping[int, tuple[int, float]], specs: list[Rows]
) -> None:
    """Add a row for each coordinate that is `dry`, or has a brake: its number and strength, by place in v."""
    for where in _coordinates(mechanism):
        if dry[where.v] or where.v in brakes:
            brake, strength = brakes.get(where.v, (None, 0.0))
            label = (f"grip:{mechanism.bodies[where.body].joint.labels[where.entry]}",)
            held = bool(dry[where.v]), brake, strength
            specs.append(GripRow(label, "contact", 1, 1.0, _next(specs), *_place(where), *held))


def _coordinates(mechanism: Mechanism) -> Any:
    """Every coordinate that follows no other, in the order of v, as a row would be along it."""
    found = [
        AlongJoint((), "contact", 1, 1.0, slice(0), body.index, body.joint.v.start + k, body.joint.q.start + k, k)
        for body in mechanism.bodies
        if not body.joint.follows
        for k in range(len(body.joint.labels))
    ]
    return sorted(found, key=lambda one: one.v)


def _place(where: AlongJoint) -> tuple[int, int, int, int]:
    return where.body, where.v, where.q, where.entry


def _next(specs: Sequence[Rows], rows: int = 1) -> slice:
    start = specs[-1].rows.stop if specs else 0
    return slice(start, start + rows)
