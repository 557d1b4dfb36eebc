"""Rows of a time step along which impulses keep things apart or hold them: resolved on a mechanism, read by steps.

contacts     three rows each, x y z of the body where it touches; a cone of friction about a normal
end stops    one row a coordinate with limits, towards the inside from the nearer one; one-sided
dry friction one row a coordinate, of its own Coulomb friction and its brake; within ± what they can hold
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from motionc.geometry.coordinates import Coordinates
from motionc.model.mechanism import Mechanism, MovingBody
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

    def in_own_axes(self, values: Coordinates) -> Coordinates:
        """Impulses that are carried, in the axes of the frame that touches, in those of the body, wherever it is."""
        return self.touching.at.pose.orientation.apply(values)

    def in_frame_axes(self, values: Coordinates) -> Coordinates:
        """And back."""
        return self.touching.at.pose.orientation.inverse().apply(values)


class Alone(Rows):
    """A row along a joint: its impulse has no axes."""

    def in_own_axes(self, values: Coordinates) -> Coordinates:
        return values

    in_frame_axes = in_own_axes


@dataclass(frozen=True, slots=True, eq=False)
class StopRow(Alone):
    """The nearer of two end stops of the `entry`-th coordinate in q of a body's joint, one of which may be infinite."""

    body: int
    entry: int
    lower: float
    upper: float

    kind = "one_sided"


@dataclass(frozen=True, slots=True, eq=False)
class GripRow(Alone):
    """Coulomb friction along the `entry`-th rate of a body's joint, where it is `dry`, and a brake: its number among
    brakes and what it can hold.
    """

    body: int
    entry: int
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
    for body in _independent(mechanism):
        # limits are in the order of v
        for entry, place in enumerate(body.joint.type.bounds):
            k = body.joint.v.start + (place or 0)
            ends = (-np.inf, np.inf) if place is None else (float(lower[k]), float(upper[k]))
            if np.isfinite(ends).any():
                label = f"stop:{body.joint.labels[place or 0]}"
                specs.append(StopRow((label,), "contact", 1, 1.0, _next(specs), body.index, entry, *ends))


def grip_rows(
    mechanism: Mechanism, dry: Sequence[bool], brakes: Mapping[int, tuple[int, float]], specs: list[Rows]
) -> None:
    """Add a row for each coordinate that is `dry`, or has a brake: its number and strength, by place in v."""
    for body in _independent(mechanism):
        for entry, label in enumerate(body.joint.labels):
            k = body.joint.v.start + entry
            if dry[k] or k in brakes:
                brake, strength = brakes.get(k, (None, 0.0))
                held = bool(dry[k]), brake, strength
                specs.append(GripRow((f"grip:{label}",), "contact", 1, 1.0, _next(specs), body.index, entry, *held))


def _independent(mechanism: Mechanism) -> list[MovingBody]:
    """Bodies whose joints follow no other, in the order of v."""
    return sorted((body for body in mechanism.bodies if not body.joint.follows), key=lambda body: body.joint.v.start)


def _next(specs: Sequence[Rows], rows: int = 1) -> slice:
    start = specs[-1].rows.stop if specs else 0
    return slice(start, start + rows)
