"""What relations are about: bodies, points on them, frames on them. Names only; no coordinates live here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body, known by its name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Point:
    """A point fixed to a body."""

    name: str
    body: Body

    def __str__(self) -> str:
        return f"{self.name}.{self.body}|{self.body}"


@dataclass(frozen=True, slots=True)
class Frame:
    """A point on a body together with three axes fixed to it.

    `axes` names the orientation frame where it should read differently from the point (Listing 2.5 writes
    point j2, axes J2).
    """

    name: str
    body: Body
    axes: str = ""

    @property
    def origin(self) -> Point:
        """The point at which the frame sits."""
        return Point(self.name, self.body)

    def __str__(self) -> str:
        return f"[{self.axes or self.name}.{self.body}]"


WORLD = Body("world")
"""The inertial body; its frame is where gravity and `as_seen_by="world"` are written down."""

WORLD_FRAME = Frame("world", WORLD)

FREE_FALL = Body("<free_fall>")
"""A body that falls freely: accelerations with respect to it include gravity's share."""

ENVIRONMENT = Body("<environment>")
"""Whoever exerts forces on the robot from outside: contacts, hands, springs."""

INERTIA = Body("<inertia>")
"""Everything that acts on a body, together: the source of the net wrench its motion requires."""

JOINTS = Body("<joints>")
"""The joints themselves, where an acceleration is along them and of no body in particular."""

ROBOT = Body("<robot>")
"""All bodies that move, together, where an acceleration is of their momentum and of none in particular."""
